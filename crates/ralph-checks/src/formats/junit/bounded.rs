//! Keeps long texts from filling the memory, and bytes that are no UTF-8 from
//! ending the reading, before the XML reader sees them.

use std::io::{self, BufRead, Read};

use memchr::{memchr, memchr3};

/// The maximum length of one stretch of text; the rest is cut off.
const TEXT: usize = 64 * 1024;

/// The maximum length of a tag.
const TAG: usize = 16 * 1024 * 1024;

/// Stands for `&` in text: the XML reader would hand on each entity as an event
/// of its own, which is slow, and refuses a lone `&`. It is no character of XML.
pub(super) const AMPERSAND: u8 = 0x1a;

/// Marks that open raw text, without their `<`, and the byte that closes it
/// when it comes twice before a `>`.
const RAW: [(&[u8], u8); 2] = [(b"![CDATA[", b']'), (b"!--", b'-')];

/// A reader that cuts the end off long texts, comments and raw sections.
pub(super) struct BoundedXmlReader<'a> {
    inner: &'a mut dyn BufRead,
    cutter: XmlTextCutter,
    /// The bytes that were let through and are not yet in `ready`.
    cut: Vec<u8>,
    /// The bytes that may be read now, from `at`.
    ready: Vec<u8>,
    at: usize,
}

impl<'a> BoundedXmlReader<'a> {
    /// Reads from `inner`.
    pub(super) fn new(inner: &'a mut dyn BufRead) -> Self {
        Self { inner, cutter: XmlTextCutter::default(), cut: Vec::new(), ready: Vec::new(), at: 0 }
    }

    /// Returns the number of bytes cut so far.
    pub(super) fn dropped(&self) -> u64 {
        self.cutter.dropped
    }
}

impl BufRead for BoundedXmlReader<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.at >= self.ready.len() {
            self.ready.clear();
            self.at = 0;
            let chunk = self.inner.fill_buf()?;
            let length = chunk.len();
            self.cutter.cut(chunk, &mut self.cut)?;
            self.inner.consume(length);
            let held = repair(&self.cut, &mut self.ready);
            if length == 0 {
                // Nothing can complete what was held back.
                self.cut.clear();
                break;
            }
            self.cut.drain(..self.cut.len() - held);
        }
        Ok(&self.ready[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        self.at = (self.at + amount).min(self.ready.len());
    }
}

impl Read for BoundedXmlReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let amount = self.fill_buf()?.read(buffer)?;
        self.consume(amount);
        Ok(amount)
    }
}

/// Puts a mark for what is no UTF-8. Gives how many bytes at the end may be the
/// beginning of a character; they are left out.
fn repair(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    let mut rest = bytes;
    loop {
        match str::from_utf8(rest) {
            Ok(_) => {
                out.extend_from_slice(rest);
                return 0;
            }
            Err(error) => {
                let (valid, after) = rest.split_at(error.valid_up_to());
                out.extend_from_slice(valid);
                let Some(wrong) = error.error_len() else { return after.len() };
                out.extend_from_slice("\u{fffd}".as_bytes());
                rest = &after[wrong..];
            }
        }
    }
}

/// Follows the marks of XML just far enough to know what is text.
#[derive(Debug, Default)]
struct XmlTextCutter {
    state: XmlScanState,
    /// The length of the current stretch.
    length: usize,
    dropped: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum XmlScanState {
    /// Between tags.
    #[default]
    Text,
    /// After a `<` and so many bytes of the mark with this index.
    Opening(usize, usize),
    /// Inside a tag.
    Tag,
    /// Inside a value in a tag, up to this quote.
    Quoted(u8),
    /// In raw text that this byte closes, after so many of them in a row.
    Raw(u8, u8),
}

impl XmlTextCutter {
    fn cut(&mut self, chunk: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        let mut rest = chunk;
        while !rest.is_empty() {
            let taken = match self.state {
                XmlScanState::Text => self.text(rest, out),
                XmlScanState::Opening(mark, seen) => self.opening(rest[0], mark, seen, out),
                XmlScanState::Tag => self.tag(rest, out)?,
                XmlScanState::Quoted(quote) => self.quoted(rest, quote, out)?,
                XmlScanState::Raw(mark, run) => self.raw(rest, mark, run, out),
            };
            rest = &rest[taken..];
        }
        Ok(())
    }

    fn enter(&mut self, state: XmlScanState) {
        self.state = state;
        self.length = 0;
    }

    /// Lets text through as far as there is room.
    fn pass(&mut self, text: &[u8], out: &mut Vec<u8>) {
        let room = TEXT.saturating_sub(self.length).min(text.len());
        out.extend_from_slice(&text[..room]);
        self.length = self.length.saturating_add(text.len());
        self.dropped += (text.len() - room) as u64;
    }

    fn text(&mut self, rest: &[u8], out: &mut Vec<u8>) -> usize {
        let end = memchr(b'<', rest).unwrap_or(rest.len());
        let start = out.len();
        self.pass(&rest[..end], out);
        for byte in &mut out[start..] {
            if *byte == b'&' {
                *byte = AMPERSAND;
            }
        }
        if end == rest.len() {
            return end;
        }
        out.push(b'<');
        self.enter(XmlScanState::Opening(0, 0));
        end + 1
    }

