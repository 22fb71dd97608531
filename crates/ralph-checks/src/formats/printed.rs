//! Text as tools print it: lines of any length, colours, broken UTF-8.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{BuildHasher, Hash, RandomState};
use std::io::{self, BufRead, Read};

use ralph_core::claim::plain;

use super::FormatError;

/// The maximum length of a line of plain text that is looked at. No diagnostic is longer.
pub(super) const LINE_BYTES: usize = 64 * 1024;

/// The maximum number of findings remembered in order to leave out repetitions.
const REMEMBERED: usize = 100_000;

/// Hands on every line without its end. Of a line longer than `limit` only
/// the beginning is handed on, and only that is held in memory.
pub(super) fn each_line(
    input: &mut dyn BufRead,
    limit: usize,
    mut take: impl FnMut(&str) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    // The beginning of a line that goes on in the next buffer.
    let mut begun: Vec<u8> = Vec::new();
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        if buffer.is_empty() {
            break;
        }
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', buffer) {
            let line = &buffer[start..end];
            if begun.is_empty() {
                take(&text(line, limit))?;
            } else {
                extend(&mut begun, line, limit);
                take(&text(&begun, limit))?;
                begun.clear();
            }
            start = end + 1;
        }
        extend(&mut begun, &buffer[start..], limit);
        let used = buffer.len();
        input.consume(used);
    }
    if begun.is_empty() { Ok(()) } else { take(&text(&begun, limit)) }
}

/// Bytes as text, without the end of a line.
fn text(line: &[u8], limit: usize) -> Cow<'_, str> {
    let line = &line[..line.len().min(limit)];
    String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line))
}

fn extend(begun: &mut Vec<u8>, more: &[u8], limit: usize) {
    let room = limit.saturating_sub(begun.len());
    begun.extend_from_slice(&more[..more.len().min(room)]);
}

/// Bytes as UTF-8: what is none becomes a replacement character.
#[derive(Debug)]
pub(super) struct LossyUtf8<R> {
    input: R,
    /// The text that was made valid UTF-8.
    ready: Vec<u8>,
    used: usize,
    /// The beginning of a character whose end is to come.
    begun: Vec<u8>,
}

impl<R: BufRead> LossyUtf8<R> {
    pub(super) fn of(input: R) -> Self {
        Self { input, ready: Vec::new(), used: 0, begun: Vec::new() }
    }

    fn refill(&mut self) -> io::Result<()> {
        let chunk = self.input.fill_buf()?;
        let (taken, is_end) = (chunk.len(), chunk.is_empty());
        let mut bytes = std::mem::take(&mut self.begun);
        bytes.extend_from_slice(chunk);
        self.input.consume(taken);
        self.ready.clear();
        self.used = 0;
        for part in bytes.utf8_chunks() {
            self.ready.extend_from_slice(part.valid().as_bytes());
            let broken = part.invalid();
            let is_begun =
                std::str::from_utf8(broken).is_err_and(|error| error.error_len().is_none());
            if is_begun && !is_end {
                self.begun = broken.to_vec();
            } else if !broken.is_empty() {
                self.ready.extend_from_slice("\u{fffd}".as_bytes());
            }
        }
        Ok(())
    }
}

impl<R: BufRead> Read for LossyUtf8<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.used == self.ready.len() {
            let is_end = self.input.fill_buf()?.is_empty() && self.begun.is_empty();
            if is_end {
                return Ok(0);
            }
            self.refill()?;
        }
        let count = into.len().min(self.ready.len() - self.used);
        into[..count].copy_from_slice(&self.ready[self.used..self.used + count]);
        self.used += count;
        Ok(count)
    }
}

/// A line without colours.
pub(super) fn uncoloured(line: &str) -> Cow<'_, str> {
    match memchr::memchr(0x1b, line.as_bytes()) {
        // Whatever moves the paper or the cursor becomes a line break there.
        Some(_) => Cow::Owned(plain(line).replace('\n', " ")),
        None => Cow::Borrowed(line),
    }
}

/// A message on one line.
pub(crate) fn one_line(message: &str) -> Cow<'_, str> {
    let message = message.trim();
    if memchr::memchr2(b'\n', b'\r', message.as_bytes()).is_none() {
        return Cow::Borrowed(message);
    }
    let lines: Vec<&str> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    Cow::Owned(lines.join(" "))
}

/// Knows what was said before: compilers repeat themselves for every target
/// and every file that includes a header.
#[derive(Debug, Default)]
pub(super) struct RepeatFilter {
    hashes: HashSet<u64>,
    state: RandomState,
}

impl RepeatFilter {
    /// True if this is said for the first time.
    pub(super) fn is_new(&mut self, what: &impl Hash) -> bool {
        // Beyond the bound, saying something twice is better than growing.
        let hash = self.state.hash_one(what);
        if self.hashes.len() < REMEMBERED {
            self.hashes.insert(hash)
        } else {
            !self.hashes.contains(&hash)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn lines(bytes: &[u8], buffer: usize, limit: usize) -> Vec<String> {
        let mut out = Vec::new();
        let mut input = BufReader::with_capacity(buffer, bytes);
        each_line(&mut input, limit, |line| {
            out.push(line.to_owned());
            Ok(())
        })
        .unwrap();
        out
    }

    #[test]
    fn lines_are_the_same_whatever_the_buffer() {
        let bytes = b"one\r\n\ntw\xffo\nthree";
        for buffer in 1..20 {
            assert_eq!(lines(bytes, buffer, 100), ["one", "", "tw\u{fffd}o", "three"], "{buffer}");
        }
    }

    #[test]
    fn of_a_long_line_only_the_beginning_is_kept() {
        for buffer in [1, 3, 64] {
            assert_eq!(lines(b"abcdefgh\nij\n", buffer, 4), ["abcd", "ij"], "{buffer}");
        }
    }

    #[test]
    fn a_message_of_several_lines_becomes_one() {
        assert_eq!(one_line(" a\n  b\r\n\n c "), "a b c");
        assert_eq!(one_line("a  b"), "a  b");
    }

    #[test]
    fn a_line_without_colours_is_still_one_line() {
        assert_eq!(uncoloured("\x1b[31mno\x1b[0m room\x0bleft\rhere"), "no room left here");
    }

    #[test]
    fn what_was_said_before_is_not_new() {
        let mut said = RepeatFilter::default();
        assert!(said.is_new(&("a", 1)));
        assert!(said.is_new(&("a", 2)));
        assert!(!said.is_new(&("a", 1)));
    }
}
