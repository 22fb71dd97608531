//! Explains in one sentence why a run ended, waits or is paused.

use super::headline::what_is_wrong;
use crate::circle::Circle;
use crate::diagnostics::GateTotals;
use crate::evidence::{Evidence, GateReport};
use crate::locale::Locale;
use crate::policy::{GateImportance, GateSpec, Trust};
use crate::run::Run;
use crate::state::{PauseReason, Proof, RunFailure, RunState, WaitReason};

/// Explains why a run ended, waits or is paused. A run that ended includes its
/// number of turns and the results of its checks.
pub fn run_sentence(run: &Run) -> String {
    run.policy.locale.say(sentence_en(run), sentence_ko(run))
}

/// Names the time until which a run waits for its provider.
pub fn limit_sentence(until: &str, locale: Locale) -> String {
    locale.say(
        format!("Waiting: the provider accepts no work until {until}."),
        format!("대기 중: 제공자가 {until}까지 작업을 받지 않습니다."),
    )
}

/// Renders `1 turn` or `2 turns`.
pub(super) fn turns(number: u32, locale: Locale) -> String {
    match (number, locale) {
        (1, Locale::En) => "1 turn".to_owned(),
        (_, Locale::En) => format!("{number} turns"),
        (_, Locale::Ko) => format!("{number}턴"),
    }
}

/// Renders `test_pass passes (1 failing test fixed)`.
fn what_passes(run: &Run) -> String {
    let locale = run.policy.locale;
    let gates = run.policy.gates.iter().filter(|gate| gate.need == GateImportance::Required);
    let gates: Vec<&GateSpec> = gates.collect();
    let passes = match (&gates[..], locale) {
        ([one], Locale::En) => format!("{} passes", one.name),
        ([one], Locale::Ko) => format!("{} 통과", one.name),
        (_, Locale::En) => format!("all {} checks pass", gates.len()),
        (_, Locale::Ko) => format!("검사 {}개 모두 통과", gates.len()),
    };
    let tests = run.progress.totals.tests.filter(|tests| tests.passed > 0);
    let remark = match (what_was_fixed(run), tests) {
        (Some(fixed), _) => fixed,
        (None, None) => return passes,
        (None, Some(tests)) => locale.say(
            format!("{} of {} tests", tests.passed, tests.passed + tests.failed),
            format!("테스트 {}개 중 {}개", tests.passed + tests.failed, tests.passed),
        ),
    };
    format!("{passes} ({remark})")
}

/// Renders `1 failing test, 2 errors fixed`.
fn what_was_fixed(run: &Run) -> Option<String> {
    // Failures that disappeared with accepted changes were not fixed.
    if run.progress.accepted {
        return None;
    }
    let start = run.baseline.as_ref().map(|start| start.totals).unwrap_or_default();
    let now = run.progress.totals;
    let tests = start.failed_tests().saturating_sub(now.failed_tests());
    let errors = start.counts.errors.saturating_sub(now.counts.errors);
    let fixed = [(tests, "failing test", "실패하던 테스트", "개"), (errors, "error", "오류", "건")];
    let fixed = fixed.into_iter().filter(|(number, ..)| *number > 0);
    let fixed: Vec<String> = fixed
        .map(|(number, one, korean, unit)| {
            let ending = if number == 1 { "" } else { "s" };
            let english = format!("{number} {one}{ending}");
            run.policy.locale.say(english, format!("{korean} {number}{unit}"))
        })
        .collect();
    let ending = run.policy.locale.say("fixed", "해결");
    (!fixed.is_empty()).then(|| format!("{} {ending}", fixed.join(", ")))
}

/// Translates the recorded word for the end of a turn.
pub fn turn_words(turn: &str, locale: Locale) -> &str {
    let (en, ko) = match turn {
        "finished" => ("finished", "끝남"),
        "no_turn" => ("no turn", "턴 없음"),
        "failed" => ("the agent failed", "에이전트 오류"),
        "aborted" => ("aborted", "중단됨"),
        "interrupted" => ("interrupted", "중단됨"),
        "human_asked" => ("asked you", "질문함"),
        "children_running" => ("background work", "백그라운드 작업"),
        "idle_timeout" => ("silent too long", "출력 없이 시간 초과"),
        "turn_timeout" => ("took too long", "턴 시간 초과"),
        "provider_limit" => ("provider refused", "제공자 거부"),
        "work_tree_gone" => ("work tree gone", "작업 트리가 사라짐"),
        other => (other, other),
    };
    locale.say(en, ko)
}

