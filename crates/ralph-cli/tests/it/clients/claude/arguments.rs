//! What is typed behind `/ralph` is a task, whatever it looks like.

use ralph_testkit::{ModelTurn, isolated};

use crate::clients::claude::stage::{DONE, Stage};

/// Arms a loop for a task that is typed like this, and checks that the task
/// is kept and told as it is, and that nothing of it was executed.
#[track_caller]
fn check(stage: &Stage, task: &str) {
    let before = stage.project.run_git(&["status", "--porcelain"]);
    let _ = stage.session(&format!("/ralph {task}")).output().exits(0);
    let run = stage.run();
    assert_eq!(run["task"], task, "{run:#}");
    assert_eq!(run["status"], "success");
    let asked = stage.api.main().pop().unwrap();
    assert!(asked.news().contains(task), "{}", asked.news());
    assert_eq!(stage.project.run_git(&["status", "--porcelain"]), before);
}

#[test]
fn a_task_is_never_executed_whatever_it_holds() {
    isolated(|| {
        let stage = Stage::saying(std::iter::repeat_n(ModelTurn::says(DONE), 3));
        check(
            &stage,
            "say \"it's\" fine; $(touch pwned) `touch pwned` ${HOME} !`touch pwned` > pwned",
        );
        check(
            &stage,
            "first line\nsecond 'line' | touch pwned\n\n$1 $ARGUMENTS \\\" %s 끝까지 고쳐 주세요",
        );
        check(&stage, &format!("mend {}", "word ".repeat(4_000).trim_end()));
        stage.api.is_over();
    });
}
