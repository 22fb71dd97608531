//! One turn: writes the prompt, runs the agent, and reads its answer.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use ralph_agents::{
    Agent, AgentConversation, AgentTurnOutcome, RefusedAction, SessionAfterTurn, TurnClock,
    TurnInput, TurnProcessEnd, TurnReply, TurnSession,
};
use ralph_core::claim::plain;
use ralph_core::evidence::{Evidence, GateReport, TurnEnd};
use ralph_core::feedback::last_chars;
use ralph_core::state::RunState;
use ralph_core::usage::{Usage, Usd};
use ralph_core::wording::NextPrompt;
use ralph_core::{Run, Timestamp, TurnJudgement};
use ralph_proc::ProgramLimits;
use ralph_redact::redact;
use ralph_store::IterationRecord;

pub(crate) use ralph_files::make_private_folder;

use super::memory::{self, AgentSession, FreshSessionReason, ResumableSession, SessionPlan};
use super::session::SessionLog;
use super::watch::{EarlyTurnEnd, TurnChannels, TurnWatch};
use super::{EvidenceGatherer, MemoryUse, RunContext, TurnInputs};
use crate::error::EngineError;
use crate::events::RunEvent;
use crate::steps;

/// Length of the final text that is stored with an iteration, in characters.
const RECORD_CHARS: usize = 8_000;

/// The result of a turn before anything was checked.
pub(crate) struct TurnOutcome {
    pub(crate) spoken: TurnReply,
    /// The state that the user or another process requested instead of a
    /// judgement.
    pub(crate) wish: Option<RunState>,
    /// Actions that the agent was refused.
    pub(crate) refusals: Vec<RefusedAction>,
}

/// The result of one attempt at a turn.
struct AttemptOutcome {
    heard: AgentTurnOutcome,
    wish: Option<RunState>,
}

/// Lets the agent take its turns.
pub(super) struct TurnRunner<'d, 'a> {
    pub(super) context: &'d mut RunContext<'a>,
    pub(super) inputs: &'d TurnInputs,
    pub(super) memory: &'d MemoryUse,
}