/// Explains why checks do not prove a run that the agent claims as done.
fn why_no_proof(run: &Run) -> &'static str {
    let has_checks = run.policy.trust == Trust::Evidence && run.policy.measures();
    let start = run.baseline.as_ref().filter(|_| has_checks);
    let unchanged = start.map(|start| start.tree.is_some() && start.tree == run.tree);
    // The old failure would be proof if the tests still revealed it.
    let was_red = start.is_some_and(|start| !start.red.is_empty());
    match unchanged {
        None => run.policy.locale.say("no check proves it", "검사 없음"),
        Some(true) => run.policy.locale.say("no file was changed", "바뀐 파일 없음"),
        Some(false) if was_red => run.policy.locale.say(
            "the tests pass, and they would also pass on the code of the start",
            "테스트는 통과하지만 시작 시점의 코드에서도 통과",
        ),
        Some(false) => run.policy.locale.say(
            "the checks pass, as they did before the first turn",
            "검사는 첫 턴 전과 마찬가지로 통과",
        ),
    }
}

/// Lists the failures left in a run that gave up, as another sentence.
fn still_wrong(run: &Run) -> String {
    let still = run.policy.locale.say("still ", "아직 ");
    let wrong = what_is_wrong(present_totals(run), still, run.policy.locale);
    wrong.map(|wrong| format!(" {wrong}.")).unwrap_or_default()
}

/// Returns the latest totals of the gates.
pub(super) fn present_totals(run: &Run) -> GateTotals {
    let now = run.progress.totals;
    let start = run.baseline.as_ref().map(|start| start.totals).unwrap_or_default();
    let is_start = now == GateTotals::default() && !run.progress.failing.is_empty();
    if is_start { start } else { now }
}

/// Number of failing tests before the first turn that leads to a warning.
const MANY_FAILURES: usize = 10;

/// Warns the user before the first turn about checks that already pass, which
/// cannot prove the task, and about many failing tests.
pub fn weak_checks(run: &Run, evidence: &Evidence) -> Option<String> {
    let policy = &run.policy;
    let is_judged = policy.gates.iter().any(GateSpec::is_judge);
    let is_green = policy.measures() && !evidence.gates.iter().any(GateReport::blocks);
    let failing = evidence.gates.iter().map(|gate| gate.failing_tests().count()).sum::<usize>();
    if is_green && !is_judged {
        let what = match failing {
            0 => policy.locale.say("All checks already pass", "모든 검사가 이미 통과하므로"),
            _ => policy.locale.say(
                "All tests but the known failures already pass",
                "알려진 실패를 뺀 모든 테스트가 이미 통과하므로",
            ),
        };
        return Some(policy.locale.say(
            format!(
                "{what}, so they cannot prove this task. Add a test that fails now, add \
                 `--judge`, or rely on the agent's word."
            ),
            format!(
                "{what} 이 작업이 끝났다는 증거가 되지 못합니다. 지금 실패하는 테스트를 \
                 추가하거나, `--judge`를 쓰거나, 에이전트의 완료 선언을 받아들이세요."
            ),
        ));
    }
    (failing >= MANY_FAILURES && !policy.allowed.known_failures).then(|| {
        policy.locale.say(
        format!(
            "{failing} tests fail before the first turn, and all of them must pass. If they are \
             not part of the task, start with `--known-failures`."
        ),
        format!(
            "첫 턴 전에 테스트 {failing}개가 실패하며, 모두 통과해야 합니다. 이 작업과 관계없는 \
             실패라면 `--known-failures`로 시작하세요."
        ),
    )
    })
}

/// Explains why a run is paused or ended after a command in a host's session;
/// `None` for states that no command leads to.
///
/// A command through a hook may come from the user or from the agent, so it is
/// never called the user's.
pub fn session_sentence(state: &RunState, locale: Locale) -> Option<&'static str> {
    Some(match state {
        RunState::Stopped => locale.say(
            "Stopped: a command in the session ended the run.",
            "종료: 세션 안의 명령으로 실행이 끝났습니다.",
        ),
        RunState::Paused(PauseReason::Asked) => locale.say(
            "Paused: a command in the session asked for it.",
            "일시 정지: 세션 안의 명령에 따라 멈췄습니다.",
        ),
        RunState::Running
        | RunState::Waiting(_)
        | RunState::Paused(PauseReason::Interrupted | PauseReason::Aborted | PauseReason::Capped)
        | RunState::Success(_)
        | RunState::Failed(_) => return None,
    })
}

