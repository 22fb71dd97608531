//! What counts as saying "done", and what does not.

use ralph_testkit::TestProject;

use super::{CLAIM, KEEP_PROMPT, script};
use crate::{git, plain};

/// An agent that always replies with exactly this text.
fn agent_saying(text: &str) -> TestProject {
    let project = plain();
    project.file("reply.txt", text);
    project.agent(&script(&[KEEP_PROMPT, "cat reply.txt"]));
    project
}

/// The reply claims nothing, and the next prompt says `why`.
#[track_caller]
fn claims_nothing(text: &str, more: &[&str], why: &str) {
    let project = agent_saying(text);
    let mut args = vec!["--max-iterations", "2"];
    args.extend(more);
    let _ = project.run_json("do it", &args).exits(1).ends("failed/max_iterations", 2);
    let told = project.kept("prompt-2");
    assert!(told.contains(why), "{told}");
}

#[track_caller]
fn claims(text: &str, more: &[&str]) {
    let _ = agent_saying(text).run_json("do it", more).exits(0).ends("success/claimed", 1);
}

#[test]
fn a_claim_without_work_is_rejected_by_a_failing_gate() {
    let project = git();
    project.agent(&script(&[KEEP_PROMPT, CLAIM]));
    let output = project.run_json("do it", &["--criteria", "custom:false"]).exits(1);
    let output = output.ends("failed/no_progress", 3);
    assert_eq!(output.values("iteration_ended", "claim"), ["promise"; 3]);
    let told = project.kept("prompt-2");
    assert!(told.contains("Not done yet: custom-1 fails."), "{told}");
}

#[test]
fn a_claim_without_work_is_only_claimed_when_nothing_checks_it() {
    claims("<promise>DONE</promise>", &[]);
}

#[test]
fn a_claim_that_breaks_a_green_gate_is_rejected() {
    let project = git();
    project.file("good.txt", "good").agent(&script(&["rm -f good.txt", CLAIM]));
    let more = ["--criteria", "custom:test -f good.txt", "--max-iterations", "1"];
    let _ = project.run_json("do it", &more).exits(1).ends("failed/max_iterations", 1);
}

#[test]
fn a_promise_for_later_is_not_a_claim() {
    let text = "I will print <promise>DONE</promise> when the tests pass.";
    claims_nothing(text, &[], "did not output the completion promise");
    let text = "Once the tests pass I say <promise>DONE</promise>";
    claims_nothing(text, &[], "speaks of a condition or of the future");
}

#[test]
fn a_quoted_promise_is_not_a_claim() {
    let text = "You asked me for \"<promise>DONE</promise>\"";
    claims_nothing(text, &[], "stands in a quotation");
}

#[test]
fn a_negated_promise_is_not_a_claim() {
    let text = "I am NOT yet able to say <promise>DONE</promise>";
    claims_nothing(text, &[], "says that something is not so");
}

#[test]
fn a_promise_in_a_code_block_is_not_a_claim() {
    let text = "The protocol:\n```\n<promise>DONE</promise>\n```\n";
    claims_nothing(text, &[], "stands in code");
}

#[test]
fn a_promise_before_more_text_is_not_a_claim() {
    let text = "<promise>DONE</promise>\nNow I go on with the tests.";
    claims_nothing(text, &[], "More text follows");
}

#[test]
fn the_wrong_word_in_the_tag_is_not_a_claim() {
    claims_nothing("<promise>FINISHED</promise>", &[], "The promise tag holds `FINISHED`");
}

#[test]
fn a_bare_word_is_not_a_claim_where_the_tag_is_asked_for() {
    claims_nothing("Everything works.\nDONE", &[], "stands there without its tag");
}

#[test]
fn an_agent_that_echoes_its_prompt_claims_nothing() {
    for mode in ["tag", "word"] {
        let project = plain();
        project.agent("cat");
        let more = ["--match", mode, "--max-iterations", "3"];
        let output = project.run_json("do it", &more).exits(1).ends("failed/no_progress", 3);
        let claims = output.values("iteration_ended", "claim");
        assert!(!claims.contains(&"promise".to_owned()), "{mode}: {claims:?}");
    }
}

#[test]
fn a_task_that_quotes_the_tag_is_no_claim_of_an_agent_that_echoes_it() {
    let project = plain();
    project.agent("cat");
    let task = "explain what <promise>DONE</promise>\nmeans";
    let output = project.run_json(task, &["--max-iterations", "2"]).exits(1);
    let _ = output.ends("failed/max_iterations", 2);
}

#[test]
fn a_task_that_ends_with_the_tag_is_no_claim_of_an_agent_that_echoes_it() {
    let project = plain();
    project.agent("cat; echo");
    let output = project.run_json("do it, then say\n<promise>DONE</promise>", &[]).exits(1);
    let _ = output.ends("failed/no_progress", 3);
}

