//! Looks at what the evidence stands on beside the files of the project.

use std::io::Write;

use ralph_core::Run;
use ralph_core::evidence::{Evidence, Weakening};
use ralph_core::wording::hands;

use super::{Driver, turn};
use crate::error::EngineError;
use crate::events::Event;
use crate::plain_file;
use crate::programs::{FILE, ProgramPlaces, Programs};
use crate::seal::{SealedFiles, Unsealed};

impl Driver<'_> {
    /// Remembers what the gates execute when the run begins.
    pub(crate) fn remember_programs(&self) -> Result<(), EngineError> {
        let path = self.folder.join(FILE);
        let written = turn::make_private_folder(&self.folder)
            .and_then(|()| turn::private_file(&path))
            .and_then(|mut file| file.write_all(&serde_json::to_vec(&self.programs())?));
        written.map_err(|source| EngineError::Write { path, source })
    }

    /// Adds to the evidence which programs are not those of the start. A run
    /// that an earlier version began does not know them.
    pub(crate) fn look_at_programs(&self, run: &Run, evidence: &mut Evidence) {
        let Ok(text) = plain_file::read(&self.folder.join(FILE)) else { return };
        let then: Programs = serde_json::from_slice(&text).unwrap_or_default();
        let found = then.differing(&self.programs(), run.policy.locale);
        // A pattern that is none was told with the rules for files.
        let rules = self.rules(run).unwrap_or_default();
        evidence.weakened.extend(found.into_iter().filter(|one| !rules.allows(&one.place)));
    }

    /// Ends what escaped a supervisor that was killed. Until then it could do
    /// what it liked to the files, so this turn proves nothing.
    pub(crate) fn end_strays(&mut self, run: &Run) {
        let escaped = ralph_proc::end_strays();
        if escaped > 0 {
            let what = hands::escaped(escaped, run.policy.locale);
            self.tell(&Event::Notice { run, text: &what });
            self.held.push(Weakening { place: run.id.to_string(), what });
        }
    }

    /// Puts right what a turn did to the files that judge the run, and holds
    /// it against the turn. What was allowed meanwhile counts: it may have been
    /// the user; but then nothing is sealed any more.
    pub(crate) fn put_right(&mut self, run: &Run, sealed: SealedFiles) -> Result<(), EngineError> {
        let path = self.folder.clone();
        if !path.exists() {
            // The state was deleted as a whole, which is told elsewhere.
            return Ok(());
        }
        let broken = sealed.put_right(&path);
        let broken = broken.map_err(|source| EngineError::Write { path, source })?;
        let locale = run.policy.locale;
        for name in broken.files {
            let what = hands::put_right(name, locale);
            self.tell(&Event::Notice { run, text: &what });
            self.held.push(Weakening { place: run.id.to_string(), what });
        }
        if !broken.allowed.is_empty() {
            self.unsealed = self.unsealed.or(Some(Unsealed::AllowedInTurn));
            let what = hands::allowed_in_turn(&broken.allowed.join(", "), locale);
            self.tell(&Event::Notice { run, text: &what });
        }
        Ok(())
    }

    fn programs(&self) -> Programs {
        let gates: Vec<_> = self.gates.iter().map(|gate| gate.spec()).collect();
        Programs::now(&gates, &ProgramPlaces { root: &self.root, env: &self.gate_env })
    }
}
