use std::cell::Cell;

use crate::temporary_store::TemporaryStore;
use ralph_agents::{AgentTurnOutcome, TurnProcessEnd};
use ralph_core::policy::RunLimits;
use ralph_core::run::{AgentRef, NewRun, Owner, Task};
use ralph_core::usage::{Usage, Usd};
use ralph_core::{Policy, RunId};

use super::*;

/// A clock that is set by hand.
struct ManualClock(Cell<Timestamp>);

impl TimeSource for ManualClock {
    fn now(&self) -> Timestamp {
        self.0.get()
    }
}

/// An agent in this state that has used this much.
struct FixedListener(TurnStatus, Usage);

impl TurnListener for FixedListener {
    fn read_output(&mut self, bytes: &[u8]) -> ShownOutput {
        let text = String::from_utf8_lossy(bytes).into_owned();
        ShownOutput::Pieces(vec![OutputPiece::new(OutputPieceKind::Text, text)])
    }

    fn spent(&self) -> Usage {
        self.1
    }

    fn standing(&self) -> TurnStatus {
        self.0
    }

    fn conclude(&mut self, _closing: &TurnProcessEnd<'_>) -> AgentTurnOutcome {
        unreachable!("nobody asks")
    }
}

/// A program that prints text.
struct TextListener;

impl TurnListener for TextListener {
    fn read_output(&mut self, _bytes: &[u8]) -> ShownOutput {
        ShownOutput::AsIs
    }

    fn spent(&self) -> Usage {
        Usage::default()
    }

    fn standing(&self) -> TurnStatus {
        TurnStatus::Working
    }

    fn conclude(&mut self, _closing: &TurnProcessEnd<'_>) -> AgentTurnOutcome {
        unreachable!("nobody asks")
    }
}

/// Keeps what was shown.
#[derive(Default)]
struct AgentOutputSink(Vec<String>);

/// Keeps the last lines that were shown.
#[derive(Default)]
struct LastLinesSink(Vec<Vec<String>>);

