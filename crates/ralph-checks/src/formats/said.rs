//! The message of a failing test, as far as it is kept.

/// The maximum length that is kept, in bytes.
const LONGEST: usize = 4096;

/// Lines of a message, with a bound.
#[derive(Clone, Debug, Default)]
pub(super) struct FailureMessage(String);

impl FailureMessage {
    /// Adds a line; of empty ones only single ones between others.
    pub(super) fn line(&mut self, line: &str) {
        let line = line.trim_end();
        if line.is_empty() && (self.0.is_empty() || self.0.ends_with('\n')) {
            return;
        }
        let room = LONGEST.saturating_sub(self.0.len() + 1);
        if room == 0 {
            return;
        }
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.push_str(&line[..line.floor_char_boundary(room)]);
    }

    /// Adds each line of a text up to the frames of a stack trace.
    pub(super) fn before_trace(&mut self, text: &str) {
        let is_frame = |line: &str| line.trim_start().starts_with("at ") && line.contains(':');
        for line in text.lines().take_while(|line| !is_frame(line)) {
            if self.0.len() + 1 >= LONGEST {
                return;
            }
            self.line(line);
        }
    }

    /// Adds each line of a text.
    pub(super) fn text(&mut self, text: &str) {
        for line in text.lines() {
            if self.0.len() + 1 >= LONGEST {
                return;
            }
            self.line(line);
        }
    }

    /// The message so far.
    pub(super) fn as_str(&self) -> &str {
        self.0.trim_end()
    }

    /// True if there is no text.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets what was said.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_left_out() {
        let mut said = FailureMessage::default();
        said.before_trace("Error: no\nat last\n    at x (a.js:1:2)\n    at y (b.js:3:4)\n");
        assert_eq!(said.as_str(), "Error: no\nat last");
    }

    #[test]
    fn a_message_is_kept_up_to_a_bound() {
        let mut said = FailureMessage::default();
        said.line("");
        said.text("one\n\n\ntwo  \n\n");
        assert_eq!(said.as_str(), "one\n\ntwo");
        for _ in 0..10_000 {
            said.line("ä…");
        }
        assert!(said.as_str().len() <= LONGEST);
        said.clear();
        assert!(said.is_empty());
    }
}
