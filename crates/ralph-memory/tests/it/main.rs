//! The memory through its public interface.

mod memory;
mod sets;
