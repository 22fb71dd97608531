use std::time::Duration;

use ralph_core::Timestamp;
use ralph_core::evidence::{GateFault, TurnEnd, WeakenedCheck};
use ralph_core::finding::{
    Finding, FindingLevel, SourceLocation, TestFailure, TestResults, TestState, ToolReport,
};
use ralph_core::policy::GateImportance;

use super::*;

fn gate(name: &str, verdict: Verdict, tail: &str) -> GateReport {
    GateReport {
        name: name.to_owned(),
        need: GateImportance::Required,
        command: format!("./{name}.sh"),
        verdict,
        failing: BTreeSet::new(),
        reading: ToolReport::default(),
        tail: tail.to_owned(),
        elapsed: Duration::ZERO,
        cached: false,
        extent: ralph_core::evidence::GateExtent::Whole,
        usage: None,
    }
}

fn failing(tail: &str) -> GateReport {
    gate("check", Verdict::Fail(GateFault::Exit(1)), tail)
}

fn evidence(gates: Vec<GateReport>) -> Evidence {
    Evidence {
        turn: TurnEnd::Finished,
        text: String::new(),
        gates,
        tree: None,
        approach: None,
        weakened: Vec::new(),
        edited: Vec::new(),
        flaky: BTreeSet::new(),
        broken: BTreeSet::new(),
        weakened_state: None,
        biting: Vec::new(),
        forgets_failure: false,
        accepts_changes: false,
        aside: Duration::ZERO,
        usage: None,
        now: Timestamp::default(),
    }
}

#[track_caller]
fn failures(gates: Vec<GateReport>) -> Vec<TurnFailure> {
    match outcome(&evidence(gates)) {
        Some(CheckedTurn::Failed(failures)) => failures,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_could_not_be_measured_teaches_nothing() {
    let unknown = || gate("slow", Verdict::Unknown { reason: "no time".to_owned() }, "");
    assert_eq!(outcome(&evidence(Vec::new())), None);
    assert_eq!(outcome(&evidence(vec![gate("a", Verdict::Pass, ""), unknown()])), None);
    assert_eq!(outcome(&evidence(vec![gate("a", Verdict::Pass, "")])), Some(CheckedTurn::Passed));
    assert_eq!(failures(vec![failing("no"), unknown()]).len(), 1);
    let weakening = WeakenedCheck { place: "a".to_owned(), what: "skipped".to_owned() };
    let weaker =
        Evidence { weakened: vec![weakening], ..evidence(vec![gate("a", Verdict::Pass, "")]) };
    assert_eq!(outcome(&weaker), None);
}

#[test]
fn a_gate_without_details_is_known_by_the_last_line_it_printed() {
    let first = failures(vec![failing("took 12 s\nexpected 3 colours\n\n")]);
    let again = failures(vec![failing("took 44 s\nexpected 7 colours\n")]);
    assert_eq!(first[0].signature, again[0].signature, "numbers are masked in the key");
    let told = |one: &[TurnFailure]| (one[0].title.clone(), one[0].text.clone());
    let want = |text: &str| ("./check.sh".to_owned(), text.to_owned());
    assert_eq!(told(&first), want("expected 3 colours"), "and not in the text");
    assert_eq!(told(&again), want("expected 7 colours"));
    assert_ne!(first[0].signature, failures(vec![failing("no colours")])[0].signature);
    assert_eq!(failures(vec![failing("")])[0].text, "./check.sh");
}

#[test]
fn tests_and_findings_are_told_apart_with_their_files() {
    let place = |file: &str| SourceLocation { file: file.to_owned(), ..SourceLocation::default() };
    let mut tests = TestResults::default();
    for id in ["a", "flaky"] {
        tests.states.insert(id.to_owned(), TestState::Failed);
        let message = "left: 1, right: 2".to_owned();
        tests.failures.insert(id.to_owned(), TestFailure { place: place("src/a.rs"), message });
    }
    let mut finding = Finding {
        tool: "ruff".to_owned(),
        rule: Some("F401".to_owned()),
        level: FindingLevel::Error,
        place: place("src/b.py"),
        message: "`os` imported but unused".to_owned(),
        fingerprint: String::new(),
    };
    finding.identify("");
    let mut report = failing("");
    report.failing =
        ["test a".to_owned(), "test flaky".to_owned(), finding.fingerprint.clone()].into();
    report.reading =
        ToolReport { findings: vec![finding], tests: Some(tests), ..ToolReport::default() };
    let flaky = ["test flaky".to_owned()].into();
    let evidence = Evidence { flaky, ..evidence(vec![report]) };
    let Some(CheckedTurn::Failed(found)) = outcome(&evidence) else { panic!("it passed") };
    let known: Vec<_> = found.iter().map(|one| (one.title.as_str(), one.file.as_deref())).collect();
    assert_eq!(known, [("test a", Some("src/a.rs")), ("ruff F401", Some("src/b.py"))]);
    let printed = printed(&evidence);
    for part in ["$ ./check.sh", "src/b.py: `os` imported", "test a: left: 1"] {
        assert!(printed.contains(part), "{part}\n{printed}");
    }
}

#[test]
fn what_no_tool_is_known_to_have_said_is_named_by_its_command() {
    let found = |tool: &str| {
        let place = SourceLocation { file: "t.py".to_owned(), line: Some(4), column: None };
        let message = "val is wrong".to_owned();
        let finding = Finding {
            tool: tool.to_owned(),
            rule: None,
            level: FindingLevel::Error,
            place,
            message,
            fingerprint: "f".to_owned(),
        };
        let reading = ToolReport { findings: vec![finding], ..ToolReport::default() };
        let failing = BTreeSet::from(["f".to_owned()]);
        let verdict = Verdict::Fail(GateFault::Findings(1));
        let gate = GateReport { reading, failing, ..gate("check", verdict, "") };
        failures(vec![gate]).remove(0).title
    };
    assert_eq!(found("text"), "./check.sh");
    assert_eq!(found("javac"), "javac");
}
