//! What is known about notes without looking anything up: how much one is
//! believed, whether two say the same, and whether one replaces another.

pub mod attempt;
pub mod belief;
pub mod notes;
pub mod relation;
mod statement;
mod stems;
mod synonyms;
mod words;

pub use belief::{Belief, Outcome, Source};
pub use relation::{Relation, Why, relate};
