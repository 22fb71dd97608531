//! What a run that succeeded leaves behind for later ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use ralph_core::policy::{Criterion, GateCommand, GateSpec};
use ralph_core::wording::learned;
use ralph_core::{Evidence, Run, TreeId};
use ralph_memory::consolidate::{Occasion, consolidate};
use ralph_memory::event::{Actor, Event, Note, NoteKind, Phase, Place, Scope, What};
use ralph_memory::raw::{Keeping, Raw};
use ralph_memory::{
    AttemptQuery, Known, MemoryError, Notebook, failure_key, failure_note, note_id,
};
use ralph_snapshot::Project;

use super::{MOST_FILES, event, place};
use crate::driver::{Driver, tampering};
use crate::landed;

/// Attempts of a run that are looked at.
const MOST_ATTEMPTS: usize = 500;

/// Failures of a run whose end is noted.
const MOST_FIXES: usize = 10;

/// A change of more files than these says nothing about how a task is done.
const FEW_FILES: usize = 40;

/// How much of a task is the title of what it taught.
const TITLE_CHARS: usize = 80;

impl Driver<'_> {
    /// What success proved: what made failures go away, how the task was done,
    /// and what is typed to check it. The checks of this very turn are to the
    /// credit of all of it.
    pub(super) fn earned(&self, run: &Run, evidence: &Evidence) -> Vec<Event> {
        let Ok(notebook) = Notebook::open(self.ledger.home()) else { return Vec::new() };
        let mut whats = self.fixes(run, evidence, &notebook).unwrap_or_default();
        let mut add = |note: Note| whats.extend(learned_again(note, &notebook));
        commands(run, evidence).into_iter().for_each(&mut add);
        self.skill(run, evidence).into_iter().for_each(&mut add);
        whats.into_iter().map(|what| event(run, evidence, Phase::Consolidate, what)).collect()
    }

    /// What made failures of this run go away.
    fn fixes(
        &self,
        run: &Run,
        evidence: &Evidence,
        notebook: &Notebook,
    ) -> Result<Vec<What>, MemoryError> {
        let of_run = Some(run.id.to_string());
        let query = AttemptQuery { run: of_run, limit: MOST_ATTEMPTS, ..AttemptQuery::default() };
        let attempts = notebook.attempts(&query)?;
        let mut signatures: Vec<(&String, Option<&String>)> = Vec::new();
        // The last tree that each failure was seen on is the one it was mended on.
        for past in attempts.iter().rev() {
            for signature in &past.tried.failures {
                if !signatures.iter().any(|(known, _)| *known == signature) {
                    signatures.push((signature, past.tried.tree.as_ref()));
                }
            }
        }
        let mut found = Vec::new();
        for (signature, tree) in signatures {
            let known = notebook.get(&failure_note(&failure_key(signature)))?;
            // What others wrote under its name is not ours to sign.
            let open = known.filter(|known| {
                known.actor == Actor::Ralph && known.retired.is_none() && !known.verified
            });
            let (Some(known), Some(tree), Some(present)) = (open, tree, &evidence.tree) else {
                continue;
            };
            let files = self.changed_between(&TreeId::new(tree.clone()), present);
            found.push(mended(known, &files, run));
            if found.len() >= MOST_FIXES {
                break;
            }
        }
        Ok(found)
    }

    fn changed_between(&self, from: &TreeId, to: &TreeId) -> Vec<String> {
        let changes = self.tree.changes(from, to).unwrap_or_default();
        let name = |path: &Path| path.to_string_lossy().replace(char::is_control, "?");
        changes.iter().map(|change| name(&change.path)).collect()
    }

    /// How the task was done.
    fn skill(&self, run: &Run, evidence: &Evidence) -> Option<Note> {
        let start = run.baseline.as_ref().and_then(|baseline| baseline.tree.as_ref())?;
        let files = self.changed_between(start, evidence.tree.as_ref()?);
        if files.is_empty() || files.len() > FEW_FILES {
            return None;
        }
        let proofs: Vec<String> =
            passing(run, evidence).into_iter().map(|gate| gate.command.display()).collect();
        if proofs.is_empty() {
            return None;
        }
        let text = learned::how_it_was_done(&files, &proofs, run.policy.locale);
        let line = run.task.text.lines().map(str::trim).find(|line| !line.is_empty())?;
        let external = format!("skill {}", run.task.id.as_deref().unwrap_or(run.id.as_str()));
        Some(Note {
            title: Some(line.chars().take(TITLE_CHARS).collect()),
            files: files.into_iter().take(MOST_FILES).collect(),
            external_id: Some(external.clone()),
            ..Note::new(note_id(&external), NoteKind::Skill, Scope::Task, text)
        })
    }

    /// Decides what becomes of the notes of a run that succeeded, brings what
    /// is known of the code up to date, and lets go of old outputs. Says what
    /// was decided, in one line, and names each note that was replaced.
    pub(crate) fn consolidate(&self, run: &Run) -> Option<String> {
        let home = self.ledger.home();
        let is_checked = !self.gates.is_empty();
        if !self.remembers || !is_checked || self.ledger.place_is_gone() || !Notebook::exists(home)
        {
            return None;
        }
        self.refresh_code();
        let now = self.clock.now();
        let since = Duration::from_millis(u64::try_from(now.as_millis()).unwrap_or(0));
        let keeping = Keeping::default();
        let _ = Raw::new(home)
            .let_go(keeping, SystemTime::UNIX_EPOCH + since, |path| fs::remove_file(path));
        let reverted = self.tree.reverted().unwrap_or_default();
        let occasion = Occasion {
            of: Some(Place { iteration: None, ..place(run, Phase::Consolidate) }),
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
        let Ok(project) = Project::discover(&self.root) else { return BTreeMap::new() };
        landed::taken_back(self.ledger.home(), (&project, &self.tree), reverted)
    }

    /// The commits of the present branch that were made since the run began.
    fn own_commits(&self) -> Vec<String> {
        let Some(head) = tampering::head_at_start(&self.folder) else { return Vec::new() };
        let head = Some(head.as_str()).filter(|head| !head.is_empty());
        self.tree.commits_since(head).unwrap_or_default()
    }

    /// Reads what changed, where the code was read before.
    fn refresh_code(&self) {
        let home = self.ledger.home();
        if !ralph_graph::Index::exists(home) {
            return;
        }
        let Ok(mut index) = ralph_graph::Index::open(&self.root, home) else { return };
        if !index.is_new() {
            let now = self.clock.now().as_millis().saturating_mul(1_000_000);
            let _ = index.update(now, &mut |_| {});
        }
    }
}

