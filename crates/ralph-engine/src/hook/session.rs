//! Answers an event for the session in which it happened.

use std::time::Duration;

use crate::events::SilentSink;
use crate::host::{HostedLoop, HostedSession, SessionDir, record_tools};
use crate::{Driver, EngineError, RunLedger, loops};
use ralph_agents::host::CapScope;
use ralph_core::host::{
    ActionReport, EventAgent, HostChannel, HostEvent, HostEventKind, HostReply, NoteTone,
    PromptEvent, ReplyEffect, SessionEvent, SessionStart, ToolEvent, ToolUse, TurnEvent,
};
use ralph_core::locale::Locale;
use ralph_core::run::Owner;
use ralph_core::state::{PauseReason, RunState, WaitReason};
use ralph_core::wording::{NextPrompt, host as wording, told};
use ralph_core::{Run, SessionId};
use ralph_store::{RunQuery, RunStateFilter, SqliteStore, StoreError};

use super::calls::{self, QueuedCommandResult};
use super::deadline::AnswerDeadline;
use super::open_ledger;
use super::slash::{self, ResumeWords, SlashPrompt};
use super::{HookInvocation, arm, auto, edits, said};
use crate::allowed;
use crate::app::App;
use crate::rights;
use crate::run::RunChecks;
use crate::run::{refuse_elsewhere, settings_of};
use crate::sandboxed_host;
use crate::user_error::UserError;

/// Longest time between the processes that a host starts for the same event.
const ECHO: Duration = Duration::from_secs(2);

/// One event, with everything that is needed to answer it.
pub(super) struct HookRequest<'a> {
    pub(super) app: &'a App,
    pub(super) call: &'a HookInvocation<'a>,
    pub(super) event: &'a HostEvent,
    pub(super) deadline: &'a AnswerDeadline,
}

impl<'a> HookRequest<'a> {
    pub(super) fn new(
        app: &'a App,
        call: &'a HookInvocation<'a>,
        event: &'a HostEvent,
        deadline: &'a AnswerDeadline,
    ) -> Self {
        Self { app, call, event, deadline }
    }

    pub(super) fn answer(&self) -> Result<HostReply, UserError> {
        if let Some(answered) = self.of_host()? {
            return Ok(answered);
        }
        let Some(session) = &self.event.session else { return Ok(HostReply::silent()) };
        if let HostEventKind::Tools(ToolEvent::Used(uses)) = &self.event.what {
            return self.tools_used(session, uses);
        }
        if let HostEventKind::Session(SessionEvent::Started(
            start @ (SessionStart::Cleared | SessionStart::Forked),
        )) = &self.event.what
        {
            return self.follow(session, *start);
        }
        if let HostEventKind::Prompt(PromptEvent::Sent { text, .. }) = &self.event.what
            && self.event.actor == EventAgent::Main
        {
            if SessionDir::new(&self.app.home, session).take_answered(text) {
                return Ok(answer(told::answered(self.app.chosen_locale())));
            }
            let typed = self.call.commands.parse(text, &|word| self.is_path(session, word));
            if let Some(command) = typed {
                return Ok(self.command(session, &command, text));
            }
        }
        self.hear(session)
    }