    /// Takes in the byte that tells what was opened.
    fn opening(&mut self, byte: u8, mark: usize, seen: usize, out: &mut Vec<u8>) -> usize {
        let continues = |index: usize| RAW[index].0.get(seen) == Some(&byte);
        // The marks differ in their second byte, so the first may be either.
        let found =
            if seen == 1 { (0..RAW.len()).find(|index| continues(*index)) } else { Some(mark) };
        let Some(index) = found.filter(|index| continues(*index)) else {
            self.enter(XmlScanState::Tag);
            return 0;
        };
        out.push(byte);
        let (opening, closing) = RAW[index];
        if seen + 1 == opening.len() {
            self.enter(XmlScanState::Raw(closing, 0));
        } else {
            self.state = XmlScanState::Opening(index, seen + 1);
        }
        1
    }

    fn tag(&mut self, rest: &[u8], out: &mut Vec<u8>) -> io::Result<usize> {
        let end = memchr3(b'>', b'"', b'\'', rest);
        let taken = end.map_or(rest.len(), |end| end + 1);
        self.keep(&rest[..taken], out)?;
        match end.map(|end| rest[end]) {
            Some(b'>') => self.enter(XmlScanState::Text),
            Some(quote) => self.state = XmlScanState::Quoted(quote),
            None => {}
        }
        Ok(taken)
    }

    fn quoted(&mut self, rest: &[u8], quote: u8, out: &mut Vec<u8>) -> io::Result<usize> {
        let end = memchr(quote, rest);
        let taken = end.map_or(rest.len(), |end| end + 1);
        self.keep(&rest[..taken], out)?;
        if end.is_some() {
            self.state = XmlScanState::Tag;
        }
        Ok(taken)
    }

    /// Nothing can be cut from a tag.
    fn keep(&mut self, part: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        self.length = self.length.saturating_add(part.len());
        if self.length > TAG {
            let what = format!("a tag is longer than {TAG} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        out.extend_from_slice(part);
        Ok(())
    }

    fn raw(&mut self, rest: &[u8], mark: u8, run: u8, out: &mut Vec<u8>) -> usize {
        let end = memchr(b'>', rest).unwrap_or(rest.len());
        let text = &rest[..end];
        let marks = text.iter().rev().take_while(|byte| **byte == mark).count();
        let before = if marks == text.len() { usize::from(run) } else { 0 };
        let marks = marks.saturating_add(before).min(2);
        self.pass(text, out);
        if end == rest.len() {
            self.state = XmlScanState::Raw(mark, u8::try_from(marks).unwrap_or(2));
            return end;
        }
        if marks < 2 {
            self.pass(b">", out);
            self.state = XmlScanState::Raw(mark, 0);
        } else {
            // Its marks may have been cut; more of them do no harm.
            if self.length > TEXT {
                out.extend_from_slice(&[mark, mark]);
            }
            out.push(b'>');
            self.enter(XmlScanState::Text);
        }
        end + 1
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// Returns the bytes that are let through in pieces of `step` bytes.
    fn through(input: &[u8], step: usize) -> Vec<u8> {
        let mut pieces = BufReader::with_capacity(step, input);
        let mut out = Vec::new();
        BoundedXmlReader::new(&mut pieces).read_to_end(&mut out).unwrap();
        out
    }

    #[test]
    fn short_documents_come_through_unchanged() {
        let input = b"<?xml?><!-- > -- --><a b='<>' c=\"'\">x<![CDATA[<y>]]]]><![CDATA[>]]></a>";
        for step in 1..20 {
            assert_eq!(through(input, step), input, "{step}");
        }
    }

    #[test]
    fn long_texts_are_cut_but_not_their_marks() {
        let long = "]-x".repeat(TEXT);
        for (open, close) in [("<a>", "</a>"), ("<![CDATA[", "]]>"), ("<!--", "-->")] {
            let input = format!("{open}{long}{close}<b/>");
            for step in [1, 3, 1000] {
                let out = through(input.as_bytes(), step);
                assert!(out.len() < TEXT + 100, "{open} {step}");
                assert!(out.ends_with(format!("{close}<b/>").as_bytes()), "{open} {step}");
            }
        }
    }

    #[test]
    fn what_is_no_text_is_marked_and_characters_stay_whole() {
        for step in 1..6 {
            let out = through("<a>ä€\u{1f600}</a>".as_bytes(), step);
            assert_eq!(out, "<a>ä€\u{1f600}</a>".as_bytes(), "{step}");
            let out = through(b"<a>\xff\xe2\x82</a>", step);
            assert_eq!(out, "<a>\u{fffd}\u{fffd}</a>".as_bytes(), "{step}");
        }
    }

    #[test]
    fn an_endless_tag_is_refused() {
        let input = vec![b'<'; TAG + 2];
        let mut reader = BufReader::new(&input[..]);
        let error = BoundedXmlReader::new(&mut reader).read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "a tag is longer than 16777216 bytes");
    }
}
