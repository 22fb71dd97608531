//! Errors of the Rust compiler as text, between the lines of a test run.

use ralph_core::finding::{FindingLevel, SourceLocation};

use super::lines::LineClaim;
use super::spot::PrintedLocation;
use super::{FindingCollector, ToolFinding};

/// The beginnings of the lines that cargo adds about errors it reports elsewhere.
const SUMMARIES: [&str; 10] = [
    "aborting due to",
    "could not compile",
    "test failed",
    "doctest failed",
    "bench failed",
    "test run failed",
    "process didn't exit successfully",
    "target failed",
    "targets failed",
    "exited with code",
];

/// Takes in lines and finds errors in them.
#[derive(Debug, Default)]
pub(super) struct RustcText {
    open: Option<PendingRustcError>,
}

/// An error of which not all is known yet.
#[derive(Debug)]
struct PendingRustcError {
    code: Option<String>,
    message: String,
    place: Option<SourceLocation>,
}

impl RustcText {
    /// Takes in a line that no test printed.
    pub(super) fn line(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        if let Some(open) = &mut self.open {
            let text = line.trim_start();
            if open.place.is_none() {
                let at =
                    text.strip_prefix("--> ").and_then(|at| PrintedLocation::parse(at.trim_end()));
                if let Some(spot) = at {
                    open.place = Some(spot.place(out));
                    return LineClaim::Taken;
                }
            } else if text == "|" || text == "..." {
                return LineClaim::Taken;
            } else {
                let source = source(text).unwrap_or_default().to_owned();
                self.close(&source, out);
                return if source.is_empty() { self.head(line) } else { LineClaim::Taken };
            }
            self.close("", out);
        }
        self.head(line)
    }

    /// Reports what is still open.
    pub(super) fn finish(&mut self, out: &mut FindingCollector) {
        self.close("", out);
    }

    fn head(&mut self, line: &str) -> LineClaim {
        let Some(rest) = line.strip_prefix("error") else { return LineClaim::Free };
        let (code, message) = match rest.strip_prefix('[').and_then(|rest| rest.split_once("]: ")) {
            Some((code, message)) => (Some(code.to_owned()), message),
            None => match rest.strip_prefix(": ") {
                Some(message) => (None, message),
                None => return LineClaim::Free,
            },
        };
        if code.is_none() && SUMMARIES.iter().any(|summary| message.contains(summary)) {
            return LineClaim::Taken;
        }
        self.open = Some(PendingRustcError { code, message: message.to_owned(), place: None });
        LineClaim::Taken
    }

    fn close(&mut self, source: &str, out: &mut FindingCollector) {
        let Some(open) = self.open.take() else { return };
        let tool = if open.place.is_some() || open.code.is_some() { "rustc" } else { "cargo" };
        out.finding(
            open.place.unwrap_or_default(),
            &ToolFinding {
                tool,
                rule: open.code.as_deref(),
                level: FindingLevel::Error,
                message: &open.message,
                context: source,
            },
        );
    }
}

/// The code in `12 | code`.
fn source(text: &str) -> Option<&str> {
    let (number, code) = text.split_once(" |")?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| code.trim())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn errors_come_with_code_place_and_source() {
        let mut out = FindingCollector::new(Path::new("/project"), "");
        let mut rustc = RustcText::default();
        let text = "error[E0308]: mismatched types\n  --> tests/a.rs:12:22\n   |\n\
                    12 | fn broken() -> String { \"x\" }\n   |      ^^^\n\n\
                    error: linking with `cc` failed\nerror: could not compile `shop`\n\
                    error: 2 targets failed:\nwarning: unused\n --> src/lib.rs:1:1\n";
        for line in text.lines() {
            rustc.line(line, &mut out);
        }
        rustc.finish(&mut out);
        let findings = out.finish().findings;
        let told: Vec<_> = findings
            .iter()
            .map(|found| (found.tool.as_str(), found.place.display(), found.fingerprint.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                (
                    "rustc",
                    "tests/a.rs:12".to_owned(),
                    "rustc E0308 tests/a.rs: mismatched types @ fn broken() -> String { \"x\" }"
                ),
                ("cargo", String::new(), "cargo - : linking with `cc` failed"),
            ]
        );
    }
}