    /// Passes the event to the run of the session.
    fn hear(&self, session: &SessionId) -> Result<HostReply, UserError> {
        let place = SessionDir::new(&self.app.home, session);
        let Some(ledger) = self.existing_ledger()? else {
            place.unmark();
            return auto::unasked(self, session);
        };
        let Some(run) = ledger.store().run_of_session(session)? else {
            if let Some(run) = left_by(ledger.store(), &place, session)? {
                return self.with_driver(ledger, &run, session, |driver, hosted| {
                    driver.answer_left(&run, self.event, hosted)
                });
            }
            place.unmark();
            return auto::unasked(self, session);
        };
        sandboxed_host::note_event(self.app, ledger.store(), &place, &run);
        if run.worktree != self.app.worktree() {
            // The session moved to another folder; its files prove nothing here.
            return Ok(HostReply::silent());
        }
        if let Some(reply) = auto::first_again(self, ledger.store(), &run, &place)? {
            return Ok(reply);
        }
        let queued = self.queued(session, &place);
        if let Some(QueuedCommandResult::Acts(reply)) = queued {
            return Ok(reply);
        }
        let mut sink = SilentSink;
        // A session can be left even if its gates no longer work.
        let checks = if matches!(self.event.what, HostEventKind::Turn(TurnEvent::Ended(_))) {
            let checks = RunChecks::of_running(self.app, settings_of(self.app, &run)?)?;
            let takes_long = !checks.gates.is_empty() || checks.judge.is_some();
            if takes_long || place.was_used() {
                checks.until(self.deadline.end_of_gates())
            } else {
                checks
            }
        } else {
            RunChecks::none(settings_of(self.app, &run)?)
        };
        let hosted = self.hosted(session, &checks);
        let mut driver = Driver::of_run(self.app, ledger, checks, &run, &mut sink)?;
        let answered = driver.hosted().answer_host(&run, self.event, &hosted, self.call.heard);
        if driver.checks.gates.is_empty() {
            // The process ends now. Closing the store properly would take as long as opening it.
            driver.context.tree.finish();
            std::mem::forget(driver);
        }
        Ok(match (answered?, queued) {
            (reply, Some(QueuedCommandResult::Shows(text))) => calls::beside(reply, &text),
            (reply, Some(QueuedCommandResult::Acts(_)) | None) => reply,
        })
    }

    /// Answers an event about the host itself, or about a request to the host. Returns
    /// `None` for other events.
    fn of_host(&self) -> Result<Option<HostReply>, UserError> {
        let wanted = match &self.event.what {
            HostEventKind::HostStarted => None,
            HostEventKind::Action(report) => Some(report),
            HostEventKind::Session(_)
            | HostEventKind::Prompt(_)
            | HostEventKind::Turn(_)
            | HostEventKind::Tools(_)
            | HostEventKind::Other { .. } => return Ok(None),
        };
        let Some(store) = self.app.existing_store()? else { return Ok(Some(HostReply::silent())) };
        let runs = match wanted {
            Some(report) => store.run(&report.run)?.into_iter().collect(),
            None => loops::active(&store, &self.app.worktree())?,
        };
        drop(store);
        let mut replies = Vec::new();
        for run in runs {
            replies.extend(self.of_host_for(&run, wanted)?);
        }
        Ok(Some(self.together(replies)))
    }

    /// Answers an event about the host for one of its loops; `None` if the run is not
    /// one of them.
    fn of_host_for(
        &self,
        run: &Run,
        wanted: Option<&ActionReport>,
    ) -> Result<Option<HostReply>, UserError> {
        let is_ours = run.worktree == self.app.worktree() && run.agent.name == self.call.host.name;
        let Some(session) = run.session().filter(|_| is_ours) else { return Ok(None) };
        let Some(ledger) = self.existing_ledger()? else { return Ok(None) };
        let is_cut_off = run.state == RunState::Running
            && run.errands.first().is_none()
            && self.app.is_left(run);
        let reply = self.with_driver(ledger, run, session, |driver, hosted| match wanted {
            Some(report) => driver.answer_report(run, report, hosted),
            None if is_cut_off => {
                let run = driver.drop_turn(run.clone())?;
                let reply = driver.answer_start(&run, hosted)?;
                Ok(reply.with_note(told::was_cut_off(&run)).in_tone(NoteTone::Warning))
            }
            None => driver.answer_start(run, hosted),
        });
        reply.map(Some)
    }

    /// Combines the replies for several loops of a host that reads line by line. All
    /// but the last are printed at once, and the user gets their notes together.
    fn together(&self, mut replies: Vec<HostReply>) -> HostReply {
        let Some(last) = replies.pop() else { return HostReply::silent() };
        let mut notes = Vec::new();
        let mut tone = last.tone;
        for reply in replies {
            notes.extend(reply.note);
            if reply.tone != NoteTone::default() {
                tone = reply.tone;
            }
            let alone = HostReply::of(reply.effect);
            self.deadline.early(&self.call.host.render(self.event, &alone));
        }
        notes.extend(last.note.clone());
        if notes.is_empty() { last } else { last.with_note(notes.join("\n")).in_tone(tone) }
    }

