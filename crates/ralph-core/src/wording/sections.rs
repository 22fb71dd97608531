//! Renders the feedback about a judged turn, each fact once.

use super::{circle_words, gate, headline, signal};
use crate::evidence::{GateFault, TurnTimeout, Verdict};
use crate::feedback::{FailureChange, Feedback, GateFeedback, TurnRemark, TurnVerdict, WrapUpHint};
use crate::locale::Locale;
use crate::policy::{Policy, Trust};
use crate::prompt::PromptSections;
use crate::time::render_span;

/// Approximate maximum length of the findings, in characters.
const FINDINGS_CHARS: usize = 4000;

/// Number of changes of tests and checks that are listed.
const NAMED_CHANGES: usize = 8;

/// Renders the feedback after a turn, section by section.
pub fn sections(feedback: &Feedback, policy: &Policy) -> PromptSections {
    PromptSections {
        verdict: verdict(feedback, policy),
        findings: findings(feedback, policy.locale),
        answer: unanswered(feedback, policy.locale).unwrap_or_default(),
        past: past(feedback, policy.locale).unwrap_or_default(),
        ..PromptSections::default()
    }
}

/// Explains why the work does not count as done: in counts if the run is about
/// errors and warnings, otherwise in a sentence.
fn verdict(feedback: &Feedback, policy: &Policy) -> String {
    let counts =
        policy.counts_diagnostics().then(|| headline::continue_line(feedback, policy.locale));
    let counts = counts.flatten();
    let is_short = counts.is_none() && policy.trust == Trust::Evidence;
    let why = reason(feedback, policy, counts.is_some());
    let last = (feedback.pace == WrapUpHint::WrapUp).then(|| last_turn(policy.locale).to_owned());
    let parts = [counts, why, trouble(feedback, policy.locale), last].into_iter().flatten();
    parts.collect::<Vec<_>>().join(if is_short { " " } else { "\n\n" })
}

/// Renders the reason in a sentence; `None` if the counts already show it.
#[expect(clippy::fn_params_excessive_bools, reason = "private, and named at its one call")]
fn reason(feedback: &Feedback, policy: &Policy, is_counted: bool) -> Option<String> {
    let locale = policy.locale;
    let not_done = |why: String| {
        locale.say(format!("Not done yet: {why}."), format!("아직 완료되지 않았습니다: {why}."))
    };
    Some(match &feedback.verdict {
        TurnVerdict::Failing(_) | TurnVerdict::NoResult(_) | TurnVerdict::Held if is_counted => {
            return None;
        }
        TurnVerdict::Failing(gates) => not_done(failing(gates, feedback, locale)),
        TurnVerdict::NoResult(gates) => not_done(without_result(gates, locale)),
        TurnVerdict::Held => not_done(
            locale.say("tests or checks were changed", "테스트나 검사가 바뀌었습니다").to_owned(),
        ),
        TurnVerdict::NearMiss(reason) => {
            let promise = policy.claim.promise.as_ref().map_or("", |promise| promise.as_str());
            reason.explain(promise, locale)
        }
        TurnVerdict::NoClaim => no_claim(policy),
        TurnVerdict::OnlyClaimMissing => only_claim_missing(policy),
        TurnVerdict::Unfinished => {
            locale.say("Not done yet.", "아직 완료되지 않았습니다.").to_owned()
        }
    })
}

fn no_claim(policy: &Policy) -> String {
    let text = match signal(&policy.claim) {
        Some(_) => policy.locale.say(
            "Your previous attempt did not output the completion promise. Continue working on the task.",
            "이전 시도에서 완료 신호가 출력되지 않았습니다. 작업을 계속하세요.",
        ),
        None => policy.locale.say(
            "Continue working on the task.",
            "작업을 계속하세요.",
        ),
    };
    text.to_owned()
}

fn only_claim_missing(policy: &Policy) -> String {
    match signal(&policy.claim) {
        Some(signal) => policy.locale.say(
            format!(
                "All checks pass. If the task is complete, end your reply with {signal}; otherwise go on."
            ),
            format!(
                "모든 검사를 통과했습니다. 작업이 끝났다면 답변 끝에 {signal} 출력으로 알리고, 아니면 계속하세요."
            ),
        ),
        None => policy.locale.say(
            "All checks pass. Continue working on the task.".to_owned(),
            "모든 검사를 통과했습니다. 작업을 계속하세요.".to_owned(),
        ),
    }
}

