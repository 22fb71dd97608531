//! Finds tokens by their prefix.
//!
//! One pass over the line looks up each byte and its successor in two tables. A
//! prefix is compared only if both match.

use super::SecretSpan;
use super::value::looks_random;

/// A token format: a prefix, then parts joined by full stops.
struct TokenFormat {
    kind: &'static str,
    prefix: &'static str,
    first: TokenPart,
    rest: &'static [TokenPart],
    proof: TokenCondition,
}

/// A run of characters of one set, with its length limits.
#[derive(Clone, Copy)]
struct TokenPart {
    set: CharSet,
    min: usize,
    max: usize,
}

/// The condition for a token besides its shape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenCondition {
    Shape,
    Randomness,
}

/// The set of characters in a part.
#[derive(Clone, Copy)]
enum CharSet {
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

impl CharSet {
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

impl TokenFormat {
    const fn randomly(self) -> Self {
        Self { proof: TokenCondition::Randomness, ..self }
    }

    const fn then(self, rest: &'static [TokenPart]) -> Self {
        Self { rest, ..self }
    }

    const fn exactly(self) -> Self {
        let first = TokenPart { max: self.first.min, ..self.first };
        Self { first, ..self }
    }
}

const fn part(set: CharSet, min: usize) -> TokenPart {
    TokenPart { set, min, max: usize::MAX }
}

const fn token(kind: &'static str, prefix: &'static str, set: CharSet, min: usize) -> TokenFormat {
    TokenFormat { kind, prefix, first: part(set, min), rest: &[], proof: TokenCondition::Shape }
}

const fn discord(prefix: &'static str) -> TokenFormat {
    const REST: &[TokenPart] =
        &[TokenPart { set: CharSet::Url, min: 6, max: 6 }, part(CharSet::Url, 27)];
    let token = token("discord-token", prefix, CharSet::Url, 23).then(REST);
    TokenFormat { first: TokenPart { set: CharSet::Url, min: 23, max: 27 }, ..token }
}

/// The known formats. Minimum lengths are somewhat below the documented ones:
/// formats grow, and a token that was cut off should still be hidden.
#[rustfmt::skip]
const TOKENS: &[TokenFormat] = &[
    token("aws-access-key", "AKIA", CharSet::Upper, 16).exactly(),
    token("aws-access-key", "ASIA", CharSet::Upper, 16).exactly(),
    token("github-token", "ghp_", CharSet::Url, 36),
    token("github-token", "gho_", CharSet::Url, 36),
    token("github-token", "ghu_", CharSet::Url, 36),
    token("github-token", "ghs_", CharSet::Url, 36),
    token("github-token", "ghr_", CharSet::Url, 36),
    token("github-token", "github_pat_", CharSet::Url, 36),
    token("gitlab-token", "glpat-", CharSet::Url, 20),
    token("gitlab-token", "gldt-", CharSet::Url, 20),
    token("gitlab-token", "glrt-", CharSet::Url, 20),
    token("gitlab-token", "glcbt-", CharSet::Url, 20),
    token("gitlab-token", "glptt-", CharSet::Url, 20),
    token("gitlab-token", "glft-", CharSet::Url, 20),
    token("gitlab-token", "glsoat-", CharSet::Url, 20),
    token("gitlab-token", "glagent-", CharSet::Url, 20),
    token("slack-token", "xoxb-", CharSet::Url, 16),
    token("slack-token", "xoxp-", CharSet::Url, 16),
    token("slack-token", "xoxa-", CharSet::Url, 16),
    token("slack-token", "xoxr-", CharSet::Url, 16),
    token("slack-token", "xoxs-", CharSet::Url, 16),
    token("slack-token", "xoxe-", CharSet::Url, 16),
    token("slack-token", "xoxc-", CharSet::Url, 16),
    token("slack-token", "xoxd-", CharSet::Loose, 16),
    token("slack-token", "xapp-", CharSet::Url, 16),
    token("stripe-key", "sk_live_", CharSet::Alnum, 16),
    token("stripe-key", "rk_live_", CharSet::Alnum, 16),
    token("stripe-key", "sk_test_", CharSet::Alnum, 16),
    token("stripe-key", "rk_test_", CharSet::Alnum, 16),
    token("webhook-secret", "whsec_", CharSet::Loose, 24),
    token("openai-key", "sk-", CharSet::Alnum, 20).randomly(),
    token("openai-key", "sk-proj-", CharSet::Url, 32).randomly(),
    token("openai-key", "sk-svcacct-", CharSet::Url, 32).randomly(),
    token("openai-key", "sk-admin-", CharSet::Url, 32).randomly(),
    token("openrouter-key", "sk-or-v1-", CharSet::Hex, 32),
    token("anthropic-key", "sk-ant-", CharSet::Url, 32).randomly(),
    token("groq-key", "gsk_", CharSet::Alnum, 40),
    token("xai-key", "xai-", CharSet::Alnum, 60),
    token("replicate-token", "r8_", CharSet::Alnum, 36),
    token("perplexity-key", "pplx-", CharSet::Alnum, 40),
    token("google-api-key", "AIza", CharSet::Url, 35),
    token("google-oauth", "ya29.", CharSet::Url, 20),
    token("google-oauth", "GOCSPX-", CharSet::Url, 24),
    token("google-oauth", "1//0", CharSet::Url, 40).randomly(),
    token("npm-token", "npm_", CharSet::Alnum, 36),
    token("pypi-token", "pypi-AgE", CharSet::Url, 40),
    token("crates-io-token", "cio", CharSet::Alnum, 32).exactly().randomly(),
    token("rubygems-key", "rubygems_", CharSet::Hex, 48),
    token("docker-token", "dckr_pat_", CharSet::Url, 24),
    token("docker-token", "dckr_oat_", CharSet::Url, 24),
    token("sendgrid-key", "SG.", CharSet::Url, 16).then(&[part(CharSet::Url, 32)]),
    token("twilio-key", "SK", CharSet::Hex, 32).exactly(),
    token("mailgun-key", "key-", CharSet::Hex, 32),
    discord("M"),
    discord("N"),
    discord("O"),
    token("huggingface-token", "hf_", CharSet::Alnum, 30),
    token("databricks-token", "dapi", CharSet::Hex, 32),
    token("digitalocean-token", "dop_v1_", CharSet::Hex, 40),
    token("digitalocean-token", "doo_v1_", CharSet::Hex, 40),
    token("digitalocean-token", "dor_v1_", CharSet::Hex, 40),
    token("heroku-key", "HRKU-", CharSet::Url, 30),
    token("shopify-token", "shpat_", CharSet::Hex, 32),
    token("shopify-token", "shpca_", CharSet::Hex, 32),
    token("shopify-token", "shppa_", CharSet::Hex, 32),
    token("shopify-token", "shpss_", CharSet::Hex, 32),
    token("atlassian-token", "ATATT3", CharSet::Loose, 40),
    token("atlassian-token", "ATCTT3", CharSet::Loose, 40),
    token("linear-key", "lin_api_", CharSet::Alnum, 32),
    token("linear-key", "lin_oauth_", CharSet::Alnum, 32),
    token("notion-token", "secret_", CharSet::Alnum, 40).randomly(),
    token("notion-token", "ntn_", CharSet::Alnum, 40),
    token("figma-token", "figd_", CharSet::Url, 36),
    token("postman-key", "PMAK-", CharSet::Url, 36),
    token("airtable-token", "pat", CharSet::Alnum, 14).exactly().then(&[part(CharSet::Hex, 60)]),
    token("vercel-token", "vcp_", CharSet::Alnum, 24),
    token("vercel-token", "vci_", CharSet::Alnum, 24),
    token("vercel-token", "vca_", CharSet::Alnum, 24),
    token("vercel-token", "vcr_", CharSet::Alnum, 24),
    token("vercel-token", "vck_", CharSet::Alnum, 24),
    token("vercel-token", "vercel_blob_rw_", CharSet::Url, 30),
    token("netlify-token", "nfp_", CharSet::Alnum, 32),
    token("netlify-token", "nfc_", CharSet::Alnum, 32),
    token("netlify-token", "nfo_", CharSet::Alnum, 32),
    token("supabase-key", "sbp_", CharSet::Hex, 40),
    token("supabase-key", "sb_secret_", CharSet::Url, 20),
    token("planetscale-token", "pscale_tkn_", CharSet::Url, 32),
    token("planetscale-token", "pscale_pw_", CharSet::Url, 32),
    token("planetscale-token", "pscale_oauth_", CharSet::Url, 32),
    token("doppler-token", "dp.pt.", CharSet::Alnum, 40),
    token("doppler-token", "dp.ct.", CharSet::Alnum, 40),
    token("doppler-token", "dp.sa.", CharSet::Alnum, 40),
    token("doppler-token", "dp.st.", CharSet::Alnum, 40),
    token("doppler-token", "dp.st.", CharSet::Url, 2).then(&[part(CharSet::Alnum, 40)]),
    token("vault-token", "hvs.", CharSet::Url, 24),
    token("vault-token", "hvb.", CharSet::Url, 24),
    token("pulumi-token", "pul-", CharSet::Hex, 40),
    token("grafana-token", "glsa_", CharSet::Url, 32),
    token("grafana-token", "glc_eyJ", CharSet::Loose, 32),
    token("newrelic-key", "NRAK-", CharSet::Alnum, 24),
    token("sentry-token", "sntrys_", CharSet::Loose, 40),
    token("sentry-token", "sntryu_", CharSet::Hex, 40),
    token("tailscale-key", "tskey-", CharSet::Url, 24),
    token("fly-token", "fm2_", CharSet::Loose, 40),
    token("age-secret-key", "AGE-SECRET-KEY-1", CharSet::Upper, 50),
    token("jwt", "eyJ", CharSet::Url, 10).then(&[part(CharSet::Url, 0), part(CharSet::Url, 10)]),
];

/// A table in which bit `n` of entry `b` says that format `n` may have byte `b` at
/// one position.
type PositionTable = [u128; 256];

const FIRST: PositionTable = places(0);
const SECOND: PositionTable = places(1);

const fn places(at: usize) -> PositionTable {
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
pub(super) fn find(line: &str, spans: &mut Vec<SecretSpan>) {
    let bytes = line.as_bytes();
    let mut runs = CharRunEnds { bytes, known: [(0, 0); SETS] };
    let mut at = 0;
    while at + 1 < bytes.len() {
        let forms = FIRST[usize::from(bytes[at])] & SECOND[usize::from(bytes[at + 1])];
        let end =
            if forms != 0 && is_boundary(bytes, at) { longest(forms, at, &mut runs) } else { None };
        match end {
            Some((end, kind)) => {
                spans.push(SecretSpan { start: at, end, kind });
                at = end;
            }
            None => at += 1,
        }
    }
}

/// Returns the end and kind of the longest of these formats that starts at `at`.
fn longest(
    mut forms: u128,
    at: usize,
    runs: &mut CharRunEnds<'_>,
) -> Option<(usize, &'static str)> {
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

fn token_end(token: &TokenFormat, at: usize, runs: &mut CharRunEnds<'_>) -> Option<usize> {
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
    let word_end = runs.end(CharSet::Alnum, end);
    if word_end > end && last.max < usize::MAX {
        return None;
    }
    let is_proven = match token.proof {
        TokenCondition::Shape => true,
        TokenCondition::Randomness => looks_random(&runs.bytes[body..word_end]),
    };
    is_proven.then_some(word_end)
}

/// Ends of character runs. The last run of each set is cached, so that many
/// prefixes within one long run do not each scan to its end.
struct CharRunEnds<'a> {
    bytes: &'a [u8],
    known: [(usize, usize); SETS],
}

impl CharRunEnds<'_> {
    fn end(&mut self, set: CharSet, from: usize) -> usize {
        let known = &mut self.known[set as usize];
        if (known.0..known.1).contains(&from) {
            return known.1;
        }
        let length = self.bytes[from..].iter().take_while(|byte| set.holds(**byte)).count();
        *known = (from, from + length);
        from + length
    }

    fn part_end(&mut self, part: TokenPart, from: usize) -> Option<usize> {
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
