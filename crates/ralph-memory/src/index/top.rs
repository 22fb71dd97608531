//! The best documents seen so far.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A document and its score. Higher scores come first; of equal ones, the
/// document with the lower number does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Scored {
    pub(crate) score: u32,
    lower: Reverse<i64>,
}

impl Scored {
    pub(crate) fn new(score: u32, doc: i64) -> Self {
        Self { score, lower: Reverse(doc) }
    }

    pub(crate) fn doc(self) -> i64 {
        self.lower.0
    }
}

/// Keeps the best documents, at most `limit`.
pub(crate) struct Top {
    limit: usize,
    worst_first: BinaryHeap<Reverse<Scored>>,
}

impl Top {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, worst_first: BinaryHeap::new() }
    }

    /// Whether a document from `doc` on with at most this score can be among
    /// the best.
    pub(crate) fn admits(&self, score: u32, doc: i64) -> bool {
        if score == 0 || self.worst_first.len() < self.limit {
            return score > 0;
        }
        self.worst_first.peek().is_some_and(|Reverse(worst)| Scored::new(score, doc) > *worst)
    }

    pub(crate) fn push(&mut self, found: Scored) {
        if !self.admits(found.score, found.doc()) {
            return;
        }
        self.worst_first.push(Reverse(found));
        if self.worst_first.len() > self.limit {
            self.worst_first.pop();
        }
    }

    /// The best documents, best first.
    pub(crate) fn into_sorted(self) -> Vec<Scored> {
        self.worst_first.into_sorted_vec().into_iter().map(|Reverse(found)| found).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_scores_are_ordered_by_number_and_the_worst_leaves() {
        let mut top = Top::new(2);
        for (score, doc) in [(5, 9), (7, 4), (5, 3), (0, 1), (5, 8)] {
            top.push(Scored::new(score, doc));
        }
        assert!(!top.admits(5, 4) && top.admits(5, 2) && top.admits(6, 100));
        let found: Vec<_> =
            top.into_sorted().into_iter().map(|hit| (hit.score, hit.doc())).collect();
        assert_eq!(found, [(7, 4), (5, 3)]);
    }

    #[test]
    fn nothing_is_kept_where_nothing_is_asked_for() {
        let mut top = Top::new(0);
        top.push(Scored::new(5, 1));
        assert!(top.into_sorted().is_empty());
    }
}
