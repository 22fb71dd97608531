use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use ralph_core::finding::{
    Finding, FindingLevel, SourceLocation, TestCounts, TestFailure, TestResults, TestState,
    ToolReport,
};
use ralph_redact::redact;

use super::name_filter::NameFilter;
use super::printed::one_line;
use crate::project_files::SourceFiles;

/// The maximum number of findings that are listed; the others are counted.
const FINDINGS: usize = 2_000;

/// The maximum number of tests that are listed by id; the others are counted.
const TESTS: usize = 100_000;

/// The maximum number of failed tests that are listed by id, even beyond [`TESTS`].
const FAILED_TESTS: usize = 20_000;

/// The maximum number of failing tests that are listed with their messages.
const FAILURES: usize = 500;

/// The maximum length of a message; the rest is cut off.
const MESSAGE_CHARS: usize = 600;

/// Takes in what a reader finds, with bounds.
#[derive(Debug)]
pub struct FindingCollector {
    /// The project's root.
    root: PathBuf,
    /// The folder relative paths begin at, relative to the root.
    dir: PathBuf,
    reading: ToolReport,
    /// The number of times each fingerprint was seen.
    seen: HashMap<String, u32>,
    /// The ids of tests that are listed, and of those that failed.
    names: NameFilter,
    /// The number of failed tests that are listed.
    failed: usize,
    /// The project's files by their names, once somebody asked.
    sources: OnceCell<SourceFiles>,
}

/// A finding as a tool reports it.
#[derive(Clone, Copy, Debug)]
pub struct ToolFinding<'a> {
    /// The tool.
    pub tool: &'a str,
    /// Its name for the kind of finding.
    pub rule: Option<&'a str>,
    /// The severity.
    pub level: FindingLevel,
    /// The text of the finding.
    pub message: &'a str,
    /// A symbol or the text of the line, which tells it apart from others with the same message in
    /// the same file. May be empty.
    pub context: &'a str,
}

impl FindingCollector {
    /// Nothing found yet. The tool ran in `dir` below the absolute `root`.
    pub fn new(root: &Path, dir: &str) -> Self {
        Self {
            root: root.to_owned(),
            dir: PathBuf::from(dir),
            reading: ToolReport::default(),
            seen: HashMap::new(),
            names: NameFilter::default(),
            failed: 0,
            sources: OnceCell::new(),
        }
    }

    /// The folder the tool ran in.
    pub fn folder(&self) -> PathBuf {
        self.root.join(&self.dir)
    }

    /// Names a place the way we do: relative to the root, with `/`.
    pub fn place(&self, file: &str, line: Option<u32>, column: Option<u32>) -> SourceLocation {
        let file = file.strip_prefix("file://").unwrap_or(file);
        let path = Path::new(file);
        let inside = path.strip_prefix(&self.root).ok().map(Path::to_owned);
        let path = match inside {
            Some(inside) => inside,
            None if path.is_absolute() || file.is_empty() => path.to_owned(),
            None => self.dir.join(path),
        };
        SourceLocation { file: slashed(&path), line: line.filter(|line| *line > 0), column }
    }

    /// The file of the project that has this name, as far as only one can be
    /// meant; `package` is the end of its folder, and may be empty.
    pub(super) fn source_file(&self, name: &str, package: &str) -> Option<String> {
        self.sources.get_or_init(|| SourceFiles::below(&self.root)).find(name, package, &self.dir)
    }

    /// Returns the counts of the tests so far.
    pub(super) fn test_counts(&self) -> TestCounts {
        self.reading.tests.as_ref().map(|tests| tests.counts).unwrap_or_default()
    }

    /// Takes in a finding.
    pub fn finding(&mut self, place: SourceLocation, found: &ToolFinding<'_>) {
        self.reading.counts.add(found.level, 1);
        if self.reading.findings.len() == FINDINGS {
            self.reading.beyond += 1;
            return;
        }
        let mut finding = Finding {
            tool: found.tool.to_owned(),
            rule: found.rule.filter(|rule| !rule.is_empty()).map(str::to_owned),
            level: found.level,
            place,
            message: shortened(&one_line(found.message)),
            fingerprint: String::new(),
        };
        finding.identify(&redact(found.context));
        let times = self.seen.entry(finding.fingerprint.clone()).or_default();
        *times += 1;
        if *times > 1 {
            finding.fingerprint = format!("{} ({times})", finding.fingerprint);
        }
        self.reading.findings.push(finding);
    }

