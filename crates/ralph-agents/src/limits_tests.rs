use super::*;

/// 2026-11-15 12:00:00 UTC.
const NOON: Timestamp = Timestamp::from_millis(1_794_744_000_000);

fn find(text: &str, stderr: &str, ending: ExitReason) -> Option<LimitHit> {
    LimitPatterns::known().find(&LimitSearchText { text, stderr, ending }, NOON)
}

#[track_caller]
fn waits(text: &str, seconds: i64) {
    let until = find(text, "", ExitReason::Exited(0)).expect("a limit").until.expect("a moment");
    assert_eq!((until.as_millis() - NOON.as_millis()) / 1000 - 2, seconds, "{text}");
}

#[test]
fn a_bare_limit_message_is_a_limit_even_with_exit_code_zero() {
    for text in [
        "You've hit your limit",
        "Claude usage limit reached.",
        "Error: 429 Too Many Requests",
        "You've hit your individual spend limit. Contact your admin.",
        "Rate limit exceeded, please slow down\n",
    ] {
        assert_eq!(find(text, "", ExitReason::Exited(0)), Some(LimitHit { until: None }), "{text}");
    }
}

#[test]
fn the_moment_a_provider_names_is_understood() {
    waits("You've hit your limit · resets 3pm (UTC)", 3 * 3600);
    waits("You've hit your limit · resets 11:30am (UTC)", 23 * 3600 + 1800);
    waits("usage limit reached|1794747600", 3600);
    waits("Rate limit exceeded. Try again in 20s", 20);
    waits("Rate limit exceeded. Try again in 1h 5m", 3900);
    waits("429 rate limit; retry-after: 30", 30);
    waits("Too many requests, retry after 5 minutes", 300);
    waits("rate limit reached, available again at 2026-11-15T12:10:00Z", 600);
}

#[test]
fn talk_about_limits_is_not_a_limit() {
    let long_report = "I added @upstash/ratelimit.\nThe API now answers.\nTests pass.\n\
        When too many requests arrive it says: rate limit exceeded.";
    for text in [
        long_report,
        "Installed @upstash/ratelimit 2.0",
        "The handler returns `rate limit exceeded` now.",
        "It prints \"too many requests\" as asked.",
        "Done: the client now backs off on too many requests.",
        "Rate limit exceeded is handled.\n<promise>DONE</promise>",
        "",
    ] {
        assert_eq!(find(text, "", ExitReason::Exited(0)), None, "{text}");
    }
}

#[test]
fn a_failing_process_names_its_limit_in_its_last_lines() {
    let noise = "working\n".repeat(50);
    let text = format!("{noise}API Error: 429 rate_limit_error: too many requests");
    assert!(find(&text, "", ExitReason::Exited(1)).is_some());
    assert!(find(&noise, "overloaded_error", ExitReason::Exited(1)).is_some());
    let early = format!("rate limit exceeded\n{noise}");
    assert_eq!(find(&early, "", ExitReason::Exited(1)), None);
}

#[test]
fn a_failing_test_about_limits_is_not_a_limit() {
    for text in ["test api::rate_limited ... FAILED", "FAILED the reply says too many requests"] {
        assert_eq!(find(text, "", ExitReason::Exited(1)), None, "{text}");
    }
}

#[test]
fn a_timeout_of_ours_is_never_taken_for_a_limit() {
    for ending in [
        ExitReason::WallTimeout,
        ExitReason::IdleTimeout,
        ExitReason::Signaled(9),
        ExitReason::Stopped,
    ] {
        assert_eq!(find("usage limit reached", "", ending), None);
    }
}

#[test]
fn a_bad_pattern_is_named() {
    let error = LimitPatterns::new(&["ok", "("]).unwrap_err();
    assert_eq!(error.to_string(), "limit pattern `(` is not a regular expression");
}
