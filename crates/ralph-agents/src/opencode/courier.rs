//! Runs a turn through a server: sends the prompt and receives the events.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ralph_files::LogFailure as _;
use ralph_proc::{
    ExitReason, OutputStream, OutputTail, ProgramLimits, ProgramOutcome, ProgramWatcher, TICK,
    WatcherDecision,
};
use serde_json::{Value, json};

use super::consent::{self, PermissionRequest};
use super::follow::{OpenCodeTurnState, TurnEndCertainty};
use super::http::{HttpError, OpenCodeConnection};
use super::server::ServerHandle;

/// Timeout of requests that need work: the first one in a project waits for its
/// plugins.
const WORK: Duration = Duration::from_mins(3);

/// Timeout of requests that need no work.
const QUICK: Duration = Duration::from_secs(15);

/// Time without any event after which the stream counts as dead: the server
/// sends one every ten seconds.
const SILENCE: Duration = Duration::from_secs(30);

/// Time between two checks of the session's status, in case an event was lost.
const LOOK: Duration = Duration::from_secs(20);

/// Waiting time after a message that used tools, before the next one, and after
/// an aborted turn, for the client's cleanup.
const BREATH: Duration = Duration::from_secs(1);

/// Number of times a broken stream is opened again, one second later each time.
const REOPENINGS: u32 = 8;

/// Number of refusals by the provider before we wait instead of the client: our
/// waiting costs no time of the turn.
const ATTEMPTS: u64 = 5;

/// Milliseconds above which we wait instead of the client.
const SHORT_WAIT: i64 = 60_000;

/// Number of messages read when a turn begins or ends.
const MESSAGES: usize = 100;

/// Events for the log. Those with single words of a text are left out.
const KEPT: [&str; 13] = [
    "session.created",
    "session.status",
    "session.idle",
    "session.error",
    "session.deleted",
    "session.compacted",
    "message.updated",
    "message.part.updated",
    "permission.asked",
    "permission.replied",
    "question.asked",
    "question.replied",
    "todo.updated",
];

/// A reason why a turn was not completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum UnfinishedTurn {
    /// Ralph ends it.
    Cut(ExitReason),
    /// Ralph ends it, without waiting for anything.
    Killed,
    /// It failed, with a message.
    Failed(String),
}

impl From<HttpError> for UnfinishedTurn {
    fn from(error: HttpError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// A turn in progress.
pub(super) struct TurnMonitor<'a> {
    watcher: &'a mut dyn ProgramWatcher,
    limits: &'a ProgramLimits,
    /// The status of the server, if ralph started it.
    vitals: Option<ServerHandle>,
    began: Instant,
    /// Time of the agent's last event; `None` before the prompt is sent.
    last_word: Option<Instant>,
    next_tick: Instant,
}

impl<'a> TurnMonitor<'a> {
    pub(super) fn new(watcher: &'a mut dyn ProgramWatcher, limits: &'a ProgramLimits) -> Self {
        let now = Instant::now();
        Self { watcher, limits, vitals: None, began: now, last_word: None, next_tick: now }
    }

    /// Watches a server that ralph started.
    pub(super) fn attend(&mut self, vitals: ServerHandle) {
        self.vitals = Some(vitals);
    }

    /// Passes an event to the listener, as a line of its own.
    pub(super) fn tell(&mut self, event: &Value) {
        self.watcher.output(OutputStream::Stdout, format!("{event}\n").as_bytes());
    }

    /// Returns the outcome of the turn, as if a process had ended.
    pub(super) fn outcome(&self, ending: ExitReason) -> ProgramOutcome {
        let elapsed = self.began.elapsed();
        ProgramOutcome { ending, stdout: OutputTail::new(0), stderr: OutputTail::new(0), elapsed }
    }

    /// Waits for `ready`, until the turn must end.
    pub(super) fn wait_for<T>(
        &mut self,
        patience: Duration,
        mut ready: impl FnMut() -> Option<T>,
    ) -> Result<Option<T>, UnfinishedTurn> {
        let (asked, (_never, pause)) = (Instant::now(), channel::<()>());
        loop {
            if let Some(found) = ready() {
                return Ok(Some(found));
            }
            self.check()?;
            if asked.elapsed() > patience {
                return Ok(None);
            }
            // Nothing is ever sent: this only waits.
            let _ = pause.recv_timeout(TICK / 10);
        }
    }

