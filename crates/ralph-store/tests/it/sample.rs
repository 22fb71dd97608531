//! Values with every field set to something else than its default.

use std::collections::BTreeSet;
use std::time::Duration;

use ralph_core::circle::Circle;
use ralph_core::claim::{ClaimRules, Marker, MatchMode, Promise};
use ralph_core::diagnostics::GateTotals;
use ralph_core::errand::{ActionRequest, PendingActions};
use ralph_core::evidence::{GateExtent, GateFault, GateReport, TestEdit, Verdict, WeakenedCheck};
use ralph_core::finding::{
    Finding, FindingCounts, FindingLevel, SourceLocation, TestCounts, TestFailure, TestResults,
    TestState, ToolReport,
};
use ralph_core::format::OutputFormat;
use ralph_core::locale::Locale;
use ralph_core::policy::{
    AddedTests, AllowedChanges, ContextMode, Criterion, GateCommand, GateImportance, GateSpec,
    OldSession, OriginalTests, PassCondition, RuleEdition, RunLimits, TestRules, Trust, TurnLimits,
};
use ralph_core::progress::{Progress, SeenTree};
use ralph_core::prompt::PromptSections;
use ralph_core::run::{AgentRef, Baseline, BestIteration, Owner, Task};
use ralph_core::score::Score;
use ralph_core::usage::{Usage, Usd};
use ralph_core::{Approach, Hunk, Policy, Run, RunId, RunState, SessionId, Timestamp, TreeId};

use ralph_store::{IterationRecord, NewEvent};

/// Text that a careless store would mangle.
const HARD_TEXT: &str = "it's \"quoted\"; DROP TABLE runs; -- 한국어 🦀\r\n\t\0 end ";

/// The moment `seconds` into the tests.
pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + seconds * 1000)
}

/// A session id.
pub(crate) fn session_id(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}

/// A driver with this process id.
pub(crate) fn driver(pid: u32) -> Owner {
    Owner::Driver { pid, started: u64::MAX - 7, heartbeat: at(1) }
}