/// Renders `test_pass fails (1 test, the same as before)`.
fn failing(gates: &[String], feedback: &Feedback, locale: Locale) -> String {
    let news = |name: &String| feedback.gates.iter().find(|gate| gate.name == *name);
    let news: Vec<&GateFeedback> = gates.iter().filter_map(news).collect();
    if let [gate] = news[..]
        && gate.verdict == Verdict::Fail(GateFault::Refused)
    {
        return format!("{} {}", gate.name, super::verdict(&gate.verdict, locale));
    }
    let who = match (gates, locale) {
        ([one], Locale::En) => format!("{one} fails"),
        ([one, other], Locale::En) => format!("{one} and {other} fail"),
        (_, Locale::En) => format!("{} checks fail", gates.len()),
        ([one], Locale::Ko) => format!("{one} 실패"),
        ([one, other], Locale::Ko) => format!("{one}, {other} 실패"),
        (_, Locale::Ko) => format!("검사 {}개 실패", gates.len()),
    };
    let how_many = quantity(&news, locale).map(|quantity| {
        let parts = std::iter::once(quantity).chain(changed(feedback, locale));
        format!(" ({})", parts.collect::<Vec<_>>().join(", "))
    });
    who + &how_many.unwrap_or_default()
}

/// Renders the number of failures in these gates, as far as they were counted.
fn quantity(gates: &[&GateFeedback], locale: Locale) -> Option<String> {
    let tests: u64 = gates.iter().map(|gate| gate.tests.len() as u64 + gate.more_tests).sum();
    let problems = gates.iter().map(|gate| gate.problems.len() as u64 + gate.more_problems);
    let problems: u64 = problems.sum();
    Some(match (tests, problems, locale) {
        (0, 0, _) => return None,
        (1, 0, Locale::En) => "1 test".to_owned(),
        (tests, 0, Locale::En) => format!("{tests} tests"),
        (0, 1, Locale::En) => "1 problem".to_owned(),
        (tests, problems, Locale::En) => format!("{} problems", tests + problems),
        (tests, 0, Locale::Ko) => format!("테스트 {tests}개"),
        (tests, problems, Locale::Ko) => format!("문제 {}개", tests + problems),
    })
}

/// Renders the change since the last turn. While weakened tests block success,
/// nothing counts as fixed.
fn changed(feedback: &Feedback, locale: Locale) -> Vec<String> {
    let Some(FailureChange { fixed, new }) = feedback.change else { return Vec::new() };
    let fixed = if feedback.held.is_empty() { fixed } else { 0 };
    let words = match (fixed, new) {
        (0, 0) => locale.say(vec!["the same as before".to_owned()], vec!["이전과 같음".to_owned()]),
        (_, _) => locale.say(
            vec![format!("{new} new"), format!("{fixed} fixed")],
            vec![format!("새로 {new}개"), format!("해결 {fixed}개")],
        ),
    };
    let told = words.into_iter().zip([new + u32::from(fixed == 0), fixed]);
    told.filter(|(_, number)| *number > 0).map(|(word, _)| word).collect()
}

fn without_result(gates: &[String], locale: Locale) -> String {
    let names = gates.join(", ");
    match (gates, locale) {
        ([_], Locale::En) => format!("{names} has no result"),
        (_, Locale::En) => format!("{names} have no result"),
        (_, Locale::Ko) => format!("{names} 결과 없음"),
    }
}

/// Describes how the turn itself ended, if not normally.
fn trouble(feedback: &Feedback, locale: Locale) -> Option<String> {
    Some(match feedback.remark.as_ref()? {
        TurnRemark::TimedOut(TurnTimeout::Idle(limit)) => locale.say(
            format!(
                "The last turn was stopped after {} without output. Take smaller steps.",
                render_span(*limit)
            ),
            format!(
                "지난 턴은 {} 동안 출력이 없어 중단되었습니다. 더 작은 단계로 진행하세요.",
                render_span(*limit)
            ),
        ),
        TurnRemark::TimedOut(TurnTimeout::Wall(limit)) => locale.say(
            format!(
                "The last turn was stopped after {}, its limit. Take smaller steps.",
                render_span(*limit)
            ),
            format!(
                "지난 턴은 제한 시간({})을 넘겨 중단되었습니다. 더 작은 단계로 진행하세요.",
                render_span(*limit)
            ),
        ),
        TurnRemark::Failed { what } => locale.say(
            format!("The last turn ended with an error: {}.", gate::one_line(what)),
            format!("지난 턴이 오류로 끝났습니다: {}.", gate::one_line(what)),
        ),
        TurnRemark::Asked { .. } | TurnRemark::Circle(_) | TurnRemark::Stalled { .. } => {
            return None;
        }
    })
}

