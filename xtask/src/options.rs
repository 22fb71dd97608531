//! Arguments of the tasks.

use crate::failure::TaskFailure;

/// Returns an error if there is any argument.
pub(crate) fn none(args: &[String]) -> Result<(), TaskFailure> {
    match args.first() {
        Some(other) => {
            Err(TaskFailure::Usage(format!("unknown argument `{other}`; there are none")))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_where_none_is_expected_is_a_usage_error() {
        assert!(matches!(none(&["--quik".to_owned()]), Err(TaskFailure::Usage(_))));
        assert_eq!(none(&[]), Ok(()));
    }
}
