//! Renders the reasons for how much a note is believed.

use ralph_core::Timestamp;
use ralph_core::locale::Locale;
use ralph_core::memory::NoteSource;
use ralph_core::memory::label::{AnchorState, NoteLabel, belief_left};
use ralph_core::memory::notes::as_data;
use ralph_engine::wire::local_time;
use ralph_memory::StoredNote;
use ralph_memory::event::{EventActor, NoteAnchor};

use super::NoteRenderer;
use crate::texts::often;

/// Number of other tasks that are named.
const NAMED: usize = 5;

impl NoteRenderer {
    /// Lists the reasons, a sentence each: the author, the events since, what fades,
    /// and the conclusion.
    pub(in super::super) fn reasons(
        &self,
        known: &StoredNote,
        label: NoteLabel,
        anchored: &[AnchorState],
        now: Timestamp,
    ) -> Vec<String> {
        let mut reasons = vec![self.origin(known), self.label(known, label)];
        for (anchor, state) in known.note.anchors.iter().zip(anchored) {
            reasons.push(self.anchor(anchor, *state));
        }
        reasons.extend(self.history(known));
        reasons.extend(self.agreement(known));
        reasons.push(self.fading(known));
        if let Some(end) = &known.retired {
            reasons.push(self.end(end.by.as_deref(), &end.why, end.at));
        }
        if !known.orders().is_empty() {
            reasons.push(self.order(known).to_owned());
        }
        reasons.push(self.belief(known, anchored, now));
        reasons
    }

