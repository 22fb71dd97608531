use std::collections::BTreeSet;
use std::time::Duration;

use ralph_core::evidence::{GateExtent, GateFault, Verdict, WeakenedCheck};
use ralph_core::finding::{Finding, FindingLevel, SourceLocation, ToolReport};
use ralph_core::policy::GateImportance;
use ralph_core::usage::Usage;
use ralph_core::{RunId, Timestamp};

use super::*;
use crate::report::{ENGLISH, KOREAN};

fn gate(verdict: Verdict, findings: Vec<Finding>) -> GateReport {
    GateReport {
        name: "lint_clean".to_owned(),
        need: GateImportance::Required,
        command: "lint".to_owned(),
        verdict,
        failing: findings.iter().map(|found| found.fingerprint.clone()).collect::<BTreeSet<_>>(),
        reading: ToolReport { findings, ..ToolReport::default() },
        tail: "Checking a\n\nFinished in 0.2s\n".to_owned(),
        elapsed: Duration::ZERO,
        cached: false,
        usage: None,
        extent: GateExtent::Whole,
    }
}

fn failed(findings: Vec<Finding>) -> GateReport {
    gate(Verdict::Fail(GateFault::Exit(1)), findings)
}

fn unused() -> Finding {
    Finding {
        tool: "ruff".to_owned(),
        rule: Some("F401".to_owned()),
        level: FindingLevel::Error,
        place: SourceLocation { file: "a.py".to_owned(), line: Some(3), column: None },
        message: "`os` imported but unused".to_owned(),
        fingerprint: "f".to_owned(),
    }
}

fn record(decision: &str, gates: Vec<GateReport>, held: &[&str]) -> IterationRecord {
    let weakened = |place: &&str| WeakenedCheck {
        place: (*place).to_owned(),
        what: "`adds` is ignored now".to_owned(),
    };
    IterationRecord {
        run: RunId::from_bits(1),
        number: 1,
        started_at: Timestamp::from_millis(0),
        ended_at: Timestamp::from_millis(1),
        turn: "finished".to_owned(),
        claim: "none".to_owned(),
        decision: decision.to_owned(),
        failing: 0,
        tree: None,
        approach: None,
        usage: Usage::default(),
        gates,
        weakened: held.iter().map(weakened).collect(),
        edited: Vec::new(),
        text: String::new(),
        log: None,
    }
}

#[test]
fn words_of_a_record_are_said_in_the_language_of_the_report() {
    assert_eq!(shown("give_up", Locale::En), "give up");
    assert_eq!(shown("give_up", Locale::Ko), "포기");
    assert_eq!(shown("something_new", Locale::Ko), "something_new");
    assert_eq!(padded("포기", 6), "포기  ");
}

#[test]
fn a_gate_is_explained_by_what_it_found_and_not_by_what_it_printed_last() {
    let found = gate_reasons(&failed(vec![unused()]), Locale::En);
    assert_eq!(found, ["a.py:3 `os` imported but unused [ruff F401]"]);
    let printed = gate_reasons(&failed(Vec::new()), Locale::En);
    assert_eq!(printed, ["Checking a", "Finished in 0.2s"], "output that nobody understood");
}

#[test]
fn a_turn_that_was_not_accepted_says_what_fails_with_or_without_a_claim() {
    let why = |decision| {
        reasons(&record(decision, vec![failed(vec![unused()])], &[]), &ENGLISH, Locale::En)
    };
    for decision in ["continue", "give_up"] {
        assert_eq!(why(decision), ["a.py:3 `os` imported but unused [ruff F401]"], "{decision}");
    }
    assert!(why("complete").is_empty());
    let silent = GateReport { tail: String::new(), ..failed(Vec::new()) };
    let record = record("continue", vec![silent], &[]);
    let told = reasons(&record, &ENGLISH, Locale::En);
    assert_eq!(told, ["lint_clean: failed with exit code 1"]);
}

#[test]
fn a_turn_that_weakened_a_check_says_which_though_everything_passes() {
    let record = record("continue", vec![gate(Verdict::Pass, Vec::new())], &["tests/a.rs:3"]);
    let told = reasons(&record, &ENGLISH, Locale::En);
    assert_eq!(told, ["held: tests/a.rs:3: `adds` is ignored now"]);
    let told = reasons(&record, &KOREAN, Locale::Ko);
    assert_eq!(told, ["보류됨: tests/a.rs:3: `adds` is ignored now"]);
}

#[test]
fn many_reasons_are_counted() {
    let record = record("continue", Vec::new(), &["a", "b", "c", "d", "e"]);
    let told = reasons(&record, &ENGLISH, Locale::En);
    assert_eq!((told.len(), told[3].as_str()), (4, "… 2 more"));
}
