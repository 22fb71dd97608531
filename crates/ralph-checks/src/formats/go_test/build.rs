//! The output of `go` itself while it builds, and the module it builds.

use ralph_core::finding::{FindingLevel, SourceLocation};

use super::super::spot::PrintedLocation;
use super::super::{FindingCollector, ToolFinding};

/// The beginnings of the messages that `go` prints when nothing is wrong.
const NEWS: [&str; 6] =
    ["downloading ", "finding ", "extracting ", "added ", "upgraded ", "warning: "];

/// The module whose packages are tested.
#[derive(Debug, Default)]
pub(in super::super) struct GoModule(Option<String>);

impl GoModule {
    /// The module in the folder the command ran in, if there is one. Tests
    /// name files without their folder, and packages with the module's path.
    pub(in super::super) fn of(out: &FindingCollector) -> Self {
        let text = ralph_files::read_text(out.folder().join("go.mod")).unwrap_or_default();
        let path = text.lines().find_map(|line| line.strip_prefix("module "));
        Self(path.map(|path| path.trim().trim_matches('"').to_owned()))
    }

    /// A file of a package, relative to the folder the command ran in.
    pub(super) fn file(&self, package: &str, file: &str) -> String {
        let inside = self.0.as_deref().and_then(|module| package.strip_prefix(module));
        match inside.map(|inside| inside.trim_start_matches('/')) {
            Some(folder) if !folder.is_empty() && !file.contains('/') => format!("{folder}/{file}"),
            Some(_) | None => file.to_owned(),
        }
    }
}

/// Takes in a line that is no event.
pub(super) fn line(line: &str, out: &mut FindingCollector) {
    if let Some((package, why)) = failed_package(line) {
        out.failed(package, SourceLocation::default(), why);
        return;
    }
    let text = line.strip_prefix("vet: ").unwrap_or(line);
    if let Some((spot, message)) = diagnostic(text) {
        finding(spot.place(out), message, out);
    } else if let Some(message) = line.strip_prefix("go: ")
        && !NEWS.iter().any(|news| message.starts_with(news))
    {
        finding(SourceLocation::default(), message, out);
    }
}

fn finding(place: SourceLocation, message: &str, out: &mut FindingCollector) {
    let found =
        ToolFinding { tool: "go", rule: None, level: FindingLevel::Error, message, context: "" };
    out.finding(place, &found);
}

/// Package and reason from `FAIL\tpackage [build failed]`.
pub(in super::super) fn failed_package(line: &str) -> Option<(&str, &str)> {
    let (package, why) = line.strip_prefix("FAIL\t")?.split_once(" [")?;
    Some((package, why.strip_suffix(']')?))
}

/// Place and message from `file.go:6:14: message`.
fn diagnostic(text: &str) -> Option<(PrintedLocation<'_>, &str)> {
    let (place, message) = text.split_once(": ")?;
    let spot = PrintedLocation::parse(place)?;
    spot.has_ending("go").then_some((spot, message))
}
