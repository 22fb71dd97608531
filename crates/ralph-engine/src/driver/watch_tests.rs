use std::cell::Cell;

use ralph_agents::{Closing, Heard};
use ralph_core::policy::Limits;
use ralph_core::run::{AgentRef, NewRun, Owner, Task};
use ralph_core::usage::{Usage, Usd};
use ralph_core::{Policy, RunId};
use ralph_store::MemoryStore;

use super::*;

/// A clock that is set by hand.
struct Hand(Cell<Timestamp>);

impl Clock for Hand {
    fn now(&self) -> Timestamp {
        self.0.get()
    }
}

/// An agent in this state that has used this much.
struct Standstill(Standing, Usage);

impl Listener for Standstill {
    fn hear(&mut self, bytes: &[u8]) -> Shown {
        let text = String::from_utf8_lossy(bytes).into_owned();
        Shown::Pieces(vec![Piece::new(PieceKind::Text, text)])
    }

    fn spent(&self) -> Usage {
        self.1
    }

    fn standing(&self) -> Standing {
        self.0
    }

    fn conclude(&mut self, _closing: &Closing<'_>) -> Heard {
        unreachable!("nobody asks")
    }
}

/// A program that prints text.
struct Printer;

impl Listener for Printer {
    fn hear(&mut self, _bytes: &[u8]) -> Shown {
        Shown::AsIs
    }

    fn spent(&self) -> Usage {
        Usage::default()
    }

    fn standing(&self) -> Standing {
        Standing::Working
    }

    fn conclude(&mut self, _closing: &Closing<'_>) -> Heard {
        unreachable!("nobody asks")
    }
}

/// Keeps what was shown.
#[derive(Default)]
struct Shelf(Vec<String>);

/// Keeps the last lines that were shown.
#[derive(Default)]
struct Window(Vec<Vec<String>>);

