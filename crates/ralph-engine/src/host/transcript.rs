//! Reads the agent's final text and queued prompts from the host's transcript.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use ralph_agents::Host;
use ralph_agents::hooks::TranscriptWords;
use ralph_core::SessionId;
use ralph_core::host::{
    EventAgent, HostEvent, HostEventKind, HostTurnError, TurnErrorKind, TurnEvent,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::SessionDir;
use crate::app::App;

/// Numbers of bytes at the end of a transcript that are read: the final text is
/// there. The smaller number is mostly enough.
const TAILS: [u64; 2] = [16 * 1024, 256 * 1024];

/// Maximum number of bytes that are searched for queued prompts, after the end
/// of the last search: a turn may have written much since then.
const QUEUE_TAIL: u64 = 8 * 1024 * 1024;

/// Number of bytes that identify the transcript of the last search.
const MARK: usize = 256;

/// The host's type for a line about queued prompts.
const QUEUED: &str = "queue-operation";

/// Adds the agent's final text to the end of a turn, from the transcript, if the host
/// did not pass it on. A turn without an answer to the last words of the user broke off.
pub(crate) fn complete(app: &App, host: &Host, event: &mut HostEvent) {
    let HostEvent { session, actor: EventAgent::Main, what, .. } = event else { return };
    let HostEventKind::Turn(TurnEvent::Ended(end)) = what else { return };
    if end.text.is_some() {
        return;
    }
    let path = end.transcript.clone().or_else(|| place(app, host, session.as_ref()?));
    match path.and_then(|path| last_words(host, &path)) {
        Some(TranscriptWords::Agent(text)) => end.text = Some(text),
        Some(TranscriptWords::User) => {
            let error = HostTurnError {
                kind: TurnErrorKind::Other,
                text: String::new(),
                message: end.message.clone(),
            };
            *what = HostEventKind::Turn(TurnEvent::Broken(error));
        }
        None => end.text = Some(String::new()),
    }
}

/// Finds the transcript of a session in the user's settings.
fn place(app: &App, host: &Host, session: &SessionId) -> Option<PathBuf> {
    let (folder, file) = host.transcript(session)?;
    let folder = host.user_folder(&|name| app.variable(name))?.join(folder);
    let projects = std::fs::read_dir(folder).ok()?.flatten();
    projects.map(|project| project.path().join(&file)).find(|path| path.is_file())
}

fn last_words(host: &Host, path: &Path) -> Option<TranscriptWords> {
    TAILS.into_iter().find_map(|most| {
        let (_, tail) = end_of(path, |length| Some(length.saturating_sub(most)))?;
        String::from_utf8_lossy(&tail).lines().rev().find_map(|line| host.words(line))
    })
}

/// Returns the end of a file and its position, which `from` computes from the
/// length.
fn end_of(path: &Path, from: impl Fn(u64) -> Option<u64>) -> Option<(u64, Vec<u8>)> {
    let mut file = ralph_files::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    let start = from(length)?;
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut tail = Vec::new();
    file.take(length.saturating_sub(start)).read_to_end(&mut tail).ok()?;
    Some((start, tail))
}

/// A prompt of the user that the host queues until the agent's turn ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedWords {
    /// The text.
    pub text: String,
    /// The time, as the host wrote it.
    pub at: String,
}

/// The position of the last search in a transcript, and the prompts queued
/// there.
#[derive(Debug, Default, Serialize, Deserialize)]
struct TranscriptPosition {
    transcript: PathBuf,
    to: u64,
    /// The bytes before that position: a host may rewrite the file.
    mark: Vec<u8>,
    waiting: Vec<QueuedWords>,
}

impl TranscriptPosition {
    /// Returns the bytes added since; `None` if the file is not the known one.
    fn added(&self, path: &Path) -> Option<Vec<u8>> {
        let start = self.to.checked_sub(self.mark.len() as u64)?;
        let is_near = |length: u64| length.checked_sub(self.to).is_some_and(|it| it <= QUEUE_TAIL);
        let (_, tail) = end_of(path, |length| is_near(length).then_some(start))?;
        tail.strip_prefix(&*self.mark).filter(|_| self.transcript == path).map(<[u8]>::to_vec)
    }
}

/// Returns the prompts that the user typed during a turn and the host queues,
/// oldest first. A host that records no queue has none. Each line is read once
/// per session.
pub fn queued(path: &Path, place: &SessionDir) -> Vec<QueuedWords> {
    let known =
        place.queue().and_then(|text| serde_json::from_str::<TranscriptPosition>(&text).ok());
    let known = known.and_then(|seen| seen.added(path).map(|added| (seen, added)));
    let anew = || {
        let (to, tail) = end_of(path, |length| Some(length.saturating_sub(QUEUE_TAIL)))?;
        Some((
            TranscriptPosition { transcript: path.to_owned(), to, ..TranscriptPosition::default() },
            tail,
        ))
    };
    let Some((mut seen, added)) = known.or_else(anew) else { return Vec::new() };
    // The part after the last line break is still being written.
    if let Some(end) = added.iter().rposition(|byte| *byte == b'\n') {
        let whole = &added[..=end];
        follow(&mut seen.waiting, &String::from_utf8_lossy(whole));
        seen.to += whole.len() as u64;
        seen.mark = whole[whole.len().saturating_sub(MARK)..].to_vec();
        // If that fails, the next search starts where this one did.
        let _ = serde_json::to_string(&seen).map(|text| place.set_queue(&text));
    }
    seen.waiting
}

