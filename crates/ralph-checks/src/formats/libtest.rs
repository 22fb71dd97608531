//! The text of `cargo test`: what libtest prints for each test binary, and
//! what cargo prints between them.
//!
//! Ids are `crate::binary$module::name`. A failing test's captured output is
//! foreign text that may itself look like a test run, so inside it only what
//! the binary's own figures confirm is believed.

mod block;
mod docs;
mod target;

use std::io::BufRead;

use super::lines::{self, LineClaim};
use super::rustc_text::RustcText;
use super::{FindingCollector, FormatError};
use block::{TestBinaryProgress, TestBinaryRun};
use docs::DocTests;
use target::TestBinaryTracker;

/// Reads everything.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    let mut libtest = LibtestText::default();
    lines::each(input, |line| {
        libtest.line(line, out);
    })?;
    libtest.finish(out);
    Ok(())
}

/// Takes in the text line by line.
#[derive(Debug, Default)]
pub(super) struct LibtestText {
    targets: TestBinaryTracker,
    /// The binary that is running.
    block: Option<TestBinaryRun>,
    docs: DocTests,
    rustc: RustcText,
}

impl LibtestText {
    /// Takes in the next line.
    pub(super) fn line(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        let Some(block) = &mut self.block else { return self.outside(line, out) };
        match block.line(line, &mut self.docs, out) {
            TestBinaryProgress::Going => LineClaim::Taken,
            TestBinaryProgress::Over => {
                self.block = None;
                LineClaim::Taken
            }
            TestBinaryProgress::BrokenOff => {
                self.block = None;
                self.outside(line, out)
            }
        }
    }

    /// True while a binary is running, so that the lines belong to it.
    pub(super) fn is_inside(&self) -> bool {
        self.block.is_some()
    }

    /// Takes in that there are no more lines.
    pub(super) fn finish(&mut self, out: &mut FindingCollector) {
        if let Some(block) = self.block.take() {
            block.break_off("its output ends early", &mut self.docs, out);
        }
        self.docs.flush(out);
        self.rustc.finish(out);
    }

    fn outside(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        match self.begin(line, out) {
            LineClaim::Taken => LineClaim::Taken,
            LineClaim::Free => self.rustc.line(line, out),
        }
    }

    /// Takes in a line that may begin the tests of a target; errors of the
    /// compiler are left to others.
    pub(super) fn begin(&mut self, line: &str, out: &mut FindingCollector) -> LineClaim {
        if let Some(count) = announced(line) {
            self.rustc.finish(out);
            out.runs_tests();
            let target = self.targets.start_block();
            self.block = Some(TestBinaryRun::new(target, self.targets.source(), count));
            return LineClaim::Taken;
        }
        if self.targets.note_header(line) {
            self.docs.flush(out);
            return LineClaim::Taken;
        }
        LineClaim::Free
    }
}

/// The number in `running 3 tests`.
fn announced(line: &str) -> Option<u64> {
    let rest = line.strip_prefix("running ")?;
    let count = rest.strip_suffix(" tests").or_else(|| rest.strip_suffix(" test"))?;
    count.parse().ok()
}
