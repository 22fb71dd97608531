//! The tables of `memory.<n>.db`.

pub(crate) mod counters;
pub(crate) mod index;
pub(crate) mod notes;
pub(crate) mod open;
pub(crate) mod outcomes;
pub(crate) mod places;
pub(crate) mod sessions;
pub(crate) mod turns;
pub(crate) mod words;
