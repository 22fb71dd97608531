//! Documentation tests are named by their line, which moves; so they are
//! numbered within their item instead, in the order of their lines.

use std::fmt::Write;

use ralph_core::finding::TestState;

use super::super::FindingCollector;
use super::super::panics::PanicReader;

/// The maximum number of tests that are put in order; more keep their line.
const KEPT: usize = 20_000;

/// Documentation tests of one crate, as they end.
#[derive(Debug, Default)]
pub(super) struct DocTests {
    ended: Vec<DocTest>,
}

#[derive(Debug)]
struct DocTest {
    /// The crate, as `shop::doc`.
    target: String,
    /// `src/lib.rs - add`.
    item: String,
    line: u32,
    state: TestState,
    output: Option<PanicReader>,
}

impl DocTests {
    /// Takes in how a test ended.
    pub(super) fn ended(
        &mut self,
        target: &str,
        name: &str,
        state: TestState,
        out: &mut FindingCollector,
    ) {
        let Some((item, line)) = split(name) else {
            out.test(&format!("{target}${name}"), state);
            return;
        };
        if self.ended.len() == KEPT {
            out.test(&format!("{target}${name}"), state);
            return;
        }
        let (target, item) = (target.to_owned(), item.to_owned());
        self.ended.push(DocTest { target, item, line, state, output: None });
    }

    /// Takes in what a failed test printed.
    pub(super) fn printed(
        &mut self,
        target: &str,
        name: &str,
        output: PanicReader,
        out: &mut FindingCollector,
    ) {
        let found = split(name).and_then(|(item, line)| {
            self.ended.iter_mut().find(|test| test.line == line && test.item == item)
        });
        match found {
            Some(test) => test.output = Some(output),
            None => output.report(&format!("{target}${name}"), None, out),
        }
    }

    /// Reports them all, because the crate's tests are over.
    pub(super) fn flush(&mut self, out: &mut FindingCollector) {
        self.ended.sort_by(|a, b| (&a.target, &a.item, a.line).cmp(&(&b.target, &b.item, b.line)));
        let mut previous = (String::new(), String::new());
        let mut number = 0;
        for test in self.ended.drain(..) {
            let mut id = format!("{}${}", test.target, test.item);
            let file = test.item.split_once(" - ").map_or("", |(file, _)| file).to_owned();
            let key = (test.target, test.item);
            number = if previous == key { number + 1 } else { 1 };
            previous = key;
            if number > 1 {
                // Writing to a string cannot fail.
                let _ = write!(id, " ({number})");
            }
            let place = out.place(&file, Some(test.line), None);
            match (test.state, test.output) {
                (TestState::Failed, Some(output)) => output.report(&id, Some(place), out),
                (TestState::Failed, None) => out.failed(&id, place, ""),
                (TestState::Passed | TestState::Skipped, _) => out.test(&id, test.state),
            }
        }
    }
}

/// `src/lib.rs - add` and 5 from `src/lib.rs - add (line 5)`.
fn split(name: &str) -> Option<(&str, u32)> {
    let (item, rest) = name.rsplit_once(" (line ")?;
    Some((item, rest.strip_suffix(')')?.parse().ok()?))
}
