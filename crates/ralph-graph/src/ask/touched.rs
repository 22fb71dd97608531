//! Finds definitions that use others, directly or through each other.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::renamed::ReexportedNames;
use crate::code::KnownCode;
use crate::facts::{DefinitionKind, FileFacts, ImportedNames, NameId, SymbolVisibility};
use crate::outline::{ByKey, NameKey};
use crate::project::{CodeFileId, DefRef};
use crate::resolve::{LookupScope, Resolution, Resolver};

/// Position of a reference: its file, and its index there.
type ReferenceIndex = (CodeFileId, usize);

/// Uses in some files, found by the names that they may refer to.
struct UseFinder<'a> {
    code: &'a KnownCode<'a>,
    resolver: &'a Resolver<'a>,
    facts: HashMap<CodeFileId, Rc<FileFacts>>,
    by_name: ByKey<Vec<ReferenceIndex>>,
    known: HashMap<ReferenceIndex, Rc<[DefRef]>>,
    renamed: ReexportedNames<'a>,
}

impl<'a> UseFinder<'a> {
    fn new(code: &'a KnownCode<'a>, resolver: &'a Resolver<'a>) -> Self {
        let (facts, by_name) = (HashMap::new(), ByKey::default());
        let renamed = ReexportedNames::new(&code.project);
        Self { code, resolver, facts, by_name, known: HashMap::new(), renamed }
    }

    fn add(&mut self, file: CodeFileId) {
        let Some(facts) = self.code.facts(file) else { return };
        // Other names that imports give to the same thing.
        let mut others: HashMap<NameId, NameId> = HashMap::new();
        for import in &facts.imports {
            if let ImportedNames::Name { name, local } = import.imported {
                others.insert(local, name);
            }
        }
        let keys: Vec<NameKey> = facts.names.iter().map(|(_, text)| NameKey::of(text)).collect();
        for (index, reference) in facts.references.iter().enumerate() {
            if reference.within.is_none() {
                continue;
            }
            let other = others.get(&reference.name).filter(|other| **other != reference.name);
            for name in [Some(&reference.name), other].into_iter().flatten() {
                if let Some(key) = keys.get(name.0 as usize) {
                    self.by_name.entry(*key).or_default().push((file, index));
                }
            }
        }
        self.facts.insert(file, facts);
    }

    /// Returns the definitions that surely use the target.
    fn of(&mut self, target: DefRef, seen: &HashSet<DefRef>) -> Vec<DefRef> {
        let names = self.renamed.all(&self.code.project, target).into_iter();
        let places = names.filter_map(|name| self.by_name.get(&NameKey::of(name)));
        let mut places: Vec<ReferenceIndex> = places.flatten().copied().collect();
        places.sort_unstable();
        places.dedup();
        let mut found = Vec::new();
        for (file, index) in places {
            let facts = self.facts.get(&file).map(Rc::clone);
            let within = facts.and_then(|facts| facts.references.get(index)?.within);
            let Some(at) = within.map(|id| DefRef { file, id }) else { continue };
            if !seen.contains(&at) && self.meant((file, index)).contains(&target) {
                found.push(at);
            }
        }
        found
    }

    fn meant(&mut self, (file, index): ReferenceIndex) -> Rc<[DefRef]> {
        if let Some(known) = self.known.get(&(file, index)) {
            return Rc::clone(known);
        }
        let facts = self.facts.get(&file).map(Rc::clone);
        let resolved = facts.and_then(|facts| {
            Some(self.resolver.resolve_in(file, &facts, facts.references.get(index)?))
        });
        let found: Rc<[DefRef]> = match resolved {
            Some(Resolution::Known(found)) => self.resolver.with_twins(&found).into(),
            Some(Resolution::Ambiguous(_) | Resolution::Module(_) | Resolution::Outside) | None => {
                Rc::new([])
            }
        };
        self.known.insert((file, index), Rc::clone(&found));
        found
    }
}

impl KnownCode<'_> {
    /// Returns the definitions that surely use those of changed files, directly
    /// or through others, among the files that depend on these.
    pub(crate) fn touched(
        &self,
        resolver: &Resolver<'_>,
        changed: &BTreeSet<CodeFileId>,
        dependents: impl Iterator<Item = CodeFileId>,
    ) -> HashSet<DefRef> {
        let mut uses = UseFinder::new(self, resolver);
        for file in dependents {
            uses.add(file);
        }
        let own = changed.iter().flat_map(|file| self.project.definitions(*file));
        let mut next: Vec<DefRef> = own.map(|(at, _)| at).collect();
        let mut seen: HashSet<DefRef> = next.iter().copied().collect();
        while let Some(target) = next.pop() {
            for at in uses.of(target, &seen) {
                let new = self.with_those_around(resolver, at).into_iter();
                next.extend(new.filter(|at| seen.insert(*at)));
            }
        }
        seen
    }

    /// Returns a definition, the functions around it, and the type that it
    /// constructs if it is a constructor.
    fn with_those_around(&self, resolver: &Resolver<'_>, at: DefRef) -> Vec<DefRef> {
        let mut all = vec![at];
        all.extend(self.project.containers(at).filter(|around| {
            self.project.outlined(*around).is_some_and(|it| {
                matches!(it.kind, DefinitionKind::Function | DefinitionKind::Method)
                    && it.reach != SymbolVisibility::Nowhere
            })
        }));
        if self.is_constructor(at) {
            let scope = LookupScope { file: at.file, within: Some(at.id) };
            all.extend(resolver.enclosing_type(scope));
        }
        all
    }
}