impl EventSink for LastLinesSink {
    fn event(&mut self, _event: &RunEvent<'_>, _at: Timestamp) {}

    fn last_lines(&mut self, lines: &[String], _at: Timestamp) {
        self.0.push(lines.to_vec());
    }
}

impl EventSink for AgentOutputSink {
    fn event(&mut self, event: &RunEvent<'_>, _at: Timestamp) {
        if let RunEvent::AgentOutput { text, .. } = event {
            self.0.push((*text).to_owned());
        }
    }
}

fn run(limits: RunLimits) -> Run {
    let now = Timestamp::from_millis(0);
    let new = NewRun {
        task: Task::default(),
        worktree: "/project".to_owned(),
        agent: AgentRef::default(),
        policy: Policy { limits, ..Policy::promise() },
        owner: Owner::Driver { pid: 1, started: 0, heartbeat: now },
    };
    Run::new(RunId::from_bits(1), new, now)
}

/// Returns what a watch does with such an agent after output and this much
/// silence, and the reason.
fn watched(
    run: &Run,
    mut agent: FixedListener,
    silence: Duration,
) -> (WatcherDecision, Option<TurnCutReason>) {
    let (store, interrupt) = (TemporaryStore::new(), InterruptSignal::default());
    store.create_run(run).unwrap();
    let clock = ManualClock(Cell::new(Timestamp::from_millis(0)));
    let mut sink = AgentOutputSink::default();
    let audience =
        TurnChannels { store: &store, clock: &clock, sink: &mut sink, interrupt: &interrupt };
    let mut watch = TurnWatch::new(run, &mut agent, audience);
    watch.output(OutputStream::Stdout, b"x");
    clock.0.set(clock.now().plus(silence));
    let control = watch.tick();
    (control, watch.finish().cut)
}

fn tokens(input_tokens: u64) -> Usage {
    Usage { input_tokens, ..Usage::default() }
}

#[test]
fn an_agent_that_said_its_last_word_may_stay_a_moment_and_no_longer() {
    let run = run(RunLimits::for_claims());
    let done = || FixedListener(TurnStatus::Done, Usage::default());
    assert_eq!(watched(&run, done(), LINGER / 2), (WatcherDecision::GoOn, None));
    assert_eq!(
        watched(&run, done(), LINGER),
        (WatcherDecision::Stop, Some(TurnCutReason::Lingering))
    );
    let working = FixedListener(TurnStatus::Working, Usage::default());
    assert_eq!(watched(&run, working, LINGER * 6), (WatcherDecision::GoOn, None));
}

#[test]
fn a_turn_is_ended_when_the_run_has_nothing_left_to_spend() {
    let limits = RunLimits { tokens: Some(1000), ..RunLimits::for_claims() };
    let run = Run { usage: tokens(400), ..run(limits) };
    let after =
        |used| watched(&run, FixedListener(TurnStatus::Working, tokens(used)), Duration::ZERO);
    assert_eq!(after(599), (WatcherDecision::GoOn, None));
    assert_eq!(after(600), (WatcherDecision::Stop, Some(TurnCutReason::Budget)));
    let done = FixedListener(TurnStatus::Done, tokens(600));
    assert_eq!(watched(&run, done, Duration::ZERO), (WatcherDecision::GoOn, None));
}

#[test]
fn money_ends_a_turn_as_well() {
    let limits = RunLimits { cost: Some(Usd::from_micros(10)), ..RunLimits::for_claims() };
    let spent = Usage { cost: Usd::from_micros(10), ..Usage::default() };
    let agent = FixedListener(TurnStatus::Working, spent);
    let ended = watched(&run(limits), agent, Duration::ZERO);
    assert_eq!(ended, (WatcherDecision::Stop, Some(TurnCutReason::Budget)));
}

#[test]
fn what_cannot_succeed_is_not_waited_for() {
    let agent = FixedListener(TurnStatus::Hopeless, Usage::default());
    let ended = watched(&run(RunLimits::for_claims()), agent, Duration::ZERO);
    assert_eq!(ended, (WatcherDecision::Stop, Some(TurnCutReason::Hopeless)));
}

#[test]
fn pieces_are_shown_without_secrets_and_within_bounds() {
    let run = run(RunLimits::for_claims());
    let (store, interrupt) = (TemporaryStore::new(), InterruptSignal::default());
    let clock = ManualClock(Cell::new(Timestamp::from_millis(0)));
    let (mut sink, mut agent) =
        (AgentOutputSink::default(), FixedListener(TurnStatus::Working, Usage::default()));
    let audience =
        TurnChannels { store: &store, clock: &clock, sink: &mut sink, interrupt: &interrupt };
    let mut watch = TurnWatch::new(&run, &mut agent, audience);
    watch.output(OutputStream::Stdout, format!("token ghp_{}", "a1B2".repeat(9)).as_bytes());
    for _ in 0..3 {
        watch.output(OutputStream::Stdout, "y".repeat(SHOWN_PIECES_BYTES / 2).as_bytes());
    }
    watch.output(OutputStream::Stderr, b"not shown");
    watch.finish();
    assert!(sink.0[0].starts_with("token [redacted"), "{}", sink.0[0]);
    assert_eq!(sink.0.iter().map(String::len).sum::<usize>(), SHOWN_PIECES_BYTES);
}

/// Returns the last lines that are shown of an agent that prints on both
/// streams.
fn last_lines(agent: &mut dyn TurnListener) -> Vec<Vec<String>> {
    let run = run(RunLimits::for_claims());
    let (store, interrupt) = (TemporaryStore::new(), InterruptSignal::default());
    store.create_run(&run).unwrap();
    let clock = ManualClock(Cell::new(Timestamp::from_millis(0)));
    let mut sink = LastLinesSink::default();
    let audience =
        TurnChannels { store: &store, clock: &clock, sink: &mut sink, interrupt: &interrupt };
    let dir = tempfile::tempdir().unwrap();
    let mut watch = TurnWatch::new(&run, agent, audience).with_log(&dir.path().join("log.gz"));
    watch.output(OutputStream::Stdout, b"reading\nwriting\n");
    watch.tick();
    watch.tick();
    watch.output(OutputStream::Stderr, format!("token ghp_{}\n", "a1B2".repeat(9)).as_bytes());
    watch.output(OutputStream::Stdout, b"done");
    watch.finish();
    sink.0
}

#[test]
fn the_last_lines_of_a_plain_agent_are_shown_when_they_change_and_without_secrets() {
    let shown = last_lines(&mut TextListener);
    assert_eq!(shown[0], ["reading", "writing"]);
    assert_eq!(shown.len(), 2, "{shown:?}");
    let [writing, token, done] = &shown[1][..] else { panic!("{shown:?}") };
    assert_eq!((writing.as_str(), done.as_str()), ("writing", "done"));
    assert!(token.starts_with("token [redacted"), "{token}");
}

#[test]
fn an_agent_that_says_what_it_does_needs_no_last_lines() {
    let mut agent = FixedListener(TurnStatus::Working, Usage::default());
    assert_eq!(last_lines(&mut agent), Vec::<Vec<String>>::new());
}
