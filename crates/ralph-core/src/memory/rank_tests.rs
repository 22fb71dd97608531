use proptest::prelude::*;

use super::*;

const USUAL: NoteWorth =
    NoteWorth { belief: 1.0, age: Days(0.0), half_life: Some(Days(60.0)), scope: 1.0, phase: 1.0 };

fn list<'a>(ids: &[&'a str]) -> RankedList<'a> {
    RankedList { weight: 1.0, ids: ids.to_vec() }
}

fn is(found: f64, want: f64) {
    assert!((found - want).abs() < 1e-9, "{found} instead of {want}");
}

#[test]
fn what_several_searches_found_comes_before_what_one_found_first() {
    let fused = fuse(&[list(&["a", "b"]), list(&["c", "b"])]);
    assert!(fused["b"] > fused["a"]);
    is(fused["a"], fused["c"]);
    is(fused["a"], 1.0 / 61.0);
}

#[test]
fn a_list_may_count_less() {
    let fused = fuse(&[list(&["a"]), RankedList { weight: 0.3, ids: vec!["b"] }]);
    is(fused["b"], fused["a"] * 0.3);
}

#[test]
fn belief_and_age_take_away_half_each_at_most() {
    is(USUAL.factor(), 1.0);
    is(NoteWorth { belief: 0.0, ..USUAL }.factor(), 0.5);
    is(NoteWorth { age: Days(30.0), ..USUAL }.factor(), 0.5_f64.sqrt());
    is(NoteWorth { age: Days(6000.0), ..USUAL }.factor(), 0.5);
    is(NoteWorth { age: Days(6000.0), half_life: None, ..USUAL }.factor(), 1.0);
    is(NoteWorth { age: Days(-3.0), ..USUAL }.factor(), 1.0);
    is(NoteWorth { scope: 1.2, phase: 2.0, ..USUAL }.factor(), 2.4);
}

#[test]
fn of_two_that_say_the_same_one_waits_behind_something_else() {
    let notes = [
        (1.0, "tests need a running database"),
        (0.95, "tests need a running database first"),
        (0.7, "ids are never reused"),
    ];
    assert_eq!(diverse(&notes, 3), [0, 2, 1]);
    assert_eq!(diverse(&notes, 1), [0]);
}

#[test]
fn of_equal_notes_the_earlier_comes_first() {
    assert_eq!(diverse(&[(1.0, "one"), (1.0, "two"), (1.0, "three")], 9), [0, 1, 2]);
    assert_eq!(diverse(&[], 3), Vec::<usize>::new());
}

proptest! {
    #[test]
    fn everything_is_chosen_once(worths in prop::collection::vec(0.0..1.0_f64, 0..20)) {
        let notes: Vec<(f64, &str)> = worths.iter().map(|worth| (*worth, "a b")).collect();
        let mut chosen = diverse(&notes, 100);
        chosen.sort_unstable();
        prop_assert_eq!(chosen, (0..worths.len()).collect::<Vec<_>>());
    }
}
