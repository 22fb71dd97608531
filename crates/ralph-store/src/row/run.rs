//! The stored form of a run: one column per field.

use ralph_core::run::{AgentRef, BestIteration, Owner, Run, Task};
use ralph_core::score::Score;
use ralph_core::{Timestamp, TreeId};

use super::errands::{decode_errands, encode_errands};
use super::feedback::{decode_sections, encode_sections};
use super::policy::{decode_policy, encode_policy};
use super::progress::{decode_baseline, decode_progress, encode_baseline, encode_progress};
use super::state::{decode_state, encode_detail};
use super::{decode, decode_run_id, decode_session_id, decode_usage, encode, encode_usage, unfit};
use crate::error::StoreError;

/// One row of the table `runs`, with the names of its columns.
///
/// `active` and `ended` follow from the state, `gated` from the policy; queries
/// use them. Unsigned 64-bit numbers are stored as the signed number with equal
/// bits.
pub(crate) struct RunRow {
    pub(crate) id: String,
    pub(crate) worktree: String,
    pub(crate) task_text: String,
    pub(crate) task_description: Option<String>,
    pub(crate) task_targets: String,
    pub(crate) task_id: Option<String>,
    pub(crate) agent_name: String,
    pub(crate) agent_command: String,
    pub(crate) policy: String,
    pub(crate) status: String,
    pub(crate) reason: Option<String>,
    pub(crate) detail: Option<String>,
    pub(crate) active: bool,
    pub(crate) ended: bool,
    pub(crate) iteration: u32,
    pub(crate) epoch: i64,
    pub(crate) owner: OwnerRow,
    pub(crate) baseline: Option<String>,
    pub(crate) progress: String,
    pub(crate) restarts: u32,
    pub(crate) usage: String,
    pub(crate) waited: String,
    pub(crate) asleep: String,
    pub(crate) feedback: String,
    pub(crate) last_output: String,
    pub(crate) tree: Option<String>,
    pub(crate) best_iteration: Option<u32>,
    pub(crate) best_failing: Option<u32>,
    pub(crate) started_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) ended_at: Option<i64>,
    pub(crate) errands: Option<String>,
    pub(crate) gated: bool,
}

/// The columns of a run's owner: a session, a driver or none.
#[derive(Default)]
pub(crate) struct OwnerRow {
    pub(crate) session: Option<String>,
    pub(crate) pid: Option<u32>,
    pub(crate) started: Option<i64>,
    pub(crate) heartbeat_at: Option<i64>,
}

impl RunRow {
    /// Returns the row of a run.
    pub(crate) fn from_run(run: Run) -> Result<Self, StoreError> {
        let Run {
            id,
            task: Task { text: task_text, description: task_description, targets, id: task_id },
            worktree,
            agent: AgentRef { name: agent_name, command },
            policy,
            state,
            iteration,
            epoch,
            owner,
            baseline,
            progress,
            restarts,
            usage,
            waited,
            asleep,
            feedback,
            last_output,
            tree,
            best,
            errands,
            started_at,
            updated_at,
            ended_at,
        } = run;
        Ok(Self {
            id: id.to_string(),
            worktree,
            task_text,
            task_description,
            task_targets: encode("the targets of a task", &targets)?,
            task_id,
            agent_name,
            agent_command: encode("the command of an agent", &command)?,
            gated: policy.is_gated(),
            policy: encode_policy(&policy)?,
            status: state.status().to_owned(),
            reason: state.reason().map(str::to_owned),
            detail: encode_detail(&state)?,
            active: state.is_active(),
            ended: state.is_ended(),
            iteration,
            epoch: epoch.cast_signed(),
            owner: OwnerRow::from(owner),
            baseline: baseline.as_ref().map(encode_baseline).transpose()?,
            progress: encode_progress(&progress, best)?,
            restarts,
            usage: encode_usage(usage)?,
            waited: encode("waiting time", &waited)?,
            asleep: encode("sleeping time", &asleep)?,
            feedback: encode_sections(feedback)?,
            last_output,
            tree: tree.map(|tree| tree.to_string()),
            best_iteration: best.map(|best| best.iteration),
            best_failing: best.map(|best| best.failing),
            started_at: started_at.as_millis(),
            updated_at: updated_at.as_millis(),
            ended_at: ended_at.map(Timestamp::as_millis),
            errands: encode_errands(&errands)?,
        })
    }

    /// Reads the run from its row.
    pub(crate) fn into_run(self) -> Result<Run, StoreError> {
        let (progress, score) = decode_progress(&self.progress)?;
        Ok(Run {
            id: decode_run_id(&self.id)?,
            task: Task {
                text: self.task_text,
                description: self.task_description,
                targets: decode("the targets of a task", &self.task_targets)?,
                id: self.task_id,
            },
            worktree: self.worktree,
            agent: AgentRef {
                name: self.agent_name,
                command: decode("the command of an agent", &self.agent_command)?,
            },
            policy: decode_policy(&self.policy)?,
            state: decode_state(&self.status, self.reason.as_deref(), self.detail.as_deref())?,
            iteration: self.iteration,
            epoch: self.epoch.cast_unsigned(),
            owner: self.owner.into_owner()?,
            baseline: self.baseline.as_deref().map(decode_baseline).transpose()?,
            progress,
            restarts: self.restarts,
            usage: decode_usage(&self.usage)?,
            waited: decode("waiting time", &self.waited)?,
            asleep: decode("sleeping time", &self.asleep)?,
            feedback: decode_sections(self.feedback),
            last_output: self.last_output,
            tree: self.tree.map(TreeId::new),
            best: self
                .best_iteration
                .zip(self.best_failing)
                .map(|(iteration, failing)| best_of(iteration, failing, score)),
            errands: decode_errands(self.errands.as_deref())?,
            started_at: Timestamp::from_millis(self.started_at),
            updated_at: Timestamp::from_millis(self.updated_at),
            ended_at: self.ended_at.map(Timestamp::from_millis),
        })
    }
}

/// Returns the best iteration. Runs of earlier versions have only a count of
/// failures.
fn best_of(iteration: u32, failing: u32, score: Option<Score>) -> BestIteration {
    let counted = Score { unexplained: failing.into(), ..Score::default() };
    BestIteration { iteration, failing, score: score.unwrap_or(counted) }
}

impl From<Option<Owner>> for OwnerRow {
    fn from(owner: Option<Owner>) -> Self {
        match owner {
            None => Self::default(),
            Some(Owner::Session(session)) => {
                Self { session: Some(session.to_string()), ..Self::default() }
            }
            Some(Owner::Driver { pid, started, heartbeat }) => Self {
                session: None,
                pid: Some(pid),
                started: Some(started.cast_signed()),
                heartbeat_at: Some(heartbeat.as_millis()),
            },
        }
    }
}

impl OwnerRow {
    fn into_owner(self) -> Result<Option<Owner>, StoreError> {
        match (self.session, self.pid, self.started, self.heartbeat_at) {
            (None, None, None, None) => Ok(None),
            (Some(session), None, None, None) => {
                Ok(Some(Owner::Session(decode_session_id(&session)?)))
            }
            (None, Some(pid), Some(started), Some(heartbeat)) => Ok(Some(Owner::Driver {
                pid,
                started: started.cast_unsigned(),
                heartbeat: Timestamp::from_millis(heartbeat),
            })),
            _ => Err(unfit("the owner of a run", "neither a session nor a driver")),
        }
    }
}
