//! What is known about notes without looking anything up: how much one is
//! believed, which of them an agent cites, and how it reads them.

pub mod attempt;
pub mod belief;
pub mod citations;
pub mod hydration;
pub mod label;
pub mod notes;
mod orders;
pub mod rank;
pub mod sufficiency;

pub use belief::{Belief, Outcome, Source};
