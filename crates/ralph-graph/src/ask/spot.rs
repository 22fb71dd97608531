//! Finds the definition at a position in a file.

use super::name::{is_path, plain_path, split_place};
use crate::code::KnownCode;
use crate::facts::{DefinitionId, SourceDefinition, SourceSpan};
use crate::project::{CodeFileId, DefRef};

/// A position in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QueryPosition<'t> {
    pub(super) file: &'t str,
    pub(super) line: u32,
    pub(super) column: Option<u32>,
}

impl<'t> QueryPosition<'t> {
    /// Parses `path/file.py:12` and `path/file.py:12:5`.
    pub(super) fn parse(text: &'t str) -> Option<Self> {
        let (file, numbers) = split_place(text);
        let file = file.filter(|file| !file.is_empty())?;
        let (line, column) = match numbers.trim_end_matches(':').split_once(':') {
            Some((line, column)) => (line, Some(column.parse().ok()?)),
            None => (numbers.trim_end_matches(':'), None),
        };
        Some(Self { file, line: line.parse().ok()?, column })
    }

    fn is_in_name(self, name: SourceSpan) -> bool {
        let columns = name.column..name.column + (name.end - name.start);
        name.line == self.line && self.column.is_none_or(|column| columns.contains(&column))
    }

    /// Returns true if it is inside the text of a definition. If that ends on
    /// another line, all of that line counts.
    fn is_within(self, span: SourceSpan) -> bool {
        let last = span.column + (span.end - span.start);
        let is_after_start = span.line < self.line
            || span.line == self.line && self.column.is_none_or(|column| span.column <= column);
        let is_before_end = self.line < span.last_line
            || self.line == span.last_line
                && (span.line < span.last_line || self.column.is_none_or(|column| column < last));
        is_after_start && is_before_end
    }
}

/// Returns the file of a text that gives a position, such as `path/file.py:12`;
/// `None` for one that gives a name.
pub fn file_of_place(text: &str) -> Option<&str> {
    QueryPosition::parse(text.trim()).map(|spot| spot.file)
}

impl KnownCode<'_> {
    /// Returns the definitions named at a position, else the innermost around
    /// it, in each matching file.
    pub(super) fn definitions_at(&self, spot: QueryPosition<'_>) -> Vec<DefRef> {
        let files = self.files_ending(spot.file);
        files.into_iter().flat_map(|file| self.definitions_in(file, spot)).collect()
    }

    fn definitions_in(&self, file: CodeFileId, spot: QueryPosition<'_>) -> Vec<DefRef> {
        let Some(facts) = self.facts(file) else { return Vec::new() };
        let ids = (0..).map(|id| DefRef { file, id: DefinitionId(id) });
        let all: Vec<(DefRef, &SourceDefinition)> = ids.zip(&facts.definitions).collect();
        let named = all.iter().filter(|(_, it)| spot.is_in_name(it.name_span));
        let named: Vec<DefRef> = named.map(|(at, _)| *at).collect();
        if !named.is_empty() {
            return named;
        }
        let around = all.iter().filter(|(_, it)| spot.is_within(it.span));
        let nearest = around.min_by_key(|(_, it)| it.span.end - it.span.start);
        nearest.map(|(at, _)| *at).into_iter().collect()
    }

    /// Returns true if there is code in a file whose path is this or ends with
    /// it.
    pub fn knows_file(&self, path: &str) -> bool {
        !self.files_ending(path).is_empty()
    }

    /// Returns the files whose path is this or ends with it.
    pub(super) fn files_ending(&self, text: &str) -> Vec<CodeFileId> {
        if let Some(exact) = self.project.by_path(plain_path(text)) {
            return vec![exact];
        }
        let ids = self.project.ids();
        ids.filter(|file| is_path(&self.project.file(*file).path, text)).collect()
    }
}
