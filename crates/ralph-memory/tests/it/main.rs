//! The memory through its public interface.

mod memory;
mod ranking;
mod sets;
