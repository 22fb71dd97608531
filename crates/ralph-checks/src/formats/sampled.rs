//! Helpers for tests of readers: samples in, findings as text out.

use std::io::{BufRead, BufReader};
use std::path::Path;

use ralph_core::finding::{Finding, ToolReport};

use super::{FindingCollector, FormatError};

/// A reader of one form.
pub(super) type FormatReader =
    fn(&mut dyn BufRead, &mut FindingCollector) -> Result<(), FormatError>;

/// Reads the output of a tool that ran in the project's root.
pub(super) fn reading(read: FormatReader, bytes: &[u8]) -> Result<ToolReport, FormatError> {
    let mut out = FindingCollector::new(Path::new("/project"), "");
    read(&mut BufReader::new(bytes), &mut out)?;
    Ok(out.finish())
}

/// The findings in a text, a line for each.
#[track_caller]
pub(super) fn summaries(read: FormatReader, text: &str) -> Vec<String> {
    reading(read, text.as_bytes()).unwrap().findings.iter().map(summary).collect()
}

/// `level tool rule file:line:column message`.
fn summary(finding: &Finding) -> String {
    let (level, tool) = (finding.level.name(), &finding.tool);
    let rule = finding.rule.as_deref().unwrap_or("-");
    let column = finding.place.column.map(|column| format!(":{column}")).unwrap_or_default();
    let place = format!("{}{column}", finding.place.display());
    format!("{level} {tool} {rule} {place} {}", finding.message)
}

/// Checks that a document is refused wherever it breaks off.
#[track_caller]
pub(super) fn refuses_every_beginning(read: FormatReader, text: &str) {
    let bytes = text.trim_end().as_bytes();
    // Some hundred places are enough of a long one.
    for end in (0..bytes.len()).step_by(1 + bytes.len() / 400) {
        assert!(reading(read, &bytes[..end]).is_err(), "read though cut at {end}");
    }
    assert!(reading(read, bytes).is_ok());
}