impl Sink for Window {
    fn event(&mut self, _event: &Event<'_>, _at: Timestamp) {}

    fn last_lines(&mut self, lines: &[String], _at: Timestamp) {
        self.0.push(lines.to_vec());
    }
}

impl Sink for Shelf {
    fn event(&mut self, event: &Event<'_>, _at: Timestamp) {
        if let Event::AgentOutput { text, .. } = event {
            self.0.push((*text).to_owned());
        }
    }
}

fn run(limits: Limits) -> Run {
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
fn watched(run: &Run, mut agent: Standstill, silence: Duration) -> (Control, Option<Cut>) {
    let (store, interrupt) = (MemoryStore::default(), Interrupt::default());
    store.create_run(run).unwrap();
    let clock = Hand(Cell::new(Timestamp::from_millis(0)));
    let mut sink = Shelf::default();
    let audience =
        Audience { store: &store, clock: &clock, sink: &mut sink, interrupt: &interrupt };
    let mut watch = TurnWatch::new(run, &mut agent, audience);
    watch.output(Stream::Stdout, b"x");
    clock.0.set(clock.now().plus(silence));
    let control = watch.tick();
    (control, watch.finish().cut)
}

fn tokens(input_tokens: u64) -> Usage {
    Usage { input_tokens, ..Usage::default() }
}

#[test]
fn an_agent_that_said_its_last_word_may_stay_a_moment_and_no_longer() {
    let run = run(Limits::for_claims());
    let done = || Standstill(Standing::Done, Usage::default());
    assert_eq!(watched(&run, done(), LINGER / 2), (Control::GoOn, None));
    assert_eq!(watched(&run, done(), LINGER), (Control::Stop, Some(Cut::Lingering)));
    let working = Standstill(Standing::Working, Usage::default());
    assert_eq!(watched(&run, working, LINGER * 6), (Control::GoOn, None));
}

#[test]
fn a_turn_is_ended_when_the_run_has_nothing_left_to_spend() {
    let limits = Limits { tokens: Some(1000), ..Limits::for_claims() };
    let run = Run { usage: tokens(400), ..run(limits) };
    let after = |used| watched(&run, Standstill(Standing::Working, tokens(used)), Duration::ZERO);
    assert_eq!(after(599), (Control::GoOn, None));
    assert_eq!(after(600), (Control::Stop, Some(Cut::Budget)));
    let done = Standstill(Standing::Done, tokens(600));
    assert_eq!(watched(&run, done, Duration::ZERO), (Control::GoOn, None));
}

#[test]
fn money_ends_a_turn_as_well() {
    let limits = Limits { cost: Some(Usd::from_micros(10)), ..Limits::for_claims() };
    let spent = Usage { cost: Usd::from_micros(10), ..Usage::default() };
    let agent = Standstill(Standing::Working, spent);
    let ended = watched(&run(limits), agent, Duration::ZERO);
    assert_eq!(ended, (Control::Stop, Some(Cut::Budget)));
}

#[test]
fn what_cannot_succeed_is_not_waited_for() {
    let agent = Standstill(Standing::Hopeless, Usage::default());
    let ended = watched(&run(Limits::for_claims()), agent, Duration::ZERO);
    assert_eq!(ended, (Control::Stop, Some(Cut::Hopeless)));
}

#[test]
fn pieces_are_shown_without_secrets_and_within_bounds() {
    let run = run(Limits::for_claims());
    let (store, interrupt) = (MemoryStore::default(), Interrupt::default());
    let clock = Hand(Cell::new(Timestamp::from_millis(0)));
    let (mut sink, mut agent) = (Shelf::default(), Standstill(Standing::Working, Usage::default()));
    let audience =
        Audience { store: &store, clock: &clock, sink: &mut sink, interrupt: &interrupt };
    let mut watch = TurnWatch::new(&run, &mut agent, audience);
    watch.output(Stream::Stdout, format!("token ghp_{}", "a1B2".repeat(9)).as_bytes());
    for _ in 0..3 {
        watch.output(Stream::Stdout, "y".repeat(SHOWN_PIECES_BYTES / 2).as_bytes());
    }
    watch.output(Stream::Stderr, b"not shown");
    watch.finish();
    assert!(sink.0[0].starts_with("token [redacted"), "{}", sink.0[0]);
    assert_eq!(sink.0.iter().map(String::len).sum::<usize>(), SHOWN_PIECES_BYTES);
}

/// Returns the last lines that are shown of an agent that prints on both
/// streams.
fn last_lines(agent: &mut dyn Listener) -> Vec<Vec<String>> {
    let run = run(Limits::for_claims());
    let (store, interrupt) = (MemoryStore::default(), Interrupt::default());
    store.create_run(&run).unwrap();
    let clock = Hand(Cell::new(Timestamp::from_millis(0)));
    let mut sink = Window::default();
    let audience =
        Audience { store: &store, clock: &clock, sink: &mut sink, interrupt: &interrupt };
    let dir = tempfile::tempdir().unwrap();
    let mut watch = TurnWatch::new(&run, agent, audience).with_log(&dir.path().join("log.gz"));
    watch.output(Stream::Stdout, b"reading\nwriting\n");
    watch.tick();
    watch.tick();
    watch.output(Stream::Stderr, format!("token ghp_{}\n", "a1B2".repeat(9)).as_bytes());
    watch.output(Stream::Stdout, b"done");
    watch.finish();
    sink.0
}

#[test]
fn the_last_lines_of_a_plain_agent_are_shown_when_they_change_and_without_secrets() {
    let shown = last_lines(&mut Printer);
    assert_eq!(shown[0], ["reading", "writing"]);
    assert_eq!(shown.len(), 2, "{shown:?}");
    let [writing, token, done] = &shown[1][..] else { panic!("{shown:?}") };
    assert_eq!((writing.as_str(), done.as_str()), ("writing", "done"));
    assert!(token.starts_with("token [redacted"), "{token}");
}

#[test]
fn an_agent_that_says_what_it_does_needs_no_last_lines() {
    let mut agent = Standstill(Standing::Working, Usage::default());
    assert_eq!(last_lines(&mut agent), Vec::<Vec<String>>::new());
}
