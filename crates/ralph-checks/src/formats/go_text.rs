//! The text of `go test`, with or without `-v`, line by line.
//!
//! The package is named only when its tests are over, so they wait for it.

use ralph_core::finding::{SourceLocation, TestState};

use super::FindingCollector;
use super::go_test::{GoModule, GoPackageRun, GoTestName, GoTestResult, failed_package};
use super::lines::LineClaim;
use super::said::FailureMessage;

/// The maximum number of tests that wait for the name of their package; more are only counted.
const WAITING: usize = 50_000;

/// Takes in the text line by line.
#[derive(Debug, Default)]
pub(super) struct GoText {
    module: Option<GoModule>,
    package: GoPackageRun,
    /// Tests that ended, in the order in which that was said.
    ended: Vec<(String, GoTestResult)>,
    /// The test that prints.
    current: String,
    inside: bool,
    /// The output since something panicked while no test was named.
    fallen: FailureMessage,
}

impl GoText {
    /// Takes in the next line.
    pub(super) fn line(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        if let Some((name, end)) = package_line(line) {
            self.package_ended(name, end, out);
            return LineClaim::Taken;
        }
        if let Some((package, why)) = failed_package(line) {
            out.failed(package, SourceLocation::default(), why);
            return LineClaim::Taken;
        }
        if let Some(rest) = line.strip_prefix("=== ")
            && let Some((word, test)) = rest.split_once(' ')
            && matches!(word, "RUN" | "CONT" | "PAUSE" | "NAME")
        {
            self.enter(test.trim());
            return LineClaim::Taken;
        }
        if let Some((end, test)) = marker(line) {
            self.enter(test);
            if self.ended.len() < WAITING {
                self.ended.push((test.to_owned(), end));
            } else {
                out.unnamed_tests(end.state(), 1);
            }
            return LineClaim::Taken;
        }
        if !self.inside {
            let falls = line.starts_with("panic: ") || line.starts_with("exit status ");
            if falls || !self.fallen.is_empty() {
                self.fallen.line(line);
            }
            return LineClaim::Free;
        }
        if line == "PASS" || line == "FAIL" {
            // Without a package, nothing more of these tests follows.
            self.current.clear();
            self.inside = false;
        } else {
            let names = GoTestName { package: "", test: &self.current };
            self.package.output(&names, line, out);
        }
        LineClaim::Taken
    }

    /// True while tests run, so that the lines belong to them.
    pub(super) fn is_inside(&self) -> bool {
        self.inside
    }

    /// Takes in that there are no more lines.
    pub(super) fn finish(&mut self, out: &mut FindingCollector) {
        if self.inside {
            self.package_ended("", Some(GoTestResult::Failed), out);
        } else if !self.ended.is_empty() {
            self.package_ended("", None, out);
        }
    }

    fn enter(&mut self, test: &str) {
        self.inside = true;
        test.clone_into(&mut self.current);
        self.package.run(test);
    }

    /// `None` means that there was nothing to test.
    fn package_ended(&mut self, name: &str, end: Option<GoTestResult>, out: &mut FindingCollector) {
        out.runs_tests();
        let module = self.module.get_or_insert_with(|| GoModule::of(out));
        let mut package = std::mem::take(&mut self.package);
        let listed = !self.ended.is_empty();
        let fallen = std::mem::take(&mut self.fallen);
        fallen.as_str().lines().for_each(|line| {
            package.output(&GoTestName { package: name, test: "" }, line, out);
        });
        // Tests stand before their subtests, which tell more.
        for (test, end) in std::mem::take(&mut self.ended).into_iter().rev() {
            let names = GoTestName { package: name, test: &test };
            package.test_ended(&names, end, module, out);
        }
        if let Some(end) = end {
            package.ended(name, end, module, out);
            if end == GoTestResult::Passed && !listed {
                out.test(name, TestState::Passed);
            }
        }
        self.current.clear();
        self.inside = false;
    }
}

/// Package and end from `ok  \tpackage\t0.1s` and the like.
fn package_line(line: &str) -> Option<(&str, Option<GoTestResult>)> {
    let (word, rest) = line.split_once('\t')?;
    let end = match word {
        "ok  " => Some(GoTestResult::Passed),
        "FAIL" => Some(GoTestResult::Failed),
        "?   " => None,
        _ => return None,
    };
    let (name, told) = rest.split_once('\t')?;
    let end = end.filter(|_| !told.ends_with("[no tests to run]"));
    (!name.is_empty() && !name.contains(' ')).then_some((name, end))
}

/// End and test from `    --- FAIL: TestAdd/wrong (0.00s)`; printed text
/// without a line end may stand before it.
fn marker(line: &str) -> Option<(GoTestResult, &str)> {
    if !line.ends_with("s)") {
        return None;
    }
    let (_, rest) = line.rsplit_once("--- ")?;
    let (word, rest) = rest.split_once(": ")?;
    let (test, time) = rest.rsplit_once(" (")?;
    let timed = time.bytes().all(|byte| byte.is_ascii_digit() || b".s)".contains(&byte));
    let known = ["Test", "Example", "Fuzz", "Benchmark"].iter().any(|name| test.starts_with(name));
    if timed && known { Some((GoTestResult::parse(word)?, test)) } else { None }
}
