//! Gates against servers that tests script, and recorded output of real tools.

mod judge;
#[cfg(test)]
mod real_runners;
mod reasons;
mod test_output;
