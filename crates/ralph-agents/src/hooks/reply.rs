//! Renders the reply that a host reads from a hook's standard output.
//!
//! It is one JSON object or nothing: clients ignore output with text before the
//! object, and some reject an object with a member that they do not know. So a
//! reply has the members of its host's dialect and no other.

use std::borrow::Cow;

use ralph_core::host::{
    EventAgent, HostEvent, HostEventKind, HostReply, PromptEvent, ReplyEffect, TurnEvent,
};
use serde::Serialize;

use super::{ContextForm, HookDialect, VerdictForm};

/// Number of characters above which a task is not repeated.
const LONG_TASK: usize = 400;

/// Text in place of a long task.
const AS_TYPED: &str = "The task is what the user typed, without the settings of the loop.";

/// A reply in a client's format.
#[derive(Default, PartialEq, Serialize)]
struct HookReply<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    continues: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    followup_message: Option<&'a str>,
    #[serde(rename = "additionalContext", skip_serializing_if = "Option::is_none")]
    context: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Cow<'a, str>>,
    #[serde(rename = "hookSpecificOutput", skip_serializing_if = "Option::is_none")]
    specific: Option<HookSpecificOutput<'a>>,
    #[serde(rename = "systemMessage", skip_serializing_if = "Option::is_none")]
    note: Option<Cow<'a, str>>,
}

#[derive(Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct HookSpecificOutput<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_event_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'a str>,
}

/// Renders a reply; empty if there is nothing to say.
///
/// Parts that the event does not support are left out, and an answer to an
/// event without a user's prompt becomes a note. The end of a child gets no
/// reply.
pub(crate) fn render(dialect: &HookDialect, event: &HostEvent, reply: &HostReply) -> String {
    if reply.is_silent() || event.what == HostEventKind::Turn(TurnEvent::ChildEnded) {
        return String::new();
    }
    let effect = effect(dialect, event, &reply.effect);
    let note = match (&reply.effect, effect == HookReply::default(), &reply.note) {
        (ReplyEffect::Answer { text }, true, None) => Some(Cow::Borrowed(text.as_str())),
        (ReplyEffect::Answer { text }, true, Some(note)) => Some(format!("{text}\n{note}").into()),
        (_, _, note) => note.as_deref().map(Cow::Borrowed),
    };
    let answer = HookReply { note: note.filter(|_| dialect.reply.has_notes), ..effect };
    if answer == HookReply::default() {
        return String::new();
    }
    // Strings always serialise.
    serde_json::to_string(&answer).unwrap_or_default()
}

/// Returns the part of the reply that has an effect.
fn effect<'a>(
    dialect: &HookDialect,
    event: &'a HostEvent,
    effect: &'a ReplyEffect,
) -> HookReply<'a> {
    let form = &dialect.reply;
    let is_tellable =
        dialect.meaning(&event.name).is_some_and(|means| form.tellable.contains(&means));
    match effect {
        ReplyEffect::GoOn { reason } if is_end_of_turn(event) => verdict(form.go_on, reason),
        ReplyEffect::Answer { text } if is_typed(event) => verdict(form.answer, text),
        ReplyEffect::Tell { context } if is_tellable => {
            told(form.context, &event.name, context.into())
        }
        // The client shows the agent the typed text with flags, so the task is
        // repeated unless it is long.
        ReplyEffect::Begin { task, rules } if is_tellable => {
            let is_long = task.chars().nth(LONG_TASK).is_some();
            let task = if is_long { AS_TYPED } else { task };
            told(form.context, &event.name, format!("{task}{rules}").into())
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

fn verdict(form: VerdictForm, reason: &str) -> HookReply<'_> {
    let reason = Some(reason);
    let nothing = HookReply::default();
    match form {
        VerdictForm::Block => HookReply { decision: Some("block"), reason, ..nothing },
        VerdictForm::Denied => {
            let specific = HookSpecificOutput {
                permission_decision: Some("deny"),
                permission_decision_reason: reason,
                ..HookSpecificOutput::default()
            };
            HookReply { specific: Some(specific), ..nothing }
        }
        VerdictForm::Followup => HookReply { followup_message: reason, ..nothing },
        VerdictForm::NotContinued => {
            HookReply { continues: Some(false), user_message: reason, ..nothing }
        }
        VerdictForm::Missing => nothing,
    }
}

fn told<'a>(form: ContextForm, event: &'a str, context: Cow<'a, str>) -> HookReply<'a> {
    let nothing = HookReply::default();
    match form {
        ContextForm::Specific => {
            let specific = HookSpecificOutput {
                hook_event_name: Some(event),
                additional_context: Some(context),
                ..HookSpecificOutput::default()
            };
            HookReply { specific: Some(specific), ..nothing }
        }
        ContextForm::Top => HookReply { context: Some(context), ..nothing },
        ContextForm::Message => HookReply { message: Some(context), ..nothing },
        ContextForm::Missing => nothing,
    }
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