    /// Sends a request that may take a while. A request cannot be cancelled, so
    /// it runs in a thread, which ends with its timeout at the latest.
    pub(super) fn ask<T: Send + 'static>(
        &mut self,
        call: impl FnOnce() -> Result<T, HttpError> + Send + 'static,
    ) -> Result<Result<T, HttpError>, UnfinishedTurn> {
        let (sender, answers) = channel();
        let send = move || {
            // The receiver is gone when the call took too long.
            let _ = sender.send(call());
        };
        let thread = thread::Builder::new().name("request".to_owned()).spawn(send);
        thread.map_err(|error| UnfinishedTurn::Failed(error.to_string()))?;
        loop {
            match answers.recv_timeout(TICK) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Timeout) => self.check()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(UnfinishedTurn::Failed("a request was lost".to_owned()));
                }
            }
        }
    }

    /// Sends a prompt and follows its turn to the end.
    pub(super) fn deliver(
        &mut self,
        wire: &OpenCodeConnection,
        follow: &mut OpenCodeTurnState,
        prompt: &Value,
        mode: &str,
    ) -> Result<(), UnfinishedTurn> {
        let mut events = self.listen(wire)?;
        let path = format!("/session/{}/prompt_async", follow.session());
        let (way, body) = (wire.clone(), prompt.clone());
        self.ask(move || way.post(&path, &body, WORK))??;
        let (mut looked, mut heard, mut missed) = (Instant::now(), Instant::now(), false);
        self.last_word = Some(heard);
        loop {
            match events.recv_timeout(self.time_left()) {
                Ok(event) => {
                    heard = Instant::now();
                    self.take(wire, follow, &event, mode);
                    if follow.seems_over() && self.settle(wire, follow)? {
                        return Ok(());
                    }
                }
                Err(RecvTimeoutError::Timeout) if heard.elapsed() < SILENCE => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    events = self.reopen(wire)?;
                    (heard, missed) = (Instant::now(), true);
                }
            }
            self.check()?;
            if missed || looked.elapsed() >= LOOK {
                (looked, missed) = (Instant::now(), false);
                if self.settle(wire, follow)? || self.is_given_up(wire, follow)? {
                    return Ok(());
                }
                self.answer_late(wire, follow, mode)?;
            }
            if is_in_vain(follow) {
                return Err(UnfinishedTurn::Cut(ExitReason::Exited(1)));
            }
        }
    }

    /// Aborts the turn of a session, and waits for its end; `false` if it does
    /// not end in time.
    pub(super) fn abort(&mut self, wire: &OpenCodeConnection, session: &str) -> bool {
        let path = format!("/session/{session}/abort");
        let until = Instant::now() + self.limits.grace;
        wire.post(&path, &json!({}), self.limits.grace.min(QUICK)).or_log("aborting the turn");
        let (_never, pause) = channel::<()>();
        loop {
            if let Ok(Value::Null) = status(wire, session)
                && has_closed(wire, session)
            {
                return true;
            }
            let urgent = self.watcher.tick() == WatcherDecision::Kill;
            if urgent || Instant::now() >= until || self.is_alone() {
                return false;
            }
            // Nothing is ever sent: this only waits.
            let _ = pause.recv_timeout(TICK / 2);
        }
    }

    /// Returns true if the server that ralph started has exited.
    fn is_alone(&self) -> bool {
        self.vitals.as_ref().is_some_and(|vitals| vitals.ended().is_some())
    }

    /// Opens the stream of events and waits for the first one.
    fn listen(&mut self, wire: &OpenCodeConnection) -> Result<Receiver<Value>, UnfinishedTurn> {
        let way = wire.clone();
        Ok(self.ask(move || {
            let events = way.events()?;
            events.recv_timeout(WORK).map_err(|_| way.unreachable(&"no event came"))?;
            Ok(events)
        })??)
    }

    /// Opens the stream again after it broke.
    fn reopen(&mut self, wire: &OpenCodeConnection) -> Result<Receiver<Value>, UnfinishedTurn> {
        let mut last = UnfinishedTurn::Failed("the stream of events broke".to_owned());
        for attempt in 0..REOPENINGS {
            let pause = Duration::from_secs(u64::from(attempt)).max(TICK);
            let vitals = self.vitals.clone();
            let gone = || vitals.as_ref().and_then(ServerHandle::ended);
            if let Some(how) = self.wait_for(pause, gone)? {
                return Err(UnfinishedTurn::Failed(format!("the OpenCode server {how}")));
            }
            match self.listen(wire) {
                Ok(events) => return Ok(events),
                Err(UnfinishedTurn::Failed(what)) => last = UnfinishedTurn::Failed(what),
                Err(cut @ (UnfinishedTurn::Cut(_) | UnfinishedTurn::Killed)) => return Err(cut),
            }
        }
        Err(last)
    }

    fn take(
        &mut self,
        wire: &OpenCodeConnection,
        follow: &mut OpenCodeTurnState,
        event: &Value,
        mode: &str,
    ) {
        if !follow.concerns(event) {
            return;
        }
        self.last_word = Some(Instant::now());
        follow.take(event);
        if KEPT.iter().any(|kind| event["type"] == *kind) {
            self.tell(event);
        }
        answer(wire, event, mode);
    }

    /// Answers requests that were missed, or whose answer did not arrive.
    fn answer_late(
        &mut self,
        wire: &OpenCodeConnection,
        follow: &mut OpenCodeTurnState,
        mode: &str,
    ) -> Result<(), UnfinishedTurn> {
        self.find_children(wire, follow)?;
        for (path, kind) in [("/permission", "permission.asked"), ("/question", "question.asked")] {
            let way = wire.clone();
            let Ok(waiting) = self.ask(move || way.get(path, QUICK))? else { continue };
            for facts in waiting.as_array().into_iter().flatten() {
                let event = json!({ "type": kind, "properties": facts });
                // It is not a new event of the agent, so the idle timeout keeps
                // running.
                if follow.concerns(&event) {
                    self.tell(&event);
                    answer(wire, &event, mode);
                }
            }
        }
        Ok(())
    }

    /// Finds child sessions whose creation was missed.
    fn find_children(
        &mut self,
        wire: &OpenCodeConnection,
        follow: &mut OpenCodeTurnState,
    ) -> Result<(), UnfinishedTurn> {
        let (way, path) = (wire.clone(), format!("/session/{}/children", follow.session()));
        let Ok(children) = self.ask(move || way.get(&path, QUICK))? else { return Ok(()) };
        for info in children.as_array().into_iter().flatten() {
            if follow.knows(info) {
                continue;
            }
            let facts = json!({ "sessionID": info["id"], "info": info });
            let begun = json!({ "type": "session.created", "properties": facts });
            follow.take(&begun);
            self.tell(&begun);
        }
        Ok(())
    }

    /// Returns true if the turn is over according to the server; all its
    /// messages have been passed on then.
    fn settle(
        &mut self,
        wire: &OpenCodeConnection,
        follow: &mut OpenCodeTurnState,
    ) -> Result<bool, UnfinishedTurn> {
        if !self.is_quiet(wire, follow)? {
            return Ok(false);
        }
        let (way, session) = (wire.clone(), follow.session().to_owned());
        if let Ok(messages) = self.ask(move || messages(&way, &session))? {
            self.retell(follow, &messages);
        }
        match follow.certainty() {
            TurnEndCertainty::Over => Ok(true),
            TurnEndCertainty::Unlikely => Ok(false),
            TurnEndCertainty::Likely => {
                self.wait_for(BREATH, || None::<()>)?;
                self.is_quiet(wire, follow)
            }
        }
    }

    /// Returns true if a turn broke off long ago and its last message was never
    /// completed.
    fn is_given_up(
        &mut self,
        wire: &OpenCodeConnection,
        follow: &mut OpenCodeTurnState,
    ) -> Result<bool, UnfinishedTurn> {
        let is_silent = self.last_word.is_some_and(|at| at.elapsed() >= LOOK);
        Ok(is_silent && follow.trouble().is_some() && self.is_quiet(wire, follow)?)
    }

    /// Returns true if the session is idle according to the server.
    fn is_quiet(
        &mut self,
        wire: &OpenCodeConnection,
        follow: &mut OpenCodeTurnState,
    ) -> Result<bool, UnfinishedTurn> {
        let (way, session) = (wire.clone(), follow.session().to_owned());
        match self.ask(move || status(&way, &session))? {
            Ok(Value::Null) => Ok(true),
            Ok(now) => {
                follow.note_status(&now);
                if follow.retry.is_some() {
                    let facts = json!({ "sessionID": follow.session(), "status": now });
                    self.tell(&json!({ "type": "session.status", "properties": facts }));
                }
                Ok(false)
            }
            // The stream shows if the server is still there.
            Err(_) => Ok(false),
        }
    }

    /// Passes on the last messages again, in case an event was lost.
    pub(super) fn retell(&mut self, follow: &mut OpenCodeTurnState, messages: &Value) {
        for message in messages.as_array().into_iter().flatten() {
            let session = &message["info"]["sessionID"];
            let info = json!({ "sessionID": session, "info": message["info"] });
            let mut events = vec![json!({ "type": "message.updated", "properties": info })];
            let parts = message["parts"].as_array().into_iter().flatten();
            events.extend(parts.filter(|part| part["type"] == "text").map(|part| {
                let part = json!({ "sessionID": session, "part": part });
                json!({ "type": "message.part.updated", "properties": part })
            }));
            events.retain(|event| follow.is_new(event));
            for event in &events {
                follow.take(event);
                self.tell(event);
            }
        }
    }

    /// Fails if the watcher or a time limit ends the turn.
    fn check(&mut self) -> Result<(), UnfinishedTurn> {
        let now = Instant::now();
        let over = |since: Instant, limit: Option<Duration>| {
            limit.is_some_and(|limit| now.duration_since(since) >= limit)
        };
        if over(self.began, self.limits.wall) {
            return Err(UnfinishedTurn::Cut(ExitReason::WallTimeout));
        }
        if self.last_word.is_some_and(|since| over(since, self.limits.idle)) {
            return Err(UnfinishedTurn::Cut(ExitReason::IdleTimeout));
        }
        if now < self.next_tick {
            return Ok(());
        }
        self.next_tick = now + TICK;
        match self.watcher.tick() {
            WatcherDecision::GoOn => Ok(()),
            WatcherDecision::Stop => Err(UnfinishedTurn::Cut(ExitReason::Stopped)),
            WatcherDecision::Kill => Err(UnfinishedTurn::Killed),
        }
    }

    fn time_left(&self) -> Duration {
        self.next_tick.saturating_duration_since(Instant::now())
    }
}

