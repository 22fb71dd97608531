//! Rules about notes that need no lookup: their confidence, the citations of an
//! agent, and the text an agent gets to read.

pub mod attempt;
pub mod belief;
pub mod citations;
pub mod hydration;
pub mod label;
pub mod notes;
mod orders;
pub mod rank;
pub mod sufficiency;

pub use belief::{BeliefEvent, NoteBelief, NoteSource};
