//! Finds the definition that a user means by a name.

use super::spot::QueryPosition;
use crate::code::{CodeSymbol, KnownCode};
use crate::exports;
use crate::facts::{DefinitionKind, SymbolVisibility};
use crate::fuzzy::{FuzzyPattern, MatchScore};
use crate::project::DefRef;
use crate::resolve::{Resolver, is_type, parts};

/// Number of names that are proposed for an unknown one.
const PROPOSALS: usize = 5;

/// The result of looking up a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameLookup<T> {
    /// One definition, with the answer about it.
    One(T),
    /// Any of these may be meant.
    Several(Vec<CodeSymbol>),
    /// No definition has this name; these are similar.
    Nothing(Vec<CodeSymbol>),
}

/// Ways in which the names a user wrote can match a definition; the closest
/// match comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameMatchKind {
    /// They are its full name.
    Whole,
    /// They are the end of its full name.
    End,
    /// They are among the names of what contains it.
    Within,
    /// Some are folders, or the name of its file.
    InFile,
}

impl KnownCode<'_> {
    /// Finds the definitions meant by `save`, `Store.save`, `store::save`,
    /// `path/file.py:Store.save`, `path/file.py:12` or `path/file.py:12:5`.
    ///
    /// Several definitions are one thing if they have one full name in one
    /// file, as overloads do, or if one declares what the other defines.
    pub(crate) fn meant(&self, text: &str) -> NameLookup<Vec<DefRef>> {
        let text = text.trim();
        let spot = QueryPosition::parse(text);
        let found = match spot {
            Some(spot) => self.definitions_at(spot),
            None => self.names_first(self.definitions_named(text)),
        };
        let Some(first) = found.first() else {
            let alike = if spot.is_some() { Vec::new() } else { self.proposals(text) };
            return NameLookup::Nothing(alike);
        };
        let same = |at: &&DefRef| {
            at.file == first.file && self.project.full_name(**at) == self.project.full_name(*first)
        };
        if found.iter().all(|at| same(&at)) {
            return NameLookup::One(Resolver::new(&self.project).with_twins(&found));
        }
        let twins = Resolver::new(&self.project).with_twins(&[*first]);
        if found.iter().all(|at| twins.contains(at)) {
            return NameLookup::One(twins);
        }
        NameLookup::Several(found.into_iter().map(|at| self.symbol(at)).collect())
    }

    /// Drops titles of tests if something else has the name: a title is only
    /// meant if nothing else does.
    fn names_first(&self, mut found: Vec<DefRef>) -> Vec<DefRef> {
        let is_name = |at: &DefRef| {
            self.project.outlined(*at).is_some_and(|it| it.reach != SymbolVisibility::Nowhere)
        };
        if found.iter().any(is_name) {
            found.retain(is_name);
        }
        found
    }

    fn definitions_named(&self, text: &str) -> Vec<DefRef> {
        let (place, name) = split_place(text);
        let mut segments: Vec<&str> = parts(name).flat_map(|part| part.split('#')).collect();
        segments.retain(|segment| !segment.is_empty());
        let Some((last, before)) = segments.split_last() else { return Vec::new() };
        let mut named: Vec<DefRef> = self.project.named(last).to_vec();
        if let Some(place) = place {
            let path = |at: &DefRef| &self.project.file(at.file).path;
            named.retain(|at| is_path(path(at), place));
            let is_whole = |at: &DefRef| path(at) == plain_path(place);
            if named.iter().any(is_whole) {
                named.retain(is_whole);
            }
        }
        let fits = named.iter().filter_map(|at| Some((self.fit(*at, before)?, *at)));
        let fits: Vec<(NameMatchKind, DefRef)> = fits.collect();
        let best = fits.iter().map(|(fit, _)| *fit).min();
        let fits = fits.into_iter().filter(|(fit, _)| Some(*fit) == best);
        self.without_constructors(fits.map(|(_, at)| at).collect())
    }

    /// Drops constructors if a type has the same name.
    fn without_constructors(&self, mut found: Vec<DefRef>) -> Vec<DefRef> {
        let kind = |at: &DefRef| self.project.outlined(*at).map(|it| it.kind);
        if found.iter().any(|at| kind(at).is_some_and(is_type)) {
            let makes_one = |at: &DefRef| {
                let owner = self.project.owner_name(*at).and_then(|name| parts(name).last());
                kind(at) == Some(DefinitionKind::Method) && owner == Some(self.project.name(*at))
            };
            found.retain(|at| !makes_one(at));
        }
        found
    }

    /// Returns how closely these names, from the outside in, match the names
    /// around a definition; `None` if they do not.
    fn fit(&self, at: DefRef, names: &[&str]) -> Option<NameMatchKind> {
        let project = &self.project;
        let owner = project.outlined(at).and_then(|it| it.owner);
        let owner = owner.map(|owner| project.text(at.file, owner));
        let owner = owner.filter(|owner| !exports::is_file(owner));
        let above = project.containers(at).map(|above| project.name(above));
        let namespaces = project.namespaces(at.file);
        let mut above: Vec<&str> = owner.into_iter().chain(above).flat_map(inside_out).collect();
        // If a file names one namespace at its top, the rest is inside it.
        if let (Some(namespace), 1) = (namespaces.first(), namespaces.len()) {
            let namespace = inside_out(namespace);
            if !above.ends_with(&namespace) {
                above.extend(namespace);
            }
        }
        let path = &project.file(at.file).path;
        let mut folders = path.rsplit('/');
        let file = folders.next().and_then(|name| name.split('.').next());
        let beside = file.into_iter().chain(folders).flat_map(inside_out);
        let is_same = |a: &str, b: &str| a.replace('-', "_") == b.replace('-', "_");
        let wanted: Vec<&str> = names.iter().rev().copied().collect();
        let has_all = |all: &[&str]| {
            let mut rest = all.iter();
            wanted.iter().all(|name| rest.any(|other| is_same(other, name)))
        };
        let full_name = project.full_name(at);
        let full: Vec<&str> = inside_out(&full_name).into_iter().skip(1).collect();
        if wanted == above || wanted == full {
            Some(NameMatchKind::Whole)
        } else if above.starts_with(&wanted) && !wanted.is_empty() {
            Some(NameMatchKind::End)
        } else if has_all(&above) {
            Some(NameMatchKind::Within)
        } else {
            let all: Vec<&str> = above.iter().copied().chain(beside).collect();
            has_all(&all).then_some(NameMatchKind::InFile)
        }
    }

    fn proposals(&self, text: &str) -> Vec<CodeSymbol> {
        let Some(name) = parts(split_place(text).1).last() else { return Vec::new() };
        let pattern = FuzzyPattern::new(name);
        let mut found: Vec<(MatchScore, DefRef)> = Vec::new();
        for file in self.project.ids() {
            for (at, _) in self.project.definitions(file) {
                found.extend(pattern.score(self.project.name(at)).map(|score| (score, at)));
            }
        }
        found.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
        found.into_iter().take(PROPOSALS).map(|(_, at)| self.symbol(at)).collect()
    }
}

/// Splits a text into the path before a single colon, and the name.
pub(super) fn split_place(text: &str) -> (Option<&str>, &str) {
    let bytes = text.as_bytes();
    let is_single = |at: &usize| {
        bytes.get(at + 1) != Some(&b':')
            && at.checked_sub(1).and_then(|before| bytes.get(before)) != Some(&b':')
    };
    let colon = text.match_indices(':').map(|(at, _)| at).find(is_single);
    match colon.and_then(|at| text.split_at_checked(at)) {
        Some((place, name)) => (Some(place), &name[1..]),
        None => (None, text),
    }
}

/// Returns a path without a leading `./`.
pub(super) fn plain_path(path: &str) -> &str {
    path.trim_start_matches("./")
}

/// Returns the parts of a name, the last one first.
fn inside_out(name: &str) -> Vec<&str> {
    let mut pieces: Vec<&str> = parts(name).collect();
    pieces.reverse();
    pieces
}

/// Returns true if a path ends with this part, at a slash.
pub(crate) fn is_path(path: &str, part: &str) -> bool {
    let part = plain_path(part);
    path == part || path.ends_with(part) && path[..path.len() - part.len()].ends_with('/')
}

#[cfg(test)]
#[path = "name_tests.rs"]
mod tests;
