//! The code that a run added, and the tests that use it.

use std::collections::{BTreeMap, BTreeSet};

use ralph_tamper::{RestoredContents, new_names, tests_in};

use crate::driver::tampering::FileVersions;

/// Names that the run added to the code, and the words of its tests.
pub(super) struct NewCode {
    names: BTreeSet<String>,
    tests: Vec<(String, BTreeSet<String>)>,
}

impl NewCode {
    pub(super) fn read(files: &[FileVersions], code: &BTreeMap<String, RestoredContents>) -> Self {
        let mut before = String::new();
        let mut now = String::new();
        let mut tests = Vec::new();
        for file in files {
            let text = file.new_text();
            tests.extend(tests_in(file.path(), &text));
            if code.contains_key(file.path()) {
                before.push_str(&file.old_text());
                now.push_str(&text);
            }
        }
        Self { names: new_names(&now, &before), tests }
    }

    /// Returns true if a test asserts something about code that the run added.
    pub(super) fn is_used_by(&self, id: &str) -> bool {
        let is_own = |(name, _): &&(String, BTreeSet<String>)| id.contains(name.as_str());
        self.tests.iter().filter(is_own).any(|(_, words)| !words.is_disjoint(&self.names))
    }
}
