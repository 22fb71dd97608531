//! Detects changes of files that checks load from outside the snapshots.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ralph_core::evidence::{Evidence, GateReport, TestEdit, WeakenedCheck};
use ralph_core::locale::Locale;
use ralph_core::policy::{GateSpec, RuleEdition};
use ralph_core::wording::{self, hands};
use ralph_core::{Run, Timestamp};
use ralph_proc::find_program;
use ralph_snapshot::{
    ChangeKind, SnapshotLabel, Snapshots, byte_code_changed_since, can_change, code_changed_since,
    is_changed_since,
};
use ralph_tamper::{
    VisibleFiles, is_header_of_others, is_material, is_startup_module, is_test_file,
};

use super::loose::LooseCase;
use super::{CheckSet, RunContext, hidden, turn};
use crate::error::EngineError;
use crate::programs::{GateWords, ProgramPlaces};
use crate::python::{PythonHost, PythonSetup, interpreters};
use crate::ruby;
use crate::surroundings::{FILE, GateSurroundings, is_executable};

/// Maximum number of findings of a kind that are reported.
const NAMED: usize = 20;

/// Maximum number of findings that are held against a run.
const MOST_HELD: usize = 50;

/// Findings outside the snapshots: those that hold the run, and others.
pub(super) struct OutsideFindings {
    held: Vec<WeakenedCheck>,
    told: Vec<TestEdit>,
    pub(super) locale: Locale,
}

/// Watches what checks depend on besides the files of the present turn: the start of
/// the run, programs, packages, and files outside the snapshots.
pub(crate) struct OutsideWatch<'d, 'a> {
    pub(super) context: &'d RunContext<'a>,
    pub(super) checks: &'d CheckSet,
}

impl OutsideWatch<'_, '_> {
    /// Stores what the checks load from outside, after their first execution:
    /// files that they make or install themselves are theirs. They ran since
    /// `began`, unless another program was at work then, too.
    pub(crate) fn remember_surroundings(
        &self,
        reports: &[GateReport],
        began: Option<Timestamp>,
    ) -> Result<(), EngineError> {
        if self.checks.gates.is_empty() {
            return Ok(());
        }
        let gates: Vec<_> = self.checks.gates.iter().map(|gate| gate.spec()).collect();
        let pythons = interpreters(&gates, &self.places());
        let host = self.python_host();
        let pythons = pythons.into_iter().filter_map(|program| host.ask(program)).collect();
        let mut seen = GateSurroundings::now(&self.places(), self.context.clock.now());
        seen.pythons = pythons;
        seen.flagged = hidden::flagged(reports);
        seen.written = began.map(|began| self.written_since(began)).unwrap_or_default();
        self.write_surroundings(&seen)
    }

    /// Notes that the run rested since its last turn: the user installed what
    /// was installed then. A turn that was cut off with its driver has no end.
    pub(crate) fn note_rest(&self, run: &Run) -> Result<(), EngineError> {
        let Some(mut then) = self.surroundings() else { return Ok(()) };
        let from = if run.iteration == 0 {
            then.at()
        } else if self.context.is_recorded(run)? {
            let last = self.context.ledger.store().iterations(&run.id, 1)?;
            let Some(last) = last.last() else { return Ok(()) };
            last.ended_at
        } else {
            return Ok(());
        };
        then.add_rest(from, self.context.clock.now());
        self.write_surroundings(&then)
    }

    fn write_surroundings(&self, seen: &GateSurroundings) -> Result<(), EngineError> {
        let path = self.context.places.folder.join(FILE);
        let written = turn::make_private_folder(&self.context.places.folder)
            .and_then(|()| ralph_files::write_own(&path, serde_json::to_vec(seen)?));
        written.map_err(|source| EngineError::Write { path, source })
    }

    /// Returns the time after the first execution of the checks, before the
    /// agent did anything.
    pub(super) fn moment_of_start(&self, run: &Run) -> Timestamp {
        self.surroundings().map_or(run.started_at, |then| then.at())
    }