impl<'a> TurnRunner<'_, 'a> {
    fn session_log(&self) -> SessionLog<'_, 'a> {
        SessionLog { context: self.context, memory: self.memory }
    }

    /// Lets the agent take its turn.
    pub(crate) fn take_turn(
        &mut self,
        agent: &dyn Agent,
        run: &Run,
    ) -> Result<TurnOutcome, EngineError> {
        let mut memory = AgentSession::load(&self.context.places.folder, agent.name());
        let mut attempt = self.run_agent(agent, run, &mut memory)?;
        if attempt.heard.kept == SessionAfterTurn::Lost && attempt.wish.is_none() {
            let text = "the agent no longer knows the conversation: a new one begins";
            self.context.emit(&RunEvent::Notice { run, text });
            memory.known = None;
            attempt = self.run_agent(agent, run, &mut memory)?;
        }
        self.context.reopen_state(run);
        let AttemptOutcome { heard, wish } = attempt;
        let AgentTurnOutcome { mut spoken, kept, refusals, remarks } = heard;
        if agent.keeps_sessions() {
            memory.note(kept);
            memory.save(&self.context.places.folder)?;
        }
        for remark in &remarks {
            self.context.emit(&RunEvent::Notice { run, text: &redact(remark) });
        }
        if let Some(folder) = self.context.places.foundations.iter().find(|folder| !folder.is_dir())
        {
            spoken.end = TurnEnd::WorkTreeGone { folder: folder.display().to_string() };
        }
        Ok(TurnOutcome { spoken, wish, refusals })
    }

    /// Starts the agent in its session and reads its output to the end.
    fn run_agent(
        &mut self,
        agent: &dyn Agent,
        run: &Run,
        memory: &mut AgentSession,
    ) -> Result<AttemptOutcome, EngineError> {
        let (session, plan, old) = self.prepare_session(agent, run, memory)?;
        let prompt_file = self.context.places.folder.join("prompt.md");
        let usage_file = self.context.usage_file();
        self.write_prompt(run, plan, &prompt_file)?;
        ralph_files::remove_if_there(&usage_file);

        let now = self.context.clock.now();
        let left = run.policy.limits.duration.saturating_sub(run.worked(now));
        let turns = run.policy.turns;
        let wall = turns.wall.min(left);
        let env = self.turn_env(run, [&prompt_file, &usage_file], now.plus(wall));
        let turn = TurnInput {
            root: &self.context.places.root,
            prompt_file: &prompt_file,
            usage_file: &usage_file,
            env: &env,
            seat: match (&session, &old) {
                (Some(session), _) if plan == SessionPlan::Resume => TurnSession::Resumed(session),
                (Some(session), Some(old)) => TurnSession::After { id: &session.id, old },
                (Some(session), None) => TurnSession::New(&session.id),
                (None, _) => TurnSession::Nowhere,
            },
            money_left: money_left(run),
        };
        let limits = ProgramLimits { wall: Some(wall), idle: Some(turns.idle), grace: turns.grace };
        let mut listener = agent.listen(&turn);
        let checkpoints = self.session_log().checkpoints(run);
        let audience = TurnChannels {
            store: self.context.ledger.store(),
            clock: self.context.clock,
            sink: &mut *self.context.sink,
            interrupt: &self.context.interrupt,
        };
        let mut watch = TurnWatch::new(run, &mut *listener, audience)
            .with_log(&turn_log(&self.context.places.folder, run.iteration))
            .with_checkpoints(checkpoints);
        let supervisor = self.context.supervisor.within(self.inputs.enclosure.clone());
        let outcome = agent.run_turn(&turn, &limits, &supervisor, &mut watch)?;
        let EarlyTurnEnd { wish, cut } = watch.finish();
        let clock = TurnClock { idle: turns.idle, wall, now: self.context.clock.now() };
        let heard = listener.conclude(&TurnProcessEnd { outcome: &outcome, clock: &clock, cut });
        Ok(AttemptOutcome { heard, wish })
    }

    /// Returns the session of the next turn, `None` for agents without
    /// sessions, and the one that the user wants summarized. The first is
    /// stored before the turn starts, so that a driver that takes over after a
    /// crash can continue it.
    fn prepare_session(
        &mut self,
        agent: &dyn Agent,
        run: &Run,
        memory: &mut AgentSession,
    ) -> Result<(Option<AgentConversation>, SessionPlan, Option<AgentConversation>), EngineError>
    {
        if !agent.keeps_sessions() {
            return Ok((None, SessionPlan::Fresh, None));
        }
        let plan = memory::plan(run, memory.known.as_ref());
        if let SessionPlan::Summarize(why) = plan
            && let Some(text) = memory::reason(why)
        {
            self.context.emit(&RunEvent::Notice { run, text: &text });
        }
        // A session that is full or made no progress is not asked for a
        // summary. That would cost a turn with its longest context, and fail
        // just when it is too long.
        let asked = plan == SessionPlan::Summarize(FreshSessionReason::Asked);
        let old = memory.known.as_ref().filter(|_| asked).map(|known| known.session.clone());
        if plan != SessionPlan::Resume {
            memory.known =
                memory::new_session().map(|session| ResumableSession { session, turns: 0 });
            memory.save(&self.context.places.folder)?;
        }
        Ok((memory.known.as_ref().map(|known| known.session.clone()), plan, old))
    }

    fn write_prompt(
        &mut self,
        run: &Run,
        plan: SessionPlan,
        path: &Path,
    ) -> Result<(), EngineError> {
        let notes = self.notes(run, plan).unwrap_or_default();
        let summary = match plan {
            SessionPlan::Summarize(_) => self.context.summary(run),
            SessionPlan::Fresh | SessionPlan::Resume => String::new(),
        };
        let prompt = NextPrompt::new(run).with_template(self.inputs.template.as_deref());
        let prompt = prompt.with_summary(summary).with_notes(notes).render();
        let written = make_private_folder(&self.context.places.folder)
            .and_then(|()| ralph_files::write_own(path, &prompt));
        written.map_err(|source| EngineError::Write { path: path.to_owned(), source })
    }

    /// Returns the agent's environment with the variables of the contract.
    fn turn_env(
        &self,
        run: &Run,
        [prompt_file, usage_file]: [&PathBuf; 2],
        deadline: Timestamp,
    ) -> Vec<(OsString, OsString)> {
        let added = [
            ("RALPH_RUN_ID", OsString::from(run.id.as_str())),
            ("RALPH_ITERATION", OsString::from(run.iteration.to_string())),
            ("RALPH_PROMPT_FILE", prompt_file.into()),
            ("RALPH_USAGE_FILE", usage_file.into()),
            ("RALPH_TURN_DEADLINE", OsString::from((deadline.as_millis() / 1000).to_string())),
            ("RALPH_DRIVER", OsString::from("1")),
        ];
        let ours = |name: &OsString| added.iter().any(|(known, _)| name == known);
        let mut env: Vec<_> =
            self.inputs.agent_env.iter().filter(|(name, _)| !ours(name)).cloned().collect();
        env.extend(added.iter().map(|(name, value)| (OsString::from(name), value.clone())));
        env
    }
}

