//! What Claude Code reads from the standard output of a hook.
//!
//! One JSON object or nothing: the client ignores what has anything in front
//! of it, and refuses an object that names another event.

use std::borrow::Cow;

use ralph_core::host::{Actor, Effect, Happening, HostEvent, HostReply};
use serde::Serialize;

/// Events whose answer may hold something for the agent to read. `Stop` could
/// as well, but there it would make the agent go on.
const TELLABLE: [&str; 7] = [
    "SessionStart",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
];

/// From how many characters on a task is not said twice.
const LONG_TASK: usize = 400;

/// What is said instead.
const AS_TYPED: &str = "The task is what the user typed, without the settings of the loop.";

/// An answer in the client's words.
#[derive(Default, Serialize)]
struct Answer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(rename = "hookSpecificOutput", skip_serializing_if = "Option::is_none")]
    specific: Option<Specific<'a>>,
    #[serde(rename = "systemMessage", skip_serializing_if = "Option::is_none")]
    note: Option<Cow<'a, str>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    hook_event_name: &'a str,
    additional_context: Cow<'a, str>,
}

/// Says a reply in the client's words; empty if there is nothing to say.
///
/// What an event cannot carry is left out, and an answer to something that
/// nobody typed becomes a note. The end of a child is never answered.
pub fn render(event: &HostEvent, reply: &HostReply) -> String {
    if reply.is_silent() || event.what == Happening::ChildEnded {
        return String::new();
    }
    let note = reply.note.as_deref().map(Cow::Borrowed);
    let answer = Answer { note, ..effect(event, &reply.effect) };
    let answer = match (&reply.effect, answer.decision, &answer.note) {
        (Effect::Answer { text }, None, None) => Answer { note: Some(text.into()), ..answer },
        (Effect::Answer { text }, None, Some(note)) => {
            Answer { note: Some(format!("{text}\n{note}").into()), ..answer }
        }
        (
            Effect::None
            | Effect::GoOn { .. }
            | Effect::Do { .. }
            | Effect::Tell { .. }
            | Effect::Begin { .. }
            | Effect::Wake { .. }
            | Effect::Answer { .. },
            _,
            _,
        ) => answer,
    };
    if answer.decision.is_none() && answer.specific.is_none() && answer.note.is_none() {
        return String::new();
    }
    // Texts are all there is, and every text has a form in JSON.
    serde_json::to_string(&answer).unwrap_or_default()
}

/// The part of the answer that changes what happens.
fn effect<'a>(event: &'a HostEvent, effect: &'a Effect) -> Answer<'a> {
    let block =
        |reason| Answer { decision: Some("block"), reason: Some(reason), ..Answer::default() };
    let tell = |context| Answer {
        specific: Some(Specific { hook_event_name: &event.name, additional_context: context }),
        ..Answer::default()
    };
    match effect {
        Effect::GoOn { reason } if is_end_of_turn(event) => block(reason),
        Effect::Answer { text } if is_typed(event) => block(text),
        Effect::Tell { context } if is_tellable(event) => tell(context.into()),
        // The client shows the agent what was typed, flags and all, so the
        // task is said again unless it is long.
        Effect::Begin { task, rules } if is_tellable(event) => {
            let is_long = task.chars().nth(LONG_TASK).is_some();
            let task = if is_long { AS_TYPED } else { task };
            tell(format!("{task}{rules}").into())
        }
        Effect::None
        | Effect::GoOn { .. }
        | Effect::Do { .. }
        | Effect::Tell { .. }
        | Effect::Begin { .. }
        | Effect::Wake { .. }
        | Effect::Answer { .. } => Answer::default(),
    }
}

fn is_tellable(event: &HostEvent) -> bool {
    TELLABLE.contains(&event.name.as_str())
}

fn is_end_of_turn(event: &HostEvent) -> bool {
    event.actor == Actor::Main && matches!(event.what, Happening::TurnEnded(_))
}

fn is_typed(event: &HostEvent) -> bool {
    matches!(event.what, Happening::Prompted { .. } | Happening::CommandCalled { .. })
}
