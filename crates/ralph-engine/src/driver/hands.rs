//! Checks what the evidence depends on outside the project's files.

use std::error::Error;
use std::io::Write;
use std::path::Path;

use ralph_core::Run;
use ralph_core::evidence::{Evidence, GateReport, WeakenedCheck};
use ralph_core::wording::hands;
use ralph_proc::LostPrograms;
use ralph_snapshot::{ChangeKind, TreeChange};

use super::surroundings::OutsideWatch;
use super::{EvidenceGatherer, RunContext, turn};
use crate::error::EngineError;
use crate::events::RunEvent;
use crate::programs::{FILE, GatePrograms, ProgramPlaces};
use crate::seal::{SealedFiles, reopen};

impl OutsideWatch<'_, '_> {
    /// Stores the programs that the gates execute when the run starts.
    pub(crate) fn remember_programs(&self) -> Result<(), EngineError> {
        let path = self.context.places.folder.join(FILE);
        let written = turn::make_private_folder(&self.context.places.folder)
            .and_then(|()| ralph_files::create_own(&path))
            .and_then(|mut file| file.write_all(&serde_json::to_vec(&self.programs())?));
        written.map_err(|source| EngineError::Write { path, source })
    }

    /// Adds to the evidence the programs that differ from the start. They are
    /// unknown for runs that an earlier version started.
    pub(crate) fn look_at_programs(&self, run: &Run, evidence: &mut Evidence) {
        let Ok(text) = ralph_files::read_own(self.context.places.folder.join(FILE)) else { return };
        let then: GatePrograms = serde_json::from_slice(&text).unwrap_or_default();
        let mut found = then.differing(&self.programs(), run.policy.locale);
        if found.is_empty() {
            return;
        }
        // An invalid pattern was reported with the rules for files.
        let rules = self.rules(run).unwrap_or_default();
        let start = run.baseline.as_ref().and_then(|baseline| baseline.tree.as_ref());
        let changes = start.zip(evidence.tree.as_ref());
        let changes = changes.and_then(|(start, now)| self.context.tree.changes(start, now).ok());
        let changes = changes.unwrap_or_default();
        // Files in the tree are judged like other files, unless they are new.
        let is_file = |place: &str| {
            let is_edited = |one: &TreeChange| one.kind == ChangeKind::Modified;
            changes.iter().any(|one| is_edited(one) && one.path == Path::new(place))
        };
        let then = self.surroundings();
        let is_users = |place: &Path| then.as_ref().is_some_and(|then| then.is_of_rest(place));
        found.retain(|one| !is_users(&self.context.places.root.join(&one.place)));
        for one in &mut found {
            one.place = self.context.shown(Path::new(&one.place));
        }
        found.retain(|one| !rules.allows(&one.place) && !is_file(&one.place));
        evidence.weakened.extend(found);
    }

    fn programs(&self) -> GatePrograms {
        let gates: Vec<_> = self.checks.gates.iter().map(|gate| gate.spec()).collect();
        GatePrograms::now(
            &gates,
            &ProgramPlaces { root: &self.context.places.root, env: &self.checks.gate_env },
        )
    }
}

impl RunContext<'_> {
    /// Ends programs that escaped a supervisor that was killed or stopped.
    /// Until then they could change any file, so this turn proves nothing.
    pub(crate) fn end_strays(&mut self, run: &Run) {
        let LostPrograms { escaped, stopped } = ralph_proc::end_strays();
        let locale = run.policy.locale;
        if escaped > 0 {
            self.hold(run, hands::escaped(escaped, locale));
        }
        if stopped > 0 {
            self.hold(run, hands::stopped(locale));
        }
    }

    /// Holds a finding against the current turn, and reports it.
    fn hold(&mut self, run: &Run, what: String) {
        self.emit(&RunEvent::Notice { run, text: &what });
        self.held.push(WeakenedCheck::of_run(what, run.policy.locale));
    }

    /// Reads the files that judge the run before its gates run. In a session
    /// our other processes write there, too, so they are not sealed.
    pub(crate) fn sealed_for_gates(&self, run: &Run) -> Option<SealedFiles> {
        run.session().is_none().then(|| SealedFiles::of(&self.places.folder))
    }

    /// Makes our state folders accessible again if they were closed, and holds
    /// that against the turn.
    pub(crate) fn reopen_state(&mut self, run: &Run) {
        if reopen(self.ledger.home(), &self.places.folder) {
            self.hold(run, hands::state_closed(run.policy.locale));
        }
    }

    /// Restores files that judge the run if a turn or a check changed them, and
    /// holds that against the turn. Paths that were allowed meanwhile do not
    /// count: the agent may have done it.
    pub(crate) fn restore_sealed_files(
        &mut self,
        run: &Run,
        sealed: Option<SealedFiles>,
    ) -> Result<(), EngineError> {
        let path = self.places.folder.clone();
        let Some(sealed) = sealed else { return Ok(()) };
        self.reopen_state(run);
        if !path.exists() {
            // The state was deleted as a whole, which is reported elsewhere.
            return Ok(());
        }
        let broken = sealed.restore_changed(&path);
        let broken = broken.map_err(|source| EngineError::Write { path, source })?;
        let locale = run.policy.locale;
        for name in broken.files {
            self.hold(run, hands::put_right(name, locale));
        }
        if !broken.allowed.is_empty() {
            let what = hands::allowed_in_turn(&broken.allowed.join(", "), locale);
            self.emit(&RunEvent::Notice { run, text: &what });
        }
        Ok(())
    }
}

impl EvidenceGatherer<'_, '_> {
    /// Gathers the evidence of the files. If they cannot be read or compared
    /// with the start, no check counts as passed and the turn is held.
    pub(crate) fn gather_file_evidence(
        &mut self,
        run: &Run,
        evidence: &mut Evidence,
    ) -> Result<(), EngineError> {
        let error = match self.look_at_files(run, evidence) {
            Err(error @ (EngineError::Tree(_) | EngineError::Snapshot(_))) => error,
            looked => return looked,
        };
        let why = match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
        let what = hands::not_compared(&why, run.policy.locale);
        self.context.emit(&RunEvent::Notice { run, text: &what });
        let specs = self.checks.gates.iter().map(|gate| gate.spec());
        evidence.gates = specs.map(|spec| GateReport::unknown(spec, what.clone())).collect();
        evidence.weakened.push(WeakenedCheck::of_run(what, run.policy.locale));
        Ok(())
    }
}
