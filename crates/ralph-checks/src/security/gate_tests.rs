use std::fs;
use std::path::Path;

use ralph_proc::Supervisor;

use super::*;

fn gate(files: ScanScope) -> SecurityGate {
    SecurityGate::new(GateImportance::Required, Arc::new(RulePack::builtin()), move || {
        files.clone()
    })
}

fn run(root: &Path, files: ScanScope, stop: &mut dyn FnMut() -> bool) -> GateReport {
    let supervisor = Supervisor::new("unused", []);
    gate(files).run(&GateContext { supervisor: &supervisor, root, env: &[] }, stop)
}

#[test]
fn a_finding_fails_the_gate_and_is_named() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("a.py"), "eval(x)\n").unwrap();
    fs::write(root.path().join("b.py"), "print(x)\n").unwrap();
    let report = run(root.path(), ScanScope::All, &mut || false);
    assert_eq!(report.verdict, Verdict::Fail(GateFault::Findings(1)));
    assert_eq!(report.failing.len(), 1);
    assert!(report.tail.starts_with("a.py:1: security: "), "{}", report.tail);
    assert!(report.tail.ends_with("2 files scanned, 0 skipped"), "{}", report.tail);
    let report = run(root.path(), ScanScope::Only(vec!["b.py".into()]), &mut || false);
    assert_eq!((report.verdict, report.failing.len()), (Verdict::Pass, 0));
}

#[test]
fn what_is_worth_knowing_does_not_fail_the_gate() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("a.py"), "hashlib.md5(data)\n").unwrap();
    let report = run(root.path(), ScanScope::All, &mut || false);
    assert_eq!((report.verdict, report.reading.counts.infos), (Verdict::Pass, 1));
}

#[test]
fn a_scan_that_could_not_be_made_is_never_a_pass() {
    let root = tempfile::tempdir().unwrap();
    let missing = run(&root.path().join("missing"), ScanScope::All, &mut || false);
    assert!(matches!(missing.verdict, Verdict::Unknown { .. }), "{:?}", missing.verdict);
    fs::write(root.path().join("a.py"), "x = 1\n").unwrap();
    let stopped = run(root.path(), ScanScope::All, &mut || true);
    assert!(matches!(stopped.verdict, Verdict::Unknown { .. }), "{:?}", stopped.verdict);
}

#[test]
fn the_key_knows_the_rules_and_the_files() {
    let key =
        |paths: &[&str]| gate(ScanScope::Only(paths.iter().map(PathBuf::from).collect())).key();
    assert_eq!(key(&["a", "b"]), key(&["b", "a"]));
    assert_ne!(key(&["a"]), key(&["b"]));
    assert_ne!(key(&["a"]), gate(ScanScope::All).key());
    assert!(gate(ScanScope::All).key().contains(RulePack::builtin().digest()));
}
