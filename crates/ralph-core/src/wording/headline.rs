//! The status lines that begin with `Ralph Loop:`, and the words for counts.

use super::signal;
use crate::diagnostics::GateTotals;
use crate::feedback::{FailureCounts, Feedback};
use crate::locale::Locale;
use crate::policy::Policy;
use crate::run::Run;
use crate::score::Score;
use crate::state::{Proof, RunState};

/// Renders `Ralph Loop: CONTINUE | Iteration: 3/10 | Current: … | Progress: … | Next: …`.
///
/// Returns `None` without gates, because there are no counts.
pub(super) fn continue_line(feedback: &Feedback, locale: Locale) -> Option<String> {
    let standing = feedback.standing?;
    let (iteration, max) = (feedback.iteration, feedback.max_iterations);
    let (current, progress) = (current(standing, locale), progress(standing, locale));
    let next = next_step(feedback, standing, locale);
    Some(locale.say(
        format!(
            "Ralph Loop: CONTINUE | Iteration: {iteration}/{max} | Current: {current} | Progress: {progress} | Next: {next}"
        ),
        format!(
            "Ralph Loop: CONTINUE | 반복: {iteration}/{max} | 현재: {current} | 진행: {progress} | 다음: {next}"
        ),
    ))
}

/// Renders `50% improvement`; unknown while a gate has no result.
fn progress(standing: FailureCounts, locale: Locale) -> String {
    match standing.not_run {
        0 => locale.say(
            format!("{}% improvement", standing.improvement()),
            format!("{}% 개선", standing.improvement()),
        ),
        _ => locale.say("unknown".to_owned(), "알 수 없음".to_owned()),
    }
}

/// Renders `Ralph Loop: AUTO-CONTINUE | Issues detected - … | 5 error(s) remaining | …`.
///
/// This is for a loop that started automatically: it continues because of these
/// issues, and ends when none is left.
pub fn auto_continue_line(totals: GateTotals, policy: &Policy) -> String {
    let locale = policy.locale;
    let mut parts = vec![
        locale
            .say(
                "Ralph Loop: AUTO-CONTINUE | Issues detected - continuing automatically",
                "Ralph Loop: AUTO-CONTINUE | 문제가 감지되어 자동으로 계속합니다",
            )
            .to_owned(),
    ];
    let kinds = kinds(totals).into_iter().filter(|(_, number)| *number > 0);
    let left = |(kind, number)| {
        locale.say(
            format!("{} remaining", counted(kind, number, locale)),
            format!("{} 남음", counted(kind, number, locale)),
        )
    };
    // Warnings are shown only if there is nothing worse.
    let grave: Vec<_> = kinds.clone().filter(|(kind, _)| *kind != DefectKind::Warning).collect();
    let told = if grave.is_empty() { kinds.collect() } else { grave };
    let next = told.first().map(|(kind, _)| *kind);
    parts.extend(told.into_iter().map(left));
    parts.push(match next {
        Some(kind) => locale.say(
            format!("Next: Fix the {}", plural(kind)),
            format!("다음: 남은 {} 수정", korean(kind)),
        ),
        None => locale.say("Next: Finish the task".to_owned(), "다음: 작업 마무리".to_owned()),
    });
    parts.extend(signal(&policy.claim).map(|signal| {
        locale.say(format!("Output {signal} when complete"), format!("완료되면 {signal} 출력"))
    }));
    parts.join(" | ")
}

/// Renders `Ralph Loop: COMPLETE - … | Session: … | Iterations: … | …`.
///
/// Without gates there are no counts, and the line ends after the iterations.
pub fn complete_line(run: &Run) -> String {
    let locale = run.policy.locale;
    let (id, iterations) = (&run.id, run.iteration);
    let how = how_complete(run);
    let head = locale.say(
        format!("Ralph Loop: COMPLETE - {how} | Session: {id} | Iterations: {iterations}"),
        format!("Ralph Loop: COMPLETE - {how} | 세션: {id} | 반복: {iterations}"),
    );
    if !run.policy.measures() {
        return head;
    }
    let standing = FailureCounts::new(run, run.progress.failing.len(), run.progress.totals);
    let better = standing.improvement();
    let [initial, last] = both_ends(standing, locale);
    locale.say(
        format!("{head} | Total improvement: {better}% | Initial: {initial} | Final: {last}"),
        format!("{head} | 총 개선: {better}% | 시작: {initial} | 최종: {last}"),
    )
}

