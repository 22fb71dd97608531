//! jest without `--json`, verbose or not.
//!
//! Ids are those of its report: `file::outer > inner > title`.

use ralph_core::finding::TestCounts;

use super::super::FindingCollector;
use super::super::located::extension;
use super::figures::counted;
use super::{RunnerDialect, RunnerLine};

/// Endings of files with tests.
const SCRIPTS: [&str; 8] = ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"];

/// The state between the lines.
#[derive(Debug, Default)]
pub(super) struct JestText {
    /// The file whose failures are shown.
    file: String,
    /// True if the last line counted files.
    summed: bool,
    /// True if only the name of a failure was read so far.
    titled: bool,
}

impl RunnerDialect for JestText {
    fn name(&self) -> &'static str {
        "jest"
    }

    fn first_bytes(&self) -> &'static [u8] {
        "FPTN●".as_bytes()
    }

    fn outside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> Option<RunnerLine<'a>> {
        let summed = std::mem::take(&mut self.summed);
        if let Some(file) = headed(line, out) {
            self.file = file;
            return Some(RunnerLine::Own);
        }
        if let Some(title) = line.strip_prefix("  ● ").filter(|_| !self.file.is_empty()) {
            self.titled = false;
            return Some(match title.trim_end() {
                "Console" => RunnerLine::Own,
                "Test suite failed to run" => RunnerLine::failure(self.file.clone()),
                // It ends jest, whichever test did it.
                title if title.starts_with(" process.exit called with ") => {
                    RunnerLine::failure(title.trim_start().to_owned())
                }
                title => {
                    self.titled = true;
                    RunnerLine::failure(format!("{}::{}", self.file, parted(title)))
                }
            });
        }
        if line.starts_with("Test Suites: ") && line.ends_with(" total") {
            self.summed = true;
            return Some(RunnerLine::Own);
        }
        if line.starts_with("No tests found, exiting with code ") {
            return Some(RunnerLine::Begins);
        }
        let figures = line.strip_prefix("Tests: ").filter(|_| summed)?;
        counts(figures).map(RunnerLine::Counts)
    }

    fn inside<'a>(&mut self, line: &'a str, out: &FindingCollector) -> RunnerLine<'a> {
        let text = line.trim_start();
        // An empty line follows the title, which may have lines itself.
        if std::mem::take(&mut self.titled) && !text.is_empty() {
            self.titled = true;
            return RunnerLine::NextLine(line);
        }
        if !text.is_empty() && !line.starts_with("   ") {
            return self.outside(line, out).unwrap_or(RunnerLine::Over);
        }
        if text.starts_with("at ") || is_code(text) {
            return RunnerLine::Trace(line);
        }
        RunnerLine::Said(line)
    }
}

/// The file from `FAIL project ./a.test.js (5.2 s)`. Its name may hold spaces:
/// if there is no such file, what stands first is the name of a project.
fn headed(line: &str, out: &FindingCollector) -> Option<String> {
    let rest = line.strip_prefix("FAIL ").or_else(|| line.strip_prefix("PASS "))?;
    let rest = match rest.rsplit_once(" (") {
        Some((file, time)) if time.ends_with(" s)") => file,
        Some(_) | None => rest,
    };
    let last = rest.rsplit(' ').next()?;
    extension(last).filter(|ending| SCRIPTS.contains(ending))?;
    let starts = rest.match_indices(' ').map(|(at, _)| at + 1);
    let mut files = std::iter::once(0).chain(starts).map(|at| rest[at..].trim_start());
    let file = files.find(|file| out.folder().join(file).is_file()).unwrap_or(last);
    Some(out.place(file, None, None).file)
}

/// A title with our mark between its parts.
fn parted(title: &str) -> String {
    title.replace(" › ", " > ")
}

/// True if the line shows the code: `> 15 | test(…)`.
fn is_code(text: &str) -> bool {
    let text = text.strip_prefix("> ").unwrap_or(text);
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.starts_with(" |") && rest.len() < text.len() || rest.starts_with("| ")
}

/// `1 failed, 1 skipped, 1 todo, 3 passed, 6 total`.
fn counts(text: &str) -> Option<TestCounts> {
    let mut counts = TestCounts::default();
    for (number, what) in counted(text, ", ")? {
        match what {
            "failed" => counts.failed += number,
            "passed" => counts.passed += number,
            "skipped" | "todo" => counts.skipped += number,
            "total" => {}
            _ => return None,
        }
    }
    Some(counts)
}
