//! Splits command lines into words as a shell would, without running one.

use std::iter::Peekable;
use std::str::Chars;

/// The reason why a command line cannot be split. Positions count
/// characters from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SplitError {
    /// A quotation has no end.
    #[error("the quote {quote} at character {at} is never closed")]
    OpenQuote {
        /// The quotation mark.
        quote: char,
        /// Its position.
        at: usize,
    },
    /// The text ends with a backslash.
    #[error("nothing follows the backslash at character {at}")]
    TrailingBackslash {
        /// Its position.
        at: usize,
    },
}

/// Splits a command line into words.
///
/// White space separates words. Single quotes keep everything, double quotes
/// everything but `\"`, `\\`, `\$`, `` \` `` and an escaped end of line; outside
/// of quotes a backslash keeps the next character. Nothing is expanded: `$X`,
/// `*`, `~`, `;` and `#` are ordinary characters.
pub fn split_words(text: &str) -> Result<Vec<String>, SplitError> {
    let mut splitter = WordSplitter { rest: text.chars().peekable(), at: 0 };
    let mut words = Vec::new();
    while let Some(word) = splitter.word()? {
        words.push(word);
    }
    Ok(words)
}

struct WordSplitter<'a> {
    rest: Peekable<Chars<'a>>,
    /// The position of the character taken last.
    at: usize,
}

impl WordSplitter<'_> {
    fn next(&mut self) -> Option<char> {
        let next = self.rest.next()?;
        self.at += 1;
        Some(next)
    }

    fn word(&mut self) -> Result<Option<String>, SplitError> {
        while self.rest.peek().is_some_and(|next| next.is_whitespace()) {
            self.next();
        }
        // `None` until there is a word: quotes make one even if empty, an
        // escaped end of line does not.
        let mut word: Option<String> = None;
        while let Some(next) = self.next() {
            match next {
                '\'' => self.single_quoted(word.get_or_insert_default())?,
                '"' => self.double_quoted(word.get_or_insert_default())?,
                '\\' => match self.next() {
                    Some('\n') => {}
                    Some(kept) => word.get_or_insert_default().push(kept),
                    None => return Err(SplitError::TrailingBackslash { at: self.at }),
                },
                space if space.is_whitespace() => {
                    if word.is_some() {
                        break;
                    }
                }
                plain => word.get_or_insert_default().push(plain),
            }
        }
        Ok(word)
    }

    fn single_quoted(&mut self, word: &mut String) -> Result<(), SplitError> {
        let open = SplitError::OpenQuote { quote: '\'', at: self.at };
        loop {
            match self.next().ok_or(open)? {
                '\'' => return Ok(()),
                kept => word.push(kept),
            }
        }
    }

    fn double_quoted(&mut self, word: &mut String) -> Result<(), SplitError> {
        let open = SplitError::OpenQuote { quote: '"', at: self.at };
        loop {
            match self.next().ok_or(open)? {
                '"' => return Ok(()),
                '\\' => match self.next().ok_or(open)? {
                    '\n' => {}
                    kept @ ('"' | '\\' | '$' | '`') => word.push(kept),
                    other => word.extend(['\\', other]),
                },
                kept => word.push(kept),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_split_as_a_shell_splits_them() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            (" \t\n", &[]),
            ("a b  c\n", &["a", "b", "c"]),
            ("a'b c'd", &["ab cd"]),
            ("'' \"\"", &["", ""]),
            (r"a\ b \' \\", &["a b", "'", "\\"]),
            (r#"'a\b"c'"#, &["a\\b\"c"]),
            (r#""a\"b\\c\nd\$e\`f""#, &["a\"b\\c\\nd$e`f"]),
            ("a\\\nb \\\n c", &["ab", "c"]),
            ("\"a\\\nb\"", &["ab"]),
            ("$HOME * ~ a;b # c", &["$HOME", "*", "~", "a;b", "#", "c"]),
            ("grün\u{a0}'größe ü'", &["grün", "größe ü"]),
        ];
        for (text, want) in cases {
            assert_eq!(split_words(text).unwrap(), *want, "{text}");
        }
    }

    #[test]
    fn an_error_names_the_position() {
        let check = |text: &str, want: SplitError, says: &str| {
            let error = split_words(text).unwrap_err();
            assert_eq!((error, error.to_string().as_str()), (want, says), "{text}");
        };
        let open = |quote, at| SplitError::OpenQuote { quote, at };
        check("ü 'ab", open('\'', 3), "the quote ' at character 3 is never closed");
        check("\"a\\\"", open('"', 1), "the quote \" at character 1 is never closed");
        let trailing = SplitError::TrailingBackslash { at: 2 };
        check("a\\", trailing, "nothing follows the backslash at character 2");
    }

    proptest! {
        #[test]
        fn quoted_words_come_back_unchanged(words in prop::collection::vec(any::<String>(), 0..5)) {
            let quote = |word: &String| format!("'{}'", word.replace('\'', r"'\''"));
            let line = words.iter().map(quote).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(split_words(&line), Ok(words));
        }

        #[test]
        fn escaped_words_come_back_unchanged(words in prop::collection::vec("[ -~]{1,9}", 0..5)) {
            let escape = |word: &String| word.chars().flat_map(|c| ['\\', c]).collect::<String>();
            let line = words.iter().map(escape).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(split_words(&line), Ok(words));
        }
    }
}
