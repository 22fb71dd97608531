//! Splits a stream of JSON lines, which arrive in pieces and may be invalid.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

/// Longer lines are skipped: messages of the agent are far shorter, and tool
/// output is not used.
const LONGEST: usize = 8 * 1024 * 1024;

/// Collects the lines of a stream, in bounded memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct JsonLineReader {
    rest: Vec<u8>,
    /// True inside a line that is too long.
    skipping: bool,
    /// Number of unreadable lines.
    skipped: u64,
}

#[derive(Deserialize)]
struct LineHeader<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
}

impl JsonLineReader {
    /// Takes the next bytes; returns the objects of complete lines. Only those
    /// with one of these types are parsed fully, or all if there are none.
    pub(crate) fn push(&mut self, bytes: &[u8], types: &[&str]) -> Vec<Value> {
        let mut found = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let ends = piece.ends_with(b"\n");
            if self.skipping {
                self.skipping = !ends;
            } else if self.rest.len() + piece.len() > LONGEST {
                self.rest = Vec::new();
                self.skipped += 1;
                self.skipping = !ends;
            } else if !ends {
                self.rest.extend_from_slice(piece);
            } else if self.rest.is_empty() {
                found.extend(self.read(piece, types));
            } else {
                self.rest.extend_from_slice(piece);
                let line = std::mem::take(&mut self.rest);
                found.extend(self.read(&line, types));
            }
        }
        found
    }

    /// Returns the object of a last line without a newline.
    pub(crate) fn finish(&mut self, types: &[&str]) -> Option<Value> {
        let line = std::mem::take(&mut self.rest);
        self.read(&line, types)
    }

    /// Returns the number of unreadable lines.
    pub(crate) fn skipped(&self) -> u64 {
        self.skipped
    }

    fn read(&mut self, line: &[u8], types: &[&str]) -> Option<Value> {
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        if !types.is_empty() {
            let Ok(head) = serde_json::from_str::<LineHeader<'_>>(text) else {
                self.skipped += 1;
                return None;
            };
            if !types.contains(&&*head.kind) {
                return None;
            }
        }
        let object = serde_json::from_str(text).or_else(|_| serde_json::from_str(&mended(text)));
        let object = object.ok().filter(Value::is_object);
        if object.is_none() {
            self.skipped += 1;
        }
        object
    }
}

/// Replaces every unpaired surrogate: the client cuts strings anywhere, and
/// escapes the halves.
fn mended(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (surrogate(rest), rest.get(6..).and_then(surrogate)) {
            (Some(SurrogateHalf::High), Some(SurrogateHalf::Low)) => 12,
            (Some(SurrogateHalf::High | SurrogateHalf::Low), _) => {
                out.push('\u{fffd}');
                rest = &rest[6..];
                continue;
            }
            // The character after a backslash never starts an escape.
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out + rest
}

#[derive(Clone, Copy)]
enum SurrogateHalf {
    High,
    Low,
}

/// Returns the surrogate half at the start of the text, if it is escaped there.
fn surrogate(text: &str) -> Option<SurrogateHalf> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(SurrogateHalf::High),
        0xdc00..=0xdfff => Some(SurrogateHalf::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: [&str; 2] = ["result", "system"];

    const LINE: &str = "{\"type\":\"result\",\"result\":\"가나 done\"}\n";

    #[test]
    fn a_stream_may_be_cut_anywhere() {
        for size in 1..LINE.len() {
            let mut lines = JsonLineReader::default();
            let twice = LINE.repeat(2);
            let found: Vec<Value> =
                twice.as_bytes().chunks(size).flat_map(|bytes| lines.push(bytes, &TYPES)).collect();
            assert_eq!(found.len(), 2, "{size}");
            assert_eq!(found[1]["result"], "가나 done");
        }
    }

    #[test]
    fn what_is_no_object_is_skipped_and_counted() {
        let mut lines = JsonLineReader::default();
        let junk =
            ["warning: x\n", "[]\n", "\n", "{\"type\":3}\n", "{\"type\":\"result\"\n", "null\n"];
        for line in junk {
            assert_eq!(lines.push(line.as_bytes(), &TYPES), [] as [Value; 0]);
        }
        assert_eq!(lines.push(b"\xff{\"type\":\"result\"}\n", &TYPES), [] as [Value; 0]);
        assert_eq!(lines.skipped(), 6);
        assert_eq!(lines.push(LINE.as_bytes(), &TYPES).len(), 1);
    }

    #[test]
    fn invalid_text_inside_a_message_is_replaced() {
        let line = b"{\"type\":\"result\",\"result\":\"a\xffb\"}\n";
        let found = JsonLineReader::default().push(line, &TYPES);
        assert_eq!(found[0]["result"], "a\u{fffd}b");
    }

    #[test]
    fn half_a_character_does_not_lose_a_message() {
        let line = r#"{"type":"result","result":"cut \ud83d here \\ud83d \ud83d\ude00 \udc00"}"#;
        let found = JsonLineReader::default().push(format!("{line}\n").as_bytes(), &TYPES);
        assert_eq!(found[0]["result"], "cut \u{fffd} here \\ud83d 😀 \u{fffd}");
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let mut lines = JsonLineReader::default();
        let block = vec![b'x'; 1024 * 1024];
        for _ in 0..100 {
            assert_eq!(lines.push(&block, &TYPES), [] as [Value; 0]);
            assert!(lines.rest.capacity() <= 2 * LONGEST);
        }
        assert_eq!(lines.push(b"\n", &TYPES), [] as [Value; 0]);
        assert_eq!((lines.skipped(), lines.rest.capacity()), (1, 0));
        assert_eq!(lines.push(LINE.as_bytes(), &TYPES).len(), 1);
    }

    #[test]
    fn what_tools_printed_is_not_taken_apart() {
        let line = format!("{{\"type\":\"user\",\"message\":\"{}\"}}\n", "x".repeat(1_000_000));
        let mut lines = JsonLineReader::default();
        assert_eq!(lines.push(line.as_bytes(), &TYPES), [] as [Value; 0]);
        assert_eq!(lines.skipped(), 0);
    }

    #[test]
    fn an_unfinished_last_line_counts() {
        let mut lines = JsonLineReader::default();
        assert_eq!(lines.push(LINE.trim_end().as_bytes(), &TYPES), [] as [Value; 0]);
        assert_eq!(lines.finish(&TYPES).unwrap()["result"], "가나 done");
        assert_eq!(lines.finish(&TYPES), None);
    }

    #[test]
    fn nesting_without_end_is_no_message() {
        let deep = format!("{{\"type\":\"result\",\"x\":{}1\n", "[".repeat(100_000));
        let mut lines = JsonLineReader::default();
        assert_eq!(lines.push(deep.as_bytes(), &TYPES), [] as [Value; 0]);
        assert_eq!(lines.skipped(), 1);
    }
}
