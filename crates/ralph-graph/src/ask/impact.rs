//! Finds what may break when a file changes.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::name::plain_path;
use super::refs::{UseRelation, certainty};
use crate::code::KnownCode;
use crate::facts::DefinitionKind;
use crate::outline::NameKey;
use crate::project::{CodeFileId, DefRef};
use crate::resolve::{Resolution, Resolver};

/// A file that depends on the changed ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependentFile {
    /// The file.
    pub path: String,
    /// Its relation to the next file towards the changed ones.
    pub relation: UseRelation,
    /// The next file towards the changed ones.
    pub through: String,
    /// Number of files between; 1 depends directly.
    pub distance: usize,
    /// True if it is a file of tests.
    pub is_test: bool,
}

/// A test that touches the changed files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestHit {
    /// The file of the test.
    pub path: String,
    /// The test; `None` if it is not known which tests of the file do.
    pub name: Option<String>,
    /// The line of the test.
    pub line: Option<u32>,
    /// Number of files between; 0 is in a changed file itself.
    pub distance: usize,
}

/// Everything that may break when files change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeImpact {
    /// The changed files that are known.
    pub files: Vec<String>,
    /// Deleted files that others still need.
    pub gone: Vec<String>,
    /// Names that match no known file.
    pub unknown: Vec<String>,
    /// Nearest first.
    pub dependents: Vec<DependentFile>,
    /// Nearest first.
    pub tests: Vec<TestHit>,
}

/// Files that change.
struct ChangedFileSet {
    /// All of them.
    all: BTreeSet<CodeFileId>,
    /// Those that were deleted.
    gone: BTreeSet<CodeFileId>,
}

impl ChangedFileSet {
    /// Returns true if a file cannot work because what it needs is gone.
    fn cuts(&self, found: &DependencyEdge) -> bool {
        self.gone.contains(&found.through)
    }
}

/// A file that was found to depend on the changed ones.
struct DependencyEdge {
    file: CodeFileId,
    through: CodeFileId,
    relation: UseRelation,
    distance: usize,
}

