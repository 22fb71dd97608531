//! Why a run ended, waits or is paused, in one sentence.

use crate::circle::Circle;
use crate::evidence::{Evidence, GateReport};
use crate::locale::Locale;
use crate::policy::{GateSpec, Trust};
use crate::run::Run;
use crate::state::{Failure, Pause, Proof, State, Wait};
use crate::time::Timestamp;

/// Says in one sentence why a run ended, waits or is paused.
pub fn state_sentence(state: &State, locale: Locale) -> String {
    match locale {
        Locale::En => sentence_en(state),
        Locale::Ko => sentence_ko(state),
    }
}

/// Says the same of a run. One that ended on the agent's word although there
/// are checks says why they are no proof.
pub fn run_sentence(run: &Run) -> String {
    let locale = run.policy.locale;
    let has_checks = run.policy.trust == Trust::Evidence && run.policy.measures();
    let start = run.baseline.as_ref().filter(|_| has_checks);
    match (&run.state, start) {
        (State::Success(Proof::Claimed), Some(start)) => {
            let is_unchanged = start.tree.is_some() && start.tree == run.tree;
            let text = match (locale, is_unchanged) {
                (Locale::En, true) => "Done on the agent's word: nothing was changed.",
                (Locale::En, false) => {
                    "Done on the agent's word: the checks pass, as they did before the first turn."
                }
                (Locale::Ko, true) => {
                    "완료: 에이전트의 완료 선언을 받아들였습니다. 바뀐 파일이 없습니다."
                }
                (Locale::Ko, false) => {
                    "완료: 에이전트의 완료 선언을 받아들였습니다. 검사는 첫 턴 전과 마찬가지로 \
                     통과합니다."
                }
            };
            text.to_owned()
        }
        (state, _) => state_sentence(state, locale),
    }
}

/// How many failing tests before the first turn are many.
const MANY_FAILURES: usize = 10;

/// Warns the user before the first turn of checks that pass already and so
/// cannot prove the task, and of many tests that fail.
pub fn weak_checks(run: &Run, evidence: &Evidence) -> Option<String> {
    let policy = &run.policy;
    let is_judged = policy.gates.iter().any(GateSpec::is_judge);
    let is_green = policy.measures() && !evidence.gates.iter().any(GateReport::blocks);
    if is_green && !is_judged {
        let text = match policy.locale {
            Locale::En => {
                "All checks already pass, so they cannot prove this task. Add a test that fails \
                 now, add `--judge`, or rely on the agent's word."
            }
            Locale::Ko => {
                "모든 검사가 이미 통과하므로 이 작업이 끝났다는 증거가 되지 못합니다. 지금 실패하는 \
                 테스트를 추가하거나, `--judge`를 쓰거나, 에이전트의 완료 선언을 받아들이세요."
            }
        };
        return Some(text.to_owned());
    }
    let failing = evidence.gates.iter().map(|gate| gate.failing_tests().count()).sum::<usize>();
    (failing >= MANY_FAILURES && !policy.allowed.known_failures).then(|| match policy.locale {
        Locale::En => format!(
            "{failing} tests fail before the first turn, and all of them must pass. If they are \
             not part of the task, start with `--known-failures`."
        ),
        Locale::Ko => format!(
            "첫 턴 전에 테스트 {failing}개가 실패하며, 모두 통과해야 합니다. 이 작업과 관계없는 \
             실패라면 `--known-failures`로 시작하세요."
        ),
    })
}

/// Says why a run rests or ended if a command in a session of a host asked for
/// it; `None` for states that no command leads to.
///
/// What comes through a hook may be the user's word or the agent's: nobody can
/// tell, so it is never called the user's.
pub fn session_sentence(state: &State, locale: Locale) -> Option<&'static str> {
    Some(match (state, locale) {
        (State::Stopped, Locale::En) => "Stopped: a command in the session ended the run.",
        (State::Stopped, Locale::Ko) => "종료: 세션 안의 명령으로 실행이 끝났습니다.",
        (State::Paused(Pause::Asked), Locale::En) => {
            "Paused: a command in the session asked for it."
        }
        (State::Paused(Pause::Asked), Locale::Ko) => "일시 정지: 세션 안의 명령에 따라 멈췄습니다.",
        (
            State::Running
            | State::Waiting(_)
            | State::Paused(Pause::Interrupted | Pause::Aborted | Pause::Capped)
            | State::Success(_)
            | State::Failed(_),
            _,
        ) => return None,
    })
}

