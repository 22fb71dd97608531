use std::fs;
use std::path::PathBuf;

use ralph_proc::Supervisor;

use super::*;

const NO_PRINT: &str = "id: no-print\nlanguage: Python\nrule:\n  pattern: print($$$)\n";

fn note(id: &str, check: InvariantCheck) -> NoteInvariant {
    let text = "output goes through the log".to_owned();
    NoteInvariant { note: id.to_owned(), title: Some("no prints".to_owned()), text, check }
}

fn gate(notes: Vec<NoteInvariant>, files: ScanScope) -> InvariantGate {
    let chosen = ScanSelection::default();
    chosen.set(files);
    InvariantGate::new(GateImportance::Required, move || Ok(notes.clone()), Vec::new(), chosen)
}

#[track_caller]
fn report(gate: &InvariantGate, files: &[(&str, &str)]) -> GateReport {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let supervisor = Supervisor::new(PathBuf::from("/nowhere"), []);
    let site = GateContext { supervisor: &supervisor, root: root.path(), env: &[] };
    gate.run(&site, &mut || false)
}

#[test]
fn what_a_rule_finds_breaks_its_note_in_tests_too() {
    let gate = gate(vec![note("m1", InvariantCheck::Rules(NO_PRINT.to_owned()))], ScanScope::All);
    let report = report(&gate, &[("a.py", "x = 1\nprint(x)\n"), ("tests/test_a.py", "print(1)\n")]);
    assert_eq!(report.verdict, Verdict::Fail(GateFault::Findings(2)));
    let found = &report.reading.findings[0];
    assert_eq!((found.tool.as_str(), found.rule.as_deref()), (TOOL, Some("m1/no-print")));
    assert_eq!(found.place.display(), "a.py:2");
    assert_eq!(found.message, "no prints: output goes through the log");
    assert_eq!(report.failing.len(), 2);
}

#[test]
fn no_comment_in_the_code_makes_a_note_hold() {
    let gate = gate(vec![note("m1", InvariantCheck::Rules(NO_PRINT.to_owned()))], ScanScope::All);
    for text in ["# @generated\nprint(1)\n", "# ast-grep-ignore\nprint(1)\n"] {
        let report = report(&gate, &[("a.py", text)]);
        assert_eq!(report.verdict, Verdict::Fail(GateFault::Findings(1)), "{text}");
    }
}

#[test]
fn only_chosen_files_are_looked_at() {
    let rules = vec![note("m1", InvariantCheck::Rules(NO_PRINT.to_owned()))];
    let gate = gate(rules, ScanScope::Only(vec!["b.py".into()]));
    let report = report(&gate, &[("a.py", "print(1)\n"), ("b.py", "x = 1\n")]);
    assert_eq!(report.verdict, Verdict::Pass);
}

#[test]
fn what_was_there_before_is_held_against_nobody() {
    let rules = vec![note("m1", InvariantCheck::Rules(NO_PRINT.to_owned()))];
    let gate = gate(rules, ScanScope::Only(vec!["a.py".into(), "b.py".into()]));
    let blank = gate.key();
    let old = "print(1)\nprint(2)\nprint(2)\n";
    gate.chosen.set_before([("a.py".into(), Some(old.into()))].into());
    assert_ne!(gate.key(), blank, "a pass on one past is none on another");
    let moved = "x = 1\nprint(2)\nprint(1)\n";
    assert_eq!(report(&gate, &[("a.py", moved)]).verdict, Verdict::Pass);
    let more = "print(3)\nprint(1)\nprint(2)\nprint(2)\nprint(2)\n";
    let report = report(&gate, &[("a.py", more), ("b.py", "print(1)\n")]);
    assert_eq!(report.verdict, Verdict::Fail(GateFault::Findings(3)));
    let places: Vec<String> =
        report.reading.findings.iter().map(|found| found.place.display()).collect();
    assert_eq!(places, ["a.py:1", "a.py:5", "b.py:1"]);
    assert_eq!(report.failing.len(), 3);
}