    /// Answers an event that needs no gates.
    fn with_driver(
        &self,
        ledger: RunLedger,
        run: &Run,
        session: &SessionId,
        answer: impl FnOnce(&mut HostedLoop<'_, '_>, &HostedSession) -> Result<HostReply, EngineError>,
    ) -> Result<HostReply, UserError> {
        let mut sink = SilentSink;
        let checks = RunChecks::none(settings_of(self.app, run)?);
        let hosted = self.hosted(session, &checks);
        let mut driver = Driver::of_run(self.app, ledger, checks, run, &mut sink)?;
        let answered = answer(&mut driver.hosted(), &hosted);
        // As above, the store is not closed properly.
        driver.context.tree.finish();
        std::mem::forget(driver);
        Ok(answered?)
    }

    /// Makes the gates of a run, with the hook's time limit.
    pub(super) fn checks(&self, run: &Run) -> Result<RunChecks, UserError> {
        let checks = RunChecks::of_running(self.app, settings_of(self.app, run)?)?;
        Ok(checks.until(self.deadline.end_of_gates()))
    }

    pub(super) fn hosted(&self, session: &SessionId, checks: &RunChecks) -> HostedSession {
        let place = SessionDir::new(&self.app.home, session);
        place.note_loop_host(self.call.caller);
        HostedSession {
            session: session.clone(),
            place,
            cap: self.call.host.cap(|name| self.app.variable(name), self.call.cap),
            cap_scope: self.call.host.cap.map_or(CapScope::WithoutTools, |cap| cap.scope),
            reach: self.call.host.reach,
            summary_file: self.call.host.summary_file(&self.app.project.root, session),
            caller: self.call.caller,
            has_user: self.call.host.has_user(|name| self.app.variable(name)),
            limits: checks.settings.limit_patterns().clone(),
        }
    }

    pub(super) fn existing_ledger(&self) -> Result<Option<RunLedger>, UserError> {
        // Nothing is created for a session that does not concern us.
        Ok(RunLedger::open_existing(&self.app.home)?)
    }

    /// Records what tools did in the run's iteration, and looks at the files they wrote.
    fn tools_used(&self, session: &SessionId, uses: &[ToolUse]) -> Result<HostReply, UserError> {
        let Some(store) = self.app.existing_store()? else { return auto::unasked(self, session) };
        let run = match self.app.driven_run() {
            Some(id) => store.run(&id)?,
            None => store.run_of_session(session)?,
        };
        let Some(run) = run else { return auto::unasked(self, session) };
        let place = SessionDir::new(&self.app.home, session);
        if self.event.actor == EventAgent::Main {
            place.note_use();
        }
        let now = self.app.now();
        record_tools(&store, Some(session), &run, uses, now)?;
        let reply = edits::look(self, &store, &run, uses)?;
        // The agent began the loop with a tool.
        let is_news = place.take_unannounced();
        Ok(if is_news { reply.with_note(wording::armed(&run)) } else { reply })
    }

    /// Runs a command of ours that was typed in the session. Errors are shown to the user.
    pub(super) fn command(
        &self,
        session: &SessionId,
        command: &SlashPrompt,
        text: &str,
    ) -> HostReply {
        if let Err(error) = rights::ensure_in_session(self.app, command.right(), text) {
            return answer(said(self.app, &error)).in_tone(NoteTone::Error);
        }
        if matches!(command, SlashPrompt::Resume(_) | SlashPrompt::Call(_)) {
            self.unseal(session);
        }
        let done = match command {
            SlashPrompt::Arm(text) => self.arm(session, text),
            SlashPrompt::Unclear(word, meant) => Err(slash::unclear(word, meant.as_deref())),
            SlashPrompt::Misfit(command, word) => Err(slash::misfit(command, word)),
            SlashPrompt::Help => Ok(answer(slash::help(self.app.chosen_locale()))),
            SlashPrompt::Resume(words) => self.resume(session, words),
            SlashPrompt::Call(call) => self.call(session, call),
        };
        done.unwrap_or_else(|error| answer(said(self.app, &error)).in_tone(NoteTone::Error))
    }