#[test]
fn the_word_alone_ends_a_run_in_word_mode() {
    claims("Everything works.\nDONE", &["--match", "word"]);
    claims_nothing("The work is not DONE", &["--match", "word"], "says that something is not so");
}

#[test]
fn the_word_anywhere_ends_a_run_in_contains_mode() {
    claims("The work is DONE, and here is why: it works.", &["--match", "contains"]);
    let why = "did not output the completion promise";
    claims_nothing("UNDONE, not yet DONEish", &["--match", "contains"], why);
}

#[test]
fn carriage_returns_and_tabs_inside_the_tag_change_nothing() {
    claims("Done.\r\n<Promise>\r\n\tDONE\r\n</PROMISE>\r\n\r\n", &[]);
}

#[test]
fn a_promise_is_not_a_regular_expression() {
    let promise = ["--promise", "D.O*N(E"];
    claims("<promise>D.O*N(E</promise>", &promise);
    claims_nothing("<promise>DxOOON(E</promise>", &promise, "only `<promise>D.O*N(E</promise>`");
}

#[test]
fn a_promise_may_be_korean() {
    let promise = ["--promise", "모두 완료"];
    claims("작업을 마쳤습니다.\n<promise>모두 완료</promise>", &promise);
    claims_nothing("<promise>완료</promise>", &promise, "only `<promise>모두 완료</promise>`");
}

#[test]
fn an_empty_promise_is_switched_off_and_the_gate_decides() {
    let project = git();
    let work = "[ $RALPH_ITERATION != 2 ] || : > work.txt";
    project.agent(&script(&[work, "echo '<promise></promise>'"]));
    let more = ["--promise", "", "--criteria", "custom:test -f work.txt"];
    let output = project.run_json("do it", &more).exits(0).ends("success/verified", 2);
    assert_eq!(output.values("iteration_ended", "claim"), ["none"; 2]);
}

#[test]
fn an_empty_promise_leaves_the_markers() {
    claims("All is well.\n<ralph:done />", &["--promise", ""]);
    let why = "did not output the completion promise";
    claims_nothing("<promise></promise>\nDONE", &["--promise", ""], why);
}

#[test]
fn a_run_that_nothing_could_end_is_refused() {
    let project = plain();
    project.file("ralph.toml", "[run]\npromise = \"\"\nmarkers = []\n").agent(CLAIM);
    let output = project.run_json("do it", &[]).exits(2);
    assert!(output.stderr.contains("nothing could ever end this run"), "{}", output.stderr);
    assert_eq!(output.stdout, "");
}

#[test]
fn colours_around_the_tag_do_not_hide_it() {
    claims("\x1b[1m\x1b[32m<promise>\x1b[4mDONE\x1b[0m</promise>\x1b[0m\x1b[K\n", &[]);
}

#[test]
fn a_claim_on_the_error_stream_does_not_count() {
    let project = plain();
    project.agent("echo '<promise>DONE</promise>' >&2; echo working");
    let output = project.run_json("do it", &["--max-iterations", "1"]).exits(1);
    let output = output.ends("failed/max_iterations", 1);
    assert_eq!(output.values("iteration_ended", "claim"), ["none"]);
}

#[test]
fn a_failing_exit_voids_the_claim() {
    let project = plain();
    project.agent(&script(&[KEEP_PROMPT, CLAIM, "[ $RALPH_ITERATION = 2 ]"]));
    let output = project.run_json("do it", &[]).exits(0).ends("success/claimed", 2);
    assert_eq!(output.values("iteration_ended", "claim"), ["none", "promise"]);
    let told = project.kept("prompt-2");
    assert!(told.contains("the agent exited with code 1"), "{told}");
}

#[test]
fn a_failing_exit_does_not_void_the_gates() {
    let project = git();
    project.agent(": > work.txt; exit 1");
    let more = ["--criteria", "custom:test -f work.txt"];
    let _ = project.run_json("do it", &more).exits(0).ends("success/verified", 1);
}

#[test]
fn bytes_that_are_no_text_neither_hide_a_claim_nor_make_one() {
    let noise = r"printf 'caf\351 \377\376 \000\000 \001\007\010\033[2J\302'";
    for (last, outcome, code) in [
        ("printf '\\n<promise>DONE</promise>\\n'", "success/claimed", 0),
        ("printf '\\n<promise>D\\000X</promise>\\n'", "failed/max_iterations", 1),
    ] {
        let project = plain();
        project.agent(&script(&[noise, last]));
        let output = project.run_json("do it", &["--max-iterations", "1"]).exits(code);
        let _ = output.ends(outcome, 1);
    }
}
