//! A failure as a runner shows it: names, what was said, and where.

use ralph_core::finding::SourceLocation;

use super::super::FindingCollector;
use super::super::said::FailureMessage;
use super::super::spot::PrintedLocation;

/// The maximum number of tests that share the message below their names.
const SHARED: usize = 100;

/// A failure that is being read.
#[derive(Debug, Default)]
pub(super) struct ShownFailure {
    ids: Vec<String>,
    said: FailureMessage,
    /// True if the message is over.
    traced: bool,
    /// The place of the test, as the runner gives it.
    home: Option<SourceLocation>,
    /// The place where it went wrong.
    thrown: Option<SourceLocation>,
    /// A file without its folder that was named first, and is nowhere here.
    elsewhere: Option<SourceLocation>,
}

impl ShownFailure {
    pub(super) fn of(id: String) -> Self {
        Self { ids: vec![id], ..Self::default() }
    }

    /// Adds a test with the same message, and returns true, if no message was read yet.
    pub(super) fn also(&mut self, id: &str) -> bool {
        let shares = self.said.is_empty() && !self.traced && self.ids.len() < SHARED;
        if shares {
            self.ids.push(id.to_owned());
        }
        shares
    }

    pub(super) fn name(&mut self, joint: &str, part: &str) {
        if let Some(id) = self.ids.last_mut() {
            id.push_str(joint);
            id.push_str(part.trim());
        }
    }

    pub(super) fn at(&mut self, spot: &PrintedLocation<'_>, out: &FindingCollector) {
        self.home.get_or_insert_with(|| found(spot, "", out).unwrap_or_else(|| spot.place(out)));
    }

    pub(super) fn say(&mut self, text: &str, out: &FindingCollector) {
        if !self.traced && out.wants_failures() {
            self.said.line(text.trim_start());
        }
        self.look(text, out);
    }

    pub(super) fn trace(&mut self, text: &str, out: &FindingCollector) {
        self.traced |= !self.said.is_empty();
        self.look(text, out);
    }

    fn look(&mut self, text: &str, out: &FindingCollector) {
        if self.thrown.is_some() || !out.wants_failures() {
            return;
        }
        if let Some(spot) = PrintedLocation::find_in_line(text) {
            let bare = !spot.file.contains(['/', '\\']);
            let place = if bare { found(&spot, "", out) } else { None };
            self.thrown = Some(place.unwrap_or_else(|| spot.place(out)));
        } else if let Some((spot, package)) = PrintedLocation::without_folder(text) {
            self.thrown = found(&spot, &package, out);
            let is_test = || self.ids.iter().any(|id| id.contains(stem(spot.file)));
            if self.elsewhere.is_none() && is_test() {
                self.elsewhere = Some(spot.place(out));
            }
        }
    }

    pub(super) fn report(self, out: &mut FindingCollector) {
        let place = self.thrown.or(self.home).or(self.elsewhere);
        for id in &self.ids {
            let place = place.clone().unwrap_or_else(|| named_by(id));
            out.failed(id, place, self.said.as_str());
        }
    }
}

/// The file that an id begins with, if that is what it begins with.
fn named_by(id: &str) -> SourceLocation {
    let file = id.split("::").next().unwrap_or(id);
    let is_code = PrintedLocation { file, line: 1, column: None }.is_ours();
    if is_code {
        SourceLocation { file: file.to_owned(), ..SourceLocation::default() }
    } else {
        SourceLocation::default()
    }
}

/// The file of the project that a name without a folder stands for.
fn found(
    spot: &PrintedLocation<'_>,
    package: &str,
    out: &FindingCollector,
) -> Option<SourceLocation> {
    let file = out.source_file(spot.file, package)?;
    Some(SourceLocation { file, line: Some(spot.line), column: spot.column })
}

fn stem(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}
