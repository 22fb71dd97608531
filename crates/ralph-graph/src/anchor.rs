//! Tells whether a definition exists and whether it changed. Notes about code
//! are tied to definitions this way.

use std::fmt;
use std::path::Path;

use crate::facts::{FileFacts, ParseHealth, SourceDefinition};
use crate::language::SourceLanguage;
use crate::read::SourceReader;
use crate::skip;

/// Hash of the text of a definition. Indentation, blank lines and white space
/// at the ends of lines do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SymbolHash([u8; 16]);

impl fmt::Display for SymbolHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// Returns true if a file with this path and these contents defines the symbol.
pub fn defines(path: &Path, contents: &[u8], symbol: &str) -> bool {
    FileAnchors::read(path, contents).is_some_and(|anchors| anchors.defines(symbol))
}

/// The definitions of one file, read once to answer several questions.
#[derive(Debug)]
pub struct FileAnchors<T> {
    contents: T,
    facts: FileFacts,
}

impl<T: AsRef<[u8]>> FileAnchors<T> {
    /// Reads a file; `None` if its language is not known, or if it is skipped:
    /// too large, not text, generated.
    pub fn read(path: &Path, contents: T) -> Option<Self> {
        Self::read_with(&mut SourceReader::new(), path, contents)
    }

    /// Reads a file with a reader that is used for other files too.
    pub fn read_with(reader: &mut SourceReader, path: &Path, contents: T) -> Option<Self> {
        let bytes = contents.as_ref();
        let language = SourceLanguage::of(path, bytes)?;
        if skip::reason(path, bytes).is_some() {
            return None;
        }
        let facts = reader.read(language, bytes).ok()?;
        Some(Self { contents, facts })
    }

    /// Returns true if all of the file follows its grammar. Otherwise some
    /// definitions may be missing.
    pub fn is_whole(&self) -> bool {
        self.facts.health == ParseHealth::Whole
    }

    /// Returns true if the file defines the symbol.
    pub fn defines(&self, symbol: &str) -> bool {
        self.named(symbol).next().is_some()
    }

    /// Returns the hash of a definition; `None` if the file does not define it.
    ///
    /// The definition is written as in questions: `save`, `Store.save` or
    /// `Store::save`. Several of that name, such as overloads, have one hash
    /// together.
    pub fn hash(&self, symbol: &str) -> Option<SymbolHash> {
        let mut found = self.named(symbol).peekable();
        found.peek()?;
        let mut hasher = blake3::Hasher::new();
        for definition in found {
            let span = definition.span;
            let text = self.contents.as_ref().get(span.start as usize..span.end as usize)?;
            hash_text(&mut hasher, text);
        }
        let mut hash = [0; 16];
        hasher.finalize_xof().fill(&mut hash);
        Some(SymbolHash(hash))
    }

    /// Returns the definitions with this name.
    fn named(&self, symbol: &str) -> impl Iterator<Item = &SourceDefinition> {
        let parts: Vec<&str> =
            symbol.split(['.', ':', '#', '\\', '/']).filter(|part| !part.is_empty()).collect();
        self.facts.definitions.iter().filter(move |definition| self.is_called(definition, &parts))
    }

    /// Returns true if the parts are the end of a definition's full name.
    fn is_called(&self, definition: &SourceDefinition, parts: &[&str]) -> bool {
        let Some((last, outer)) = parts.split_last() else { return false };
        let text = |name| self.facts.names.text(name);
        let at = |id: crate::facts::DefinitionId| self.facts.definitions.get(id.0 as usize);
        let above = |it: &&SourceDefinition| it.container.and_then(at);
        let around = std::iter::successors(above(&definition), above).map(|it| text(it.name));
        let owner = definition.owner.map(text).into_iter();
        let mut full = owner.chain(around).flat_map(|name| name.rsplit(['.', ':', '\\']));
        text(definition.name) == *last
            && outer.iter().rev().all(|part| full.find(|name| !name.is_empty()) == Some(*part))
    }
}

/// Adds a text to the hash, without its layout.
fn hash_text(hasher: &mut blake3::Hasher, text: &[u8]) {
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    let mut lines = lines.filter(|line| !line.is_empty());
    let depth = |line: &[u8]| line.len() - line.trim_ascii_start().len();
    let first = lines.next().unwrap_or_default().trim_ascii_start();
    let rest: Vec<&[u8]> = lines.collect();
    // The first line begins at the definition itself.
    let common = rest.iter().map(|line| depth(line)).min().unwrap_or(0);
    hasher.update(first);
    for line in rest {
        hasher.update(b"\n");
        hasher.update(line.get(common..).unwrap_or_default());
    }
    hasher.update(b"\0");
}

#[cfg(test)]
#[path = "anchor_tests.rs"]
mod tests;
