//! Arguments of the tasks.

use crate::failure::Failure;

/// Returns an error if there is any argument.
pub(crate) fn none(args: &[String]) -> Result<(), Failure> {
    match args.first() {
        Some(other) => Err(Failure::Usage(format!("unknown argument `{other}`; there are none"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_where_none_is_expected_is_a_usage_error() {
        assert!(matches!(none(&["--quik".to_owned()]), Err(Failure::Usage(_))));
        assert_eq!(none(&[]), Ok(()));
    }
}
