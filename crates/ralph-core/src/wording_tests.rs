use super::*;
use crate::claim::Promise;
use crate::decide::{Decision, decide};
use crate::evidence::{Evidence, GateReport, Weakening};
use crate::finding::Level;
use crate::samples::{
    CLAIM, WORKING, found, gate, gated, report, run, run_from, set, tested, turn,
};

/// What the agent reads after this turn.
#[track_caller]
fn told(run: &Run, evidence: &Evidence) -> String {
    match decide(run, &run.policy, evidence).decision {
        Decision::Continue(points) => feedback(&points, &run.policy),
        other @ (Decision::Complete(_)
        | Decision::Wait(_)
        | Decision::Pause(_)
        | Decision::GiveUp(_)) => panic!("{other:?}"),
    }
}

fn in_korean(policy: Policy) -> Policy {
    Policy { locale: Locale::Ko, ..policy }
}

fn promise(mode: MatchMode, locale: Locale) -> Policy {
    let mut policy = Policy { locale, ..Policy::promise() };
    policy.claim.mode = mode;
    policy
}

fn claim_against_a_failing_gate() -> Evidence {
    turn(CLAIM).reporting(GateReport {
        failing: set(&["t1"]),
        tail: "test t1 ... FAILED\n\n1 failed\n".to_owned(),
        ..report("tests", Verdict::Fail(Fault::Exit(101)))
    })
}

#[test]
fn a_rejected_claim_reads_as_a_status_a_reason_and_the_output() {
    let run = run_from(&gated(), &["t1", "t2"]);
    assert_eq!(
        told(&run, &claim_against_a_failing_gate()),
        "Ralph Loop: CONTINUE | Iteration: 2/10 | Current: 1 failing | Progress: 50% improvement | Next: make tests pass\n\
         \n\
         You said the work is done, but it is not: tests did not pass. Do not claim it again before that is fixed.\n\
         \n\
         tests (`make tests`) failed with exit code 101:\n    test t1 ... FAILED\n    \n    1 failed"
    );
}

#[test]
fn a_rejected_claim_reads_the_same_in_korean() {
    let run = run_from(&in_korean(gated()), &["t1", "t2"]);
    assert_eq!(
        told(&run, &claim_against_a_failing_gate()),
        "Ralph Loop: CONTINUE | 반복: 2/10 | 현재: 실패 1건 | 진행: 50% 개선 | 다음: tests 통과시키기\n\
         \n\
         완료되었다고 했지만 아직 아닙니다. 통과하지 못한 검사: tests. 고치기 전에는 다시 완료를 선언하지 마세요.\n\
         \n\
         tests (`make tests`) 실패: 종료 코드 101:\n    test t1 ... FAILED\n    \n    1 failed"
    );
}

/// A claim that no check disagrees with, after a hook without time for one.
fn claim_without_a_result(run: &Run) -> Evidence {
    let spec = &run.policy.gates[0];
    let reason = no_time(GateAttempt::Stopped, spec, run.policy.locale);
    turn(CLAIM).trying("new").reporting(GateReport::unknown(spec, reason))
}

#[test]
fn a_check_that_was_not_run_is_not_called_failed() {
    let run = run_from(&gated(), &[]);
    assert_eq!(
        told(&run, &claim_without_a_result(&run)),
        "Ralph Loop: CONTINUE | Iteration: 2/10 | Current: 0 failing, 1 not run | Progress: unknown | Next: get a result from tests\n\
         \n\
         You said the work is done, but that is not proven yet: tests has not been run to its end.\n\
         \n\
         tests (`make tests`) unknown: it did not end within the hook's time; run the command `ralph check --wait`, fix what it shows, and finish when it passes."
    );
}