/// Describes the defects of an iteration in a few words.
pub fn score(score: &Score, locale: Locale) -> String {
    let parts = [
        (DefectKind::Test, score.failed_tests),
        (DefectKind::Error, score.errors),
        (DefectKind::Security, score.security),
        (DefectKind::Warning, score.warnings),
    ];
    let counted = parts.into_iter().filter(|(_, number)| *number > 0);
    let mut words: Vec<String> =
        counted.map(|(kind, number)| worded(kind, number, locale)).collect();
    match (words.is_empty(), score.unexplained) {
        (true, number) => words.push(failing(number, locale)),
        (false, 0) => {}
        (false, number) => words.push(worded(DefectKind::Check, number, locale)),
    }
    if score.weakened > 0 {
        words.push(locale.say("checks weakened", "검사 약화됨").to_owned());
    }
    words.join(", ")
}

/// Renders `1 test fails` or `2 errors are still left`: the defects that keep a run
/// from being done. `still` precedes the verb. Returns `None` without defects.
pub(super) fn what_is_wrong(totals: GateTotals, still: &str, locale: Locale) -> Option<String> {
    let kinds = kinds(totals).into_iter();
    let kinds = kinds.filter(|(kind, number)| *number > 0 && *kind != DefectKind::Warning);
    let words = kinds.map(|(kind, number)| match (kind, number, locale) {
        (DefectKind::Test, 1, Locale::En) => format!("1 test {still}fails"),
        (DefectKind::Test, _, Locale::En) => format!("{number} tests {still}fail"),
        (DefectKind::Check, 1, Locale::En) => format!("1 check {still}fails"),
        (DefectKind::Check, _, Locale::En) => format!("{number} checks {still}fail"),
        (_, 1, Locale::En) => format!("1 {} is {still}left", singular(kind)),
        (_, _, Locale::En) => format!("{number} {}s are {still}left", singular(kind)),
        (DefectKind::Test, _, Locale::Ko) => format!("{still}테스트 {number}개 실패"),
        (DefectKind::Check, _, Locale::Ko) => format!("{still}검사 {number}개 실패"),
        (_, _, Locale::Ko) => format!("{still}{} {number}개 남음", korean(kind)),
    });
    let words = words.collect::<Vec<_>>().join(", ");
    (!words.is_empty()).then_some(words)
}

/// Names the reason of success; checks that did not pass are never called satisfied.
fn how_complete(run: &Run) -> &'static str {
    let on_its_word =
        run.state == RunState::Success(Proof::Claimed) && !run.policy.gates.is_empty();
    if on_its_word {
        run.policy.locale.say("The agent's word was taken for it", "에이전트의 완료 선언을 신뢰함")
    } else {
        run.policy.locale.say("All conditions satisfied", "모든 조건 충족")
    }
}

/// The kind of a counted defect.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DefectKind {
    Error,
    Warning,
    Security,
    Test,
    /// A gate that fails without saying why.
    Check,
}

/// Returns the count of each kind, in the best order for fixing them.
fn kinds(totals: GateTotals) -> [(DefectKind, u64); 5] {
    [
        (DefectKind::Error, totals.counts.errors),
        (DefectKind::Test, totals.failed_tests()),
        (DefectKind::Security, totals.counts.security),
        (DefectKind::Check, totals.unexplained),
        (DefectKind::Warning, totals.counts.warnings),
    ]
}

/// Renders the current counts: errors, warnings and security issues always, others
/// if not zero.
fn current(standing: FailureCounts, locale: Locale) -> String {
    let failing = failures(standing, locale);
    match standing.not_run {
        0 => failing,
        number => locale
            .say(format!("{failing}, {number} not run"), format!("{failing}, 미실행 {number}건")),
    }
}

fn failures(standing: FailureCounts, locale: Locale) -> String {
    if !standing.is_counted() {
        return failing(standing.failing.into(), locale);
    }
    let GateTotals { counts, .. } = standing.now;
    let mut parts = vec![
        (DefectKind::Error, counts.errors),
        (DefectKind::Warning, counts.warnings),
        (DefectKind::Security, counts.security),
    ];
    let others = [
        (DefectKind::Test, standing.now.failed_tests()),
        (DefectKind::Check, standing.now.unexplained),
    ];
    parts.extend(others.into_iter().filter(|(_, number)| *number > 0));
    let parts = parts.into_iter().map(|(kind, number)| counted(kind, number, locale));
    parts.collect::<Vec<_>>().join(", ")
}

