//! Detects changes of files that checks load but no snapshot holds: ignored
//! files, repositories inside the project, targets of its links, and paths
//! above it that its tests and settings name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use ralph_core::wording::hands;
use ralph_core::{Run, Timestamp, TreeId};
use ralph_snapshot::{
    ChangeKind, LooseFiles, Snapshot, SnapshotPlace, TreeChange, can_change, files_changed_since,
    is_changed_since,
};
use ralph_tamper::{FileLanguage, FilePair, VisibleFiles, decides_checks, paths_upwards, serving};

use super::surroundings::{OutsideFindings, OutsideWatch};
use super::tampering::FileVersions;
use crate::programs::GateWords;
use crate::surroundings::GateSurroundings;

/// The start and the present, which are compared.
pub(super) struct LooseCase<'a> {
    pub(super) start: &'a Snapshot,
    pub(super) present: &'a TreeId,
    /// The differences between their trees.
    pub(super) changes: &'a [TreeChange],
    /// All present files.
    pub(super) project: &'a VisibleFiles,
}

impl OutsideWatch<'_, '_> {
    /// Returns the files that checks wrote since a moment, among those that
    /// would count: they prove nothing.
    pub(super) fn written_since(&self, moment: Timestamp) -> BTreeSet<String> {
        let included = self.files_included_by_gates();
        let files = LooseFiles::since(&self.context.places.root, moment).files.into_iter();
        let files = files.filter(|path| counts(&slashed(path)) || included.contains(path));
        files.map(|path| slashed(&path)).collect()
    }

    /// Adds the changed files that no snapshot holds.
    pub(super) fn add_loose(
        &self,
        run: &Run,
        LooseCase { start, present, changes, project }: LooseCase<'_>,
        then: &GateSurroundings,
        found: &mut OutsideFindings,
    ) {
        let locale = found.locale;
        for change in changes.iter().filter(|change| start.nested.contains(&change.path)) {
            if change.kind != ChangeKind::Added {
                found.hold(&slashed(&change.path), hands::repository_moved(locale));
            }
        }
        let included = self.files_included_by_gates();
        let mut loose = LooseFiles::since(&self.context.places.root, then.at());
        loose.files.retain(|path| {
            let shown = slashed(path);
            (counts(&shown) || included.contains(path))
                && !then.is_written(&shown)
                && !then.is_of_rest(&self.context.places.root.join(path))
        });
        for folder in &loose.nested {
            if let Some(file) = loose.files.iter().find(|file| file.starts_with(folder)) {
                found.hold(&slashed(folder), &hands::repository_changed(&slashed(file), locale));
            }
        }
        loose.files.retain(|file| !loose.nested.iter().any(|folder| file.starts_with(folder)));
        if matches!(start.place, SnapshotPlace::Git { .. }) {
            let held = self.context.tree.contents(present, &loose.files, 0).unwrap_or_default();
            loose.files.retain(|file| !held.contains_key(file));
        }
        let ignored = if loose.files.is_empty() { Vec::new() } else { self.context.tree.ignored() };
        if !matches!(start.place, SnapshotPlace::Git { .. }) {
            let is_ignored = |file: &PathBuf| ignored.iter().any(|top| file.starts_with(top));
            loose.files.retain(is_ignored);
        }
        let sides = self.both_versions(run, present).unwrap_or_default();
        let pairs: Vec<FilePair<'_>> =
            sides.iter().filter(|side| side.is_known()).map(FileVersions::pair).collect();
        let shown: Vec<String> = loose.files.iter().map(|file| slashed(file)).collect();
        let (sure, unsure): (Vec<&str>, Vec<&str>) =
            shown.iter().map(String::as_str).partition(|path| {
                decides_checks(path)
                    || included.contains(Path::new(path))
                    || self.is_named_by_gate(Path::new(path), &ignored)
            });
        let serving = serving(&unsure, &pairs, project);
        for path in sure.into_iter().chain(serving) {
            found.hold(path, hands::loose_changed(locale));
        }
        for (link, target) in &loose.links {
            for path in changed_at(target, then) {
                let below = path.strip_prefix(target).unwrap_or(Path::new(""));
                let shown =
                    if below.as_os_str().is_empty() { link.clone() } else { link.join(below) };
                if counts(&slashed(&shown)) && !then.is_of_rest(&path) {
                    found.hold(&slashed(&shown), hands::loose_changed(locale));
                }
            }
        }
        for place in self.named_above(paths_upwards(&pairs, project)) {
            let is_file = place.is_file();
            for path in changed_at(&place, then) {
                if (is_file || counts(&slashed(&path))) && !then.is_of_rest(&path) {
                    found.hold(&path.to_string_lossy(), hands::loose_changed(locale));
                }
            }
        }
    }

    /// Returns the files that the scripts and makefiles of gates include.
    fn files_included_by_gates(&self) -> BTreeSet<PathBuf> {
        let specs = self.checks.gates.iter().map(|gate| gate.spec());
        let named = specs.flat_map(|spec| {
            let words = GateWords::of(spec, &self.context.places.root).included.into_iter();
            words.map(|word| plain(&Path::new(&spec.dir).join(word)))
        });
        named.collect()
    }

    /// Returns true if the command of a gate names an ignored file, or an
    /// ignored folder around it.
    fn is_named_by_gate(&self, file: &Path, ignored: &[PathBuf]) -> bool {
        self.checks.gates.iter().map(|gate| gate.spec()).any(|spec| {
            GateWords::of(spec, &self.context.places.root).command.iter().any(|word| {
                let named = plain(&Path::new(&spec.dir).join(word));
                file.starts_with(&named) && ignored.iter().any(|top| named.starts_with(top))
            })
        })
    }

    /// Returns the places above the project that its files name and that can be
    /// changed. A name is resolved from its file and from where checks run.
    fn named_above(&self, named: BTreeSet<(String, String)>) -> BTreeSet<PathBuf> {
        let gates =
            self.checks.gates.iter().map(|gate| self.context.places.root.join(&gate.spec().dir));
        let starts: BTreeSet<PathBuf> = gates.chain([self.context.places.root.clone()]).collect();
        let mut found = BTreeSet::new();
        for (file, name) in named {
            let own = self.context.places.root.join(file).parent().map(Path::to_owned);
            let places = starts.iter().cloned().chain(own).map(|from| plain(&from.join(&name)));
            found.extend(places.filter(|place| {
                let is_above = !place.starts_with(&self.context.places.root)
                    && !self.context.places.root.starts_with(place);
                is_above && place.exists() && can_change(place)
            }));
        }
        found
    }
}

/// Returns true if a file outside the snapshots is compared: code, and files
/// whose name gives them a say in checks.
fn counts(path: &str) -> bool {
    FileLanguage::of(path).is_some() || decides_checks(path)
}

/// Returns the changed files at a place, which may be a link.
fn changed_at(place: &Path, then: &GateSurroundings) -> Vec<PathBuf> {
    let is_changed = |found: fs::Metadata| found.is_file() && is_changed_since(&found, then.at());
    let is_led_to = fs::metadata(place).is_ok_and(is_changed);
    let mut found = files_changed_since(place, then.at());
    if is_led_to && found.is_empty() {
        found.push(place.to_owned());
    }
    found
}

/// Returns a path without dots, not resolving links.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => plain.push(part),
        }
    }
    plain
}

fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}
