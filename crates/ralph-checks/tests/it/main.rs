//! Gates against servers that tests script.

mod judge;
