//! The state of the project's memory, in a line.

use crate::report::{size, span};
use ralph_config::MemoryRules;
use ralph_core::Timestamp;
use ralph_core::locale::Locale;
use ralph_memory::{MemoryError, Notebook, NotebookStats, SessionFilter};

use super::DoctorFinding;
use crate::app::App;
use crate::texts::counted;

const NAME: &str = "memory";

/// Checks the memory: its size, and how long nothing was added.
pub(crate) fn judge(app: &App, locale: Locale) -> DoctorFinding {
    // Unreadable settings have a finding of their own.
    let is_off = app.layers().is_ok_and(|layers| !MemoryRules::new(&layers).is_enabled);
    if is_off {
        let off = "`memory.enabled` 로 꺼져 있습니다";
        return DoctorFinding::remark(NAME, locale.say("switched off by `memory.enabled`", off));
    }
    if !Notebook::exists(&app.home) {
        let none = "아직 기억하는 것이 없습니다";
        return DoctorFinding::remark(NAME, locale.say("nothing is remembered here yet", none));
    }
    let asked = Notebook::attempt(&app.home, |book| {
        let sessions = book.sessions(&SessionFilter::default())?;
        Ok::<_, MemoryError>((book.stats()?, sessions))
    });
    DoctorFinding::new(
        NAME,
        asked.map(|((stats, sessions), _)| {
            let last = sessions.first().map(|session| {
                let since = app.now().since(Timestamp::from_millis(session.last_checkpoint));
                let since = span(since);
                let korean = format!(", 마지막 소식 {since} 전");
                locale.say(format!(", the last heard of {since} ago"), korean)
            });
            let NotebookStats { notes, log_bytes, database_bytes, .. } = stats;
            let notes: u64 = notes.iter().map(|tally| tally.active).sum();
            let (sessions, bytes) = (sessions.len(), size(log_bytes + database_bytes));
            let last = last.unwrap_or_default();
            let korean = format!("메모 {notes}개, 세션 {sessions}개{last}; {bytes}");
            let (notes, sessions) = (counted(notes, "note"), counted(sessions, "session"));
            locale.say(format!("{notes}, {sessions}{last}; {bytes}"), korean)
        }),
    )
}
