//! What reaches the agent.

use super::{CLAIM, KEEP_PROMPT, TALK, script};
use crate::{git, plain};

/// Text that shells, templates and parsers like to take apart.
const NASTY: &str = "He said \"it's $HOME\" `id` $(touch pwned) \\n {{ITERATION}} {{PROMPT}}\n\
    ---\n\t한국어 문장, émoji 🦀\r\n%s %n * ? ~ # ; | & > < !";

#[test]
fn the_task_arrives_byte_for_byte() {
    let project = plain();
    let both = "cp $RALPH_PROMPT_FILE $OUTSIDE/file-$RALPH_ITERATION";
    project.agent(&script(&[KEEP_PROMPT, both, TALK]));
    let task = format!("{NASTY}\n{}", "0123456789".repeat(2_000));
    let _ = project.run_json(&task, &["--max-iterations", "2"]).exits(1);
    for turn in [1, 2] {
        let prompt = project.kept(&format!("prompt-{turn}"));
        assert!(prompt.contains(&task), "{prompt}");
        assert_eq!(prompt, project.kept(&format!("file-{turn}")));
    }
    assert!(project.kept("prompt-1").starts_with(&task));
    assert_eq!(project.read("pwned"), "");
}

#[test]
fn the_continuation_prompt_keeps_placeholders_of_the_task() {
    let project = plain();
    project.agent(&script(&[KEEP_PROMPT, TALK]));
    let task = "replace {{ITERATION}}, {{MAX}} and {{FEEDBACK}} in the template";
    let _ = project.run_json(task, &["--max-iterations", "3"]).exits(1);
    let told = project.kept("prompt-2");
    assert!(told.starts_with("[RALPH LOOP - ITERATION 2/3]\n"), "{told}");
    assert!(told.contains("output: <promise>DONE</promise>\n"), "{told}");
    assert!(told.ends_with(&format!("Original task:\n{task}")), "{told}");
}

#[test]
fn a_template_of_the_users_own_is_filled_in() {
    let project = plain();
    let template = "{{ITERATION}} of {{MAX}}: {{PROMPT}} -> {{SIGNAL}} {{UNKNOWN}}";
    project.file("ralph.toml", format!("[prompt]\ncontinuation = \"{template}\"\n"));
    project.agent(&script(&[KEEP_PROMPT, TALK]));
    let _ = project.run_json("say {{MAX}}", &["--max-iterations", "2"]).exits(1);
    let want = "2 of 2: say {{MAX}} -> <promise>DONE</promise> {{UNKNOWN}}";
    assert_eq!(project.kept("prompt-2"), want);
}

#[test]
fn a_task_may_come_from_standard_input() {
    let project = plain();
    project.agent(&script(&[KEEP_PROMPT, CLAIM]));
    let args = ["run", "--prompt-file", "-", "--agent-cmd", "./agent.sh", "--json"];
    let output = project.ralph(&args).stdin(NASTY).output().exits(0);
    let _ = output.ends("success/claimed", 1);
    assert!(project.kept("prompt-1").starts_with(NASTY));
}

#[test]
fn an_agent_that_ignores_a_huge_prompt_does_not_hang() {
    let project = plain();
    project.agent(CLAIM);
    std::fs::write(project.outside("task.md"), "all work and no play ".repeat(49_000)).unwrap();
    let path = project.outside("task.md");
    let args = ["run", "--prompt-file", path.to_str().unwrap(), "--agent-cmd", "./agent.sh"];
    let _ = project.ralph(&args).output().exits(0);
}

#[test]
fn the_last_turn_is_told_to_wrap_up() {
    let project = plain();
    project.agent(&script(&[KEEP_PROMPT, TALK]));
    let _ = project.run_json("do it", &["--max-iterations", "3"]).exits(1);
    let warned = |turn: u32| project.kept(&format!("prompt-{turn}")).contains("the last turn");
    assert_eq!([warned(1), warned(2), warned(3)], [false, false, true]);
}

