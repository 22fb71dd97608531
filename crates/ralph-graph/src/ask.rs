//! Questions about code.

pub mod calls;
pub mod files;
mod gone;
pub mod impact;
pub mod implied;
pub mod meaning;
pub mod name;
pub mod names;
pub mod refs;
mod renamed;
pub mod spot;
pub mod symbols;
mod touched;

#[cfg(test)]
#[path = "ask/tests.rs"]
mod tests;