impl RunContext<'_> {
    pub(crate) fn usage_file(&self) -> PathBuf {
        self.places.folder.join("usage.json")
    }
}

impl EvidenceGatherer<'_, '_> {
    /// Builds the evidence of a turn from the agent's words, the gates and the
    /// tree.
    pub(crate) fn gather_evidence(
        &mut self,
        run: &Run,
        spoken: TurnReply,
    ) -> Result<Evidence, EngineError> {
        let TurnReply { end, text, usage } = spoken;
        let (end, text) = (redacted(end), redact(&plain(&text)).into_owned());
        let mut evidence = Evidence {
            turn: end,
            text,
            gates: Vec::new(),
            tree: None,
            approach: None,
            weakened: Vec::new(),
            edited: Vec::new(),
            flaky: BTreeSet::new(),
            broken: BTreeSet::new(),
            weakened_state: None,
            biting: Vec::new(),
            forgets_failure: false,
            accepts_changes: false,
            aside: std::time::Duration::ZERO,
            usage,
            now: self.context.clock.now(),
        };
        if is_judged_by_files(&evidence.turn) {
            self.context.restore_deleted_run(run)?;
            self.gather_file_evidence(run, &mut evidence)?;
        }
        evidence.now = self.context.clock.now();
        Ok(evidence)
    }
}

/// Returns the money that is left, if there is a limit.
fn money_left(run: &Run) -> Option<Usd> {
    let most = run.policy.limits.cost?;
    Some(Usd::from_micros(most.micros().saturating_sub(run.usage.cost.micros())))
}

/// Returns true if a turn with this end can have made progress.
fn is_judged_by_files(turn: &TurnEnd) -> bool {
    matches!(turn, TurnEnd::Finished | TurnEnd::Failed { .. } | TurnEnd::TimedOut(_))
}

/// Redacts the agent's words about its end, like all captured text.
fn redacted(end: TurnEnd) -> TurnEnd {
    match end {
        TurnEnd::Failed { what } => TurnEnd::Failed { what: redact(&what).into_owned() },
        TurnEnd::HumanAsked { question } => {
            TurnEnd::HumanAsked { question: redact(&question).into_owned() }
        }
        end @ (TurnEnd::Finished
        | TurnEnd::UserAbort
        | TurnEnd::ProviderLimit { .. }
        | TurnEnd::ChildrenRunning
        | TurnEnd::TimedOut(_)
        | TurnEnd::WorkTreeGone { .. }) => end,
    }
}

/// Returns the record of a turn that was judged.
pub(crate) fn iteration_record(
    run: &Run,
    judgement: &TurnJudgement,
    evidence: &Evidence,
    began: Timestamp,
) -> IterationRecord {
    IterationRecord {
        run: run.id.clone(),
        number: run.iteration,
        started_at: began,
        ended_at: evidence.now,
        turn: steps::turn_name(&evidence.turn).to_owned(),
        claim: steps::claim_name(&judgement.claim).to_owned(),
        decision: steps::decision_name(&judgement.decision).to_owned(),
        failing: u32::try_from(evidence.failing().len()).unwrap_or(u32::MAX),
        tree: evidence.tree.clone(),
        approach: evidence.approach.clone(),
        usage: evidence.spent(),
        gates: evidence.gates.iter().map(GateReport::brief).collect(),
        weakened: evidence.weakened.clone(),
        edited: evidence.edited.clone(),
        text: last_chars(&evidence.text, RECORD_CHARS).to_owned(),
        log: Some(log_name(run.iteration)),
    }
}

/// Returns the record of a turn that started but was never judged.
pub(crate) fn interrupted_record(run: &Run, now: Timestamp) -> IterationRecord {
    IterationRecord {
        run: run.id.clone(),
        number: run.iteration,
        started_at: run.updated_at,
        ended_at: now,
        turn: "interrupted".to_owned(),
        claim: "none".to_owned(),
        decision: "interrupted".to_owned(),
        failing: 0,
        tree: None,
        approach: None,
        usage: Usage::default(),
        gates: Vec::new(),
        weakened: Vec::new(),
        edited: Vec::new(),
        text: String::new(),
        log: Some(log_name(run.iteration)),
    }
}

fn log_name(iteration: u32) -> String {
    format!("iteration-{iteration:04}.log.gz")
}

/// Returns the path of what failed checks of a turn printed, in the folder of its run.
pub(crate) fn checks_log(folder: &Path, iteration: u32) -> PathBuf {
    folder.join(format!("iteration-{iteration:04}.checks.txt"))
}

/// Returns the path of a turn's log in the folder of its run.
pub fn turn_log(folder: &Path, iteration: u32) -> PathBuf {
    folder.join(log_name(iteration))
}
