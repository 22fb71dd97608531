//! Lines of text as they come: bounded, without colours, never broken UTF-8.

use std::io::BufRead;

use super::FormatError;
use super::printed::each_line;
pub(super) use super::printed::uncoloured;

/// The maximum length of a line that is looked at; the rest of it is skipped.
const LONGEST: usize = 1024 * 1024;

/// The answer of a reader to the question whose line it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineClaim {
    /// It did: no other reader should look at it.
    Taken,
    /// It did not.
    Free,
}

/// Hands on every line without its end, colours removed.
///
/// Nothing is copied for a line that is plain and lies whole in the buffer.
pub(super) fn each(input: &mut dyn BufRead, mut take: impl FnMut(&str)) -> Result<(), FormatError> {
    each_line(input, LONGEST, |line| {
        take(&uncoloured(line));
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn lines(input: &[u8]) -> Vec<String> {
        let mut seen = Vec::new();
        // A small buffer, so that lines do not lie whole in it.
        let mut reader = BufReader::with_capacity(7, input);
        each(&mut reader, |line| seen.push(line.to_owned())).unwrap();
        seen
    }

    #[test]
    fn lines_come_without_their_ends_and_colours() {
        assert_eq!(
            lines(b"one\r\n\ntwo \x1b[31mred\x1b(B\x1b[m\nlast"),
            ["one", "", "two red", "last"]
        );
        assert_eq!(lines(b""), Vec::<String>::new());
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(lines(b"a\xffb\n"), ["a\u{fffd}b"]);
    }

    #[test]
    fn a_line_without_end_is_cut() {
        let mut input = vec![b'x'; 3 * LONGEST];
        input.extend_from_slice(b"\nnext");
        let seen = lines(&input);
        assert_eq!((seen[0].len(), seen[1].as_str()), (LONGEST, "next"));
    }
}
