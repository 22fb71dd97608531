//! A quick check of a file that was just edited: did the edit make it worse?

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{Finding, FindingLevel};

/// The findings of one tool in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFindings {
    /// Name of the tool, however it was called.
    pub tool: String,
    /// The file, as findings name it.
    pub file: String,
    /// The findings now.
    pub now: Vec<Finding>,
    /// Fingerprints of the findings at the start of the run; `None` if unknown.
    pub start: Option<BTreeSet<String>>,
}

/// The fingerprints that each tool found last in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFindings {
    tools: BTreeMap<String, BTreeSet<String>>,
}

impl KnownFindings {
    /// Creates it from the fingerprints of each tool.
    pub fn new(tools: BTreeMap<String, BTreeSet<String>>) -> Self {
        Self { tools }
    }

    /// Returns the fingerprints of each tool.
    pub fn tools(&self) -> &BTreeMap<String, BTreeSet<String>> {
        &self.tools
    }

    /// Returns true if the tool has reported on the file before.
    pub fn has(&self, tool: &str) -> bool {
        self.tools.contains_key(tool)
    }

    /// Stores the new findings and returns those that were not there before, the
    /// worst first. Tools without a report this time keep their last one.
    ///
    /// On a tool's first report about a file whose state at the start is unknown,
    /// warnings may be old: only errors and security findings are returned.
    pub fn take(&mut self, said: Vec<ToolFindings>) -> Vec<Finding> {
        let mut fresh = Vec::new();
        for (tool, said) in joined(said) {
            let prints = said.now.iter().map(|finding| finding.fingerprint.clone()).collect();
            let last = self.tools.insert(tool, prints);
            let before = last.or(said.start);
            fresh.extend(said.now.into_iter().filter(|finding| match &before {
                Some(before) => {
                    finding.level < FindingLevel::Info && !before.contains(&finding.fingerprint)
                }
                None => finding.level < FindingLevel::Warning,
            }));
        }
        // Findings without a line are about the tool and its settings.
        fresh.retain(|finding| finding.place.line.is_some());
        fresh.sort_by(|one, other| {
            (one.level, &one.place, &one.rule).cmp(&(other.level, &other.place, &other.rule))
        });
        fresh
    }
}

/// Merges the reports of a tool that was called in two ways.
fn joined(said: Vec<ToolFindings>) -> BTreeMap<String, ToolFindings> {
    let mut tools: BTreeMap<String, ToolFindings> = BTreeMap::new();
    for one in said {
        let all = tools.entry(one.tool.clone()).or_default();
        for finding in one.now {
            if !all.now.iter().any(|known| known.fingerprint == finding.fingerprint) {
                all.now.push(finding);
            }
        }
        all.start = all.start.take().or(one.start);
    }
    tools
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::SourceLocation;

    fn finding(level: FindingLevel, message: &str, line: u32) -> Finding {
        let place = SourceLocation { file: "a.py".to_owned(), line: Some(line), column: None };
        let (tool, rule, message) = ("ruff".to_owned(), None, message.to_owned());
        let mut finding = Finding { tool, rule, level, place, message, fingerprint: String::new() };
        finding.identify("");
        finding
    }

    fn says(tool: &str, now: &[(FindingLevel, &str)]) -> ToolFindings {
        let now = now.iter().zip(1..).map(|((level, text), line)| finding(*level, text, line));
        let (tool, file) = (tool.to_owned(), "a.py".to_owned());
        ToolFindings { tool, file, now: now.collect(), start: None }
    }

    #[track_caller]
    fn check(known: &mut KnownFindings, said: Vec<ToolFindings>, want: &[&str]) {
        let fresh = known.take(said);
        let told: Vec<&str> = fresh.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(told, want);
    }

    #[test]
    fn what_was_told_is_not_told_again_until_it_was_gone() {
        let mut known = KnownFindings::default();
        let bad = || vec![says("ruff", &[(FindingLevel::Error, "bad")])];
        check(&mut known, bad(), &["bad"]);
        check(&mut known, bad(), &[]);
        check(&mut known, vec![says("ruff", &[])], &[]);
        check(&mut known, bad(), &["bad"]);
    }

    #[test]
    fn doubts_count_only_against_something_known() {
        let mut known = KnownFindings::default();
        let found = [
            (FindingLevel::Warning, "odd"),
            (FindingLevel::Info, "fyi"),
            (FindingLevel::Security, "leak"),
        ];
        check(&mut known, vec![says("ruff", &found)], &["leak"]);
        let more =
            [found.as_slice(), &[(FindingLevel::Warning, "odder"), (FindingLevel::Info, "new")]]
                .concat();
        check(&mut known, vec![says("ruff", &more)], &["odder"]);
        let clean = ToolFindings { start: Some(BTreeSet::new()), ..says("other", &found) };
        check(&mut known, vec![clean], &["leak", "odd"]);
    }

    #[test]
    fn what_was_there_when_the_run_began_is_not_the_edits() {
        let old = finding(FindingLevel::Error, "old", 7).fingerprint;
        let start = Some(BTreeSet::from([old]));
        let now = says("ruff", &[(FindingLevel::Error, "old"), (FindingLevel::Error, "new")]);
        check(&mut KnownFindings::default(), vec![ToolFindings { start, ..now }], &["new"]);
    }

    #[test]
    fn a_tool_that_is_silent_keeps_its_word() {
        let mut known = KnownFindings::default();
        let both = || {
            vec![
                says("ruff", &[(FindingLevel::Error, "a")]),
                says("tsc", &[(FindingLevel::Error, "b")]),
            ]
        };
        check(&mut known, both(), &["a", "b"]);
        check(&mut known, vec![says("ruff", &[(FindingLevel::Error, "a")])], &[]);
        check(&mut known, both(), &[]);
    }

    #[test]
    fn a_tool_that_was_asked_in_two_ways_is_heard_once() {
        let mut known = KnownFindings::default();
        let one = says("ruff", &[(FindingLevel::Error, "a"), (FindingLevel::Error, "b")]);
        let other = says("ruff", &[(FindingLevel::Error, "b")]);
        check(&mut known, vec![one, other.clone()], &["a", "b"]);
        check(&mut known, vec![other], &[]);
    }

    #[test]
    fn the_worst_comes_first_and_what_has_no_place_is_left_out() {
        let mut said = says(
            "ruff",
            &[
                (FindingLevel::Security, "leak"),
                (FindingLevel::Error, "late"),
                (FindingLevel::Error, "x"),
            ],
        );
        said.now[1].place.line = Some(9);
        said.now.push(Finding {
            place: SourceLocation::default(),
            ..finding(FindingLevel::Error, "odd", 1)
        });
        check(&mut KnownFindings::default(), vec![said], &["x", "late", "leak"]);
    }
}
