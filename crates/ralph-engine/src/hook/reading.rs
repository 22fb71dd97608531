//! What an event means: the run it concerns, the notes that its occasion calls for, and the
//! session whose work is summarised. All that hooks ask of an event is answered here,
//! without opening a database.

use ralph_config::ArmingMoment;
use ralph_core::host::{
    EventAgent, HostChannel, HostEvent, HostEventKind, PromptEvent, PromptPosition, SessionEvent,
    SessionStart, ToolEvent, TurnEvent,
};
use ralph_memory::resume::SummaryReader;

use super::slash::{SlashPrompt, is_ours};
use super::{HookInvocation, arm, standing};
use crate::app::App;
use crate::host::{SessionDir, SessionLiveness};
use crate::rights::{self, CallRight};

/// An event, and the place where it happened.
pub(super) struct EventReading<'a> {
    app: &'a App,
    call: &'a HookInvocation<'a>,
    event: &'a HostEvent,
}

/// The occasion on which notes are shown.
pub(super) enum RecallOccasion<'a> {
    /// A session begins empty.
    Start,
    /// A session was compacted; it is told what it needs before it goes on.
    Again,
    /// A session goes on with its full context.
    GoingOn,
    /// A session was compacted, and this reply is the last before the next prompt.
    Shortened,
    /// The user gives the task.
    Task(&'a str),
}

/// The session whose work is summarised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionOwnership {
    /// The session itself, for this reader.
    Own(SummaryReader),
    /// The last session in the work tree.
    Others,
}

impl<'a> EventReading<'a> {
    pub(super) fn new(app: &'a App, call: &'a HookInvocation<'a>, event: &'a HostEvent) -> Self {
        Self { app, call, event }
    }

    /// Returns true if the event can matter to a run.
    pub(super) fn concerns_run(&self) -> bool {
        let Self { app, event, .. } = self;
        if matches!(event.what, HostEventKind::HostStarted | HostEventKind::Action(_)) {
            return !app.is_driven() && SessionDir::any_is_marked(&app.home);
        }
        let Some(session) = &event.session else { return false };
        let reports_tools = matches!(event.what, HostEventKind::Tools(ToolEvent::Used(_)));
        if app.is_driven() {
            // The driver decides; what tools do is recorded all the same.
            return reports_tools && rights::of_event(&event.what) == CallRight::Anyone;
        }
        let is_main = event.actor == EventAgent::Main;
        if SessionDir::new(&app.home, session).is_marked() {
            return is_main || reports_tools;
        }
        if let HostEventKind::Session(SessionEvent::Started(start)) = &event.what {
            return matches!(start, SessionStart::Cleared | SessionStart::Forked);
        }
        if let HostEventKind::Prompt(PromptEvent::Sent { text, .. }) = &event.what {
            return is_main && (is_ours(text) || self.is_automatic());
        }
        let may_leave_errors = matches!(
            event.what,
            HostEventKind::Tools(ToolEvent::Asked(_) | ToolEvent::Used(_))
                | HostEventKind::Turn(TurnEvent::Ended(_))
        );
        may_leave_errors && is_main && self.is_automatic()
    }

    fn is_automatic(&self) -> bool {
        arm::mode(self.app, self.call) != ArmingMoment::Manual
    }

    /// Returns the occasion on which the main agent can be shown notes.
    pub(super) fn occasion(&self) -> Option<RecallOccasion<'a>> {
        let event = self.event;
        if event.actor != EventAgent::Main {
            return None;
        }
        if let HostEventKind::Prompt(PromptEvent::Sent { text, .. }) = &event.what {
            return self.is_task(text).then_some(RecallOccasion::Task(text));
        }
        if self.was_compacted() && self.call.host.reach == HostChannel::Messages {
            // Here the event is a message; the host reads a reply only when the turn ends.
            return Some(RecallOccasion::Shortened);
        }
        if self.ends_shortened() {
            return Some(RecallOccasion::Shortened);
        }
        let HostEventKind::Session(SessionEvent::Started(start)) = &event.what else {
            return None;
        };
        match start {
            SessionStart::New | SessionStart::Cleared => Some(RecallOccasion::Start),
            SessionStart::Compacted => Some(RecallOccasion::Again),
            SessionStart::Resumed => Some(RecallOccasion::GoingOn),
            SessionStart::Forked | SessionStart::Other => None,
        }
    }

    /// Returns true if a prompt gives a task.
    fn is_task(&self, text: &str) -> bool {
        let root = &self.app.project.root;
        match self.call.commands.parse(text, &|word| root.join(word).exists()) {
            Some(prompt) => matches!(prompt, SlashPrompt::Arm(_)),
            None => !text.trim_start().starts_with('/'),
        }
    }

    fn was_compacted(&self) -> bool {
        matches!(
            self.event.what,
            HostEventKind::Session(
                SessionEvent::Started(SessionStart::Compacted) | SessionEvent::Compacted { .. }
            )
        )
    }

    /// Returns true if the turn of a compacted session ends, which was shown no notes since.
    fn ends_shortened(&self) -> bool {
        matches!(self.event.what, HostEventKind::Turn(TurnEvent::Ended(_)))
            && standing::was_shortened(self.app, self.event)
    }

    /// Returns the session whose work is summarised on this event.
    pub(super) fn summarised(&self) -> Option<SessionOwnership> {
        let event = self.event;
        let session = event.session.as_ref().filter(|_| event.actor == EventAgent::Main)?;
        if self.was_compacted() || self.ends_shortened() {
            return Some(SessionOwnership::Own(SummaryReader::Newcomer));
        }
        if let HostEventKind::Session(SessionEvent::Started(start)) = &event.what {
            return match start {
                SessionStart::New => Some(SessionOwnership::Others),
                SessionStart::Resumed => Some(SessionOwnership::Own(SummaryReader::Itself)),
                SessionStart::Cleared
                | SessionStart::Compacted
                | SessionStart::Forked
                | SessionStart::Other => None,
            };
        }
        let HostEventKind::Prompt(PromptEvent::Sent { position, .. }) = &event.what else {
            return None;
        };
        if self.call.host.reach != HostChannel::Messages {
            return None;
        }
        let liveness = SessionDir::new(&self.app.home, session).liveness(self.call.caller);
        match (standing::was_shortened(self.app, event), liveness, position) {
            (true, ..) => Some(SessionOwnership::Own(SummaryReader::Newcomer)),
            (false, SessionLiveness::Gone, _) => Some(SessionOwnership::Own(SummaryReader::Itself)),
            (false, SessionLiveness::Unknown, PromptPosition::First) => {
                Some(SessionOwnership::Others)
            }
            (false, ..) => None,
        }
    }
}