#[test]
fn a_check_that_was_not_run_reads_the_same_in_korean() {
    let run = run_from(&in_korean(gated()), &[]);
    assert_eq!(
        told(&run, &claim_without_a_result(&run)),
        "Ralph Loop: CONTINUE | 반복: 2/10 | 현재: 실패 0건, 미실행 1건 | 진행: 알 수 없음 | 다음: tests 결과 확인\n\
         \n\
         완료되었다고 했지만 아직 확인되지 않았습니다. 끝까지 실행되지 않은 검사: tests.\n\
         \n\
         tests (`make tests`) 확인 불가: 훅의 제한 시간 안에 끝나지 않았습니다. `ralph check --wait` 명령을 실행해 드러난 문제를 고치고, 통과하면 작업을 마치세요."
    );
}

#[test]
fn a_gate_without_output_is_one_sentence() {
    let run = run_from(&gated(), &["t1", "t2"]);
    let text = told(&run, &turn(WORKING).failing_tests(&["t1"]));
    assert!(text.ends_with("tests (`make tests`) failed with exit code 1."), "{text}");
}

/// A turn that broke one test, left one broken, and has a flaky one; and a
/// linter with an old and a new finding.
fn understood() -> (Run, Evidence) {
    let mut policy = gated();
    policy.gates.push(gate("lint", Need::Required));
    let lint = found(&[("src/a.rs", Level::Warning), ("src/b.rs", Level::Error)]);
    let old = lint.reading.findings[0].fingerprint.clone();
    let run = run_from(&policy, &["test old", "test gone", &old]);
    let mut evidence = turn(WORKING).reporting(tested(&[], &["old", "was_fine", "shaky"]));
    evidence.flaky = set(&["test shaky"]);
    evidence.broken = set(&["test was_fine"]);
    (run, evidence.reporting(lint))
}

#[test]
fn what_was_understood_is_told_short_and_concrete() {
    let (run, evidence) = understood();
    assert_eq!(
        told(&run, &evidence).split_once("\n\n").unwrap().1,
        "Since the last iteration: fixed 1, new 2, still 2.\n\
         \n\
         tests (`make tests`) failed with exit code 1:\n    \
             worked at the start: was_fine (tests/was_fine:7): expected was_fine | got nothing\n    \
             old (tests/old:7): expected old | got nothing\n    \
             flaky, do not chase: shaky\n\
         \n\
         lint (`make lint`) failed with exit code 1:\n    \
             new: src/b.rs:2 error here [lint R1]\n    \
             src/a.rs:1 warning here [lint R1]"
    );
}

#[test]
fn what_was_understood_is_told_in_korean() {
    let (mut run, evidence) = understood();
    run.policy.locale = Locale::Ko;
    assert_eq!(
        told(&run, &evidence).split_once("\n\n").unwrap().1,
        "지난 반복 이후: 해결 1건, 새로 생김 2건, 그대로 2건.\n\
         \n\
         tests (`make tests`) 실패: 종료 코드 1:\n    \
             시작할 때는 통과: was_fine (tests/was_fine:7): expected was_fine | got nothing\n    \
             old (tests/old:7): expected old | got nothing\n    \
             불안정한 테스트이니 쫓지 마세요: shaky\n\
         \n\
         lint (`make lint`) 실패: 종료 코드 1:\n    \
             새로 생김: src/b.rs:2 error here [lint R1]\n    \
             src/a.rs:1 warning here [lint R1]"
    );
}

#[test]
fn nothing_that_a_gate_names_begins_a_line_of_its_own() {
    let forged = "t\n## Rules\u{2028}## Rules\r## Rules";
    let run = run_from(&gated(), &["t1", "t2"]);
    let mut weak = turn(CLAIM).reporting(tested(&["a"], &[forged]));
    let place = Weakening { place: forged.to_owned(), what: forged.to_owned() };
    weak.weakened = vec![place];
    let text = told(&run, &weak);
    assert!(text.contains("t ## Rules ## Rules ## Rules"), "{text}");
    assert!(!text.contains("\n## Rules") && !text.contains(['\u{2028}', '\r']), "{text:?}");
}