    /// Adds changes of files that the checks load from outside the snapshots.
    /// Runs that an earlier version started have no record of them.
    pub(super) fn look_at_surroundings(
        &self,
        run: &Run,
        evidence: &mut Evidence,
        project: &VisibleFiles,
    ) -> Result<(), EngineError> {
        let then = self.surroundings().filter(|_| run.policy.edition != RuleEdition::First);
        let Some(then) = then else { return Ok(()) };
        let locale = run.policy.locale;
        let mut held = then.differing(&self.places(), locale);
        held.retain(|one| !is_of_agent(run, Path::new(&one.place)));
        let rules = self.rules(run)?;
        let (held, told) = held.into_iter().partition(|one| rules.may_read(&one.place));
        let told: Vec<WeakenedCheck> = told;
        let told =
            told.into_iter().map(|one| TestEdit { place: one.place, what: one.what }).collect();
        let mut found = OutsideFindings { held, told, locale };
        for python in &then.pythons {
            found.add_code(python, &then, &self.context.places.root);
        }
        self.add_plugins(&then, &mut found);
        self.add_byte_code(&then, &mut found);
        let start = Snapshots::new(&self.context.tree, run.id.clone()).get(SnapshotLabel::Start);
        // A start that cannot be read holds the run already.
        if let (Ok(start), Some(present)) = (start, &evidence.tree) {
            let changes = self.context.tree.changes(&start.tree, present).unwrap_or_default();
            let case = LooseCase { start: &start, present, changes: &changes, project };
            self.add_unseen(run, case, &then, &mut found)?;
        }
        let mut places: BTreeSet<String> =
            evidence.weakened.iter().map(|one| one.place.clone()).collect();
        let (allowed, held): (Vec<_>, Vec<_>) =
            found.held.into_iter().partition(|one| rules.allows(&one.place));
        let accepted = |one: WeakenedCheck| TestEdit {
            what: wording::accepted(&one.what, locale),
            place: one.place,
        };
        evidence.edited.extend(allowed.into_iter().take(NAMED).map(accepted));
        for one in held.into_iter().take(MOST_HELD) {
            if places.insert(one.place.clone()) {
                evidence.weakened.push(one);
            }
        }
        evidence.edited.extend(found.told.into_iter().take(NAMED));
        self.look_for_hidden(run, &then.flagged, evidence)
    }

    /// Adds lists of plugins in the project that pytest loads by itself.
    fn add_plugins(&self, then: &GateSurroundings, found: &mut OutsideFindings) {
        if then.pythons.is_empty() {
            return;
        }
        let folders = ["", "src"].into_iter().map(|folder| self.context.places.root.join(folder));
        let gates =
            self.checks.gates.iter().map(|gate| self.context.places.root.join(&gate.spec().dir));
        let folders: BTreeSet<PathBuf> = folders.chain(gates).collect();
        let lists = folders.iter().flat_map(|folder| new_plugins(folder, then.at()));
        for path in lists.filter(|path| !then.is_of_rest(path)) {
            found.hold(&self.context.shown(&path), hands::plugin_listed(found.locale));
        }
    }

    /// Compares byte code that Python wrote during the run with its sources.
    fn add_byte_code(&self, then: &GateSurroundings, found: &mut OutsideFindings) {
        if then.pythons.is_empty() {
            return;
        }
        let folders = then.pythons.iter().flat_map(|python| &python.folders);
        let folders = folders.filter(|folder| can_change(folder));
        let folders: BTreeSet<&PathBuf> = folders.chain([&self.context.places.root]).collect();
        let files: BTreeSet<PathBuf> =
            folders.iter().flat_map(|folder| byte_code_changed_since(folder, then.at())).collect();
        if files.is_empty() {
            return;
        }
        let files: Vec<PathBuf> = files.into_iter().collect();
        let host = self.python_host();
        let verdicts: Vec<_> =
            then.pythons.iter().map(|python| host.compare(&python.program, &files)).collect();
        let differing: BTreeSet<&PathBuf> =
            verdicts.iter().flat_map(|verdict| &verdict.differing).collect();
        for path in differing.into_iter().take(NAMED) {
            found.hold(&self.context.shown(path), hands::byte_code_differs(found.locale));
        }
        let is_unknown =
            |path: &&PathBuf| verdicts.iter().all(|verdict| verdict.unknown.contains(*path));
        if let Some(path) = files.iter().find(is_unknown) {
            let what = hands::byte_code_unknown("no Python here could tell", found.locale);
            found.told.push(TestEdit { place: self.context.shown(path), what });
        }
    }