/// Renders the status and its reason in a few words, as in `failed (no turns left)`.
pub fn state_words(state: &RunState, locale: Locale) -> String {
    let status = locale.say(state.status(), status_ko(state));
    match (reason_words(state), locale) {
        (Some((reason, _)), Locale::En) | (Some((_, reason)), Locale::Ko) => {
            format!("{status} ({reason})")
        }
        (None, _) => status.to_owned(),
    }
}

fn status_ko(state: &RunState) -> &'static str {
    match state {
        RunState::Running => "실행 중",
        RunState::Waiting(_) => "대기 중",
        RunState::Paused(_) => "일시 정지",
        RunState::Success(_) => "성공",
        RunState::Failed(_) => "실패",
        RunState::Stopped => "종료",
    }
}

/// Returns the reason of a state in both languages.
fn reason_words(state: &RunState) -> Option<(&'static str, &'static str)> {
    Some(match state {
        RunState::Running | RunState::Stopped => return None,
        RunState::Waiting(WaitReason::Limit { .. }) => ("for the provider", "제공자 대기"),
        RunState::Waiting(WaitReason::Human { .. }) => ("for your answer", "답변 필요"),
        RunState::Waiting(WaitReason::Child) => ("for background work", "백그라운드 작업"),
        RunState::Waiting(WaitReason::Host) => ("for the client", "호스트"),
        RunState::Paused(PauseReason::Asked) => ("on request", "요청"),
        RunState::Paused(PauseReason::Interrupted) => ("interrupted", "중단됨"),
        RunState::Paused(PauseReason::Aborted) => ("turn aborted", "턴 중단"),
        RunState::Paused(PauseReason::Capped) => ("by the client's cap", "호스트 제한"),
        RunState::Success(Proof::Verified) => ("verified", "검증됨"),
        RunState::Success(Proof::Claimed) => ("claimed", "완료 선언"),
        RunState::Failed(RunFailure::MaxIterations) => ("no turns left", "반복 횟수 소진"),
        RunState::Failed(RunFailure::MaxDuration) => ("no time left", "시간 소진"),
        RunState::Failed(RunFailure::NoProgress) => ("no progress", "진전 없음"),
        RunState::Failed(RunFailure::Circular(_)) => ("going in circles", "제자리 반복"),
        RunState::Failed(RunFailure::Budget) => ("no budget left", "예산 소진"),
        RunState::Failed(RunFailure::MaxRestarts) => ("too many restarts", "재시작 횟수 소진"),
        RunState::Failed(RunFailure::AgentError { .. }) => ("agent error", "에이전트 오류"),
        RunState::Failed(RunFailure::FolderGone { .. }) => ("folder gone", "폴더가 사라짐"),
    })
}

fn sentence_en(run: &Run) -> String {
    let after = turns(run.iteration, Locale::En);
    let text = match &run.state {
        RunState::Running => "Running: the agent is at work.",
        RunState::Waiting(WaitReason::Limit { .. }) => {
            "Waiting: the provider accepts no work for now."
        }
        RunState::Waiting(WaitReason::Human { question }) => {
            return format!("Waiting for you: {question}");
        }
        RunState::Waiting(WaitReason::Child) => {
            "Waiting: background work of the agent is still running."
        }
        RunState::Waiting(WaitReason::Host) => "Waiting: the host of the agent goes on by itself.",
        RunState::Paused(PauseReason::Asked) => "Paused: you asked for it.",
        RunState::Paused(PauseReason::Interrupted) => "Paused: the run was interrupted.",
        RunState::Paused(PauseReason::Aborted) => "Paused: the agent's turn was aborted.",
        RunState::Paused(PauseReason::Capped) => {
            "Paused: the host stops an agent that keeps going on without a tool."
        }
        RunState::Success(Proof::Verified) => {
            return format!("Done after {after}: {}.", what_passes(run));
        }
        RunState::Success(Proof::Claimed) => {
            return format!("Done after {after}, by the agent's word; {}.", why_no_proof(run));
        }
        RunState::Failed(RunFailure::MaxIterations) => {
            return format!("Stopped after {after}, the limit.{}", still_wrong(run));
        }
        RunState::Failed(failure) => {
            let why = failure_en(failure, run.policy.limits.stalled);
            return format!("Stopped after {after}: {why}.{}", still_wrong(run));
        }
        RunState::Stopped => "Stopped: you ended the run.",
    };
    text.to_owned()
}

