//! The kinds of definitions as people write them.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ralph_graph::facts::Kind;

/// Returns other languages' words for a kind.
fn other_words(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Module => &["namespace", "package"],
        Kind::Interface => &["trait", "protocol"],
        Kind::Alias => &["typedef"],
        Kind::Field => &["property", "attribute"],
        Kind::Class
        | Kind::Struct
        | Kind::Union
        | Kind::Enum
        | Kind::Variant
        | Kind::Function
        | Kind::Method
        | Kind::Constant
        | Kind::Variable
        | Kind::Macro => &[],
    }
}

/// Parses the word for a kind.
pub(crate) fn kind(word: &str) -> Result<Kind, String> {
    let word = word.to_lowercase();
    let is_meant = |kind: &Kind| kind.word() == word || other_words(*kind).contains(&word.as_str());
    Kind::ALL.into_iter().find(is_meant).ok_or_else(|| {
        let words: Vec<&str> = Kind::ALL.iter().map(|kind| kind.word()).collect();
        format!("there are {}", words.join(", "))
    })
}

/// Parses a kind from the command line, and lists all in the help.
pub(super) fn parser() -> impl TypedValueParser<Value = Kind> {
    let value = |kind: &Kind| PossibleValue::new(kind.word()).aliases(other_words(*kind));
    PossibleValuesParser::new(Kind::ALL.iter().map(value)).try_map(|word| kind(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_stands_for_two_kinds() {
        let own = Kind::ALL.iter().map(|kind| kind.word());
        let other = Kind::ALL.iter().flat_map(|kind| other_words(*kind).iter().copied());
        let mut words: Vec<&str> = own.chain(other).collect();
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
    }
}
