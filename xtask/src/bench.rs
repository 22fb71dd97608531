//! `cargo xtask bench`: speed, as a table.

use crate::failure::Failure;
use crate::options;

/// Measures the named things, or all of them.
pub(crate) fn run(args: &[String]) -> Result<(), Failure> {
    options::names(args)?;
    Err(Failure::Usage("there is nothing to measure yet".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_anything_to_measure_it_says_so_and_ends_with_two() {
        let failure = run(&[]).unwrap_err();
        assert_eq!(failure.exit_code(), 2);
        assert!(failure.to_string().contains("nothing to measure"));
    }
}
