//! Finds secrets by their surroundings: headers, URLs, flags.
//!
//! The group `secret` of each pattern is the secret. A group `sure` means that the
//! surroundings leave no doubt. A gate of plain searches runs before each pattern,
//! because compiling one costs more than reading many lines.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use super::value::{is_placeholder, is_plain_word, looks_random};
use super::{MARK, SecretSpan};

struct SecretPattern {
    kind: &'static str,
    /// Returns true if a line may match, so that the regular expression is worth running.
    gate: fn(&str) -> bool,
    regex: LazyLock<Regex>,
    /// Returns true if a match without a `sure` group is a secret.
    accepts: fn(&str) -> bool,
}

static PATTERNS: [SecretPattern; 17] = [
    SecretPattern {
        kind: "url-password",
        gate: |line| line.contains("://") && line.contains('@'),
        regex: LazyLock::new(|| {
            compile(r#"://[^ \t\r\n/:@"'<>\[\]\\]*:(?<secret>[^ \t\r\n/"'<>\\]+)@"#)
        }),
        accepts: |secret| !is_port_before_query(secret),
    },
    SecretPattern {
        kind: "url-password",
        gate: |line| line.contains("://") && line.contains('@'),
        // A `/` must be escaped here, and often is not.
        regex: LazyLock::new(|| {
            compile(
                r#"://[^ \t\r\n/:@"'<>\[\]\\]+:(?<secret>[^ \t\r\n/@"'<>\\]+/[^ \t\r\n@"'<>\\]*)@[A-Za-z0-9]"#,
            )
        }),
        accepts: |secret| {
            let first = secret.split('/').next().unwrap_or_default();
            let is_port = first.bytes().all(|byte| byte.is_ascii_digit());
            !is_port && !is_port_before_query(secret) && !is_plain_word(first)
        },
    },
    SecretPattern {
        kind: "command-password",
        gate: |line| line.contains("curl ") && line.contains(':'),
        regex: LazyLock::new(|| {
            compile(concat!(
                r"\bcurl[ \t](?:[^\r\n|;]*[ \t])?(?:-[a-zA-Z]*[uU][ \t]*|--(?:proxy-)?user[ =])",
                r#"["']?[^ \t\r\n:"']*:(?<secret>[^ \t\r\n"'/][^ \t\r\n"']*)"#,
            ))
        }),
        accepts: |secret| !secret.contains("://"),
    },
    SecretPattern {
        kind: "command-password",
        gate: |line| {
            line.contains(" -p") && ["mysql", "mariadb"].iter().any(|it| line.contains(it))
        },
        regex: LazyLock::new(|| {
            compile(concat!(
                r"\b(?:mysql|mariadb)[a-z-]*[ \t](?:[^\r\n|;]*[ \t])?",
                r#"-p["']?(?<secret>[^ \t\r\n"'`-][^ \t\r\n"'`]*)"#,
            ))
        }),
        // `docker run --name mysql -p3306:3306` publishes a port.
        accepts: |secret| {
            !secret.bytes().all(|byte| byte.is_ascii_digit() || b":./".contains(&byte))
        },
    },
    SecretPattern {
        kind: "command-password",
        gate: |line| line.contains("sshpass "),
        regex: LazyLock::new(|| {
            compile(r#"\bsshpass[ \t]+(?:-[a-z]+[ \t]+)*-p[ \t]*["']?(?<secret>[^ \t\r\n"'`]+)"#)
        }),
        accepts: |_| true,
    },
    SecretPattern {
        kind: "authorization",
        gate: |line| {
            ["uthorization", "UTHORIZATION", "earer ", "EARER ", "asic "]
                .iter()
                .any(|word| line.contains(word))
        },
        regex: LazyLock::new(|| {
            compile(concat!(
                r#"(?i:(?:(?<sure>authorization[\\"'\]]*[ \t]*[:=][ \t]*[\\"']*"#,
                r"(?:bearer|basic|token|apikey))|\b(?:bearer|basic))[ \t]+)",
                r"(?<secret>[A-Za-z0-9._~+/=:-]{6,})",
            ))
        }),
        accepts: |secret| looks_random(secret.as_bytes()) && !secret.contains("://"),
    },
    SecretPattern {
        kind: "cookie",
        gate: has_cookie,
        regex: LazyLock::new(|| {
            compile(concat!(
                r#"(?:(?:^|[^-A-Za-z0-9_])(?i:cookie)[\\"']*[ \t]*:[ \t]*[\\"']*|--cookie[ =]["']?)"#,
                r#"(?<secret>[^ \t\r\n"'=;\\]+=[^ \t\r\n"'=>\\][^\r\n"'\\]*)"#,
            ))
        }),
        accepts: |_| true,
    },
    SecretPattern {
        kind: "cookie",
        gate: has_cookie,
        regex: LazyLock::new(|| {
            compile(concat!(
                r#"(?i:set-cookie2?)[\\"']*[ \t]*:[ \t]*[\\"']*"#,
                r#"[^ \t\r\n"'=;\\]+=(?<secret>[^\r\n"'\\;]+)"#,
            ))
        }),
        accepts: |_| true,
    },
    SecretPattern {
        kind: "slack-webhook",
        gate: |line| line.contains("hooks.slack.com/"),
        regex: LazyLock::new(|| {
            compile(
                r"hooks\.slack\.com/(?:services|workflows|triggers)/(?<secret>[A-Za-z0-9/_-]{16,})",
            )
        }),
        accepts: |_| true,
    },
    SecretPattern {
        kind: "discord-webhook",
        gate: |line| line.contains("/webhooks/"),
        regex: LazyLock::new(|| {
            compile(concat!(
                r"discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/",
                r"(?<secret>[0-9]+/[A-Za-z0-9_-]{16,})",
            ))
        }),
        accepts: |_| true,
    },
    SecretPattern {
        kind: "signed-url",
        gate: |line| line.contains("sig=") || line.contains("-Signature="),
        regex: LazyLock::new(|| {
            compile(
                r"[?&](?:sig|X-Amz-Signature|X-Goog-Signature)=(?<secret>[A-Za-z0-9%+/=_-]{32,})",
            )
        }),
        accepts: |_| true,
    },
    SecretPattern {
        kind: "telegram-token",
        gate: |line| line.contains(":AA"),
        regex: LazyLock::new(|| {
            compile(r"(?:^|bot|[^0-9A-Za-z])(?<secret>[0-9]{8,10}:AA[A-Za-z0-9_-]{32,})")
        }),
        accepts: |_| true,
    },
    SecretPattern {
        kind: "terraform-token",
        gate: |line| line.contains(".atlasv1."),
        regex: LazyLock::new(|| {
            compile(r"(?<secret>[A-Za-z0-9]{14,}\.atlasv1\.[A-Za-z0-9_=-]{40,})")
        }),
        accepts: |_| true,
    },
    SecretPattern {
        kind: "netrc-password",
        gate: |line| has_spaced_password(line) && line.contains("machine "),
        regex: LazyLock::new(|| compile(r"\bmachine .*[ \t]password[ \t]+(?<secret>[^ \t\r\n]+)")),
        accepts: |_| true,
    },
    SecretPattern {
        kind: "netrc-password",
        gate: has_spaced_password,
        regex: LazyLock::new(|| {
            compile(r"\blogin[ \t]+[^ \t\r\n]+[ \t]+password[ \t]+(?<secret>[^ \t\r\n]+)")
        }),
        accepts: |secret| !is_plain_word(secret),
    },
    SecretPattern {
        kind: "netrc-password",
        gate: has_spaced_password,
        regex: LazyLock::new(|| compile(r"^[ \t]*password[ \t]+(?<secret>[^ \t\r\n]+)[ \t\r\n]*$")),
        accepts: |secret| !is_plain_word(secret),
    },
    SecretPattern {
        kind: "flag-value",
        gate: |line| {
            line.contains("--")
                && ["password ", "passwd ", "token ", "secret ", "key "]
                    .iter()
                    .any(|flag| line.contains(flag))
        },
        regex: LazyLock::new(|| {
            compile(concat!(
                r"--(?:[a-z]+-)*(?:(?<sure>password|passwd)|token|secret|api-?key)",
                r#"[ \t]+["']?(?<secret>[^ \t\r\n"'=-][^ \t\r\n"'=]*)"#,
            ))
        }),
        accepts: |secret| looks_random(secret.as_bytes()),
    },
];

/// Finds the secrets of all patterns in `line`.
pub(super) fn find(line: &str, spans: &mut Vec<SecretSpan>) {
    for pattern in PATTERNS.iter().filter(|pattern| (pattern.gate)(line)) {
        for found in pattern.regex.captures_iter(line.as_bytes()) {
            let Some(secret) = found.name("secret") else { continue };
            let Some(text) = line.get(secret.range()) else { continue };
            // Even a sure context sometimes holds prose: "Authorization: Basic
            // authentication", "--password option".
            let is_accepted = if found.name("sure").is_some() {
                !is_plain_word(text)
            } else {
                (pattern.accepts)(text)
            };
            if is_accepted && !text.contains(MARK) && !is_placeholder(text) {
                spans.push(SecretSpan {
                    start: secret.start(),
                    end: secret.end(),
                    kind: pattern.kind,
                });
            }
        }
    }
}

/// Compiles for bytes without Unicode, which is several times faster. ASCII bounds
/// every secret, so a match still consists of whole characters.
#[expect(clippy::expect_used, reason = "patterns are constants and a test compiles each of them")]
fn compile(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).unicode(false).build().expect("a constant pattern compiles")
}

fn has_cookie(line: &str) -> bool {
    line.contains("ookie") || line.contains("OOKIE")
}

fn has_spaced_password(line: &str) -> bool {
    line.contains("password ") || line.contains("password\t")
}

/// Returns true for `8080?next=me` in `http://host:8080?next=me@home`.
fn is_port_before_query(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    (1..=5).contains(&digits) && text[digits..].starts_with(['?', '#', ',', ';', ')'])
}

#[cfg(test)]
pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    PATTERNS.iter().map(|pattern| pattern.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_names_its_secret() {
        for pattern in &PATTERNS {
            let has_secret = pattern.regex.capture_names().flatten().any(|name| name == "secret");
            assert!(has_secret, "{}", pattern.regex.as_str());
        }
    }
}