fn unanswered(feedback: &Feedback, locale: Locale) -> Option<String> {
    let Some(TurnRemark::Asked { question }) = &feedback.remark else { return None };
    Some(locale.say(
        format!(
            "You asked: \"{question}\" No one can answer: decide yourself and state your assumption."
        ),
        format!("질문: \"{question}\" 답할 사람이 없습니다. 스스로 결정하고 가정을 밝히세요."),
    ))
}

fn past(feedback: &Feedback, locale: Locale) -> Option<String> {
    Some(match (feedback.remark.as_ref()?, locale) {
        (TurnRemark::Circle(circle), Locale::En) => {
            format!(
                "You are going in a circle: {}. Try another approach.",
                circle_words(*circle, locale)
            )
        }
        (TurnRemark::Circle(circle), Locale::Ko) => format!(
            "같은 자리를 맴돌고 있습니다. {}. 다른 방법을 시도하세요.",
            circle_words(*circle, locale)
        ),
        (TurnRemark::Stalled { turns: 1, limit }, Locale::En) => format!(
            "The last turn changed nothing that counts (1 of {limit}). Try another approach."
        ),
        (TurnRemark::Stalled { turns, limit }, Locale::En) => format!(
            "The last {turns} turns changed nothing that counts ({turns} of {limit}). Try another approach."
        ),
        (TurnRemark::Stalled { turns, limit }, Locale::Ko) => format!(
            "{turns}턴 연속 의미 있는 변화가 없습니다(최대 {limit}턴). 다른 방법을 시도하세요."
        ),
        (TurnRemark::TimedOut(_) | TurnRemark::Failed { .. } | TurnRemark::Asked { .. }, _) => {
            return None;
        }
    })
}

fn last_turn(locale: Locale) -> &'static str {
    locale.say(
        "This is the last turn: finish what you began, leave the files in a working state, and list what is left.",
        "이번이 마지막 턴입니다. 시작한 일을 마무리하고, 파일을 동작하는 상태로 두고, 남은 일을 적으세요.",
    )
}

/// Renders the gates that do not pass, then the changes that block success. Gates
/// share the room that those leave.
fn findings(feedback: &Feedback, locale: Locale) -> String {
    let held = held(feedback, locale);
    let taken = held.as_ref().map_or(0, |held| held.chars().count());
    let mut room = FINDINGS_CHARS.saturating_sub(taken);
    let mut left = feedback.gates.len();
    let mut texts = Vec::new();
    for news in &feedback.gates {
        let text = gate::describe(news, locale, room / left);
        room = room.saturating_sub(text.chars().count());
        left -= 1;
        texts.push(text);
    }
    texts.extend(held);
    texts.join("\n\n")
}

fn held(feedback: &Feedback, locale: Locale) -> Option<String> {
    if feedback.held.is_empty() {
        return None;
    }
    let head = locale.say(
        "With these changes of tests or checks the work does not count as done. Undo them. If the task asks for one, leave it and say so: the user decides.",
        "다음과 같이 테스트나 검사가 바뀌어 이대로는 완료로 인정되지 않습니다. 되돌리세요. 작업에 필요한 변경이라면 그대로 두고 이유를 밝히세요. 사용자가 결정합니다.",
    );
    let named = feedback.held.iter().take(NAMED_CHANGES);
    let mut lines: Vec<String> = named.map(|one| format!("{}: {}", one.place, one.what)).collect();
    let more = feedback.held.len().saturating_sub(NAMED_CHANGES);
    lines
        .extend((more > 0).then(|| locale.say(format!("and {more} more"), format!("외 {more}건"))));
    Some(format!("{head}\n{}", gate::fenced(&lines)))
}
