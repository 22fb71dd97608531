//! Snapshots while a run goes on: at its start, and whenever a turn changed files.

use ralph_core::{Evidence, Run, TreeId};
use ralph_snapshot::{Label, Snapshot, Snapshots};

use super::Driver;
use crate::error::EngineError;
use crate::events::{Begin, Event};

impl Driver<'_> {
    /// Makes sure that there is a way back before anything changes.
    pub(crate) fn keep_start(&mut self, run: &Run, how: Begin) -> Result<(), EngineError> {
        let snapshots = Snapshots::new(&self.tree, run.id.clone());
        self.kept = match how {
            Begin::New => None,
            Begin::Resumed => crate::undo::last(&snapshots.list()?).map(|last| last.tree.clone()),
        };
        if self.kept.is_some() {
            return Ok(());
        }
        let start = snapshots.take(Label::Start, self.clock.now())?;
        self.kept = Some(start.tree.clone());
        self.say_left_out(run, &start);
        Ok(())
    }

    /// Keeps what a turn left, if it changed anything.
    ///
    /// A snapshot that cannot be taken does not end the run: the one before
    /// still leads back.
    pub(crate) fn keep_turn(&mut self, run: &Run, evidence: Option<&Evidence>) {
        if let Err(error) = self.try_keep(run, evidence.and_then(|seen| seen.tree.as_ref())) {
            let text = format!("no snapshot of iteration {}: {error}", run.iteration);
            self.tell(&Event::Notice { run, text: &text });
        }
    }

    /// Keeps what a turn left whose driver died. One that was interrupted in
    /// an orderly way was kept then, without what others did since.
    pub(crate) fn keep_lost_turn(&mut self, run: &Run) {
        let label = Label::Iteration(run.iteration);
        if Snapshots::new(&self.tree, run.id.clone()).get(label).is_err() {
            self.keep_turn(run, None);
        }
    }

    fn try_keep(&mut self, run: &Run, seen: Option<&TreeId>) -> Result<(), EngineError> {
        if self.foundations.iter().any(|folder| !folder.is_dir()) {
            return Ok(());
        }
        let present = match seen {
            Some(tree) => tree.clone(),
            None => self.tree.tree()?,
        };
        if self.kept.as_ref() == Some(&present) {
            return Ok(());
        }
        let snapshots = Snapshots::new(&self.tree, run.id.clone());
        let kept = snapshots.take(Label::Iteration(run.iteration), self.clock.now())?;
        self.kept = Some(kept.tree);
        Ok(())
    }

    fn say_left_out(&mut self, run: &Run, start: &Snapshot) {
        for file in &start.left_out {
            let text = format!(
                "{} ({}) is too large for snapshots: rolling back will not bring it back",
                file.path.display(),
                crate::report::size(file.bytes)
            );
            self.tell(&Event::Notice { run, text: &text });
        }
        for folder in &start.nested {
            let text = format!(
                "{} is a repository of its own: its files are not in the snapshots",
                folder.display()
            );
            self.tell(&Event::Notice { run, text: &text });
        }
    }
}