fn words(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// A running run in a work tree of its own, started `bits` seconds into the
/// tests.
pub(crate) fn run(bits: u32) -> Run {
    Run {
        id: RunId::from_bits(bits),
        task: Task {
            text: HARD_TEXT.to_owned(),
            description: Some("short".to_owned()),
            targets: vec!["src/a b.rs".to_owned(), "tests".to_owned()],
            id: Some("task-1".to_owned()),
        },
        worktree: format!("/work tree/{bits}"),
        agent: AgentRef {
            name: "command".to_owned(),
            command: vec!["agent".to_owned(), "--flag with space".to_owned()],
        },
        policy: policy(),
        state: RunState::Running,
        iteration: 3,
        epoch: u64::MAX - 5,
        owner: Some(driver(4321)),
        baseline: Some(Baseline {
            tree: Some(TreeId::new("base")),
            red: words(&["test_pass"]),
            failing: words(&["test:a", "test:b"]),
            totals: totals(),
        }),
        progress: progress(),
        restarts: 2,
        usage: usage(),
        waited: Duration::new(90, 123_456_789),
        asleep: Duration::new(5, 1),
        feedback: PromptSections {
            verdict: format!("verdict {HARD_TEXT}"),
            findings: format!("findings {HARD_TEXT}"),
            answer: format!("answer {HARD_TEXT}"),
            refusals: format!("refusals {HARD_TEXT}"),
            notes: format!("notes {HARD_TEXT}"),
            past: format!("past {HARD_TEXT}"),
        },
        last_output: format!("output {HARD_TEXT}"),
        tree: Some(TreeId::new("now")),
        best: Some(BestIteration { iteration: 2, failing: 1, score: score() }),
        errands: errands(),
        started_at: at(i64::from(bits)),
        updated_at: at(i64::from(bits) + 50),
        ended_at: Some(at(i64::from(bits) + 60)),
    }
}

fn errands() -> PendingActions {
    let moved = PendingActions::default().with_move(
        ContextMode::Summarize,
        &session_id("left"),
        OldSession::Delete,
    );
    PendingActions { asked: Some(ActionRequest { pid: 7, started: u64::MAX, at: at(3) }), ..moved }
}

fn policy() -> Policy {
    Policy {
        claim: ClaimRules {
            promise: Promise::new("ALL DONE"),
            mode: MatchMode::Word,
            markers: vec![Marker::new("<ralph>DONE</ralph>").unwrap()],
        },
        trust: Trust::Evidence,
        limits: RunLimits {
            iterations: 7,
            duration: Duration::from_millis(1_234_567),
            stalled: 4,
            restarts: 6,
            tokens: Some(u64::MAX),
            cost: Some(Usd::from_micros(u64::MAX - 1)),
            waiting: Duration::MAX,
        },
        turns: TurnLimits {
            idle: Duration::from_millis(7),
            wall: Duration::from_secs(8),
            grace: Duration::from_nanos(9),
        },
        gates: vec![
            gate(Criterion::TestPass, GateCommand::Argv(vec!["make".into(), "a b".into()])),
            GateSpec {
                need: GateImportance::Advisory,
                ..gate(Criterion::Custom, GateCommand::Shell("x | y".into()))
            },
            gate(Criterion::Judge, GateCommand::Question("It is kind.".into())),
        ],
        zero: FindingLevel::ALL.into(),
        allowed: AllowedChanges {
            paths: vec!["tests/**".to_owned()],
            tests: true,
            known_failures: true,
        },
        tests: TestRules { original: OriginalTests::Report, added: AddedTests::Ignore },
        edition: RuleEdition::First,
        context: ContextMode::Summarize,
        old_session: Some(OldSession::Keep),
        locale: Locale::Ko,
    }
}

/// A required gate.
pub(crate) fn gate(criterion: Criterion, command: GateCommand) -> GateSpec {
    GateSpec {
        name: criterion.name().to_owned(),
        criterion,
        command,
        dir: "web".to_owned(),
        format: OutputFormat::Junit,
        bar: PassCondition::NoErrors,
        timeout: Duration::new(300, 1),
        need: GateImportance::Required,
    }
}

fn progress() -> Progress {
    Progress {
        stalled: 1,
        returns: 2,
        identical: 3,
        questions: 4,
        agent_errors: 5,
        limit_hits: 6,
        last_text: Some(u64::MAX),
        last_tree: Some(TreeId::new("now")),
        trees: vec![seen("base", 0), seen("now", 3)],
        hunks: [1, u64::MAX].map(Hunk::new).into(),
        circle: Some(Circle { from: 3, to: 5 }),
        failing: words(&["test:a"]),
        fixed: words(&["test:b", HARD_TEXT]),
        fewest: Some(1),
        flaky: words(&["test flaky"]),
        totals: totals(),
        held: words(&["tests/a.py gone"]),
        accepted: true,
    }
}

fn seen(tree: &str, iteration: u32) -> SeenTree {
    SeenTree { tree: TreeId::new(tree), iteration }
}

fn totals() -> GateTotals {
    GateTotals {
        counts: FindingCounts { errors: u64::MAX, security: 2, warnings: 3, infos: 4 },
        tests: Some(TestCounts { passed: 5, failed: 6, skipped: 7 }),
        unexplained: 8,
    }
}

fn score() -> Score {
    Score {
        weakened: 1,
        blind: 2,
        failed_tests: 3,
        unexplained: 4,
        errors: 5,
        security: 6,
        warnings: 7,
    }
}

/// Usage that does not fit a signed number.
pub(crate) fn usage() -> Usage {
    Usage { input_tokens: u64::MAX, output_tokens: 17, cost: Usd::from_micros(u64::MAX - 3) }
}

/// The record of iteration `number` of `run(bits)`.
pub(crate) fn iteration(bits: u32, number: u32) -> IterationRecord {
    let verdicts = [
        Verdict::Pass,
        Verdict::Fail(GateFault::Exit(-1)),
        Verdict::Fail(GateFault::Signal(9)),
        Verdict::Fail(GateFault::Timeout(Duration::new(5, 5))),
        Verdict::Fail(GateFault::Refused),
        Verdict::Unknown { reason: "not installed".to_owned() },
    ];
    IterationRecord {
        run: RunId::from_bits(bits),
        number,
        started_at: at(i64::from(number) * 10),
        ended_at: at(i64::from(number) * 10 + 5),
        turn: "finished".to_owned(),
        claim: "near_miss".to_owned(),
        decision: "continue".to_owned(),
        failing: 4,
        tree: Some(TreeId::new("now")),
        approach: Approach::new([7, 2].map(Hunk::new)),
        usage: usage(),
        gates: verdicts.into_iter().map(report).collect(),
        weakened: vec![WeakenedCheck { place: "a:1".to_owned(), what: format!("w {HARD_TEXT}") }],
        edited: vec![TestEdit { place: "b:2".to_owned(), what: "e".to_owned() }],
        text: format!("text {HARD_TEXT}"),
        log: Some("logs/1.log".to_owned()),
    }
}

fn report(verdict: Verdict) -> GateReport {
    GateReport {
        name: "test_pass".to_owned(),
        need: GateImportance::Advisory,
        command: "make test".to_owned(),
        verdict,
        failing: words(&["test:a", "test:b"]),
        reading: reading(),
        tail: format!("tail {HARD_TEXT}"),
        elapsed: Duration::new(1, 2),
        cached: true,
        usage: Some(usage()),
        extent: GateExtent::Affected,
    }
}

/// A sample of a gate's parsed output.
pub(crate) fn reading() -> ToolReport {
    let place = SourceLocation { file: "src/a b.rs".to_owned(), line: Some(3), column: None };
    let finding = Finding {
        tool: "rustc".to_owned(),
        rule: Some("E0308".to_owned()),
        level: FindingLevel::Security,
        place: place.clone(),
        message: format!("message {HARD_TEXT}"),
        fingerprint: format!("print {HARD_TEXT}"),
    };
    let states = [("a", TestState::Passed), ("b", TestState::Failed), ("c", TestState::Skipped)];
    let failure = TestFailure { place, message: format!("said {HARD_TEXT}") };
    let tests = TestResults {
        states: states.map(|(id, state)| (id.to_owned(), state)).into(),
        failures: [("b".to_owned(), failure)].into(),
        counts: TestCounts { passed: 1, failed: 1, skipped: u64::MAX },
        printed: 7,
    };
    let counts = FindingCounts { errors: 1, security: 2, warnings: 3, infos: 4 };
    ToolReport {
        findings: vec![finding],
        counts,
        tests: Some(tests),
        beyond: 5,
        ..ToolReport::default()
    }
}

/// An event of `run(bits)`.
pub(crate) fn event(bits: u32) -> NewEvent {
    NewEvent {
        run: Some(RunId::from_bits(bits)),
        iteration: Some(3),
        session: Some(session_id("ses_1")),
        kind: "iteration_ended".to_owned(),
        at: at(9),
        data: r#"{"failing":2}"#.to_owned(),
    }
}
