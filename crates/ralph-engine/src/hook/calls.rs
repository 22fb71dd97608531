//! Commands that are typed in a session. They act on the session's loop; another loop
//! is only named, unless its id is given.

use std::process::{Child, Command as Process, Stdio};
use std::time::{Duration, Instant};

use crate::caller::SESSION_COMMAND;
use crate::clock::InterruptSignal;
use crate::host::{self, QueuedWords, SessionDir};
use ralph_core::host::{HostEventKind, HostReply, ReplyEffect, TurnEvent};
use ralph_core::locale::Locale;
use ralph_core::run::Owner;
use ralph_core::wording::told;
use ralph_core::{Run, SessionId};
use ralph_store::{RunQuery, RunStateFilter};

use super::session::{HookRequest, answer};
use super::slash::{self, CommandEffect, SessionCommand, SlashPrompt};
use crate::app::own_binary;
use crate::user_error::UserError;

/// Most bytes of a command's output that are passed on.
const MOST_ANSWER: usize = 8 * 1024;

/// Number of lines that are shown where space is short.
const BRIEF_LINES: usize = 8;

/// Longest time of a command whose answer a host waits for.
const PATIENCE: Duration = Duration::from_secs(40);

/// Time between two looks at the process.
const LOOK: Duration = Duration::from_millis(10);

/// Number of runs of a work tree that are searched for the session's.
const MOST_RUNS: u32 = 50;

/// The result of a command that waited in the host.
pub(super) enum QueuedCommandResult {
    /// The command paused or ended the loop.
    Acts(HostReply),
    /// The output for the user, beside the other reply.
    Shows(String),
}

