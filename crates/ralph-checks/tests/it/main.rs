//! Gates against servers that tests script, and recorded output of real tools.

mod judge;
mod test_output;
