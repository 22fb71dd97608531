use std::path::Path;
use std::sync::mpsc;

use crate::temporary_store::TemporaryStore;
use ralph_core::evidence::GateFault;
use ralph_core::format::OutputFormat;
use ralph_core::policy::{Criterion, GateCommand, GateImportance, PassCondition};
use ralph_proc::Supervisor;

use super::*;

/// A gate that passes at once, or only when it is told to stop.
struct InstantGate {
    spec: GateSpec,
    ends: bool,
}

impl Gate for InstantGate {
    fn spec(&self) -> &GateSpec {
        &self.spec
    }

    fn key(&self) -> String {
        self.spec.name.clone()
    }

    fn run(&self, _site: &GateContext<'_>, stop: &mut dyn FnMut() -> bool) -> GateReport {
        let (_open, pause) = mpsc::channel::<()>();
        while !self.ends && !stop() {
            let _ = pause.recv_timeout(Duration::from_millis(5));
        }
        let stopped = GateReport::unknown(&self.spec, "it was interrupted".to_owned());
        let verdict = if self.ends { Verdict::Pass } else { stopped.verdict };
        GateReport { verdict, elapsed: millis(300), ..stopped }
    }

    fn narrowed(&self, _tests: &[AffectedTest]) -> Option<Box<dyn Gate>> {
        Some(Box::new(Self { spec: self.spec.clone(), ends: self.ends }))
    }
}

fn spec() -> GateSpec {
    GateSpec {
        name: "test_pass".to_owned(),
        criterion: Criterion::TestPass,
        command: GateCommand::Argv(vec!["pytest".to_owned()]),
        dir: String::new(),
        format: OutputFormat::Exit,
        bar: PassCondition::Clean,
        timeout: Duration::from_mins(10),
        need: GateImportance::Required,
    }
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn store(took: Option<Duration>) -> TemporaryStore {
    let store = TemporaryStore::new();
    if let Some(took) = took {
        store.remember_time(&name(&spec()), took, Timestamp::from_millis(0)).unwrap();
    }
    store
}

/// Runs a gate with this earlier duration and this much time left.
fn run(gate: &InstantGate, took: Option<Duration>, left: Option<Duration>) -> GateReport {
    let until = left.map(|left| Instant::now() + left);
    let limit = TimeLimit { until, locale: Locale::En };
    execute(&*limit.bind(&[gate], &store(took))[0])
}

fn execute(gate: &dyn Gate) -> GateReport {
    let supervisor = Supervisor::new("/nowhere", []);
    let site = GateContext { supervisor: &supervisor, root: Path::new("/"), env: &[] };
    gate.run(&site, &mut || false)
}

fn reason(report: &GateReport) -> &str {
    match &report.verdict {
        Verdict::Unknown { reason } => reason,
        Verdict::Pass | Verdict::Fail(_) | Verdict::Unclear { .. } => "",
    }
}

#[test]
fn a_gate_is_started_if_there_is_time_for_what_it_took_before() {
    let quick = InstantGate { spec: spec(), ends: true };
    let minutes = |minutes| Some(Duration::from_mins(minutes));
    let cases = [
        // Its timeout is as long as a hook of ten minutes, which tells nothing.
        (Some(millis(60)), minutes(10), true),
        (Some(millis(60)), Some(millis(900)), true),
        (None, minutes(10), true),
        (None, Some(millis(1500)), false),
        (minutes(9), minutes(10), false),
        (minutes(9), minutes(12), true),
        (minutes(9), None, true),
    ];
    for (took, left, starts) in cases {
        let report = run(&quick, took, left);
        assert_eq!(report.passed(), starts, "{took:?} {left:?}");
        assert_eq!(reason(&report).contains("this hook has no time for it"), !starts);
    }
}

#[test]
fn a_gate_that_does_not_end_in_time_is_unknown() {
    let slow = InstantGate { spec: spec(), ends: false };
    let report = run(&slow, Some(millis(1)), Some(millis(400)));
    assert!(reason(&report).starts_with("it did not end within the hook's time"), "{report:?}");
    assert!(reason(&report).contains("`ralph check --wait`"), "{report:?}");
    assert_eq!(report.elapsed, millis(300), "how long it ran is known");
}

#[test]
fn a_gate_that_was_never_measured_is_tried_for_a_few_seconds_only() {
    let now = Instant::now();
    assert_eq!(end_of_try(now + Duration::from_mins(10), now), now + Duration::from_secs(10));
    assert_eq!(end_of_try(now + Duration::from_secs(5), now), now + Duration::from_secs(5));
}

#[test]
fn a_judge_is_asked_whatever_it_took_before() {
    let name = GateSpec::JUDGE.to_owned();
    let judge =
        InstantGate { spec: GateSpec { name, criterion: Criterion::Judge, ..spec() }, ends: true };
    let store = TemporaryStore::new();
    let took = Duration::from_mins(20);
    store.remember_time(&super::name(&judge.spec), took, Timestamp::from_millis(0)).unwrap();
    let until = Some(Instant::now() + Duration::from_mins(10));
    let bound = TimeLimit { until, locale: Locale::Ko }.bind(&[&judge], &store);
    assert!(execute(&*bound[0]).passed());
    let bound =
        TimeLimit { until: Some(Instant::now()), locale: Locale::Ko }.bind(&[&judge], &store);
    let report = execute(&*bound[0]);
    assert!(!reason(&report).contains("ralph check"), "it asks no judge: {report:?}");
}

#[test]
fn tests_go_first_only_where_the_whole_gate_still_fits() {
    let quick = InstantGate { spec: spec(), ends: true };
    let bind = |took, left| {
        let until = Some(Instant::now() + left);
        let bound = TimeLimit { until, locale: Locale::En }.bind(&[&quick], &store(took));
        bound[0].narrowed(&[])
    };
    let minutes = Duration::from_mins;
    assert!(bind(None, minutes(10)).is_none(), "nobody knows");
    let first = bind(Some(minutes(1)), minutes(10)).unwrap();
    assert!(execute(&*first).passed());
    let first = bind(Some(minutes(6)), minutes(10)).unwrap();
    assert!(!execute(&*first).has_result());
}

#[test]
fn a_pass_tells_how_long_a_gate_takes_and_anything_else_how_long_at_least() {
    let report = |verdict, elapsed| GateReport {
        verdict,
        elapsed: millis(elapsed),
        ..GateReport::unknown(&spec(), String::new())
    };
    let passed = |elapsed| report(Verdict::Pass, elapsed);
    let failed = |elapsed| report(Verdict::Fail(GateFault::Exit(1)), elapsed);
    let stopped = |elapsed| report(Verdict::Unknown { reason: String::new() }, elapsed);
    let known = Some(millis(60_000));
    assert_eq!(news(None, &passed(60)), Some(millis(60)));
    assert_eq!(news(known, &passed(2_000)), Some(millis(2_000)));
    assert_eq!(news(known, &passed(61_000)), None, "as good as the same");
    assert_eq!(news(known, &failed(2_000)), None, "it may have ended early");
    assert_eq!(news(known, &stopped(90_000)), Some(millis(90_000)));
    assert_eq!(news(known, &stopped(5_000)), None);
    assert_eq!(news(None, &stopped(0)), None, "it was not started");
    let cached = GateReport { cached: true, ..passed(60) };
    assert_eq!(news(None, &cached), None);
}