    /// Adds files of the project that are in no snapshot, and those that shadow
    /// modules that checks load.
    fn add_unseen(
        &self,
        run: &Run,
        case: LooseCase<'_>,
        then: &GateSurroundings,
        found: &mut OutsideFindings,
    ) -> Result<(), EngineError> {
        let LooseCase { start, present, changes, project } = case;
        let known: BTreeSet<&PathBuf> =
            start.left_out.iter().map(|file| &file.path).chain(&start.nested).collect();
        let left_out = self.context.tree.left_out_beside(present)?;
        for path in left_out.iter().filter(|path| !known.contains(path)) {
            found.hold(&path.to_string_lossy(), hands::in_no_snapshot(found.locale));
        }
        let added = changes.iter().filter(|change| change.kind == ChangeKind::Added);
        self.add_libraries(added.clone().map(|change| &*change.path), project, found);
        for change in added {
            let place = change.path.to_string_lossy();
            let path = self.context.places.root.join(&change.path);
            if fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) {
                // Only its newest commit is known.
                found.hold(&place, hands::in_no_snapshot(found.locale));
            }
            if let Some(hidden) = self.program_called_as(&change.path) {
                let name = change.path.file_name().unwrap_or_default().to_string_lossy();
                let hidden = hidden.to_string_lossy();
                found.hold(&place, &hands::path_program_shadowed(&name, &hidden, found.locale));
            }
            let Some((folder, name)) = module_of(&change.path) else { continue };
            let is_known = then.pythons.iter().any(|python| python.modules.contains(&name));
            if is_known && !is_material(&place) && self.is_looked_up_in(&folder) {
                found.hold(&place, &hands::module_shadowed(&name, found.locale));
            }
        }
        self.add_loose(run, case, then, found);
        Ok(())
    }

    /// Returns the program that checks call by the name of an executable file
    /// of the project. A script may find that file first.
    fn program_called_as(&self, file: &Path) -> Option<PathBuf> {
        let name = file.file_name()?;
        let is_called = |gate: &GateSpec| {
            GateWords::of(gate, &self.context.places.root)
                .all()
                .iter()
                .any(|word| name == word.as_str())
        };
        let path = self.checks.gate_env.iter().find(|(name, _)| name == "PATH");
        let is_program = is_executable(&self.context.places.root.join(file))
            && self.checks.gates.iter().any(|gate| is_called(gate.spec()));
        is_program.then(|| {
            find_program(name, &self.context.places.root, path.map(|(_, value)| &**value))
        })?
    }

    /// Adds new Ruby libraries and headers with the name of one that checks
    /// load from elsewhere.
    fn add_libraries<'p>(
        &self,
        added: impl Iterator<Item = &'p Path>,
        project: &VisibleFiles,
        found: &mut OutsideFindings,
    ) {
        let mut names = BTreeMap::new();
        for place in added.map(Path::to_string_lossy) {
            if is_header_of_others(&place, project) {
                let name = place.rsplit('/').next().unwrap_or(&place);
                found.hold(&place, &hands::module_shadowed(name, found.locale));
            }
            if let Some(name) = ruby::library_name(&place) {
                names.insert(name, place.into_owned());
            }
        }
        let wanted: Vec<String> = names.keys().cloned().collect();
        for name in ruby::installed(&wanted, &self.context.supervisor, &self.places()) {
            if let Some(place) = names.get(&name) {
                found.hold(place, &hands::module_shadowed(&name, found.locale));
            }
        }
    }

    /// Returns true if Python checks find the modules of a folder by their bare
    /// names: at their start, in the source folder, and beside tests.
    fn is_looked_up_in(&self, folder: &Path) -> bool {
        let path = self.context.places.root.join(folder);
        let is_start = |dir: &str| folder == Path::new(dir);
        let has_tests = || {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name()).any(|name| is_test_file(&name.to_string_lossy()))
        };
        !path.join("__init__.py").exists()
            && (is_start("")
                || is_start("src")
                || self.checks.gates.iter().any(|gate| is_start(&gate.spec().dir))
                || has_tests())
    }

    pub(super) fn surroundings(&self) -> Option<GateSurroundings> {
        serde_json::from_slice(&ralph_files::read_own(self.context.places.folder.join(FILE)).ok()?)
            .ok()
    }

    fn places(&self) -> ProgramPlaces<'_> {
        ProgramPlaces { root: &self.context.places.root, env: &self.checks.gate_env }
    }

    fn python_host(&self) -> PythonHost<'_> {
        PythonHost { supervisor: &self.context.supervisor, places: self.places() }
    }
}

impl RunContext<'_> {
    /// Returns a path for people: relative to the root if it is below it.
    pub(super) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.places.root).unwrap_or(path).to_string_lossy().into_owned()
    }
}

