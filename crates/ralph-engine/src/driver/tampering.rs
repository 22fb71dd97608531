//! Compares the checks with those at the start of the run.
//!
//! The snapshot of the start is the baseline, so starting costs nothing. Only
//! files that differ are read. Changes by others do not count against the
//! agent: edits while the run rested, and commits that were pulled in.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use ralph_checks::judge::CriterionJudge;
use ralph_core::evidence::{Evidence, TestEdit, WeakenedCheck};
use ralph_core::{Run, TreeId, wording};
use ralph_snapshot::{EarlierFile, EarlierKind, Snapshot, SnapshotError, SnapshotLabel, Snapshots};
use ralph_tamper::{
    FilePair, FileVersion, RestoredContents, TamperRules, Tampering, TamperingSeverity, compare,
    is_test_file,
};

use super::gates::EvidenceGatherer;
use super::surroundings::OutsideWatch;
use super::test_places::{allows_test, holders};
use super::turn;
use crate::allowed;
use crate::error::EngineError;
use crate::events::RunEvent;

/// Size in bytes above which files are not read.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// The name of the file with the first commit, in the run's folder.
const HEAD: &str = "head-at-start";

/// Maximum number of places that are named.
const NAMED: usize = 50;

impl EvidenceGatherer<'_, '_> {
    /// Adds changes of the checks to the evidence. A start that cannot be
    /// compared is held as well, since the changes are unknown.
    pub(crate) fn look_at_checks(&mut self, run: &Run, evidence: &mut Evidence) {
        let Some(present) = evidence.tree.clone() else { return };
        let Some(start) = run.baseline.as_ref().map(|baseline| &baseline.tree) else { return };
        if *start == evidence.tree && evidence.weakened.is_empty() {
            // The files are those of the start: nothing was changed.
            return;
        }
        let looked = self.outside().rules(run).and_then(|rules| {
            let files = self.outside().both_versions(run, &present)?;
            let found = self.outside().tampering(&rules, run, &files);
            accept(&rules, run, &files, evidence);
            report(found, &rules, run, evidence);
            Ok(())
        });
        if let Err(error) = looked {
            let what = wording::hands::not_compared(&error.to_string(), run.policy.locale);
            self.context.emit(&RunEvent::Notice { run, text: &what });
            evidence.weakened.push(WeakenedCheck::of_run(what, run.policy.locale));
        }
    }
}

impl OutsideWatch<'_, '_> {
    /// Returns the changes of the checks, without those that were pulled in.
    pub(super) fn tampering(
        &self,
        rules: &TamperRules,
        run: &Run,
        files: &[FileVersions],
    ) -> Vec<Tampering> {
        let pairs: Vec<FilePair<'_>> = files.iter().map(FileVersions::pair).collect();
        let mut found = compare(&pairs, rules);
        let pulled = self.pulled_in(found.iter().map(|one| &one.place.file), run);
        found.retain(|one| !pulled.contains(&one.place.file));
        found
    }

    /// Returns both versions of the files that differ from the start, or from
    /// the user's version if the user changed them while the run rested.
    pub(super) fn both_versions(
        &self,
        run: &Run,
        present: &TreeId,
    ) -> Result<Vec<FileVersions>, EngineError> {
        let snapshots = Snapshots::new(&self.context.tree, run.id.clone());
        let all = snapshots.list()?;
        let Some(start) = all.iter().find(|snapshot| snapshot.label == SnapshotLabel::Start) else {
            let (run, label) = (run.id.clone(), SnapshotLabel::Start);
            return Err(SnapshotError::Unknown { run, label }.into());
        };
        let files = since(start, &snapshots, &all, present)?;
        Ok(files
            .into_iter()
            .map(|file| FileVersions::read(&self.context.places.root, file))
            .collect())
    }

