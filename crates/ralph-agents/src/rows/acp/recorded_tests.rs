//! Recorded turns of real agents: what the listener hears of each, and what the
//! turn came to. `RALPH_BLESS=1` writes down what is heard now.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

use ralph_core::time::Timestamp;
use ralph_proc::{ExitReason, OutputTail, ProgramOutcome};

use super::*;
use crate::limits::LimitPatterns;
use crate::listen::{ShownOutput, TurnListener as _, TurnProcessEnd};
use crate::rows::listener::RowListener;
use crate::rows::{AgentRow, RowTable, TransportKind};
use crate::{AgentTurnOutcome, TurnClock, TurnInput, TurnSession};

const CLOCK: TurnClock = TurnClock {
    idle: Duration::from_mins(10),
    wall: Duration::from_hours(1),
    now: Timestamp::from_millis(1_794_744_000_000),
};

/// Plays what an agent said to our side, and what that tells to the listener.
fn play(row: &AgentRow, recording: &str) -> (String, AgentTurnOutcome) {
    let nothing = Path::new("/nonexistent");
    let turn = TurnInput {
        root: nothing,
        prompt_file: nothing,
        usage_file: nothing,
        env: &[],
        seat: TurnSession::Nowhere,
        money_left: None,
    };
    let limits = LimitPatterns::known();
    let mut listener = RowListener::new(row, &limits, &turn);
    let task = AcpTask {
        root: Path::new("/project"),
        prompt: "do it".to_owned(),
        resumed: None,
        mode: &row.mode,
        session_mode: None,
        model: None,
    };
    let (mut client, mut asked, mut seen) = (AcpClient::new(task), BTreeMap::new(), String::new());
    for line in recording.lines() {
        let Some((side, text)) = line.split_once(' ') else { continue };
        let Ok(mut message) = serde_json::from_str::<Value>(text) else { continue };
        if side == ">" {
            if let (Some(id), Some(method)) = (message["id"].as_u64(), message["method"].as_str()) {
                asked.insert(id, method.to_owned());
            }
            continue;
        }
        if message.get("method").is_none() {
            // Only answers to what we ask, too; our ids may differ.
            let method = message["id"].as_u64().and_then(|id| asked.get(&id));
            if method.is_none_or(|method| method != client.waits_for()) {
                continue;
            }
            message["id"] = client.pending.0.into();
        }
        client.hear(&message);
        let AcpOutbox { sent, told } = client.take_outbox();
        for answer in sent.iter().filter(|it| it.get("method").is_none()) {
            let shown = answer["result"]["outcome"].to_string();
            let _ = writeln!(seen, "  answer {shown}{}", answer["error"]["code"]);
        }
        for event in told {
            let shown = listener.read_output(format!("{event}\n").as_bytes());
            let ShownOutput::Pieces(pieces) = shown else { continue };
            for piece in pieces {
                let text = piece.text.replace('\n', "\\n");
                let _ = writeln!(seen, "  {:<6}{text}", piece.kind.name());
            }
        }
        if client.is_over() {
            break;
        }
    }
    let outcome = ProgramOutcome {
        ending: ExitReason::Exited(i32::from(client.has_worked() != Some(true))),
        stdout: OutputTail::new(0),
        stderr: OutputTail::new(0),
        elapsed: Duration::ZERO,
    };
    let end = TurnProcessEnd { outcome: &outcome, clock: &CLOCK, cut: None };
    (seen, listener.conclude(&end))
}

#[test]
fn every_recorded_turn_over_the_protocol_is_understood() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acp");
    let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|it| it == "jsonl")).collect();
    paths.sort();
    let mut text = String::new();
    for path in paths {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let row = RowTable::default().find(name.split('-').next().unwrap()).unwrap().unwrap();
        // Recorded, though it needs an account over the protocol.
        let acp =
            row.acp.clone().or_else(|| RowTable::default().find("kimi").unwrap().unwrap().acp);
        let row = AgentRow { transport: TransportKind::Acp, acp, ..row };
        let (seen, heard) = play(&row, &fs::read_to_string(&path).unwrap());
        let (end, said) = (&heard.spoken.end, &heard.spoken.text);
        let usage = heard.spoken.usage.map(|usage| (usage.input_tokens, usage.output_tokens));
        let _ =
            writeln!(text, "{name}\n{seen}  end: {end:?}\n  text: {said:?}\n  usage: {usage:?}\n");
    }
    let expected = folder.join("turns.txt");
    if std::env::var_os("RALPH_BLESS").is_some() {
        fs::write(&expected, &text).unwrap();
    }
    assert!(fs::read_to_string(&expected).unwrap_or_default() == text, "{text}");
}
