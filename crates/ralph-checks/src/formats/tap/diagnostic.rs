//! Comments that explain failures. Those of Perl's test modules go to another
//! stream than the test points, so they may come before or after them, and
//! name their test; those of bats follow it.

use std::collections::HashMap;

use ralph_core::finding::SourceLocation;

use super::super::FindingCollector;
use super::super::said::FailureMessage;
use super::super::spot::{PrintedLocation, worded};

/// The maximum number of explanations remembered, and that of tests without one.
const KEPT: usize = 1_000;

/// Explanations by the description of their test.
#[derive(Debug, Default)]
pub(super) struct TapDiagnostics {
    open: Option<TapOpenDiagnostic>,
    known: HashMap<String, (SourceLocation, String)>,
    /// Ids of failed tests that nothing is known about.
    expected: HashMap<String, String>,
    /// The last of them.
    last: String,
    /// True if nothing was printed since its test point.
    silent: bool,
}

#[derive(Debug)]
struct TapOpenDiagnostic {
    name: String,
    place: SourceLocation,
    said: FailureMessage,
}

impl TapDiagnostics {
    /// Takes in a comment, without its `#`.
    pub(super) fn line(&mut self, note: &str, out: &mut FindingCollector) {
        let text = note.trim_start();
        if let Some(spot) = worded(text, "in test file ", ", line ") {
            self.after_last(spot.place(out), out);
            return;
        }
        // Where it was called from follows.
        if text.starts_with("(from function ") {
            self.finish(out);
            return;
        }
        if let Some(rest) = text.strip_prefix("Failed test ") {
            self.finish(out);
            let rest = rest.trim_start_matches('\'');
            let name = rest.rsplit_once('\'').map_or("", |(name, _)| name).to_owned();
            self.open = Some(TapOpenDiagnostic {
                name,
                place: SourceLocation::default(),
                said: FailureMessage::default(),
            });
        } else if text.starts_with("Looks like ") || text.starts_with("Failed (") {
            self.finish(out);
        }
        if std::mem::take(&mut self.silent) && self.open.is_none() && !is_count(text) {
            self.open = Some(TapOpenDiagnostic {
                name: self.last.clone(),
                place: SourceLocation::default(),
                said: FailureMessage::default(),
            });
        }
        let Some(open) = &mut self.open else { return };
        if let Some(spot) = PrintedLocation::find_in_line(note)
            && open.place.file.is_empty()
        {
            open.place = spot.place(out);
        } else if !text.starts_with("Failed test ") {
            open.said.line(text);
        }
    }

    /// Begins what bats says about the test before it.
    fn after_last(&mut self, place: SourceLocation, out: &mut FindingCollector) {
        self.finish(out);
        self.open = Some(TapOpenDiagnostic {
            name: self.last.clone(),
            place,
            said: FailureMessage::default(),
        });
    }

    /// Returns all that is known about a failed test.
    pub(super) fn about(&mut self, name: &str) -> (SourceLocation, String) {
        self.known.remove(name).unwrap_or_default()
    }

    /// Remembers a failed test that nothing is known about yet.
    pub(super) fn expect(&mut self, name: String, id: String) {
        if self.expected.len() < KEPT {
            self.last.clone_from(&name);
            self.silent = true;
            self.expected.insert(name, id);
        }
    }

    /// Returns the explanations that belong to no test point: the first place, and all the text.
    pub(super) fn left(&mut self, out: &mut FindingCollector) -> (SourceLocation, String) {
        self.finish(out);
        let mut known: Vec<_> = std::mem::take(&mut self.known).into_iter().collect();
        known.sort_by_key(|(name, (place, _))| (place.file.clone(), place.line, name.clone()));
        let mut all = FailureMessage::default();
        for (name, (_, said)) in &known {
            all.line(&format!("Failed test '{name}'"));
            all.text(said);
        }
        let place = known.into_iter().next().map(|(_, (place, _))| place).unwrap_or_default();
        (place, all.as_str().to_owned())
    }

    /// Takes in that another test point follows.
    pub(super) fn next_point(&mut self, out: &mut FindingCollector) {
        self.silent = false;
        if self.open.as_ref().is_some_and(|open| open.name == self.last) {
            self.finish(out);
        }
    }

    /// Takes in that the explanation is complete.
    pub(super) fn finish(&mut self, out: &mut FindingCollector) {
        let Some(TapOpenDiagnostic { name, place, said }) = self.open.take() else { return };
        match self.expected.remove(&name) {
            Some(id) => out.failed(&id, place, said.as_str()),
            None if self.known.len() < KEPT => {
                self.known.insert(name, (place, said.as_str().to_owned()));
            }
            None => {}
        }
    }
}

/// True if a comment is one of a runner's own counts: `fail 1`.
fn is_count(text: &str) -> bool {
    text.split_once(' ').is_none_or(|(_, number)| number.parse::<f64>().is_ok())
}
