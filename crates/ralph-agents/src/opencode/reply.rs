//! Renders the reply that the plugin reads from a hook's standard output.

use std::borrow::Cow;
use std::ops::Not;
use std::time::Duration;

use ralph_core::host::{
    HostAction, HostEvent, HostEventKind, HostReply, NoteTone, PromptEvent, ReplyEffect,
    SessionEvent, ToolEvent, TurnEvent,
};
use ralph_core::ids::{RunId, SessionId};
use serde::Serialize;

use super::VERSION;

/// Delay after a turn before the next prompt: the client is still saving the
/// last message.
const SETTLE_MS: u64 = 500;

/// Delay after an error, so that an overload can pass.
const RECOVER_MS: u64 = 5000;

/// Maximum sleep of the plugin before it asks again: clocks may be changed, and
/// machines sleep.
const LONGEST_NAP: Duration = Duration::from_mins(10);

/// Text for the agent where the client always passes a command on.
const ANSWERED: &str = "The user asked ralph, a program outside this conversation, which answered as below. Repeat the answer and do nothing else.";

#[derive(Serialize)]
struct PluginAction<'a> {
    v: u32,
    #[serde(rename = "do")]
    what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    like: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<u32>,
    #[serde(skip_serializing_if = "Not::not")]
    aside: bool,
    #[serde(skip_serializing_if = "Not::not")]
    off: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    toast: Option<PluginToast<'a>>,
}

#[derive(Serialize)]
struct PluginToast<'a> {
    text: &'a str,
    variant: &'static str,
}

/// Renders a reply for the plugin; empty if there is nothing to say.
///
/// Parts that the event does not support are left out. The client always passes
/// the user's text on, so an answer replaces that text.
pub fn render(event: &HostEvent, reply: &HostReply) -> String {
    let mut action = effect(event, &reply.effect);
    action.toast = toast(reply);
    action.off = action.aside && reply.calls_off;
    if action.what == "none" && action.toast.is_none() {
        return String::new();
    }
    // Strings and numbers always serialise.
    serde_json::to_string(&action).unwrap_or_default()
}

fn effect<'a>(event: &'a HostEvent, effect: &'a ReplyEffect) -> PluginAction<'a> {
    let is_command = event.name == "command.execute.before";
    let is_typed = matches!(event.what, HostEventKind::Prompt(PromptEvent::Sent { .. }));
    let is_tool = matches!(event.what, HostEventKind::Tools(ToolEvent::Used(_)));
    match effect {
        ReplyEffect::GoOn { reason } => prompt(event, reason),
        ReplyEffect::Do { run, deed } => deed_of(run, deed),
        ReplyEffect::Tell { context } if is_command => message("replace", context),
        ReplyEffect::Tell { context } if is_typed || is_tool => {
            message("append", format!("\n\n{context}"))
        }
        ReplyEffect::Begin { task, rules } if is_command => {
            message("replace", format!("{task}{rules}"))
        }
        ReplyEffect::Begin { rules, .. } if is_typed => message("append", rules),
        ReplyEffect::Answer { text } if is_typed => {
            PluginAction { aside: true, ..message("replace", format!("{ANSWERED}\n\n{text}")) }
        }
        ReplyEffect::Wake { after } => {
            let after = after.min(&LONGEST_NAP).as_millis();
            PluginAction { after_ms: u64::try_from(after).ok(), what: "wake", ..nothing() }
        }
        ReplyEffect::None
        | ReplyEffect::Tell { .. }
        | ReplyEffect::Begin { .. }
        | ReplyEffect::Answer { .. } => nothing(),
    }
}

fn prompt<'a>(event: &'a HostEvent, text: &'a str) -> PluginAction<'a> {
    let (after, attempt) = match &event.what {
        HostEventKind::Prompt(PromptEvent::NotDelivered { attempts, .. }) => {
            (SETTLE_MS << (*attempts).min(8), attempts.saturating_add(1))
        }
        HostEventKind::Turn(TurnEvent::Broken(_)) => (RECOVER_MS, 1),
        HostEventKind::Turn(TurnEvent::Ended(_))
        | HostEventKind::Action(_)
        | HostEventKind::Prompt(PromptEvent::Due)
        | HostEventKind::Session(SessionEvent::Compacted { .. }) => (SETTLE_MS, 1),
        HostEventKind::HostStarted
        | HostEventKind::Session(_)
        | HostEventKind::Prompt(_)
        | HostEventKind::Tools(_)
        | HostEventKind::Turn(TurnEvent::ChildEnded)
        | HostEventKind::Other { .. } => return nothing(),
    };
    let is_asked = matches!(event.what, HostEventKind::Action(_));
    let session = event.session.as_ref().filter(|_| is_asked).map(SessionId::as_str);
    PluginAction {
        session,
        after_ms: Some(after),
        attempt: Some(attempt),
        ..message("prompt", text)
    }
}

