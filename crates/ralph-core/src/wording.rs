//! The words in which agents and people are told things, in every language we have.

use crate::claim::{ClaimRules, MatchMode};
use crate::evidence::{Fault, Timeout, Verdict, Weakening};
use crate::feedback::{Feedback, Pace, Point};
use crate::line::inline;
use crate::locale::Locale;
use crate::policy::{self, AddedTests, Context, Criterion, Need, Policy, Trust};
use crate::run::Run;
use crate::template;
use crate::time::render_span;

mod gate;
pub mod hands;
mod headline;
pub mod host;
pub mod learned;
mod outcome;
mod summary;

pub use gate::{GateAttempt, extent, no_time, what_fails};
pub use headline::{auto_continue_line, complete_line, score};
pub use outcome::{
    circle_words, run_sentence, session_sentence, state_sentence, state_words, weak_checks,
};
pub use summary::{Past, PastTurn, refused, summary};

/// About how long the feedback may get, in characters: it has to be read.
const FEEDBACK_CHARS: usize = 4000;

/// The continuation prompt when the user gave none.
///
/// Placeholders: `ITERATION`, `MAX`, `PROMISE`, `SIGNAL` (what to write when
/// done), `FEEDBACK`, `PROMPT`, `TARGETS`, `CHECKS`.
pub fn continuation_template(locale: Locale) -> &'static str {
    let text = match locale {
        Locale::En => include_str!("wording/continuation.en.txt"),
        Locale::Ko => include_str!("wording/continuation.ko.txt"),
    };
    text.trim_end()
}

/// The same for an agent that remembers no earlier turn.
fn anew_template(locale: Locale) -> &'static str {
    let text = match locale {
        Locale::En => include_str!("wording/anew.en.txt"),
        Locale::Ko => include_str!("wording/anew.ko.txt"),
    };
    text.trim_end()
}

/// How the agent signals that it is done; `None` when nothing would count.
pub fn signal(rules: &ClaimRules) -> Option<String> {
    match (&rules.promise, rules.mode) {
        (Some(promise), MatchMode::Tag) => Some(format!("<promise>{}</promise>", promise.as_str())),
        (Some(promise), MatchMode::Word | MatchMode::Contains) => Some(promise.as_str().to_owned()),
        (None, _) => rules.markers.first().map(|marker| marker.as_str().to_owned()),
    }
}

/// The sentence that asks for the signal, as appended to a first message.
pub fn instruction(policy: &Policy) -> String {
    let Some(signal) = signal(&policy.claim) else { return String::new() };
    match (policy.locale, policy.claim.mode) {
        (Locale::Ko, _) => {
            format!("\n\n(중요: 모든 작업이 완료되면 반드시 '{signal}'을 출력하세요.)")
        }
        (Locale::En, MatchMode::Tag) => format!(
            "\n\n(Important: when all the work is complete, end your reply with {signal} on a line of its own.)"
        ),
        (Locale::En, MatchMode::Word | MatchMode::Contains) => {
            format!("\n\n(Important: when all the work is complete, output '{signal}'.)")
        }
    }
}

/// The prompt of the first turn: the task verbatim, then how it will be judged.
pub fn first_prompt(run: &Run) -> String {
    run.task.text.clone() + &rules(run)
}

/// What follows the task in the first turn, to be appended to it as it is.
pub fn rules(run: &Run) -> String {
    let sections = [targets(run), checks(&run.policy), wish_for_tests(run)].into_iter().flatten();
    let sections: Vec<String> = sections.map(|section| format!("\n\n{section}")).collect();
    sections.concat() + &instruction(&run.policy)
}

fn targets(run: &Run) -> Option<String> {
    let label = match run.policy.locale {
        Locale::En => "Files in question",
        Locale::Ko => "대상 파일",
    };
    (!run.task.targets.is_empty()).then(|| format!("{label}: {}", run.task.targets.join(", ")))
}

/// Asks for tests where no check can tell whether the task is done.
fn wish_for_tests(run: &Run) -> Option<String> {
    let policy = &run.policy;
    let has_tests = policy.gates.iter().any(|gate| gate.criterion == Criterion::TestPass);
    let is_green = run.baseline.as_ref().is_some_and(|baseline| baseline.red.is_empty());
    let is_wanted = policy.trust == Trust::Evidence && policy.tests.added == AddedTests::Expect;
    let text = match policy.locale {
        Locale::En => {
            "They all pass already. If your work changes what the program does, add a test that \
             fails without it."
        }
        Locale::Ko => {
            "모두 이미 통과하고 있습니다. 프로그램의 동작을 바꾸는 작업이라면, 그 변경 없이는 실패하는 \
             테스트를 추가하세요."
        }
    };
    (has_tests && is_green && is_wanted).then(|| text.to_owned())
}

