//! Which definition a user means.

use crate::code::{Code, Symbol};
use crate::fuzzy::{Pattern, Score};
use crate::project::DefRef;
use crate::resolve::{Resolver, parts};

/// How many names are proposed for one that is not there.
const PROPOSALS: usize = 5;

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant<T> {
    /// One thing, and what was asked about it.
    One(T),
    /// It could be any of these.
    Several(Vec<Symbol>),
    /// There is nothing with this name; these are alike.
    Nothing(Vec<Symbol>),
}

impl Code<'_> {
    /// Finds what a user means by `save`, `Store.save`, `store::save` or
    /// `path/file.py:Store.save`.
    ///
    /// Several definitions are one thing if they have one full name in one
    /// file, as overloads do, or if one declares what the other defines.
    pub(crate) fn meant(&self, text: &str) -> Meant<Vec<DefRef>> {
        let found = self.definitions_named(text);
        let Some(first) = found.first() else { return Meant::Nothing(self.proposals(text)) };
        let same = |at: &&DefRef| {
            at.file == first.file && self.project.full_name(**at) == self.project.full_name(*first)
        };
        if found.iter().all(|at| same(&at)) {
            return Meant::One(Resolver::new(&self.project).with_twins(&found));
        }
        let twins = Resolver::new(&self.project).with_twins(&[*first]);
        if found.iter().all(|at| twins.contains(at)) {
            return Meant::One(twins);
        }
        Meant::Several(found.into_iter().map(|at| self.symbol(at)).collect())
    }

    fn definitions_named(&self, text: &str) -> Vec<DefRef> {
        let (place, name) = split_place(text);
        let mut segments: Vec<&str> = parts(name).flat_map(|part| part.split('#')).collect();
        segments.retain(|segment| !segment.is_empty());
        let Some((last, before)) = segments.split_last() else { return Vec::new() };
        let is_there = |at: &&DefRef| {
            let path = &self.project.file(at.file).path;
            let fits = place.is_none_or(|place| is_path(path, place));
            fits && self.is_within(**at, before)
        };
        let found = self.project.named(last).iter().filter(is_there).copied();
        // Keys of different names can be the same.
        let mut found: Vec<DefRef> = found.filter(|at| self.project.name(*at) == *last).collect();
        // What is not in anything else is meant by its bare name, if it is
        // the only one.
        if before.is_empty() && found.len() > 1 {
            let is_free = |at: &&DefRef| {
                self.project
                    .outlined(**at)
                    .is_some_and(|it| it.container.is_none() && it.owner.is_none())
            };
            let free: Vec<DefRef> = found.iter().filter(is_free).copied().collect();
            if free.len() == 1 {
                found = free;
            }
        }
        found
    }

    /// Whether what a definition is in has these names, from the outside in.
    fn is_within(&self, at: DefRef, names: &[&str]) -> bool {
        let project = &self.project;
        let mut around: Vec<String> = Vec::new();
        let owner = project.outlined(at).and_then(|it| it.owner);
        around.extend(owner.map(|owner| project.text(at.file, owner).to_owned()));
        around.extend(project.containers(at).map(|above| project.name(above).to_owned()));
        let path = &project.file(at.file).path;
        let mut folders = path.rsplit('/');
        let file = folders.next().and_then(|name| name.split('.').next());
        around.extend(file.into_iter().chain(folders).map(str::to_owned));
        let mut rest = around.iter().flat_map(|name| {
            let mut pieces: Vec<&str> = parts(name).collect();
            pieces.reverse();
            pieces
        });
        let plain = |name: &str| name.replace('-', "_");
        names.iter().rev().all(|name| rest.any(|other| plain(other) == plain(name)))
    }

    fn proposals(&self, text: &str) -> Vec<Symbol> {
        let name = parts(split_place(text).1).last().unwrap_or(text);
        let pattern = Pattern::new(name);
        let mut found: Vec<(Score, DefRef)> = Vec::new();
        for file in self.project.ids() {
            for (at, _) in self.project.definitions(file) {
                found.extend(pattern.score(self.project.name(at)).map(|score| (score, at)));
            }
        }
        found.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
        found.into_iter().take(PROPOSALS).map(|(_, at)| self.symbol(at)).collect()
    }
}

/// A path before a single colon, and the name.
fn split_place(text: &str) -> (Option<&str>, &str) {
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

/// Whether a path is meant by a part of it that ends at its end.
pub(crate) fn is_path(path: &str, part: &str) -> bool {
    let part = part.trim_start_matches("./");
    path == part || path.ends_with(part) && path[..path.len() - part.len()].ends_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_ends_at_a_single_colon() {
        assert_eq!(split_place("a/b.py:C.d"), (Some("a/b.py"), "C.d"));
        assert_eq!(split_place("a::b"), (None, "a::b"));
        assert_eq!(split_place("src/a.rs:A::b"), (Some("src/a.rs"), "A::b"));
    }

    #[test]
    fn a_path_is_meant_by_its_end() {
        assert!(is_path("a/b/c.py", "b/c.py"));
        assert!(is_path("c.py", "./c.py"));
        assert!(!is_path("a/bc.py", "c.py"));
    }
}
