//! Finds the files that a user means.

use ignore::gitignore::GitignoreBuilder;

use super::name::{is_path, plain_path};
use crate::code::KnownCode;
use crate::fuzzy::{FuzzyPattern, MatchScore, path_score};
use crate::project::CodeFileId;

/// The way in which files were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundBy {
    /// By their path, the end of it, or their folder.
    Path,
    /// By a pattern such as `*.py`.
    Pattern,
    /// No file has this path, but these have a similar one.
    Likeness,
}

impl FoundBy {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Pattern => "pattern",
            Self::Likeness => "likeness",
        }
    }
}

impl KnownCode<'_> {
    /// Finds files by path, folder, end of a path, pattern, or similarity.
    pub(crate) fn files_like(&self, text: &str) -> Vec<CodeFileId> {
        self.files_meant(text).1
    }

    /// Does the same, and tells how they were found.
    pub(crate) fn files_meant(&self, text: &str) -> (FoundBy, Vec<CodeFileId>) {
        let text = plain_path(text).trim_end_matches('/');
        if text.is_empty() || text == "." {
            return (FoundBy::Path, self.project.ids().collect());
        }
        let named = self.files_at(text);
        if !named.is_empty() {
            return (FoundBy::Path, named);
        }
        if text.contains(['*', '?', '[', '{']) {
            return (FoundBy::Pattern, self.files_matching(text));
        }
        (FoundBy::Likeness, self.files_resembling(text))
    }

    /// Returns the file with this path, else the files in this folder, else
    /// those whose paths end with it.
    fn files_at(&self, text: &str) -> Vec<CodeFileId> {
        let path = |file: &CodeFileId| self.project.file(*file).path.as_str();
        if let Some(exact) = self.project.by_path(text) {
            return vec![exact];
        }
        let folder = format!("{text}/");
        let inside: Vec<CodeFileId> =
            self.project.ids().filter(|file| path(file).starts_with(&folder)).collect();
        if !inside.is_empty() {
            return inside;
        }
        self.project.ids().filter(|file| is_path(path(file), text)).collect()
    }

    /// Returns the files that a pattern matches, read as a line of
    /// `.gitignore`: without a slash it applies in every folder, and a matched
    /// folder matches everything in it.
    fn files_matching(&self, pattern: &str) -> Vec<CodeFileId> {
        let mut rules = GitignoreBuilder::new("");
        let is_sound = rules.add_line(None, pattern).is_ok();
        let Ok(rules) = rules.build() else { return Vec::new() };
        let fits = |file: &CodeFileId| {
            let path = &self.project.file(*file).path;
            is_sound && rules.matched_path_or_any_parents(path, false).is_ignore()
        };
        self.project.ids().filter(fits).collect()
    }

    /// Returns the files whose paths are most similar to a text.
    fn files_resembling(&self, text: &str) -> Vec<CodeFileId> {
        let pattern = FuzzyPattern::new(text);
        let path = |file: CodeFileId| self.project.file(file).path.as_str();
        let scored = |file| Some((path_score(&pattern, path(file))?, file));
        let mut found: Vec<(MatchScore, CodeFileId)> =
            self.project.ids().filter_map(scored).collect();
        found.sort_by_key(|(score, file)| (std::cmp::Reverse(*score), *file));
        let best = found.first().map(|(score, _)| *score);
        found.into_iter().filter(|(score, _)| Some(*score) == best).map(|(_, file)| file).collect()
    }
}
