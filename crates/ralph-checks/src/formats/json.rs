//! JSON documents as tools print them, read as they come.
//!
//! Nothing but the record at hand is held in memory. What a package manager
//! prints around a document is passed over; a document that breaks off is
//! refused.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use serde::de::{
    Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, Error as _, IgnoredAny,
    MapAccess, SeqAccess, Visitor,
};

use super::FormatError;

/// A JSON document that can be read.
pub(super) trait JsonDocument {
    /// Reads one document.
    fn read<'de, D: Deserializer<'de>>(&mut self, document: D) -> Result<(), D::Error>;
}

/// Reads every document in the output; there must be one.
pub(super) fn documents(
    form: &'static str,
    input: &mut dyn BufRead,
    reader: &mut impl JsonDocument,
) -> Result<(), FormatError> {
    let mut text = BufReader::with_capacity(CHUNK, LossyUtf8Reader::new(input));
    let mut found = false;
    let mut lines = 0;
    while find_document(&mut text, &mut lines)? {
        found = true;
        let mut document = serde_json::Deserializer::from_reader(&mut text);
        reader.read(&mut document).map_err(|error| refused(form, &error, lines))?;
        // A document ends where its bracket closes, so nothing was read beyond.
        lines = 0;
    }
    if found {
        return Ok(());
    }
    Err(FormatError::Form { form, what: "there is no JSON in it".to_owned() })
}

/// Reads the records of documents that are a list of them, or hold one under
/// `key`.
pub(super) fn records<T: DeserializeOwned>(
    form: &'static str,
    key: &'static str,
    input: &mut dyn BufRead,
    take: &mut dyn FnMut(T),
) -> Result<(), FormatError> {
    documents(form, input, &mut RecordVisitor { key, take })
}

fn refused(form: &'static str, error: &serde_json::Error, lines: usize) -> FormatError {
    let (line, column) = (error.line(), error.column());
    let what = error.to_string();
    let what = what.trim_end_matches(&format!(" at line {line} column {column}"));
    if let Some(kind) = error.io_error_kind() {
        return FormatError::Io(io::Error::new(kind, what));
    }
    let what = format!("{what} at line {} column {column}", line + lines);
    FormatError::Form { form, what }
}

/// The number of bytes read at once.
const CHUNK: usize = 64 * 1024;

/// The mark with which some programs begin a file.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Goes to the next line that begins a document, and counts the others.
fn find_document(text: &mut impl BufRead, lines: &mut usize) -> io::Result<bool> {
    loop {
        let buffer = text.fill_buf()?;
        let Some(first) = buffer.first() else { return Ok(false) };
        if begins_document(buffer) {
            return Ok(true);
        }
        if buffer.starts_with(BYTE_ORDER_MARK) {
            text.consume(BYTE_ORDER_MARK.len());
        } else if first.is_ascii_whitespace() {
            *lines += usize::from(*first == b'\n');
            text.consume(1);
        } else {
            *lines += usize::from(skip_line(text)?);
        }
    }
}

fn begins_document(buffer: &[u8]) -> bool {
    match buffer {
        [b'{', ..] => true,
        // A list of records; `[12:30:01] text` and `[webpack] text` are none.
        [b'[', rest @ ..] => matches!(rest.trim_ascii_start().first(), None | Some(b'{' | b']')),
        _ => false,
    }
}

/// Passes over the rest of a line; whether its end was there.
fn skip_line(text: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let buffer = text.fill_buf()?;
        if buffer.is_empty() {
            return Ok(false);
        }
        let end = memchr::memchr(b'\n', buffer);
        let used = end.map_or(buffer.len(), |end| end + 1);
        text.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

/// Text with `?` for every byte that is not UTF-8.
struct LossyUtf8Reader<'a> {
    inner: &'a mut dyn BufRead,
    /// The beginning of a character that goes on in the next buffer.
    begun: Vec<u8>,
}

impl<'a> LossyUtf8Reader<'a> {
    fn new(inner: &'a mut dyn BufRead) -> Self {
        Self { inner, begun: Vec::new() }
    }
}

impl Read for LossyUtf8Reader<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        // Room for the start of a character and the bytes that complete it.
        if out.len() < 8 {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the buffer is too small"));
        }
        let mut filled = self.begun.len();
        out[..filled].copy_from_slice(&self.begun);
        self.begun.clear();
        while filled < out.len() {
            match self.inner.read(&mut out[filled..]) {
                Ok(0) => {
                    let valid = repaired(&mut out[..filled]);
                    // A character that never ends is not one.
                    out[valid..filled].fill(b'?');
                    return Ok(filled);
                }
                Ok(more) => filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let valid = repaired(out);
        self.begun.extend_from_slice(&out[valid..]);
        Ok(valid)
    }
}

