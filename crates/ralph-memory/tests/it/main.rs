//! The memory through its public interface.

mod search;
mod sets;
