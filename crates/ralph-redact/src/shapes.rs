//! Finds secrets written into a file, by their shape alone.
//!
//! Hiding too much of a log does no harm, so redaction hides in doubt. Here a
//! finding stops a run, so stand-ins for a secret are not reported.

use super::value::is_placeholder;
use super::{SecretSpan, assignment, patterns, private_key, tokens};

/// Kinds with unclear surroundings, or meant for tests.
const DOUBTFUL: &[&str] = &[
    "authorization",
    "command-password",
    "cookie",
    "flag-value",
    "jwt",
    "netrc-password",
    "signed-url",
    "twilio-key",
];

/// Minimum number of different characters after a prefix.
const VARIETY: usize = 7;

/// A secret found in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretShape {
    /// Its first byte.
    pub start: usize,
    /// Its kind: `github-token`, `url-password`.
    pub kind: &'static str,
}

/// Finds secrets written into a line of a file.
pub fn shapes(line: &str) -> Vec<SecretShape> {
    let mut spans = Vec::new();
    private_key::find(line, &mut spans);
    tokens::find(line, &mut spans);
    patterns::find(line, &mut spans);
    spans.retain(|span| !DOUBTFUL.contains(&span.kind) && is_real(line, span));
    sorted(spans)
}

/// Finds secrets by the names of their variables, for a file that holds only variables.
pub fn assigned(line: &str) -> Vec<SecretShape> {
    let mut spans = Vec::new();
    assignment::find(line, &mut spans);
    spans.retain(|span| !is_placeholder(&line[span.start..span.end]));
    sorted(spans)
}

fn sorted(mut spans: Vec<SecretSpan>) -> Vec<SecretShape> {
    spans.sort_by_key(|span| span.start);
    spans.dedup_by_key(|span| span.kind);
    spans.iter().map(|span| SecretShape { start: span.start, kind: span.kind }).collect()
}

fn is_real(line: &str, span: &SecretSpan) -> bool {
    let text = &line[span.start..span.end];
    match span.kind {
        private_key::KIND => true,
        "url-password" => is_real_url(line, span),
        "stripe-key" if text.contains("_test_") => false,
        _ => !is_stand_in(text),
    }
}

/// Returns true for a token as documents and tests write it.
fn is_stand_in(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let mut seen: Vec<u8> = lower.bytes().filter(u8::is_ascii_alphanumeric).collect();
    seen.sort_unstable();
    seen.dedup();
    let is_worded = ["example", "xxx", "changeme", "placeholder", "dummy", "your", "redacted"]
        .iter()
        .any(|word| lower.contains(word));
    is_worded || seen.len() < VARIETY || is_placeholder(text)
}

/// Returns true if the password of a URL is a real one. It is not if it is a
/// placeholder, a word for a password, the user's name, or for a service on the
/// same machine.
fn is_real_url(line: &str, span: &SecretSpan) -> bool {
    let password = &line[span.start..span.end];
    let before = line[..span.start].trim_end_matches(':');
    let user = before.rsplit('/').next().unwrap_or_default();
    let host = line[span.end..].trim_start_matches('@');
    let host: String =
        host.chars().take_while(|c| c.is_ascii_alphanumeric() || "-._".contains(*c)).collect();
    let words = ["pass", "passwd", "password", "pwd", "pw", "secret", "token", "user"];
    let is_word = words.contains(&password.to_ascii_lowercase().as_str());
    let is_filled_in = password.contains(['$', '{', '}', '%', '<', '(', '*', '[', ':', '#']);
    let is_near = host.is_empty()
        || ["localhost", "127.0.0.1", "0.0.0.0", "host"].contains(&host.as_str())
        || host.contains("example");
    !is_word
        && !is_filled_in
        && !is_near
        && password != user
        && password.len() >= 4
        && !is_placeholder(password)
        && !password.to_ascii_lowercase().contains("xxx")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds the secrets from parts, so that this file contains none.
    fn kind(parts: &[&str]) -> Option<&'static str> {
        shapes(&parts.concat()).first().map(|shape| shape.kind)
    }

    #[test]
    fn keys_are_told_by_their_shape() {
        let random = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5";
        for (parts, want) in [
            (&["key: AK", "IA2E7QXR5WVTPLMZ4K"][..], "aws-access-key"),
            (&["x('gh", "p_", random, "')"], "github-token"),
            (&["github_", "pat_", random], "github-token"),
            (&["SLACK=xo", "xb-1234567890-abcdefXYZ987"], "slack-token"),
            (&["sk_", "live_4eC39HqLyjWDarjtT1zdp7dc"], "stripe-key"),
            (
                &["https://hooks.slack.com/services/T0", "1ABCDE2/B03FGHIJ4/", &random[..24]],
                "slack-webhook",
            ),
            (&["postgres://app:", "hunter2real@db.corp.net/x"], "url-password"),
            (&["-----BEGIN RSA ", "PRIVATE KEY-----"], "private-key"),
        ] {
            assert_eq!(kind(parts), Some(want), "{parts:?}");
        }
    }

    #[test]
    fn what_stands_for_a_key_is_none() {
        let random = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5";
        for parts in [
            &["AK", "IAIOSFODNN7EXAMPLE"][..],
            &["gh", "p_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"],
            &["gh", "p_your_token_here_", random],
            &["sk_", "test_4eC39HqLyjWDarjtT1zdp7dc"],
            &["postgres://app:${DB_PASSWORD}@db.corp.net/x"],
            &["postgres://user:password@db.corp.net/x"],
            &["postgres://postgres:postgres@db/x"],
            &["redis://:hunter2real@localhost:6379"],
            &["https://me:hunter2real@example.com/"],
            &["mongodb://app:changeme@db.corp.net"],
            &["f'amqp://{user}:{password}@{host}/'"],
        ] {
            assert_eq!(kind(parts), None, "{parts:?}");
        }
    }

    #[test]
    fn variables_of_an_environment_are_told_by_their_names() {
        let found = |line| assigned(line).len();
        assert_eq!(found("DB_PASSWORD=t4lk-t0-n0b0dy"), 1);
        for line in ["DB_PASSWORD=changeme", "DB_PASSWORD=", "API_KEY=${KEY}", "PORT=8080"] {
            assert_eq!(found(line), 0, "{line}");
        }
    }
}
