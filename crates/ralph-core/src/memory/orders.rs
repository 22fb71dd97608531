//! Does a text give orders to whoever reads it?
//!
//! Notes come from tools, web pages and commits, so anybody may have written
//! them. An order is known by its shape rather than by its words: it speaks to
//! an assistant and tells it to act, it hides, it poses as another side of the
//! conversation, or it asks for what only the user may give. Advice to people
//! ("run `make` first") is none of these.

mod addressing;
mod disguise;
mod greetings;
mod rules;

use std::sync::LazyLock;

use regex::Regex;

use addressing::ADDRESSING;
pub(super) use disguise::is_unseen;
use disguise::{is_disguised, readable, respelled};
use greetings::without_greetings;
use rules::{RULES, UNLESS_DENIED, spelled};

/// What kind of order a text gives to whoever reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// To forget what it was told before.
    Forget,
    /// To be somebody else.
    Pretend,
    /// It speaks as the system or another side of a conversation would.
    Role,
    /// To keep something from the user.
    Hide,
    /// To say what is not so.
    Deceive,
    /// To send something away.
    Leak,
    /// To run something that does harm, or to go around what protects.
    Harm,
    /// It tells the agent what it has to do.
    Command,
    /// Part of it is hidden from people, or must be decoded to be read.
    Disguise,
}

/// The kinds of orders in a text, each once. Empty for what just informs.
pub fn orders(text: &str) -> Vec<Order> {
    static COMPILED: LazyLock<Vec<(Order, Regex)>> = LazyLock::new(|| compiled(RULES));
    static ADDRESSED: LazyLock<Vec<(Order, Regex)>> = LazyLock::new(|| compiled(ADDRESSING));
    static MILDER: LazyLock<Vec<(Order, Regex)>> = LazyLock::new(|| compiled(UNLESS_DENIED));
    let seen = without_greetings(&without_installers(&readable(text)));
    let said = without_quotations(&seen);
    let heard = |order: Order| match order {
        Order::Forget | Order::Pretend | Order::Command | Order::Deceive | Order::Hide => &said,
        Order::Role | Order::Leak | Order::Harm | Order::Disguise => &seen,
    };
    let asks = |(order, rule): &&(Order, Regex)| rule.is_match(heard(*order));
    let asks_still = |(order, rule): &&(Order, Regex)| is_said(rule, heard(*order));
    let strict = COMPILED.iter().chain(ADDRESSED.iter()).filter(asks);
    let mild = MILDER.iter().filter(asks_still);
    let mut found: Vec<Order> = strict.chain(mild).map(|(order, _)| *order).collect();
    if closes_a_fence(&seen) {
        found.push(Order::Role);
    }
    let forgets = |text: &str| {
        let mut rules = COMPILED.iter().chain(MILDER.iter());
        rules.any(|(order, rule)| *order == Order::Forget && rule.is_match(text))
    };
    if is_disguised(text) || respelled(&seen).is_some_and(|text| forgets(&text)) {
        found.push(Order::Disguise);
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn compiled(rules: &[(Order, &str)]) -> Vec<(Order, Regex)> {
    let compile = |(order, rule): &(Order, &str)| Some((*order, Regex::new(&spelled(rule)).ok()?));
    rules.iter().filter_map(compile).collect()
}

/// Whether a rule finds something that its sentence does not deny.
fn is_said(rule: &Regex, text: &str) -> bool {
    const DENIALS: &[&str] = &[
        "never",
        "not",
        "don't",
        "cannot",
        "can't",
        "no",
        "nobody",
        "avoid",
        "forbid",
        "forbidden",
        "mustn't",
        "shouldn't",
        "won't",
        "isn't",
        "without",
        "prevents",
        "blocks",
        "rejects",
    ];
    rule.find_iter(text).any(|found| {
        let before = &text[..found.start()];
        let start = before.rfind(['.', '!', '?', '\n', ';']).map_or(0, |at| at + 1);
        let denies = |part: &str| {
            let mut words = part.split(|c: char| !(c.is_alphanumeric() || c == '\''));
            words.any(|word| DENIALS.contains(&word))
        };
        // "If it isn't too much trouble" is polite and denies nothing.
        let is_polite = |part: &str| part.trim_start().starts_with("if ");
        let (earlier, last) = before[start..].rsplit_once(',').unwrap_or(("", &before[start..]));
        let is_forbidden =
            denies(last) || earlier.split(',').any(|part| denies(part) && !is_polite(part));
        // Korean denies behind the verb.
        let is_denied =
            ["하지", "되지", "지 "].iter().any(|end| text[found.end()..].starts_with(end));
        !is_denied && !is_forbidden
    })
}

/// Whether a text closes a part that it did not open, as if it stood in one
/// and what follows did not.
fn closes_a_fence(text: &str) -> bool {
    const FENCES: &[&str] = &[
        "memory",
        "memories",
        "note",
        "notes",
        "context",
        "data",
        "document",
        "documents",
        "input",
        "output",
        "quote",
        "reference",
        "untrusted",
        "user_data",
        "tool_output",
        "search_results",
        "external",
        "content",
        "knowledge",
        "task",
        "prompt",
        "rules",
        "constitution",
    ];
    FENCES.iter().any(|name| {
        let close = format!("</{name}>");
        let open = format!("<{name}");
        text.find(&close).is_some_and(|at| {
            let line = text[..at].rsplit('\n').next().unwrap_or_default();
            !text[..at].contains(&open) && !line.contains(char::is_alphanumeric)
        })
    })
}

/// A text without the well-known ways to install a tool, which are piped into
/// a shell as an attack would be, and without requests to the machine itself.
fn without_installers(text: &str) -> String {
    static KNOWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let hosts = r"(?:sh\.rustup\.rs|get\.docker\.com|install\.python-poetry\.org|astral\.sh|get\.pnpm\.io|bun\.sh|deno\.land|get\.k3s\.io|get\.helm\.sh|install\.determinate\.systems|raw\.githubusercontent\.com/(?:nvm-sh|homebrew)|starship\.rs|mise\.run|cli\.doppler\.com|fly\.io|get\.sdkman\.io)";
        let local =
            r"\b(?:curl|wget) [^\n|;&]*https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0)[^\s|]*";
        let install = format!(r"\bcurl [^\n|]*https://{hosts}[^\s|]* ?\| ?(?:ba|z)?sh\b");
        Regex::new(&format!("{install}|{local}")).ok()
    });
    match KNOWN.as_ref() {
        Some(known) => known.replace_all(text, "").into_owned(),
        None => text.to_owned(),
    }
}

/// A text without what it only quotes: the title of a reverted commit, the
/// input of a test.
fn without_quotations(text: &str) -> String {
    static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let named = r"\b(prompts?|texts?|strings?|inputs?|messages?|phrases?|payloads?|cases?|titles?|named|called|expected|got|revert|samples?|words?|contains?|containing|rejects?|detects?|blocks?|for|like|examples?) ?[:,]? ?";
        let quotation = r#"(?:'[^'\n]*'|"[^"\n]*"|“[^”\n]*”|`[^`\n]*`)"#;
        Regex::new(&format!(r"{named}{quotation}|\bnote to (?:self|myself) ?[:,]")).ok()
    });
    match QUOTED.as_ref() {
        Some(quoted) => quoted.replace_all(text, "$1").into_owned(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[path = "orders_tests.rs"]
mod tests;