#[test]
fn a_nearly_used_budget_is_told_to_wrap_up() {
    let project = plain();
    let report = "echo '{\"cost_usd\": 0.45}' > $RALPH_USAGE_FILE";
    project.agent(&script(&[KEEP_PROMPT, report, TALK]));
    let _ = project.run_json("do it", &["--max-cost", "1"]).exits(1).ends("failed/budget", 3);
    let warned = |turn: u32| project.kept(&format!("prompt-{turn}")).contains("the last turn");
    assert_eq!([warned(2), warned(3)], [false, true]);
}

#[test]
fn the_first_prompt_says_how_the_work_is_judged() {
    let project = git();
    project.agent(&script(&[KEEP_PROMPT, ": > work.txt"]));
    let more = ["--criteria", "custom:test -f work.txt", "--target", "src/lib.rs"];
    let _ = project.run_json("do it", &more).exits(0).ends("success/verified", 1);
    let told = project.kept("prompt-1");
    for part in ["do it\n\n", "src/lib.rs", "- custom-1: `test -f work.txt`", "<promise>DONE"] {
        assert!(told.contains(part), "{part}\n{told}");
    }
}

#[test]
fn every_later_prompt_says_how_the_work_is_judged_as_well() {
    let project = git();
    project.agent(&script(&[KEEP_PROMPT, TALK]));
    let more = ["--criteria", "custom:test -f work.txt", "--target", "src/lib.rs"];
    let _ = project.run_json("do it", &more).exits(1);
    let told = project.kept("prompt-2");
    for part in ["Files in question: src/lib.rs", "custom-1 (`test -f work.txt`)"] {
        assert!(told.contains(part), "{part}\n{told}");
    }
}

#[test]
fn prompts_may_be_korean() {
    let project = plain();
    project.agent(&script(&[KEEP_PROMPT, TALK]));
    let more = ["--locale", "ko", "--max-iterations", "2"];
    let _ = project.run_json("테스트를 고쳐 주세요", &more).exits(1);
    assert!(project.kept("prompt-1").contains("모든 작업이 완료되면"));
    assert!(project.kept("prompt-2").contains("이번이 마지막 턴입니다"));
}

#[test]
fn the_environment_of_a_turn_keeps_its_contract() {
    let project = git();
    let variables = "run=$RALPH_RUN_ID turn=$RALPH_ITERATION driver=$RALPH_DRIVER dir=$PWD";
    project.agent(&script(&[
        &format!("echo \"{variables}\" >> $OUTSIDE/env"),
        "[ $RALPH_TURN_DEADLINE -gt $(date +%s) ] && echo deadline >> $OUTSIDE/env",
        "test -s $RALPH_PROMPT_FILE && ! test -e $RALPH_USAGE_FILE && echo files >> $OUTSIDE/env",
        TALK,
    ]));
    let call = project.run_call("do it", &["--max-iterations", "2"]).env("RALPH_ITERATION", "77");
    let output = call.output().exits(1).ends("failed/max_iterations", 2);
    let run = output.values("run_started", "run_id").remove(0);
    let dir = project.root();
    let line = |turn| format!("run={run} turn={turn} driver=1 dir={}\n", dir.display());
    let want = format!("{0}deadline\nfiles\n{1}deadline\nfiles\n", line(1), line(2));
    assert_eq!(project.kept("env"), want);
}

#[test]
fn a_turn_starts_at_the_root_even_from_a_folder_below() {
    let project = git();
    project.file("deep/down/here.txt", "x").agent(&script(&["pwd > $OUTSIDE/pwd", CLAIM]));
    let call = project.run_call("do it", &[]).dir(project.root().join("deep/down"));
    let _ = call.output().exits(0).ends("success/claimed", 1);
    assert_eq!(project.kept("pwd").trim(), project.root().to_string_lossy());
}
