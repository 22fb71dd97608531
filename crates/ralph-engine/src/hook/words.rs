//! Splits typed text into words. A quotation starts only at the beginning of a word, so
//! apostrophes stay apostrophes.

use std::ops::Range;

/// A word of a text.
#[derive(Debug)]
pub struct PromptWord {
    /// Its place in the text.
    pub span: Range<usize>,
    /// The quotation mark around the whole word.
    pub quote: Option<char>,
}

impl PromptWord {
    /// Shifts the word by a number of bytes.
    #[must_use]
    pub fn moved(self, by: usize) -> Self {
        Self { span: self.span.start + by..self.span.end + by, ..self }
    }

    /// Returns the word without its quotation marks.
    pub fn value<'t>(&self, text: &'t str) -> std::borrow::Cow<'t, str> {
        let raw = &text[self.span.clone()];
        match self.quote {
            Some(quote) => unquoted(&raw[1..raw.len() - 1], quote),
            None => raw.into(),
        }
    }
}

fn unquoted(inner: &str, quote: char) -> std::borrow::Cow<'_, str> {
    if quote == '"' && inner.contains('\\') {
        return inner.replace("\\\"", "\"").replace("\\\\", "\\").into();
    }
    inner.into()
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '“')
}

fn closing(quote: char) -> char {
    if quote == '“' { '”' } else { quote }
}

/// Splits a text into words; a quotation that is closed before a gap is one word.
pub fn words(text: &str) -> Vec<PromptWord> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(start) = next_word(text, at) {
        let word = word_at(text, start);
        at = word.span.end;
        words.push(word);
    }
    words
}

/// Returns where the next word begins.
pub fn next_word(text: &str, at: usize) -> Option<usize> {
    text[at..].find(|c: char| !c.is_whitespace()).map(|gap| at + gap)
}

/// Returns the word that begins here.
pub fn word_at(text: &str, start: usize) -> PromptWord {
    let bare = || {
        let length = text[start..].find(char::is_whitespace);
        PromptWord { span: start..length.map_or(text.len(), |length| start + length), quote: None }
    };
    quoted(text, start).unwrap_or_else(bare)
}

/// Returns the quotation that begins here, if it ends before a gap.
fn quoted(text: &str, start: usize) -> Option<PromptWord> {
    let quote = text[start..].chars().next().filter(|c| is_quote(*c))?;
    let close = closing(quote);
    let mut is_escaped = false;
    for (offset, c) in text[start..].char_indices().skip(1) {
        if c == close && !is_escaped {
            let end = start + offset + c.len_utf8();
            let is_closed = text[end..].chars().next().is_none_or(char::is_whitespace);
            // Typographic marks are longer than a byte, so they stay in the task.
            let quote = (quote.len_utf8() == 1).then_some(quote);
            if is_closed {
                return Some(PromptWord { span: start..end, quote });
            }
        }
        is_escaped = c == '\\' && !is_escaped && quote == '"';
    }
    None
}
