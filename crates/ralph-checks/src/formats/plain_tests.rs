//! Test runs in plain text: what cargo, nextest, pytest, unittest, minitest,
//! `go test`, ctest, anything that speaks TAP, and the runners of
//! [`super::runners`] print on a terminal.
//!
//! A line belongs to at most one of them. While one shows what its tests
//! printed, the others do not look: such text may look like anything.

use super::FindingCollector;
use super::ctest::CtestText;
use super::go_text::GoText;
use super::libtest::LibtestText;
use super::lines::LineClaim;
use super::minitest_text::MinitestText;
use super::nextest::NextestText;
use super::pytest_text::PytestText;
use super::runners::RunnerTexts;
use super::tap::TapText;
use super::unittest_text::UnittestText;

/// The readers other than those of [`super::runners`].
const READERS: [&str; 8] =
    ["libtest", "nextest", "go test", "pytest", "unittest", "minitest", "ctest", "TAP"];

/// Every test runner that is known by its plain text.
pub(super) fn names() -> Vec<&'static str> {
    READERS.into_iter().chain(super::runners::names()).collect()
}

/// Takes in plain text line by line.
#[derive(Debug, Default)]
pub(super) struct PlainTests {
    libtest: LibtestText,
    nextest: NextestText,
    go: GoText,
    pytest: PytestText,
    unittest: UnittestText,
    minitest: MinitestText,
    ctest: CtestText,
    runners: RunnerTexts,
    tap: TapText,
}

impl PlainTests {
    /// Takes in the next line; a line that was taken is no diagnostic.
    pub(super) fn line(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        if self.libtest.is_inside() {
            return self.libtest.line(line, out);
        }
        if self.nextest.is_inside() {
            return self.nextest.line(line, out);
        }
        if self.go.is_inside() {
            return self.go.line(line, out);
        }
        if self.pytest.is_inside() {
            return self.pytest.line(line, out);
        }
        if self.unittest.is_inside() {
            return self.unittest.line(line, out);
        }
        if self.minitest.is_inside() {
            return self.minitest.line(line, out);
        }
        if self.ctest.is_inside() {
            return self.ctest.line(line, out);
        }
        if self.runners.is_inside() && self.runners.line(line, out) == LineClaim::Taken {
            return LineClaim::Taken;
        }
        // What explains a failure goes to another stream, and may come first.
        if (self.tap.is_started() || line.starts_with('#') || TapText::begins_with(line))
            && self.tap.line(line, out) == LineClaim::Taken
        {
            return LineClaim::Taken;
        }
        self.beginning(line, out)
    }

    /// Takes in that there are no more lines.
    pub(super) fn finish(&mut self, out: &mut FindingCollector) {
        self.libtest.finish(out);
        self.nextest.finish(out);
        self.go.finish(out);
        self.unittest.finish(out);
        self.minitest.finish(out);
        self.ctest.finish(out);
        self.runners.finish(out);
        self.tap.finish(out);
    }

    /// A line outside of all of them, which may begin one.
    fn beginning(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        let claims = [
            |all: &mut Self, line: &str, out: &mut FindingCollector| all.go.line(line, out),
            |all: &mut Self, line: &str, out: &mut FindingCollector| all.pytest.line(line, out),
            |all: &mut Self, line: &str, out: &mut FindingCollector| all.unittest.line(line, out),
            |all: &mut Self, line: &str, out: &mut FindingCollector| all.minitest.line(line, out),
            |all: &mut Self, line: &str, out: &mut FindingCollector| all.ctest.line(line, out),
            |all: &mut Self, line: &str, out: &mut FindingCollector| all.runners.line(line, out),
            |all: &mut Self, line: &str, out: &mut FindingCollector| all.nextest.begin(line, out),
            |all: &mut Self, line: &str, out: &mut FindingCollector| all.libtest.begin(line, out),
        ];
        for claim in claims {
            if claim(self, line, out) == LineClaim::Taken {
                return LineClaim::Taken;
            }
        }
        LineClaim::Free
    }
}
