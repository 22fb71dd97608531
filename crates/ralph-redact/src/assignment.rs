//! Finds values assigned to names that suggest a secret.
//!
//! Reads `NAME=value`, `name: value`, `"name": "value"`, `name := value`, `"name"
//! => "value"` and `name: Type = "value"`. The name stays. The value of a password
//! always goes, any other value only if it looks random.

use super::value::{is_code, is_path, is_placeholder, is_plain_word, is_prose, looks_random};
use super::{MARK, SecretSpan};

/// Number of bytes of a name that are read, from its end; a bound on time.
const NAME_LIMIT: usize = 64;
/// Number of bytes of a value that are judged; a bound on time.
const VALUE_LIMIT: usize = 1024;

/// Minimum length of a password alone on its line.
const SHORTEST_ALONE: usize = 5;

/// The kind of secret that a name suggests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecretKind {
    /// A password, which may be an ordinary word.
    Password,
    /// A key, token or secret, which looks random.
    Random,
    /// The secret half of an AWS key pair.
    AwsSecret,
}

impl SecretKind {
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Random => "secret",
            Self::AwsSecret => "aws-secret-key",
        }
    }
}

/// A value, with the way it was written.
struct AssignedValue<'a> {
    start: usize,
    text: &'a str,
    form: ValueForm,
    after: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueForm {
    Quoted,
    /// `NAME=value` as in a shell: nothing in it is code.
    Environment,
    Bare,
}

/// Ends of the last unquoted values. They are cached so that many assignments
/// within one long run of characters do not each scan to its end.
#[derive(Default)]
struct ValueRunEnds {
    environment: usize,
    bare: usize,
}

/// Finds the values to hide in `line`, from left to right.
pub(super) fn find(line: &str, spans: &mut Vec<SecretSpan>) {
    let mut done = 0;
    let mut runs = ValueRunEnds::default();
    for (at, sign) in line.match_indices(['=', ':']) {
        if at < done {
            continue;
        }
        let Some((name, promise)) = name_before(line, at, sign) else { continue };
        let Some(start) = value_start(line, at) else { continue };
        let value = value_at(line, start, form_of(name, &line[at..start]), &mut runs);
        if !name.is_ascii() && !is_typed(value.text) {
            continue;
        }
        if is_secret(promise, &value, sign) {
            done = value.start + value.text.len();
            spans.push(SecretSpan { start: value.start, end: done, kind: promise.kind() });
        }
    }
}

/// Returns the name assigned at `at`, if it suggests a secret.
fn name_before<'a>(line: &'a str, at: usize, sign: &str) -> Option<(&'a str, SecretKind)> {
    let before = line[..at].trim_end_matches([' ', '\t']);
    let before = before.strip_suffix(':').unwrap_or(before).trim_end_matches([' ', '\t']);
    if let Some(found) = korean_name(before) {
        return Some(found);
    }
    let name = last_name(before);
    if let Some(promise) = promise_of(name) {
        // In `https://token:…@host` it is a user name; another scan handles it.
        let is_user = sign == ":" && before[..before.len() - name.len()].ends_with("//");
        return (!is_user).then_some((name, promise));
    }
    if sign != "=" {
        return None;
    }
    let is_type = |c: char| c.is_ascii_alphanumeric() || "_<>&'[], |?.".contains(c);
    let name = last_name(before.trim_end_matches(is_type).strip_suffix(':')?.trim_end());
    promise_of(name).map(|promise| (name, promise))
}

/// Returns the Korean word for a secret at the end of a text.
pub(super) fn korean_name(before: &str) -> Option<(&str, SecretKind)> {
    const WORDS: [(&str, SecretKind); 6] = [
        ("비밀번호", SecretKind::Password),
        ("패스워드", SecretKind::Password),
        ("암호", SecretKind::Password),
        ("토큰", SecretKind::Random),
        ("비밀키", SecretKind::Random),
        ("시크릿", SecretKind::Random),
    ];
    let text = before.strip_suffix(['"', '\'', '`']).unwrap_or(before);
    let found = WORDS.iter().find(|(word, _)| text.ends_with(word))?;
    Some((&text[text.len() - found.0.len()..], found.1))
}

/// Returns true if the value is typed text in a foreign script: no sentence, and no
/// name of a cipher such as `AES-256`.
fn is_typed(value: &str) -> bool {
    let is_cipher = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-';
    value.is_ascii() && !value.chars().all(is_cipher) || is_signed_hangul(value)
}

