//! One run: its task, its rules, its state and what it has used.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::diagnostics::GateTotals;
use crate::errand::PendingActions;
use crate::ids::{RunId, SessionId, TreeId};
use crate::limits::RunUsage;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::prompt::PromptSections;
use crate::score::Score;
use crate::state::RunState;
use crate::time::Timestamp;
use crate::usage::Usage;

/// One run of the loop, from its task to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Unique id.
    pub id: RunId,
    /// The task that the agent works on.
    pub task: Task,
    /// Canonical path of the work tree it belongs to.
    pub worktree: String,
    /// Name and command line of the agent, as given.
    pub agent: AgentRef,
    /// Its rules.
    pub policy: Policy,
    /// Current state.
    pub state: RunState,
    /// Number of the current or last turn; 0 before the first.
    pub iteration: u32,
    /// Counter raised with every change of owner and every errand. A write with an
    /// older value is refused.
    pub epoch: u64,
    /// The process or session that works on it now.
    pub owner: Option<Owner>,
    /// Results of the gates before the first turn.
    pub baseline: Option<Baseline>,
    /// Progress made by the turns so far.
    pub progress: Progress,
    /// Number of turns that had to be repeated, in this session or in another one.
    pub restarts: u32,
    /// Usage of all turns so far.
    pub usage: Usage,
    /// Time spent waiting for a provider's limit.
    pub waited: Duration,
    /// Time without an owner at work: paused, abandoned, or before the first turn.
    pub asleep: Duration,
    /// Sections of the next prompt; empty before the first decision.
    pub feedback: PromptSections,
    /// The end of the last final text.
    pub last_output: String,
    /// The tree the last gates ran on.
    pub tree: Option<TreeId>,
    /// The iteration with the best evidence so far.
    pub best: Option<BestIteration>,
    /// Actions that its host still has to carry out.
    pub errands: PendingActions,
    /// Time of its start.
    pub started_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Time of its end.
    pub ended_at: Option<Timestamp>,
}

/// Everything that is needed to create a run.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRun {
    /// The task that the agent works on.
    pub task: Task,
    /// The canonical work tree.
    pub worktree: String,
    /// The agent that does the work.
    pub agent: AgentRef,
    /// The rules.
    pub policy: Policy,
    /// The first owner.
    pub owner: Owner,
}

/// The task of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// The task, verbatim.
    pub text: String,
    /// Short description for lists.
    pub description: Option<String>,
    /// Files or folders it is about.
    pub targets: Vec<String>,
    /// Id shared by several runs of one task.
    pub id: Option<String>,
}

/// A reference to the agent that does the work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentRef {
    /// Its name, such as `command` or `scripted`.
    pub name: String,
    /// Its command line, for agents that have one.
    pub command: Vec<String>,
}

/// The process or session that works on a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A driver process.
    Driver {
        /// Its process id.
        pid: u32,
        /// Start time according to the system; it reveals a reused process id.
        started: u64,
        /// Time of its last sign of life.
        heartbeat: Timestamp,
    },
    /// A session of a host.
    Session(SessionId),
}

/// The results of the gates before the first turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The tree they ran on.
    pub tree: Option<TreeId>,
    /// The required gates that ran and did not pass.
    pub red: BTreeSet<String>,
    /// Fingerprints of all problems that they found.
    pub failing: BTreeSet<String>,
    /// Totals of their findings and tests.
    pub totals: GateTotals,
}

/// The iteration with the best evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestIteration {
    /// Its number.
    pub iteration: u32,
    /// Number of failures in that iteration.
    pub failing: u32,
    /// Score of its evidence; lower is better.
    pub score: Score,
}

impl Run {
    /// Creates the run in its first state: running, with no turn taken.
    pub fn new(id: RunId, new: NewRun, now: Timestamp) -> Self {
        Self {
            id,
            task: new.task,
            worktree: new.worktree,
            agent: new.agent,
            policy: new.policy,
            state: RunState::Running,
            iteration: 0,
            epoch: 1,
            owner: Some(new.owner),
            baseline: None,
            progress: Progress::default(),
            restarts: 0,
            usage: Usage::default(),
            waited: Duration::ZERO,
            asleep: Duration::ZERO,
            feedback: PromptSections::default(),
            last_output: String::new(),
            tree: None,
            best: None,
            errands: PendingActions::default(),
            started_at: now,
            updated_at: now,
            ended_at: None,
        }
    }

    /// Returns the working time so far, without waiting and sleeping.
    pub fn worked(&self, now: Timestamp) -> Duration {
        now.since(self.started_at).saturating_sub(self.waited).saturating_sub(self.asleep)
    }

    /// Returns the usage that limits are compared with.
    pub fn spent(&self, now: Timestamp) -> RunUsage {
        RunUsage {
            iterations: self.iteration,
            worked: self.worked(now),
            usage: self.usage,
            restarts: self.restarts,
        }
    }

    /// Returns the last time at which its owner was known to work on it.
    pub fn last_alive(&self) -> Timestamp {
        match &self.owner {
            Some(Owner::Driver { heartbeat, .. }) => self.updated_at.max(*heartbeat),
            Some(Owner::Session(_)) | None => self.updated_at,
        }
    }

    /// Returns true if every turn takes place in a new session of a host.
    pub fn moves(&self) -> bool {
        self.policy.old_session.is_some() && self.session().is_some()
    }

    /// Returns true if this run and `other` cannot be active at once. Each one's
    /// gates would judge the other's changes, and a session has one task.
    pub fn excludes(&self, other: &Self) -> bool {
        let are_gated = self.policy.is_gated() && other.policy.is_gated();
        let is_same_session = self.session().is_some() && self.session() == other.session();
        let is_another = self.id != other.id && self.worktree == other.worktree;
        is_another && (are_gated || is_same_session)
    }

    /// Returns the session that owns the run, if one does.
    pub fn session(&self) -> Option<&SessionId> {
        match &self.owner {
            Some(Owner::Session(session)) => Some(session),
            Some(Owner::Driver { .. }) | None => None,
        }
    }
}
