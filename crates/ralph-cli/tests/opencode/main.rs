//! The real OpenCode client, a scripted model, and `ralph` between them.
//!
//! Every test runs in a network of its own that has nothing but a loopback.

mod loops;
mod stage;
mod tools;
mod trouble;
