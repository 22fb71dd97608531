//! What came with work that was taken back.

use std::collections::HashSet;

use super::{ConsolidationJob, is_from};
use crate::error::MemoryError;
use crate::event::{EventActor, LogEventKind, NoteScope};
use crate::notebook::{NoteSelection, StoredNote};

/// Whether a note says nothing any more when the work is undone that it came
/// with. What the user said holds whatever becomes of the work.
pub(super) fn falls_with_its_commit(known: &StoredNote) -> bool {
    known.actor != EventActor::User
}

impl ConsolidationJob<'_> {
    /// Remembers which commits the notes came with that are the project's now.
    pub(super) fn land(&mut self) {
        let ids = std::mem::take(&mut self.landed);
        let commits = self.occasion.commits.iter();
        // A run may take back what it did itself; that is no news later.
        let commits = commits.filter(|commit| !self.occasion.reverted.contains(*commit));
        let commits: Vec<String> = commits.cloned().collect();
        if !ids.is_empty() && !commits.is_empty() {
            self.event(LogEventKind::Landed { ids, commits });
        }
    }

    /// Withdraws what came with commits that were taken back. The notebook
    /// remembers that for a note until it is withdrawn or said again.
    pub(super) fn withdraw(&mut self) -> Result<(), MemoryError> {
        if self.occasion.reverted.is_empty() {
            return Ok(());
        }
        let landed = self.notebook.landings()?;
        let (mut came, stand): (Vec<_>, Vec<_>) =
            landed.into_iter().partition(|(commit, _)| self.occasion.reverted.contains(commit));
        let stand: HashSet<String> = stand.into_iter().map(|(_, id)| id).collect();
        came.extend(self.came_with_runs(&stand)?);
        for (commit, id) in came {
            let holds =
                |known: &StoredNote| known.retired.is_none() && falls_with_its_commit(known);
            if !self.gone.contains(&id)
                && !self.seen.contains(&id)
                && self.notebook.get(&id)?.as_ref().is_some_and(holds)
            {
                let short = commit.get(..12).unwrap_or(&commit);
                let why = format!("commit {short}, which it came with, was taken back");
                self.decided.counts.retracted += 1;
                self.retire(id, why);
            }
        }
        Ok(())
    }

    /// The notes of runs whose work was committed later and taken back, each
    /// with that commit. What others came to as well stays, and so does what came
    /// with a commit that stands.
    fn came_with_runs(
        &self,
        stand: &HashSet<String>,
    ) -> Result<Vec<(String, String)>, MemoryError> {
        if self.occasion.taken_back.is_empty() {
            return Ok(Vec::new());
        }
        let came = |known: StoredNote| {
            let commit = self.occasion.taken_back.get(known.place.run.as_deref()?)?;
            // What is being learned was not taken back before.
            let is_of_now = self.occasion.of.as_ref().is_some_and(|of| is_from(of, &known.place));
            let is_alone = known.witnesses.is_empty() && !stand.contains(&known.note.id);
            // What is on trial binds nobody, and is tried further.
            let is_projects =
                known.note.scope != NoteScope::Task || self.promoted.contains(&known.note.id);
            let falls = is_alone && !is_of_now && is_projects;
            falls.then(|| (commit.clone(), known.note.id))
        };
        Ok(self.notebook.list(&NoteSelection::default())?.into_iter().filter_map(came).collect())
    }
}
