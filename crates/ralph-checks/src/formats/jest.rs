//! `jest --json` and `vitest --reporter=json`.
//!
//! The document is read file by file. Ids are `file::outer > inner > title`.
//! Text before the document, which both may print, is passed over.

use std::fmt;
use std::io::{self, BufRead, BufReader, Cursor, Read};

use memchr::memchr;
use ralph_core::finding::{SourceLocation, TestState};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;

use super::lines::uncoloured;
use super::printed::LossyUtf8;
use super::said::FailureMessage;
use super::spot::PrintedLocation;
use super::{FindingCollector, FormatError};

/// The possible beginnings of a document of either form, as its keys come in any order.
const BEGINNINGS: [&[u8]; 8] = [
    b"{\"num",
    b"{\"success\"",
    b"{\"testResults\"",
    b"{\"snapshot\"",
    b"{\"startTime\"",
    b"{\"openHandles\"",
    b"{\n",
    b"{\r\n",
];

/// The number of bytes of a line that show whether the document begins there.
const LOOKED_AT: usize = 16;

/// Reads everything.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    let Some(head) = find_document(input)? else {
        return Err(broken("it holds no report".to_owned()));
    };
    let input = BufReader::with_capacity(64 * 1024, Cursor::new(head).chain(input));
    let input = BufReader::with_capacity(64 * 1024, LossyUtf8::of(input));
    let mut json = serde_json::Deserializer::from_reader(input);
    let seen =
        JestReport { out }.deserialize(&mut json).map_err(|error| match error.classify() {
            Category::Io => FormatError::Io(error.into()),
            Category::Syntax | Category::Data | Category::Eof => broken(error.to_string()),
        })?;
    if seen { Ok(()) } else { Err(broken("it holds no `testResults`".to_owned())) }
}

fn broken(what: String) -> FormatError {
    FormatError::Form { form: "jest", what }
}

/// Skips to the line that begins the document and gives its first bytes.
fn find_document(input: &mut dyn BufRead) -> io::Result<Option<Vec<u8>>> {
    loop {
        let mut head = Vec::with_capacity(LOOKED_AT);
        while head.len() < LOOKED_AT && head.last() != Some(&b'\n') {
            let Some(byte) = input.fill_buf()?.first().copied() else { break };
            head.push(byte);
            input.consume(1);
        }
        if head.is_empty() {
            return Ok(None);
        }
        if BEGINNINGS.iter().any(|beginning| head.starts_with(beginning)) {
            return Ok(Some(head));
        }
        if head.last() != Some(&b'\n') {
            skip_line(input)?;
        }
    }
}

fn skip_line(input: &mut dyn BufRead) -> io::Result<()> {
    loop {
        let chunk = input.fill_buf()?;
        if chunk.is_empty() {
            return Ok(());
        }
        let (taken, over) = match memchr(b'\n', chunk) {
            Some(end) => (end + 1, true),
            None => (chunk.len(), false),
        };
        input.consume(taken);
        if over {
            return Ok(());
        }
    }
}

/// Text, or whatever stands where text should: titles may be anything.
#[derive(Debug, Default)]
struct LenientText(String);

impl<'de> Deserialize<'de> for LenientText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LenientTextVisitor)
    }
}

struct LenientTextVisitor;

impl<'de> Visitor<'de> for LenientTextVisitor {
    type Value = LenientText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<LenientText, E> {
        Ok(LenientText(text.to_owned()))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<LenientText, E> {
        Ok(LenientText(value.to_string()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<LenientText, E> {
        Ok(LenientText(number.to_string()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<LenientText, E> {
        Ok(LenientText(number.to_string()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<LenientText, E> {
        Ok(LenientText(number.to_string()))
    }

    fn visit_unit<E: Error>(self) -> Result<LenientText, E> {
        Ok(LenientText::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<LenientText, A::Error> {
        let mut texts = Vec::new();
        while let Some(LenientText(text)) = parts.next_element()? {
            texts.push(text);
        }
        Ok(LenientText(texts.join(",")))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<LenientText, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(LenientText("[object Object]".to_owned()))
    }
}

/// The results of one file.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct FileResult {
    assertion_results: Vec<JestAssertion>,
    message: Option<LenientText>,
    name: LenientText,
    status: LenientText,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct JestAssertion {
    ancestor_titles: Vec<LenientText>,
    failure_messages: Option<Vec<LenientText>>,
    location: Option<JestLocation>,
    status: LenientText,
    title: LenientText,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct JestLocation {
    line: u32,
    column: u32,
}

/// The whole document; gives whether there were results in it.
struct JestReport<'a> {
    out: &'a mut FindingCollector,
}

impl<'de> DeserializeSeed<'de> for JestReport<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for JestReport<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a report")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        let mut seen = false;
        while let Some(key) = map.next_key::<LenientText>()? {
            if key.0 == "testResults" {
                seen = true;
                self.out.runs_tests();
                map.next_value_seed(JestFileList { out: self.out })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(seen)
    }
}

/// The list of files, reported one by one.
struct JestFileList<'a> {
    out: &'a mut FindingCollector,
}

impl<'de> DeserializeSeed<'de> for JestFileList<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for JestFileList<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of files")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut files: A) -> Result<(), A::Error> {
        while let Some(file) = files.next_element::<FileResult>()? {
            file.report(self.out);
        }
        Ok(())
    }
}

impl FileResult {
    fn report(&self, out: &mut FindingCollector) {
        let file = out.place(&self.name.0, None, None).file;
        let mut failed = false;
        for assertion in &self.assertion_results {
            failed |= assertion.status.0 == "failed";
            assertion.report(&file, out);
        }
        if self.status.0 == "failed" && !failed {
            let message = self.message.as_ref().map_or("", |message| message.0.as_str());
            let message = uncoloured(message);
            let place = match PrintedLocation::find(&message) {
                Some(spot) => spot.place(out),
                None => out.place(&self.name.0, None, None),
            };
            out.failed(&file, place, without_trace(&message).as_str());
        }
    }
}

impl JestAssertion {
    fn report(&self, file: &str, out: &mut FindingCollector) {
        let titles = self.ancestor_titles.iter().chain([&self.title]);
        let titles = titles.map(|title| title.0.as_str()).collect::<Vec<_>>().join(" > ");
        let id = format!("{file}::{titles}");
        match self.status.0.as_str() {
            "passed" => out.test(&id, TestState::Passed),
            "failed" => {
                let message = self.failure_messages.iter().flatten().next();
                let message = uncoloured(message.map_or("", |message| message.0.as_str()));
                let place = self.place(&message, file, out);
                out.failed(&id, place, without_trace(&message).as_str());
            }
            _ => out.test(&id, TestState::Skipped),
        }
    }

    fn place(&self, message: &str, file: &str, out: &FindingCollector) -> SourceLocation {
        if let Some(spot) = PrintedLocation::find(message) {
            return spot.place(out);
        }
        let location = self.location;
        SourceLocation {
            file: file.to_owned(),
            line: location.map(|at| at.line),
            column: location.map(|at| at.column),
        }
    }
}

/// A message without the frames that follow it.
fn without_trace(message: &str) -> FailureMessage {
    let mut said = FailureMessage::default();
    said.before_trace(message);
    said
}