/// The status and its reason in a few words, as `failed (max_iterations)`.
pub fn state_words(state: &State, locale: Locale) -> String {
    let (status, reason) = match locale {
        Locale::En => (state.status(), state.reason()),
        Locale::Ko => (status_ko(state), reason_ko(state)),
    };
    match reason {
        Some(reason) => format!("{status} ({reason})"),
        None => status.to_owned(),
    }
}

fn status_ko(state: &State) -> &'static str {
    match state {
        State::Running => "실행 중",
        State::Waiting(_) => "대기 중",
        State::Paused(_) => "일시 정지",
        State::Success(_) => "성공",
        State::Failed(_) => "실패",
        State::Stopped => "종료",
    }
}

fn reason_ko(state: &State) -> Option<&'static str> {
    Some(match state {
        State::Running | State::Stopped => return None,
        State::Waiting(Wait::Limit { .. }) => "제공자 한도",
        State::Waiting(Wait::Human { .. }) => "답변 필요",
        State::Waiting(Wait::Child) => "백그라운드 작업",
        State::Waiting(Wait::Host) => "호스트",
        State::Paused(Pause::Asked) => "요청",
        State::Paused(Pause::Interrupted) => "중단됨",
        State::Paused(Pause::Aborted) => "턴 중단",
        State::Paused(Pause::Capped) => "호스트 제한",
        State::Success(Proof::Verified) => "검증됨",
        State::Success(Proof::Claimed) => "완료 선언",
        State::Failed(Failure::MaxIterations) => "반복 횟수 소진",
        State::Failed(Failure::MaxDuration) => "시간 소진",
        State::Failed(Failure::NoProgress) => "진전 없음",
        State::Failed(Failure::Circular(_)) => "제자리 반복",
        State::Failed(Failure::Budget) => "예산 소진",
        State::Failed(Failure::MaxRestarts) => "재시작 횟수 소진",
        State::Failed(Failure::AgentError { .. }) => "에이전트 오류",
    })
}

fn sentence_en(state: &State) -> String {
    let text = match state {
        State::Running => "Running: the agent is at work.",
        State::Waiting(Wait::Limit { until }) => {
            return format!("Waiting: the provider accepts no work until {}.", Utc(*until));
        }
        State::Waiting(Wait::Human { question }) => {
            return format!("Waiting for your answer: {question}");
        }
        State::Waiting(Wait::Child) => "Waiting: background work of the agent is still running.",
        State::Waiting(Wait::Host) => "Waiting: the host of the agent goes on by itself.",
        State::Paused(Pause::Asked) => "Paused: you asked for it.",
        State::Paused(Pause::Interrupted) => "Paused: the run was interrupted.",
        State::Paused(Pause::Aborted) => "Paused: the agent's turn was aborted.",
        State::Paused(Pause::Capped) => {
            "Paused: the host lets the agent go on no more before you say something."
        }
        State::Success(Proof::Verified) => "Done: every required check passes.",
        State::Success(Proof::Claimed) => {
            "Done: the agent says so, and its word was to be taken for it."
        }
        State::Failed(failure) => return failure_en(failure),
        State::Stopped => "Stopped: you ended the run.",
    };
    text.to_owned()
}

fn failure_en(failure: &Failure) -> String {
    let text = match failure {
        Failure::MaxIterations => "Stopped: all allowed iterations are used.",
        Failure::MaxDuration => "Stopped: the allowed time is used.",
        Failure::NoProgress => "Stopped: too many iterations in a row brought no progress.",
        Failure::Circular(None) => {
            "Stopped: the files kept returning to states they had been in before."
        }
        Failure::Circular(Some(circle)) => {
            return format!(
                "Stopped: the files kept returning to states they had been in before; {}.",
                circle_words(*circle, Locale::En)
            );
        }
        Failure::Budget => "Stopped: the allowed tokens or money are used.",
        Failure::MaxRestarts => "Stopped: the agent had to begin anew too often.",
        Failure::AgentError { what } => {
            return format!("Stopped: the agent cannot work: {}.", bare(what));
        }
    };
    text.to_owned()
}