    /// Says that the tool runs tests, even if there turns out to be none.
    pub fn runs_tests(&mut self) {
        self.tests();
    }

    /// Takes in how a test ended. Of a test that ended more than once the
    /// worst counts.
    pub fn test(&mut self, id: &str, state: TestState) {
        let id = id.trim();
        let tests = self.reading.tests.get_or_insert_default();
        let failed = state == TestState::Failed;
        let has_room = if failed { self.failed < FAILED_TESTS } else { tests.states.len() < TESTS };
        // Most names come once, and looking for one takes longer than this.
        let is_new = (has_room || failed) && self.names.insert(id);
        if !is_new && let Some(known) = tests.states.get_mut(id) {
            let worse = matches!(
                (*known, state),
                (TestState::Skipped | TestState::Passed, TestState::Failed)
                    | (TestState::Skipped, TestState::Passed)
            );
            if worse {
                count(tests_counts(&mut tests.counts, *known), -1);
                count(tests_counts(&mut tests.counts, state), 1);
                *known = state;
                self.failed += usize::from(failed);
            }
            return;
        }
        if !is_new && failed && self.failed >= FAILED_TESTS {
            // It is one of those that are only counted.
            return;
        }
        count(tests_counts(&mut tests.counts, state), 1);
        if has_room {
            self.failed += usize::from(failed);
            tests.states.insert(id.to_owned(), state);
        } else {
            self.reading.beyond += 1;
        }
    }

    /// Takes in tests of which only the number is known.
    pub fn unnamed_tests(&mut self, state: TestState, number: u64) {
        if number == 0 {
            return;
        }
        let counter = tests_counts(&mut self.tests().counts, state);
        *counter = counter.saturating_add(number);
        self.reading.beyond = self.reading.beyond.saturating_add(number);
    }

    /// Takes in a failed test with what it said.
    pub fn failed(&mut self, id: &str, place: SourceLocation, message: &str) {
        self.test(id, TestState::Failed);
        let tests = self.tests();
        if tests.failures.len() < FAILURES {
            let failure = TestFailure { place, message: shortened(message) };
            tests.failures.insert(id.trim().to_owned(), failure);
        }
    }

    /// True if the message of one more failed test would be listed.
    pub(super) fn wants_failures(&self) -> bool {
        self.reading.tests.as_ref().is_none_or(|tests| tests.failures.len() < FAILURES)
    }

    /// Takes in a line that looks like the name of something that failed.
    pub(super) fn failure_line(&mut self, line: String) {
        let lines = &mut self.reading.failure_lines;
        if lines.len() < FAILURES {
            lines.insert(line);
        }
    }

    /// Returns everything that was collected.
    pub fn finish(self) -> ToolReport {
        self.reading
    }

    fn tests(&mut self) -> &mut TestResults {
        self.reading.tests.get_or_insert_default()
    }
}

fn tests_counts(counts: &mut TestCounts, state: TestState) -> &mut u64 {
    match state {
        TestState::Passed => &mut counts.passed,
        TestState::Failed => &mut counts.failed,
        TestState::Skipped => &mut counts.skipped,
    }
}

fn count(counter: &mut u64, by: i64) {
    *counter = counter.saturating_add_signed(by);
}

