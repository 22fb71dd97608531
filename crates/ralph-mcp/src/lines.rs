//! Reads messages line by line. A line that is too long is skipped without
//! being kept.

use std::io::{self, BufRead};

/// Maximum length of a message, in bytes. A task has at most a mebibyte, and
/// escapes can make more of it.
pub const MOST_MESSAGE: usize = 4 * 1024 * 1024;

/// Number of bytes of a message that is too long that are searched for its id.
const BEGINNING: usize = 1024;

/// A line of input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum InputLine {
    /// A whole line, without its end.
    Whole(Vec<u8>),
    /// The beginning of a line that is too long.
    TooLong(Vec<u8>),
}

/// Reads a line; `None` at the end of the input. Text without an end of line
/// counts as a line, since no more can follow.
pub(crate) fn next(input: &mut impl BufRead, most: usize) -> io::Result<Option<InputLine>> {
    let mut line = Vec::new();
    let (mut is_long, mut is_any) = (false, false);
    loop {
        let read = match input.fill_buf() {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if read.is_empty() {
            break;
        }
        is_any = true;
        let end = read.iter().position(|byte| *byte == b'\n');
        let part = &read[..end.unwrap_or(read.len())];
        if is_long || line.len() + part.len() > most {
            is_long = true;
            let room = BEGINNING.min(most).saturating_sub(line.len());
            line.extend_from_slice(&part[..room.min(part.len())]);
            line.truncate(BEGINNING);
        } else {
            line.extend_from_slice(part);
        }
        let used = end.map_or(read.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(match (is_any, is_long) {
        (false, _) => None,
        (true, true) => Some(InputLine::TooLong(line)),
        (true, false) => Some(InputLine::Whole(line)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, most: usize, buffer: usize) -> Vec<InputLine> {
        let mut input = io::BufReader::with_capacity(buffer, text.as_bytes());
        std::iter::from_fn(|| next(&mut input, most).unwrap()).collect()
    }

    fn whole(text: &str) -> InputLine {
        InputLine::Whole(text.into())
    }

    #[test]
    fn lines_are_read_one_by_one_and_the_last_needs_no_end() {
        for buffer in [1, 3, 100] {
            let read = lines("a\n\nbcd", 10, buffer);
            assert_eq!(read, [whole("a"), whole(""), whole("bcd")]);
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_its_beginning_kept() {
        let long = "x".repeat(5000);
        for buffer in [1, 64, 9000] {
            let read = lines(&format!("a\n{long}\nb\n"), 2000, buffer);
            let beginning = InputLine::TooLong("x".repeat(BEGINNING).into());
            assert_eq!(read, [whole("a"), beginning, whole("b")]);
        }
    }
}