/// Explains why a run gave up; `most` is its limit of turns without progress.
fn failure_en(failure: &RunFailure, most: u32) -> String {
    let text = match failure {
        RunFailure::MaxIterations => "all allowed turns are used",
        RunFailure::MaxDuration => "the allowed time is used",
        RunFailure::NoProgress => return format!("{most} in a row brought no progress"),
        RunFailure::Circular(None) => "the files kept returning to states they had been in before",
        RunFailure::Circular(Some(circle)) => {
            return format!(
                "the files kept returning to states they had been in before; {}",
                circle_words(*circle, Locale::En)
            );
        }
        RunFailure::Budget => "the allowed tokens or money are used",
        RunFailure::MaxRestarts => "the agent had to be restarted too often",
        RunFailure::AgentError { what } => return format!("the agent cannot work: {}", bare(what)),
        RunFailure::FolderGone { folder } => return format!("the folder {folder} was deleted"),
    };
    text.to_owned()
}

/// Renders `turn 5 returned to the state of turn 3 (3 → 4 → 5)`.
pub fn circle_words(circle: Circle, locale: Locale) -> String {
    let Circle { from, to } = circle;
    match from {
        0 => locale.say(
            format!("turn {to} returned to the state at the start ({})", circle.way("start")),
            format!("{to}번째 턴이 시작 시점의 상태로 되돌아갔습니다 ({})", circle.way("시작")),
        ),
        _ => locale.say(
            format!("turn {to} returned to the state of turn {from} ({})", circle.way("start")),
            format!("{to}번째 턴이 {from}번째 턴의 상태로 되돌아갔습니다 ({})", circle.way("시작")),
        ),
    }
}

fn sentence_ko(run: &Run) -> String {
    let after = turns(run.iteration, Locale::Ko);
    let text = match &run.state {
        RunState::Running => "실행 중: 에이전트가 작업하고 있습니다.",
        RunState::Waiting(WaitReason::Limit { .. }) => {
            "대기 중: 제공자가 지금은 작업을 받지 않습니다."
        }
        RunState::Waiting(WaitReason::Human { question }) => {
            return format!("답변을 기다리고 있습니다: {question}");
        }
        RunState::Waiting(WaitReason::Child) => {
            "대기 중: 에이전트의 백그라운드 작업이 아직 실행되고 있습니다."
        }
        RunState::Waiting(WaitReason::Host) => "대기 중: 호스트가 스스로 이어서 진행합니다.",
        RunState::Paused(PauseReason::Asked) => "일시 정지: 요청에 따라 멈췄습니다.",
        RunState::Paused(PauseReason::Interrupted) => "일시 정지: 실행이 중단되었습니다.",
        RunState::Paused(PauseReason::Aborted) => "일시 정지: 에이전트의 턴이 중단되었습니다.",
        RunState::Paused(PauseReason::Capped) => {
            "일시 정지: 도구를 쓰지 않고 계속하는 에이전트를 호스트가 멈췄습니다."
        }
        RunState::Success(Proof::Verified) => {
            return format!("{after} 만에 완료했습니다: {}.", what_passes(run));
        }
        RunState::Success(Proof::Claimed) => {
            let why = why_no_proof(run);
            return format!("{after} 만에 끝났습니다: 에이전트가 완료를 선언했습니다({why}).");
        }
        RunState::Failed(failure) => {
            let why = failure_ko(failure, run.policy.limits.stalled);
            return format!("{after} 만에 멈췄습니다: {why}.{}", still_wrong(run));
        }
        RunState::Stopped => "종료: 사용자가 실행을 끝냈습니다.",
    };
    text.to_owned()
}

fn failure_ko(failure: &RunFailure, most: u32) -> String {
    let text = match failure {
        RunFailure::MaxIterations => "허용된 턴을 모두 썼습니다",
        RunFailure::MaxDuration => "허용된 시간을 모두 썼습니다",
        RunFailure::NoProgress => return format!("{most}턴 연속 진전이 없었습니다"),
        RunFailure::Circular(None) => "파일이 이전 상태로 되돌아가기를 반복했습니다",
        RunFailure::Circular(Some(circle)) => {
            return format!(
                "파일이 이전 상태로 되돌아가기를 반복했습니다. {}",
                circle_words(*circle, Locale::Ko)
            );
        }
        RunFailure::Budget => "허용된 토큰이나 비용을 모두 썼습니다",
        RunFailure::MaxRestarts => "에이전트를 다시 시작한 횟수가 한도를 넘었습니다",
        RunFailure::AgentError { what } => {
            return format!("에이전트가 작업할 수 없습니다: {}", bare(what));
        }
        RunFailure::FolderGone { folder } => return format!("{folder} 폴더가 삭제되었습니다"),
    };
    text.to_owned()
}

/// Removes the full stop, for use inside a sentence.
fn bare(text: &str) -> &str {
    text.trim_end().trim_end_matches('.')
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;
