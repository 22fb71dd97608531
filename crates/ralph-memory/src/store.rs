//! The tables of `memory.<n>.db`.

pub(crate) mod counters;
pub(crate) mod entries;
pub(crate) mod groups;
pub(crate) mod marks;
pub(crate) mod notes;
pub(crate) mod open;
pub(crate) mod outcomes;
pub(crate) mod pending;
pub(crate) mod segments;
pub(crate) mod sessions;
pub(crate) mod turns;
