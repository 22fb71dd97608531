use ralph_core::evidence::{GateReport, Verdict};
use ralph_core::finding::{FindingCounts, TestResults, ToolReport};
use ralph_core::policy::{GateImportance, Policy};
use ralph_core::run::{AgentRef, Baseline, NewRun, Owner, Task};
use ralph_core::usage::Usage;
use ralph_core::{RunId, Timestamp};

use super::*;

fn run(totals: GateTotals) -> Run {
    let new = NewRun {
        task: Task::default(),
        worktree: "/project".to_owned(),
        agent: AgentRef::default(),
        policy: Policy::promise(),
        owner: Owner::Driver { pid: 1, started: 1, heartbeat: Timestamp::from_millis(0) },
    };
    let tree = Some(TreeId::new("A"));
    let baseline = Some(Baseline { tree, totals, ..Baseline::default() });
    Run { baseline, ..Run::new(RunId::from_bits(1), new, Timestamp::from_millis(0)) }
}

fn record(number: u32, tree: &str, reading: ToolReport) -> IterationRecord {
    let gate = GateReport {
        name: "check".to_owned(),
        need: GateImportance::Required,
        command: "check".to_owned(),
        verdict: Verdict::Pass,
        failing: std::collections::BTreeSet::new(),
        reading,
        tail: String::new(),
        elapsed: std::time::Duration::ZERO,
        cached: false,
        usage: None,
        extent: ralph_core::evidence::GateExtent::Whole,
    };
    IterationRecord {
        run: RunId::from_bits(1),
        number,
        started_at: Timestamp::from_millis(0),
        ended_at: Timestamp::from_millis(1),
        turn: "finished".to_owned(),
        claim: "none".to_owned(),
        decision: "continue".to_owned(),
        failing: 0,
        tree: (!tree.is_empty()).then(|| TreeId::new(tree)),
        approach: None,
        usage: Usage::default(),
        gates: vec![gate],
        weakened: Vec::new(),
        edited: Vec::new(),
        text: String::new(),
        log: None,
    }
}

fn reading(errors: u64, passed: u64, failed: u64) -> ToolReport {
    let counts = TestCounts { passed, failed, skipped: 0 };
    ToolReport {
        counts: FindingCounts { errors, ..FindingCounts::default() },
        tests: Some(TestResults { counts, ..TestResults::default() }),
        ..ToolReport::default()
    }
}

#[test]
fn a_sparkline_shows_the_way_down() {
    assert_eq!(failing_curve(&[]), "");
    assert_eq!(failing_curve(&[0, 0]), "▁▁ 0");
    assert_eq!(failing_curve(&[8, 4, 0]), "█▄▁ 0");
    assert_eq!(failing_curve(&[1]), "1", "one value is no curve");
}

#[test]
fn a_constant_is_flat_at_its_level() {
    assert_eq!(sparkline(&[1, 1, 1], 2), "▄▄▄");
    assert_eq!(sparkline(&[0, 0], 3), "▁▁");
    assert_eq!(sparkline(&[3, 3], 3), "██");
    assert_eq!(sparkline(&[1, 99, 100], 100), "▂▇█", "only nothing is low, only all is full");
    let records = [1, 2].map(|number| record(number, "B", reading(0, 1, 1)));
    let shown = curves(&run(GateTotals::default()), &records);
    assert_eq!(shown.tests.as_deref(), Some("▄▄ 1/2 → 1/2"));
}

#[test]
fn curves_go_from_the_start_to_the_last_iteration() {
    let counts = FindingCounts { errors: 14, ..FindingCounts::default() };
    let run = run(GateTotals { counts, ..GateTotals::default() });
    let records = [record(1, "B", reading(7, 0, 10)), record(2, "C", reading(0, 10, 0))];
    let shown = curves(&run, &records);
    assert_eq!(shown.errors.as_deref(), Some("█▄▁ 14 → 0"));
    assert_eq!(shown.tests.as_deref(), Some("▁█ 0/10 → 10/10"));
}

#[test]
fn where_nothing_was_counted_there_is_no_curve() {
    let records = [record(1, "B", ToolReport::default())];
    assert_eq!(curves(&run(GateTotals::default()), &records), HistoryCurves::default());
    assert_eq!(curves(&run(GateTotals::default()), &[]), HistoryCurves::default());
}

#[test]
fn a_return_is_named_by_when_the_files_were_so_last() {
    let trees = ["B", "", "C", "C", "B", "A", "B"];
    let records: Vec<_> = (1..)
        .zip(trees)
        .map(|(number, tree)| record(number, tree, ToolReport::default()))
        .collect();
    let want = [None, None, None, None, Some(1), Some(0), Some(5)];
    assert_eq!(returns(&run(GateTotals::default()), &records), want);
}
