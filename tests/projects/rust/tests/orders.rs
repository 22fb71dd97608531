use shop::total;

#[test]
fn an_empty_order_costs_nothing() {
    assert_eq!(total(&[]), 0);
}

#[test]
fn an_order_has_a_limit() {
    let prices: Vec<u32> = vec![u32::MAX, 1];
    assert_eq!(total(&prices), u32::MAX);
}
