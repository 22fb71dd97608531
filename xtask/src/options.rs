//! Arguments of the tasks: flags without values.

use crate::failure::Failure;

/// Says whether `flag` was given; every other argument is an error.
pub(crate) fn only_flag(args: &[String], flag: &str) -> Result<Given, Failure> {
    match args.iter().find(|arg| *arg != flag) {
        Some(other) => Err(Failure::Usage(format!("unknown argument `{other}`; known: {flag}"))),
        None if args.is_empty() => Ok(Given::No),
        None => Ok(Given::Yes),
    }
}

/// Refuses every argument.
pub(crate) fn none(args: &[String]) -> Result<(), Failure> {
    match args.first() {
        Some(other) => Err(Failure::Usage(format!("unknown argument `{other}`; there are none"))),
        None => Ok(()),
    }
}

/// Whether a flag was on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    Yes,
    No,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_flag_is_given_or_not() {
        assert_eq!(only_flag(&args(&["--quick"]), "--quick"), Ok(Given::Yes));
        assert_eq!(only_flag(&[], "--quick"), Ok(Given::No));
    }

    #[test]
    fn unknown_arguments_are_usage_errors() {
        let quik = args(&["--quik"]);
        assert!(matches!(only_flag(&quik, "--quick"), Err(Failure::Usage(_))));
        assert!(matches!(none(&quik), Err(Failure::Usage(_))));
    }
}