/// Returns true for a Korean word with digits and a sign.
fn is_signed_hangul(text: &str) -> bool {
    let word = text.chars().take_while(|c| ('가'..='힣').contains(c)).count();
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let has_sign = text.contains(['!', '@', '#', '$', '^', '*', '?']);
    word >= 2 && digits >= 2 && has_sign && !text.contains(char::is_whitespace)
}

/// Returns true if a line ends right before the value of a password.
pub(super) fn ends_before_value(line: &str) -> bool {
    let Some(before) = line.trim_end().strip_suffix([':', '=']) else { return false };
    let before = before.trim_end_matches([' ', '\t']);
    let named = korean_name(before).or_else(|| {
        let name = last_name(before);
        promise_of(name).map(|promise| (name, promise))
    });
    named.is_some_and(|(_, promise)| promise == SecretKind::Password)
}

/// Finds the password that a line consists of, after a line that announces one.
pub(super) fn find_alone(line: &str, spans: &mut Vec<SecretSpan>) {
    let text = line.trim().trim_end_matches([',', ';']);
    let bare = text.trim_matches(['"', '\'', '`']);
    let is_quoted = bare.len() < text.len();
    let is_one = !bare.contains(char::is_whitespace) && bare.len() >= SHORTEST_ALONE;
    let is_text = is_plain_word(bare) || is_code(bare) || bare.ends_with([':', '{', '(', '[', '>']);
    let has_meaning = text.contains(MARK) || is_placeholder(bare) || promise_of(bare).is_some();
    if is_one && !has_meaning && (is_quoted || !is_text) && is_typed(bare) {
        let start = line.find(bare).unwrap_or_default();
        let end = start + bare.len();
        spans.push(SecretSpan { start, end, kind: SecretKind::Password.kind() });
    }
}

/// Returns the name at the end of `text`, without quotes, escapes or an index.
fn last_name(text: &str) -> &str {
    let text = text.strip_suffix("\"]").or_else(|| text.strip_suffix("']")).unwrap_or(text);
    let text = text.strip_suffix(['"', '\'', '`']).unwrap_or(text);
    let text = text.strip_suffix('\\').unwrap_or(text);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let length = text.bytes().rev().take(NAME_LIMIT).take_while(is_name).count();
    &text[text.len() - length..]
}

pub(super) fn promise_of(name: &str) -> Option<SecretKind> {
    const SUFFIXES: &[&str] = &[
        "1",
        "2",
        "base",
        "confirmation",
        "dev",
        "live",
        "prod",
        "production",
        "staging",
        "test",
        "value",
    ];
    // Keys with these names identify a thing, they do not unlock one.
    const HARMLESS: &[&str] = &[
        "cache",
        "composite",
        "foreign",
        "group",
        "idempotency",
        "index",
        "object",
        "partition",
        "primary",
        "public",
        "publishable",
        "registry",
        "routing",
        "row",
        "sort",
        "storage",
        "translation",
        "unique",
    ];
    let mut words = words_of(name);
    while words.len() > 1 && words.last().is_some_and(|last| SUFFIXES.contains(&last.as_str())) {
        words.pop();
    }
    let (last, before) = words.split_last()?;
    let ends_with = |endings: &[&str]| endings.iter().any(|ending| last.ends_with(ending));
    if ends_with(&["password", "passwd", "passphrase"])
        // The shell's PWD is a folder, and "pass" may be the result of a test.
        || last == "pwd" && name != "PWD" && name != "OLDPWD"
        || last == "pass" && !before.is_empty() && is_shouted(name)
    {
        return Some(SecretKind::Password);
    }
    if last == "key" && before.last().is_none_or(|word| HARMLESS.contains(&word.as_str())) {
        return None;
    }
    if last == "key" && words.iter().any(|w| w == "aws") && words.iter().any(|w| w == "secret") {
        return Some(SecretKind::AwsSecret);
    }
    let is_random = matches!(
        last.as_str(),
        "key" | "token" | "secret" | "credential" | "credentials" | "auth" | "authorization"
    ) || ends_with(&[
        "apikey",
        "secretkey",
        "accesskey",
        "privatekey",
        "authtoken",
        "clientsecret",
    ]) || ends_with(&["accesstoken", "refreshtoken"]);
    is_random.then_some(SecretKind::Random)
}

/// Returns true if the last word is in capitals. The text before may be a secret
/// itself, and the result must be the same after its removal.
fn is_shouted(name: &str) -> bool {
    let last = name.rsplit(['_', '-', '.']).next().unwrap_or(name);
    !last.contains(|c: char| c.is_ascii_lowercase())
}