/// Renders the counts at the start and now: errors and warnings always, others if
/// ever above zero.
fn both_ends(standing: FailureCounts, locale: Locale) -> [String; 2] {
    let FailureCounts { failing: now, initially, .. } = standing;
    if !standing.is_counted() {
        return [initially, now].map(|number| failing(number.into(), locale));
    }
    let kept = |kind: DefectKind| {
        let number = |totals| kinds(totals).into_iter().find(|(known, _)| *known == kind);
        let ever = [standing.start, standing.now].into_iter().filter_map(number);
        matches!(kind, DefectKind::Error | DefectKind::Warning)
            || ever.into_iter().any(|(_, n)| n > 0)
    };
    let order = [
        DefectKind::Error,
        DefectKind::Warning,
        DefectKind::Security,
        DefectKind::Test,
        DefectKind::Check,
    ];
    [standing.start, standing.now].map(|totals| {
        let all = kinds(totals);
        let shown = order.into_iter().filter(|kind| kept(*kind));
        let shown = shown.filter_map(|kind| all.into_iter().find(|(known, _)| *known == kind));
        let words = shown.map(|(kind, number)| worded(kind, number, locale));
        words.collect::<Vec<_>>().join(", ")
    })
}

/// Suggests the first step, based on the gates.
fn next_step(feedback: &Feedback, standing: FailureCounts, locale: Locale) -> String {
    let Some(gate) = feedback.gates.first() else {
        return locale.say("finish the task", "작업 마무리").to_owned();
    };
    let first = kinds(standing.now).into_iter().find(|(_, number)| *number > 0);
    match (first, locale) {
        (None, Locale::En) if standing.not_run > 0 => format!("get a result from {}", gate.name),
        (None, Locale::Ko) if standing.not_run > 0 => format!("{} 결과 확인", gate.name),
        (Some((DefectKind::Test, number)), Locale::En) => format!("Fix {number} failing test(s)"),
        (Some((DefectKind::Check, _)) | None, Locale::En) => format!("make {} pass", gate.name),
        (Some((DefectKind::Check, _)) | None, Locale::Ko) => format!("{} 통과시키기", gate.name),
        (Some((kind, number)), Locale::En) => {
            format!("Fix {number} remaining {}(s)", singular(kind))
        }
        (Some((kind, number)), Locale::Ko) => {
            format!("남은 {} 수정", counted(kind, number, Locale::Ko))
        }
    }
}

/// Renders `5 failing`, for gates that show only exit codes.
fn failing(number: u64, locale: Locale) -> String {
    locale.say(format!("{number} failing"), format!("실패 {number}건"))
}

/// Renders `5 error(s)`.
fn counted(kind: DefectKind, number: u64, locale: Locale) -> String {
    locale.say(format!("{number} {}(s)", singular(kind)), worded(kind, number, locale))
}

/// Renders `1 error` or `5 errors`.
fn worded(kind: DefectKind, number: u64, locale: Locale) -> String {
    locale.say(
        format!("{number} {}{}", singular(kind), if number == 1 { "" } else { "s" }),
        format!("{} {number}건", korean(kind)),
    )
}

fn singular(kind: DefectKind) -> &'static str {
    match kind {
        DefectKind::Error => "error",
        DefectKind::Warning => "warning",
        DefectKind::Security => "security issue",
        DefectKind::Test => "failing test",
        DefectKind::Check => "failing check",
    }
}

fn plural(kind: DefectKind) -> &'static str {
    match kind {
        DefectKind::Error => "remaining errors",
        DefectKind::Warning => "remaining warnings",
        DefectKind::Security => "remaining security issues",
        DefectKind::Test => "failing tests",
        DefectKind::Check => "failing checks",
    }
}

fn korean(kind: DefectKind) -> &'static str {
    match kind {
        DefectKind::Error => "오류",
        DefectKind::Warning => "경고",
        DefectKind::Security => "보안 문제",
        DefectKind::Test => "실패한 테스트",
        DefectKind::Check => "실패한 검사",
    }
}

#[cfg(test)]
#[path = "headline_tests.rs"]
mod tests;
