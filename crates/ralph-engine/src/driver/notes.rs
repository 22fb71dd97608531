//! Adds notes from the memory to the agent's prompt.

use std::io::Write;

use ralph_core::Run;
use ralph_core::memory::hydration::PrefaceMode;
use ralph_core::memory::notes::names;
use ralph_core::wording::learned;
use ralph_files::LogFailure as _;
use ralph_memory::event::{EventContext, WorkPhase};
use ralph_memory::resume::{self, SessionAge, SummaryReader};

use super::RunContext;
use super::memory::SessionPlan;
use super::turn::{self, TurnRunner};
use crate::events::RunEvent;
use crate::recall::{NotePortion, NoteRecall, NoteRequest, RecallError, RecallResult};

/// The file in the run's folder that lists the notes the conversation has seen.
const SEEN: &str = "notes";

impl TurnRunner<'_, '_> {
    /// Returns the notes for the next turn that the conversation has not seen.
    /// A failure is reported and does not stop the work.
    pub(super) fn notes(&mut self, run: &Run, plan: SessionPlan) -> Option<String> {
        let recall = self.memory.recall.clone().filter(NoteRecall::has_anything)?;
        match self.recalled(&recall, run, plan) {
            Ok(found) => {
                if found.retired_generated > 0 {
                    let locale = run.policy.locale;
                    let text = learned::retired_generated(found.retired_generated, locale);
                    self.context.emit(&RunEvent::Notice { run, text: &text });
                }
                found.shown.map(|shown| shown.text)
            }
            Err(error) => {
                self.context.emit(&RunEvent::Notice { run, text: &error.to_string() });
                None
            }
        }
    }

    fn recalled(
        &self,
        recall: &NoteRecall,
        run: &Run,
        plan: SessionPlan,
    ) -> Result<RecallResult, RecallError> {
        let path = self.context.places.folder.join(SEEN);
        let now = self.context.clock.now();
        let left = self.memory.left.as_ref().map(|session| (session, resume::age(session, now)));
        let is_late = left.is_some_and(|(_, age)| age == SessionAge::Old);
        // After so long all notes are shown again.
        let goes_on = plan == SessionPlan::Resume && !is_late;
        let reader = if goes_on { SummaryReader::Itself } else { SummaryReader::Newcomer };
        let before = if goes_on {
            ralph_files::read_own_text(&path).unwrap_or_default()
        } else {
            String::new()
        };
        let mut lines = before.lines();
        let spent = lines.next().and_then(|line| line.parse().ok()).unwrap_or(0);
        // Notes in the feedback need not be shown twice.
        let told = names(&run.feedback.notes);
        let seen: Vec<String> = lines.map(str::to_owned).chain(told).collect();
        let phase = if run.feedback.is_empty() { WorkPhase::Think } else { WorkPhase::Code };
        let wanted = NoteRequest {
            part: if goes_on { NotePortion::Asked } else { NotePortion::Whole },
            // The failures tell which files matter now.
            task: Some(format!("{}\n{}", run.task.text, run.feedback.text())),
            resume: left
                .map(|(session, age)| recall.standing(session, reader, age))
                .unwrap_or_default(),
            seen,
            spent,
            place: EventContext {
                run: Some(run.id.to_string()),
                iteration: Some(run.iteration),
                phase: Some(phase),
                ..EventContext::default()
            },
            preface: if spent > 0 {
                PrefaceMode::LeftOut
            } else {
                PrefaceMode::after([run.feedback.notes.as_str()])
            },
            ..NoteRequest::new(phase)
        };
        let found = recall.recall(&wanted, now)?;
        if let Some(shown) = &found.shown {
            recall.note_shown(&found, &wanted.place, now)?;
            let ids = [wanted.seen, shown.ids()].concat().join("\n");
            // If that fails, the agent only reads the same notes twice.
            turn::make_private_folder(&self.context.places.folder)
                .and_then(|()| ralph_files::create_own(&path))
                .and_then(|mut file| write!(file, "{}\n{ids}\n", spent + shown.tokens))
                .or_log("noting the notes that were shown");
        }
        Ok(found)
    }
}

impl RunContext<'_> {
    /// Returns the names of the notes that the conversation has seen.
    pub(super) fn seen(&self) -> Vec<String> {
        let text = ralph_files::read_own_text(self.places.folder.join(SEEN)).unwrap_or_default();
        text.lines().skip(1).map(str::to_owned).collect()
    }
}