/// Splits `API_KEY`, `api-key`, `api.key` and `apiKey` into words, in lower case.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for part in name.split(['_', '-', '.']).filter(|part| !part.is_empty()) {
        let mut was_lower = true;
        let mut word = String::new();
        for c in part.chars() {
            if c.is_ascii_uppercase() && was_lower && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            was_lower = !c.is_ascii_uppercase();
            word.push(c.to_ascii_lowercase());
        }
        words.push(word);
    }
    words
}

/// Returns the start of the value assigned at `at`; `None` for `==`, `::`, `://`
/// and the like.
fn value_start(line: &str, at: usize) -> Option<usize> {
    let rest = &line[at + 1..];
    if rest.starts_with(['=', ':', '/', '~']) || line[..at].ends_with(['=', '!', '<', '>', '+']) {
        return None;
    }
    let pointed = rest.strip_prefix('>');
    let rest = pointed.unwrap_or(rest).trim_start_matches([' ', '\t']);
    // Without quotes, an expression follows `=>`.
    let is_value =
        if pointed.is_some() { rest.starts_with(['"', '\'', '\\']) } else { !rest.is_empty() };
    is_value.then_some(line.len() - rest.len())
}

fn form_of(name: &str, sign: &str) -> ValueForm {
    if is_shouted(name) && sign == "=" { ValueForm::Environment } else { ValueForm::Bare }
}

fn value_at<'a>(
    line: &'a str,
    start: usize,
    form: ValueForm,
    runs: &mut ValueRunEnds,
) -> AssignedValue<'a> {
    let rest = &line[start..];
    let opening = rest.trim_start_matches(['b', 'r', 'f', 'u', '@', '\\']);
    let skipped = rest.len() - opening.len();
    if skipped <= 2
        && let Some(quote) = opening.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))
    {
        let inner = start + skipped + 1;
        let end = if rest.starts_with('\\') {
            line[inner..].find('\\').map_or(line.len(), |length| inner + length)
        } else {
            closing_quote(line, inner, quote)
        };
        let text = line[inner..end].trim_end_matches(['\r', '\n']);
        return AssignedValue { start: inner, text, form: ValueForm::Quoted, after: &line[end..] };
    }
    let is_end = |c: char| match form {
        ValueForm::Environment => c.is_whitespace(),
        ValueForm::Quoted | ValueForm::Bare => c.is_whitespace() || ",;&\"'`)}]|".contains(c),
    };
    let end = match form {
        ValueForm::Environment => &mut runs.environment,
        ValueForm::Quoted | ValueForm::Bare => &mut runs.bare,
    };
    if *end <= start {
        *end = start + rest.find(is_end).unwrap_or(rest.len());
    }
    AssignedValue { start, text: &line[start..*end], form, after: &line[*end..] }
}

fn closing_quote(line: &str, from: usize, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in line[from..].char_indices() {
        if c == quote && !is_escaped {
            return from + at;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    line.len()
}

fn is_secret(promise: SecretKind, value: &AssignedValue<'_>, sign: &str) -> bool {
    // First, because it is cheap and excludes most values.
    if promise != SecretKind::Password && !looks_random(value.text.as_bytes()) {
        return false;
    }
    let head = head_of(value.text);
    if head.contains(MARK) || is_placeholder(value.text) {
        return false;
    }
    match promise {
        SecretKind::Password => match value.form {
            // A quote that closes a text such as `'Password: '` opens nothing.
            ValueForm::Quoted => !is_prose(value.text) && !value.text.starts_with([',', ')']),
            ValueForm::Environment => true,
            ValueForm::Bare => !is_code(value.text) && !reads_as_text(value, sign),
        },
        SecretKind::Random => {
            !head.contains([' ', '(', '{', '<']) && !head.contains("://") && !is_path(head)
        }
        SecretKind::AwsSecret => true,
    }
}

/// Returns the first bytes of `text`, cut between characters.
fn head_of(text: &str) -> &str {
    let mut ends = (0..=text.len().min(VALUE_LIMIT)).rev();
    ends.find_map(|end| text.get(..end)).unwrap_or("")
}

/// Returns true for a bare word that is prose, a type or a variable, not a password.
fn reads_as_text(value: &AssignedValue<'_>, sign: &str) -> bool {
    if !is_plain_word(value.text) {
        return false;
    }
    if promise_of(value.text).is_some() {
        return true;
    }
    let goes_on = value.after.starts_with([' ', '\t']) && !value.after.trim_start().is_empty();
    let is_type = value.text.starts_with(|c: char| c.is_ascii_uppercase());
    let ends_statement = value.after.starts_with([';', ')']);
    sign == ":" && (goes_on || is_type || ends_statement) || value.after.starts_with(')')
}
