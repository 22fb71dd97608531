//! Limits of the provider, and budgets of the user.

use super::{CLAIM, KEEP_PROMPT, TALK, script};
use crate::{git, plain};

/// A message of a provider whose limit has lifted already.
const LIMIT: &str = "usage limit reached|1700000000";

/// Says this the first time it is called, and claims the second time.
fn first_then_claim(first: &str) -> String {
    script(&[
        "echo $RALPH_ITERATION >> $OUTSIDE/calls",
        &format!("[ $(wc -l < $OUTSIDE/calls) = 1 ] && {{ {first}; }}"),
        CLAIM,
    ])
}

#[test]
fn talk_about_rate_limits_is_not_a_limit() {
    let project = plain();
    let talk = "echo 'I added a test: \"usage limit reached\" now gives 429 Too Many Requests.'";
    project.agent(&script(&[KEEP_PROMPT, talk, TALK]));
    let output = project.run_json("do it", &["--max-iterations", "2"]).exits(1);
    let output = output.ends("failed/max_iterations", 2);
    assert_eq!(output.events_of("waiting").len(), 0);
}

#[test]
fn a_claim_that_names_too_many_requests_is_a_claim() {
    let project = plain();
    project.agent(&script(&["echo 'Done: the client now backs off on too many requests.'", CLAIM]));
    let output = project.run_json("do it", &[]).exits(0).ends("success/claimed", 1);
    assert_eq!(output.events_of("waiting").len(), 0);
}

#[test]
fn a_failed_test_that_names_a_limit_is_not_a_limit() {
    let project = plain();
    project.agent("echo 'test api::rate_limited ... FAILED'; exit 1");
    let output = project.run_json("do it", &["--max-iterations", "1"]).exits(1);
    let output = output.ends("failed/max_iterations", 1);
    assert_eq!(output.values("iteration_ended", "turn"), ["failed"]);
}

#[test]
fn a_limit_costs_no_iteration() {
    let project = git();
    project.agent(&first_then_claim(&format!("echo '{LIMIT}'; exit 0")));
    let output = project.run_json("do it", &["--max-iterations", "1"]).exits(0);
    let output = output.ends("success/claimed", 1);
    assert_eq!(output.values("waiting", "for"), ["limit"]);
    assert_eq!(project.kept("calls"), "1\n1\n");
}

#[test]
fn a_limit_on_the_error_stream_of_a_failing_agent_counts() {
    let project = plain();
    project.agent(&first_then_claim(&format!("echo 'Claude AI {LIMIT}' >&2; exit 1")));
    let output = project.run_json("do it", &[]).exits(0).ends("success/claimed", 1);
    assert_eq!(output.values("iteration_ended", "turn"), ["provider_limit", "finished"]);
    let status = project.ralph(&["status", "--json"]).output().exits(0).json();
    assert_eq!(status["runs"][0]["restarts"], 0);
}

#[test]
fn a_limit_that_never_lifts_ends_the_run() {
    let project = plain();
    project.agent(&format!("echo '{LIMIT}'"));
    let call = project.run_call("do it", &[]).env("RALPH_MAX_WAIT", "1s");
    let output = call.output().exits(1).ends("failed/agent_error", 1);
    assert_eq!(output.values("iteration_ended", "decision"), ["wait", "give_up"]);
    let error = output.ended()["error"].to_string();
    assert!(error.contains("limit does not lift within 1s of waiting"), "{error}");
}

#[test]
fn a_limit_without_a_time_is_not_asked_again_at_once() {
    let project = plain();
    project.agent("echo 'Error: too many requests' >&2; exit 1");
    let call = project.run_call("do it", &[]).env("RALPH_MAX_WAIT", "30s");
    let _ = call.output().exits(1).ends("failed/agent_error", 1);
}

#[test]
fn limit_words_of_the_users_own_count() {
    let project = plain();
    project.agent(&first_then_claim("echo 'the hamster is tired|1700000000'; exit 0"));
    let call = project.run_call("do it", &[]).env("RALPH_LIMIT_PATTERNS", "hamster is tired");
    let _ = call.output().exits(0).ends("success/claimed", 1);
}

#[test]
fn used_up_tokens_end_the_run() {
    let project = git();
    let report = r#"echo '{"input_tokens": 400, "output_tokens": 100}' > $RALPH_USAGE_FILE"#;
    project.agent(&script(&[report, TALK]));
    let output = project.run_json("do it", &["--max-tokens", "1000"]).exits(1);
    let ended = output.ends("failed/budget", 2).ended();
    assert_eq!(ended["cost"]["input_tokens"], 800);
    assert_eq!(ended["cost"]["output_tokens"], 200);
}

#[test]
fn used_up_money_ends_the_run() {
    let project = plain();
    project.agent(&script(&[r#"echo '{"cost_usd": 0.4}' > $RALPH_USAGE_FILE"#, TALK]));
    let output = project.run_json("do it", &["--max-cost", "1.00"]).exits(1);
    let ended = output.ends("failed/budget", 3).ended();
    assert_eq!(ended["cost"]["cost_usd"], 1.2);
}

#[test]
fn work_that_is_done_outranks_its_cost() {
    let project = plain();
    project.agent(&script(&[r#"echo '{"cost_usd": 99}' > $RALPH_USAGE_FILE"#, CLAIM]));
    let output = project.run_json("do it", &["--max-cost", "1"]).exits(0);
    let _ = output.ends("success/claimed", 1);
}

#[test]
fn a_budget_that_cannot_be_measured_ends_the_run() {
    for report in ["exit 0", "echo 'lots, sorry' > $RALPH_USAGE_FILE"] {
        let project = plain();
        project.agent(&script(&[TALK, report]));
        let output = project.run_json("do it", &["--max-cost", "1"]).exits(1);
        let error = output.ends("failed/agent_error", 1).ended()["error"].to_string();
        assert!(error.contains("the agent reports no usage"), "{error}");
    }
}

#[test]
fn an_old_usage_file_is_not_counted_twice() {
    let project = plain();
    let report = "echo '{\"output_tokens\": 7}' > $RALPH_USAGE_FILE";
    project.agent(&script(&[&format!("[ $RALPH_ITERATION = 1 ] && {report}"), TALK]));
    let output = project.run_json("do it", &["--max-iterations", "3"]).exits(1);
    let ended = output.ends("failed/max_iterations", 3).ended();
    assert_eq!(ended["cost"]["output_tokens"], 7);
}
