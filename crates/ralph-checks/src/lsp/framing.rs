//! Messages on a stream of bytes: a header with the length, then the content.

use std::fmt::Write;

/// The longest message that is taken. The diagnostics of a file with thousands
/// of errors need a few megabytes.
const MAX_CONTENT: usize = 32 * 1024 * 1024;

/// The longest header that is taken.
const MAX_HEADER: usize = 8 * 1024;

/// A stream that breaks the rules. Nothing after the break can be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FramingError {
    #[error("a header of more than {MAX_HEADER} bytes, beginning with `{0}`")]
    LongHeader(String),
    #[error("a header without a length: `{0}`")]
    NoLength(String),
    #[error("a message of {0} bytes; at most {MAX_CONTENT} are taken")]
    LongContent(usize),
}

/// Puts messages together from pieces cut anywhere.
#[derive(Debug, Default)]
pub(super) struct FrameDecoder {
    buffer: Vec<u8>,
    /// The index at which the unread part of the buffer starts.
    start: usize,
    /// The length of the content, once its header was read.
    content: Option<usize>,
}

impl FrameDecoder {
    /// Takes the next bytes of the stream.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The content of the next message that is there as a whole.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, FramingError> {
        let length = match self.content {
            Some(length) => length,
            None => match self.header()? {
                Some(length) => length,
                None => return Ok(None),
            },
        };
        self.content = Some(length);
        let end = self.start + length;
        if self.buffer.len() < end {
            return Ok(None);
        }
        self.content = None;
        let content = self.start..end;
        self.start = end;
        Ok(self.buffer.get(content))
    }

    /// Reads past a header that is there as a whole.
    fn header(&mut self) -> Result<Option<usize>, FramingError> {
        let rest = &self.buffer[self.start..];
        let Some(end) = memchr::memmem::find(rest, b"\r\n\r\n") else {
            if rest.len() > MAX_HEADER {
                return Err(FramingError::LongHeader(beginning(rest)));
            }
            return Ok(None);
        };
        let header = &rest[..end];
        let length = length_in(&String::from_utf8_lossy(header))
            .ok_or_else(|| FramingError::NoLength(beginning(header)))?;
        if length > MAX_CONTENT {
            return Err(FramingError::LongContent(length));
        }
        self.start += end + 4;
        Ok(Some(length))
    }
}

fn length_in(header: &str) -> Option<usize> {
    let fields = header.split("\r\n").filter_map(|line| line.split_once(':'));
    let mut lengths = fields.filter(|(name, _)| name.trim().eq_ignore_ascii_case("content-length"));
    lengths.next()?.1.trim().parse().ok()
}

/// Enough of a wrong header to recognise what was printed instead.
fn beginning(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).trim().replace(['\r', '\n'], " ")
}

/// A message as it is written.
pub(super) fn encode(message: &serde_json::Value) -> Vec<u8> {
    let content = message.to_string();
    let mut out = String::with_capacity(content.len() + 32);
    // Writing to a string cannot fail.
    let _ = write!(out, "Content-Length: {}\r\n\r\n{content}", content.len());
    out.into_bytes()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn decode(pieces: &[&[u8]]) -> Result<Vec<String>, FramingError> {
        let mut decoder = FrameDecoder::default();
        let mut out = Vec::new();
        for piece in pieces {
            decoder.push(piece);
            while let Some(content) = decoder.next()? {
                out.push(String::from_utf8_lossy(content).into_owned());
            }
        }
        Ok(out)
    }

    #[test]
    fn messages_are_the_same_wherever_the_stream_is_cut() {
        let mut stream = encode(&json!({ "a": "ä\r\n\r\n" }));
        stream.extend(b"content-type: x\r\ncontent-length:2\r\n\r\n{}");
        stream.extend(encode(&json!(null)));
        let want = [r#"{"a":"ä\r\n\r\n"}"#, "{}", "null"];
        for size in 1..=stream.len() {
            let pieces: Vec<&[u8]> = stream.chunks(size).collect();
            assert_eq!(decode(&pieces).unwrap(), want, "{size}");
        }
    }

    #[test]
    fn what_is_not_the_protocol_is_refused_with_its_beginning() {
        let words = b"usage: server [options]\r\n\r\n";
        let want = FramingError::NoLength("usage: server [options]".to_owned());
        assert_eq!(decode(&[words]), Err(want));
        let endless = b"log line\n".repeat(2_000);
        assert!(matches!(decode(&[&endless]), Err(FramingError::LongHeader(_))));
    }

    #[test]
    fn a_message_beyond_the_bound_is_refused_before_it_is_read() {
        let header = format!("Content-Length: {}\r\n\r\n", MAX_CONTENT + 1);
        let want = FramingError::LongContent(MAX_CONTENT + 1);
        assert_eq!(decode(&[header.as_bytes()]), Err(want));
    }
}
