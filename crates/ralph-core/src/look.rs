//! A quick check of a file that was just edited: did the edit make it worse?

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{Finding, Level};

/// The findings of one tool in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
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
pub struct Known {
    tools: BTreeMap<String, BTreeSet<String>>,
}

impl Known {
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
    pub fn take(&mut self, said: Vec<Said>) -> Vec<Finding> {
        let mut fresh = Vec::new();
        for (tool, said) in joined(said) {
            let prints = said.now.iter().map(|finding| finding.fingerprint.clone()).collect();
            let last = self.tools.insert(tool, prints);
            let before = last.or(said.start);
            fresh.extend(said.now.into_iter().filter(|finding| match &before {
                Some(before) => {
                    finding.level < Level::Info && !before.contains(&finding.fingerprint)
                }
                None => finding.level < Level::Warning,
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
fn joined(said: Vec<Said>) -> BTreeMap<String, Said> {
    let mut tools: BTreeMap<String, Said> = BTreeMap::new();
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
    use crate::finding::Place;

    fn finding(level: Level, message: &str, line: u32) -> Finding {
        let place = Place { file: "a.py".to_owned(), line: Some(line), column: None };
        let (tool, rule, message) = ("ruff".to_owned(), None, message.to_owned());
        let mut finding = Finding { tool, rule, level, place, message, fingerprint: String::new() };
        finding.identify("");
        finding
    }

    fn says(tool: &str, now: &[(Level, &str)]) -> Said {
        let now = now.iter().zip(1..).map(|((level, text), line)| finding(*level, text, line));
        let (tool, file) = (tool.to_owned(), "a.py".to_owned());
        Said { tool, file, now: now.collect(), start: None }
    }

    #[track_caller]
    fn check(known: &mut Known, said: Vec<Said>, want: &[&str]) {
        let fresh = known.take(said);
        let told: Vec<&str> = fresh.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(told, want);
    }

    #[test]
    fn what_was_told_is_not_told_again_until_it_was_gone() {
        let mut known = Known::default();
        let bad = || vec![says("ruff", &[(Level::Error, "bad")])];
        check(&mut known, bad(), &["bad"]);
        check(&mut known, bad(), &[]);
        check(&mut known, vec![says("ruff", &[])], &[]);
        check(&mut known, bad(), &["bad"]);
    }

    #[test]
    fn doubts_count_only_against_something_known() {
        let mut known = Known::default();
        let found = [(Level::Warning, "odd"), (Level::Info, "fyi"), (Level::Security, "leak")];
        check(&mut known, vec![says("ruff", &found)], &["leak"]);
        let more = [found.as_slice(), &[(Level::Warning, "odder"), (Level::Info, "new")]].concat();
        check(&mut known, vec![says("ruff", &more)], &["odder"]);
        let clean = Said { start: Some(BTreeSet::new()), ..says("other", &found) };
        check(&mut known, vec![clean], &["leak", "odd"]);
    }

    #[test]
    fn what_was_there_when_the_run_began_is_not_the_edits() {
        let old = finding(Level::Error, "old", 7).fingerprint;
        let start = Some(BTreeSet::from([old]));
        let now = says("ruff", &[(Level::Error, "old"), (Level::Error, "new")]);
        check(&mut Known::default(), vec![Said { start, ..now }], &["new"]);
    }

    #[test]
    fn a_tool_that_is_silent_keeps_its_word() {
        let mut known = Known::default();
        let both =
            || vec![says("ruff", &[(Level::Error, "a")]), says("tsc", &[(Level::Error, "b")])];
        check(&mut known, both(), &["a", "b"]);
        check(&mut known, vec![says("ruff", &[(Level::Error, "a")])], &[]);
        check(&mut known, both(), &[]);
    }

    #[test]
    fn a_tool_that_was_asked_in_two_ways_is_heard_once() {
        let mut known = Known::default();
        let one = says("ruff", &[(Level::Error, "a"), (Level::Error, "b")]);
        let other = says("ruff", &[(Level::Error, "b")]);
        check(&mut known, vec![one, other.clone()], &["a", "b"]);
        check(&mut known, vec![other], &[]);
    }

    #[test]
    fn the_worst_comes_first_and_what_has_no_place_is_left_out() {
        let mut said =
            says("ruff", &[(Level::Security, "leak"), (Level::Error, "late"), (Level::Error, "x")]);
        said.now[1].place.line = Some(9);
        said.now.push(Finding { place: Place::default(), ..finding(Level::Error, "odd", 1) });
        check(&mut Known::default(), vec![said], &["x", "late", "leak"]);
    }
}
