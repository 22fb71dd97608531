//! Sessions that were left: what is told to whoever goes on with one, and which
//! one a new session is told of.

use std::time::Duration;

use ralph_core::Timestamp;
use ralph_core::locale::Locale;
use ralph_core::memory::notes::{as_data, file_names, orders};
use ralph_core::tokens::estimate;

use crate::event::SessionStatus;
use crate::session::{MessageRole, SessionMessage, SessionRecord};

/// Whoever goes on later is told anew what is known: by then the world has
/// moved on, and what was said last matters less than what holds.
pub const RECENT: Duration = Duration::from_mins(30);

/// A session that says nothing for so long was left, where nothing better is
/// known: a driver tells of itself every five minutes.
const SILENT: Duration = Duration::from_mins(10);

/// Messages that are told, the last ones.
const TOLD_MESSAGES: usize = 10;

/// Files that are named.
const NAMED_FILES: usize = 8;

/// How much of a text is told, in characters.
const TOLD: usize = 400;

/// How long ago something of a session was kept last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionAge {
    /// At most [`RECENT`].
    Recent,
    /// Longer.
    Old,
}

/// Who is told of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SummaryReader {
    /// Somebody who goes on with it and has nothing of what was said.
    Newcomer,
    /// The session itself, with all that was said in it at hand.
    Itself,
    /// A session that begins where it was left.
    Successor,
}

/// How long ago something of a session was kept last.
pub fn age(session: &SessionRecord, now: Timestamp) -> SessionAge {
    if silence(session, now) <= RECENT { SessionAge::Recent } else { SessionAge::Old }
}

fn silence(session: &SessionRecord, now: Timestamp) -> Duration {
    now.since(Timestamp::from_millis(session.last_checkpoint))
}

/// Whether a clock was wrong when something of a session was kept: it is further
/// ahead than clocks differ that are right.
fn is_ahead(session: &SessionRecord, now: Timestamp) -> bool {
    let at = session.last_checkpoint.max(session.updated);
    Timestamp::from_millis(at).since(now) > SILENT
}

/// Whether a session still goes on somewhere, as far as its record tells. Who
/// knows the process that it lives in knows better.
pub fn seems_alive(session: &SessionRecord, now: Timestamp) -> bool {
    let is_heard_of = silence(session, now) <= SILENT && !is_ahead(session, now);
    // Whoever was told how it goes on may never have gone on with it.
    session.state == SessionStatus::Active && session.taken_up.is_none() && is_heard_of
}

/// The session that a new one in the same work tree is told of: the last one
/// that anything was done in, if it is neither finished nor alive and was left
/// a short while ago.
///
/// Those before it are not asked for: somebody has worked here since. When that
/// was is not known of a session whose clock was ahead, so it comes after all
/// others that were left a short while ago.
pub fn left(
    sessions: Vec<SessionRecord>,
    own: Option<&str>,
    now: Timestamp,
    is_alive: impl Fn(&SessionRecord) -> bool,
) -> Option<SessionRecord> {
    let others = sessions.into_iter().filter(|one| own != Some(one.id.as_str()));
    let with_content = others.filter(SessionRecord::has_content);
    let last = with_content.max_by_key(|one| {
        let is_known = age(one, now) == SessionAge::Recent && !is_ahead(one, now);
        (is_known, one.updated.min(now.as_millis()))
    })?;
    (is_unfinished(&last) && age(&last, now) == SessionAge::Recent && !is_alive(&last))
        .then_some(last)
}

/// Whether something is left to do in a session: its run is open, its last turn
/// was interrupted, or what went wrong last was not put right.
fn is_unfinished(session: &SessionRecord) -> bool {
    let is_interrupted = session.messages.last().is_some_and(|last| last.who != MessageRole::Agent);
    match session.state {
        SessionStatus::Completed => false,
        SessionStatus::Failed => true,
        SessionStatus::Active | SessionStatus::Paused => {
            session.run.is_some() || is_interrupted || present_failure(session).is_some()
        }
    }
}

/// What went wrong last, unless other things were done since that did not.
fn present_failure(session: &SessionRecord) -> Option<&str> {
    let failure = session.last_failure.as_deref()?;
    let mut done = session.messages.iter().rev().filter(|one| one.who == MessageRole::Tool);
    let is_last = done.next().is_some_and(|last| last.text == failure);
    (is_last || !done.any(|earlier| earlier.text == failure)).then_some(failure)
}

