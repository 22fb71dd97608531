use roads::parse::parse_road;

macro_rules! refuses {
    ($($name:ident: $line:expr,)*) => {
        $(#[test]
        fn $name() {
            assert_eq!(parse_road($line), Err(format!("bad road: {}", $line)));
        })*
    };
}

refuses! {
    no_length: "Ulm-Bonn",
    no_town: "Ulm 420",
    negative: "Ulm-Bonn -4",
}

#[test]
fn spaces_around_towns_are_dropped() {
    let road = parse_road("Ulm - Bonn 420").unwrap();
    assert_eq!((road.from.as_str(), road.to.as_str()), ("Ulm", "Bonn"));
}
