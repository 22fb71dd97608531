//! Counts the uses of each name in a file, and tells which may mean other
//! files' names.

use crate::facts::{FileFacts, Import, ImportedNames, NameId, NameList, Qualifier, ReferenceRole};
use crate::family::LanguageFamily;
use crate::outline::{Mention, NameKey};
use crate::resolve::parts;

/// Number of uses of a name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct UseCounts {
    /// Without a qualifier.
    pub(crate) bare: u32,
    /// After a qualifier that tells where it is from.
    pub(crate) placed: u32,
    /// After an unknown qualifier.
    pub(crate) loose: u32,
    /// After a qualifier from outside the project.
    pub(crate) foreign: u32,
}

/// Counts the uses of a file's names, in the order of their numbers.
pub(crate) fn of(family: LanguageFamily, facts: &FileFacts, keys: &[NameKey]) -> Vec<UseCounts> {
    let outside = ForeignNames::new(family, facts, keys);
    let mut times = vec![UseCounts::default(); keys.len()];
    for reference in &facts.references {
        let Some(times) = times.get_mut(reference.name.0 as usize) else { continue };
        let count = match reference.qualifier {
            Qualifier::None if outside.has(reference.name) => &mut times.foreign,
            // Macros need no import.
            Qualifier::None
                if family == LanguageFamily::Rust && reference.role == ReferenceRole::Applies =>
            {
                &mut times.placed
            }
            Qualifier::None => &mut times.bare,
            Qualifier::OfType(of) if facts.names.text(of).ends_with("()") => &mut times.loose,
            Qualifier::OfType(of) if outside.has_type(of) => &mut times.foreign,
            Qualifier::Path(path) if outside.has(path) => &mut times.foreign,
            Qualifier::Itself | Qualifier::Parent | Qualifier::Path(_) | Qualifier::OfType(_) => {
                &mut times.placed
            }
            Qualifier::Unknown => &mut times.loose,
        };
        *count += 1;
    }
    times
}

/// Names of a file that are surely not of the project.
struct ForeignNames<'a> {
    family: LanguageFamily,
    names: &'a NameList,
    keys: &'a [NameKey],
    /// True for names that are, or begin with, an external name; by their
    /// numbers.
    is_foreign: Vec<bool>,
}

impl<'a> ForeignNames<'a> {
    fn new(family: LanguageFamily, facts: &'a FileFacts, keys: &'a [NameKey]) -> Self {
        let mut outside = Self { family, names: &facts.names, keys, is_foreign: Vec::new() };
        if family != LanguageFamily::Rust {
            return outside;
        }
        let comes_along = |text: &str| {
            parts(text).next().is_some_and(|first| matches!(first, "std" | "core" | "alloc"))
        };
        let foreign = facts.imports.iter().filter(|it| comes_along(facts.names.text(it.module)));
        let locals: Vec<&str> =
            foreign.filter_map(local).map(|local| facts.names.text(local)).collect();
        let is_foreign = |text: &str| {
            let first = parts(text).next().unwrap_or(text);
            locals.contains(&first) || comes_along(text) && text.contains("::")
        };
        outside.is_foreign = facts.names.iter().map(|(_, text)| is_foreign(text)).collect();
        outside
    }

    fn has(&self, name: NameId) -> bool {
        self.is_foreign.get(name.0 as usize).copied().unwrap_or(false)
    }

    fn has_type(&self, name: NameId) -> bool {
        let key = self.keys.get(name.0 as usize);
        let is_built_in =
            |key: &NameKey| self.family.built_in().has_type(*key, self.names.text(name));
        self.has(name) || key.is_some_and(is_built_in)
    }
}

fn local(import: &Import) -> Option<NameId> {
    match import.imported {
        ImportedNames::Module { local } => local,
        ImportedNames::Name { local, .. } => Some(local),
        ImportedNames::Everything => None,
    }
}

/// Returns the uses that can mean a name of another file, in the order of the
/// keys.
pub(crate) fn meant(
    family: LanguageFamily,
    facts: &FileFacts,
    keys: &[NameKey],
    times: &[UseCounts],
) -> Vec<Mention> {
    let built_in = family.built_in();
    let mut imported = vec![false; keys.len()];
    for local in facts.imports.iter().filter_map(local) {
        if let Some(imported) = imported.get_mut(local.0 as usize) {
            *imported = true;
        }
    }
    let has_more = facts.imports.iter().any(|it| it.imported == ImportedNames::Everything);
    let mut found = Vec::new();
    let all = keys.iter().copied().zip(times).zip(imported);
    for (id, ((name, times), is_imported)) in (0..).map(NameId).zip(all) {
        if times.bare + times.placed + times.loose == 0 {
            continue;
        }
        let text = facts.names.text(id);
        let is_built_in = !is_imported && built_in.has_name(name, text);
        let is_known = !family.needs_imports() || is_imported || has_more && !is_built_in;
        let bare = if is_known { times.bare } else { 0 };
        // Built-in macros and attributes have no path.
        let placed = if is_built_in && family == LanguageFamily::Rust { 0 } else { times.placed };
        let loose = if built_in.has_method(name, text) { 0 } else { times.loose };
        if bare + placed + loose > 0 {
            found.push(Mention { name, bare, placed, loose });
        }
    }
    found.sort_unstable_by_key(|it| (it.name, it.bare, it.placed, it.loose));
    found
}
