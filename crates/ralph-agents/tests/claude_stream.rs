//! Recorded streams of Claude Code: what is shown of each, and what the turn
//! came to. `RALPH_BLESS=1` writes down what is seen now.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_agents::limits::LimitPatterns;
use ralph_agents::{
    AgentTurnOutcome, Client, ClientOptions, ShownOutput, TurnClock, TurnInput, TurnProcessEnd,
    TurnSession,
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
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/claude/stream")
}

/// Describes what is shown of a stream that arrives in pieces of this size, and
/// the outcome of the turn.
#[expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a broken fixture must fail its test at once"
)]
fn play(bytes: &[u8], size: usize, ending: ExitReason) -> (String, AgentTurnOutcome) {
    let agent = ClientOptions::new(Client::ClaudeCode).agent(LimitPatterns::known());
    let id = SessionId::new("7d3c9a52-0000-4000-8000-000000000000").unwrap();
    let nothing = Path::new("/nonexistent");
    let turn = TurnInput {
        root: nothing,
        prompt_file: nothing,
        usage_file: nothing,
        env: &[],
        seat: TurnSession::New(&id),
        money_left: None,
    };
    let mut listener = agent.listen(&turn);
    let mut seen = String::new();
    for piece in bytes.chunks(size) {
        let ShownOutput::Pieces(pieces) = listener.read_output(piece) else {
            panic!("shown as it is")
        };
        for piece in pieces {
            let _ = writeln!(seen, "{:<6}{}", piece.kind.name(), piece.text);
        }
    }
    let outcome = ProgramOutcome {
        ending,
        stdout: OutputTail::new(0),
        stderr: OutputTail::new(0),
        elapsed: Duration::ZERO,
    };
    let heard = listener.conclude(&TurnProcessEnd { outcome: &outcome, clock: &CLOCK, cut: None });
    (seen, heard)
}

/// The exit codes of the client when the streams were recorded.
fn ending(name: &str) -> ExitReason {
    match name {
        "api_400" | "api_529" | "max_turns" | "max_budget" => ExitReason::Exited(1),
        _ => ExitReason::Exited(0),
    }
}

#[test]
fn every_recorded_stream_is_understood() {
    let mut names: Vec<PathBuf> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    assert!(names.len() >= 10, "{names:?}");
    let mut differing = Vec::new();
    for path in names {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let bytes = fs::read(&path).unwrap();
        let (seen, heard) = play(&bytes, 4096, ending(&name));
        assert_eq!(play(&bytes, 7, ending(&name)), (seen.clone(), heard.clone()), "{name}");
        let text = format!("{seen}\n{heard:#?}\n");
        let expected = path.with_extension("txt");
        if std::env::var_os("RALPH_BLESS").is_some() {
            fs::write(&expected, &text).unwrap();
        }
        if fs::read_to_string(&expected).unwrap_or_default() != text {
            differing.push(format!("{name}:\n{text}"));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn a_stream_that_was_cut_off_anywhere_is_no_success() {
    let bytes = fs::read(folder().join("ralph_loop.jsonl")).unwrap();
    let body = bytes.trim_ascii_end();
    let result = body.iter().rposition(|byte| *byte == b'\n').unwrap();
    for cut in (0..=result).step_by(97) {
        let (_, heard) = play(&bytes[..cut], 4096, ExitReason::Signaled(9));
        assert!(format!("{:?}", heard.spoken.end).starts_with("Failed"), "{cut}: {heard:?}");
    }
}
