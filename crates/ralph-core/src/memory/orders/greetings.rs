//! What only sounds like an order: "you are now ready", and lines that name a
//! machine or an account.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// A text without greetings; what they go on with is still read.
pub(super) fn without_greetings(text: &str) -> String {
    static KNOWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let ready = r"\byou are now (?:ready|able|connected|logged|signed|done)\b";
        // "You are now set to …" and "running as …" make somebody else of the reader.
        let set = r"\byou are now (?:all )?(?:set|running)(?: up)? ?(?P<end>[.!]|$)";
        let named = r"^(?:system|user): ?[\w.-]+(?: v?[\d.]+)?(?:,(?P<more>[^\n]*)|$)";
        Regex::new(&format!("(?m){ready}|{set}|{named}")).ok()
    });
    let Some(known) = KNOWN.as_ref() else { return text.to_owned() };
    let kept = |found: &Captures<'_>| {
        let part = |name: &str| found.name(name).map_or("", |part| part.as_str()).to_owned();
        let more = part("more");
        if more.split(',').all(|item| is_fact(item.trim())) {
            return part("end") + &more;
        }
        found[0].to_owned()
    };
    known.replace_all(text, kept).into_owned()
}

/// Whether an item of a list describes a machine or an account: `kernel 5.15`,
/// `port: 5432`, `amd64`.
fn is_fact(item: &str) -> bool {
    const KEYS: &[&str] = &[
        "arch", "cpu", "database", "db", "email", "gid", "group", "home", "host", "id", "kernel",
        "memory", "name", "os", "password", "port", "role", "schema", "shell", "uid", "version",
    ];
    const TELLING: &[&str] =
        &["approve", "comply", "continue", "execute", "ignore", "obey", "proceed", "stop", "you"];
    let item = item.trim_end_matches(['.', '!']);
    if let Some((key, value)) = item.split_once(':') {
        return KEYS.contains(&key.trim()) && value.split_whitespace().count() <= 3;
    }
    let words: Vec<&str> = item.split_whitespace().collect();
    match words.as_slice() {
        [] => true,
        [word] => !TELLING.contains(word),
        [key, value] => {
            KEYS.contains(key)
                || ["no", "with", "without"].contains(key)
                || [key, value].iter().any(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        }
        _ => false,
    }
}
