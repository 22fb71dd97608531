//! Notes with a check: the notes that must hold, and their checks.

use std::path::{Path, PathBuf};

use ralph_checks::invariants::InvariantGate;
use ralph_checks::invariants::{InvariantCheck, NoteInvariant};
use ralph_checks::security::ScanSelection;
use ralph_config::SettingValue;
use ralph_core::policy::{Criterion, GateImportance, GateSpec};
use ralph_memory::event::{self, LogEventKind, NoteScope};
use ralph_memory::log::{EventLog, LogEntry, LogPosition};
use ralph_memory::{MemoryError, Notebook, StoredNote};

use crate::app::App;

/// Returns the notes of these homes that have a check, except those of a task,
/// which are on trial. Opens nothing if there are no notes.
pub fn held(homes: &[PathBuf]) -> Result<Vec<NoteInvariant>, MemoryError> {
    let mut found = Vec::new();
    for home in homes.iter().filter(|home| Notebook::exists(home)) {
        found.extend(of_home(home)?.into_iter().map(|(known, check)| invariant(known, check)));
    }
    Ok(found)
}

/// Returns true if a note of these homes has a check.
///
/// If notes cannot be read, their log is read instead, so that damaging an
/// index does not remove the check. If the log cannot be read either, the
/// answer is no: a broken memory must not fail a run.
pub fn any(homes: &[PathBuf]) -> bool {
    homes.iter().filter(|home| Notebook::exists(home)).any(|home| match of_home(home) {
        Ok(bound) => !bound.is_empty(),
        Err(_) => was_bound(home),
    })
}

/// Returns true if the log contains a check of a note.
fn was_bound(home: &Path) -> bool {
    let mut found = false;
    let see = |entry| match entry {
        LogEntry::Event(event) => {
            found |= matches!(event.what, LogEventKind::Bound { check: Some(_), .. });
        }
        LogEntry::Damaged { .. } => {}
    };
    // Entries before a read error count.
    let _ = EventLog::new(home).read(LogPosition::default(), see);
    found
}

fn of_home(home: &Path) -> Result<Vec<(StoredNote, event::NoteCheck)>, MemoryError> {
    let (mut bound, _) = Notebook::attempt(home, Notebook::invariants)?;
    bound.retain(|(known, _)| known.note.scope != NoteScope::Task);
    Ok(bound)
}

fn invariant(known: StoredNote, check: event::NoteCheck) -> NoteInvariant {
    let note = known.note;
    let check = match check {
        event::NoteCheck::Rule(rules) => InvariantCheck::Rules(rules),
        event::NoteCheck::Test(test) => InvariantCheck::Test(test),
    };
    NoteInvariant { note: note.id, title: note.title, text: note.text, check }
}

/// Makes the gate for the notes of this project and of its user. `specs` are all gates
/// of the settings.
pub fn gate(
    app: &App,
    need: GateImportance,
    specs: &[GateSpec],
    chosen: &ScanSelection,
) -> InvariantGate {
    let homes = app.note_homes();
    let notes = move || held(&homes).map_err(|error| format!("notes cannot be read: {error}"));
    InvariantGate::new(need, notes, runners(app, specs), chosen.clone())
}

/// Returns the gates that run the project's tests: those in `specs`, else those of the
/// settings or the project's files.
pub fn runners(app: &App, specs: &[GateSpec]) -> Vec<GateSpec> {
    let runs_tests = |spec: &&GateSpec| spec.criterion == Criterion::TestPass;
    let given: Vec<GateSpec> = specs.iter().filter(runs_tests).cloned().collect();
    if !given.is_empty() {
        return given;
    }
    let Ok(mut layers) = app.layers() else { return Vec::new() };
    let tests = vec![Criterion::TestPass.name().to_owned()];
    layers.set_flag("run.criteria", SettingValue::List(tests));
    // Without a command for tests no gate can run one.
    let gates = app.plain_settings(&layers).map(|settings| settings.policy.gates);
    gates.unwrap_or_default().iter().filter(runs_tests).cloned().collect()
}