fn deed_of<'a>(run: &'a RunId, deed: &'a HostAction) -> PluginAction<'a> {
    let of = |what, session: &'a SessionId| PluginAction {
        what,
        run: Some(run.as_str()),
        session: Some(session.as_str()),
        ..nothing()
    };
    match deed {
        HostAction::Check { session } => of("check", session),
        HostAction::Summarize { session } => of("summarize", session),
        HostAction::Create { instead_of, title } => {
            PluginAction { title: Some(title), ..of("create", instead_of) }
        }
        HostAction::Select { session } => of("select", session),
        HostAction::Prompt { session, like, text, attempts } => {
            let after = if *attempts == 0 { 0 } else { SETTLE_MS << (*attempts).min(8) };
            PluginAction {
                like: like.as_ref().map(SessionId::as_str),
                text: Some(text.into()),
                after_ms: Some(after),
                attempt: Some(attempts.saturating_add(1)),
                ..of("prompt", session)
            }
        }
        HostAction::Delete { session } => of("delete", session),
    }
}

fn message<'a>(what: &'static str, text: impl Into<Cow<'a, str>>) -> PluginAction<'a> {
    PluginAction { what, text: Some(text.into()), ..nothing() }
}

fn nothing<'a>() -> PluginAction<'a> {
    PluginAction {
        v: VERSION,
        what: "none",
        run: None,
        session: None,
        like: None,
        title: None,
        text: None,
        after_ms: None,
        attempt: None,
        aside: false,
        off: false,
        toast: None,
    }
}

/// Returns the text for the user. An answer is always shown, whatever the agent
/// does.
fn toast(reply: &HostReply) -> Option<PluginToast<'_>> {
    let answer = match &reply.effect {
        ReplyEffect::Answer { text } => Some(text),
        ReplyEffect::None
        | ReplyEffect::GoOn { .. }
        | ReplyEffect::Do { .. }
        | ReplyEffect::Tell { .. }
        | ReplyEffect::Begin { .. }
        | ReplyEffect::Wake { .. } => None,
    };
    let text = reply.brief.as_ref().or(reply.note.as_ref()).or(answer)?;
    let variant = match reply.tone {
        NoteTone::Info => "info",
        NoteTone::Success => "success",
        NoteTone::Warning => "warning",
        NoteTone::Error => "error",
    };
    // The toast's title is `ralph` already.
    let text = text.strip_prefix("ralph: ").unwrap_or(text);
    Some(PluginToast { text, variant })
}

#[cfg(test)]
mod tests {
    use ralph_core::host::{EventAgent, HostTurnEnd, PromptPosition};

    use super::*;

    fn event(name: &str, what: HostEventKind) -> HostEvent {
        HostEvent {
            mode: None,
            session: None,
            actor: EventAgent::Main,
            prompt: None,
            folder: None,
            name: name.to_owned(),
            what,
        }
    }

    fn typed(name: &str) -> HostEvent {
        let position = PromptPosition::Unknown;
        event(
            name,
            HostEventKind::Prompt(PromptEvent::Sent { text: "fix it".to_owned(), position }),
        )
    }

    #[track_caller]
    fn check(event: &HostEvent, reply: &HostReply, want: &str) {
        assert_eq!(render(event, reply), want, "{event:?} {reply:?}");
    }

    #[test]
    fn nothing_is_said_without_a_word_for_anybody() {
        check(&typed("chat.message"), &HostReply::silent(), "");
        let tell = ReplyEffect::Tell { context: "x".to_owned() };
        check(
            &event("session.deleted", HostEventKind::Turn(TurnEvent::ChildEnded)),
            &HostReply::of(tell),
            "",
        );
    }

    #[test]
    fn an_agent_goes_on_half_a_second_after_it_fell_silent() {
        let idle =
            event("session.idle", HostEventKind::Turn(TurnEvent::Ended(HostTurnEnd::default())));
        let reply =
            HostReply::of(ReplyEffect::GoOn { reason: "go on".to_owned() }).with_note("2/5");
        let want = r#"{"v":1,"do":"prompt","text":"go on","after_ms":500,"attempt":1,"toast":{"text":"2/5","variant":"info"}}"#;
        check(&idle, &reply, want);
    }

