//! The real OpenCode client, a scripted model, and `ralph` between them.
//!
//! Every test runs in a network of its own that has nothing but a loopback.

mod driver;
mod learning;
mod loops;
mod plugin;
mod prove;
mod stage;
mod story;
mod tools;
mod trouble;