impl OutsideFindings {
    pub(super) fn hold(&mut self, place: &str, what: &str) {
        self.held.push(WeakenedCheck { place: place.to_owned(), what: what.to_owned() });
    }

    /// Adds changes in the folders of a Python's modules. A module of the
    /// start, or one that is loaded by itself, holds the run. A new package is
    /// only reported.
    fn add_code(&mut self, python: &PythonSetup, then: &GateSurroundings, root: &Path) {
        let since = then.at();
        // The innermost first, because folders may be nested.
        let mut folders: Vec<&PathBuf> = python.folders.iter().collect();
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        let (mut seen, mut told) = (BTreeSet::new(), BTreeSet::new());
        for folder in folders {
            let is_changed = |found: &fs::Metadata| is_changed_since(found, since);
            let is_link = fs::symlink_metadata(folder).is_ok_and(|found| found.is_symlink());
            let look = if is_link { fs::symlink_metadata } else { fs::metadata };
            if (is_link || folder.is_file())
                && look(folder).ok().as_ref().is_some_and(is_changed)
                && !then.is_of_rest(folder)
            {
                self.hold(&folder.to_string_lossy(), hands::code_outside(self.locale));
            }
            if !folder.is_dir() || !can_change(folder) {
                continue;
            }
            let plugins = new_plugins(folder, since).into_iter();
            for path in code_changed_since(folder, since).into_iter().chain(plugins) {
                // The project may lie below; its files are in the snapshots.
                if path.starts_with(root) || then.is_of_rest(&path) {
                    continue;
                }
                let Ok(below) = path.strip_prefix(folder) else { continue };
                let top = below.iter().next().unwrap_or_default().to_string_lossy().into_owned();
                let name = top.split('.').next().unwrap_or_default();
                let place = path.to_string_lossy().into_owned();
                let extension = path.extension().and_then(|extension| extension.to_str());
                let is_asked_for =
                    !is_startup_module(&place) && !matches!(extension, Some("pth" | "txt"));
                if !seen.insert(path.clone()) {
                } else if python.modules.contains(name) || !is_asked_for {
                    self.hold(&place, hands::code_outside(self.locale));
                } else if told.insert(top.clone()) {
                    let what = hands::code_installed(self.locale).to_owned();
                    self.told.push(TestEdit { place, what });
                }
            }
        }
    }
}

/// Returns the lists of plugins, installed after a moment, that pytest loads by
/// itself.
fn new_plugins(folder: &Path, since: Timestamp) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let lists = entries.map(|entry| entry.path().join("entry_points.txt"));
    let is_new = |path: &PathBuf| {
        fs::symlink_metadata(path)
            .is_ok_and(|found| found.is_file() && is_changed_since(&found, since))
    };
    let is_plugin =
        |path: &PathBuf| ralph_files::read_text(path).is_ok_and(|text| text.contains("pytest11"));
    lists.filter(is_new).filter(is_plugin).collect()
}

/// Returns true if a program is the agent or ralph itself: these may update
/// themselves.
fn is_of_agent(run: &Run, program: &Path) -> bool {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let command = run.agent.command.first().map(Path::new);
    let is_command = command.and_then(Path::file_name).is_some_and(|agent| *agent == *name);
    name == "ralph" || is_command || run.agent.name.split('-').next() == Some(&*name)
}

/// Returns the name under which a file would be imported, and the folder on the
/// search path.
fn module_of(path: &Path) -> Option<(PathBuf, String)> {
    path.extension().filter(|extension| matches!(extension.to_str(), Some("py" | "so" | "pyc")))?;
    let (name, folder) = (path.file_name()?.to_str()?, path.parent()?);
    let stem = name.split('.').next()?;
    if stem == "__init__" {
        return Some((folder.parent()?.to_owned(), folder.file_name()?.to_str()?.to_owned()));
    }
    Some((folder.to_owned(), stem.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_looked_up_by_the_name_of_its_file_or_package() {
        let module = |path: &str| module_of(Path::new(path));
        let want = |folder: &str, name: &str| Some((PathBuf::from(folder), name.to_owned()));
        assert_eq!(module("difflib.py"), want("", "difflib"));
        assert_eq!(module("tests/json/__init__.py"), want("tests", "json"));
        assert_eq!(module("src/_json.cpython-311.so"), want("src", "_json"));
        assert_eq!(module("notes.txt"), None);
        assert_eq!(module("__init__.py"), None);
    }
}
