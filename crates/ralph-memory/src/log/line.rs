//! A line: the checksum of a JSON object, a space, and the object.

use super::{LONGEST_LINE, LogError};
use crate::event::LogEvent;

/// Hexadecimal digits of a checksum.
const DIGITS: usize = 16;

/// What is behind the last line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogTail {
    /// A line that somebody writes at this moment.
    OnItsWay,
    /// A line that will never be whole.
    Lost,
}

/// What becomes of a line when the log is written anew.
#[derive(Debug)]
pub enum LineEdit {
    /// It stays.
    Keep,
    /// It goes.
    Drop,
    /// It says this instead.
    Change(Box<LogEvent>),
}

/// All events as lines.
pub(super) fn render(events: &[LogEvent]) -> Result<String, LogError> {
    let mut text = String::new();
    for event in events {
        text.push_str(&line(event)?);
    }
    Ok(text)
}

/// An event as a line, if it is not too long.
pub(crate) fn line(event: &LogEvent) -> Result<String, LogError> {
    // Texts, numbers and lists of them all have a form in JSON.
    let json = serde_json::to_string(event).unwrap_or_default();
    if json.len() > LONGEST_LINE {
        return Err(LogError::TooLong { bytes: json.len() });
    }
    Ok(format!("{} {json}\n", checksum(json.as_bytes())))
}

fn checksum(json: &[u8]) -> String {
    let hash = blake3::hash(json).to_hex();
    hash.as_str().get(..DIGITS).unwrap_or_default().to_owned()
}

/// Calls `see` with the place of each line and what it says, `None` if nobody
/// can read it. Returns where the next line begins.
///
/// What stands behind the last line end may be on its way, or is all that
/// came of a line.
pub(super) fn parse(text: &[u8], tail: LogTail, mut see: impl FnMut(u64, Option<LogEvent>)) -> u64 {
    let mut offset = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let body = line.strip_suffix(b"\n");
        if body.is_none() && tail == LogTail::OnItsWay {
            break;
        }
        let body = body.unwrap_or(line);
        if !body.is_empty() {
            see(as_bytes(offset), event(body));
        }
        offset += line.len();
    }
    as_bytes(offset)
}

/// Returns the lines as `edit` wants them, and true if any is another one. What nobody
/// can read goes.
pub(super) fn rewrite<E: From<LogError>>(
    text: &[u8],
    edit: &mut impl FnMut(&LogEvent) -> Result<LineEdit, E>,
) -> Result<(Vec<u8>, bool), E> {
    let mut written = Vec::with_capacity(text.len());
    let mut is_changed = false;
    for body in text.split(|byte| *byte == b'\n').filter(|body| !body.is_empty()) {
        match event(body).map_or(Ok(LineEdit::Drop), |event| edit(&event))? {
            LineEdit::Keep => {
                written.extend_from_slice(body);
                written.push(b'\n');
                continue;
            }
            LineEdit::Drop => {}
            LineEdit::Change(other) => written.extend_from_slice(line(&other)?.as_bytes()),
        }
        is_changed = true;
    }
    Ok((written, is_changed))
}

fn event(body: &[u8]) -> Option<LogEvent> {
    let (sum, json) = body.split_at_checked(DIGITS)?;
    let json = json.strip_prefix(b" ")?;
    if checksum(json).as_bytes() != sum {
        return None;
    }
    serde_json::from_slice(json).ok()
}

fn as_bytes(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
