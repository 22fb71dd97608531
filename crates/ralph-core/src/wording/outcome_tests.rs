use super::*;
use crate::samples::minute;

#[track_caller]
fn check(state: &RunState, en: &str, ko: &str) {
    let mut run = crate::samples::run_from(&crate::samples::gated(), &["t1"]);
    run.state = state.clone();
    run.iteration = 2;
    assert_eq!(run_sentence(&run), en);
    run.policy.locale = Locale::Ko;
    assert_eq!(run_sentence(&run), ko);
}

#[test]
fn a_run_that_has_not_ended_says_what_it_does() {
    let limit = WaitReason::Limit { until: minute(16) };
    let human = WaitReason::Human { question: "Which database?".to_owned() };
    for (state, en, ko) in [
        (
            RunState::Running,
            "Running: the agent is at work.",
            "실행 중: 에이전트가 작업하고 있습니다.",
        ),
        (
            RunState::Waiting(limit),
            "Waiting: the provider accepts no work for now.",
            "대기 중: 제공자가 지금은 작업을 받지 않습니다.",
        ),
        (
            RunState::Waiting(human),
            "Waiting for you: Which database?",
            "답변을 기다리고 있습니다: Which database?",
        ),
        (
            RunState::Waiting(WaitReason::Child),
            "Waiting: background work of the agent is still running.",
            "대기 중: 에이전트의 백그라운드 작업이 아직 실행되고 있습니다.",
        ),
        (
            RunState::Waiting(WaitReason::Host),
            "Waiting: the host of the agent goes on by itself.",
            "대기 중: 호스트가 스스로 이어서 진행합니다.",
        ),
        (
            RunState::Paused(PauseReason::Asked),
            "Paused: you asked for it.",
            "일시 정지: 요청에 따라 멈췄습니다.",
        ),
        (
            RunState::Paused(PauseReason::Interrupted),
            "Paused: the run was interrupted.",
            "일시 정지: 실행이 중단되었습니다.",
        ),
        (
            RunState::Paused(PauseReason::Aborted),
            "Paused: the agent's turn was aborted.",
            "일시 정지: 에이전트의 턴이 중단되었습니다.",
        ),
    ] {
        check(&state, en, ko);
    }
}

#[test]
fn a_run_that_ended_says_why() {
    let failed = RunState::Failed;
    for (state, en, ko) in [
        (
            RunState::Success(Proof::Verified),
            "Done after 2 turns: tests passes.",
            "2턴 만에 완료했습니다: tests 통과.",
        ),
        (
            RunState::Success(Proof::Claimed),
            "Done after 2 turns, by the agent's word; the tests pass, and they would also pass on the code of the start.",
            "2턴 만에 끝났습니다: 에이전트가 완료를 선언했습니다(테스트는 통과하지만 시작 시점의 코드에서도 통과).",
        ),
        (
            failed(RunFailure::MaxIterations),
            "Stopped after 2 turns, the limit.",
            "2턴 만에 멈췄습니다: 허용된 턴을 모두 썼습니다.",
        ),
        (
            failed(RunFailure::MaxDuration),
            "Stopped after 2 turns: the allowed time is used.",
            "2턴 만에 멈췄습니다: 허용된 시간을 모두 썼습니다.",
        ),
        (
            failed(RunFailure::NoProgress),
            "Stopped after 2 turns: 3 in a row brought no progress.",
            "2턴 만에 멈췄습니다: 3턴 연속 진전이 없었습니다.",
        ),
        (
            failed(RunFailure::Circular(None)),
            "Stopped after 2 turns: the files kept returning to states they had been in before.",
            "2턴 만에 멈췄습니다: 파일이 이전 상태로 되돌아가기를 반복했습니다.",
        ),
        (
            failed(RunFailure::Circular(Some(Circle { from: 3, to: 5 }))),
            "Stopped after 2 turns: the files kept returning to states they had been in before; turn 5 returned to the state of turn 3 (3 → 4 → 5).",
            "2턴 만에 멈췄습니다: 파일이 이전 상태로 되돌아가기를 반복했습니다. 5번째 턴이 3번째 턴의 상태로 되돌아갔습니다 (3 → 4 → 5).",
        ),
        (
            failed(RunFailure::Circular(Some(Circle { from: 0, to: 2 }))),
            "Stopped after 2 turns: the files kept returning to states they had been in before; turn 2 returned to the state at the start (start → 1 → 2).",
            "2턴 만에 멈췄습니다: 파일이 이전 상태로 되돌아가기를 반복했습니다. 2번째 턴이 시작 시점의 상태로 되돌아갔습니다 (시작 → 1 → 2).",
        ),
        (
            failed(RunFailure::Budget),
            "Stopped after 2 turns: the allowed tokens or money are used.",
            "2턴 만에 멈췄습니다: 허용된 토큰이나 비용을 모두 썼습니다.",
        ),
        (
            failed(RunFailure::MaxRestarts),
            "Stopped after 2 turns: the agent had to be restarted too often.",
            "2턴 만에 멈췄습니다: 에이전트를 다시 시작한 횟수가 한도를 넘었습니다.",
        ),
        (
            failed(RunFailure::AgentError { what: "exit code 1.".to_owned() }),
            "Stopped after 2 turns: the agent cannot work: exit code 1.",
            "2턴 만에 멈췄습니다: 에이전트가 작업할 수 없습니다: exit code 1.",
        ),
        (
            failed(RunFailure::FolderGone { folder: "/project/.git".to_owned() }),
            "Stopped after 2 turns: the folder /project/.git was deleted.",
            "2턴 만에 멈췄습니다: /project/.git 폴더가 삭제되었습니다.",
        ),
        (RunState::Stopped, "Stopped: you ended the run.", "종료: 사용자가 실행을 끝냈습니다."),
    ] {
        check(&state, en, ko);
    }
}

#[test]
fn a_state_has_a_few_words_in_both_languages() {
    for (state, en, ko) in [
        (RunState::Running, "running", "실행 중"),
        (RunState::Paused(PauseReason::Aborted), "paused (turn aborted)", "일시 정지 (턴 중단)"),
        (
            RunState::Failed(RunFailure::MaxRestarts),
            "failed (too many restarts)",
            "실패 (재시작 횟수 소진)",
        ),
    ] {
        let words = [Locale::En, Locale::Ko].map(|locale| state_words(&state, locale));
        assert_eq!(words, [en, ko]);
    }
}

#[test]
fn what_a_session_asked_for_is_never_called_the_users() {
    let asked = [RunState::Stopped, RunState::Paused(PauseReason::Asked)];
    for state in asked {
        let said = session_sentence(&state, Locale::En).unwrap_or_default();
        assert!(said.contains("a command in the session") && !said.contains("you"), "{said}");
        let said = session_sentence(&state, Locale::Ko).unwrap_or_default();
        assert!(said.contains("세션 안의 명령") && !said.contains("사용자"), "{said}");
    }
    let others = [
        RunState::Running,
        RunState::Paused(PauseReason::Aborted),
        RunState::Success(Proof::Verified),
    ];
    assert!(others.iter().all(|state| session_sentence(state, Locale::En).is_none()));
}
