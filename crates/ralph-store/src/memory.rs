//! A store in memory, for tests and for work without a disk.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ralph_core::run::Owner;
use ralph_core::{Run, RunId, SessionId, Timestamp, TreeId};

use crate::error::StoreError;
use crate::event::{EventQuery, NewEvent, StoredEvent};
use crate::iteration::IterationRecord;
use crate::redaction::redacted;
use crate::run_store::{
    GatePass, OwnerRequest, RunQuery, RunStateFilter, RunStep, RunStore, RunVersion,
};

/// Maximum number of ids that a prefix is completed to.
const MOST_IDS: usize = 10;

/// Keeps runs in memory, by the same rules as the store on disk.
#[derive(Default)]
pub struct MemoryStore {
    kept: Mutex<MemoryStoreState>,
}

#[derive(Default)]
struct MemoryStoreState {
    /// In the order in which they were created.
    runs: Vec<StoredRun>,
    iterations: BTreeMap<(RunId, u32), IterationRecord>,
    events: Vec<StoredEvent>,
    passes: BTreeMap<(String, TreeId), GatePass>,
    times: BTreeMap<String, Duration>,
}

struct StoredRun {
    run: Run,
    request: Option<OwnerRequest>,
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, MemoryStoreState> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryStoreState {
    fn find(&mut self, id: &RunId) -> Result<&mut StoredRun, StoreError> {
        self.runs
            .iter_mut()
            .find(|kept| kept.run.id == *id)
            .ok_or_else(|| StoreError::NoSuchRun { run: id.clone() })
    }

    fn find_owned(&mut self, id: &RunId, epoch: u64) -> Result<&mut StoredRun, StoreError> {
        let kept = self.find(id)?;
        if kept.run.epoch == epoch { Ok(kept) } else { Err(stale(id)) }
    }

    /// Returns the runs that meet a condition, newest first.
    fn newest(&self, meets: impl Fn(&Run) -> bool) -> impl Iterator<Item = &Run> {
        let mut runs: Vec<&Run> =
            self.runs.iter().rev().map(|kept| &kept.run).filter(|run| meets(run)).collect();
        // A stable sort: runs that began together stay in reverse order.
        runs.sort_by_key(|run| std::cmp::Reverse(run.started_at));
        runs.into_iter()
    }

    fn refuse_excluded(&self, run: &Run) -> Result<(), StoreError> {
        let is_excluded = |other: &Run| other.state.is_active() && run.excludes(other);
        match self.newest(is_excluded).next() {
            Some(other) if run.state.is_active() => Err(StoreError::excluded(run, other)),
            Some(_) | None => Ok(()),
        }
    }

    fn refuse_decided(&self, record: &IterationRecord) -> Result<(), StoreError> {
        let (run, iteration) = (record.run.clone(), record.number);
        if self.iterations.contains_key(&(run.clone(), iteration)) {
            return Err(StoreError::AlreadyDecided { run, iteration });
        }
        Ok(())
    }

    fn append(&mut self, event: &NewEvent) -> u64 {
        let seq = self.events.last().map_or(0, |last| last.seq) + 1;
        self.events.push(StoredEvent { seq, event: redacted(event) });
        seq
    }
}

fn stale(id: &RunId) -> StoreError {
    StoreError::Stale { run: id.clone() }
}

/// Returns `next`, with the later heartbeat if both are the same driver.
fn latest_owner(stored: Option<&Owner>, next: Option<Owner>) -> Option<Owner> {
    match (stored, next) {
        (
            Some(Owner::Driver { pid: old_pid, started: old_started, heartbeat: before }),
            Some(Owner::Driver { pid, started, heartbeat }),
        ) if *old_pid == pid && *old_started == started => {
            Some(Owner::Driver { pid, started, heartbeat: heartbeat.max(*before) })
        }
        (_, next) => next,
    }
}

fn capped(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

impl RunStore for MemoryStore {
    fn create_run(&self, run: &Run) -> Result<(), StoreError> {
        let mut kept = self.lock();
        if kept.find(&run.id).is_ok() {
            return Err(StoreError::RunExists { run: run.id.clone() });
        }
        kept.refuse_excluded(run)?;
        kept.runs.push(StoredRun { run: redacted(run), request: None });
        Ok(())
    }

    fn run(&self, id: &RunId) -> Result<Option<Run>, StoreError> {
        Ok(self.lock().newest(|run| run.id == *id).next().cloned())
    }

    fn run_ids(&self, prefix: &str) -> Result<Vec<RunId>, StoreError> {
        let digits = prefix.strip_prefix("run-").unwrap_or(prefix);
        let begins = |id: &RunId| id.as_str().trim_start_matches("run-").starts_with(digits);
        let mut ids: Vec<RunId> = self.lock().runs.iter().map(|kept| kept.run.id.clone()).collect();
        ids.retain(begins);
        ids.sort();
        ids.truncate(MOST_IDS);
        Ok(ids)
    }

    fn runs(&self, query: &RunQuery) -> Result<Vec<Run>, StoreError> {
        let stands = |run: &Run| match query.which {
            RunStateFilter::All => true,
            RunStateFilter::Active => run.state.is_active(),
            RunStateFilter::Open => !run.state.is_ended(),
            RunStateFilter::Ended => run.state.is_ended(),
        };
        let here = |run: &Run| query.worktree.as_ref().is_none_or(|tree| *tree == run.worktree);
        let kept = self.lock();
        let runs = kept.newest(|run| stands(run) && here(run));
        Ok(runs.take(capped(query.limit)).cloned().collect())
    }

    fn run_of_session(&self, session: &SessionId) -> Result<Option<Run>, StoreError> {
        let owned = |run: &Run| run.session() == Some(session) && !run.state.is_ended();
        Ok(self.lock().newest(owned).next().cloned())
    }

    fn save(&self, expected: RunVersion, step: &RunStep<'_>) -> Result<(), StoreError> {
        let mut kept = self.lock();
        if RunVersion::of(&kept.find(&step.run.id)?.run) != expected {
            return Err(stale(&step.run.id));
        }
        kept.refuse_excluded(step.run)?;
        if let Some(record) = step.iteration {
            kept.refuse_decided(record)?;
            kept.iterations.insert((record.run.clone(), record.number), redacted(record));
        }
        let stored = kept.find(&step.run.id)?;
        let mut run = redacted(step.run);
        run.owner = latest_owner(stored.run.owner.as_ref(), run.owner);
        stored.run = run;
        for event in step.events {
            kept.append(event);
        }
        Ok(())
    }

    fn take_over(
        &self,
        id: &RunId,
        expected_epoch: u64,
        owner: &Owner,
        now: Timestamp,
    ) -> Result<Run, StoreError> {
        let mut kept = self.lock();
        let run = kept.find_owned(id, expected_epoch)?.run.clone();
        kept.refuse_excluded(&Run { owner: Some(owner.clone()), ..run })?;
        let StoredRun { run, request } = kept.find_owned(id, expected_epoch)?;
        run.epoch = expected_epoch.wrapping_add(1);
        run.owner = Some(owner.clone());
        run.updated_at = now;
        *request = None;
        Ok(run.clone())
    }

    fn heartbeat(
        &self,
        id: &RunId,
        epoch: u64,
        now: Timestamp,
    ) -> Result<Option<OwnerRequest>, StoreError> {
        let mut kept = self.lock();
        let StoredRun { run, request } = kept.find_owned(id, epoch)?;
        if let Some(Owner::Driver { heartbeat, .. }) = &mut run.owner {
            *heartbeat = now;
        }
        Ok(*request)
    }

    fn pending(&self, id: &RunId, epoch: u64) -> Result<Option<OwnerRequest>, StoreError> {
        Ok(self.lock().find_owned(id, epoch)?.request)
    }

    fn request(&self, id: &RunId, request: OwnerRequest, now: Timestamp) -> Result<(), StoreError> {
        let mut kept = self.lock();
        let stored = kept.find(id)?;
        if !stored.run.state.is_ended() {
            stored.request = Some(stored.request.map_or(request, |earlier| earlier.and(request)));
            stored.run.updated_at = now;
        }
        Ok(())
    }

    fn iterations(&self, id: &RunId, last: u32) -> Result<Vec<IterationRecord>, StoreError> {
        let kept = self.lock();
        let of_run = kept.iterations.range((id.clone(), 0)..=(id.clone(), u32::MAX));
        let mut records: Vec<_> =
            of_run.rev().take(capped(last)).map(|(_, record)| record.clone()).collect();
        records.reverse();
        Ok(records)
    }

    fn iteration(&self, id: &RunId, number: u32) -> Result<Option<IterationRecord>, StoreError> {
        Ok(self.lock().iterations.get(&(id.clone(), number)).cloned())
    }

    fn append(&self, event: &NewEvent) -> Result<u64, StoreError> {
        Ok(self.lock().append(event))
    }

    fn events(&self, query: &EventQuery) -> Result<Vec<StoredEvent>, StoreError> {
        let asked = |stored: &&StoredEvent| {
            stored.seq > query.after
                && (query.run.is_none() || stored.event.run == query.run)
                && (query.session.is_none() || stored.event.session == query.session)
        };
        Ok(self.lock().events.iter().filter(asked).take(capped(query.limit)).cloned().collect())
    }

    fn remember_pass(
        &self,
        gate_key: &str,
        tree: &TreeId,
        pass: &GatePass,
    ) -> Result<(), StoreError> {
        self.lock().passes.insert((gate_key.to_owned(), tree.clone()), redacted(pass));
        Ok(())
    }

    fn forget_pass(&self, gate_key: &str, tree: &TreeId) -> Result<(), StoreError> {
        self.lock().passes.remove(&(gate_key.to_owned(), tree.clone()));
        Ok(())
    }

    fn pass(&self, gate_key: &str, tree: &TreeId) -> Result<Option<GatePass>, StoreError> {
        Ok(self.lock().passes.get(&(gate_key.to_owned(), tree.clone())).cloned())
    }

    fn remember_time(&self, gate: &str, took: Duration, _now: Timestamp) -> Result<(), StoreError> {
        let took = Duration::from_millis(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
        self.lock().times.insert(gate.to_owned(), took);
        Ok(())
    }

    fn time(&self, gate: &str) -> Result<Option<Duration>, StoreError> {
        Ok(self.lock().times.get(gate).copied())
    }

    fn check_integrity(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn checkpoint(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
