use super::*;
use crate::samples::minute;

#[track_caller]
fn check(state: &State, en: &str, ko: &str) {
    assert_eq!(state_sentence(state, Locale::En), en);
    assert_eq!(state_sentence(state, Locale::Ko), ko);
}

#[test]
fn a_run_that_has_not_ended_says_what_it_does() {
    let limit = Wait::Limit { until: minute(16) };
    let human = Wait::Human { question: "Which database?".to_owned() };
    for (state, en, ko) in [
        (
            State::Running,
            "Running: the agent is at work.",
            "실행 중: 에이전트가 작업하고 있습니다.",
        ),
        (
            State::Waiting(limit),
            "Waiting: the provider accepts no work until 2023-11-14 22:30 UTC.",
            "대기 중: 제공자가 2023-11-14 22:30 UTC까지 작업을 받지 않습니다.",
        ),
        (
            State::Waiting(human),
            "Waiting for your answer: Which database?",
            "답변을 기다리고 있습니다: Which database?",
        ),
        (
            State::Waiting(Wait::Child),
            "Waiting: background work of the agent is still running.",
            "대기 중: 에이전트의 백그라운드 작업이 아직 실행되고 있습니다.",
        ),
        (
            State::Waiting(Wait::Host),
            "Waiting: the host of the agent goes on by itself.",
            "대기 중: 호스트가 스스로 이어서 진행합니다.",
        ),
        (
            State::Paused(Pause::Asked),
            "Paused: you asked for it.",
            "일시 정지: 요청에 따라 멈췄습니다.",
        ),
        (
            State::Paused(Pause::Interrupted),
            "Paused: the run was interrupted.",
            "일시 정지: 실행이 중단되었습니다.",
        ),
        (
            State::Paused(Pause::Aborted),
            "Paused: the agent's turn was aborted.",
            "일시 정지: 에이전트의 턴이 중단되었습니다.",
        ),
    ] {
        check(&state, en, ko);
    }
}

#[test]
fn a_run_that_ended_says_why() {
    let failed = State::Failed;
    for (state, en, ko) in [
        (
            State::Success(Proof::Verified),
            "Done: every required check passes.",
            "완료: 필수 검사를 모두 통과했습니다.",
        ),
        (
            State::Success(Proof::Claimed),
            "Done: the agent says so, and its word was to be taken for it.",
            "완료: 에이전트의 완료 선언을 그대로 받아들였습니다.",
        ),
        (
            failed(Failure::MaxIterations),
            "Stopped: all allowed iterations are used.",
            "종료: 허용된 반복 횟수를 모두 썼습니다.",
        ),
        (
            failed(Failure::MaxDuration),
            "Stopped: the allowed time is used.",
            "종료: 허용된 시간을 모두 썼습니다.",
        ),
        (
            failed(Failure::NoProgress),
            "Stopped: too many iterations in a row brought no progress.",
            "종료: 너무 여러 번 연속으로 진전이 없었습니다.",
        ),
        (
            failed(Failure::Circular(None)),
            "Stopped: the files kept returning to states they had been in before.",
            "종료: 파일이 이전 상태로 되돌아가기를 반복했습니다.",
        ),
        (
            failed(Failure::Circular(Some(Circle { from: 3, to: 5 }))),
            "Stopped: the files kept returning to states they had been in before; iteration 5 returned to the state of iteration 3 (3 → 4 → 5).",
            "종료: 파일이 이전 상태로 되돌아가기를 반복했습니다. 5번째 반복이 3번째 반복의 상태로 되돌아갔습니다 (3 → 4 → 5).",
        ),
        (
            failed(Failure::Circular(Some(Circle { from: 0, to: 2 }))),
            "Stopped: the files kept returning to states they had been in before; iteration 2 returned to the state at the start (start → 1 → 2).",
            "종료: 파일이 이전 상태로 되돌아가기를 반복했습니다. 2번째 반복이 시작 시점의 상태로 되돌아갔습니다 (시작 → 1 → 2).",
        ),
        (
            failed(Failure::Budget),
            "Stopped: the allowed tokens or money are used.",
            "종료: 허용된 토큰이나 비용을 모두 썼습니다.",
        ),
        (
            failed(Failure::MaxRestarts),
            "Stopped: the agent had to begin anew too often.",
            "종료: 에이전트를 다시 시작한 횟수가 한도를 넘었습니다.",
        ),
        (
            failed(Failure::AgentError { what: "exit code 1.".to_owned() }),
            "Stopped: the agent cannot work: exit code 1.",
            "종료: 에이전트가 작업할 수 없습니다: exit code 1.",
        ),
        (State::Stopped, "Stopped: you ended the run.", "종료: 사용자가 실행을 끝냈습니다."),
    ] {
        check(&state, en, ko);
    }
}

#[test]
fn a_state_has_a_few_words_in_both_languages() {
    for (state, en, ko) in [
        (State::Running, "running", "실행 중"),
        (State::Paused(Pause::Aborted), "paused (aborted)", "일시 정지 (턴 중단)"),
        (State::Failed(Failure::MaxRestarts), "failed (max_restarts)", "실패 (재시작 횟수 소진)"),
    ] {
        let words = [Locale::En, Locale::Ko].map(|locale| state_words(&state, locale));
        assert_eq!(words, [en, ko]);
    }
}

#[test]
fn moments_are_named_as_dates_and_never_too_early() {
    for (millis, want) in [
        (0, "1970-01-01 00:00 UTC"),
        (1, "1970-01-01 00:01 UTC"),
        (-60_000, "1969-12-31 23:59 UTC"),
        (951_782_400_000, "2000-02-29 00:00 UTC"),
        (1_709_251_199_000, "2024-03-01 00:00 UTC"),
        (4_107_542_400_000, "2100-03-01 00:00 UTC"),
    ] {
        assert_eq!(Utc(Timestamp::from_millis(millis)).to_string(), want);
    }
}

#[test]
fn what_a_session_asked_for_is_never_called_the_users() {
    let asked = [State::Stopped, State::Paused(Pause::Asked)];
    for state in asked {
        let said = session_sentence(&state, Locale::En).unwrap_or_default();
        assert!(said.contains("a command in the session") && !said.contains("you"), "{said}");
        let said = session_sentence(&state, Locale::Ko).unwrap_or_default();
        assert!(said.contains("세션 안의 명령") && !said.contains("사용자"), "{said}");
    }
    let others = [State::Running, State::Paused(Pause::Aborted), State::Success(Proof::Verified)];
    assert!(others.iter().all(|state| session_sentence(state, Locale::En).is_none()));
}