    /// Explains what happens to a note that reads like an order.
    fn order(&self, known: &StoredNote) -> &'static str {
        match (known.actor, known.verified, self.locale) {
            (EventActor::User, _, Locale::En) => {
                "It reads like an order to the agent; as it is your own word it is shown."
            }
            (EventActor::User, _, Locale::Ko) => {
                "에이전트에게 내리는 명령처럼 읽히지만 사용자의 말이므로 보여 줍니다."
            }
            (EventActor::Agent | EventActor::Ralph | EventActor::Import, true, Locale::En) => {
                "It reads like an order to the agent, and is marked as such when it is shown."
            }
            (EventActor::Agent | EventActor::Ralph | EventActor::Import, true, Locale::Ko) => {
                "에이전트에게 내리는 명령처럼 읽히므로 보여 줄 때 그렇게 표시합니다."
            }
            (EventActor::Agent | EventActor::Ralph | EventActor::Import, false, Locale::En) => {
                "It reads like an order to the agent, and is kept from it."
            }
            (EventActor::Agent | EventActor::Ralph | EventActor::Import, false, Locale::Ko) => {
                "에이전트에게 내리는 명령처럼 읽히므로 에이전트에게 보여 주지 않습니다."
            }
        }
    }

    fn origin(&self, known: &StoredNote) -> String {
        let who = match (known.actor, known.source()) {
            (EventActor::User, _) => self.say("You wrote it", "사용자가 썼습니다"),
            (EventActor::Ralph, _) => {
                self.say("A check of ours showed it", "검사 결과에서 나왔습니다")
            }
            (EventActor::Import, _) => self.say(
                "It was imported, so anybody may have written it",
                "가져온 기록이라 누가 썼는지 알 수 없습니다",
            ),
            (EventActor::Agent, NoteSource::AgentCiting) => self.say(
                "An agent wrote it and named a place to look at",
                "에이전트가 근거가 되는 위치와 함께 썼습니다",
            ),
            (EventActor::Agent, _) => self.say(
                "An agent wrote it without a place to look at",
                "에이전트가 근거 없이 썼습니다",
            ),
        };
        let at = local_time(known.recorded);
        let place = match (&known.place.run, known.place.iteration, &known.place.session) {
            (Some(run), Some(iteration), _) => format!(", {run} #{iteration}"),
            (Some(run), None, _) => format!(", {run}"),
            (None, _, Some(session)) => format!(", {session}"),
            (None, _, None) => String::new(),
        };
        format!("{who} ({at}{place}).")
    }

    fn label(&self, known: &StoredNote, label: NoteLabel) -> String {
        match label {
            NoteLabel::Verified if known.actor == EventActor::User => self.say(
                "It is labelled [VERIFIED] because it is your own word.",
                "사용자의 말이므로 [VERIFIED] 로 표시합니다.",
            ),
            NoteLabel::Verified => self.say(
                "It is labelled [VERIFIED]: checks passed in an iteration that wrote or cited it.",
                "이 기록을 쓰거나 인용한 반복에서 검사가 통과해 [VERIFIED] 로 표시합니다.",
            ),
            NoteLabel::Noted => self.say(
                "It has no label: there is a place to look at, and no check has proven it.",
                "근거는 있으나 검사로 입증되지 않아 표시가 없습니다.",
            ),
            NoteLabel::Hypothesis => self.say(
                "It is labelled [HYPOTHESIS]: nothing proves it and there is no place to look at.",
                "입증된 적도 근거도 없어 [HYPOTHESIS] 로 표시합니다.",
            ),
            NoteLabel::Stale => self.say(
                "It is labelled [STALE]: what it points at is not as it was.",
                "근거가 된 코드가 달라져 [STALE] 로 표시합니다.",
            ),
        }
        .to_owned()
    }

    fn anchor(&self, anchor: &NoteAnchor, state: AnchorState) -> String {
        let symbol = anchor.symbol.as_ref().map(|symbol| format!("#{symbol}"));
        let place = format!("{}{}", anchor.file, symbol.unwrap_or_default());
        let state = match state {
            AnchorState::Same => self.say("is as it was", "그대로입니다"),
            AnchorState::Changed => self.say("has changed since", "그 뒤 바뀌었습니다"),
            AnchorState::Unclear => self.say(
                "cannot be judged: the file is broken",
                "판단할 수 없습니다: 파일이 깨져 있습니다",
            ),
            AnchorState::Gone => self.say("is not there any more", "더 이상 없습니다"),
        };
        format!("{place} {state}.")
    }

    fn history(&self, known: &StoredNote) -> Option<String> {
        let counts = known.counts;
        if counts.shown + counts.cited + counts.passed + counts.failed == 0 {
            return None;
        }
        let (shown, cited, passed, failed) =
            (counts.shown, counts.cited, counts.passed, counts.failed);
        Some(match self.locale {
            Locale::En => {
                let [shown, cited, passed, failed] = [shown, cited, passed, failed].map(often);
                format!(
                    "It was shown {shown} and cited {cited}; checks passed {passed} in a turn that wrote or cited it, and failed {failed} in one that cited it."
                )
            }
            Locale::Ko => format!(
                "{shown}번 보여 주었고 {cited}번 인용되었습니다. 이 기록을 쓰거나 인용한 반복에서 검사가 {passed}번 통과했고, 인용한 반복에서 {failed}번 실패했습니다."
            ),
        })
    }

    fn agreement(&self, known: &StoredNote) -> Option<String> {
        let others = known.witnesses.len();
        let names = known.witnesses.iter().filter_map(|place| {
            place.run.as_deref().or(place.task.as_deref()).or(place.session.as_deref())
        });
        let names = names.take(NAMED).map(as_data).collect::<Vec<_>>().join(", ");
        let more = if others > NAMED { ", …" } else { "" };
        match (others, self.locale) {
            (0, _) => None,
            (1, Locale::En) => Some(format!("Another task came to the same: {names}.")),
            (_, Locale::En) => {
                Some(format!("{others} other tasks came to the same: {names}{more}."))
            }
            (_, Locale::Ko) => {
                Some(format!("다른 작업 {others}개가 같은 결론에 이르렀습니다: {names}{more}."))
            }
        }
    }

    fn fading(&self, known: &StoredNote) -> String {
        let kind = &known.note.kind;
        match (kind.half_life(), self.locale) {
            (None, Locale::En) => format!("Of a {kind} nothing fades with time."),
            (None, Locale::Ko) => format!("{kind} 기록은 시간이 지나도 흐려지지 않습니다."),
            (Some(days), Locale::En) => format!(
                "Half of what came of a {kind} stops counting after {:.0} days; what its author deserves does not fade.",
                days.0
            ),
            (Some(days), Locale::Ko) => format!(
                "{kind} 기록의 결과는 {:.0}일마다 절반만 남습니다. 작성자에 대한 신뢰는 흐려지지 않습니다.",
                days.0
            ),
        }
    }

    fn end(&self, by: Option<&str>, why: &str, at: Timestamp) -> String {
        let at = local_time(at);
        let reason = if why.is_empty() { String::new() } else { format!(": {why}") };
        match (by, self.locale) {
            (Some(by), Locale::En) => format!("It was replaced by {by} ({at}){reason}"),
            (Some(by), Locale::Ko) => format!("{by} 기록으로 대체되었습니다 ({at}){reason}"),
            (None, Locale::En) => format!("It was withdrawn ({at}){reason}"),
            (None, Locale::Ko) => format!("철회되었습니다 ({at}){reason}"),
        }
    }

    fn belief(&self, known: &StoredNote, anchored: &[AnchorState], now: Timestamp) -> String {
        let belief = known.belief_at(now);
        let left = belief_left(anchored);
        let (mean, lower) = (100.0 * belief.mean() * left, 100.0 * belief.lower() * left);
        match self.locale {
            Locale::En => format!(
                "So it is believed to be right in {mean:.0} of 100 cases, in at least {lower:.0} with some certainty."
            ),
            Locale::Ko => format!(
                "따라서 100번 중 {mean:.0}번, 보수적으로는 {lower:.0}번 이상 맞는다고 봅니다."
            ),
        }
    }
}