    #[test]
    fn what_was_not_delivered_is_sent_again_later_each_time() {
        let failed = |attempts| {
            let error = "busy".to_owned();
            event(
                "prompt.failed",
                HostEventKind::Prompt(PromptEvent::NotDelivered { attempts, error }),
            )
        };
        let reply = || HostReply::of(ReplyEffect::GoOn { reason: "x".to_owned() });
        let want = |after, attempt| {
            format!(r#"{{"v":1,"do":"prompt","text":"x","after_ms":{after},"attempt":{attempt}}}"#)
        };
        check(&failed(1), &reply(), &want(1000, 2));
        check(&failed(3), &reply(), &want(4000, 4));
    }

    #[test]
    fn what_a_tool_made_worse_follows_what_it_returned() {
        let edited = event("tool.execute.after", HostEventKind::Tools(ToolEvent::Used(Vec::new())));
        let reply = HostReply::of(ReplyEffect::Tell { context: "a.py:1: no".to_owned() });
        check(&edited, &reply, r#"{"v":1,"do":"append","text":"\n\na.py:1: no"}"#);
    }

    #[test]
    fn the_plugin_sleeps_until_it_is_due_but_never_for_long() {
        let broken = event("wake", HostEventKind::Prompt(PromptEvent::Due));
        let wake = |after| HostReply::of(ReplyEffect::Wake { after });
        let want = |after| format!(r#"{{"v":1,"do":"wake","after_ms":{after}}}"#);
        check(&broken, &wake(Duration::from_secs(61)), &want(61_000));
        check(&broken, &wake(Duration::from_hours(900)), &want(600_000));
    }

    #[test]
    fn a_task_that_was_typed_as_a_message_is_followed_by_the_rules_alone() {
        let begin = || {
            let rules = "\n\n(중요: 모든 작업이 완료되면 반드시 'DONE'을 출력하세요.)".to_owned();
            HostReply::of(ReplyEffect::Begin { task: "고쳐 줘".to_owned(), rules })
        };
        check(
            &typed("chat.message"),
            &begin(),
            r#"{"v":1,"do":"append","text":"\n\n(중요: 모든 작업이 완료되면 반드시 'DONE'을 출력하세요.)"}"#,
        );
        check(
            &typed("command.execute.before"),
            &begin(),
            r#"{"v":1,"do":"replace","text":"고쳐 줘\n\n(중요: 모든 작업이 완료되면 반드시 'DONE'을 출력하세요.)"}"#,
        );
    }

    #[test]
    fn an_answer_is_shown_and_takes_the_place_of_the_command() {
        let text = "no run here".to_owned();
        let said =
            render(&typed("command.execute.before"), &HostReply::of(ReplyEffect::Answer { text }));
        let action: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(action["do"], "replace");
        assert!(action["text"].as_str().unwrap().ends_with("nothing else.\n\nno run here"));
        assert_eq!(action["toast"]["text"], "no run here");
        assert_eq!((&action["aside"], action.get("off")), (&true.into(), None));
    }

    #[test]
    fn an_answer_to_what_ended_something_calls_off_what_is_due() {
        let reply = HostReply::of(ReplyEffect::Answer { text: "stopped".to_owned() }).calling_off();
        let said = render(&typed("command.execute.before"), &reply);
        let action: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!((&action["aside"], &action["off"]), (&true.into(), &true.into()));
    }

    #[test]
    fn a_toast_has_room_for_one_sentence() {
        let idle =
            event("session.idle", HostEventKind::Turn(TurnEvent::Ended(HostTurnEnd::default())));
        let brief = Some("최대 재시도 횟수에 도달했습니다".to_owned());
        let reply = HostReply::silent().with_note("a long story").with_brief(brief);
        check(
            &idle,
            &reply.in_tone(NoteTone::Warning),
            r#"{"v":1,"do":"none","toast":{"text":"최대 재시도 횟수에 도달했습니다","variant":"warning"}}"#,
        );
    }

    #[test]
    fn a_toast_has_our_name_in_its_title_alone_and_shows_what_went_wrong_as_such() {
        let idle =
            event("session.idle", HostEventKind::Turn(TurnEvent::Ended(HostTurnEnd::default())));
        let reply = HostReply::silent().with_note("ralph: the store is broken");
        check(
            &idle,
            &reply.in_tone(NoteTone::Error),
            r#"{"v":1,"do":"none","toast":{"text":"the store is broken","variant":"error"}}"#,
        );
    }

    #[test]
    fn each_deed_is_one_action_with_the_run_it_is_for() {
        let run = RunId::from_bits(1);
        let session = |name| SessionId::new(name).unwrap();
        let said = |deed| {
            let reply = HostReply::of(ReplyEffect::Do { run: run.clone(), deed });
            render(&event("started", HostEventKind::HostStarted), &reply)
        };
        let deed = HostAction::Summarize { session: session("ses_1") };
        let want = r#"{"v":1,"do":"summarize","run":"run-00000001","session":"ses_1"}"#;
        assert_eq!(said(deed), want);
        let deed = HostAction::Create { instead_of: session("ses_1"), title: "t".to_owned() };
        let want = r#"{"v":1,"do":"create","run":"run-00000001","session":"ses_1","title":"t"}"#;
        assert_eq!(said(deed), want);
        let prompt = |attempts| HostAction::Prompt {
            session: session("ses_2"),
            like: Some(session("ses_1")),
            text: "go".to_owned(),
            attempts,
        };
        let want = |after, attempt| {
            format!(
                r#"{{"v":1,"do":"prompt","run":"run-00000001","session":"ses_2","like":"ses_1","text":"go","after_ms":{after},"attempt":{attempt}}}"#
            )
        };
        assert_eq!(said(prompt(0)), want(0, 1));
        assert_eq!(said(prompt(2)), want(2000, 3));
        for (deed, name) in [
            (HostAction::Check { session: session("ses_1") }, "check"),
            (HostAction::Select { session: session("ses_1") }, "select"),
            (HostAction::Delete { session: session("ses_1") }, "delete"),
        ] {
            let want = format!(r#"{{"v":1,"do":"{name}","run":"run-00000001","session":"ses_1"}}"#);
            assert_eq!(said(deed), want);
        }
    }
}
