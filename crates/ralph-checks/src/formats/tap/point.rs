//! A test point: `not ok 3 - description # skip reason`.

use ralph_core::finding::TestState;

/// A test point.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TapPoint {
    /// The test's result, directives included.
    pub(super) state: TestState,
    /// Its description, or its number when there is none.
    pub(super) name: String,
}

impl TapPoint {
    /// Reads a line without its indentation.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (held, rest) = match text.strip_prefix("not ok") {
            Some(rest) => (TestState::Failed, rest),
            None => (TestState::Passed, text.strip_prefix("ok")?),
        };
        if !(rest.is_empty() || rest.starts_with(' ')) {
            return None;
        }
        let rest = rest.trim();
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, rest) = rest.split_at(digits);
        // A description may begin with digits; a number stands alone.
        let (number, rest) = match rest.chars().next() {
            None | Some(' ' | '#') => (number, rest.trim_start()),
            Some(_) => ("", text[text.len() - rest.len() - digits..].trim_start()),
        };
        let rest = rest.strip_prefix("- ").unwrap_or(rest);
        let (description, directive) = split(rest);
        let directive = directive.trim().to_ascii_lowercase();
        let state = match held {
            TestState::Passed | TestState::Failed if directive.starts_with("skip") => {
                TestState::Skipped
            }
            TestState::Failed if directive.starts_with("todo") => TestState::Skipped,
            TestState::Passed | TestState::Failed | TestState::Skipped => held,
        };
        let name = match description.trim() {
            "" | "-" => format!("#{number}"),
            description => description.to_owned(),
        };
        Some(Self { state, name })
    }
}

/// A text without its escapes.
pub(super) fn unescaped(text: &str) -> String {
    split(text).0
}

/// Description and directive, at the first `#` that is not escaped and has a
/// directive behind it. bats prints descriptions as they are.
fn split(text: &str) -> (String, &str) {
    let mut description = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some((_, next @ ('#' | '\\'))) => description.push(next),
                Some((_, next)) => description.extend(['\\', next]),
                None => description.push('\\'),
            },
            '#' if is_directive(&text[at + 1..]) => return (description, &text[at + 1..]),
            c => description.push(c),
        }
    }
    (description, "")
}

fn is_directive(text: &str) -> bool {
    let text = text.trim_start();
    let begins =
        |word: &str| text.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word));
    ["skip", "todo", "time="].into_iter().any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, state: TestState, name: &str) {
        assert_eq!(
            TapPoint::parse(text),
            Some(TapPoint { state, name: name.to_owned() }),
            "{text}"
        );
    }

    #[test]
    fn points_are_read_with_their_directives() {
        check("ok 1 - adds", TestState::Passed, "adds");
        check("ok", TestState::Passed, "#");
        check("ok 3", TestState::Passed, "#3");
        check("not ok 2 adds 2 and 3", TestState::Failed, "adds 2 and 3");
        check("ok 4 # skip not now", TestState::Skipped, "#4");
        check("not ok 5 - to do # todo later", TestState::Skipped, "to do");
        check("ok 6 - done # todo later", TestState::Passed, "done");
        check("not ok 7 - with \\# and \\\\ # time=3ms", TestState::Failed, "with # and \\");
        check("not ok 8 ticket #7 # with hash", TestState::Failed, "ticket #7 # with hash");
        check("ok 2nd try", TestState::Passed, "2nd try");
    }

    #[test]
    fn other_words_are_no_points() {
        for text in ["okay", "not okay", "look", "", "not"] {
            assert_eq!(TapPoint::parse(text), None, "{text}");
        }
    }
}