/// Applies these lines to the queue.
fn follow(queue: &mut Vec<QueuedWords>, lines: &str) {
    for line in lines.lines().filter(|line| line.contains(QUEUED)) {
        let Ok(entry) = serde_json::from_str::<Value>(line) else { continue };
        if entry.get("type").and_then(Value::as_str) != Some(QUEUED) {
            continue;
        }
        let said = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
        match said("operation") {
            "enqueue" => queue.push(QueuedWords {
                text: said("content").to_owned(),
                at: said("timestamp").to_owned(),
            }),
            "dequeue" if !queue.is_empty() => drop(queue.remove(0)),
            "dequeue" => {}
            // Moved back into the input box, or delivered out of turn.
            _ => match queue.iter().position(|words| words.text == said("content")) {
                Some(at) => drop(queue.remove(at)),
                None => queue.clear(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn line(kind: &str, text: &str) -> String {
        let content = serde_json::json!([{ "type": "text", "text": text }]);
        serde_json::json!({ "type": kind, "message": { "content": content } }).to_string()
    }

    #[test]
    fn the_last_words_of_the_agent_are_found_at_the_end_of_a_long_transcript() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("transcript.jsonl");
        let mut text = line("assistant", "early") + "\n";
        text.push_str(&(line("user", &"x".repeat(400_000)) + "\n"));
        text.push_str(&(line("assistant", "late") + "\n"));
        text.push_str(&(line("user", "thanks") + "\n{\"type\":\"assistant\",\"mess"));
        fs::write(&path, text).unwrap();
        let host = &ralph_agents::host::HOSTS[0];
        let said = TranscriptWords::Agent("late".to_owned());
        assert_eq!(last_words(host, &path), Some(said));
    }

    fn operation(operation: &str, text: &str) -> String {
        let line = serde_json::json!({
            "type": QUEUED, "operation": operation, "content": text, "timestamp": "t",
        });
        format!("{line}\n")
    }

    /// Returns the queued prompts of this transcript, in a session that only
    /// knows the contents of `home`.
    fn waiting(home: &Path, transcript: &Path) -> Vec<String> {
        let place = SessionDir::new(home, &SessionId::new("s-1").unwrap());
        place.keep("run", "").unwrap();
        queued(transcript, &place).into_iter().map(|words| words.text).collect()
    }

    #[test]
    fn words_wait_until_the_host_says_otherwise() {
        let waiting = |lines: &[String]| -> Vec<String> {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("transcript.jsonl");
            fs::write(&path, lines.concat()).unwrap();
            waiting(folder.path(), &path)
        };
        let typed = operation("enqueue", "/cancel-ralph");
        let other = line("assistant", "a queue-operation enqueue /cancel-ralph") + "\n";
        assert_eq!(waiting(&[other, typed.clone()]), ["/cancel-ralph"]);
        let more = operation("enqueue", "and then");
        assert_eq!(waiting(&[typed.clone(), more.clone(), operation("dequeue", "")]), ["and then"]);
        let taken = operation("remove", "/cancel-ralph");
        assert_eq!(waiting(&[typed.clone(), more.clone(), taken]), ["and then"]);
        assert_eq!(waiting(&[typed, more, operation("popAll", "")]), [""; 0]);
        let folder = tempfile::tempdir().unwrap();
        let place = SessionDir::new(folder.path(), &SessionId::new("s-1").unwrap());
        assert_eq!(queued(Path::new("/nowhere"), &place), []);
    }

    #[test]
    fn what_was_looked_through_is_not_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("transcript.jsonl");
        let waits = |text: &str| {
            fs::write(&path, text).unwrap();
            waiting(folder.path(), &path)
        };
        let (typed, said) = (operation("enqueue", "first"), line("user", &"x".repeat(MARK)));
        assert_eq!(waits(&format!("{typed}{said}\n")), ["first"]);
        // The earlier part could not be read any more.
        let spoiled = format!("{}{said}\n", "x".repeat(typed.len()));
        assert_eq!(waits(&spoiled), ["first"]);
        let more = operation("enqueue", "second");
        let (begun, rest) = more.split_at(20);
        assert_eq!(waits(&format!("{spoiled}{begun}")), ["first"]);
        assert_eq!(waits(&format!("{spoiled}{begun}{rest}")), ["first", "second"]);
        let taken = operation("dequeue", "");
        assert_eq!(waits(&format!("{spoiled}{more}{taken}")), ["second"]);
        // A rewritten transcript is another one, and so is one with another
        // name.
        assert_eq!(waits(&format!("{said}\n{spoiled}{more}{typed}")), ["second", "first"]);
        assert_eq!(waits(&operation("enqueue", "anew")), ["anew"]);
        let other = folder.path().join("other.jsonl");
        fs::write(&other, format!("{typed}{more}")).unwrap();
        assert_eq!(waiting(folder.path(), &other), ["first", "second"]);
    }
}
