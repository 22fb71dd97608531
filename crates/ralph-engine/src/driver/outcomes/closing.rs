//! Stores what later runs can use of a run that succeeded.

use std::collections::{BTreeMap, BTreeSet};

use ralph_core::wording::learned;
use ralph_core::{Evidence, Run, TreeId};
use ralph_files::LogFailure as _;
use ralph_memory::consolidate::{ConsolidationContext, consolidate};
use ralph_memory::event::{
    AttemptRecord, EventActor, EventContext, LogEvent, LogEventKind, WorkPhase,
};
use ralph_memory::{AttemptQuery, MemoryError, Notebook, StoredNote, failure_key, failure_note};
use ralph_snapshot::{ProjectLocation, Snapshots};

use super::attempt::ChangedFile;
use super::{LessonWriter, MOST_FILES, event, mend, place, tries};
use crate::driver::tampering;
use crate::landed;

/// Maximum number of a run's attempts that are read.
pub(super) const MOST_ATTEMPTS: usize = 500;

/// Maximum number of failed attempts that a note about a fix tells.
const MOST_TRIES: usize = 2;

/// Maximum number of fixed failures of a run that are noted.
const MOST_FIXES: usize = 10;

impl LessonWriter<'_, '_> {
    /// Returns the events that success proved: the fixes of failures. The
    /// checks of this turn give them credit.
    pub(super) fn proven_fix_events(&self, run: &Run, evidence: &Evidence) -> Vec<LogEvent> {
        let Ok(notebook) = Notebook::open(self.context.ledger.home()) else { return Vec::new() };
        let last = AttemptRecord::new(self.attempt_of(run, evidence).attempt, Vec::new());
        let mut tried = tries::taken_back(run, &notebook, &last).unwrap_or_default();
        let fixes = self.fixes(run, evidence, &notebook, &tried).unwrap_or_default();
        // A note about a fix tells the earlier attempts.
        let is_told = |failure: &String| fixes.iter().any(|(mended, _)| mended == failure);
        tried.retain(|(_, one)| !one.failures.iter().any(is_told));
        let whats = fixes.into_iter().map(|(_, what)| what).chain(tries::noted(run, &tried));
        whats.map(|what| event(run, evidence, WorkPhase::Consolidate, what)).collect()
    }

    /// Returns the fixes of this run, each with its failure. `tried` holds the
    /// failed attempts.
    fn fixes(
        &self,
        run: &Run,
        evidence: &Evidence,
        notebook: &Notebook,
        tried: &[(u32, AttemptRecord)],
    ) -> Result<Vec<(String, LogEventKind)>, MemoryError> {
        let of_run = Some(run.id.to_string());
        let query = AttemptQuery { run: of_run, limit: MOST_ATTEMPTS, ..AttemptQuery::default() };
        let attempts = notebook.attempts(&query)?;
        let mut signatures: Vec<(&String, Option<&String>)> = Vec::new();
        // A failure was fixed on the last tree that it was seen on.
        for past in attempts.iter().rev() {
            for signature in &past.tried.failures {
                if !signatures.iter().any(|(known, _)| *known == signature) {
                    signatures.push((signature, past.tried.tree.as_ref()));
                }
            }
        }
        let snapshots = Snapshots::new(&self.context.tree, run.id.clone());
        let mut found = Vec::new();
        for (signature, tree) in signatures {
            let known = notebook.get(&failure_note(&failure_key(signature)))?;
            // We do not change what others wrote under its name.
            let open = known.filter(|known| {
                known.actor == EventActor::Ralph && known.retired.is_none() && !known.verified
            });
            let (Some(known), Some(tree), Some(present)) = (open, tree, &evidence.tree) else {
                continue;
            };
            let Some(files) = self.changed_since(&snapshots, tree, present) else { continue };
            let in_vain = tried.iter().filter(|(_, one)| one.failures.contains(signature));
            let in_vain: Vec<&str> =
                in_vain.filter_map(|(_, one)| one.approach.as_deref()).take(MOST_TRIES).collect();
            let what = mended(known, files, run, &evidence.text, &in_vain);
            found.extend(what.map(|what| (signature.clone(), what)));
            if found.len() >= MOST_FIXES {
                break;
            }
        }
        Ok(found)
    }

