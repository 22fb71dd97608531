//! The commands that concern a run: those that ended or paused it, those that
//! its agent was refused, and rollbacks of its files.
//!
//! All are events of the store, so they are redacted like all captured text and
//! outlive the run.

use ralph_core::line::inline;
use ralph_core::locale::Locale;
use ralph_core::state::{RunState, WaitReason};
use ralph_core::{Run, RunId, SessionId, Timestamp, wording};
use ralph_store::{EventQuery, NewEvent, SqliteStore, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::seal::UnsealedReason;
use crate::wire::local_time;

/// The kind of event for a command that was refused.
const REFUSED: &str = "command_refused";

/// The kind of event for a command that was carried out.
const GIVEN: &str = "command_given";

/// The kind of event for the protection of a run's evidence.
const SEAL: &str = "seal";

/// The kind of event for the sandboxes of a run's programs.
const SANDBOXES: &str = "sandboxes";

/// The kind of event for a rollback of a run's files.
const ROLLED_BACK: &str = "rolled_back";

/// Maximum number of refused commands that are stored: an agent may try for
/// ever.
const MOST_REFUSED: usize = 20;

/// Maximum length of a stored command line, in characters.
const COMMAND_CHARS: usize = 200;

/// Number of events that are read at once.
const PAGE: u32 = 1000;

/// The source of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandSource {
    /// A shell that no agent of an open run is known to use.
    User,
    /// A hook or a tool of a host: the command is the user's or the agent's.
    Session,
}

impl CommandSource {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Session => "session",
        }
    }
}

/// A command that was refused to the agent of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedCommand {
    /// The turn in which it was tried; 0 before the first.
    pub iteration: u32,
    /// The time of the attempt.
    pub at: Timestamp,
    /// The command line or the tool, cut to one short line.
    pub command: String,
}

impl RefusedCommand {
    /// Returns the sentence for a report.
    pub fn sentence(&self, locale: Locale) -> String {
        let (command, turn) = (&self.command, self.iteration);
        match turn {
            0 => locale.say(
                format!("The agent tried `{command}` before the first turn; it was refused."),
                format!("에이전트가 첫 턴 전에 `{command}` 을(를) 시도했으나 거부되었습니다."),
            ),
            _ => locale.say(
                format!("The agent tried `{command}` in turn {turn}; it was refused."),
                format!("에이전트가 {turn}번째 턴에 `{command}` 을(를) 시도했으나 거부되었습니다."),
            ),
        }
    }
}

/// A rollback of a run's files, or the undoing of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RollbackRecord {
    /// The time of the rollback.
    pub at: Timestamp,
    /// The snapshot that the files were taken from; `None` if the last rollback
    /// was undone.
    pub to: Option<String>,
    /// Number of files that were written or removed.
    pub files: u64,
}

impl RollbackRecord {
    /// Returns the sentence for a report.
    pub fn sentence(&self, locale: Locale) -> String {
        let (at, files) = (local_time(self.at), self.files);
        let Some(to) = &self.to else {
            return locale.say(
                format!("A rollback was undone at {at}."),
                format!("{at} 에 되돌리기를 취소했습니다."),
            );
        };
        match (locale, to.as_str(), files) {
            (Locale::En, "0", 1) => format!("1 file went back to the start at {at}."),
            (Locale::En, "0", _) => format!("{files} files went back to the start at {at}."),
            (Locale::En, to, 1) => format!("1 file went back to snapshot {to} at {at}."),
            (Locale::En, to, _) => format!("{files} files went back to snapshot {to} at {at}."),
            (Locale::Ko, "0", _) => format!("{at} 에 파일 {files}개를 시작 상태로 되돌렸습니다."),
            (Locale::Ko, to, _) => format!("{at} 에 파일 {files}개를 스냅샷 {to} 로 되돌렸습니다."),
        }
    }
}

/// A sandbox in which programs of a run were started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxRecord {
    /// The programs: `agent` or `gates`.
    pub of: String,
    /// The mode of the settings: `on` or `require`.
    pub mode: String,
    /// `bubblewrap` or `landlock`; `None` if the machine has neither.
    pub technique: Option<String>,
    /// The names of the promises that were not kept.
    pub lacks: Vec<String>,
    /// The sentence that was shown, in the language of the run.
    pub sentence: String,
}

