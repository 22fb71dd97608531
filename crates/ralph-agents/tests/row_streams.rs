//! Recorded streams of agents that are rows: what is shown of each, and what
//! the turn came to. `RALPH_BLESS=1` writes down what is seen now.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_agents::limits::LimitPatterns;
use ralph_agents::rows::{AgentRow, ProofKind, RowAgent, RowTable, TransportKind};
use ralph_agents::{
    Agent, AgentConversation, AgentTurnOutcome, SessionAfterTurn, ShownOutput, TurnClock,
    TurnInput, TurnProcessEnd, TurnSession,
};
use ralph_core::SessionId;
use ralph_core::time::Timestamp;
use ralph_proc::{ExitReason, OutputTail, ProgramOutcome};

const CLOCK: TurnClock = TurnClock {
    idle: Duration::from_mins(10),
    wall: Duration::from_hours(1),
    now: Timestamp::from_millis(1_794_744_000_000),
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rows")
}

/// The end of a recorded process, and its standard error.
#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn ending(name: &str) -> (ExitReason, String) {
    let endings = fs::read_to_string(folder().join("endings.txt")).unwrap();
    let found = endings.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let (code, stderr) = found.map_or(("0", ""), |rest| rest.split_once(' ').unwrap_or((rest, "")));
    let ending = match code {
        "signal" => ExitReason::Signaled(15),
        "idle" => ExitReason::IdleTimeout,
        code => ExitReason::Exited(code.parse().unwrap()),
    };
    (ending, stderr.to_owned())
}

#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn agent(name: &str) -> RowAgent {
    let row = RowTable::default().find(name).unwrap().unwrap();
    RowAgent::new(AgentRow { transport: TransportKind::Stream, ..row }, LimitPatterns::known())
}

/// Describes what is shown of a stream that arrives in pieces of this size, and
/// the outcome of the turn.
#[expect(clippy::panic, reason = "a broken fixture must fail its test at once")]
fn play(
    agent: &RowAgent,
    bytes: &[u8],
    (ending, stderr): (ExitReason, &str),
    size: usize,
    seat: TurnSession<'_>,
) -> (String, AgentTurnOutcome) {
    let nothing = Path::new("/nonexistent");
    let turn = TurnInput {
        root: nothing,
        prompt_file: nothing,
        usage_file: nothing,
        env: &[],
        seat,
        money_left: None,
    };
    let mut listener = agent.listen(&turn);
    let mut seen = String::new();
    for piece in bytes.chunks(size) {
        let ShownOutput::Pieces(pieces) = listener.read_output(piece) else {
            panic!("shown as it is")
        };
        for piece in pieces {
            let _ = writeln!(seen, "  {:<6}{}", piece.kind.name(), piece.text.replace('\n', "\\n"));
        }
    }
    let mut errors = OutputTail::new(4096);
    errors.push(stderr.as_bytes());
    let outcome = ProgramOutcome {
        ending,
        stdout: OutputTail::new(0),
        stderr: errors,
        elapsed: Duration::ZERO,
    };
    let heard = listener.conclude(&TurnProcessEnd { outcome: &outcome, clock: &CLOCK, cut: None });
    (seen, heard)
}

fn describe(heard: &AgentTurnOutcome) -> String {
    let session = match &heard.kept {
        SessionAfterTurn::Session(AgentConversation { id, .. }) => id.to_string(),
        kept @ (SessionAfterTurn::Nothing | SessionAfterTurn::Lost) => format!("{kept:?}"),
    };
    let usage = heard.spoken.usage.map_or("unknown".to_owned(), |usage| {
        let cost = usage.cost.dollars();
        format!("{} + {} tokens, ${cost}", usage.input_tokens, usage.output_tokens)
    });
    let mut text = format!(
        "  end: {:?}\n  text: {:?}\n  usage: {usage}\n  session: {session}\n",
        heard.spoken.end, heard.spoken.text
    );
    for refusal in &heard.refusals {
        let _ = writeln!(text, "  refused: {}", refusal.what);
    }
    text
}

#[test]
fn every_recorded_stream_is_understood() {
    let rows = RowTable::default().all();
    let recorded = |row: &AgentRow| folder().join(&row.name).is_dir();
    let mut differing = Vec::new();
    for row in rows.iter().filter(|row| recorded(row)) {
        let agent = agent(&row.name);
        let mut names: Vec<PathBuf> =
            fs::read_dir(folder().join(&row.name)).unwrap().map(|it| it.unwrap().path()).collect();
        names.sort();
        let mut text = String::new();
        for path in names {
            let name = format!("{}/{}", row.name, path.file_stem().unwrap().display());
            let bytes = fs::read(&path).unwrap();
            let (ending, stderr) = ending(&name);
            let played = |size| play(&agent, &bytes, (ending, &stderr), size, TurnSession::Nowhere);
            let (seen, heard) = played(4096);
            assert_eq!(played(7), (seen.clone(), heard.clone()), "{name}");
            let _ = writeln!(text, "{name}\n{seen}{}", describe(&heard));
        }
        let expected = folder().join(format!("{}.txt", row.name));
        if std::env::var_os("RALPH_BLESS").is_some() {
            fs::write(&expected, &text).unwrap();
        }
        if fs::read_to_string(&expected).unwrap_or_default() != text {
            differing.push(text);
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn a_row_that_claims_recordings_has_them() {
    for row in RowTable::default().all() {
        let recorded = folder().join(&row.name).is_dir();
        assert_eq!(recorded, row.proof.how != ProofKind::Documented, "{}", row.name);
    }
}

#[test]
fn a_stream_that_was_cut_off_anywhere_is_no_success() {
    for stream in [
        "codex/exec-hello",
        "copilot/hello",
        "gemini/hooks",
        "qwen/hello",
        "droid/hooks",
        "kimi/hello",
        "pi/hello",
        "cline/hello",
    ] {
        let name = stream.split('/').next().unwrap();
        let agent = agent(name);
        let bytes = fs::read(folder().join(stream).with_extension("jsonl")).unwrap();
        let body = bytes.trim_ascii_end();
        let last = body.iter().rposition(|byte| *byte == b'\n').unwrap();
        for cut in (0..=last).step_by(97) {
            for ending in [ExitReason::Exited(0), ExitReason::Signaled(9)] {
                let (_, heard) =
                    play(&agent, &bytes[..cut], (ending, ""), 4096, TurnSession::Nowhere);
                let is_told = format!("{:?}", heard.spoken.end).starts_with("Failed");
                assert!(is_told, "{name} {cut}: {heard:?}");
            }
        }
    }
}

#[test]
fn a_turn_costs_what_the_total_of_its_conversation_grew_by() {
    let agent = agent("codex");
    let id = SessionId::new("01a1dde8-9a66-7111-9bb9-b4cc137f8e84").unwrap();
    let mut session = AgentConversation::new(id.clone());
    let mut spent = Vec::new();
    for name in ["first", "resume"] {
        let bytes = fs::read(folder().join("codex").join(name).with_extension("jsonl")).unwrap();
        let seat = TurnSession::Resumed(&session);
        let (_, heard) = play(&agent, &bytes, (ExitReason::Exited(0), ""), 4096, seat);
        spent.push(heard.spoken.usage.unwrap().tokens());
        let SessionAfterTurn::Session(kept) = heard.kept else { panic!("{heard:?}") };
        session = kept;
    }
    assert_eq!((spent, session.charged.tokens()), (vec![1050, 1050], 2100));
}
