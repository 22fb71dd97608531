//! The nesting of tests: their names, the tests that wait for a name, and failures below.

use ralph_core::finding::{SourceLocation, TestState};

use super::super::FindingCollector;

/// The maximum number of tests that wait for the name of the test around them.
const WAITING: usize = 10_000;

/// The maximum depth of subtests; deeper ones count as this deep.
const DEEPEST: usize = 64;

/// A test point with what was said about it.
#[derive(Debug)]
pub(super) struct ExplainedTapPoint {
    pub(super) name: String,
    pub(super) state: TestState,
    /// The place and the message, if it failed.
    pub(super) told: Option<(SourceLocation, String)>,
}

/// The tests so far.
#[derive(Debug, Default)]
pub(super) struct TapTree {
    /// The file that runs, with `prove`.
    file: String,
    /// Names announced before their subtests, by depth.
    announced: Vec<Option<String>>,
    /// Test points since the last one above them, by depth.
    levels: Vec<TapLevelCounts>,
    /// Tests inside of others whose name is not known yet.
    waiting: Vec<PendingTapTest>,
}

#[derive(Clone, Copy, Debug, Default)]
struct TapLevelCounts {
    points: u64,
    failed: u64,
}

#[derive(Debug)]
struct PendingTapTest {
    /// From the inside out.
    path: Vec<String>,
    /// The depth of the outermost of them.
    depth: usize,
    state: TestState,
    told: Option<(SourceLocation, String)>,
}

impl TapTree {
    /// Takes in the name of a test whose subtests follow.
    pub(super) fn announce(&mut self, depth: usize, name: String) {
        let depth = depth.min(DEEPEST);
        self.announced.truncate(depth);
        self.announced.resize(depth, None);
        self.announced.push(Some(name));
    }

    /// Takes in that tests of another file follow.
    pub(super) fn enter_file(&mut self, file: &str, out: &mut FindingCollector) {
        self.finish(out);
        file.clone_into(&mut self.file);
        self.announced.clear();
        self.levels.clear();
    }

    /// The file whose tests run.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    /// True once a file was named.
    pub(super) fn has_file(&self) -> bool {
        !self.file.is_empty()
    }

    /// Returns the number of the outermost points so far.
    pub(super) fn outermost(&self) -> u64 {
        self.levels.first().map_or(0, |level| level.points)
    }

    /// True if one of the outermost points failed.
    pub(super) fn has_failed(&self) -> bool {
        self.levels.first().is_some_and(|level| level.failed > 0)
    }

    /// Takes in a test point; gives the test's name and id if it was reported.
    pub(super) fn ended(
        &mut self,
        depth: usize,
        leaf: ExplainedTapPoint,
        out: &mut FindingCollector,
    ) -> Option<(String, String)> {
        let depth = depth.min(DEEPEST);
        if self.levels.len() <= depth {
            self.levels.resize(depth + 1, TapLevelCounts::default());
        }
        let below = self.levels.get(depth + 1).copied().unwrap_or_default();
        self.levels.truncate(depth + 1);
        let failed = leaf.state == TestState::Failed;
        self.levels[depth].points += 1;
        self.levels[depth].failed += u64::from(failed);
        self.name_waiting(depth, &leaf.name, out);
        let known = (0..depth).all(|at| matches!(self.announced.get(at), Some(Some(_))));
        self.announced.truncate(depth);
        if below.points > 0 && !(failed && below.failed == 0) {
            return None;
        }
        let name = leaf.name.clone();
        let path = vec![leaf.name];
        let mut test = PendingTapTest { path, depth, state: leaf.state, told: leaf.told };
        if known || self.waiting.len() == WAITING {
            test.path.extend(self.announced.iter().rev().flatten().cloned());
            return Some((name, self.report(test, out)));
        }
        self.waiting.push(test);
        None
    }

    /// Reports what still waits, because no name comes any more.
    pub(super) fn finish(&mut self, out: &mut FindingCollector) {
        for waiting in std::mem::take(&mut self.waiting) {
            self.report(waiting, out);
        }
    }

    /// Names what lies below the point that has just come.
    fn name_waiting(&mut self, depth: usize, name: &str, out: &mut FindingCollector) {
        // What lies deeper came later: it is at the end.
        for waiting in self.waiting.iter_mut().rev().take_while(|waiting| waiting.depth > depth) {
            waiting.path.push(name.to_owned());
            waiting.depth = depth;
        }
        if depth == 0 {
            self.finish(out);
        }
    }

    fn report(&self, test: PendingTapTest, out: &mut FindingCollector) -> String {
        let file = self.has_file().then_some(self.file.as_str());
        let names = file.into_iter().chain(test.path.iter().rev().map(String::as_str));
        let id = names.collect::<Vec<_>>().join(" > ");
        match test.told {
            Some((place, message)) => out.failed(&id, place, &message),
            None => out.test(&id, test.state),
        }
        id
    }
}