fn checks(policy: &Policy) -> Option<String> {
    let intro = match (policy.locale, policy.trust) {
        (Locale::En, Trust::Evidence) => {
            "These checks are run for you after every turn, and the work counts as done only when they pass:"
        }
        (Locale::En, Trust::Claim) => "These checks are run for you after every turn:",
        (Locale::Ko, Trust::Evidence) => {
            "다음 검사는 매 턴이 끝난 뒤 자동으로 실행되며, 모두 통과해야 작업이 완료된 것으로 인정됩니다:"
        }
        (Locale::Ko, Trust::Claim) => "다음 검사는 매 턴이 끝난 뒤 자동으로 실행됩니다:",
    };
    let gates: Vec<String> = policy
        .gates
        .iter()
        .map(|gate| {
            let remark = match (gate.need, policy.locale) {
                (Need::Required, _) => "",
                (Need::Advisory, Locale::En) => " (for information only)",
                (Need::Advisory, Locale::Ko) => " (참고용)",
            };
            format!("- {}: `{}`{remark}", gate.name, gate.command.display())
        })
        .collect();
    (!gates.is_empty()).then(|| format!("{intro}\n{}", gates.join("\n")))
}

/// The prompt of every later turn. `template` is the user's own, if any.
pub fn continuation(run: &Run, template: Option<&str>) -> String {
    let policy = &run.policy;
    let signal = signal(&policy.claim);
    let template_is_ours = template.is_none();
    let sections = [targets(run).unwrap_or_default(), checks(policy).unwrap_or_default()];
    let template = match template {
        Some(template) => template.to_owned(),
        None => default_template(policy, signal.as_deref()),
    };
    let prompt = template::render(
        &template,
        &[
            ("ITERATION", &run.iteration.to_string()),
            ("MAX", &policy.limits.iterations.to_string()),
            ("PROMISE", promise_of(policy)),
            ("SIGNAL", signal.as_deref().unwrap_or_default()),
            ("FEEDBACK", &run.feedback),
            ("PROMPT", &run.task.text),
            ("TARGETS", &sections[0]),
            ("CHECKS", &sections[1]),
        ],
    );
    // A template of the user's own says what it wants to say.
    let appended = if template_is_ours { &sections[..] } else { &[] };
    let parts = std::iter::once(&prompt).chain(appended).filter(|part| !part.is_empty());
    parts.map(String::as_str).collect::<Vec<_>>().join("\n\n")
}

