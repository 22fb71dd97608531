//! Reads one file into [`FileFacts`].
//!
//! The parser's tree is flattened and walked once, in the order of the text, by
//! the rules of the language. The result is then settled: only when the whole
//! file is known can uses of local names be told from others.

mod collected;
mod comments;
mod names;
#[cfg(test)]
mod printed;
mod settle;
mod symbols;
mod tree;
mod walk;

#[cfg(feature = "lang-bash")]
mod bash;
#[cfg(any(feature = "lang-c", feature = "lang-cpp"))]
mod c;
#[cfg(feature = "lang-csharp")]
mod csharp;
#[cfg(feature = "lang-go")]
mod go;
#[cfg(feature = "lang-java")]
mod java;
#[cfg(feature = "lang-php")]
mod php;
#[cfg(feature = "lang-python")]
mod python;
#[cfg(feature = "lang-ruby")]
mod ruby;
#[cfg(feature = "lang-rust")]
mod rust;
#[cfg(any(feature = "lang-typescript", feature = "lang-javascript"))]
mod typescript;

use std::collections::HashMap;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser};

use self::collected::{MemberNaming, WalkStep};
use self::settle::ShapeOf;
use self::tree::{FlatTree, GrammarTable, NodeIndex};
use self::walk::SyntaxWalk;
use crate::facts::FileFacts;
use crate::language::SourceLanguage;

/// An error that keeps a file from being read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceReadError {
    /// The parser took more steps than any real file of that size needs.
    #[error("the parser gave up after {bytes} bytes")]
    TooHard {
        /// Number of bytes it got through.
        bytes: usize,
    },
    /// The parser does not know the grammar's version.
    #[error("the grammar of {language} does not fit the parser")]
    Grammar {
        /// The language of the grammar.
        language: SourceLanguage,
    },
    /// The file is too large for 32-bit positions.
    #[error("{bytes} bytes are too many")]
    TooLarge {
        /// Number of its bytes.
        bytes: usize,
    },
}

/// The rules for reading a language.
struct GrammarRules {
    grammar: tree_sitter::Language,
    comments: comments::DocCommentStyle,
    members: MemberNaming,
    /// Kinds of nodes that are never descended into.
    closed: &'static [u16],
    /// Kinds of nodes that are not descended into if they begin with a quote.
    plain: &'static [u16],
    visit: for<'s> fn(&mut SyntaxWalk<'s>, NodeIndex) -> WalkStep,
    shape: ShapeOf,
    finish: for<'s> fn(&mut SyntaxWalk<'s>),
}

struct LanguageParser {
    parser: Parser,
    table: GrammarTable,
    rules: GrammarRules,
}

/// Reads files, one after the other.
///
/// It keeps a parser for each language that it has read, and should live as
/// long as its thread.
#[derive(Default)]
pub struct SourceReader {
    tools: HashMap<SourceLanguage, LanguageParser>,
    flat: FlatTree,
}

impl std::fmt::Debug for SourceReader {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Reader")
            .field("languages", &self.tools.keys())
            .finish_non_exhaustive()
    }
}

/// The parser reports its progress about every hundred steps. A file that takes
/// more reports than this per kilobyte will not be finished.
const REPORTS_PER_KILOBYTE: usize = 400;

/// Bytes given to the parser at once, so that it must ask again to look far
/// ahead.
const PART: usize = 16 * 1024;

/// Maximum number of bytes given for one small file. Some grammars look ahead
/// over all following comments, at each of them.
const MOST_GIVEN: usize = 128 * 1024 * 1024;

impl SourceReader {
    /// Returns a reader that has read no file yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a file. The result depends on nothing but the bytes.
    ///
    /// Text that does not follow the grammar is left out, and
    /// [`FileFacts::health`] says so.
    pub fn read(
        &mut self,
        language: SourceLanguage,
        source: &[u8],
    ) -> Result<FileFacts, SourceReadError> {
        // Twice the size must fit a position, and names use half of the
        // numbers.
        if source.len() > (i32::MAX / 2) as usize {
            return Err(SourceReadError::TooLarge { bytes: source.len() });
        }
        let tools = match self.tools.entry(language) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => new.insert(tools(language)?),
        };
        let tree = parse(&mut tools.parser, source)?;
        self.flat.fill(&tree, source, &tools.table);
        // Its many small pieces are freed before others are allocated between
        // them: otherwise the allocator joins them piece by piece for the next
        // file.
        drop(tree);
        let rules = &tools.rules;
        let mut walk = SyntaxWalk::new(source, &mut self.flat.nodes, rules.comments);
        walk.members = rules.members;
        walk.run(rules.visit);
        (rules.finish)(&mut walk);
        Ok(settle::settle(walk, rules.shape, self.flat.broken_at))
    }
}

