//! The only place that writes to the terminal.

/// Prints one line of results to stdout.
#[expect(clippy::print_stdout, reason = "printing is what the tasks are for; tests capture it")]
pub(crate) fn line(text: &str) {
    println!("{text}");
}

/// Prints the reason of a failure to stderr.
#[expect(clippy::print_stderr, reason = "errors go to stderr, results to stdout")]
pub(crate) fn error(text: &str) {
    eprintln!("error: {text}");
}