/// What is told of a session to a reader, line by line, in at most so many
/// tokens; nothing if there is nothing to tell.
pub fn told(
    session: &SessionRecord,
    (reader, age): (SummaryReader, SessionAge),
    room: usize,
    locale: Locale,
) -> Vec<String> {
    if !session.has_content() {
        return Vec::new();
    }
    if age == SessionAge::Old && session.task.is_some() {
        return task(session, locale).into_iter().collect();
    }
    if reader == SummaryReader::Itself {
        return context(session, locale, is_harmless);
    }
    let mut lines: Vec<String> = Vec::new();
    if reader == SummaryReader::Successor {
        let left = "Another session in this work tree was left unfinished. Go on with it only if that is what the user wants.";
        let left_in_korean = "이 작업 트리의 다른 세션이 끝나지 않은 채 남아 있습니다. 사용자가 원할 때만 이어서 하세요.";
        lines.push(locale.say(left, left_in_korean).to_owned());
    }
    lines.extend(facts(session, locale, is_harmless));
    let spent: usize = lines.iter().map(|line| estimate(line)).sum();
    let told = messages(session, room.saturating_sub(spent));
    let is_told = |message: &SessionMessage| told.iter().any(|known| std::ptr::eq(*known, message));
    let asked = last_words(session, MessageRole::User, is_harmless).filter(|asked| !is_told(asked));
    lines.extend(asked.map(|asked| said(asked, locale)));
    if !told.is_empty() {
        lines.push(locale.say("last messages:", "마지막 메시지:").to_owned());
    }
    lines.extend(told.into_iter().map(|one| format!("  {}: {}", one.who.word(), line(&one.text))));
    lines
}

/// What whoever goes on with a session has to know, in a few lines, as it was
/// said: [`told`] leaves out what must not be read as an order.
pub fn resume_context(session: &SessionRecord, locale: Locale) -> String {
    context(session, locale, |_| true).join("\n")
}

fn context(session: &SessionRecord, locale: Locale, may_be_told: fn(&str) -> bool) -> Vec<String> {
    let mut lines = facts(session, locale, may_be_told);
    for who in [MessageRole::User, MessageRole::Agent] {
        lines.extend(last_words(session, who, may_be_told).map(|last| said(last, locale)));
    }
    lines
}

/// What somebody said last, on one line.
fn said(message: &SessionMessage, locale: Locale) -> String {
    let who = match message.who {
        MessageRole::User => locale.say("the user said last", "사용자의 마지막 말"),
        MessageRole::Agent | MessageRole::Tool => {
            locale.say("the agent said last", "에이전트의 마지막 말")
        }
    };
    format!("{who}: {}", line(&message.text))
}

fn facts(session: &SessionRecord, locale: Locale, may_be_told: fn(&str) -> bool) -> Vec<String> {
    let mut lines: Vec<String> = task(session, locale).into_iter().collect();
    let (state, mode) = (session.state.word(), session.mode.word());
    let words = locale.say(["state", "mode"], ["상태", "모드"]);
    lines.push(format!("{}: {state}, {}: {mode}", words[0], words[1]));
    let files = file_names(session.files.iter().map(String::as_str), NAMED_FILES);
    if !files.is_empty() {
        let words = locale.say("files touched last", "마지막으로 다룬 파일");
        lines.push(format!("{words}: {files}"));
    }
    let failure = present_failure(session).filter(|failure| may_be_told(failure));
    let words = locale.say("last failure", "마지막 실패");
    lines.extend(failure.map(|failure| format!("{words}: {}", line(failure))));
    lines
}

fn task(session: &SessionRecord, locale: Locale) -> Option<String> {
    let words = locale.say("task", "작업");
    session.task.as_ref().map(|task| format!("{words}: {}", line(task)))
}

/// The last messages that may be told, the oldest first.
fn messages(session: &SessionRecord, room: usize) -> Vec<&SessionMessage> {
    let mut left = room;
    let last = session.messages.iter().rev().take(TOLD_MESSAGES);
    let last = last.filter(|one| one.who == MessageRole::User || is_harmless(&one.text));
    let fitting = last.map_while(|message| {
        left =
            left.checked_sub(estimate(&line(&message.text)) + estimate(message.who.word()) + 2)?;
        Some(message)
    });
    let mut told: Vec<&SessionMessage> = fitting.collect();
    told.reverse();
    told
}

/// What a tool printed or an agent repeated may have been written for whoever
/// reads it now.
fn is_harmless(text: &str) -> bool {
    orders(text).is_empty()
}

/// What somebody said last. The user may say what the user likes.
fn last_words(
    session: &SessionRecord,
    who: MessageRole,
    may_be_told: fn(&str) -> bool,
) -> Option<&SessionMessage> {
    let mut said = session.messages.iter().rev().filter(|message| message.who == who);
    said.find(|message| who == MessageRole::User || may_be_told(&message.text))
}

/// A text on one line, not too long.
fn line(text: &str) -> String {
    let line = as_data(text);
    match line.char_indices().nth(TOLD) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
#[path = "resume_tests.rs"]
mod tests;
