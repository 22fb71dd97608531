//! Parses one file, with a bound on the work.
//!
//! Sources come from an agent, and some grammars take time that grows with the
//! square of a file: Python's looks ahead over all comments that follow, at
//! each of them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;

use ast_grep_core::AstGrep;
use ast_grep_core::tree_sitter::{LanguageExt as _, StrDoc};
use ast_grep_language::SupportLang;
use tree_sitter::{ParseOptions, ParseState, Parser};

/// A parsed file.
pub type ParsedSource = AstGrep<StrDoc<SupportLang>>;

/// The parser took more steps than any real file of that size needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseLimitExceeded;

/// The parser reports its progress about every hundred steps. A file that
/// takes more reports than this per kilobyte is not going to be finished.
const REPORTS_PER_KILOBYTE: usize = 400;

/// The maximum number of bytes the parser is given at once, so that it has to ask again when it
/// looks far ahead.
const PART: usize = 16 * 1024;

/// The number of bytes that the parser may be given for any file, in all; large files get more.
const MOST_GIVEN: usize = 128 * 1024 * 1024;

thread_local! {
    /// Making a parser takes longer than parsing a small file.
    static PARSERS: RefCell<HashMap<SupportLang, Parser>> = RefCell::default();
}

/// Parses a text, unless that is too much work.
///
/// # Errors
///
/// If the parser took more steps than any real file needs.
pub fn parse(text: &str, language: SupportLang) -> Result<ParsedSource, ParseLimitExceeded> {
    let tree = PARSERS.with_borrow_mut(|parsers| {
        let parser = match parsers.entry(language) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let mut parser = Parser::new();
                parser.set_language(&language.get_ts_language()).map_err(|_| ParseLimitExceeded)?;
                new.insert(parser)
            }
        };
        tree(parser, text.as_bytes())
    })?;
    Ok(AstGrep::doc(StrDoc { src: text.to_owned(), lang: language, tree }))
}

fn tree(parser: &mut Parser, source: &[u8]) -> Result<tree_sitter::Tree, ParseLimitExceeded> {
    // Large files are given some times over, whatever is in them.
    let most_given = source.len().saturating_mul(8).max(MOST_GIVEN);
    let most_reports = (source.len() / 1024 + 16) * REPORTS_PER_KILOBYTE;
    let mut reports = 0;
    let mut progress = |_: &ParseState| {
        reports += 1;
        if reports > most_reports { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut given = 0_usize;
    let mut text = |byte: usize, _| {
        let rest = source.get(byte..).unwrap_or_default();
        let part = rest.get(..PART).unwrap_or(rest);
        given = given.saturating_add(part.len());
        // For the parser the file ends here, and so does its work.
        if given > most_given { &[] } else { part }
    };
    let tree = parser.parse_with_options(&mut text, None, Some(options));
    tree.filter(|_| given <= most_given).ok_or_else(|| {
        // Otherwise the next file would go on where this one was left.
        parser.reset();
        ParseLimitExceeded
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_takes_ever_more_work_is_given_up() {
        let text = format!("x = 1\n{}", "# a comment as any other\n".repeat(40_000));
        // Without a bound it takes minutes, and then it is parsed.
        assert_eq!(parse(&text, SupportLang::Python).err(), Some(ParseLimitExceeded));
        let next = parse("print(1)\n", SupportLang::Python).ok();
        assert!(next.is_some_and(|tree| tree.root().find("print($A)").is_some()));
    }

    #[test]
    fn a_large_file_of_ordinary_code_is_parsed_whole() {
        let text = "def run(x):\n    # why\n    return x + 1\n".repeat(60_000);
        let tree = parse(&text, SupportLang::Python).ok().unwrap();
        assert_eq!(tree.root().range(), 0..text.len());
        assert_eq!(tree.root().children().count(), 60_000);
    }
}