/// Our own template, without the line that asks for a signal when none counts.
fn default_template(policy: &Policy, signal: Option<&str>) -> String {
    let template = match policy.context {
        Context::Fresh => anew_template(policy.locale),
        Context::Auto | Context::Same | Context::Summarize => continuation_template(policy.locale),
    };
    template
        .lines()
        .filter(|line| signal.is_some() || !line.contains("{{SIGNAL}}"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// What a person answers to the agent, with the question if there was one.
pub fn answer(question: Option<&str>, text: &str, locale: Locale) -> String {
    match (question, locale) {
        (Some(question), Locale::En) => {
            format!("You asked: \"{question}\"\nThe user answers: {text}")
        }
        (None, Locale::En) => format!("The user says: {text}"),
        (Some(question), Locale::Ko) => format!("질문: \"{question}\"\n사용자의 답변: {text}"),
        (None, Locale::Ko) => format!("사용자의 말: {text}"),
    }
}

/// The feedback as the agent reads it: one status line, then the points. It
/// is never long: gates share what the other points leave.
pub fn feedback(feedback: &Feedback, policy: &Policy) -> String {
    let is_gate = |point: &&Point| matches!(point, Point::Gate(_));
    let mut texts: Vec<String> =
        headline::continue_line(feedback, policy.locale).into_iter().collect();
    let others = feedback.points.iter().filter(|point| !is_gate(point));
    let taken: usize = others.map(|point| describe(point, policy, 0).chars().count()).sum();
    let mut room = FEEDBACK_CHARS.saturating_sub(taken);
    let mut gates = feedback.points.iter().filter(is_gate).count();
    for point in &feedback.points {
        let text = describe(point, policy, room / gates.max(1));
        if is_gate(&point) {
            room = room.saturating_sub(text.chars().count());
            gates -= 1;
        }
        texts.push(text);
    }
    if feedback.pace == Pace::WrapUp {
        texts.push(wrap_up(policy.locale).to_owned());
    }
    texts.join("\n\n")
}

fn wrap_up(locale: Locale) -> &'static str {
    match locale {
        Locale::En => {
            "This is likely the last turn: finish what is begun, leave the tree in good order, and say plainly what is left."
        }
        Locale::Ko => {
            "이번이 마지막 턴일 가능성이 높습니다. 시작한 일을 마무리하고 작업 트리를 정리된 상태로 두고, 남은 일을 분명히 적으세요."
        }
    }
}

/// A point in words; a gate in about as many characters as there is room for.
fn describe(point: &Point, policy: &Policy, room: usize) -> String {
    match policy.locale {
        Locale::En => describe_en(point, policy, room),
        Locale::Ko => describe_ko(point, policy, room),
    }
}

fn promise_of(policy: &Policy) -> &str {
    policy.claim.promise.as_ref().map_or("", |promise| promise.as_str())
}

fn describe_en(point: &Point, policy: &Policy, room: usize) -> String {
    match point {
        Point::ClaimRejected { gates } => format!(
            "You said the work is done, but it is not: {} did not pass. Do not claim it again before that is fixed.",
            gates.join(", ")
        ),
        Point::ClaimUnproven { gates } => format!(
            "You said the work is done, but that is not proven yet: {} has not been run to its end.",
            gates.join(", ")
        ),
        Point::NearMiss(reason) => reason.explain(promise_of(policy), Locale::En),
        Point::NoClaim => match signal(&policy.claim) {
            Some(_) => "Your previous attempt did not output the completion promise. Continue working on the task.".to_owned(),
            None => "Continue working on the task.".to_owned(),
        },
        Point::OnlyClaimMissing => match signal(&policy.claim) {
            Some(signal) => format!(
                "All checks pass. If the task is complete, say so with {signal}; otherwise go on."
            ),
            None => "All checks pass. Continue working on the task.".to_owned(),
        },
        Point::Change { fixed, new, still } => {
            format!("Since the last iteration: fixed {fixed}, new {new}, still {still}.")
        }
        Point::Gate(news) => gate::describe(news, Locale::En, room),
        Point::Weakened(weakening) => format!(
            "A test or a check was changed, and the work does not count as done with it: {}: {}. Undo that. If the task asks for it, leave it and say so: the user decides.",
            inline(&weakening.place), inline(&weakening.what)
        ),
        Point::MoreWeakened { count } => {
            match count {
                1 => "1 more change of that kind is held, too.".to_owned(),
                _ => format!("{count} more changes of that kind are held, too."),
            }
        }
        Point::TimedOut(Timeout::Idle(limit)) => format!(
            "The last turn was ended after {} without output. Its changes are kept. Work in smaller steps and avoid commands that wait for input.",
            render_span(*limit)
        ),
        Point::TimedOut(Timeout::Wall(limit)) => format!(
            "The last turn was ended after {}, in the middle of its work. Its changes are kept. Work in smaller steps and finish sooner.",
            render_span(*limit)
        ),
        Point::AgentFailed { what } => format!("The last turn ended with an error: {}.", inline(what)),
        Point::Asked { question } => format!(
            "You asked: \"{question}\" Nobody is here to answer. Choose the most sensible option yourself, state your assumption, and go on."
        ),
        Point::Circle(circle) => format!(
            "The files are back in a state they had before: {}; you are going round in a circle. Try something different.",
            circle_words(*circle, Locale::En)
        ),
        Point::Stalled { iterations, limit } => format!(
            "No progress for {iterations} of at most {limit} iterations. Do not repeat what you tried; take another approach."
        ),
    }
}

fn describe_ko(point: &Point, policy: &Policy, room: usize) -> String {
    match point {
        Point::ClaimRejected { gates } => format!(
            "완료되었다고 했지만 아직 아닙니다. 통과하지 못한 검사: {}. 고치기 전에는 다시 완료를 선언하지 마세요.",
            gates.join(", ")
        ),
        Point::ClaimUnproven { gates } => format!(
            "완료되었다고 했지만 아직 확인되지 않았습니다. 끝까지 실행되지 않은 검사: {}.",
            gates.join(", ")
        ),
        Point::NearMiss(reason) => reason.explain(promise_of(policy), Locale::Ko),
        Point::NoClaim => match signal(&policy.claim) {
            Some(_) => {
                "이전 시도에서 완료 신호가 출력되지 않았습니다. 작업을 계속하세요.".to_owned()
            }
            None => "작업을 계속하세요.".to_owned(),
        },
        Point::OnlyClaimMissing => match signal(&policy.claim) {
            Some(signal) => format!(
                "모든 검사를 통과했습니다. 작업이 끝났다면 {signal} 출력으로 알리고, 아니면 계속하세요."
            ),
            None => "모든 검사를 통과했습니다. 작업을 계속하세요.".to_owned(),
        },
        Point::Change { fixed, new, still } => {
            format!("지난 반복 이후: 해결 {fixed}건, 새로 생김 {new}건, 그대로 {still}건.")
        }
        Point::Gate(news) => gate::describe(news, Locale::Ko, room),
        Point::Weakened(weakening) => format!(
            "테스트나 검사가 바뀌어 이대로는 완료로 인정되지 않습니다: {}: {}. 되돌리세요. 작업에 필요한 변경이라면 그대로 두고 이유를 밝히세요. 사용자가 결정합니다.",
            inline(&weakening.place),
            inline(&weakening.what)
        ),
        Point::MoreWeakened { count } => {
            format!("같은 이유로 보류된 변경이 {count}건 더 있습니다.")
        }
        Point::TimedOut(Timeout::Idle(limit)) => format!(
            "지난 턴은 {} 동안 출력이 없어 종료되었습니다. 변경 사항은 보존됩니다. 더 작은 단계로 진행하고 입력을 기다리는 명령은 피하세요.",
            render_span(*limit)
        ),
        Point::TimedOut(Timeout::Wall(limit)) => format!(
            "지난 턴은 제한 시간({})을 넘겨 작업 도중 종료되었습니다. 변경 사항은 보존됩니다. 더 작은 단계로 나누어 빨리 끝내세요.",
            render_span(*limit)
        ),
        Point::AgentFailed { what } => format!("지난 턴이 오류로 끝났습니다: {}.", inline(what)),
        Point::Asked { question } => format!(
            "질문: \"{question}\" 답할 사람이 없습니다. 가장 합리적인 선택을 스스로 하고, 가정을 밝힌 뒤 계속하세요."
        ),
        Point::Circle(circle) => format!(
            "파일이 이전에 있던 상태로 되돌아왔습니다: {}. 같은 자리를 맴돌고 있으니 다른 방법을 시도하세요.",
            circle_words(*circle, Locale::Ko)
        ),
        Point::Stalled { iterations, limit } => format!(
            "{iterations}회 연속 진전이 없습니다(최대 {limit}회). 같은 시도를 반복하지 말고 다른 접근을 하세요."
        ),
    }
}

/// Asks the user whether changes of tests and checks are intended.
pub fn held_question(run: &Run, held: &[Weakening]) -> String {
    const NAMED: usize = 3;
    let named: Vec<String> =
        held.iter().take(NAMED).map(|one| format!("{}: {}", one.place, one.what)).collect();
    let more = held.len().saturating_sub(NAMED);
    let mut paths: Vec<&str> = held.iter().map(Weakening::file).collect();
    paths.dedup();
    let paths = paths.iter().map(|path| policy::quoted(path)).collect::<Vec<_>>().join(" ");
    let command = match run.session() {
        Some(_) => format!("/ralph allow {paths}"),
        None => format!("ralph allow {paths} && ralph resume"),
    };
    let named = named.join("; ");
    match (run.policy.locale, more) {
        (Locale::En, 0) => format!("{named}. Intended? `{command}`"),
        (Locale::En, _) => format!("{named}; and {more} more. Intended? `{command}`"),
        (Locale::Ko, 0) => format!("{named}. 의도한 변경이면 `{command}`"),
        (Locale::Ko, _) => format!("{named} 외 {more}건. 의도한 변경이면 `{command}`"),
    }
}

/// What was made weaker with the user's consent.
pub fn accepted(what: &str, locale: Locale) -> String {
    match locale {
        Locale::En => format!("{what} (accepted)"),
        Locale::Ko => format!("{what} (허용됨)"),
    }
}

/// What a gate came to, in a few words.
pub fn verdict(verdict: &Verdict, locale: Locale) -> String {
    match locale {
        Locale::En => verdict.describe(),
        Locale::Ko => verdict_ko(verdict),
    }
}

fn verdict_ko(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Pass => "통과".to_owned(),
        Verdict::Fail(Fault::Exit(code)) => format!("실패: 종료 코드 {code}"),
        Verdict::Fail(Fault::Signal(signal)) => format!("실패: 시그널 {signal}(으)로 중단됨"),
        Verdict::Fail(Fault::Timeout(limit)) => format!("실패: 시간 초과({})", render_span(*limit)),
        Verdict::Fail(Fault::Findings(count)) => format!("실패: 문제 {count}건"),
        Verdict::Fail(Fault::Refused) => "작업을 인정하지 않음".to_owned(),
        Verdict::Unclear { reason } => format!("불명확: {reason}"),
        Verdict::Unknown { reason } => format!("확인 불가: {reason}"),
    }
}

/// Columns on a terminal: most East Asian characters take two.
pub fn columns(text: &str) -> usize {
    let wide = |c: char| {
        matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..='\u{1faff}')
    };
    text.chars().map(|c| if wide(c) { 2 } else { 1 }).sum()
}

#[cfg(test)]
#[path = "wording_tests.rs"]
mod tests;
