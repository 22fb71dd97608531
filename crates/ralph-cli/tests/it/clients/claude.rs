//! The real Claude Code client, a scripted model, and `ralph` between them.
//!
//! Every test runs in a network of its own that has nothing but a loopback.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a stage that cannot be set up must fail its test at once"
)]

mod arguments;
mod arming;
mod driver;
mod guide;
mod installing;
mod learning;
mod loops;
mod prove;
mod sessions;
mod stage;
mod story;
mod tools;
mod trouble;
