use roads::graph::Road;
use roads::parse::parse_road;

/// The roads of a file in `tests/data`.
pub fn roads(name: &str) -> Vec<Road> {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| parse_road(line).unwrap()).collect()
}