impl KnownCode<'_> {
    /// Finds the files that depend on these files, and the tests that touch
    /// them.
    pub fn impact(&self, files: &[String]) -> ChangeImpact {
        let gone = self.gone(files);
        let (mut known, mut unknown) = (BTreeSet::new(), Vec::new());
        for name in files {
            let found = self.files_exactly(name);
            if found.is_empty() {
                unknown.push(name.clone());
            }
            known.extend(found.into_iter().map(|file| self.project.file(file).path.clone()));
        }
        if gone.is_empty() {
            return self.impact_of(&known, &gone, unknown);
        }
        self.with_gone(&gone).impact_of(&known, &gone, unknown)
    }

    fn impact_of(
        &self,
        known: &BTreeSet<String>,
        gone: &BTreeSet<String>,
        mut unknown: Vec<String>,
    ) -> ChangeImpact {
        let resolver = Resolver::new(&self.project);
        let id = |path: &String| self.project.by_path(path);
        let path = |file: CodeFileId| self.project.file(file).path.clone();
        let changed = ChangedFileSet {
            all: known.iter().chain(gone).filter_map(id).collect(),
            gone: gone.iter().filter_map(id).collect(),
        };
        let found = self.dependents(&resolver, &changed.all);
        let is_needed = |file: &CodeFileId| {
            let imports = |other| resolver.imported_files(other).contains(file);
            found.iter().any(|it| it.through == *file) || self.project.ids().any(imports)
        };
        // A path that no file needs may never have existed.
        let gone: Vec<String> = changed.gone.iter().copied().filter(is_needed).map(path).collect();
        unknown.retain(|name| !gone.iter().any(|gone| gone == plain_path(name)));
        let dependents = found.iter().map(|it| DependentFile {
            path: path(it.file),
            relation: it.relation,
            through: path(it.through),
            distance: it.distance,
            is_test: self.project.is_test_file(it.file),
        });
        let tests = self.tests(&resolver, &changed, &found);
        let files = known.iter().cloned().collect();
        ChangeImpact { files, gone, unknown, dependents: dependents.collect(), tests }
    }

    fn files_exactly(&self, name: &str) -> Vec<CodeFileId> {
        let found = self.files_like(name);
        let plain = name.trim_start_matches("./").trim_end_matches('/');
        let is_meant = |file: &CodeFileId| {
            let path = &self.project.file(*file).path;
            super::name::is_path(path, plain) || path.starts_with(&format!("{plain}/"))
        };
        found.into_iter().filter(is_meant).collect()
    }

    fn dependents(
        &self,
        resolver: &Resolver<'_>,
        changed: &BTreeSet<CodeFileId>,
    ) -> Vec<DependencyEdge> {
        let mut importers: HashMap<CodeFileId, Vec<CodeFileId>> = HashMap::new();
        for file in self.project.ids() {
            for imported in resolver.imported_files(file).iter() {
                importers.entry(*imported).or_default().push(file);
            }
        }
        let mut seen: HashSet<CodeFileId> = changed.iter().copied().collect();
        let mut found: Vec<DependencyEdge> = Vec::new();
        let mut edge: Vec<CodeFileId> = changed.iter().copied().collect();
        for distance in 1.. {
            let mut next = BTreeMap::new();
            for through in &edge {
                for file in importers.get(through).into_iter().flatten() {
                    next.entry(*file).or_insert((*through, UseRelation::Imports));
                }
                for (file, relation) in self.users(resolver, *through, &seen) {
                    next.entry(file).or_insert((*through, relation));
                }
            }
            next.retain(|file, _| seen.insert(*file));
            if next.is_empty() {
                break;
            }
            edge = next.keys().copied().collect();
            let new = next.into_iter().map(|(file, (through, relation))| DependencyEdge {
                file,
                through,
                relation,
                distance,
            });
            found.extend(new);
        }
        found
    }

    /// Returns files that use names of a file without importing that file.
    fn users(
        &self,
        resolver: &Resolver<'_>,
        target: CodeFileId,
        seen: &HashSet<CodeFileId>,
    ) -> Vec<(CodeFileId, UseRelation)> {
        let names: HashMap<&str, Vec<DefRef>> = self.seen_names(target);
        let keys: Vec<NameKey> = names.keys().map(|name| NameKey::of(name)).collect();
        let family = self.project.file(target).family;
        let mut found = Vec::new();
        for file in self.project.ids() {
            let other = self.project.file(file);
            let is_candidate = other.family == family
                && !seen.contains(&file)
                && !resolver.imported_files(file).contains(&target)
                && keys.iter().any(|key| other.outline().mentions(*key) > 0);
            if is_candidate && let Some(relation) = self.uses(resolver, file, &names) {
                found.push((file, relation));
            }
        }
        found
    }

    /// Returns the definitions of a file that other files can see, by name.
    fn seen_names(&self, file: CodeFileId) -> HashMap<&str, Vec<DefRef>> {
        let mut names: HashMap<&str, Vec<DefRef>> = HashMap::new();
        for (at, _) in self.project.definitions(file) {
            names.entry(self.project.name(at)).or_default().push(at);
        }
        names
    }

    /// Returns how a file uses one of these definitions, if it does.
    fn uses(
        &self,
        resolver: &Resolver<'_>,
        file: CodeFileId,
        names: &HashMap<&str, Vec<DefRef>>,
    ) -> Option<UseRelation> {
        let facts = self.facts(file)?;
        facts.references.iter().find_map(|reference| {
            let targets = names.get(facts.names.text(reference.name))?;
            match resolver.resolve_in(file, &facts, reference) {
                Resolution::Known(found) if found.iter().any(|at| targets.contains(at)) => {
                    Some(UseRelation::of(reference.role))
                }
                Resolution::Known(_)
                | Resolution::Ambiguous(_)
                | Resolution::Module(_)
                | Resolution::Outside => None,
            }
        })
    }

    fn tests(
        &self,
        resolver: &Resolver<'_>,
        changed: &ChangedFileSet,
        found: &[DependencyEdge],
    ) -> Vec<TestHit> {
        let mut hits = Vec::new();
        let own = changed.all.iter().flat_map(|file| self.test_cases(*file));
        hits.extend(own.map(|at| self.test_hit(at, 0)));
        // A deleted file has no tests left, so all that needed it count as
        // changed.
        let cut = found.iter().filter(|it| changed.cuts(it)).map(|it| it.file);
        let broken: BTreeSet<CodeFileId> = changed.all.iter().copied().chain(cut).collect();
        let mut targets: HashMap<&str, Vec<DefRef>> = HashMap::new();
        for file in &broken {
            for (name, at) in self.seen_names(*file) {
                targets.entry(name).or_default().extend(at);
            }
        }
        let touched = self.touched(resolver, &broken, found.iter().map(|it| it.file));
        for it in found {
            let cases = self.test_cases(it.file);
            let is_test = self.project.is_test_file(it.file);
            // Files of tests that are further away are affected as a whole:
            // shared code in them may lead there in ways that are not seen.
            let near = if changed.cuts(it) {
                cases.iter().copied().filter(|_| !is_test).collect()
            } else if it.distance == 1 || !is_test {
                let mut near = self.touching(resolver, it.file, &cases, &targets);
                near.extend(cases.iter().filter(|case| touched.contains(case)));
                near
            } else {
                BTreeSet::new()
            };
            if near.is_empty() && is_test {
                let path = self.project.file(it.file).path.clone();
                hits.push(TestHit { path, name: None, line: None, distance: it.distance });
            }
            hits.extend(near.into_iter().map(|at| self.test_hit(at, it.distance)));
        }
        hits
    }

    fn test_hit(&self, at: DefRef, distance: usize) -> TestHit {
        TestHit {
            path: self.project.file(at.file).path.clone(),
            name: Some(self.project.full_name(at)),
            line: self.project.outlined(at).map(|it| it.line),
            distance,
        }
    }

    /// Returns the tests of a file.
    fn test_cases(&self, file: CodeFileId) -> Vec<DefRef> {
        let cases = self.project.definitions(file).filter(|(_, it)| {
            it.purpose.is_test()
                && matches!(it.kind, DefinitionKind::Function | DefinitionKind::Method)
        });
        cases.map(|(at, _)| at).collect()
    }

    /// Returns those tests that name one of the definitions.
    fn touching(
        &self,
        resolver: &Resolver<'_>,
        file: CodeFileId,
        cases: &[DefRef],
        targets: &HashMap<&str, Vec<DefRef>>,
    ) -> BTreeSet<DefRef> {
        let Some(facts) = self.facts(file) else { return BTreeSet::new() };
        let mut found = BTreeSet::new();
        for reference in &facts.references {
            let Some(targets) = targets.get(facts.names.text(reference.name)) else { continue };
            let Some(id) = reference.within else { continue };
            let within = DefRef { file, id };
            // The innermost test comes last.
            let Some(case) = cases.iter().rfind(|case| self.is_inside(within, **case)) else {
                continue;
            };
            let resolution = resolver.resolve_in(file, &facts, reference);
            if certainty(&resolution, targets).is_some() {
                found.insert(*case);
            }
        }
        found
    }
}

#[cfg(test)]
#[path = "impact_tests.rs"]
mod tests;