/// All stored events about the commands of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLog {
    /// Commands that were refused to its agent, oldest first.
    pub refused: Vec<RefusedCommand>,
    /// The source of the last command that ended or paused it.
    pub source: Option<CommandSource>,
    /// Rollbacks of its files and their undoing, oldest first.
    pub rollbacks: Vec<RollbackRecord>,
    /// The result of sealing its evidence when a driver last left it, with the
    /// reason for a failure; `None` if no driver did.
    pub seal: Option<Result<(), String>>,
    /// The sandboxes of its agent and its gates when a driver last began.
    pub sandboxes: Vec<SandboxRecord>,
}

impl CommandLog {
    /// Reads the events.
    pub fn load(store: &SqliteStore, run: &RunId) -> Result<Self, StoreError> {
        let (mut log, mut after) = (Self::default(), 0);
        loop {
            let query = EventQuery { run: Some(run.clone()), session: None, after, limit: PAGE };
            let page = store.events(&query)?;
            let Some(last) = page.last() else { return Ok(log) };
            after = last.seq;
            for stored in &page {
                log.add(&stored.event);
            }
        }
    }

    fn add(&mut self, event: &NewEvent) {
        let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
        match event.kind.as_str() {
            REFUSED => self.refused.push(RefusedCommand {
                iteration: event.iteration.unwrap_or(0),
                at: event.at,
                command: data["command"].as_str().unwrap_or_default().to_owned(),
            }),
            GIVEN if data["from"] == CommandSource::Session.name() => {
                self.source = Some(CommandSource::Session);
            }
            GIVEN => self.source = Some(CommandSource::User),
            SEAL => {
                let why = data["unsealed_because"].as_str().map(str::to_owned);
                self.seal = Some(why.map_or(Ok(()), Err));
            }
            SANDBOXES => self.sandboxes = serde_json::from_value(data).unwrap_or_default(),
            ROLLED_BACK => self.rollbacks.push(RollbackRecord {
                at: event.at,
                to: data["to"].as_str().map(str::to_owned),
                files: data["files"].as_u64().unwrap_or(0),
            }),
            _ => {}
        }
    }

    /// Returns the last rollback that was not undone.
    pub fn standing_rollback(&self) -> Option<&RollbackRecord> {
        let mut standing = Vec::new();
        for record in &self.rollbacks {
            match &record.to {
                Some(_) => standing.push(record),
                None => drop(standing.pop()),
            }
        }
        standing.pop()
    }

    /// Returns a sentence about the state of a run and the command that led to
    /// it.
    pub fn state_sentence(&self, run: &Run) -> String {
        let locale = run.policy.locale;
        if let RunState::Waiting(WaitReason::Limit { until }) = &run.state {
            return wording::limit_sentence(&local_time(*until), locale);
        }
        let in_session = match self.source {
            Some(CommandSource::Session) => wording::session_sentence(&run.state, locale),
            Some(CommandSource::User) | None => None,
        };
        in_session.map_or_else(|| wording::run_sentence(run), str::to_owned)
    }
}

/// Stores that a command was refused to the agent of a run. Beyond the maximum
/// it adds nothing.
pub fn record_refusal(
    store: &SqliteStore,
    run: &Run,
    command: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    if CommandLog::load(store, &run.id)?.refused.len() >= MOST_REFUSED {
        return Ok(());
    }
    let command: String = inline(command).chars().take(COMMAND_CHARS).collect();
    let facts = json!({ "command": command });
    store.append(&event(run, REFUSED, &facts, now)).map(|_| ())
}

/// Stores the source of a command that ends or pauses a run.
pub fn record_order(
    store: &SqliteStore,
    run: &Run,
    source: CommandSource,
    now: Timestamp,
) -> Result<(), StoreError> {
    store.append(&event(run, GIVEN, &json!({ "from": source.name() }), now)).map(|_| ())
}

/// Stores a rollback of a run's files.
pub fn record_rollback(
    store: &SqliteStore,
    run: &Run,
    done: &RollbackRecord,
) -> Result<(), StoreError> {
    let facts = json!({ "to": done.to, "files": done.files });
    store.append(&event(run, ROLLED_BACK, &facts, done.at)).map(|_| ())
}

