//! Queries that may depend on themselves, each answered once.
//!
//! Imports and types may refer to each other in any number of ways, too many to
//! follow all. So answers are cached, and a query that depends on itself adds
//! nothing to its own answer.
//!
//! An answer that such a cycle cut short is valid only while the query at the
//! start of the cycle is open: for others it may be incomplete. It is cached
//! until then, and dropped with it.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::{ResolvedTarget, ScopeLookup};
use crate::facts::DefinitionId;
use crate::mixer::FastHashMap;
use crate::project::{CodeFileId, DefRef};

/// Maximum depth of nested queries, which fits on any stack.
const DEPTH: usize = 128;

/// A name as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct WordId(u32);

/// The kind of thing that a name is looked up as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum LookupKind {
    Anything,
    Type,
}

/// A query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ResolverQuery {
    /// The target of a bare name.
    Name { file: CodeFileId, within: Option<DefinitionId>, name: WordId, sought: LookupKind },
    /// The module of an import path.
    Modules { file: CodeFileId, within: Option<DefinitionId>, text: WordId },
    /// The members with a name in a definition.
    Inside(DefRef, WordId),
    /// The same for members written there, or declared to belong there.
    OwnMembers(DefRef, WordId),
    /// The names that the imports of a file re-export.
    PassedOn(CodeFileId, WordId),
    /// The same for imports of this name.
    PassedOnByName(CodeFileId, WordId),
    /// The members with a name in a script's exported value.
    OfWhole(CodeFileId, WordId),
    /// The exported value of a script.
    Whole(CodeFileId),
    /// The types that an owner's name means.
    Owners(CodeFileId, WordId),
    /// The types that a type extends and implements.
    Bases(DefRef),
    /// The type of a variable that holds the result of a call.
    Result(DefRef),
}

/// The answer to a query, cheap to copy.
#[derive(Debug, Clone)]
pub(super) enum QueryAnswer {
    Found(Rc<[ResolvedTarget]>),
    Outside,
    Unbound,
}

impl QueryAnswer {
    /// Returns the targets, if any were found.
    pub(super) fn places(self) -> Rc<[ResolvedTarget]> {
        match self {
            Self::Found(places) => places,
            Self::Outside | Self::Unbound => Rc::new([]),
        }
    }
}

impl From<Vec<ResolvedTarget>> for QueryAnswer {
    /// Drops duplicates, since one target is often found in several ways.
    fn from(mut places: Vec<ResolvedTarget>) -> Self {
        if places.len() > 1 {
            let mut seen = HashSet::new();
            places.retain(|place| seen.insert(place.clone()));
        }
        if places.is_empty() { Self::Unbound } else { Self::Found(places.into()) }
    }
}

impl From<Vec<DefRef>> for QueryAnswer {
    fn from(found: Vec<DefRef>) -> Self {
        found.into_iter().map(ResolvedTarget::Definition).collect::<Vec<_>>().into()
    }
}

impl From<ScopeLookup> for QueryAnswer {
    fn from(looked: ScopeLookup) -> Self {
        match looked {
            ScopeLookup::Found(places) => places.into(),
            ScopeLookup::Outside => Self::Outside,
            ScopeLookup::Unbound => Self::Unbound,
        }
    }
}

impl From<QueryAnswer> for ScopeLookup {
    fn from(answer: QueryAnswer) -> Self {
        match answer {
            QueryAnswer::Found(places) => Self::Found(places.to_vec()),
            QueryAnswer::Outside => Self::Outside,
            QueryAnswer::Unbound => Self::Unbound,
        }
    }
}

/// The progress of a query.
#[derive(Debug)]
enum QueryState {
    /// It is being answered, with this many others open around it.
    Open(usize),
    /// It was answered, but only until the open query at this depth ends.
    Until(usize, QueryAnswer),
    Answered(QueryAnswer),
}

/// All queries that were asked.
#[derive(Debug, Default)]
pub(super) struct QueryCache {
    words: RefCell<HashMap<Box<str>, WordId>>,
    states: RefCell<FastHashMap<ResolverQuery, QueryState>>,
    depth: Cell<usize>,
    /// The depth of the outermost open query that the innermost one depends on.
    back: Cell<Option<usize>>,
    /// The queries whose answers wait for an open one, in order.
    waiting: RefCell<Vec<ResolverQuery>>,
    #[cfg(test)]
    pub(super) steps: Cell<usize>,
}

impl QueryCache {
    /// Returns the number of a name.
    pub(super) fn word(&self, name: &str) -> WordId {
        let mut words = self.words.borrow_mut();
        if let Some(known) = words.get(name) {
            return *known;
        }
        let next = WordId(u32::try_from(words.len()).unwrap_or(u32::MAX));
        words.insert(name.into(), next);
        next
    }

    /// Returns the answer to a query; runs `find` if it is unknown.
    pub(super) fn ask<A: Into<QueryAnswer>>(
        &self,
        question: ResolverQuery,
        find: impl FnOnce() -> A,
    ) -> QueryAnswer {
        match self.states.borrow().get(&question) {
            Some(QueryState::Answered(answer)) => return answer.clone(),
            Some(QueryState::Until(depth, answer)) => {
                self.led_back(*depth);
                return answer.clone();
            }
            Some(QueryState::Open(depth)) => {
                self.led_back(*depth);
                return QueryAnswer::Unbound;
            }
            None => {}
        }
        let depth = self.depth.get();
        if depth >= DEPTH {
            // It may be answered when fewer queries are open.
            self.led_back(0);
            return QueryAnswer::Unbound;
        }
        #[cfg(test)]
        self.steps.set(self.steps.get() + 1);
        self.states.borrow_mut().insert(question, QueryState::Open(depth));
        let waiting = self.waiting.borrow().len();
        let around = self.back.take();
        self.depth.set(depth + 1);
        let answer: QueryAnswer = find().into();
        self.depth.set(depth);
        let back = self.back.replace(around).filter(|back| *back < depth);
        self.keep(question, &answer, back, waiting);
        answer
    }

    fn led_back(&self, depth: usize) {
        let back = self.back.get().map_or(depth, |back| back.min(depth));
        self.back.set(Some(back));
    }

    /// Caches an answer. The queries after the first `waiting` ones were
    /// answered while finding it.
    fn keep(
        &self,
        question: ResolverQuery,
        answer: &QueryAnswer,
        back: Option<usize>,
        waiting: usize,
    ) {
        let mut states = self.states.borrow_mut();
        let mut all = self.waiting.borrow_mut();
        let Some(back) = back else {
            for inner in all.drain(waiting..) {
                states.remove(&inner);
            }
            states.insert(question, QueryState::Answered(answer.clone()));
            return;
        };
        for inner in all.iter().skip(waiting) {
            if let Some(QueryState::Until(depth, _)) = states.get_mut(inner) {
                *depth = back.min(*depth);
            }
        }
        states.insert(question, QueryState::Until(back, answer.clone()));
        all.push(question);
        drop(states);
        self.led_back(back);
    }
}

#[cfg(test)]
#[path = "questions_tests.rs"]
mod tests;
