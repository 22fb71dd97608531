//! Finds different things that imports of everything bring under one name.
//!
//! If a file re-exports everything of two others and both have the name, that
//! is not one thing defined twice: a compiler rejects it, or the name is
//! undefined.

use std::cell::RefCell;
use std::collections::HashMap;

use super::{ResolvedTarget, Resolver, definitions};
use crate::facts::{Import, SymbolVisibility};
use crate::family::LanguageFamily;
use crate::project::{CodeFileId, DefRef};

/// Definitions with a rival, each with the first of those it was imported with:
/// these are the same thing, all others are not.
pub(super) type RivalDefinitions = RefCell<HashMap<DefRef, DefRef>>;

impl Resolver<'_> {
    /// Returns the things that imports of everything bring under a name: of the
    /// last import that has it, if later ones hide earlier ones.
    pub(super) fn of_everything<'i>(
        &self,
        file: CodeFileId,
        imports: impl Iterator<Item = &'i Import>,
        name: &str,
    ) -> Vec<ResolvedTarget> {
        let family = self.project.file(file).family;
        let imports: Vec<&Import> = imports.collect();
        let mut all = imports.into_iter().rev().map(|it| self.everything_named(file, it, name));
        if family == LanguageFamily::Python {
            return all.find(|found| !found.is_empty()).unwrap_or_default();
        }
        let mut brought: Vec<Vec<ResolvedTarget>> =
            all.rev().filter(|found| !found.is_empty()).collect();
        if brought.len() > 1 && !family.follows_imports() {
            if brought.iter().any(|found| self.is_offered(file, found)) {
                brought.retain(|found| self.is_offered(file, found));
            }
            self.note_rivals(&brought);
        }
        brought.into_iter().flatten().collect()
    }

    /// Returns true if an import of everything really brings some of these:
    /// private names are not exported.
    fn is_offered(&self, file: CodeFileId, found: &[ResolvedTarget]) -> bool {
        found.iter().any(|place| match place {
            ResolvedTarget::Module(_) => true,
            ResolvedTarget::Definition(at) => match self.project.file(file).family {
                LanguageFamily::Script => {
                    self.project.outlined(*at).is_some_and(|it| it.reach != SymbolVisibility::File)
                }
                LanguageFamily::Rust => self.is_visible(file, *at),
                LanguageFamily::Python
                | LanguageFamily::Go
                | LanguageFamily::Java
                | LanguageFamily::C
                | LanguageFamily::Ruby
                | LanguageFamily::Php
                | LanguageFamily::CSharp
                | LanguageFamily::Shell => true,
            },
        })
    }

    fn note_rivals(&self, brought: &[Vec<ResolvedTarget>]) {
        let sorted = |found: &Vec<ResolvedTarget>| {
            let mut found = definitions(found);
            found.sort_unstable();
            found
        };
        let mut sides: Vec<Vec<DefRef>> = brought.iter().map(sorted).collect();
        sides.sort_unstable();
        // One thing may come in two ways.
        sides.dedup();
        if sides.len() < 2 {
            return;
        }
        let mut rivals = self.rivals.borrow_mut();
        for side in &sides {
            for at in side {
                rivals.entry(*at).or_insert(side[0]);
            }
        }
    }

    /// Returns true if these are different things, only one of which can be
    /// meant.
    pub(crate) fn are_rivals(&self, found: &[DefRef]) -> bool {
        if found.len() < 2 {
            return false;
        }
        let rivals = self.rivals.borrow();
        let mut sides = found.iter().filter_map(|at| rivals.get(at));
        sides.next().is_some_and(|first| sides.any(|side| side != first))
    }
}

#[cfg(test)]
#[path = "rivals_tests.rs"]
mod tests;
