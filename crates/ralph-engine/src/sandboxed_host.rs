//! Sessions of a host that runs in a sandbox.
//!
//! `ralph sandbox -- HOST` hides our state from the host. Its hooks pass events out through a
//! socket, and a process outside answers them. That process knows its project and its sandbox by
//! variables, which the host cannot set. The evidence of a loop is sealed if all its events came
//! that way and no command of the session changed it: the agent could have sent that command.

use std::ffi::OsString;
use std::fs;

use ralph_core::Run;
use ralph_core::locale::Locale;
use ralph_files::LogFailure as _;
use ralph_store::SqliteStore;

use crate::app::App;
use crate::command_log::{SandboxRecord, record_sandboxes, record_seal};
use crate::host::SessionDir;
use crate::sandbox::MadeSandbox;
use crate::seal::UnsealedReason;

/// The variable with the project of the sandbox.
pub(crate) const ROOT: &str = "RALPH_SANDBOX_ROOT";

/// The variable with the record of the host's sandbox.
const RECORD: &str = "RALPH_SANDBOX_HOST";

/// The programs of such a record.
pub(crate) const HOST: &str = "host";

/// The file that marks a session with a sealed loop.
const MARK: &str = "sealed";

/// Returns the variables of processes that answer hooks of a host in this sandbox.
pub fn variables(app: &App, made: &MadeSandbox, locale: Locale) -> Vec<(&'static str, OsString)> {
    let record = serde_json::to_string(&made.record(HOST, locale)).unwrap_or_default();
    vec![
        (ROOT, app.project.root.clone().into()),
        (RECORD, record.into()),
        // What the agent wrote is not executed outside.
        ("RALPH_SANDBOX_GATES", "on".into()),
    ]
}

/// Records that a loop of this session begins in a sandbox, if it does.
pub(crate) fn note_begun(app: &App, store: &SqliteStore, place: &SessionDir, run: &Run) {
    let record = app.variable(RECORD).and_then(|text| serde_json::from_str(&text).ok());
    let Some(record) = record.filter(|record: &SandboxRecord| record.lacks.is_empty()) else {
        return ralph_files::remove_if_there(&place.folder().join(MARK));
    };
    let recorded = record_sandboxes(store, run, &[record], app.now());
    recorded.or_log("recording the sandbox of a host");
    place.keep(MARK, run.id.as_str()).or_log("marking a session in a sandbox");
}

/// Ends the seal if this event did not come from the sandbox.
pub(crate) fn note_event(app: &App, store: &SqliteStore, place: &SessionDir, run: &Run) {
    if app.variable(RECORD).is_none() {
        unseal(app, store, place, run);
    }
}

/// Ends the seal of a loop that began in a sandbox.
pub(crate) fn unseal(app: &App, store: &SqliteStore, place: &SessionDir, run: &Run) {
    let mark = place.folder().join(MARK);
    if fs::exists(&mark).unwrap_or(false) {
        let recorded = record_seal(store, run, Some(UnsealedReason::Session), app.now());
        recorded.or_log("recording that evidence is not sealed");
        ralph_files::remove_if_there(&mark);
    }
}

/// Returns the reason why evidence is not sealed, for a run that no driver left; `None` if it is.
pub(crate) fn unsealed(sandboxes: &[SandboxRecord]) -> Option<UnsealedReason> {
    let is_sealed = sandboxes.iter().any(|one| one.of == HOST && one.lacks.is_empty());
    (!is_sealed).then_some(UnsealedReason::Session)
}
