//! Finds secrets stated in a sentence: `the password of staging is …`.
//!
//! Only text that cannot be a word of the sentence is removed: notes about software
//! are full of names with digits, such as `SHA256` or `argon2id`.

use super::assignment::{SecretKind, korean_name, promise_of};
use super::value::{is_path, is_placeholder, looks_random};
use super::{MARK, SecretSpan};

/// Maximum number of words between the name of the secret and `is`.
const MOST_BETWEEN: usize = 6;

/// Number of bytes before `is` that are read; a bound on time.
const FAR: usize = 96;

/// Minimum number of changes between letters and digits in a generated value.
const TURNS: usize = 3;

/// Finds the secrets stated in the sentences of a line.
pub(super) fn find(line: &str, spans: &mut Vec<SecretSpan>) {
    for link in [" is ", "는 ", "은 "] {
        for (at, _) in line.match_indices(link) {
            let Some(promise) = promised(line, at) else { continue };
            let rest = &line[at + link.len()..];
            let text = rest.split_whitespace().next().unwrap_or_default();
            let value = text.trim_matches(|c: char| "\"'`“”.,;".contains(c));
            if is_told(value, promise)
                && let Some(skipped) = rest.find(value)
            {
                let start = at + link.len() + skipped;
                spans.push(SecretSpan { start, end: start + value.len(), kind: promise.kind() });
            }
        }
    }
}

/// Returns the kind of secret that the words before `at` announce.
fn promised(line: &str, at: usize) -> Option<SecretKind> {
    let from = (at.saturating_sub(FAR)..=at).find(|from| line.is_char_boundary(*from))?;
    let words: Vec<&str> = line[from..at].split_whitespace().rev().take(MOST_BETWEEN).collect();
    words.iter().enumerate().find_map(|(place, word)| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let before = words.get(place + 1).copied().unwrap_or_default();
        let pair = || promise_of(&format!("{before}_{word}"));
        promise_of(word).or_else(pair).or_else(|| korean_name(word).map(|(_, promise)| promise))
    })
}

fn is_told(value: &str, promise: SecretKind) -> bool {
    if value.contains(MARK) || is_placeholder(value) || is_path(value) || value.contains("://") {
        return false;
    }
    let bytes = value.as_bytes();
    let is_alphanumeric = bytes.iter().all(u8::is_ascii_alphanumeric);
    let turns = bytes.windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit());
    if is_alphanumeric && looks_random(bytes) && turns.count() >= TURNS {
        return true;
    }
    let has = |test: fn(&u8) -> bool| bytes.iter().any(test);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let has_sign = value.contains(['!', '#', '$', '%', '^', '&', '*']);
    let is_code =
        value.starts_with(['$', '#', '%', '&', '*']) || value.contains(['(', '<', '[', '{']);
    promise == SecretKind::Password && value.len() >= 6 && is_mixed && has_sign && !is_code
}

#[cfg(test)]
mod tests {
    use super::super::redact;

    #[test]
    fn what_cannot_be_a_word_of_the_sentence_is_taken_out() {
        for (text, secret) in [
            ("the password of staging is Tr0ub4dor&3", "Tr0ub4dor&3"),
            ("The staging password is `Tr0ub4dor&3`.", "Tr0ub4dor&3"),
            ("the api key for the geocoder is Zx81kQ77LmN2pR", "Zx81kQ77LmN2pR"),
            ("the token that we use here is 9f8a7c6b5d4e3f2a1b0c", "9f8a7c6b5d4e3f2a1b0c"),
            ("스테이징 DB의 비밀번호는 Tr0ub4dor&3 이다", "Tr0ub4dor&3"),
            ("CI 토큰은 9f8a7c6b5d4e3f2a1b0c 를 쓴다", "9f8a7c6b5d4e3f2a1b0c"),
        ] {
            let clean = redact(text);
            assert!(!clean.contains(secret) && clean.contains("[redacted:"), "{text}: {clean}");
        }
    }

    #[test]
    fn names_units_and_algorithms_are_kept() {
        for text in [
            "the password is hashed with argon2id and 16 bytes of salt",
            "the token is HS256-signed and lives for 15min",
            "the password is SHA256(salt + input)",
            "the password is SHA256withRSA",
            "the token is secp256k1-signed",
            "the secret is prod/db/main-2 in the vault",
            "the secret is $GITHUB_TOKEN",
            "the cache key is 9f8a7c6b5d4e3f2a1b0c",
            "비밀번호는 12자 이상이다",
            "토큰은 base64url 이다",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}