/// A message without secrets, of bounded length; its beginning says most.
fn shortened(message: &str) -> String {
    let message = message.trim();
    // Far more than is kept, far less than a flood.
    let head = match message.char_indices().nth(16 * MESSAGE_CHARS) {
        Some((end, _)) => &message[..end],
        None => message,
    };
    let text = redact(head);
    match text.char_indices().nth(MESSAGE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

/// A path with `/`, without `.` and with `..` resolved as far as possible.
fn slashed(path: &Path) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut start = "";
    for part in path.components() {
        match part {
            Component::RootDir => start = "/",
            Component::CurDir => {}
            Component::ParentDir if parts.last().is_some_and(|last| last != "..") => {
                parts.pop();
            }
            Component::ParentDir => parts.push("..".to_owned()),
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            Component::Prefix(prefix) => {
                parts.push(prefix.as_os_str().to_string_lossy().into_owned());
            }
        }
    }
    format!("{start}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collector() -> FindingCollector {
        FindingCollector::new(Path::new("/project"), "web")
    }

    fn found(message: &str) -> ToolFinding<'_> {
        ToolFinding {
            tool: "t",
            rule: Some("r"),
            level: FindingLevel::Warning,
            message,
            context: "",
        }
    }

    #[test]
    fn places_are_relative_to_the_root() {
        let out = collector();
        let file = |path: &str| out.place(path, None, None).file;
        assert_eq!(file("src/a.ts"), "web/src/a.ts");
        assert_eq!(file("./src/../b.ts"), "web/b.ts");
        assert_eq!(file("../api/c.py"), "api/c.py");
        assert_eq!(file("/project/web/d.ts"), "web/d.ts");
        assert_eq!(file("file:///project/e.ts"), "e.ts");
        assert_eq!(file("/usr/include/stdio.h"), "/usr/include/stdio.h");
        assert_eq!(file(""), "");
    }

    #[test]
    fn equal_findings_are_told_apart_by_their_number() {
        let mut out = collector();
        for line in [3, 9] {
            out.finding(out.place("a", Some(line), None), &found("unused"));
        }
        let reading = out.finish();
        assert_eq!(reading.counts.warnings, 2);
        assert_eq!(reading.findings[0].fingerprint, "t r web/a: unused");
        assert_eq!(reading.findings[1].fingerprint, "t r web/a: unused (2)");
    }

    #[test]
    fn a_test_counts_once_with_its_worst_end() {
        let mut out = collector();
        out.test("a", TestState::Passed);
        out.failed("a", SourceLocation::default(), "no");
        out.test("a", TestState::Passed);
        out.test("b", TestState::Skipped);
        let tests = out.finish().tests.unwrap();
        let (passed, failed, skipped) =
            (tests.counts.passed, tests.counts.failed, tests.counts.skipped);
        assert_eq!((passed, failed, skipped), (0, 1, 1));
        assert_eq!(tests.failures["a"].message, "no");
    }

    #[test]
    fn tests_without_a_name_are_counted_but_not_listed() {
        let mut out = collector();
        out.unnamed_tests(TestState::Failed, 0);
        out.unnamed_tests(TestState::Passed, 3);
        let reading = out.finish();
        let tests = reading.tests.unwrap();
        assert_eq!((tests.counts.passed, tests.states.len(), reading.beyond), (3, 0, 3));
    }

    #[test]
    fn of_a_flood_of_tests_that_fail_each_counts_once() {
        let mut out = collector();
        let ids: Vec<String> = (0..2 * FAILED_TESTS).map(|index| format!("t{index}")).collect();
        for id in &ids {
            out.test(id, TestState::Failed);
        }
        for id in &ids {
            out.failed(id, SourceLocation::default(), "no");
        }
        let tests = out.finish().tests.unwrap();
        assert_eq!((tests.states.len(), tests.failures.len()), (FAILED_TESTS, FAILURES));
        let lost = ids.len() as u64 - tests.counts.failed;
        assert!(lost < 10, "{lost} of them were taken for others");
    }

    #[test]
    fn a_test_that_fails_is_listed_however_many_passed_before() {
        let mut out = collector();
        (0..TESTS + 9).for_each(|index| out.test(&format!("t{index}"), TestState::Passed));
        out.failed("last", SourceLocation::default(), "no");
        let reading = out.finish();
        let tests = reading.tests.unwrap();
        assert_eq!(tests.states["last"], TestState::Failed);
        assert_eq!((tests.counts.passed, reading.beyond), (TESTS as u64 + 9, 9));
    }

    #[test]
    fn a_flood_is_counted_but_not_kept() {
        let mut out = collector();
        for index in 0..FINDINGS + 5 {
            let message = format!("x{index} {}", "ä".repeat(100_000 / FINDINGS));
            out.finding(SourceLocation::default(), &found(&message));
        }
        let reading = out.finish();
        assert_eq!((reading.findings.len(), reading.beyond), (FINDINGS, 5));
        assert_eq!(reading.counts.warnings, (FINDINGS + 5) as u64);
    }

    #[test]
    fn a_message_is_on_one_line() {
        let mut out = collector();
        out.finding(SourceLocation::default(), &found("one\n  two\r\nthree"));
        assert_eq!(out.finish().findings[0].message, "one two three");
    }

    #[test]
    fn a_secret_in_a_message_is_not_kept() {
        let mut out = collector();
        let secret = "API_KEY=sk-abcdefghijklmnopqrstuvwxyz0123456789";
        out.finding(SourceLocation::default(), &found(secret));
        let finding = &out.finish().findings[0];
        assert!(!finding.message.contains("abcdefghij"), "{}", finding.message);
        assert!(!finding.fingerprint.contains("abcdefghij"), "{}", finding.fingerprint);
    }
}
