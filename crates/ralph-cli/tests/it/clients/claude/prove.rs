//! Cases beyond the core: `cargo xtask prove claude` runs them.

mod client;
mod people;
mod rights;
mod sandbox;
mod story;
mod unseen;