    /// Returns a digest of the weakened files. It tells whether the agent
    /// changed them again.
    pub(super) fn state_of_weakened(&self, weakened: &[WeakenedCheck]) -> Option<String> {
        let mut hasher = blake3::Hasher::new();
        for one in weakened {
            let contents = read_small(&self.context.places.root.join(one.file()));
            hasher.update(&contents.unwrap_or_default()).update(&[0]);
        }
        (!weakened.is_empty()).then(|| hasher.finalize().to_hex().to_string())
    }

    /// Stores the current commit at the start. Later commits of others may be
    /// pulled in; an older one is only a return to known contents.
    pub(crate) fn remember_head(&self) -> Result<(), EngineError> {
        let head = self.context.tree.head()?.unwrap_or_default();
        let path = self.context.places.folder.join(HEAD);
        let written = turn::make_private_folder(&self.context.places.folder)
            .and_then(|()| ralph_files::create_own(&path))
            .and_then(|mut file| file.write_all(head.as_bytes()));
        written.map_err(|source| EngineError::Write { path, source })
    }

    /// Returns the files that another person wrote and the user pulled in.
    pub(super) fn pulled_in<'f>(
        &self,
        files: impl Iterator<Item = &'f String>,
        run: &Run,
    ) -> BTreeSet<String> {
        // Without a known commit no file counts as pulled in.
        let Some(head) = head_at_start(&self.context.places.folder) else { return BTreeSet::new() };
        let head = Some(&*head).filter(|head| !head.is_empty());
        let files: BTreeSet<&String> = files.collect();
        // A repository that cannot be read is no excuse.
        let is_pulled = |file: &&String| {
            let path = Path::new(file.as_str());
            self.context.tree.was_pulled_in(path, run.started_at, head).unwrap_or(false)
        };
        files.into_iter().filter(is_pulled).cloned().collect()
    }

    /// Returns the rules of a run, with the paths that the user allowed
    /// meanwhile.
    pub(crate) fn rules(&self, run: &Run) -> Result<TamperRules, EngineError> {
        let mut paths = run.policy.allowed.paths.clone();
        paths.extend(allowed::load(&self.context.places.folder));
        let mut gates = run.policy.gates.clone();
        gates.extend(self.checks.judge.as_ref().and_then(CriterionJudge::watched));
        TamperRules::new(&gates, &paths).map_err(EngineError::Glob)
    }
}

/// Returns the files that differ from the start, with their old contents. If
/// the user changed a file while the run rested, the user's version counts.
fn since(
    start: &Snapshot,
    snapshots: &Snapshots<'_>,
    all: &[Snapshot],
    present: &TreeId,
) -> Result<Vec<EarlierFile>, EngineError> {
    let mut files: BTreeMap<PathBuf, EarlierFile> = snapshots
        .earlier(start, present, MOST_BYTES)?
        .into_iter()
        .map(|file| (file.path.clone(), file))
        .collect();
    for pair in all.windows(2) {
        let [before, resumed] = pair else { continue };
        if !matches!(resumed.label, SnapshotLabel::Resumed(_)) {
            continue;
        }
        let touched: BTreeSet<PathBuf> =
            snapshots.changes(before, resumed)?.into_iter().map(|change| change.path).collect();
        files.retain(|path, _| !touched.contains(path));
        let later = snapshots.earlier(resumed, present, MOST_BYTES)?;
        let later = later.into_iter().filter(|file| touched.contains(&file.path));
        files.extend(later.map(|file| (file.path.clone(), file)));
    }
    Ok(files.into_values().collect())
}

/// Both versions of a file.
pub(super) struct FileVersions {
    path: String,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
    /// The kind of file at the start.
    pub(super) was: EarlierKind,
}

