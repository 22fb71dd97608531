//! What is known about notes without looking anything up: how much one is
//! believed, whether two say the same, and whether one replaces another.

mod acronyms;
mod alignment;
mod announcement;
pub mod approach;
pub mod attempt;
pub mod belief;
pub mod citations;
mod clauses;
mod clock;
mod code;
mod comparison;
mod denial;
mod frame;
mod grammar;
pub mod hydration;
mod idioms;
mod kinds;
mod korean;
mod korean_words;
pub mod label;
mod lexicon;
mod news;
pub mod notes;
mod numerals;
mod orders;
mod phrases;
mod quantity;
pub mod rank;
pub mod relation;
mod rivals;
mod signs;
mod statement;
mod stems;
pub mod sufficiency;
mod synonyms;
mod tables;
mod values;
mod words;

pub use belief::{Belief, Outcome, Source};
pub use relation::{LONGEST as LONGEST_RELATED, Relation, Why, relate};