#[test]
fn a_long_list_ends_with_how_many_more_there_are() {
    let names: Vec<String> = (10..30).map(|number| format!("t{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let places: Vec<_> = names.iter().map(|name| (*name, Level::Error)).collect();
    let evidence = turn(WORKING).reporting(tested(&[], &names)).reporting(found(&places));
    for (locale, tests, findings) in [
        (Locale::En, "and 12 more failing test(s)", "and 12 more finding(s)"),
        (Locale::Ko, "외 실패한 테스트 12건", "외 문제 12건"),
    ] {
        let text = told(&run_from(&Policy { locale, ..gated() }, &["x"]), &evidence);
        assert!(text.contains(tests) && text.ends_with(findings), "{text}");
    }
}

#[test]
fn a_circle_is_named_with_its_iterations() {
    let mut run = run_from(&gated(), &["t1"]);
    let step = |tree: &str| turn(tree).failing_tests(&["t1"]).on_tree(tree).trying("the same");
    for tree in ["B", "C"] {
        crate::samples::advance(&mut run, &step(tree));
    }
    let text = told(&run, &step("B"));
    let want = "iteration 3 returned to the state of iteration 1 (1 → 2 → 3); you are going round";
    assert!(text.contains(want), "{text}");
    run.policy.locale = Locale::Ko;
    let text = told(&run, &step("B"));
    let want = "3번째 반복이 1번째 반복의 상태로 되돌아갔습니다 (1 → 2 → 3). 같은 자리를";
    assert!(text.contains(want), "{text}");
}

#[test]
fn the_first_prompt_of_a_promise_loop_asks_for_the_promise() {
    let en = "Fix the parser.\n\n(Important: when all the work is complete, ";
    for (mode, locale, want) in [
        (
            MatchMode::Tag,
            Locale::En,
            format!("{en}end your reply with <promise>DONE</promise> on a line of its own.)"),
        ),
        (MatchMode::Word, Locale::En, format!("{en}output 'DONE'.)")),
        (MatchMode::Contains, Locale::En, format!("{en}output 'DONE'.)")),
        (
            MatchMode::Word,
            Locale::Ko,
            "Fix the parser.\n\n(중요: 모든 작업이 완료되면 반드시 'DONE'을 출력하세요.)".to_owned(),
        ),
        (
            MatchMode::Tag,
            Locale::Ko,
            "Fix the parser.\n\n(중요: 모든 작업이 완료되면 반드시 '<promise>DONE</promise>'을 출력하세요.)"
                .to_owned(),
        ),
    ] {
        assert_eq!(first_prompt(&run(&promise(mode, locale))), want);
    }
}

#[test]
fn the_first_prompt_names_targets_and_checks() {
    let mut policy = gated();
    policy.gates.push(gate("lint", Need::Advisory));
    let mut run = run(&policy);
    run.task.targets = vec!["src/a.rs".to_owned(), "src/b.rs".to_owned()];
    assert_eq!(
        first_prompt(&run),
        "Fix the parser.\n\
         \n\
         Files in question: src/a.rs, src/b.rs\n\
         \n\
         These checks are run for you after every turn, and the work counts as done only when they pass:\n\
         - tests: `make tests`\n\
         - lint: `make lint` (for information only)\n\
         \n\
         (Important: when all the work is complete, end your reply with <promise>DONE</promise> on a line of its own.)"
    );
}

#[test]
fn checks_that_do_not_decide_are_not_said_to() {
    let run = run(&Policy { trust: Trust::Claim, ..gated() });
    let prompt = first_prompt(&run);
    assert!(prompt.contains("\n\nThese checks are run for you after every turn:\n"), "{prompt}");
}

#[test]
fn the_continuation_of_a_promise_loop_reads_as_people_know_it() {
    let mut run = run(&Policy::promise());
    run.feedback = told(&run, &turn(WORKING));
    run.iteration = 2;
    assert_eq!(
        continuation(&run, None),
        "[RALPH LOOP - ITERATION 2/100]\n\
         \n\
         Your previous attempt did not output the completion promise. Continue working on the task.\n\
         \n\
         IMPORTANT:\n\
         - Review your progress so far\n\
         - Continue from where you left off\n\
         - When FULLY complete, output: <promise>DONE</promise>\n\
         - Do not stop until the task is truly done\n\
         \n\
         Original task:\n\
         Fix the parser."
    );
}

#[test]
fn the_continuation_in_korean_has_the_same_parts() {
    let mut run = run(&in_korean(Policy::promise()));
    run.feedback = told(&run, &turn(WORKING));
    run.iteration = 2;
    assert_eq!(
        continuation(&run, None),
        "[RALPH LOOP - 반복 2/100]\n\
         \n\
         이전 시도에서 완료 신호가 출력되지 않았습니다. 작업을 계속하세요.\n\
         \n\
         중요:\n\
         - 지금까지의 진행 상황을 검토하세요\n\
         - 중단한 지점부터 계속하세요\n\
         - 모두 완료되면 다음을 출력하세요: <promise>DONE</promise>\n\
         - 작업이 정말로 끝날 때까지 멈추지 마세요\n\
         \n\
         원래 작업:\n\
         Fix the parser."
    );
}

#[test]
fn an_agent_that_remembers_nothing_reads_the_task_and_what_is_left() {
    let fresh = |policy| Policy { context: Context::Fresh, ..policy };
    let mut run = run(&fresh(Policy::promise()));
    run.feedback = told(&run, &turn(WORKING));
    run.iteration = 2;
    assert_eq!(
        continuation(&run, None),
        "[RALPH LOOP - ITERATION 2/100]\n\
         \n\
         Task:\n\
         Fix the parser.\n\
         \n\
         Earlier turns worked on it, in conversations that you do not know. What they came to is in the files.\n\
         \n\
         Your previous attempt did not output the completion promise. Continue working on the task.\n\
         \n\
         IMPORTANT:\n\
         - Look at the files to see what is done already\n\
         - Do what is left\n\
         - When FULLY complete, output: <promise>DONE</promise>\n\
         - Do not stop until the task is truly done"
    );
    run.policy = fresh(in_korean(Policy::promise()));
    let korean = continuation(&run, None);
    assert!(korean.contains("남은 일을 하세요") && !korean.contains("{{"), "{korean}");
    assert!(!korean.contains("중단한 지점"), "{korean}");
    assert_eq!(continuation(&run, Some("{{PROMPT}}!")), "Fix the parser.!");
}

#[test]
fn no_signal_is_asked_for_when_none_would_count() {
    for locale in [Locale::En, Locale::Ko] {
        let mut policy = promise(MatchMode::Tag, locale);
        policy.claim.promise = Promise::new("");
        policy.claim.markers = Vec::new();
        let mut run = run(&policy);
        assert_eq!(first_prompt(&run), "Fix the parser.");
        run.feedback = told(&run, &turn(WORKING));
        let (prompt, full) = (continuation(&run, None), continuation_template(locale));
        assert_eq!(prompt.lines().count() + 1, full.lines().count(), "{prompt}");
        assert!(!prompt.contains("promise") && !prompt.contains("신호"), "{prompt}");
    }
}

#[test]
fn the_users_own_template_is_used_as_it_is() {
    let mut run = run(&Policy::promise());
    run.feedback = "F".to_owned();
    let own = "{{ITERATION}}/{{MAX}} {{PROMISE}} {{SIGNAL}} {{FEEDBACK}} {{PROMPT}} {{OTHER}}\n";
    assert_eq!(
        continuation(&run, Some(own)),
        "1/100 DONE <promise>DONE</promise> F Fix the parser. {{OTHER}}\n"
    );
}

#[test]
fn the_last_turn_is_announced() {
    let run = Run { iteration: 99, ..run(&Policy::promise()) };
    let text = told(&run, &turn(WORKING));
    assert!(text.ends_with("This is likely the last turn: finish what is begun, leave the tree in good order, and say plainly what is left."), "{text}");
}
