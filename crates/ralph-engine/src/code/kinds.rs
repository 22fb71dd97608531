//! The kinds of definitions as people write them.

use ralph_graph::facts::DefinitionKind;

/// Returns other languages' words for a kind.
pub fn other_words(kind: DefinitionKind) -> &'static [&'static str] {
    match kind {
        DefinitionKind::Module => &["namespace", "package"],
        DefinitionKind::Interface => &["trait", "protocol"],
        DefinitionKind::Alias => &["typedef"],
        DefinitionKind::Field => &["property", "attribute"],
        DefinitionKind::Class
        | DefinitionKind::Struct
        | DefinitionKind::Union
        | DefinitionKind::Enum
        | DefinitionKind::Variant
        | DefinitionKind::Function
        | DefinitionKind::Method
        | DefinitionKind::Constant
        | DefinitionKind::Variable
        | DefinitionKind::Macro => &[],
    }
}

/// Parses the word for a kind.
pub fn kind(word: &str) -> Result<DefinitionKind, String> {
    let word = word.to_lowercase();
    let is_meant =
        |kind: &DefinitionKind| kind.word() == word || other_words(*kind).contains(&word.as_str());
    DefinitionKind::ALL.into_iter().find(is_meant).ok_or_else(|| {
        let words: Vec<&str> = DefinitionKind::ALL.iter().map(|kind| kind.word()).collect();
        format!("there are {}", words.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_stands_for_two_kinds() {
        let own = DefinitionKind::ALL.iter().map(|kind| kind.word());
        let other = DefinitionKind::ALL.iter().flat_map(|kind| other_words(*kind).iter().copied());
        let mut words: Vec<&str> = own.chain(other).collect();
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
    }
}
