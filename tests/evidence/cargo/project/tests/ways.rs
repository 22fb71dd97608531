mod support;

use roads::graph::shortest;
use support::roads;

#[test]
fn a_way_over_another_town_may_be_shorter() {
    assert_eq!(shortest(&roads("north.txt"), "Ulm", "Kiel"), Some(1_000));
}

#[test]
fn roads_lead_both_ways() {
    assert_eq!(shortest(&roads("north.txt"), "Bonn", "Ulm"), Some(420));
}

#[test]
fn an_unknown_town_cannot_be_reached() {
    assert_eq!(shortest(&roads("north.txt"), "Ulm", "Rome"), None);
}
