//! Cases beyond the core: `cargo xtask prove opencode` runs them.

mod driver;
mod driver_trouble;
mod locked;
#[cfg(test)]
mod moving;
mod people;
mod providers;
mod rights;
mod sandbox;
mod sessions;
mod start;
mod story;
mod terminal;