/// Returns the grammar of a language, to compare reading with bare parsing.
pub fn grammar(language: SourceLanguage) -> tree_sitter::Language {
    rules(language).grammar
}
fn tools(language: SourceLanguage) -> Result<LanguageParser, SourceReadError> {
    let rules = rules(language);
    let mut parser = Parser::new();
    parser.set_language(&rules.grammar).map_err(|_| SourceReadError::Grammar { language })?;
    let table = GrammarTable::of(&rules.grammar, rules.closed, rules.plain);
    Ok(LanguageParser { parser, table, rules })
}

fn parse(parser: &mut Parser, source: &[u8]) -> Result<tree_sitter::Tree, SourceReadError> {
    let mut reports = 0;
    let mut reached = 0;
    let most = (source.len() / 1024 + 16) * REPORTS_PER_KILOBYTE;
    let mut progress = |state: &ParseState| {
        reports += 1;
        reached = state.current_byte_offset();
        if reports > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut given = 0_usize;
    let mut text = |byte: usize, _| {
        let rest = source.get(byte..).unwrap_or_default();
        let part = rest.get(..PART).unwrap_or(rest);
        given = given.saturating_add(part.len());
        // An empty part ends the file, and so the parser's work.
        if given > most_given(source) { &[] } else { part }
    };
    let tree = parser.parse_with_options(&mut text, None, Some(options));
    tree.filter(|_| given <= most_given(source)).ok_or_else(|| {
        // Otherwise the next file would continue where this one stopped.
        parser.reset();
        SourceReadError::TooHard { bytes: reached }
    })
}

/// Returns the maximum number of bytes to give: large files are given several
/// times, whatever their contents.
fn most_given(source: &[u8]) -> usize {
    source.len().saturating_mul(8).max(MOST_GIVEN)
}

fn rules(language: SourceLanguage) -> GrammarRules {
    match language {
        #[cfg(feature = "lang-python")]
        SourceLanguage::Python => python::rules(),
        #[cfg(feature = "lang-rust")]
        SourceLanguage::Rust => rust::rules(),
        #[cfg(feature = "lang-typescript")]
        SourceLanguage::TypeScript => {
            typescript::rules(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into())
        }
        #[cfg(feature = "lang-typescript")]
        SourceLanguage::Tsx => typescript::rules(tree_sitter_typescript::LANGUAGE_TSX.into()),
        #[cfg(feature = "lang-javascript")]
        SourceLanguage::JavaScript => typescript::rules(tree_sitter_javascript::LANGUAGE.into()),
        #[cfg(feature = "lang-go")]
        SourceLanguage::Go => go::rules(),
        #[cfg(feature = "lang-c")]
        SourceLanguage::C => c::rules(tree_sitter_c::LANGUAGE.into()),
        #[cfg(feature = "lang-cpp")]
        SourceLanguage::Cpp => c::rules(tree_sitter_cpp::LANGUAGE.into()),
        #[cfg(feature = "lang-java")]
        SourceLanguage::Java => java::rules(),
        #[cfg(feature = "lang-csharp")]
        SourceLanguage::CSharp => csharp::rules(),
        #[cfg(feature = "lang-php")]
        SourceLanguage::Php => php::rules(),
        #[cfg(feature = "lang-bash")]
        SourceLanguage::Bash => bash::rules(),
        #[cfg(feature = "lang-ruby")]
        SourceLanguage::Ruby => ruby::rules(),
    }
}

/// Does nothing, for languages that need no work at the end of a file.
fn nothing_left(_: &mut SyntaxWalk<'_>) {}

#[cfg(test)]
mod tests;
