//! Which definitions there are.

use super::name::is_path;
use crate::code::{Code, Symbol};
use crate::facts::Kind;
use crate::fuzzy::{Pattern, Score, path_score};
use crate::project::{DefRef, FileId};

/// What definitions are looked for.
#[derive(Debug, Clone, Default)]
pub struct SymbolQuery<'a> {
    /// A name, or something like it.
    pub name: Option<&'a str>,
    /// A file or folder, or something like it.
    pub file: Option<&'a str>,
    /// Only these kinds; all if there are none.
    pub kinds: &'a [Kind],
    /// How many at most.
    pub limit: usize,
}

/// Definitions that were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbols {
    /// Those that fit best first; without a name in the order of the files.
    pub symbols: Vec<Symbol>,
    /// How many there are in all.
    pub total: usize,
    /// The files that were looked at, if not all were.
    pub files: Option<Vec<String>>,
}

impl Code<'_> {
    /// Finds definitions.
    pub fn symbols(&self, query: &SymbolQuery<'_>) -> Symbols {
        let files = query.file.map(|file| self.files_like(file));
        let looked: Vec<FileId> = files.clone().unwrap_or_else(|| self.project.ids().collect());
        let mut found = self.candidates(query, &looked);
        found.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
        let total = found.len();
        let symbols = found.into_iter().take(query.limit).map(|(_, at)| self.symbol(at)).collect();
        let path = |file: FileId| self.project.file(file).path.clone();
        let files = files.map(|files| files.into_iter().map(path).collect());
        Symbols { symbols, total, files }
    }

    fn candidates(&self, query: &SymbolQuery<'_>, files: &[FileId]) -> Vec<(Score, DefRef)> {
        let (place, name) = match query.name.map(|name| name.rsplit_once(['.', ':', '#'])) {
            Some(Some((before, name))) => (Some(before.trim_end_matches(':')), Some(name)),
            Some(None) | None => (None, query.name),
        };
        let pattern = name.map(Pattern::new);
        let owner =
            place.map(|place| Pattern::new(place.rsplit(['.', ':', '#']).next().unwrap_or(place)));
        let mut found = Vec::new();
        for file in files {
            for (at, definition) in self.project.definitions(*file) {
                if !query.kinds.is_empty() && !query.kinds.contains(&definition.kind) {
                    continue;
                }
                let score = match &pattern {
                    Some(pattern) => pattern.score(self.project.name(at)),
                    None => Some(Score(0)),
                };
                let belongs = owner.as_ref().is_none_or(|owner| {
                    self.project.owner_name(at).is_some_and(|name| owner.score(name).is_some())
                });
                found.extend(score.filter(|_| belongs).map(|score| (score, at)));
            }
        }
        found
    }

    /// Files by path, folder, end of a path, or something like it.
    pub(crate) fn files_like(&self, text: &str) -> Vec<FileId> {
        let text = text.trim_start_matches("./").trim_end_matches('/');
        let path = |file: &FileId| self.project.file(*file).path.as_str();
        if let Some(exact) = self.project.by_path(text) {
            return vec![exact];
        }
        let folder = format!("{text}/");
        let inside: Vec<FileId> =
            self.project.ids().filter(|file| path(file).starts_with(&folder)).collect();
        if !inside.is_empty() {
            return inside;
        }
        let ends: Vec<FileId> =
            self.project.ids().filter(|file| is_path(path(file), text)).collect();
        if !ends.is_empty() {
            return ends;
        }
        let pattern = Pattern::new(text);
        let scored = |file| Some((path_score(&pattern, path(&file))?, file));
        let mut found: Vec<(Score, FileId)> = self.project.ids().filter_map(scored).collect();
        found.sort_by_key(|(score, file)| (std::cmp::Reverse(*score), *file));
        let best = found.first().map(|(score, _)| *score);
        found.into_iter().filter(|(score, _)| Some(*score) == best).map(|(_, file)| file).collect()
    }
}