    /// Ends the seal of the session's loop: the agent could have sent the command.
    fn unseal(&self, session: &SessionId) {
        let (Ok(Some(run)), Ok(Some(ledger))) = (self.own_open(session), self.existing_ledger())
        else {
            return;
        };
        let place = SessionDir::new(&self.app.home, session);
        sandboxed_host::unseal(self.app, ledger.store(), &place, &run);
    }

    /// Returns true if a word names a file of the project, or one that is held. A held
    /// file may be gone.
    pub(super) fn is_path(&self, session: &SessionId, word: &str) -> bool {
        let exists = |word: &str| self.app.project.root.join(word).exists();
        let is_held = |run: Run| run.progress.held.iter().any(|held| held.starts_with(word));
        exists(word) || self.own_open(session).ok().flatten().is_some_and(is_held)
    }

    /// Returns true if another process has just given this run to the session. A host
    /// with several installations sends each event several times.
    pub(super) fn is_echo(&self, run: &Run, session: &SessionId) -> bool {
        run.session() == Some(session)
            && run.state.is_active()
            && run.updated_at.plus(ECHO) >= self.call.heard
    }

    fn arm(&self, session: &SessionId, text: &str) -> Result<HostReply, UserError> {
        self.app.refuse_if_disabled()?;
        let exists = |path: &str| self.app.project.root.join(path).exists();
        let typed = self.call.commands.task(text, &exists)?;
        let mut layers = self.app.layers()?;
        (typed.flags)(&mut layers)?;
        let settings = arm::settings(self.app, self.call.host, layers)?;
        let checks = RunChecks::new(self.app, settings)?.until(self.deadline.end_of_gates());
        arm::start(self, session, typed.task, checks, None)
    }

    /// Accepts changes that the run of this session waits for, and judges it again. At
    /// other times the request may not be the user's.
    pub(super) fn allow(
        &self,
        session: &SessionId,
        words: &[String],
    ) -> Result<HostReply, UserError> {
        let own = self.own_open(session)?;
        let waits = |run: &Run| {
            matches!(run.state, RunState::Waiting(WaitReason::Human { .. }))
                && !run.progress.held.is_empty()
        };
        let is_open = own.is_some();
        let Some(run) = own.filter(waits) else {
            let error =
                UserError::refused("no loop of this session waits for changes to be allowed");
            let korean = "이 세션에는 변경 허용을 기다리는 루프가 없습니다";
            return Err(if is_open {
                error
                    .with_hint("in a terminal, `ralph allow PATH` allows them at any time")
                    .in_korean(
                        korean,
                        Some("터미널에서는 언제든 `ralph allow PATH` 로 변경을 허용할 수 있습니다"),
                    )
            } else {
                error.in_korean(korean, None)
            });
        };
        if !allowed::is_held(self.app, &run, words)? {
            return Err(not_held(&run, words));
        }
        allowed::accept(self.app, &run, words)?;
        self.go_on(session, open_ledger(self.app)?, &run)
    }