/// Answers a permission request or a question. An answer that does not arrive
/// is repeated later.
fn answer(wire: &OpenCodeConnection, event: &Value, mode: &str) {
    if let Some(asked) = PermissionRequest::read(event) {
        let path = format!("/permission/{}/reply", asked.id);
        wire.post(&path, &asked.answer(mode), QUICK).or_log("answering a permission request");
    }
    if let Some((id, _, answer)) = consent::question(event) {
        let path = format!("/question/{id}/reply");
        wire.post(&path, &answer, QUICK).or_log("answering a question");
    }
}

/// Returns the status of a session; null if it is idle.
fn status(wire: &OpenCodeConnection, session: &str) -> Result<Value, HttpError> {
    let all = wire.get("/session/status", QUICK)?;
    Ok(all[session].clone())
}

/// Returns true if the last message of a session is complete. An aborted turn
/// is idle before that, and reports idle once more after it.
fn has_closed(wire: &OpenCodeConnection, session: &str) -> bool {
    let Ok(said) = wire.get(&format!("/session/{session}/message?limit=1"), QUICK) else {
        return false;
    };
    let last = said.as_array().and_then(|said| said.last()).map(|last| &last["info"]);
    last.is_none_or(|info| info["role"] != "assistant" || info["time"]["completed"].is_number())
}

/// Returns the newest messages of a session, in their order.
pub(super) fn messages(wire: &OpenCodeConnection, session: &str) -> Result<Value, HttpError> {
    wire.get(&format!("/session/{session}/message?limit={MESSAGES}"), WORK)
}

/// Returns true if the client's wait for its provider is too long.
fn is_in_vain(follow: &OpenCodeTurnState) -> bool {
    let waits_long = |next: i64| next.saturating_sub(now_millis()) > SHORT_WAIT;
    follow.retry.as_ref().is_some_and(|retry| retry.attempt >= ATTEMPTS || waits_long(retry.next))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the client names a moment of the day, and nobody decides by it what a run comes to"
)]
fn now_millis() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
#[path = "courier_tests.rs"]
mod tests;