/// Stores the sandboxes of a run's programs. The last record counts, so an
/// empty one is stored too.
pub fn record_sandboxes(
    store: &SqliteStore,
    run: &Run,
    sandboxes: &[SandboxRecord],
    now: Timestamp,
) -> Result<(), StoreError> {
    store.append(&event(run, SANDBOXES, &json!(sandboxes), now)).map(|_| ())
}

/// Stores whether the evidence of a run was sealed.
pub(crate) fn record_seal(
    store: &SqliteStore,
    run: &Run,
    unsealed: Option<UnsealedReason>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let facts = json!({ "unsealed_because": unsealed.map(UnsealedReason::name) });
    store.append(&event(run, SEAL, &facts, now)).map(|_| ())
}

fn event(run: &Run, kind: &str, facts: &Value, at: Timestamp) -> NewEvent {
    let session: Option<SessionId> = run.session().cloned();
    NewEvent {
        run: Some(run.id.clone()),
        iteration: Some(run.iteration),
        session,
        kind: kind.to_owned(),
        at,
        data: facts.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use crate::temporary_store::TemporaryStore;
    use ralph_core::policy::Policy;
    use ralph_core::run::{AgentRef, NewRun, Owner, Task};

    use super::*;

    fn kept(store: &SqliteStore) -> Run {
        let new = NewRun {
            task: Task::default(),
            worktree: "/project".to_owned(),
            agent: AgentRef::default(),
            policy: Policy::promise(),
            owner: Owner::Driver { pid: u32::MAX, started: 0, heartbeat: at(0) },
        };
        let run = Run { iteration: 2, ..Run::new(RunId::from_bits(1), new, at(0)) };
        store.create_run(&run).unwrap();
        run
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn a_run_keeps_a_bounded_number_of_attempts_without_secrets() {
        let store = TemporaryStore::new();
        let run = kept(&store);
        let token = format!("ghp_{}", "a1B2".repeat(9));
        record_refusal(&store, &run, &format!("ralph resume --answer {token}\n x"), at(1)).unwrap();
        for _ in 0..40 {
            record_refusal(&store, &run, "ralph stop", at(2)).unwrap();
        }
        let log = CommandLog::load(&store, &run.id).unwrap();
        assert_eq!(log.refused.len(), MOST_REFUSED);
        assert!(!log.refused[0].command.contains(&token), "{:?}", log.refused[0]);
        assert!(!log.refused[0].command.contains('\n'), "{:?}", log.refused[0]);
        let said = log.refused[1].sentence(Locale::En);
        assert_eq!(said, "The agent tried `ralph stop` in turn 2; it was refused.");
        assert!(log.refused[1].sentence(Locale::Ko).contains("2번째 턴"));
    }

    #[test]
    fn the_last_rollback_that_was_not_undone_is_known() {
        let store = TemporaryStore::new();
        let run = kept(&store);
        let done = |to: Option<&str>, files| {
            let to = to.map(str::to_owned);
            record_rollback(&store, &run, &RollbackRecord { at: at(1), to, files }).unwrap();
            let log = CommandLog::load(&store, &run.id).unwrap();
            log.standing_rollback().map(|last| last.sentence(Locale::En))
        };
        assert!(done(Some("1"), 1).unwrap().starts_with("1 file went back to snapshot 1 at 1970"));
        assert!(done(Some("0"), 3).unwrap().starts_with("3 files went back to the start at "));
        assert!(done(None, 3).unwrap().contains("snapshot 1"));
        assert_eq!(done(None, 1), None);
        let undone = RollbackRecord { at: at(1), to: None, files: 1 };
        assert!(undone.sentence(Locale::En).starts_with("A rollback was undone at "));
        assert!(undone.sentence(Locale::Ko).contains("취소"));
    }

    #[test]
    fn the_last_command_tells_who_ended_a_run() {
        let store = TemporaryStore::new();
        let run = Run { state: RunState::Stopped, ..kept(&store) };
        let sentence = || CommandLog::load(&store, &run.id).unwrap().state_sentence(&run);
        assert_eq!(sentence(), "Stopped: you ended the run.");
        record_order(&store, &run, CommandSource::Session, at(1)).unwrap();
        assert_eq!(sentence(), "Stopped: a command in the session ended the run.");
        record_order(&store, &run, CommandSource::User, at(2)).unwrap();
        assert_eq!(sentence(), "Stopped: you ended the run.");
    }
}
