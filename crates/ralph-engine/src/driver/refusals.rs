//! Handles actions that the agent was refused. They are reported to the user
//! and the agent. In the end the run waits for a person to allow them.

use std::path::Path;

use ralph_agents::{Agent, RefusedAction};
use ralph_core::{Run, wording};
use ralph_redact::redact;

use super::Driver;
use super::memory::AgentSession;
use crate::error::EngineError;
use crate::events::RunEvent;

/// Number of refused turns in a row without a change before a person is asked.
const PATIENCE: u32 = 2;

/// Maximum number of refusals that are named.
const NAMED: usize = 3;

/// The consequences of refusals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RefusalOutcome {
    /// The text for the agent's next turn.
    pub(crate) told: String,
    /// The question to a person, if another turn is useless.
    pub(crate) question: Option<String>,
}

impl Driver<'_> {
    /// Handles the refusals of a turn; `None` if there are none.
    pub(crate) fn note_refusals(
        &mut self,
        agent: &dyn Agent,
        run: &Run,
        refusals: &[RefusedAction],
    ) -> Result<Option<RefusalOutcome>, EngineError> {
        if !agent.keeps_sessions() {
            return Ok(None);
        }
        for RefusedAction { what, remedy } in refusals.iter().take(NAMED) {
            let text = format!("the agent was denied {what}; to allow it, {remedy}");
            self.context.emit(&RunEvent::Notice { run, text: &redact(&text) });
        }
        let stuck = !refusals.is_empty() && self.is_unchanged()?;
        let turns = count(&self.context.places.folder, agent.name(), stuck)?;
        let what: Vec<String> =
            refusals.iter().take(NAMED).map(|refusal| refusal.what.clone()).collect();
        Ok((!refusals.is_empty()).then(|| RefusalOutcome {
            told: wording::refused(&what, run.policy.locale),
            question: (turns >= PATIENCE).then(|| question(turns, refusals)),
        }))
    }

    /// Returns true if the files are those of the newest snapshot. Every turn
    /// that changed something has one.
    fn is_unchanged(&self) -> Result<bool, EngineError> {
        let present = self.context.tree.tree()?;
        Ok(self.snapshots.kept.as_ref().is_some_and(|kept| kept.tree == present))
    }
}

/// Counts a turn. Returns the number of refused turns in a row without a
/// change. Once a person was asked, the count restarts.
#[expect(clippy::fn_params_excessive_bools, reason = "private, and named at its one call")]
fn count(folder: &Path, agent: &str, stuck: bool) -> Result<u32, EngineError> {
    let mut memory = AgentSession::load(folder, agent);
    let turns = if stuck { memory.refused + 1 } else { 0 };
    let next = if turns >= PATIENCE { 0 } else { turns };
    if next != memory.refused {
        memory.refused = next;
        memory.save(folder)?;
    }
    Ok(turns)
}

fn question(turns: u32, refusals: &[RefusedAction]) -> String {
    let each: Vec<String> = refusals
        .iter()
        .take(NAMED)
        .map(|RefusedAction { what, remedy }| format!("{what}: {remedy}"))
        .collect();
    format!(
        "{turns} turns in a row changed nothing because the agent was denied what it needs. {}",
        each.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_asked_after_two_turns_in_a_row_and_then_anew() {
        let folder = tempfile::tempdir().unwrap();
        let counted = |stuck| count(folder.path(), "a", stuck).unwrap();
        assert_eq!([true, false, true, true].map(counted), [1, 0, 1, 2]);
        assert_eq!([true, true].map(counted), [1, 2]);
    }

    #[test]
    fn the_question_names_the_rule() {
        let refusal = RefusedAction {
            what: "Bash: npm test".to_owned(),
            remedy: "add `Bash(npm test:*)` to permissions.allow".to_owned(),
        };
        let text = question(2, &[refusal]);
        assert!(text.starts_with("2 turns in a row"), "{text}");
        assert!(text.ends_with("Bash: npm test: add `Bash(npm test:*)` to permissions.allow"));
    }
}