#[test]
fn any_number_of_old_findings_hides_no_new_one() {
    let rules = vec![note("m1", InvariantCheck::Rules(NO_PRINT.to_owned()))];
    let gate = gate(rules, ScanScope::Only(vec!["a.py".into()]));
    let lines: Vec<String> = (0..3_000).map(|at| format!("print({at})\n")).collect();
    let old = lines.concat();
    gate.chosen.set_before([("a.py".into(), Some(old.clone().into()))].into());
    let above = report(&gate, &[("a.py", &format!("# a comment\n{old}"))]);
    assert_eq!((above.verdict, above.reading.beyond), (Verdict::Pass, 0));
    let more = report(&gate, &[("a.py", &format!("{old}print(\"new\")\n"))]);
    assert_eq!(more.verdict, Verdict::Fail(GateFault::Findings(1)));
    assert_eq!(more.reading.findings[0].place.display(), "a.py:3001");
}

#[test]
fn a_file_of_which_nobody_knows_what_it_was_is_neither_broken_nor_a_pass() {
    let rules = vec![note("m1", InvariantCheck::Rules(NO_PRINT.to_owned()))];
    let gate = gate(rules, ScanScope::Only(vec!["a.py".into(), "b.py".into()]));
    gate.chosen.set_before([("a.py".into(), None)].into());
    let reason = |file| format!("{file} was not checked: what was found in it before is not known");
    let alone = report(&gate, &[("a.py", "print(1)\n"), ("b.py", "x = 1\n")]);
    assert_eq!(alone.verdict, Verdict::Unknown { reason: reason("a.py") });
    assert_eq!(report(&gate, &[("a.py", "x = 1\n")]).verdict, Verdict::Pass, "nothing to forgive");
    let beside = report(&gate, &[("a.py", "print(1)\n"), ("b.py", "print(2)\n")]);
    assert_eq!(beside.verdict, Verdict::Fail(GateFault::Findings(1)));
    assert!(beside.tail.contains(&reason("a.py")), "{}", beside.tail);
    let moved = format!("print(1)\n{}", "x = 'some text'\n".repeat(180_000));
    let moved = report(&gate, &[("b.py", &moved)]);
    assert_eq!(moved.verdict, Verdict::Unknown { reason: reason("b.py") }, "it may be a.py");
    let small = report(&gate, &[("b.py", "print(1)\n")]);
    assert_eq!(small.verdict, Verdict::Fail(GateFault::Findings(1)), "a.py was large");
}

#[test]
fn what_was_found_in_a_file_moves_with_it() {
    let rules = vec![note("m1", InvariantCheck::Rules(NO_PRINT.to_owned()))];
    let gate = gate(rules, ScanScope::Only(vec!["new/b.py".into(), "old/b.py".into()]));
    let old = "print(1)\nx = 1\ny = 2\nprint(2)\nz = 3\n";
    gate.chosen.set_before([("old/b.py".into(), Some(old.into()))].into());
    assert_eq!(report(&gate, &[("new/b.py", old)]).verdict, Verdict::Pass);
    let edited = report(&gate, &[("new/b.py", &format!("{old}print(3)\n"))]);
    assert_eq!(edited.verdict, Verdict::Fail(GateFault::Findings(1)));
    assert_eq!(edited.reading.findings[0].place.display(), "new/b.py:6");
    let copied = report(&gate, &[("new/b.py", old), ("old/b.py", old)]);
    assert_eq!(copied.verdict, Verdict::Fail(GateFault::Findings(2)));
}

