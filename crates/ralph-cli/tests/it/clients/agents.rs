//! Real agents that are rows of a table, a scripted model, and `ralph` between
//! them.

#[expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a broken fixture must fail its test at once"
)]
mod prove;