/// The note about a failure with what made it go away; without a change it
/// was a whim.
fn mended(known: Known, files: &[String], run: &Run) -> What {
    let mut note = known.note;
    if files.is_empty() {
        return What::Retracted { id: note.id, why: "it passed without a change".to_owned() };
    }
    note.text = format!("{} {}", ended(&note.text), learned::gone_after(files, run.policy.locale));
    for file in files {
        if note.files.len() < MOST_FILES && !note.files.contains(file) {
            note.files.push(file.clone());
        }
    }
    What::Noted(Box::new(note))
}

/// A text with a full stop behind it.
fn ended(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

/// The gates that are commands and passed.
fn passing<'r>(run: &'r Run, evidence: &Evidence) -> Vec<&'r GateSpec> {
    let is_command = |gate: &&GateSpec| {
        let is_typed = match gate.command {
            GateCommand::Argv(_) | GateCommand::Shell(_) => true,
            GateCommand::Question(_) => false,
        };
        let is_ours = matches!(
            gate.criterion,
            Criterion::Security | Criterion::Diagnostics | Criterion::Memory
        );
        is_typed && !is_ours && evidence.passed(&gate.name)
    };
    run.policy.gates.iter().filter(is_command).collect()
}

/// What is typed to check the project: one note for each gate, whatever its
/// command was before.
fn commands(run: &Run, evidence: &Evidence) -> Vec<Note> {
    let note = |gate: &GateSpec| {
        let external = format!("command of gate {}", gate.name);
        let command = gate.command.display();
        let text = learned::command_of_gate(&gate.name, &command, run.policy.locale);
        Note {
            title: Some(gate.name.clone()),
            external_id: Some(external.clone()),
            ..Note::new(note_id(&external), NoteKind::Command, Scope::Task, text)
        }
    };
    // What the user typed for one run alone is no habit of the project.
    let is_habit = |gate: &&GateSpec| gate.criterion != Criterion::Custom;
    passing(run, evidence).into_iter().filter(is_habit).map(note).collect()
}

/// A note that is written, for whom it was before: the checks of this turn are
/// to its credit, be it in the same words. None if the user withdrew it, or says
/// something else in its place.
fn learned_again(note: Note, notebook: &Notebook) -> Option<What> {
    let known = notebook.get(&note.id).ok()?;
    let what = |note: Note| Some(What::Noted(Box::new(note)));
    match known {
        None => what(note),
        Some(known) if known.actor == Actor::User || !known.may_be_learned() => None,
        // It has to prove itself anew.
        Some(known) if known.retired.is_some() => what(note),
        Some(known) => what(Note { scope: known.note.scope, ..note }),
    }
}