impl HookRequest<'_> {
    /// Runs the typed command for the loop of this session.
    pub(super) fn call(
        &self,
        session: &SessionId,
        call: &SessionCommand,
    ) -> Result<HostReply, UserError> {
        let manner = call.effect;
        match manner {
            CommandEffect::Elsewhere(instead) => Err(elsewhere(call, instead)),
            CommandEffect::Plain => self.pass_on(session, &call.words),
            CommandEffect::Allows if call.names_run => Err(elsewhere(call, "")),
            CommandEffect::Allows if call.words.len() > 1 => self.allow(session, &call.words[1..]),
            CommandEffect::Rules
            | CommandEffect::TakesBack
            | CommandEffect::Shows
            | CommandEffect::Allows
                if call.names_run =>
            {
                let done = self.pass_on(session, &call.words)?;
                Ok(if manner.changes_loop() { done.calling_off() } else { done })
            }
            CommandEffect::Rules | CommandEffect::TakesBack => {
                let takes_back = manner == CommandEffect::TakesBack;
                let is_meant = |run: &Run| !run.state.is_ended() || takes_back;
                let own = self.own(session)?;
                // A loop that has ended is mentioned if there is no other one.
                let own = match own {
                    Some(own) if is_meant(&own) || self.of_others(session)?.is_empty() => own,
                    Some(_) | None => return self.without_own(session, call),
                };
                Ok(self.pass_on(session, &call.with_run(&own))?.calling_off())
            }
            CommandEffect::Shows | CommandEffect::Allows => match self.own(session)? {
                Some(own) => self.pass_on(session, &call.with_run(&own)),
                None => self.without_own(session, call),
            },
        }
    }

    /// Runs the command that the user typed while the agent worked, if the host holds
    /// it back until the turn ends.
    pub(super) fn queued(
        &self,
        session: &SessionId,
        place: &SessionDir,
    ) -> Option<QueuedCommandResult> {
        let HostEventKind::Turn(TurnEvent::Ended(silence)) = &self.event.what else { return None };
        let words = host::queued(silence.transcript.as_deref()?, place);
        let is_ours = |words: &&QueuedWords| slash::is_ours(&words.text);
        let words = words.iter().rev().find(is_ours)?;
        let command = self.call.commands.parse(&words.text, &|word| self.is_path(session, word))?;
        let is_quick = match &command {
            SlashPrompt::Call(call) => {
                matches!(call.effect, CommandEffect::Rules | CommandEffect::Shows)
            }
            SlashPrompt::Resume(_) => true,
            SlashPrompt::Arm(_)
            | SlashPrompt::Help
            | SlashPrompt::Unclear(..)
            | SlashPrompt::Misfit(..) => false,
        };
        if !is_quick || place.was_shown(&words.at) {
            return None;
        }
        if matches!(command, SlashPrompt::Resume(_)) {
            let own = self.own_open(session).ok()??;
            place.note_answered(&words.text);
            return own
                .state
                .is_active()
                .then(|| QueuedCommandResult::Shows(told::is_at_work(&own)));
        }
        let reply = self.command(session, &command, &words.text);
        let text = said_by(&reply)?;
        place.note_answered(&words.text);
        let is_active = |run: Run| run.state.is_active();
        if self.own_open(session).ok()?.is_some_and(is_active) {
            return Some(QueuedCommandResult::Shows(text));
        }
        Some(QueuedCommandResult::Acts(HostReply::silent().with_note(text).in_tone(reply.tone)))
    }

    /// Returns the open loop of this session.
    pub(super) fn own_open(&self, session: &SessionId) -> Result<Option<Run>, UserError> {
        match self.app.existing_store()? {
            Some(store) => Ok(store.run_of_session(session)?),
            None => Ok(None),
        }
    }

    /// Returns the loop of this session, else its last one here.
    fn own(&self, session: &SessionId) -> Result<Option<Run>, UserError> {
        let open = self.own_open(session)?;
        if open.is_some() {
            return Ok(open);
        }
        let Some(store) = self.app.existing_store()? else { return Ok(None) };
        let worktree = Some(self.app.worktree());
        let runs =
            store.runs(&RunQuery { worktree, which: RunStateFilter::All, limit: MOST_RUNS })?;
        Ok(runs.into_iter().find(|run| run.session() == Some(session)))
    }

    /// Returns the open loops of others in this work tree.
    pub(super) fn of_others(&self, session: &SessionId) -> Result<Vec<Run>, UserError> {
        let Some(store) = self.app.existing_store()? else { return Ok(Vec::new()) };
        let worktree = Some(self.app.worktree());
        let open =
            store.runs(&RunQuery { worktree, which: RunStateFilter::Open, limit: MOST_RUNS })?;
        Ok(open.into_iter().filter(|run| run.session() != Some(session)).collect())
    }

    /// Answers for a session without a loop by listing the others. If none is open,
    /// commands that only show something use the newest run.
    fn without_own(
        &self,
        session: &SessionId,
        call: &SessionCommand,
    ) -> Result<HostReply, UserError> {
        let others = self.of_others(session)?;
        let rules = call.effect.changes_loop();
        if others.is_empty() && !rules {
            return self.pass_on(session, &call.words);
        }
        let locale = self.app.chosen_locale();
        let none = locale.say(
            "ralph: this session has no open loop.",
            "ralph: 이 세션에는 열린 루프가 없습니다.",
        );
        let name = call.words[0].as_str();
        let lines = others.iter().map(|run| self.left_alone(run, name, locale));
        let lines: Vec<String> = std::iter::once(none.to_owned()).chain(lines).collect();
        Ok(answer(lines.join("\n")))
    }

    /// Describes a loop of another session, and how to name it.
    pub(super) fn left_alone(&self, run: &Run, command: &str, locale: Locale) -> String {
        let whose = if self.app.is_left(run) { left_by_client(locale) } else { whose(run, locale) };
        let (id, status) = (&run.id, run.state.status());
        locale.say(
            format!("{id} ({status}) {whose}; `/ralph {command} {id}` means that one."),
            format!("{id} ({status}): {whose}. `/ralph {command} {id}` 로 지정할 수 있습니다."),
        )
    }

    /// Runs the command line with these words and returns its output.
    fn pass_on(&self, session: &SessionId, words: &[String]) -> Result<HostReply, UserError> {
        let mut process = Process::new(own_binary());
        process.current_dir(&self.app.project.root).env("NO_COLOR", "1").stdin(Stdio::null());
        process.env("RALPH_LOCALE", self.app.chosen_locale().as_str());
        process.env(SESSION_COMMAND, session.as_str());
        process.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
        self.give_sign();
        let child = process.spawn()?;
        let limit = PATIENCE.min(self.deadline.limit() / 2);
        let Some(text) = within(child, limit)? else { return Err(too_slow(words, limit)) };
        let text = text[..text.floor_char_boundary(MOST_ANSWER)].trim();
        Ok(answer(text).with_brief(first_lines(text)))
    }
}

