//! Distinguishes random values from words, placeholders and code.

/// Number of bytes of a value that are examined; a bound on time.
const HEAD: usize = 256;
/// Minimum length of a random value.
const SHORTEST: usize = 12;
/// Minimum entropy in bits per character. Twelve random characters rarely have
/// less. English words joined by hyphens may have more; their shape excludes them.
const ENTROPY: f64 = 3.0;

/// Values that stand in for a secret.
const STAND_INS: &[&str] = &[
    "%s",
    "any",
    "bool",
    "bytes",
    "default",
    "empty",
    "failed",
    "false",
    "hidden",
    "int",
    "invalid",
    "missing",
    "nil",
    "no",
    "none",
    "null",
    "number",
    "object",
    "ok",
    "optional",
    "pass",
    "passed",
    "passwd",
    "password",
    "required",
    "secret",
    "self",
    "str",
    "string",
    "tbd",
    "token",
    "true",
    "u32",
    "u64",
    "u8",
    "undefined",
    "unset",
    "yes",
];

/// Parts that make a value a stand-in wherever they occur in it.
const STAND_IN_PARTS: &[&str] = &[
    "change_me",
    "change-me",
    "changeit",
    "changeme",
    "dummy",
    "example",
    "insert",
    "placeholder",
    "redacted",
    "replace",
    "xxxx",
    "your-",
    "your_",
    "yourpass",
    "yourtoken",
    "****",
];

/// Returns true for text that looks random rather than written.
///
/// It has letters and digits, is at least twelve characters long, and does not
/// split into words and numbers at its punctuation.
pub(super) fn looks_random(text: &[u8]) -> bool {
    let head = &text[..text.len().min(HEAD)];
    let letters = head.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let digits = head.iter().filter(|byte| byte.is_ascii_digit()).count();
    head.len() >= SHORTEST
        && letters >= 2
        && digits >= 1
        && entropy(head) >= ENTROPY
        && !is_made_of_words(head)
}

/// Estimates Shannon's entropy in bits per byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total: f64 = counts.iter().copied().map(f64::from).sum();
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / total;
            -share * share.log2()
        })
        .sum()
}

/// Returns true for `section-header-2`, `messages.error.404` or `us-east-1`.
fn is_made_of_words(bytes: &[u8]) -> bool {
    let mut words = 0;
    for part in bytes.split(|byte| !byte.is_ascii_alphanumeric()) {
        let letters = part.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let digits = part[letters..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_word = (1..=24).contains(&letters) && digits <= 2;
        let is_number = letters == 0 && digits <= 8;
        if letters + digits < part.len() || !(is_word || is_number) {
            return false;
        }
        words += usize::from(is_word && letters >= 3);
    }
    words > 0
}

/// Returns true for text that people write in place of a secret.
pub(super) fn is_placeholder(text: &str) -> bool {
    if text.len() > HEAD {
        return false;
    }
    let bare = text.trim();
    let Some(first) = bare.chars().next() else { return true };
    let lower = bare.to_ascii_lowercase();
    is_variable(bare)
        || bare.chars().all(|c| c == first)
        || STAND_INS.contains(&lower.as_str())
        || STAND_IN_PARTS.iter().any(|part| lower.contains(part))
}

/// Returns true for `$NAME`, `${NAME}`, `$(command)`, `%NAME%`, `{{ name }}`, `<name>`.
fn is_variable(text: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(is_name_byte);
    if let Some(rest) = text.strip_prefix('$') {
        return is_name(rest) && !rest.starts_with(|c: char| c.is_ascii_digit())
            || rest.starts_with(['{', '(']);
    }
    let inside = |open, close| text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    inside('%', '%').is_some_and(is_name)
        || inside('{', '}').is_some()
        || inside('<', '>').is_some()
        || inside('[', ']').is_some()
        || text.starts_with("#{")
        || text.starts_with("{{")
        || text.starts_with("%(")
}

/// Returns true for one word of prose: letters only, at most the first a capital.
pub(super) fn is_plain_word(text: &str) -> bool {
    let word = text.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_lowercase())
}

/// Returns true for a sentence, such as the label of an input field.
pub(super) fn is_prose(text: &str) -> bool {
    text.starts_with(|c: char| c.is_uppercase())
        && text.contains(' ')
        && text.chars().all(|c| c.is_alphabetic() || " .,!?:;'’()-".contains(c))
}

/// Returns true for a path in a file system.
pub(super) fn is_path(text: &str) -> bool {
    const ENDINGS: [&str; 9] =
        [".pem", ".key", ".json", ".crt", ".txt", ".p12", ".toml", ".yaml", ".pub"];
    let bytes = text.as_bytes();
    text.starts_with("~/")
        || text.starts_with("./")
        || text.starts_with("../")
        || text.starts_with('/') && text[1..].contains('/') && !text.contains(['+', '='])
        || bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1..].starts_with(b":\\")
        || ENDINGS.iter().any(|ending| text.ends_with(ending))
}

/// Returns true for an expression: a call, an index, a path of names, a generic type.
pub(super) fn is_code(text: &str) -> bool {
    const POINTERS: [&str; 5] = ["*mut", "*const", "&mut", "&'", "&str"];
    if text.starts_with(['(', '[', '{']) || POINTERS.iter().any(|start| text.starts_with(start)) {
        return true;
    }
    let text = text.trim_start_matches(['&', '*', '@', '!']);
    let end = text.bytes().position(|byte| !is_name_byte(byte)).unwrap_or(text.len());
    let starts_as_name = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if text.is_empty() {
        return true;
    }
    if !starts_as_name {
        return false;
    }
    let rest = &text[end..];
    rest.starts_with(['(', '[', '<', '{'])
        || rest.starts_with("::")
        || rest.starts_with("->")
        || rest.starts_with("?.")
        || rest.starts_with('.') && is_path_of_names(rest)
        || rest.is_empty() && text.contains('_') && !text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Returns true for `.name`, `.name.name` and the same before a call or an index.
fn is_path_of_names(rest: &str) -> bool {
    let names = rest.split(['(', '[']).next().unwrap_or(rest);
    names.split('.').skip(1).all(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(is_name_byte)
    })
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
