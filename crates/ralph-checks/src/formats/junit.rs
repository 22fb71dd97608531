//! `JUnit` XML as pytest, Maven, Gradle, `PHPUnit`, ctest, nextest and many
//! others write it: nested suites of test cases with what went wrong in them.
//!
//! Ids are `classname::name`. Several documents may follow each other, and
//! other text may stand before them.

mod bounded;
mod case;

use std::borrow::Cow;
use std::io::{self, BufRead};

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Error, Reader};

use super::{FindingCollector, FormatError};
use bounded::{AMPERSAND, BoundedXmlReader};
use case::{JunitCase, JunitCaseFailure, JunitSuite};

/// The maximum depth of nested elements.
const DEEPEST: u32 = 1000;

/// Reads everything.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    let mut reader = Reader::from_reader(BoundedXmlReader::new(input));
    let mut junit = JunitReader::default();
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        let event = match reader.read_event_into(&mut buffer) {
            Ok(event) => event,
            Err(Error::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                return Err(broken(error.to_string()));
            }
            Err(Error::Io(error)) => {
                return Err(FormatError::Io(io::Error::new(error.kind(), error.to_string())));
            }
            Err(error) => {
                let at = reader.error_position() + reader.get_ref().dropped();
                return Err(broken(format!("{error} at byte {at}")));
            }
        };
        if matches!(event, Event::Eof) {
            let at = reader.buffer_position() + reader.get_ref().dropped();
            return junit.finish(at);
        }
        junit.event(event, out).map_err(|what| {
            let at = reader.buffer_position() + reader.get_ref().dropped();
            broken(format!("{what} at byte {at}"))
        })?;
    }
}

fn broken(what: String) -> FormatError {
    FormatError::Form { form: "junit", what }
}

#[derive(Debug, Default)]
struct JunitReader {
    depth: u32,
    /// True once a suite was seen.
    suites_seen: bool,
    /// The suites around, the outermost first.
    suites: Vec<JunitSuite>,
    case: Option<JunitCase>,
    /// Trouble of a suite as a whole.
    suite_trouble: Option<JunitCase>,
    /// The meaning of the text that is being read.
    text: JunitTextRole,
}

/// The meaning of the text inside the current element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum JunitTextRole {
    #[default]
    Nothing,
    Trouble,
    Output,
}

impl JunitReader {
    fn event(&mut self, event: Event<'_>, out: &mut FindingCollector) -> Result<(), String> {
        match event {
            Event::Start(element) => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err(format!("more than {DEEPEST} elements within each other"));
                }
                self.start(&element, out)
            }
            Event::Empty(element) => {
                self.depth += 1;
                self.start(&element, out)?;
                self.end(element.name().as_ref(), out);
                Ok(())
            }
            Event::End(element) => {
                self.end(element.name().as_ref(), out);
                Ok(())
            }
            Event::Text(text) => {
                if self.text != JunitTextRole::Nothing {
                    let text = text.replace(char::from(AMPERSAND), "&");
                    self.text(&unescaped(Cow::Owned(text)));
                }
                Ok(())
            }
            Event::CData(text) => {
                self.text(&text);
                Ok(())
            }
            Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_)
            | Event::GeneralRef(_)
            | Event::Eof => Ok(()),
        }
    }

    fn start(
        &mut self,
        element: &BytesStart<'_>,
        out: &mut FindingCollector,
    ) -> Result<(), String> {
        match element.local_name().as_ref() {
            "testsuites" => {
                self.suites_seen = true;
                out.runs_tests();
            }
            "testsuite" => {
                self.suites_seen = true;
                out.runs_tests();
                let mut suite = JunitSuite::default();
                each_attribute(element, |key, value| match key {
                    "name" => suite.name = value.into_owned(),
                    "file" => suite.file = value.into_owned(),
                    _ => {}
                })?;
                self.suites.push(suite);
            }
            "testcase" => {
                let mut case = JunitCase::default();
                each_attribute(element, |key, value| case.attribute(key, value))?;
                self.case = Some(case);
            }
            "failure" | "error" => self.trouble(element, JunitCaseFailure::Failed)?,
            "skipped" | "warning" => self.trouble(element, JunitCaseFailure::Skipped)?,
            "system-out" | "system-err"
                if self.case.as_ref().is_some_and(JunitCase::has_failed) =>
            {
                self.text = JunitTextRole::Output;
            }
            _ if self.depth == 1 && !self.suites_seen => {
                let name = element.name();
                return Err(format!("`{}` is no test suite", name.as_ref()));
            }
            _ => {}
        }
        Ok(())
    }

    fn trouble(&mut self, element: &BytesStart<'_>, kind: JunitCaseFailure) -> Result<(), String> {
        let (mut message, mut class) = (String::new(), String::new());
        each_attribute(element, |key, value| match key {
            "message" => message = value.into_owned(),
            "type" => class = value.into_owned(),
            _ => {}
        })?;
        if let Some(case) = &mut self.case {
            case.trouble(kind, &message, &class);
            self.text = JunitTextRole::Trouble;
        } else if kind == JunitCaseFailure::Failed && !self.suites.is_empty() {
            let case = self.suite_trouble.get_or_insert_default();
            case.trouble(kind, &message, &class);
            self.text = JunitTextRole::Trouble;
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        let case = self.case.as_mut().or(self.suite_trouble.as_mut());
        if let (Some(case), true) = (case, self.text != JunitTextRole::Nothing) {
            match self.text {
                JunitTextRole::Trouble => case.said(text),
                JunitTextRole::Output => case.printed(text),
                JunitTextRole::Nothing => {}
            }
        }
    }

    fn end(&mut self, name: &str, out: &mut FindingCollector) {
        self.depth = self.depth.saturating_sub(1);
        self.text = JunitTextRole::Nothing;
        match name.rsplit(':').next().unwrap_or(name) {
            "testcase" => {
                if let Some(case) = self.case.take() {
                    case.report(&self.suites, out);
                }
            }
            "testsuite" => {
                if let Some(case) = self.suite_trouble.take() {
                    case.report(&self.suites, out);
                }
                self.suites.pop();
            }
            _ => {}
        }
    }

    fn finish(self, at: u64) -> Result<(), FormatError> {
        if self.depth > 0 {
            return Err(broken(format!("it ends within an element at byte {at}")));
        }
        if !self.suites_seen {
            return Err(broken("it holds no test suite".to_owned()));
        }
        Ok(())
    }
}

/// Hands on each attribute with its entities resolved.
fn each_attribute<'a>(
    element: &'a BytesStart<'_>,
    mut take: impl FnMut(&str, Cow<'a, str>),
) -> Result<(), String> {
    let mut attributes = element.attributes();
    for attribute in attributes.with_checks(false) {
        let attribute = attribute.map_err(|error| error.to_string())?;
        take(attribute.key.local_name().as_ref(), unescaped(attribute.value));
    }
    Ok(())
}

/// A text with its entities resolved; unknown ones stay as they are.
fn unescaped(raw: Cow<'_, str>) -> Cow<'_, str> {
    if !raw.contains('&') {
        return raw;
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest: &str = &raw;
    while let Some((before, after)) = rest.split_once('&') {
        text.push_str(before);
        let end = after.find(';').filter(|end| *end <= 10);
        if let Some((c, end)) = end.and_then(|end| Some((entity(after.get(..end)?)?, end))) {
            text.push(c);
            rest = &after[end + 1..];
        } else {
            text.push('&');
            rest = after;
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

fn entity(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}
