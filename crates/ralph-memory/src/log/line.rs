//! A line: the checksum of a JSON object, a space, and the object.

use std::fmt::Write as _;

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

/// All events as lines.
pub(super) fn render(events: &[LogEvent]) -> Result<String, LogError> {
    let mut text = String::new();
    for event in events {
        push(event, &mut text)?;
    }
    Ok(text)
}

fn push(event: &LogEvent, text: &mut String) -> Result<(), LogError> {
    let json = json(event)?;
    let _ = writeln!(text, "{} {json}", checksum(json.as_bytes()));
    Ok(())
}

/// An event without its checksum, if it is not too long.
pub(super) fn json(event: &LogEvent) -> Result<String, LogError> {
    // Texts, numbers and lists of them all have a form in JSON.
    let json = serde_json::to_string(event).unwrap_or_default();
    if json.len() > LONGEST_LINE {
        return Err(LogError::TooLong { bytes: json.len() });
    }
    Ok(json)
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

/// The lines with some of them changed, and how many were.
pub(super) fn rewrite(
    text: &[u8],
    change: &mut impl FnMut(&LogEvent) -> Option<LogEvent>,
) -> Result<(Vec<u8>, usize), LogError> {
    let mut written = Vec::with_capacity(text.len());
    let mut changed = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        match event(body).and_then(|event| change(&event)) {
            Some(other) => {
                let mut json = json(&other)?;
                let room = body.len() - DIGITS - 1;
                let missing = room.checked_sub(json.len()).ok_or(LogError::Longer)?;
                json.extend(std::iter::repeat_n(' ', missing));
                written.extend_from_slice(checksum(json.as_bytes()).as_bytes());
                written.push(b' ');
                written.extend_from_slice(json.as_bytes());
                written.extend_from_slice(&line[body.len()..]);
                changed += 1;
            }
            None => written.extend_from_slice(line),
        }
    }
    Ok((written, changed))
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

/// Calls `see` with each event and the bytes of its line.
pub(super) fn weigh(text: &[u8], see: &mut impl FnMut(&LogEvent, u64)) {
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        if let Some(event) = event(body) {
            see(&event, as_bytes(line.len()));
        }
    }
}

/// The lines that can be read, and one behind them that may be on its way.
pub(super) fn readable(text: &[u8], tail: LogTail) -> Vec<u8> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let kept = lines.filter(|line| match line.strip_suffix(b"\n") {
        Some(body) => event(body).is_some(),
        None => tail == LogTail::OnItsWay,
    });
    kept.flatten().copied().collect()
}

/// The lines without those of some events. What nobody can read stays.
pub(super) fn without(text: &[u8], drops: impl Fn(&LogEvent) -> bool) -> Vec<u8> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let kept = lines.filter(|line| {
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        !event(body).is_some_and(|event| drops(&event))
    });
    kept.flatten().copied().collect()
}