    /// Returns the changes since the files were this tree; `None` if unknown.
    fn changed_since(
        &self,
        snapshots: &Snapshots<'_>,
        tree: &str,
        present: &TreeId,
    ) -> Option<Vec<ChangedFile>> {
        if present.as_str() == tree {
            return Some(Vec::new());
        }
        let kept = snapshots.list().ok()?.into_iter().rev();
        let kept = kept.into_iter().find(|kept| kept.tree.as_str() == tree)?;
        self.compared_files(snapshots, &kept, present).ok()
    }

    /// Consolidates the notes of a run that succeeded, and updates the index of the
    /// code. Returns one line with the decisions and each note that was replaced.
    pub(crate) fn consolidate(&self, run: &Run) -> Option<String> {
        let home = self.context.ledger.home();
        let is_checked = !self.checks.gates.is_empty();
        if !self.memory.remembers
            || !is_checked
            || self.context.ledger.place_is_gone()
            || !Notebook::exists(home)
        {
            return None;
        }
        self.refresh_code();
        let now = self.context.clock.now();
        let reverted = self.context.tree.reverted().unwrap_or_default();
        let occasion = ConsolidationContext {
            of: Some(EventContext { iteration: None, ..place(run, WorkPhase::Consolidate) }),
            now,
            commits: self.own_commits(),
            taken_back: self.taken_back(&reverted),
            reverted,
        };
        let decided = || -> Result<_, MemoryError> {
            let notebook = Notebook::open(home)?;
            let decided = consolidate(&notebook, &occasion)?;
            notebook.write(&decided.events)?;
            Ok(decided)
        };
        let (decided, locale) = (decided().ok()?, run.policy.locale);
        let counts = learned::consolidated(decided.counts, locale);
        let named = decided.replacements.iter().map(|one| learned::replaced(one, locale));
        counts.map(|counts| std::iter::once(counts).chain(named).collect::<Vec<_>>().join(" "))
    }

    fn taken_back(&self, reverted: &BTreeSet<String>) -> BTreeMap<String, String> {
        let Ok(project) = ProjectLocation::discover(&self.context.places.root) else {
            return BTreeMap::new();
        };
        landed::taken_back(self.context.ledger.home(), &project, &self.context.tree, reverted)
    }

    /// Returns the commits of the present branch that were made since the run
    /// started.
    fn own_commits(&self) -> Vec<String> {
        let Some(head) = tampering::head_at_start(&self.context.places.folder) else {
            return Vec::new();
        };
        let head = Some(head.as_str()).filter(|head| !head.is_empty());
        self.context.tree.commits_since(head).unwrap_or_default()
    }

    /// Updates the index of the code, if there is one.
    fn refresh_code(&self) {
        let home = self.context.ledger.home();
        if !ralph_graph::Index::exists(home) {
            return;
        }
        let Ok(mut index) = ralph_graph::Index::open(&self.context.places.root, home) else {
            return;
        };
        if !index.is_new() {
            let now = self.context.clock.now().as_millis().saturating_mul(1_000_000);
            index.update(now, &mut |_| {}).or_log("updating the index of the code");
        }
    }
}

/// Returns the note about a failure with its fix. Without a change the failure
/// was random. None if only tests changed, or there is nothing to tell.
fn mended(
    known: StoredNote,
    files: Vec<ChangedFile>,
    run: &Run,
    text: &str,
    in_vain: &[&str],
) -> Option<LogEventKind> {
    let mut note = known.note;
    if files.is_empty() {
        let why = "it passed without a change".to_owned();
        return Some(LogEventKind::Retracted { id: note.id, why });
    }
    let files = mend::not_tests(files);
    if files.is_empty() {
        return None;
    }
    let (change, said) = (mend::quoted(&files, mend::MOST_LINES), mend::last_sentence(text));
    let told = learned::mended_by(&change, said.as_deref(), in_vain, run.policy.locale)?;
    note.text = format!("{} {told}", ended(&note.text));
    for ChangedFile { name, .. } in files {
        let name = name.replace(char::is_control, "?");
        if note.files.len() < MOST_FILES && !note.files.contains(&name) {
            note.files.push(name);
        }
    }
    Some(LogEventKind::Noted(Box::new(note)))
}

/// Returns a text with a full stop at its end.
fn ended(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}