/// Replaces bytes that are not UTF-8; returns the length without an incomplete character.
fn repaired(bytes: &mut [u8]) -> usize {
    let mut start = 0;
    loop {
        match std::str::from_utf8(&bytes[start..]) {
            Ok(_) => return bytes.len(),
            Err(error) => {
                let at = start + error.valid_up_to();
                let Some(wrong) = error.error_len() else { return at };
                bytes[at..at + wrong].fill(b'?');
                start = at + wrong;
            }
        }
    }
}

struct RecordVisitor<'f, T> {
    key: &'static str,
    take: &'f mut dyn FnMut(T),
}

impl<T: DeserializeOwned> JsonDocument for RecordVisitor<'_, T> {
    fn read<'de, D: Deserializer<'de>>(&mut self, document: D) -> Result<(), D::Error> {
        document.deserialize_any(self)
    }
}

impl<'de, T: DeserializeOwned> Visitor<'de> for &mut RecordVisitor<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list, or an object with `{}`", self.key)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<(), A::Error> {
        ListVisitor { take: self.take }.visit_seq(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut found = false;
        while let Some(key) = map.next_key::<String>()? {
            if key == self.key {
                map.next_value_seed(ListVisitor { take: self.take })?;
                found = true;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        if found { Ok(()) } else { Err(A::Error::custom(format!("there is no `{}`", self.key))) }
    }
}

/// A list whose items are handed on one by one.
pub(super) struct ListVisitor<'f, T> {
    /// Takes an item.
    pub(super) take: &'f mut dyn FnMut(T),
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for ListVisitor<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, list: D) -> Result<(), D::Error> {
        list.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(item) = list.next_element()? {
            (self.take)(item);
        }
        Ok(())
    }
}

/// A number of a line or column that may be missing, or out of any range.
pub(super) fn number(number: Option<i64>) -> Option<u32> {
    number.and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct NamedRecord {
        name: String,
    }

    fn names(bytes: &[u8], buffer: usize) -> Result<Vec<String>, String> {
        let mut out = Vec::new();
        let mut input = BufReader::with_capacity(buffer, bytes);
        let mut take = |record: NamedRecord| out.push(record.name);
        records("sample", "records", &mut input, &mut take).map_err(|error| error.to_string())?;
        Ok(out)
    }

    #[test]
    fn a_list_is_read_at_the_top_or_under_its_key() {
        for text in [
            r#"[{"name":"a"},{"name":"b"}]"#,
            r#"{"x":[{}],"records":[{"name":"a","y":{}},{"name":"b"}]}"#,
            "\u{feff}{\"records\":[{\"name\":\"a\"},{\"name\":\"b\"}]}",
            "\n> lint\n[12:30] begun\n[{\"name\":\"a\"}]\nDone.\n[\n {\"name\":\"b\"}]\nnpm notice\n",
        ] {
            for buffer in [1, 7, 4096] {
                assert_eq!(names(text.as_bytes(), buffer).unwrap(), ["a", "b"], "{text}");
            }
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_tolerated() {
        let bytes = b"[{\"name\":\"a\xff\xc3\xa9\xe2\x82\"}]\xc3";
        for buffer in 1..12 {
            assert_eq!(names(bytes, buffer).unwrap(), ["a?é??"], "{buffer}");
        }
    }

    #[test]
    fn what_breaks_off_is_refused_with_the_place() {
        let error = |text: &str| names(text.as_bytes(), 64).unwrap_err();
        assert_eq!(
            error("> lint\n\n[{\"name\":\"a\"},\n {\"name\":\"b"),
            "its output is not what sample prints: EOF while parsing a string at line 4 column 11"
        );
        assert_eq!(
            error("{\"other\":[]}"),
            "its output is not what sample prints: there is no `records` at line 1 column 12"
        );
        for nothing in ["", "\n", "Oops! Something went wrong.\n"] {
            assert_eq!(
                error(nothing),
                "its output is not what sample prints: there is no JSON in it"
            );
        }
    }

    #[test]
    fn an_unreadable_input_is_not_called_broken_json() {
        struct BrokenReader;
        impl Read for BrokenReader {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("gone"))
            }
        }
        let mut input = BufReader::new(&b"[{"[..]).into_inner().chain(BrokenReader);
        let mut input = BufReader::new(&mut input);
        let error = records("sample", "x", &mut input, &mut |_: NamedRecord| ()).unwrap_err();
        assert!(matches!(error, FormatError::Io(_)), "{error}");
    }
}
