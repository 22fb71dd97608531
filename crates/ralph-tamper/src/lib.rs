//! Tamper evidence: what an agent did to the checks instead of the work.
//!
//! [`compare`] gets the files that differ between the run's start and the
//! present tree, and says what became weaker: tests lost or skipped,
//! assertions removed or made trivial, suppressions added, configuration that
//! checks less. It reads nothing but what it is given. Sources are parsed;
//! what cannot be parsed is compared line by line.
//!
//! The outline knows names, folders and languages that the code graph does not.
//! The graph adds the tests that declare themselves, never by a name alone.

mod announced;
mod assertions;
mod cases;
mod comparing;
mod config;
mod kind;
mod known;
mod korean;
mod language;
mod lines;
mod lost;
mod marks;
mod matching;
mod modules;
mod original;
mod outline;
mod paths;
mod rules;
mod strength;
mod suppressions;
mod tree;
mod units;
mod visible_files;

use std::borrow::Cow;
use std::collections::BTreeSet;

use ralph_core::finding::SourceLocation;
use ralph_graph::cases::NamedTestCase;
use rayon::prelude::*;

use outline::FileOutline;

pub use kind::{Tampering, TamperingKind, TamperingSeverity};
pub use language::FileLanguage;
pub use original::{
    ProjectTexts, RestoredContents, SplitChange, is_header_of_others, is_material, new_names,
    paths_upwards, serving, split, tests_in, words_to_runners,
};
pub use paths::{
    configures_checks, decides_checks, is_fixture, is_runner_config, is_snapshot,
    is_startup_module, is_test_file,
};
pub use rules::{GlobError, LINTERS, TamperRules};
pub use visible_files::{VisibleFiles, byte_code_folders, is_passed_over};

/// One file at one of the two times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileVersion<'a> {
    /// Relative to the project's root, with `/`.
    pub path: &'a str,
    /// The contents.
    pub contents: &'a [u8],
}

/// A file that differs. A file that was renamed may come as one pair or as a
/// deletion and an addition: both give the same answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilePair<'a> {
    /// At the run's start; `None` if it is new.
    pub old: Option<FileVersion<'a>>,
    /// Now; `None` if it is gone.
    pub new: Option<FileVersion<'a>>,
}

/// Says what became weaker, and which other edits of tests and checks there
/// are, ordered by place.
///
/// What was allowed is said like everything else: [`TamperRules::allows`] tells which it is. Files that
/// do not differ need not be given, with one consequence: a test that was moved into a file is only
/// found again if that file is among the pairs, which it is because it changed.
pub fn compare(files: &[FilePair<'_>], rules: &TamperRules) -> Vec<Tampering> {
    let pairs: Vec<ParsedFilePair<'_>> = files.par_iter().map(ParsedFilePair::read).collect();
    let mut found = matching::tests(&pairs);
    found.extend(modules::detached(&pairs));
    found.extend(suppressions::added(&pairs));
    found.extend(paths::lost_files(&pairs));
    for pair in &pairs {
        found.extend(config::compare(pair, rules));
    }
    found.sort_by(|a, b| (&a.place, a.severity(), &a.kind).cmp(&(&b.place, b.severity(), &b.kind)));
    found.dedup();
    without_echoes(found)
}

/// Drops edits in lines where something weaker is reported anyway.
fn without_echoes(mut found: Vec<Tampering>) -> Vec<Tampering> {
    let weakened: BTreeSet<SourceLocation> = found
        .iter()
        .filter(|one| one.severity() == TamperingSeverity::Weakening)
        .map(|one| one.place.clone())
        .collect();
    found.retain(|one| {
        one.severity() == TamperingSeverity::Weakening || !weakened.contains(&one.place)
    });
    found
}

/// A file that differs, read.
struct ParsedFilePair<'a> {
    old: Option<ParsedFileVersion<'a>>,
    new: Option<ParsedFileVersion<'a>>,
}

/// One version of a file, read.
struct ParsedFileVersion<'a> {
    path: &'a str,
    text: Cow<'a, str>,
    outline: FileOutline,
}

impl<'a> ParsedFilePair<'a> {
    fn read(files: &FilePair<'a>) -> Self {
        let text = |version: FileVersion<'a>| (version.path, decoded(version.contents));
        let (old, new) = (files.old.map(text), files.new.map(text));
        let ask = |(path, text): &(&str, Cow<'_, str>)| known::tests(path, text);
        let known = match (old.as_ref().map(ask), new.as_ref().map(ask)) {
            (Some(None), _) | (_, Some(None)) => (Vec::new(), Vec::new()),
            (old, new) => (old.flatten().unwrap_or_default(), new.flatten().unwrap_or_default()),
        };
        let parse = |(path, text): &(&str, Cow<'_, str>), known: &[NamedTestCase]| {
            outline::parse(path, text, known)
        };
        let outlines = (
            old.as_ref().map(|file| parse(file, &known.0)),
            new.as_ref().map(|file| parse(file, &known.1)),
        );
        // The same reader for both: what one of them sees and the other does
        // not would look like an edit.
        let parsed = !matches!(outlines, (Some(None), _) | (_, Some(None)));
        let side = |(path, text): (&'a str, Cow<'a, str>), outline: Option<FileOutline>| {
            let outline = outline.filter(|_| parsed);
            let outline = outline.unwrap_or_else(|| lines::outline(path, &text));
            ParsedFileVersion { path, text, outline }
        };
        Self {
            old: old.map(|file| side(file, outlines.0.flatten())),
            new: new.map(|file| side(file, outlines.1.flatten())),
        }
    }
}

/// The text of a file, with the line ends and without the byte order mark
/// that parsers differ about.
fn decoded(contents: &[u8]) -> Cow<'_, str> {
    let contents = contents.strip_prefix("\u{feff}".as_bytes()).unwrap_or(contents);
    let text = String::from_utf8_lossy(contents);
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n")) } else { text }
}

#[cfg(test)]
mod tests;
