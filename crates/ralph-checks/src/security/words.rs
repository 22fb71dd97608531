//! Finds the words that rules need, and with them the few nodes worth a look.

use std::ops::Range;

use aho_corasick::AhoCorasick;

use super::needs::{RequiredWords, WordClause};

/// The words of all rules of a language.
pub(super) struct RuleWordIndex {
    /// `None` when there are too many words to look for.
    finder: Option<AhoCorasick>,
    count: usize,
    /// The demands of each rule, by the numbers of its words.
    rules: Vec<RequiredWordIds>,
}

struct RequiredWordIds {
    in_file: Vec<Vec<usize>>,
    in_node: Vec<Vec<usize>>,
}

impl RuleWordIndex {
    /// Prepares to look for what rules need, in their order.
    pub(super) fn new(rules: &[&RequiredWords]) -> Self {
        let clauses = rules.iter().flat_map(|needs| needs.in_file.iter().chain(&needs.in_node));
        let mut words: Vec<&str> = clauses.flatten().map(String::as_str).collect();
        words.sort_unstable();
        words.dedup();
        let number = |word: &String| words.binary_search(&word.as_str()).unwrap_or_default();
        let numbers = |clauses: &[WordClause]| {
            clauses.iter().map(|clause| clause.iter().map(number).collect()).collect()
        };
        let rules = rules
            .iter()
            .map(|needs| RequiredWordIds {
                in_file: numbers(&needs.in_file),
                in_node: numbers(&needs.in_node),
            })
            .collect();
        let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(&words).ok();
        Self { finder, count: words.len(), rules }
    }

    /// Returns the rules that may match, and their places in a text; `None` when none can.
    ///
    /// `covers` tells if a rule is meant for the file at all.
    pub(super) fn find(
        &self,
        contents: &[u8],
        covers: impl Fn(usize) -> bool,
    ) -> Option<CandidateRules> {
        let places = self.places(contents);
        let candidate = |(index, rule): (usize, &RequiredWordIds)| match &places {
            None => covers(index).then(Vec::new),
            Some(places) => rule.in_places(places).filter(|_| covers(index)),
        };
        let rules: Vec<_> = self.rules.iter().enumerate().map(candidate).collect();
        let active = || rules.iter().flatten();
        active().next()?;
        // The rarest clause of each rule narrows the search most.
        let anchors: Option<Vec<&Vec<usize>>> =
            active().map(|clauses| clauses.iter().min_by_key(|places| places.len())).collect();
        let anchors = anchors.map(|all| sorted(all.into_iter().flatten().copied()));
        Some(CandidateRules { rules, anchors })
    }

    /// Returns the places at which each word begins, in rising order.
    fn places(&self, contents: &[u8]) -> Option<Vec<Vec<usize>>> {
        let finder = self.finder.as_ref()?;
        let mut places = vec![Vec::new(); self.count];
        for found in finder.find_overlapping_iter(contents) {
            places[found.pattern().as_usize()].push(found.start());
        }
        Some(places)
    }
}

impl RequiredWordIds {
    /// Returns the places at which the words of each clause for nodes begin; `None` when words are
    /// missing.
    fn in_places(&self, places: &[Vec<usize>]) -> Option<Vec<Vec<usize>>> {
        let holds = |clause: &Vec<usize>| clause.iter().any(|word| !places[*word].is_empty());
        if !self.in_file.iter().chain(&self.in_node).all(holds) {
            return None;
        }
        let begin =
            |clause: &Vec<usize>| sorted(clause.iter().flat_map(|word| &places[*word]).copied());
        Some(self.in_node.iter().map(begin).collect())
    }
}

/// The rules that may match in one file, and their places.
pub(super) struct CandidateRules {
    /// For each rule that may match, where the words of its clauses begin.
    rules: Vec<Option<Vec<Vec<usize>>>>,
    /// The places of the nodes that any rule may match; `None` for everywhere.
    anchors: Option<Vec<usize>>,
}

impl CandidateRules {
    /// True if a rule may match anything.
    pub(super) fn may_match_any(&self, rule: usize) -> bool {
        self.rules[rule].is_some()
    }

    /// True if a rule may match a node with this range.
    pub(super) fn may_match(&self, rule: usize, node: &Range<usize>) -> bool {
        let clauses = self.rules[rule].as_ref();
        clauses.is_some_and(|clauses| clauses.iter().all(|places| has_one(places, node)))
    }

    /// True if any rule may match a node with this range or one below it.
    pub(super) fn may_be_below(&self, node: &Range<usize>) -> bool {
        self.anchors.as_ref().is_none_or(|anchors| has_one(anchors, node))
    }
}

fn has_one(places: &[usize], range: &Range<usize>) -> bool {
    let first = places.partition_point(|place| *place < range.start);
    places.get(first).is_some_and(|place| *place < range.end)
}

fn sorted(places: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut places: Vec<usize> = places.collect();
    places.sort_unstable();
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(in_file: &[&[&str]], in_node: &[&[&str]]) -> RequiredWords {
        let clauses = |all: &[&[&str]]| {
            all.iter().map(|clause| clause.iter().map(|&word| word.to_owned()).collect()).collect()
        };
        RequiredWords { in_file: clauses(in_file), in_node: clauses(in_node) }
    }

    #[test]
    fn a_rule_whose_words_are_missing_is_no_candidate() {
        let one = needs(&[&["eval", "exec"], &["import"]], &[&["eval", "exec"]]);
        let words = RuleWordIndex::new(&[&one]);
        assert!(words.find(b"import a; eval(b)", |_| true).is_some());
        assert!(words.find(b"IMPORT a; EXEC(b)", |_| true).is_some());
        assert!(words.find(b"eval(b)", |_| true).is_none());
        assert!(words.find(b"import a; eval(b)", |_| false).is_none());
    }

    #[test]
    fn only_nodes_that_hold_the_words_are_looked_at() {
        let one = needs(&[], &[&["eval"], &["token"]]);
        let found = RuleWordIndex::new(&[&one]).find(b"eval(token); eval(x)", |_| true).unwrap();
        assert!(found.may_match(0, &(0..11)) && !found.may_match(0, &(13..20)));
        assert!(found.may_be_below(&(5..10)) && !found.may_be_below(&(13..20)));
    }

    #[test]
    fn a_rule_without_words_is_looked_for_everywhere() {
        let (one, other) = (needs(&[], &[]), needs(&[], &[&["eval"]]));
        let found = RuleWordIndex::new(&[&one, &other]).find(b"x", |_| true).unwrap();
        assert!(found.may_match(0, &(0..1)) && found.may_be_below(&(0..0)));
        assert!(found.may_match_any(0) && !found.may_match_any(1));
    }
}
