//! Finds tokens by their prefix.
//!
//! One pass over the line looks up each byte and its successor in two tables. A
//! prefix is compared only if both match.

use super::Span;
use super::value::looks_random;

/// A token format: a prefix, then parts joined by full stops.
struct Token {
    kind: &'static str,
    prefix: &'static str,
    first: Part,
    rest: &'static [Part],
    proof: Proof,
}

/// A run of characters of one set, with its length limits.
#[derive(Clone, Copy)]
struct Part {
    set: Set,
    min: usize,
    max: usize,
}

/// The condition for a token besides its shape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Proof {
    Shape,
    Randomness,
}

/// The set of characters in a part.
#[derive(Clone, Copy)]
enum Set {
    Alnum,
    Hex,
    /// Capitals and digits.
    Upper,
    /// Base64url, which identifiers and kebab case also match.
    Url,
    /// Base64url, base64 and percent escapes.
    Loose,
}

const SETS: usize = 5;

impl Set {
    fn holds(self, byte: u8) -> bool {
        match self {
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Loose => Self::Url.holds(byte) || matches!(byte, b'+' | b'/' | b'=' | b'%'),
        }
    }
}

impl Token {
    const fn randomly(self) -> Self {
        Self { proof: Proof::Randomness, ..self }
    }

    const fn then(self, rest: &'static [Part]) -> Self {
        Self { rest, ..self }
    }

    const fn exactly(self) -> Self {
        let first = Part { max: self.first.min, ..self.first };
        Self { first, ..self }
    }
}

const fn part(set: Set, min: usize) -> Part {
    Part { set, min, max: usize::MAX }
}

const fn token(kind: &'static str, prefix: &'static str, set: Set, min: usize) -> Token {
    Token { kind, prefix, first: part(set, min), rest: &[], proof: Proof::Shape }
}

const fn discord(prefix: &'static str) -> Token {
    const REST: &[Part] = &[Part { set: Set::Url, min: 6, max: 6 }, part(Set::Url, 27)];
    let token = token("discord-token", prefix, Set::Url, 23).then(REST);
    Token { first: Part { set: Set::Url, min: 23, max: 27 }, ..token }
}

