//! The output of a failing Rust test: its panic, or else its last lines.

use ralph_core::finding::SourceLocation;

use super::FindingCollector;
use super::said::FailureMessage;
use super::spot::PrintedLocation;

/// Takes in the output of one failing test.
#[derive(Debug, Default)]
pub(super) struct PanicReader {
    /// The test's own name, which is that of its thread.
    test: String,
    place: Option<SourceLocation>,
    panic: FailureMessage,
    /// The note of libtest about a panic that was expected.
    note: FailureMessage,
    /// The rest of the output, in case there is no panic.
    other: FailureMessage,
    state: PanicReaderState,
    /// True if the panic is that of the test's own thread.
    own: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum PanicReaderState {
    #[default]
    Waiting,
    /// In the message of the panic.
    Message,
    /// In a note of libtest.
    Note,
}

impl PanicReader {
    /// For the test of this name.
    pub(super) fn of(test: &str) -> Self {
        Self { test: test.to_owned(), ..Self::default() }
    }

    /// Takes in a line that the test printed.
    pub(super) fn line(&mut self, line: &str, out: &FindingCollector) {
        if let Some(panicked) = PanicLine::parse(line) {
            self.note_panic(&panicked, out);
        } else if let Some(at) = line.strip_prefix("note: test did not panic as expected at ") {
            self.place = PrintedLocation::parse(at.trim()).map(|spot| spot.place(out));
            self.note.line("test did not panic as expected");
        } else if line.starts_with("note: panic did not contain expected string") {
            self.note.line("panic did not contain expected string");
            self.state = PanicReaderState::Note;
        } else if is_over(line) {
            self.state = PanicReaderState::Waiting;
        } else {
            match self.state {
                PanicReaderState::Message => self.panic.line(line),
                PanicReaderState::Note => self.note.line(line),
                PanicReaderState::Waiting => self.other.line(line),
            }
        }
    }

    fn note_panic(&mut self, panicked: &PanicLine<'_>, out: &FindingCollector) {
        self.state = PanicReaderState::Waiting;
        if self.own {
            return;
        }
        self.own = panicked.thread == self.test;
        self.place = panicked.spot.map(|spot| spot.place(out));
        self.panic.clear();
        match panicked.message {
            Some(message) => self.panic.line(message),
            None => self.state = PanicReaderState::Message,
        }
    }

    /// Reports the test as failed. `home` is where it is, if that is known.
    pub(super) fn report(self, id: &str, home: Option<SourceLocation>, out: &mut FindingCollector) {
        let told = [&self.note, &self.panic, &self.other];
        let said = told.into_iter().find(|said| !said.is_empty()).unwrap_or(&self.other);
        let place = home.or(self.place);
        let place = place.unwrap_or_else(|| super::spot::place_in(said.as_str(), out));
        out.failed(id, place, said.as_str());
    }
}

/// True if a line ends the message.
fn is_over(line: &str) -> bool {
    line.is_empty()
        || line.starts_with("stack backtrace:")
        || line.starts_with("note: run with `RUST_BACKTRACE")
}

/// The first line of a panic.
struct PanicLine<'a> {
    thread: &'a str,
    spot: Option<PrintedLocation<'a>>,
    /// Only before Rust 1.73; later it follows on lines of its own.
    message: Option<&'a str>,
}

impl<'a> PanicLine<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (thread, rest) = line.strip_prefix("thread '")?.split_once('\'')?;
        let (_, rest) = rest.split_once("panicked at ")?;
        if let Some((message, spot)) = rest.rsplit_once("', ") {
            let message = Some(message.trim_start_matches('\''));
            return Some(Self { thread, spot: PrintedLocation::parse(spot), message });
        }
        let spot = PrintedLocation::parse(rest.strip_suffix(':')?);
        Some(Self { thread, spot, message: None })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[track_caller]
    fn check(printed: &str, place: &str, message: &str) {
        let mut out = FindingCollector::new(Path::new("/project"), "");
        let mut panics = PanicReader::of("a::b");
        for line in printed.lines() {
            panics.line(line, &out);
        }
        panics.report("id", None, &mut out);
        let failure = &out.finish().tests.unwrap().failures["id"];
        assert_eq!((failure.place.display().as_str(), failure.message.as_str()), (place, message));
    }

    #[test]
    fn the_panic_of_the_tests_own_thread_is_told() {
        check(
            "noise\nthread '<unnamed>' (2) panicked at src/x.rs:1:2:\nfirst\n\n\
             thread 'a::b' (1) panicked at src/lib.rs:3:4:\nsecond\n  left: 1\n right: 2\n\
             note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\
             thread 'a::b' (1) panicked at src/drop.rs:5:6:\nthird\n",
            "src/lib.rs:3",
            "second\n  left: 1\n right: 2",
        );
    }

    #[test]
    fn panics_of_old_compilers_are_told_too() {
        check(
            "thread 'a::b' panicked at 'it's no use', src/lib.rs:3:4\n",
            "src/lib.rs:3",
            "it's no use",
        );
    }

    #[test]
    fn without_a_panic_the_output_is_told() {
        check("Error: \"no change left\"\n", "", "Error: \"no change left\"");
    }
}
