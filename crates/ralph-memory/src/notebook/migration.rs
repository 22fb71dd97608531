//! Notes that older versions generated and nobody makes any more.

use ralph_core::Timestamp;

use super::{NoteSelection, Notebook, StoredNote};
use crate::error::MemoryError;
use crate::event::{EventActor, EventContext, LogEvent, LogEventKind, NoteKind};
use crate::store::counters;

/// Why such a note does not hold any more.
const WHY: &str = "an older version generated it, and it says what git or the settings say";

impl Notebook {
    /// Retires what older versions generated, unless that was done already.
    /// Returns how many notes.
    pub(super) fn retire_generated(&self) -> Result<u32, MemoryError> {
        if self.memory.read(|tx| counters::is_migrated(tx))? {
            return Ok(0);
        }
        let old = self.list(&NoteSelection::default())?;
        let events: Vec<LogEvent> = old.into_iter().filter(is_generated).map(retired).collect();
        self.append(events.clone())?;
        self.memory.write(|tx| counters::set_migrated(tx))?;
        Ok(u32::try_from(events.len()).unwrap_or(u32::MAX))
    }
}

/// Whether an older version made it by itself: we note failures and what was
/// tried in vain, both without a reason, and said more of how runs went before.
fn is_generated(known: &StoredNote) -> bool {
    let is_made_now = match known.note.kind {
        NoteKind::Gotcha | NoteKind::Approach => known.note.why.is_none(),
        NoteKind::Constitution
        | NoteKind::Skill
        | NoteKind::Pattern
        | NoteKind::Decision
        | NoteKind::Discovery
        | NoteKind::Command
        | NoteKind::Fact
        | NoteKind::Failure
        | NoteKind::Other(_) => false,
    };
    known.actor == EventActor::Ralph && !is_made_now
}

fn retired(known: StoredNote) -> LogEvent {
    // As of when it was said last, as that changes nothing but that it holds.
    let at: Timestamp = known.said();
    let what = LogEventKind::Retracted { id: known.note.id, why: WHY.to_owned() };
    LogEvent { at: at.as_millis(), place: EventContext::default(), actor: EventActor::Ralph, what }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{NoteContent, NoteScope};
    use crate::log::EventLog;

    #[test]
    fn what_older_versions_generated_is_retired_once_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let made = |actor, id: &str, kind, why: Option<&str>| {
            let note =
                NoteContent::new(id, kind, NoteScope::Project, format!("It says what {id} says."));
            let what =
                LogEventKind::Noted(Box::new(NoteContent { why: why.map(str::to_owned), ..note }));
            LogEvent { at: 1, place: EventContext::default(), actor, what }
        };
        let log = EventLog::new(folder.path());
        log.append(&[
            made(EventActor::Ralph, "mskill", NoteKind::Skill, None),
            made(EventActor::Ralph, "mmasked", NoteKind::Gotcha, Some("iteration 1 of run-1")),
            made(EventActor::Ralph, "mfailure", NoteKind::Gotcha, None),
            made(EventActor::Agent, "magent", NoteKind::Skill, Some("seen")),
            made(EventActor::User, "muser", NoteKind::Skill, None),
        ])
        .unwrap();
        let holds = |book: &Notebook| {
            let notes = book.list(&NoteSelection::default()).unwrap().into_iter();
            let mut ids: Vec<String> = notes.map(|known| known.note.id).collect();
            ids.sort_unstable();
            ids
        };
        let book = Notebook::open(folder.path()).unwrap();
        assert_eq!(book.retired_generated(), 2);
        assert_eq!(holds(&book), ["magent", "mfailure", "muser"]);
        let again = Notebook::open(folder.path()).unwrap();
        assert_eq!(again.retired_generated(), 0);
        book.rebuild().unwrap();
        let anew = Notebook::open(folder.path()).unwrap();
        assert_eq!((anew.retired_generated(), holds(&anew).len()), (0, 3));
    }
}
