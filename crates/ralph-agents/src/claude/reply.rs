//! Renders the reply that Claude Code reads from a hook's standard output.
//!
//! It is one JSON object or nothing: the client ignores output with text before
//! the object, and rejects an object with another event's name.

use std::borrow::Cow;

use ralph_core::host::{
    EventAgent, HostEvent, HostEventKind, HostReply, PromptEvent, ReplyEffect, TurnEvent,
};
use serde::Serialize;

/// Events whose reply may contain text for the agent. `Stop` allows it too, but
/// there it would make the agent go on.
const TELLABLE: [&str; 7] = [
    "SessionStart",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
];

/// Number of characters above which a task is not repeated.
const LONG_TASK: usize = 400;

/// Text in place of a long task.
const AS_TYPED: &str = "The task is what the user typed, without the settings of the loop.";

/// A reply in the client's format.
#[derive(Default, Serialize)]
struct HookReply<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(rename = "hookSpecificOutput", skip_serializing_if = "Option::is_none")]
    specific: Option<HookSpecificOutput<'a>>,
    #[serde(rename = "systemMessage", skip_serializing_if = "Option::is_none")]
    note: Option<Cow<'a, str>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HookSpecificOutput<'a> {
    hook_event_name: &'a str,
    additional_context: Cow<'a, str>,
}

/// Renders a reply; empty if there is nothing to say.
///
/// Parts that the event does not support are left out, and an answer to an
/// event without a user's prompt becomes a note. The end of a child gets no
/// reply.
pub fn render(event: &HostEvent, reply: &HostReply) -> String {
    if reply.is_silent() || event.what == HostEventKind::Turn(TurnEvent::ChildEnded) {
        return String::new();
    }
    let note = reply.note.as_deref().map(Cow::Borrowed);
    let answer = HookReply { note, ..effect(event, &reply.effect) };
    let answer = match (&reply.effect, answer.decision, &answer.note) {
        (ReplyEffect::Answer { text }, None, None) => {
            HookReply { note: Some(text.into()), ..answer }
        }
        (ReplyEffect::Answer { text }, None, Some(note)) => {
            HookReply { note: Some(format!("{text}\n{note}").into()), ..answer }
        }
        (
            ReplyEffect::None
            | ReplyEffect::GoOn { .. }
            | ReplyEffect::Do { .. }
            | ReplyEffect::Tell { .. }
            | ReplyEffect::Begin { .. }
            | ReplyEffect::Wake { .. }
            | ReplyEffect::Answer { .. },
            _,
            _,
        ) => answer,
    };
    if answer.decision.is_none() && answer.specific.is_none() && answer.note.is_none() {
        return String::new();
    }
    // Strings always serialise.
    serde_json::to_string(&answer).unwrap_or_default()
}

/// Returns the part of the reply that has an effect.
fn effect<'a>(event: &'a HostEvent, effect: &'a ReplyEffect) -> HookReply<'a> {
    let block = |reason| HookReply {
        decision: Some("block"),
        reason: Some(reason),
        ..HookReply::default()
    };
    let tell = |context| HookReply {
        specific: Some(HookSpecificOutput {
            hook_event_name: &event.name,
            additional_context: context,
        }),
        ..HookReply::default()
    };
    match effect {
        ReplyEffect::GoOn { reason } if is_end_of_turn(event) => block(reason),
        ReplyEffect::Answer { text } if is_typed(event) => block(text),
        ReplyEffect::Tell { context } if is_tellable(event) => tell(context.into()),
        // The client shows the agent the typed text with flags, so the task is
        // repeated unless it is long.
        ReplyEffect::Begin { task, rules } if is_tellable(event) => {
            let is_long = task.chars().nth(LONG_TASK).is_some();
            let task = if is_long { AS_TYPED } else { task };
            tell(format!("{task}{rules}").into())
        }
        ReplyEffect::None
        | ReplyEffect::GoOn { .. }
        | ReplyEffect::Do { .. }
        | ReplyEffect::Tell { .. }
        | ReplyEffect::Begin { .. }
        | ReplyEffect::Wake { .. }
        | ReplyEffect::Answer { .. } => HookReply::default(),
    }
}

fn is_tellable(event: &HostEvent) -> bool {
    TELLABLE.contains(&event.name.as_str())
}

fn is_end_of_turn(event: &HostEvent) -> bool {
    event.actor == EventAgent::Main
        && matches!(event.what, HostEventKind::Turn(TurnEvent::Ended(_)))
}

fn is_typed(event: &HostEvent) -> bool {
    matches!(
        event.what,
        HostEventKind::Prompt(PromptEvent::Sent { .. } | PromptEvent::Command { .. })
    )
}
