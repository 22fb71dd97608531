//! What is remembered here, in a line.

use ralph_core::Timestamp;
use ralph_engine::report::{size, span};
use ralph_memory::{MemoryError, Notebook, SessionFilter, Stats};

use super::Finding;
use crate::app::App;
use crate::config::MemoryRules;
use crate::texts::counted;

const NAME: &str = "memory";

/// Whether something is remembered here, how much, and since when nothing was.
pub(super) fn judge(app: &App) -> Finding {
    // Settings that cannot be read have a finding of their own.
    let is_off = app.layers().is_ok_and(|layers| !MemoryRules::new(&layers).is_enabled);
    if is_off {
        return Finding::remark(NAME, "switched off by `memory.enabled`");
    }
    if !Notebook::exists(&app.home) {
        return Finding::remark(NAME, "nothing is remembered here yet");
    }
    let asked = Notebook::attempt(&app.home, |book| {
        let sessions = book.sessions(&SessionFilter::default())?;
        Ok::<_, MemoryError>((book.stats()?, sessions))
    });
    Finding::new(
        NAME,
        asked.map(|((stats, sessions), _)| {
            let last = sessions.first().map(|session| {
                let since = app.now().since(Timestamp::from_millis(session.last_checkpoint));
                format!(", the last heard of {} ago", span(since))
            });
            let Stats { notes, log_bytes, database_bytes, .. } = stats;
            let notes: u64 = notes.iter().map(|tally| tally.active).sum();
            let (sessions, bytes) = (sessions.len(), size(log_bytes + database_bytes));
            let (notes, sessions) = (counted(notes, "note"), counted(sessions, "session"));
            format!("{notes}, {sessions}{}; {bytes}", last.unwrap_or_default())
        }),
    )
}
