//! The compressed, capped log of one program's output.
//!
//! The first bytes are written at once; of the rest only the end is kept. Every
//! line passes a filter before it is kept.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::launch::OutputStream;

/// Longest line that the filter is given.
const LONGEST_LINE: usize = 64 * 1024;

/// Number of bytes at the end of a longer line in which white space is searched
/// for a cut.
const CUT_SEARCH: usize = 4 * 1024;

/// A filter that changes lines before they are written, to remove secrets.
///
/// Any `FnMut(&str) -> String` is a filter.
pub trait LineFilter {
    /// Returns the line to write instead. Neither has its end of line. Lines of
    /// the two streams are interleaved, but each line belongs to one.
    fn line<'a>(&mut self, stream: OutputStream, line: &'a str) -> Cow<'a, str>;
}

impl<F: FnMut(&str) -> String> LineFilter for F {
    fn line<'a>(&mut self, _stream: OutputStream, line: &'a str) -> Cow<'a, str> {
        Cow::Owned(self(line))
    }
}

/// Amount of output that a log keeps, in bytes before compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLimits {
    /// Bytes that are written from the start.
    pub head: u64,
    /// Bytes that are kept in memory and written at the end.
    pub tail: usize,
}

impl Default for LogLimits {
    fn default() -> Self {
        Self { head: 4 * 1024 * 1024, tail: 1024 * 1024 }
    }
}

/// Writes the output of one program to a gzip file.
///
/// Lines of both streams are kept whole. A line longer than 64 KiB is split, at
/// white space if there is some near the end. Invalid UTF-8 is replaced. An
/// error stops the writing, not the program: [`LogWriter::finish`] returns it.
pub struct LogWriter {
    out: GzEncoder<Box<dyn Write + Send>>,
    filter: Box<dyn LineFilter + Send>,
    limits: LogLimits,
    head_left: u64,
    tail: VecDeque<String>,
    tail_bytes: usize,
    left_out: u64,
    unfinished: [Vec<u8>; 2],
    error: Option<io::Error>,
}

impl LogWriter {
    /// Creates the file, or empties it, readable by its owner only.
    pub fn create(
        path: &Path,
        limits: LogLimits,
        filter: Box<dyn LineFilter + Send>,
    ) -> io::Result<Self> {
        let file = ralph_files::create_own(path)?;
        // An existing file would keep its mode otherwise.
        #[cfg(unix)]
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        Ok(Self::to(Box::new(file), limits, filter))
    }

    fn to(
        out: Box<dyn Write + Send>,
        limits: LogLimits,
        filter: Box<dyn LineFilter + Send>,
    ) -> Self {
        Self {
            out: GzEncoder::new(out, Compression::fast()),
            filter,
            limits,
            head_left: limits.head,
            tail: VecDeque::new(),
            tail_bytes: 0,
            left_out: 0,
            unfinished: [Vec::new(), Vec::new()],
            error: None,
        }
    }

    /// Writes the next bytes of a stream, cut anywhere.
    pub fn write(&mut self, stream: OutputStream, bytes: &[u8]) {
        let index = match stream {
            OutputStream::Stdout => 0,
            OutputStream::Stderr => 1,
        };
        let mut unfinished = std::mem::take(&mut self.unfinished[index]);
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            unfinished.extend_from_slice(piece);
            while unfinished.len() > LONGEST_LINE + 1 {
                let rest = unfinished.split_off(cut_position(&unfinished));
                self.line(stream, &unfinished);
                unfinished = rest;
            }
            if unfinished.last() == Some(&b'\n') {
                self.line(stream, &unfinished[..unfinished.len() - 1]);
                unfinished.clear();
            }
        }
        self.unfinished[index] = unfinished;
    }

    /// Makes everything written so far readable by others.
    ///
    /// It costs compression, so call it rarely. Unfinished lines and the part
    /// beyond the head stay in memory.
    pub fn flush(&mut self) {
        self.attempt(GzEncoder::flush);
    }

    /// Writes the rest from memory and closes the file.
    ///
    /// Returns the first error since the log was created.
    pub fn finish(mut self) -> io::Result<()> {
        let unfinished = std::mem::take(&mut self.unfinished);
        for (stream, unfinished) in
            [OutputStream::Stdout, OutputStream::Stderr].into_iter().zip(unfinished)
        {
            if !unfinished.is_empty() {
                self.line(stream, &unfinished);
            }
        }
        if self.left_out > 0 {
            let note = format!("… {} bytes left out …\n", self.left_out);
            self.attempt(|out| out.write_all(note.as_bytes()));
        }
        for line in std::mem::take(&mut self.tail) {
            self.attempt(|out| out.write_all(line.as_bytes()));
        }
        self.attempt(|out| out.try_finish().and_then(|()| out.get_mut().flush()));
        self.error.map_or(Ok(()), Err)
    }

    /// Filters a line and writes or keeps it.
    fn line(&mut self, stream: OutputStream, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let mut line = self.filter.line(stream, &text).into_owned();
        line.push('\n');
        let length = line.len() as u64;
        if length <= self.head_left {
            self.head_left -= length;
            self.attempt(|out| out.write_all(line.as_bytes()));
            return;
        }
        // From now on all lines go to the tail, or a short line could overtake.
        self.head_left = 0;
        self.tail_bytes += line.len();
        self.tail.push_back(line);
        while self.tail_bytes > self.limits.tail {
            let Some(oldest) = self.tail.pop_front() else { break };
            self.tail_bytes -= oldest.len();
            self.left_out += oldest.len() as u64;
        }
    }

    /// Writes unless an earlier write failed.
    fn attempt(
        &mut self,
        write: impl FnOnce(&mut GzEncoder<Box<dyn Write + Send>>) -> io::Result<()>,
    ) {
        if self.error.is_none() {
            self.error = write(&mut self.out).err();
        }
    }
}

/// Returns the place to cut a line that is too long: after white space, so that
/// a secret is not cut in two before the filter sees it, else between two
/// characters.
fn cut_position(line: &[u8]) -> usize {
    let search = LONGEST_LINE - CUT_SEARCH..LONGEST_LINE;
    let space = line[search].iter().rposition(u8::is_ascii_whitespace);
    if let Some(space) = space {
        return LONGEST_LINE - CUT_SEARCH + space + 1;
    }
    let is_boundary = |at: &usize| line[*at] & 0b1100_0000 != 0b1000_0000;
    (LONGEST_LINE - 3..=LONGEST_LINE).rev().find(is_boundary).unwrap_or(LONGEST_LINE)
}

/// Reads a log. If its writer was killed, returns the readable part.
pub fn read_log(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    match GzDecoder::new(ralph_files::open(path)?).read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) if is_damage(error.kind()) => {}
        Err(error) => return Err(error),
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn is_damage(kind: io::ErrorKind) -> bool {
    [io::ErrorKind::UnexpectedEof, io::ErrorKind::InvalidData, io::ErrorKind::InvalidInput]
        .contains(&kind)
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