    /// Continues the loop of this session, or the one with the given id, whoever had it before.
    fn resume(&self, session: &SessionId, words: &ResumeWords) -> Result<HostReply, UserError> {
        let ledger = open_ledger(self.app)?;
        let run = match words.run.as_deref() {
            Some(id) => self.app.find_run(ledger.store(), Some(id))?,
            None => ledger.store().run_of_session(session)?,
        };
        let Some(run) = run else { return Err(self.nothing_to_resume(session)?) };
        refuse_elsewhere(self.app, &run)?;
        arm::refuse_budget(&run.policy)?;
        let is_own = run.session() == Some(session);
        let is_under_way =
            run.state == RunState::Running && !ledger.store().is_decided(&run.id, run.iteration)?;
        let place = SessionDir::new(&self.app.home, session);
        let is_recent = place.resumed().is_some_and(|at| at.plus(ECHO) >= self.call.heard);
        let is_echo = match self.call.host.reach {
            // A run in its first epoch was never resumed.
            HostChannel::Answers => self.is_echo(&run, session) && run.epoch > 1,
            HostChannel::Messages => is_own && is_under_way && is_recent,
        };
        if is_echo {
            return Ok(HostReply::silent());
        }
        // A host with replies lets the user type only while no turn runs.
        if self.call.host.reach == HostChannel::Messages && is_own && is_under_way {
            return Ok(answer(told::is_at_work(&run)));
        }
        let is_elsewhere = run.session().is_some() && !is_own;
        let lives = run.state.is_active() && !self.app.is_left(&run);
        if is_elsewhere && lives && !words.takeover {
            let id = &run.id;
            return Err(UserError::refused(format!("{id} goes on in another session"))
                .with_hint(format!("`/ralph resume {id} --takeover` moves it here"))
                .in_korean(
                    format!("{id} 은(는) 다른 세션에서 진행 중입니다"),
                    Some(&format!("`/ralph resume {id} --takeover` 로 이 세션으로 옮깁니다")),
                ));
        }
        if run.state.is_ended() {
            return Err(has_ended(&run));
        }
        self.go_on(session, ledger, &run)
    }

    /// Explains why there is nothing to continue, and lists the loops of other sessions.
    fn nothing_to_resume(&self, session: &SessionId) -> Result<UserError, UserError> {
        let error = UserError::refused("this session has no loop to go on with")
            .in_korean("이 세션에는 이어서 진행할 루프가 없습니다", None);
        let others = self.of_others(session)?;
        if others.is_empty() {
            return Ok(error);
        }
        let named = |locale| {
            let lines = others.iter().map(|run| self.left_alone(run, "resume", locale));
            lines.collect::<Vec<_>>().join("\n")
        };
        Ok(error
            .with_hint(named(Locale::En))
            .in_korean("이 세션에는 이어서 진행할 루프가 없습니다", Some(&named(Locale::Ko))))
    }

    /// Takes over a run and judges it immediately.
    fn go_on(
        &self,
        session: &SessionId,
        ledger: RunLedger,
        run: &Run,
    ) -> Result<HostReply, UserError> {
        let old = run.session().cloned();
        let owner = Owner::Session(session.clone());
        self.give_sign();
        let checks = self.checks(run)?;
        // Background work that ends from now on was started before the run rested.
        let place = SessionDir::new(&self.app.home, session);
        let _arming = place.note_arming();
        let taken = loops::take_over_as(ledger.store(), run, &owner, self.app.now());
        if let Err(EngineError::Store(StoreError::Stale { .. })) = &taken {
            let now = ledger.store().run(&run.id)?;
            // The run may appear to rest while another process takes it over.
            if now.is_some_and(|now| now.session() == Some(session) && !now.state.is_ended()) {
                return Ok(HostReply::silent());
            }
        }
        let run = taken?;
        self.move_mark(old.as_ref(), session, &run)?;
        place.note_resumed(self.app.now());
        let mut sink = SilentSink;
        let mut driver = Driver::of_run(self.app, ledger, checks, &run, &mut sink)?;
        let run = driver.hosted().adopt(run)?;
        Ok(if let RunState::Running = run.state {
            HostReply::of(ReplyEffect::Tell { context: NextPrompt::new(&run).reminder() })
                .with_note(wording::goes_on(&run))
        } else {
            answer(wording::ended(&run, None)).calling_off()
        })
    }

    /// Prints an early line for a host that needs a sign of life.
    pub(super) fn give_sign(&self) {
        if self.call.host.reach == HostChannel::Messages {
            self.deadline.early("");
        }
    }