/// The known formats. Minimum lengths are somewhat below the documented ones:
/// formats grow, and a token that was cut off should still be hidden.
#[rustfmt::skip]
const TOKENS: &[Token] = &[
    token("aws-access-key", "AKIA", Set::Upper, 16).exactly(),
    token("aws-access-key", "ASIA", Set::Upper, 16).exactly(),
    token("github-token", "ghp_", Set::Url, 36),
    token("github-token", "gho_", Set::Url, 36),
    token("github-token", "ghu_", Set::Url, 36),
    token("github-token", "ghs_", Set::Url, 36),
    token("github-token", "ghr_", Set::Url, 36),
    token("github-token", "github_pat_", Set::Url, 36),
    token("gitlab-token", "glpat-", Set::Url, 20),
    token("gitlab-token", "gldt-", Set::Url, 20),
    token("gitlab-token", "glrt-", Set::Url, 20),
    token("gitlab-token", "glcbt-", Set::Url, 20),
    token("gitlab-token", "glptt-", Set::Url, 20),
    token("gitlab-token", "glft-", Set::Url, 20),
    token("gitlab-token", "glsoat-", Set::Url, 20),
    token("gitlab-token", "glagent-", Set::Url, 20),
    token("slack-token", "xoxb-", Set::Url, 16),
    token("slack-token", "xoxp-", Set::Url, 16),
    token("slack-token", "xoxa-", Set::Url, 16),
    token("slack-token", "xoxr-", Set::Url, 16),
    token("slack-token", "xoxs-", Set::Url, 16),
    token("slack-token", "xoxe-", Set::Url, 16),
    token("slack-token", "xoxc-", Set::Url, 16),
    token("slack-token", "xoxd-", Set::Loose, 16),
    token("slack-token", "xapp-", Set::Url, 16),
    token("stripe-key", "sk_live_", Set::Alnum, 16),
    token("stripe-key", "rk_live_", Set::Alnum, 16),
    token("stripe-key", "sk_test_", Set::Alnum, 16),
    token("stripe-key", "rk_test_", Set::Alnum, 16),
    token("webhook-secret", "whsec_", Set::Loose, 24),
    token("openai-key", "sk-", Set::Alnum, 20).randomly(),
    token("openai-key", "sk-proj-", Set::Url, 32).randomly(),
    token("openai-key", "sk-svcacct-", Set::Url, 32).randomly(),
    token("openai-key", "sk-admin-", Set::Url, 32).randomly(),
    token("openrouter-key", "sk-or-v1-", Set::Hex, 32),
    token("anthropic-key", "sk-ant-", Set::Url, 32).randomly(),
    token("groq-key", "gsk_", Set::Alnum, 40),
    token("xai-key", "xai-", Set::Alnum, 60),
    token("replicate-token", "r8_", Set::Alnum, 36),
    token("perplexity-key", "pplx-", Set::Alnum, 40),
    token("google-api-key", "AIza", Set::Url, 35),
    token("google-oauth", "ya29.", Set::Url, 20),
    token("google-oauth", "GOCSPX-", Set::Url, 24),
    token("google-oauth", "1//0", Set::Url, 40).randomly(),
    token("npm-token", "npm_", Set::Alnum, 36),
    token("pypi-token", "pypi-AgE", Set::Url, 40),
    token("crates-io-token", "cio", Set::Alnum, 32).exactly().randomly(),
    token("rubygems-key", "rubygems_", Set::Hex, 48),
    token("docker-token", "dckr_pat_", Set::Url, 24),
    token("docker-token", "dckr_oat_", Set::Url, 24),
    token("sendgrid-key", "SG.", Set::Url, 16).then(&[part(Set::Url, 32)]),
    token("twilio-key", "SK", Set::Hex, 32).exactly(),
    token("mailgun-key", "key-", Set::Hex, 32),
    discord("M"),
    discord("N"),
    discord("O"),
    token("huggingface-token", "hf_", Set::Alnum, 30),
    token("databricks-token", "dapi", Set::Hex, 32),
    token("digitalocean-token", "dop_v1_", Set::Hex, 40),
    token("digitalocean-token", "doo_v1_", Set::Hex, 40),
    token("digitalocean-token", "dor_v1_", Set::Hex, 40),
    token("heroku-key", "HRKU-", Set::Url, 30),
    token("shopify-token", "shpat_", Set::Hex, 32),
    token("shopify-token", "shpca_", Set::Hex, 32),
    token("shopify-token", "shppa_", Set::Hex, 32),
    token("shopify-token", "shpss_", Set::Hex, 32),
    token("atlassian-token", "ATATT3", Set::Loose, 40),
    token("atlassian-token", "ATCTT3", Set::Loose, 40),
    token("linear-key", "lin_api_", Set::Alnum, 32),
    token("linear-key", "lin_oauth_", Set::Alnum, 32),
    token("notion-token", "secret_", Set::Alnum, 40).randomly(),
    token("notion-token", "ntn_", Set::Alnum, 40),
    token("figma-token", "figd_", Set::Url, 36),
    token("postman-key", "PMAK-", Set::Url, 36),
    token("airtable-token", "pat", Set::Alnum, 14).exactly().then(&[part(Set::Hex, 60)]),
    token("vercel-token", "vcp_", Set::Alnum, 24),
    token("vercel-token", "vci_", Set::Alnum, 24),
    token("vercel-token", "vca_", Set::Alnum, 24),
    token("vercel-token", "vcr_", Set::Alnum, 24),
    token("vercel-token", "vck_", Set::Alnum, 24),
    token("vercel-token", "vercel_blob_rw_", Set::Url, 30),
    token("netlify-token", "nfp_", Set::Alnum, 32),
    token("netlify-token", "nfc_", Set::Alnum, 32),
    token("netlify-token", "nfo_", Set::Alnum, 32),
    token("supabase-key", "sbp_", Set::Hex, 40),
    token("supabase-key", "sb_secret_", Set::Url, 20),
    token("planetscale-token", "pscale_tkn_", Set::Url, 32),
    token("planetscale-token", "pscale_pw_", Set::Url, 32),
    token("planetscale-token", "pscale_oauth_", Set::Url, 32),
    token("doppler-token", "dp.pt.", Set::Alnum, 40),
    token("doppler-token", "dp.ct.", Set::Alnum, 40),
    token("doppler-token", "dp.sa.", Set::Alnum, 40),
    token("doppler-token", "dp.st.", Set::Alnum, 40),
    token("doppler-token", "dp.st.", Set::Url, 2).then(&[part(Set::Alnum, 40)]),
    token("vault-token", "hvs.", Set::Url, 24),
    token("vault-token", "hvb.", Set::Url, 24),
    token("pulumi-token", "pul-", Set::Hex, 40),
    token("grafana-token", "glsa_", Set::Url, 32),
    token("grafana-token", "glc_eyJ", Set::Loose, 32),
    token("newrelic-key", "NRAK-", Set::Alnum, 24),
    token("sentry-token", "sntrys_", Set::Loose, 40),
    token("sentry-token", "sntryu_", Set::Hex, 40),
    token("tailscale-key", "tskey-", Set::Url, 24),
    token("fly-token", "fm2_", Set::Loose, 40),
    token("age-secret-key", "AGE-SECRET-KEY-1", Set::Upper, 50),
    token("jwt", "eyJ", Set::Url, 10).then(&[part(Set::Url, 0), part(Set::Url, 10)]),
];

