//! Lists definitions.

use super::files::FoundBy;
use super::name::split_place;
use super::spot::QueryPosition;
use crate::code::{CodeSymbol, KnownCode};
use crate::facts::DefinitionKind;
use crate::fuzzy::{FuzzyPattern, MatchScore};
use crate::project::{CodeFileId, DefRef};

/// Criteria for a search of definitions.
#[derive(Debug, Clone, Default)]
pub struct SymbolQuery<'a> {
    /// A name or something similar; or a position such as `path/file.py:12`.
    pub name: Option<&'a str>,
    /// A file or folder, a pattern such as `*.py`, or something like a path.
    pub file: Option<&'a str>,
    /// Only these kinds; all if there are none.
    pub kinds: &'a [DefinitionKind],
    /// Maximum number of results.
    pub limit: usize,
}

/// Definitions that were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolMatches {
    /// Best matches first; without a name, in the order of the files.
    pub symbols: Vec<CodeSymbol>,
    /// Number of all matches.
    pub total: usize,
    /// The files that were searched, if not all were.
    pub files: Option<Vec<String>>,
    /// The way in which these files were found.
    pub found_by: Option<FoundBy>,
}

impl SymbolQuery<'_> {
    fn wants(&self, kind: DefinitionKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }
}

impl KnownCode<'_> {
    /// Finds definitions.
    pub fn symbols(&self, query: &SymbolQuery<'_>) -> SymbolMatches {
        let meant = query.file.map(|file| self.files_meant(file));
        let found_by = meant.as_ref().map(|(found_by, _)| *found_by);
        let files = meant.map(|(_, files)| files);
        let looked: Vec<CodeFileId> = files.clone().unwrap_or_else(|| self.project.ids().collect());
        let spot = query.name.and_then(|name| QueryPosition::parse(name.trim()));
        let mut found = match spot {
            Some(spot) => self.standing_at(spot, query, &looked),
            None => self.candidates(query, &looked),
        };
        found.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
        let total = found.len();
        let symbols = found.into_iter().take(query.limit).map(|(_, at)| self.symbol(at)).collect();
        let path = |file: CodeFileId| self.project.file(file).path.clone();
        let files = files.map(|files| files.into_iter().map(path).collect());
        SymbolMatches { symbols, total, files, found_by }
    }

    fn standing_at(
        &self,
        spot: QueryPosition<'_>,
        query: &SymbolQuery<'_>,
        files: &[CodeFileId],
    ) -> Vec<(MatchScore, DefRef)> {
        let is_wanted = |at: &DefRef| {
            let kind = self.project.outlined(*at).map(|it| it.kind);
            files.contains(&at.file) && kind.is_some_and(|kind| query.wants(kind))
        };
        let found = self.definitions_at(spot).into_iter().filter(is_wanted);
        found.map(|at| (MatchScore(0), at)).collect()
    }

    fn candidates(
        &self,
        query: &SymbolQuery<'_>,
        files: &[CodeFileId],
    ) -> Vec<(MatchScore, DefRef)> {
        let (file, name) = match query.name.map(split_place) {
            Some((Some(file), name)) => (self.files_ending(file), Some(name)),
            Some((None, _)) | None => (Vec::new(), None),
        };
        // If there is no such file, a colon is a part of the name.
        let name = name.filter(|_| !file.is_empty()).or(query.name);
        let (place, name) = match name.map(|name| name.rsplit_once(['.', ':', '#'])) {
            Some(Some((before, last))) => (Some(before.trim_end_matches(':')), Some(last)),
            Some(None) | None => (None, name),
        };
        let pattern = name.map(FuzzyPattern::new);
        let owner = place
            .map(|place| FuzzyPattern::new(place.rsplit(['.', ':', '#']).next().unwrap_or(place)));
        let mut found = Vec::new();
        for file in files.iter().filter(|id| file.is_empty() || file.contains(id)) {
            for (at, definition) in self.project.definitions(*file) {
                if !query.wants(definition.kind) {
                    continue;
                }
                let owner_name = || self.project.owner_name(at);
                let score = match &pattern {
                    Some(pattern) => pattern.score_of(owner_name, self.project.name(at)),
                    None => Some(MatchScore(0)),
                };
                let belongs = owner.as_ref().is_none_or(|owner| {
                    owner_name().is_some_and(|name| owner.score(name).is_some())
                });
                found.extend(score.filter(|_| belongs).map(|score| (score, at)));
            }
        }
        found
    }
}

#[cfg(test)]
#[path = "symbols_tests.rs"]
mod tests;
