use super::*;
use crate::policy::Policy;
use crate::run::Baseline;
use crate::samples;

fn is_korean(text: &str) -> bool {
    text.chars().any(|c| ('가'..='힣').contains(&c))
}

#[test]
fn every_text_is_there_in_both_languages_and_no_line_is_long() {
    let mut run = samples::run(&samples::gated());
    run.baseline = Some(Baseline::default());
    let held = [WeakenedCheck { place: "t.py:6".to_owned(), what: "skipped".repeat(40) }];
    let edits = [TestEdit { place: "t.py:7".to_owned(), what: "5 became -1".to_owned() }];
    for locale in [Locale::En, Locale::Ko] {
        run.policy.locale = locale;
        let texts = [
            passes_already(&run).unwrap(),
            replaces(&run, locale),
            set_aside(&run, locale),
            is_at_work(&run),
            begins_in_every_session(locale).to_owned(),
            weakened(&held, locale).unwrap(),
            edited(&edits, &run.policy).unwrap(),
            plan_mode(locale).to_owned(),
            provider_failed("400 bad request", &run),
            session_gone(&run),
            was_cut_off(&run),
        ];
        for text in texts {
            assert_eq!(is_korean(&text), locale == Locale::Ko, "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= 200), "{text}");
        }
    }
}

#[test]
fn only_checks_that_pass_before_the_first_turn_are_told_to() {
    let mut run = samples::run(&samples::gated());
    assert_eq!(passes_already(&run), None, "nobody looked");
    run.baseline = Some(Baseline::default());
    assert!(passes_already(&run).is_some());
    let red = [run.policy.gates[0].name.clone()].into_iter().collect();
    run.baseline = Some(Baseline { red, ..Baseline::default() });
    assert_eq!(passes_already(&run), None);
    let mut bare = samples::run(&Policy::promise());
    bare.baseline = Some(Baseline::default());
    assert_eq!(passes_already(&bare), None);
}

#[test]
fn the_first_change_is_named_and_the_others_are_counted() {
    let held = |place: &str| WeakenedCheck { place: place.to_owned(), what: "skipped".to_owned() };
    let one = weakened(&[held("t.py:6")], Locale::En);
    assert_eq!(one.as_deref(), Some("A change of the checks is held: t.py:6: skipped."));
    let two = weakened(&[held("t.py:6"), held("t.py:9")], Locale::En);
    assert_eq!(two.as_deref(), Some("2 changes of the checks are held, first t.py:6: skipped."));
    assert_eq!(weakened(&[], Locale::En), None);
    let edit = |place: &str| TestEdit { place: place.to_owned(), what: String::new() };
    let many = ["a", "a", "b", "c", "d"].map(edit);
    let mut policy = samples::gated();
    let told = edited(&many, &policy);
    assert_eq!(told.as_deref(), Some("Tests were changed: a, b, c and 1 more."));
    assert_eq!(edited(&[], &policy), None);
    policy.gates.push(samples::gate("lint", crate::policy::GateImportance::Required));
    let of_gates = ["a", "lint", "tests", "tests, lint"].map(edit);
    let told = edited(&of_gates, &policy);
    assert_eq!(told.as_deref(), Some("Tests were changed: a."), "gates are no files");
}
