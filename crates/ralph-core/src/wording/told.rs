//! Messages to the user of a session about its loop.

use super::{host, signal};
use crate::evidence::{TestEdit, WeakenedCheck};
use crate::line::inline;
use crate::locale::Locale;
use crate::policy::{Policy, Trust};
use crate::run::Run;

/// Maximum length of the description of a change, in characters.
const CHANGE_CHARS: usize = 120;

/// Number of changed tests that are listed.
const NAMED: usize = 3;

/// Tells the user that the checks prove nothing yet, because they pass before the
/// first turn; `None` if one fails.
pub fn passes_already(run: &Run) -> Option<String> {
    let passes = run.baseline.as_ref().is_some_and(|start| start.red.is_empty());
    if !passes || run.policy.trust != Trust::Evidence || run.policy.gates.is_empty() {
        return None;
    }
    let signal = signal(&run.policy.claim)?;
    Some(run.policy.locale.say(
        format!("The checks pass already, so it ends when the agent writes {signal}."),
        format!("검사가 이미 통과하므로 에이전트가 {signal} 을(를) 출력하면 끝납니다."),
    ))
}

/// Tells the user that a new loop replaces an interrupted one.
pub fn replaces(old: &Run, locale: Locale) -> String {
    let id = &old.id;
    locale.say(
        format!("It replaces {id}, which was interrupted; {id} is stopped."),
        format!("중단되었던 {id} 을(를) 끝내고 새로 시작합니다."),
    )
}

/// Tells the user that a loop whose client is gone was paused.
pub fn set_aside(old: &Run, locale: Locale) -> String {
    let id = &old.id;
    locale.say(
        format!(
            "The client of {id} is gone, so {id} is paused; `/ralph resume {id}` goes on with it."
        ),
        format!(
            "{id} 의 클라이언트가 종료되어 {id} 을(를) 일시 중지했습니다. `/ralph resume {id}` 로 이어서 진행합니다."
        ),
    )
}

/// Tells the user that a loop is running, so it cannot be resumed.
pub fn is_at_work(run: &Run) -> String {
    let (id, number, most) = (&run.id, run.iteration, run.policy.limits.iterations);
    run.policy.locale.say(
        format!(
            "ralph: loop {id} is running (turn {number} of {most}), so there is nothing to resume."
        ),
        format!("ralph: 루프 {id} 이(가) 진행 중입니다({number}/{most}턴). 재개할 것이 없습니다."),
    )
}

/// Tells the user that a command was already answered.
pub fn answered(locale: Locale) -> &'static str {
    locale.say(
        "ralph: this was answered when the turn ended.",
        "ralph: 턴이 끝날 때 이미 답했습니다.",
    )
}

/// Tells the user that every session starts a loop because of the installation.
pub fn begins_in_every_session(locale: Locale) -> &'static str {
    locale.say(
        "It began by itself because `arm` is `every-session`.",
        "`arm` 이 `every-session` 이므로 스스로 시작했습니다.",
    )
}

/// Tells the user that `on-errors` can hardly start a loop here.
pub fn only_security_looks(locale: Locale) -> &'static str {
    locale.say(
        "no linter, type checker or test was found, so only the security scan can begin a loop. \
         Add one to ralph.toml: `[gates.lint_clean]` with `command = \"…\"`.",
        "린터, 타입 검사기, 테스트를 찾지 못해 보안 검사만 루프를 시작할 수 있습니다. \
         ralph.toml 에 `[gates.lint_clean]` 과 `command = \"…\"` 를 추가하세요.",
    )
}

/// Tells the user which changes of tests and checks block success; `None` if there
/// are none. The user decides whether they weaken a check.
pub fn weakened(held: &[WeakenedCheck], locale: Locale) -> Option<String> {
    let first = held.first()?;
    let what: String = inline(&first.what).chars().take(CHANGE_CHARS).collect();
    let (place, others) = (&first.place, held.len() - 1);
    Some(match others {
        0 => locale.say(
            format!("A change of the checks is held: {place}: {what}."),
            format!("검사의 변경 1건이 보류되었습니다: {place}: {what}."),
        ),
        _ => locale.say(
            format!("{} changes of the checks are held, first {place}: {what}.", held.len()),
            format!(
                "검사의 변경 {}건이 보류되었습니다. 첫째는 {place}: {what} 입니다.",
                held.len()
            ),
        ),
    })
}

/// Tells the user which tests and checks were edited; `None` if none were.
pub fn edited(edits: &[TestEdit], policy: &Policy) -> Option<String> {
    // A result of the original tests of a gate is no edit.
    let places = edits.iter().map(|edit| edit.place.as_str());
    let mut places: Vec<&str> = places.filter(|place| !policy.names_gates(place)).collect();
    places.dedup();
    if places.is_empty() {
        return None;
    }
    let shown = places.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    Some(match places.len().saturating_sub(NAMED) {
        0 => policy.locale.say(
            format!("Tests were changed: {shown}."),
            format!("테스트가 변경되었습니다: {shown}."),
        ),
        more => policy.locale.say(
            format!("Tests were changed: {shown} and {more} more."),
            format!("테스트가 변경되었습니다: {shown} 외 {more}건입니다."),
        ),
    })
}

/// Explains that a loop waits because the agent is in plan mode.
pub fn plan_mode(locale: Locale) -> &'static str {
    locale.say(
        "the agent is in plan mode and may change nothing",
        "에이전트가 계획 모드여서 아무것도 바꿀 수 없습니다",
    )
}

/// Tells the user that the provider failed and the turn is repeated.
pub fn provider_failed(what: &str, run: &Run) -> String {
    let note = host::iteration(run);
    let note = note.strip_prefix("ralph: ").unwrap_or(&note);
    let what: String = inline(what).chars().take(CHANGE_CHARS).collect();
    run.policy.locale.say(
        format!("ralph: the provider failed ({what}); the agent tries again: {note}"),
        format!("ralph: 제공자가 오류를 냈습니다({what}). 다시 시도합니다: {note}"),
    )
}

/// Tells the user that a loop is paused because its session is gone.
pub fn session_gone(run: &Run) -> String {
    let id = &run.id;
    run.policy.locale.say(
        format!(
            "ralph: {id} is paused: its session is gone. `/ralph resume {id}` in another session takes it over, `/ralph stop {id}` ends it."
        ),
        format!(
            "ralph: 세션이 없어져 {id} 을(를) 일시 중지했습니다. 다른 세션에서 `/ralph resume {id}` 로 이어받고, `/ralph stop {id}` 로 끝냅니다."
        ),
    )
}

/// Tells the user that the client ended in the middle of a turn.
pub fn was_cut_off(run: &Run) -> String {
    let id = &run.id;
    run.policy.locale.say(
        format!(
            "ralph: the client ended in the middle of a turn of loop {id}. Say anything in its session to go on; `/ralph stop {id}` ends it."
        ),
        format!(
            "ralph: 루프 {id} 의 턴 중간에 클라이언트가 종료되었습니다. 그 세션에서 아무 말이나 하면 계속하고, `/ralph stop {id}` 로 끝냅니다."
        ),
    )
}

#[cfg(test)]
#[path = "told_tests.rs"]
mod tests;