/// Returns the beginning of a text that is too long for a small space.
fn first_lines(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    (lines.len() > BRIEF_LINES).then(|| format!("{}\n…", lines[..BRIEF_LINES].join("\n")))
}

/// Returns the text of an answer.
fn said_by(reply: &HostReply) -> Option<String> {
    if let ReplyEffect::Answer { text } = &reply.effect { Some(text.clone()) } else { None }
}

/// Adds a text for the user to a reply.
pub(super) fn beside(reply: HostReply, text: &str) -> HostReply {
    let note =
        reply.note.as_ref().map_or_else(|| text.to_owned(), |note| format!("{note}\n{text}"));
    reply.with_note(note)
}

/// Tells whose loop it is, if not this session's.
fn whose(run: &Run, locale: Locale) -> &'static str {
    match &run.owner {
        Some(Owner::Session(_)) => {
            locale.say("belongs to another session", "다른 세션의 루프입니다")
        }
        Some(Owner::Driver { .. }) | None => {
            locale.say("belongs to `ralph run` in a terminal", "터미널의 `ralph run` 루프입니다")
        }
    }
}

fn left_by_client(locale: Locale) -> &'static str {
    locale.say("belongs to a client that is gone", "클라이언트가 이미 종료되었습니다")
}

/// Returns the output of a process; `None` if it took too long and was killed.
fn within(mut child: Child, limit: Duration) -> Result<Option<String>, UserError> {
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let read = |from: Option<Box<dyn std::io::Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut from) = from {
                // A part of the output is better than none.
                let _ = from.read_to_end(&mut bytes);
            }
            bytes
        })
    };
    let out = read(out.map(|out| Box::new(out) as _));
    let err = read(err.map(|err| Box::new(err) as _));
    let (since, pause) = (Instant::now(), InterruptSignal::default());
    while child.try_wait()?.is_none() {
        if since.elapsed() >= limit {
            // It may have ended by itself.
            let _ = child.kill();
            // Its status is not asked for.
            let _ = child.wait();
            return Ok(None);
        }
        pause.wait(LOOK);
    }
    let bytes = [out.join().unwrap_or_default(), err.join().unwrap_or_default()].concat();
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

fn too_slow(words: &[String], limit: Duration) -> UserError {
    let (typed, limit) = (words.join(" "), limit.as_secs());
    UserError::refused(format!("`ralph {typed}` did not end within {limit} s"))
        .with_hint(format!("run `ralph {typed}` in a terminal; it is not limited there"))
        .in_korean(
            format!("`ralph {typed}` 이(가) {limit}초 안에 끝나지 않았습니다"),
            Some(&format!("터미널에서 `ralph {typed}` 을(를) 실행하세요")),
        )
}

/// Makes the error for a command that does nothing in a session, with the right one.
fn elsewhere(call: &SessionCommand, instead: &str) -> UserError {
    let typed = call.words.join(" ");
    let (hint, korean) = if instead.is_empty() {
        (
            format!("run `ralph {typed}` in a terminal"),
            format!("터미널에서 `ralph {typed}` 을(를) 실행하세요"),
        )
    } else {
        (
            format!("`{instead}` starts a loop here, `/ralph \"{typed} …\"` makes it a task"),
            format!("여기서는 `{instead}` 로 루프를 시작합니다"),
        )
    };
    UserError::usage(format!("`/ralph {typed}` does nothing in a session"))
        .with_hint(hint)
        .in_korean(format!("`/ralph {typed}` 은(는) 세션에서 쓸 수 없습니다"), Some(&korean))
}
