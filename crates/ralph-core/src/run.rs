//! One loop: what was asked, where it stands, what it has used.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::diagnostics::Totals;
use crate::errand::Errands;
use crate::ids::{RunId, SessionId, TreeId};
use crate::limits::Spent;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::prompt::PromptSections;
use crate::score::Score;
use crate::state::State;
use crate::time::Timestamp;
use crate::usage::Usage;

/// One loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its name.
    pub id: RunId,
    /// What the agent is to do, verbatim.
    pub task: Task,
    /// The canonical work tree it belongs to.
    pub worktree: String,
    /// The agent's name and how it is called, as given.
    pub agent: AgentRef,
    /// Its rules.
    pub policy: Policy,
    /// Where it stands.
    pub state: State,
    /// Turns begun so far; the present or last one has this number.
    pub iteration: u32,
    /// Raised whenever the owner changes, and with every errand; a writer with
    /// an old one lost.
    pub epoch: u64,
    /// Who works on it now.
    pub owner: Option<Owner>,
    /// What the gates showed before the first turn.
    pub baseline: Option<Baseline>,
    /// What the turns so far amount to.
    pub progress: Progress,
    /// Turns that had to be begun anew, be it in another session.
    pub restarts: u32,
    /// What the turns so far have cost.
    pub usage: Usage,
    /// Time spent waiting for a provider's limit.
    pub waited: Duration,
    /// Time in which nobody worked on it: paused, left behind, or before the
    /// first turn.
    pub asleep: Duration,
    /// What the next turn is told; empty before the first decision.
    pub feedback: PromptSections,
    /// The end of the last final text.
    pub last_output: String,
    /// The tree the last gates ran on.
    pub tree: Option<TreeId>,
    /// The iteration with the best evidence so far, and how much failed there.
    pub best: Option<Best>,
    /// What its host still has to do.
    pub errands: Errands,
    /// When it began.
    pub started_at: Timestamp,
    /// When anything about it changed last.
    pub updated_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

/// What a new run is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRun {
    /// What the agent is to do.
    pub task: Task,
    /// The canonical work tree.
    pub worktree: String,
    /// Who does the work.
    pub agent: AgentRef,
    /// The rules.
    pub policy: Policy,
    /// Who drives it.
    pub owner: Owner,
}

/// What the agent is to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// The task, verbatim.
    pub text: String,
    /// A short description for lists.
    pub description: Option<String>,
    /// Files or folders it is about.
    pub targets: Vec<String>,
    /// Ties several runs together.
    pub id: Option<String>,
}

/// Which agent does the work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentRef {
    /// Its name, such as `command` or `scripted`.
    pub name: String,
    /// Its command line, for agents that have one.
    pub command: Vec<String>,
}

/// Who works on a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A driver process.
    Driver {
        /// Its process id.
        pid: u32,
        /// When the system says it started, so that a reused id is noticed.
        started: u64,
        /// When it last said it is alive.
        heartbeat: Timestamp,
    },
    /// A session of a host.
    Session(SessionId),
}

/// What the gates showed before the first turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The tree they ran on.
    pub tree: Option<TreeId>,
    /// The required gates that were run and did not pass.
    pub red: BTreeSet<String>,
    /// Fingerprints of everything that they showed to be wrong.
    pub failing: BTreeSet<String>,
    /// What they counted.
    pub totals: Totals,
}

/// The iteration with the best evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Best {
    /// Its number.
    pub iteration: u32,
    /// How many things failed there.
    pub failing: u32,
    /// How good its evidence is.
    pub score: Score,
}

impl Run {
    /// The run as it begins: armed, with no turn taken.
    pub fn new(id: RunId, new: NewRun, now: Timestamp) -> Self {
        Self {
            id,
            task: new.task,
            worktree: new.worktree,
            agent: new.agent,
            policy: new.policy,
            state: State::Running,
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
            errands: Errands::default(),
            started_at: now,
            updated_at: now,
            ended_at: None,
        }
    }

    /// Working time so far: waiting and sleeping do not count.
    pub fn worked(&self, now: Timestamp) -> Duration {
        now.since(self.started_at).saturating_sub(self.waited).saturating_sub(self.asleep)
    }

    /// What it has used.
    pub fn spent(&self, now: Timestamp) -> Spent {
        Spent {
            iterations: self.iteration,
            worked: self.worked(now),
            usage: self.usage,
            restarts: self.restarts,
        }
    }

    /// When its owner was last known to work on it.
    pub fn last_alive(&self) -> Timestamp {
        match &self.owner {
            Some(Owner::Driver { heartbeat, .. }) => self.updated_at.max(*heartbeat),
            Some(Owner::Session(_)) | None => self.updated_at,
        }
    }

    /// Whether every turn takes place in a session of its own, of a host.
    pub fn moves(&self) -> bool {
        self.policy.old_session.is_some() && self.session().is_some()
    }

    /// Whether this run and another one cannot be active at once. Gates would
    /// hold the changes of one against the other, and a session has one task.
    pub fn excludes(&self, other: &Self) -> bool {
        let are_gated = self.policy.is_gated() && other.policy.is_gated();
        let is_same_session = self.session().is_some() && self.session() == other.session();
        let is_another = self.id != other.id && self.worktree == other.worktree;
        is_another && (are_gated || is_same_session)
    }

    /// The session that owns the run, if one does.
    pub fn session(&self) -> Option<&SessionId> {
        match &self.owner {
            Some(Owner::Session(session)) => Some(session),
            Some(Owner::Driver { .. }) | None => None,
        }
    }
}