    /// Gives the run of an earlier session to the session that follows it.
    fn follow(&self, session: &SessionId, start: SessionStart) -> Result<HostReply, UserError> {
        let Some(ledger) = self.existing_ledger()? else { return Ok(HostReply::silent()) };
        let worktree = Some(self.app.worktree());
        let open =
            ledger.store().runs(&RunQuery { worktree, which: RunStateFilter::Open, limit: 10 })?;
        let is_left = |run: &&Run| match (start, run.session()) {
            (SessionStart::Cleared, Some(old)) => {
                SessionDir::new(&self.app.home, old).was_cleared()
            }
            (_, Some(_)) => run.state == RunState::Paused(PauseReason::Interrupted),
            (_, None) => false,
        };
        let mut left = open.iter().filter(is_left);
        let (Some(run), None) = (left.next(), left.next()) else {
            return Ok(HostReply::silent());
        };
        if start == SessionStart::Forked {
            // It is not known which session this one was copied from, so the user decides.
            let line = self.left_alone(run, "resume", self.app.chosen_locale());
            return Ok(HostReply::silent().with_note(format!("ralph: {line}")));
        }
        let old = run.session().cloned();
        if !run.state.is_active() {
            // An interrupted run keeps resting, so that this session can resume it.
            let run = loops::move_to_session(ledger.store(), run, session, self.app.now())?;
            self.move_mark(old.as_ref(), session, &run)?;
            return Ok(HostReply::silent().with_note(wording::rests(&run)));
        }
        let owner = Owner::Session(session.clone());
        let run = loops::take_over_as(ledger.store(), run, &owner, self.app.now())?;
        self.move_mark(old.as_ref(), session, &run)?;
        let (checks, mut sink) = (self.checks(&run)?, SilentSink);
        let run =
            Driver::of_run(self.app, ledger, checks, &run, &mut sink)?.hosted().drop_turn(run)?;
        let reply = HostReply::of(ReplyEffect::Tell { context: NextPrompt::new(&run).reminder() });
        Ok(reply.with_note(wording::goes_on(&run)))
    }

    fn move_mark(
        &self,
        from: Option<&SessionId>,
        to: &SessionId,
        run: &Run,
    ) -> Result<(), UserError> {
        if let Some(old) = from {
            SessionDir::new(&self.app.home, old).unmark();
        }
        let place = SessionDir::new(&self.app.home, to);
        place.mark(&run.id)?;
        place.note_loop_host(self.call.caller);
        place.note_asked(self.event.prompt.as_deref());
        Ok(())
    }
}

/// Makes a reply that the user reads and the agent does not.
pub(super) fn answer(text: impl Into<String>) -> HostReply {
    HostReply::of(ReplyEffect::Answer { text: text.into() })
}

/// Makes the error for a loop that has ended.
fn has_ended(run: &Run) -> UserError {
    let (id, status) = (&run.id, run.state.status());
    UserError::refused(format!("{id} has ended ({status})"))
        .with_hint("`/ralph TASK` starts a new loop")
        .in_korean(
            format!("{id} 은(는) 이미 끝났습니다({status})"),
            Some("`/ralph 작업` 으로 새 루프를 시작하세요"),
        )
}

/// Makes the error for paths at which nothing is held.
fn not_held(run: &Run, words: &[String]) -> UserError {
    let question = if let RunState::Waiting(WaitReason::Human { question }) = &run.state {
        question.as_str()
    } else {
        ""
    };
    let typed = words.join(" ");
    UserError::refused(format!("nothing is held at `{typed}`"))
        .with_hint(format!("the loop waits for this: {question}"))
        .in_korean(
            format!("`{typed}` 에는 보류된 변경이 없습니다"),
            Some(&format!("루프가 기다리는 것: {question}")),
        )
}

/// Returns the run that left this session but still waits for it.
fn left_by(
    store: &SqliteStore,
    place: &SessionDir,
    session: &SessionId,
) -> Result<Option<Run>, UserError> {
    let Some(id) = place.run() else { return Ok(None) };
    let run = store.run(&id)?;
    Ok(run.filter(|run| run.state.is_active() && run.errands.leaves(session)))
}