/// A table in which bit `n` of entry `b` says that format `n` may have byte `b` at
/// one position.
type Places = [u128; 256];

const FIRST: Places = places(0);
const SECOND: Places = places(1);

const fn places(at: usize) -> Places {
    assert!(TOKENS.len() <= 128, "one bit for each form of token");
    let mut table = [0; 256];
    let mut form = 0;
    while form < TOKENS.len() {
        let prefix = TOKENS[form].prefix.as_bytes();
        let mut byte = 0;
        while byte < table.len() {
            if at >= prefix.len() || prefix[at] as usize == byte {
                table[byte] |= 1 << form;
            }
            byte += 1;
        }
        form += 1;
    }
    table
}

/// Finds tokens in `line`, from left to right.
pub(super) fn find(line: &str, spans: &mut Vec<Span>) {
    let bytes = line.as_bytes();
    let mut runs = Runs { bytes, known: [(0, 0); SETS] };
    let mut at = 0;
    while at + 1 < bytes.len() {
        let forms = FIRST[usize::from(bytes[at])] & SECOND[usize::from(bytes[at + 1])];
        let end =
            if forms != 0 && is_boundary(bytes, at) { longest(forms, at, &mut runs) } else { None };
        match end {
            Some((end, kind)) => {
                spans.push(Span { start: at, end, kind });
                at = end;
            }
            None => at += 1,
        }
    }
}

/// Returns the end and kind of the longest of these formats that starts at `at`.
fn longest(mut forms: u128, at: usize, runs: &mut Runs<'_>) -> Option<(usize, &'static str)> {
    let mut best: Option<(usize, &'static str)> = None;
    while forms != 0 {
        let token = &TOKENS[forms.trailing_zeros() as usize];
        forms &= forms - 1;
        if let Some(end) = token_end(token, at, runs)
            && best.is_none_or(|(longest, _)| end > longest)
        {
            best = Some((end, token.kind));
        }
    }
    best
}

fn token_end(token: &Token, at: usize, runs: &mut Runs<'_>) -> Option<usize> {
    if !runs.bytes[at..].starts_with(token.prefix.as_bytes()) {
        return None;
    }
    let body = at + token.prefix.len();
    let mut end = runs.part_end(token.first, body)?;
    let mut last = token.first;
    for part in token.rest {
        if runs.bytes.get(end) != Some(&b'.') {
            return None;
        }
        end = runs.part_end(*part, end + 1)?;
        last = *part;
    }
    // A span ends where a word ends. Otherwise a second pass would find a token in
    // the rest that the first pass saw as the middle of a word.
    let word_end = runs.end(Set::Alnum, end);
    if word_end > end && last.max < usize::MAX {
        return None;
    }
    let is_proven = match token.proof {
        Proof::Shape => true,
        Proof::Randomness => looks_random(&runs.bytes[body..word_end]),
    };
    is_proven.then_some(word_end)
}

/// Ends of character runs. The last run of each set is cached, so that many
/// prefixes within one long run do not each scan to its end.
struct Runs<'a> {
    bytes: &'a [u8],
    known: [(usize, usize); SETS],
}

impl Runs<'_> {
    fn end(&mut self, set: Set, from: usize) -> usize {
        let known = &mut self.known[set as usize];
        if (known.0..known.1).contains(&from) {
            return known.1;
        }
        let length = self.bytes[from..].iter().take_while(|byte| set.holds(**byte)).count();
        *known = (from, from + length);
        from + length
    }

    fn part_end(&mut self, part: Part, from: usize) -> Option<usize> {
        let end = self.end(part.set, from);
        (part.min..=part.max).contains(&(end - from)).then_some(end)
    }
}

/// Returns true if a word can begin here: after anything but a letter or digit, and
/// after the escapes that end in one (`\n`, `%3D`, `\u003d`, `ESC[31m`).
fn is_boundary(bytes: &[u8], at: usize) -> bool {
    let are_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match &bytes[..at] {
        [] | [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., last] if !last.is_ascii_alphanumeric() => true,
        [.., b'%', a, b] if are_hex(&[*a, *b]) => true,
        [.., b'\\', b'u', a, b, c, d] if are_hex(&[*a, *b, *c, *d]) => true,
        [before @ .., b'm'] => ends_in_colour(before),
        [..] => false,
    }
}

/// Returns true after `ESC[` and the numbers of a terminal colour.
fn ends_in_colour(before: &[u8]) -> bool {
    let numbers =
        before.iter().rev().take(12).take_while(|b| b.is_ascii_digit() || **b == b';').count();
    before[..before.len() - numbers].ends_with(b"\x1b[")
}

#[cfg(test)]
pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    TOKENS.iter().map(|token| token.kind)
}