impl FileVersions {
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn old_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.old.as_deref().unwrap_or_default())
    }

    pub(super) fn new_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.new.as_deref().unwrap_or_default())
    }

    pub(super) fn is_at(&self, path: &Path) -> bool {
        Path::new(&self.path) == path
    }

    /// Returns both versions, if both are text.
    pub(super) fn texts(&self) -> Option<(&str, &str)> {
        let is_new = self.was == EarlierKind::Nothing;
        let old = if is_new { "" } else { str::from_utf8(self.old.as_deref()?).ok()? };
        Some((old, str::from_utf8(self.new.as_deref()?).ok()?))
    }

    /// Returns true if the contents at the start are known.
    pub(super) fn is_known(&self) -> bool {
        self.was == EarlierKind::Nothing || self.old.is_some()
    }

    /// Returns the file as it was at the start.
    pub(super) fn restored(&self) -> RestoredContents {
        self.old.clone().map_or(RestoredContents::Absent, RestoredContents::Contents)
    }

    fn read(root: &Path, file: EarlierFile) -> Self {
        let new = read_small(&root.join(&file.path));
        Self { path: slashed(&file.path), old: file.contents, new, was: file.was }
    }

    pub(super) fn pair(&self) -> FilePair<'_> {
        let path = self.path.as_str();
        let old = self.old.as_deref().map(|contents| FileVersion { path, contents });
        let new = self.new.as_deref().map(|contents| FileVersion { path, contents });
        FilePair { old, new }
    }
}

/// Returns the contents of a regular file that is not too large.
fn read_small(path: &Path) -> Option<Vec<u8>> {
    let is_small =
        fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() <= MOST_BYTES);
    is_small.then(|| ralph_files::read(path).ok()).flatten()
}

fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

/// Reports lost tests whose loss the user accepted, instead of holding them
/// against the run. Other tests are named by their file, because the user
/// accepts files.
pub(super) fn accept(
    rules: &TamperRules,
    run: &Run,
    files: &[FileVersions],
    evidence: &mut Evidence,
) {
    let is_gate = |name: &str| run.policy.gates.iter().any(|gate| gate.name == name);
    for one in std::mem::take(&mut evidence.weakened) {
        if run.policy.allowed.tests || allows_test(rules, &one.place, files) {
            let what = wording::accepted(&one.what, run.policy.locale);
            evidence.edited.push(TestEdit { what, place: one.place });
            evidence.accepts_changes = true;
            continue;
        }
        let places = if is_gate(&one.place) { Vec::new() } else { holders(&one.place, files) };
        let held = match places.into_iter().find(|path| !rules.allows(path)) {
            Some(path) if path != one.place => {
                let what = format!("`{}`: {}", one.place, one.what);
                WeakenedCheck { place: path.to_owned(), what }
            }
            Some(_) | None => one,
        };
        evidence.weakened.push(held);
    }
}

pub(super) fn report(
    found: Vec<Tampering>,
    rules: &TamperRules,
    run: &Run,
    evidence: &mut Evidence,
) {
    let locale = run.policy.locale;
    for one in found {
        let file = &one.place.file;
        let is_of_tests = is_test_file(file) || one.kind.is_about_tests();
        let accepted = rules.allows(file) || (run.policy.allowed.tests && is_of_tests);
        let (place, what) = (one.place.display(), one.kind.describe(locale));
        let severity = if rules.is_judged(&one) { one.severity() } else { TamperingSeverity::Edit };
        match severity {
            TamperingSeverity::Weakening if accepted && evidence.edited.len() < NAMED => {
                evidence.edited.push(TestEdit { place, what: wording::accepted(&what, locale) });
                evidence.accepts_changes = true;
            }
            TamperingSeverity::Weakening if !accepted && evidence.weakened.len() < NAMED => {
                evidence.weakened.push(WeakenedCheck { place, what });
            }
            TamperingSeverity::Edit if evidence.edited.len() < NAMED => {
                evidence.edited.push(TestEdit { place, what });
            }
            TamperingSeverity::Weakening | TamperingSeverity::Edit => {}
        }
    }
}

/// Returns the last commit when the run with this folder started; empty before
/// the first commit, `None` if unknown.
pub(super) fn head_at_start(folder: &Path) -> Option<String> {
    ralph_files::read_own_text(folder.join(HEAD)).ok()
}