#[test]
fn a_file_that_takes_too_much_work_is_never_a_pass() {
    let gate = gate(vec![note("m1", InvariantCheck::Rules(NO_PRINT.to_owned()))], ScanScope::All);
    let hard = format!("x = 1\n{}print(1)\n", "# a comment as any other\n".repeat(40_000));
    let report = report(&gate, &[("a.py", "x = 1\n"), ("hard.py", &hard)]);
    let reason = "hard.py was not checked: it is too much work to parse".to_owned();
    assert!(report.tail.contains(&reason), "{}", report.tail);
    assert_eq!(report.verdict, Verdict::Unknown { reason });
}

#[test]
fn a_file_that_is_too_large_to_read_is_never_a_pass() {
    let gate = gate(vec![note("m1", InvariantCheck::Rules(NO_PRINT.to_owned()))], ScanScope::All);
    let large = "x = 1\n".repeat(3 * 1024 * 1024);
    let report = report(&gate, &[("large.py", &large), ("large.rs", &large)]);
    let reason = "large.py was not checked: it is too large to read, 18874368 bytes".to_owned();
    assert_eq!(report.verdict, Verdict::Unknown { reason });
}

#[test]
fn a_test_that_nobody_can_run_is_never_a_pass() {
    let gate = gate(vec![note("m1", InvariantCheck::Test("test_a".to_owned()))], ScanScope::All);
    let Verdict::Unknown { reason } = report(&gate, &[]).verdict else { panic!("it passed") };
    assert!(reason.contains("note m1: test test_a: no gate of this project"), "{reason}");
}

#[test]
fn notes_that_cannot_be_read_are_no_pass() {
    let chosen = ScanSelection::default();
    let gate = InvariantGate::new(
        GateImportance::Required,
        || Err("no notes".to_owned()),
        Vec::new(),
        chosen,
    );
    assert_eq!(report(&gate, &[]).verdict, Verdict::Unknown { reason: "no notes".to_owned() });
}

#[test]
fn another_note_is_another_gate() {
    let one = gate(vec![note("m1", InvariantCheck::Rules(NO_PRINT.to_owned()))], ScanScope::All);
    let other = gate(vec![note("m2", InvariantCheck::Rules(NO_PRINT.to_owned()))], ScanScope::All);
    assert_ne!(one.key(), other.key());
}

#[test]
fn two_hundred_rules_take_one_walk_and_are_told_apart() {
    let rule = |at: usize| {
        note(
            &format!("m{at}"),
            InvariantCheck::Rules(NO_PRINT.replace("print", &format!("call_{at}"))),
        )
    };
    let gate = gate((0..200).map(rule).collect(), ScanScope::All);
    let calls: Vec<String> = (0..200).map(|at| format!("call_{at}(1)\n")).collect();
    let text = calls.concat();
    let report = report(&gate, &[("a.py", &text)]);
    let rules: BTreeSet<_> = report.reading.findings.iter().map(|one| one.rule.clone()).collect();
    assert_eq!((rules.len(), report.reading.counts.errors), (200, 200));
}

#[track_caller]
fn refused(text: &str) -> String {
    try_rules(Path::new("r.yml"), text).expect_err("it was accepted").to_string()
}

#[test]
fn rules_are_looked_at_before_they_bind_anybody() {
    assert_eq!(try_rules(Path::new("r.yml"), NO_PRINT).unwrap(), 1);
    assert_eq!(refused(""), "r.yml:1: there is no rule");
    assert!(refused("id: [\n").starts_with("r.yml:"));
    assert!(refused(&NO_PRINT.replace("Python", "Klingon")).contains("Klingon"));
    assert!(refused(&NO_PRINT.replace("Python", "Html")).starts_with("r.yml:2: Html"));
    assert!(refused(&format!("{NO_PRINT}---\n{NO_PRINT}")).contains("two rules have the id"));
    assert!(refused(&format!("{NO_PRINT}severity: off\n")).contains("is turned off"));
}

#[test]
fn rules_are_about_files_of_their_language() {
    assert!(is_about(NO_PRINT, Path::new("src/a.py")) && !is_about(NO_PRINT, Path::new("a.rs")));
}
