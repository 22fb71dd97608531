//! What is known about notes without looking anything up: how much one is
//! believed, whether two say the same, and whether one replaces another.

pub mod attempt;
pub mod belief;
mod code;
mod comparison;
mod denial;
mod grammar;
mod kinds;
mod korean;
pub mod notes;
mod orders;
mod phrases;
mod quantity;
pub mod relation;
mod statement;
mod stems;
mod synonyms;
mod values;
mod words;

pub use belief::{Belief, Outcome, Source};
pub use relation::{Relation, Why, relate};
