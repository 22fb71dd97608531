//! Questions that may lead back to themselves, each answered once.
//!
//! Imports and types may refer to each other in any number of ways. To go
//! along all of them nobody has the time, so what was answered is remembered,
//! and a question that comes back to itself adds nothing to its own answer.
//!
//! An answer that such a circle cut short holds only as long as the question
//! where the circle began is open: to others it may have more to say. It is
//! remembered until then, and forgotten with it.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::{Lookup, Place};
use crate::facts::DefinitionId;
use crate::mixer::Table;
use crate::project::{DefRef, FileId};

/// How many questions may wait for each other: so much fits on any stack.
const DEPTH: usize = 128;

/// A name as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Word(u32);

/// What a name is looked for as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Sought {
    Anything,
    Type,
}

/// What can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Question {
    /// What a bare name stands for.
    Name { file: FileId, within: Option<DefinitionId>, name: Word, sought: Sought },
    /// What an import calls a module.
    Modules { file: FileId, within: Option<DefinitionId>, text: Word },
    /// What has a name in a definition.
    Inside(DefRef, Word),
    /// The same for what is written there, or says to belong there.
    OwnMembers(DefRef, Word),
    /// What others get under a name from the imports of a file.
    PassedOn(FileId, Word),
    /// The same from imports that say the name.
    PassedOnByName(FileId, Word),
    /// What has a name in what the whole of a file of scripts is to others.
    OfWhole(FileId, Word),
    /// What the whole of such a file is to others.
    Whole(FileId),
    /// The types that a name of an owner stands for.
    Owners(FileId, Word),
    /// What a type extends and implements.
    Bases(DefRef),
    /// The type of a variable that is what a call gives.
    Result(DefRef),
}

/// What a question came to, cheap to hand on.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    Found(Rc<[Place]>),
    Outside,
    Unbound,
}

impl Answer {
    /// What was found, if anything was.
    pub(super) fn places(self) -> Rc<[Place]> {
        match self {
            Self::Found(places) => places,
            Self::Outside | Self::Unbound => Rc::new([]),
        }
    }
}

impl From<Vec<Place>> for Answer {
    /// On many ways the same is found many times.
    fn from(mut places: Vec<Place>) -> Self {
        if places.len() > 1 {
            let mut seen = HashSet::new();
            places.retain(|place| seen.insert(place.clone()));
        }
        if places.is_empty() { Self::Unbound } else { Self::Found(places.into()) }
    }
}

impl From<Vec<DefRef>> for Answer {
    fn from(found: Vec<DefRef>) -> Self {
        found.into_iter().map(Place::Definition).collect::<Vec<_>>().into()
    }
}

impl From<Lookup> for Answer {
    fn from(looked: Lookup) -> Self {
        match looked {
            Lookup::Found(places) => places.into(),
            Lookup::Outside => Self::Outside,
            Lookup::Unbound => Self::Unbound,
        }
    }
}

impl From<Answer> for Lookup {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Found(places) => Self::Found(places.to_vec()),
            Answer::Outside => Self::Outside,
            Answer::Unbound => Self::Unbound,
        }
    }
}

/// How far a question is.
#[derive(Debug)]
enum State {
    /// It is being answered, with so many others waiting.
    Open(usize),
    /// It was answered, as far as that goes before the open question at this
    /// depth is.
    Until(usize, Answer),
    Answered(Answer),
}

/// All questions that were asked.
#[derive(Debug, Default)]
pub(super) struct Questions {
    words: RefCell<HashMap<Box<str>, Word>>,
    states: RefCell<Table<Question, State>>,
    depth: Cell<usize>,
    /// The outermost open question that the innermost was led back to.
    back: Cell<Option<usize>>,
    /// The questions whose answers wait for an open one, in their order.
    waiting: RefCell<Vec<Question>>,
    #[cfg(test)]
    pub(super) steps: Cell<usize>,
}

impl Questions {
    /// The number of a name.
    pub(super) fn word(&self, name: &str) -> Word {
        let mut words = self.words.borrow_mut();
        if let Some(known) = words.get(name) {
            return *known;
        }
        let next = Word(u32::try_from(words.len()).unwrap_or(u32::MAX));
        words.insert(name.into(), next);
        next
    }

    /// The answer to a question; `find` is to find it if it is not known.
    pub(super) fn ask<A: Into<Answer>>(
        &self,
        question: Question,
        find: impl FnOnce() -> A,
    ) -> Answer {
        match self.states.borrow().get(&question) {
            Some(State::Answered(answer)) => return answer.clone(),
            Some(State::Until(depth, answer)) => {
                self.led_back(*depth);
                return answer.clone();
            }
            Some(State::Open(depth)) => {
                self.led_back(*depth);
                return Answer::Unbound;
            }
            None => {}
        }
        let depth = self.depth.get();
        if depth >= DEPTH {
            // It may be answered when fewer others wait.
            self.led_back(0);
            return Answer::Unbound;
        }
        #[cfg(test)]
        self.steps.set(self.steps.get() + 1);
        self.states.borrow_mut().insert(question, State::Open(depth));
        let waiting = self.waiting.borrow().len();
        let around = self.back.take();
        self.depth.set(depth + 1);
        let answer: Answer = find().into();
        self.depth.set(depth);
        let back = self.back.replace(around).filter(|back| *back < depth);
        self.keep(question, &answer, back, waiting);
        answer
    }

    fn led_back(&self, depth: usize) {
        let back = self.back.get().map_or(depth, |back| back.min(depth));
        self.back.set(Some(back));
    }

    /// Remembers an answer. Those behind the first that were `waiting` before
    /// were found on the way to it.
    fn keep(&self, question: Question, answer: &Answer, back: Option<usize>, waiting: usize) {
        let mut states = self.states.borrow_mut();
        let mut all = self.waiting.borrow_mut();
        let Some(back) = back else {
            for inner in all.drain(waiting..) {
                states.remove(&inner);
            }
            states.insert(question, State::Answered(answer.clone()));
            return;
        };
        for inner in all.iter().skip(waiting) {
            if let Some(State::Until(depth, _)) = states.get_mut(inner) {
                *depth = back.min(*depth);
            }
        }
        states.insert(question, State::Until(back, answer.clone()));
        all.push(question);
        drop(states);
        self.led_back(back);
    }
}

#[cfg(test)]
#[path = "questions_tests.rs"]
mod tests;