/// `iteration 5 returned to the state of iteration 3 (3 → 4 → 5)`
pub fn circle_words(circle: Circle, locale: Locale) -> String {
    let Circle { from, to } = circle;
    match (locale, from) {
        (Locale::En, 0) => {
            format!("iteration {to} returned to the state at the start ({})", circle.way("start"))
        }
        (Locale::En, _) => format!(
            "iteration {to} returned to the state of iteration {from} ({})",
            circle.way("start")
        ),
        (Locale::Ko, 0) => {
            format!("{to}번째 반복이 시작 시점의 상태로 되돌아갔습니다 ({})", circle.way("시작"))
        }
        (Locale::Ko, _) => format!(
            "{to}번째 반복이 {from}번째 반복의 상태로 되돌아갔습니다 ({})",
            circle.way("시작")
        ),
    }
}

fn sentence_ko(state: &State) -> String {
    let text = match state {
        State::Running => "실행 중: 에이전트가 작업하고 있습니다.",
        State::Waiting(Wait::Limit { until }) => {
            return format!("대기 중: 제공자가 {}까지 작업을 받지 않습니다.", Utc(*until));
        }
        State::Waiting(Wait::Human { question }) => {
            return format!("답변을 기다리고 있습니다: {question}");
        }
        State::Waiting(Wait::Child) => {
            "대기 중: 에이전트의 백그라운드 작업이 아직 실행되고 있습니다."
        }
        State::Waiting(Wait::Host) => "대기 중: 호스트가 스스로 이어서 진행합니다.",
        State::Paused(Pause::Asked) => "일시 정지: 요청에 따라 멈췄습니다.",
        State::Paused(Pause::Interrupted) => "일시 정지: 실행이 중단되었습니다.",
        State::Paused(Pause::Aborted) => "일시 정지: 에이전트의 턴이 중단되었습니다.",
        State::Paused(Pause::Capped) => {
            "일시 정지: 사용자가 말을 걸기 전에는 호스트가 에이전트를 더 진행시키지 않습니다."
        }
        State::Success(Proof::Verified) => "완료: 필수 검사를 모두 통과했습니다.",
        State::Success(Proof::Claimed) => "완료: 에이전트의 완료 선언을 그대로 받아들였습니다.",
        State::Failed(failure) => return failure_ko(failure),
        State::Stopped => "종료: 사용자가 실행을 끝냈습니다.",
    };
    text.to_owned()
}

fn failure_ko(failure: &Failure) -> String {
    let text = match failure {
        Failure::MaxIterations => "종료: 허용된 반복 횟수를 모두 썼습니다.",
        Failure::MaxDuration => "종료: 허용된 시간을 모두 썼습니다.",
        Failure::NoProgress => "종료: 너무 여러 번 연속으로 진전이 없었습니다.",
        Failure::Circular(None) => "종료: 파일이 이전 상태로 되돌아가기를 반복했습니다.",
        Failure::Circular(Some(circle)) => {
            return format!(
                "종료: 파일이 이전 상태로 되돌아가기를 반복했습니다. {}.",
                circle_words(*circle, Locale::Ko)
            );
        }
        Failure::Budget => "종료: 허용된 토큰이나 비용을 모두 썼습니다.",
        Failure::MaxRestarts => "종료: 에이전트를 다시 시작한 횟수가 한도를 넘었습니다.",
        Failure::AgentError { what } => {
            return format!("종료: 에이전트가 작업할 수 없습니다: {}.", bare(what));
        }
    };
    text.to_owned()
}

/// The text without a full stop of its own, for use inside a sentence.
fn bare(text: &str) -> &str {
    text.trim_end().trim_end_matches('.')
}

/// A moment as `2026-11-05 14:30 UTC`; the minute is rounded up, so that it
/// is never named too early.
struct Utc(Timestamp);

impl std::fmt::Display for Utc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let minutes = self.0.as_millis().saturating_add(59_999).div_euclid(60_000);
        let (days, minute) = (minutes.div_euclid(1440), minutes.rem_euclid(1440));
        let (year, month, day) = civil(days);
        write!(f, "{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", minute / 60, minute % 60)
    }
}

/// The date `days` after 1970-01-01, counted in years that begin in March so
/// that the leap day comes last.
fn civil(days: i64) -> (i64, i64, i64) {
    const DAYS_PER_ERA: i64 = 146_097;
    let shifted = days + 719_468;
    let (era, day) = (shifted.div_euclid(DAYS_PER_ERA), shifted.rem_euclid(DAYS_PER_ERA));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let from_march = (5 * day + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day - (153 * from_march + 2) / 5 + 1)
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;
