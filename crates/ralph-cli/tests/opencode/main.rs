//! The real OpenCode client, a scripted model, and `ralph` between them.
//!
//! Every test runs in a network of its own that has nothing but a loopback.

mod driver;
mod driver_trouble;
mod learning;
mod locked;
mod loops;
#[cfg(test)]
mod moving;
mod plugin;
mod providers;
mod sessions;
mod stage;
mod terminal;
mod tools;
mod trouble;
