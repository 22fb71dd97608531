//! Notes as the agent reads them: as data, in a fence that they cannot leave.
//!
//! A note may hold anything, the output of a tool that somebody wrote for this
//! very purpose too. So each is one line, nothing in it can close the fence or
//! open another, and what reads like an order to the agent is marked as such.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// What opens the fence.
pub const OPENING: &str = "<ralph-notes>";

/// What closes it.
pub const CLOSING: &str = "</ralph-notes>";

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
    /// To send something away.
    Leak,
    /// To run something that does harm.
    Harm,
    /// It tells the agent what it has to do.
    Command,
}

/// Rules in the order in which they are asked; texts are lower case, with
/// single spaces and without what cannot be seen.
const RULES: &[(Order, &str)] = &[
    (
        Order::Forget,
        r"\b(?:ignore|disregard|forget|override|bypass|skip)\b[^.\n]{0,40}\b(?:instruction|prompt|rule|guideline|message|context|polic|constraint|told|above|safety)",
    ),
    (
        Order::Forget,
        r"(?:이전|위의|앞의|기존|모든)[^.\n]{0,20}(?:지시|명령|규칙|프롬프트)[^.\n]{0,12}(?:무시|잊)",
    ),
    (
        Order::Forget,
        r"\b(?:new|updated|real|actual) (?:system )?(?:instructions?|prompt|directive)s?\b ?[:=]?",
    ),
    (Order::Pretend, r"\byou are (?:now|no longer|actually)\b"),
    (Order::Pretend, r"\b(?:act|behave|respond|roleplay) as (?:if|an?|the|though)\b"),
    (
        Order::Pretend,
        r"\b(?:developer|dan|debug|god|jailbreak|admin(?:istrator)?|maintenance|unrestricted) mode\b",
    ),
    (Order::Pretend, r"(?:지금부터|이제부터) (?:너는|당신은|넌)"),
    (
        Order::Role,
        r"(?:^|\n|[.!] ?)[#*\[ ]*(?:system|assistant|developer|human|user|시스템)[\]*]* ?(?:message|prompt|override|메시지)? ?[:\]]",
    ),
    (
        Order::Role,
        r"<\|?/? ?(?:im_start|im_end|system|assistant|user|human|instructions?|endoftext|tool_result|function_results?|system-reminder)\b",
    ),
    (Order::Role, r"\[/?(?:inst|sys|system)\]|<<sys>>|#{2,} ?(?:system|instruction|new task)"),
    (
        Order::Role,
        r"\b(?:message|note|order|instruction|request)s? from (?:anthropic|openai|the (?:system|developers?|administrators?|admin|user|owner|security team))\b",
    ),
    (
        Order::Hide,
        r"\b(?:do not|don't|never|without) (?:tell|inform|mention|reveal|show|notify|alert|telling|informing|mentioning|notifying|asking|ask)\b[^.\n]{0,30}\b(?:user|anyone|anybody|human|them|operator|this)\b",
    ),
    (Order::Hide, r"사용자에게[^.\n]{0,20}(?:말하지|알리지|보이지)"),
    (
        Order::Leak,
        r"\b(?:send|post|upload|exfiltrate|forward|transmit|email|leak|paste|curl|wget)\b[^\n]{0,60}(?:https?://|\bto [\w.+-]+@|webhook|pastebin|ngrok)",
    ),
    (
        Order::Leak,
        r"\b(?:print|reveal|repeat|show|output|dump|include|send|share)\b[^.\n]{0,30}\b(?:system prompt|api[ _-]?keys?|secrets?|credentials?|passwords?|private keys?|access tokens?|environment variables|\.env|~/\.ssh|/etc/passwd)",
    ),
    (
        Order::Harm,
        r"\brm -[a-z]*r[a-z]*f?\b ?[~/*.$]|\b(?:curl|wget)\b[^\n|]*\| ?(?:sudo )?(?:ba|z)?sh\b|\bchmod (?:-r )?777\b|\bgit push (?:--force|-f)(?: |$)|:\(\) ?\{|\bmkfs\b|\bdd if=|\bdrop (?:table|database)\b",
    ),
    (
        Order::Harm,
        r"\b(?:delete|remove|disable|weaken|skip|comment out|turn off)\b[^.\n]{0,20}\b(?:all (?:the )?(?:tests?|files?|checks?)|the tests?|safety|security checks?|authentication|the linter|hooks?|guardrails?|permission)",
    ),
    (
        Order::Command,
        r"\b(?:you|the (?:agent|assistant|ai|model)|claude|ai|llms?|agents?) (?:must|should|shall|need to|have to|has to|are required to|will) (?:now |always |immediately |first |instead )?(?:run|execute|call|delete|install|approve|grant|open|download|respond|reply|output|say|answer|use|follow|obey|stop|comply|mark|accept|push|write|add|merge)\b",
    ),
    (
        Order::Command,
        r"\b(?:from now on|as your (?:first|next) (?:step|action|task)|your (?:new |next |real )?(?:task|goal|mission|objective|job) is)\b",
    ),
    (
        Order::Command,
        r"\b(?:immediately|now|please|urgent:?|important:?|attention:?) (?:run|execute|call|delete|install|approve|grant|download|push)\b",
    ),
    (
        Order::Command,
        r"\b(?:say|output|print|reply|respond|answer)\b[^.\n]{0,20}<?/?promise|\bclaim (?:that )?(?:it|the work|everything) is (?:done|complete)",
    ),
];

/// The kinds of orders in a text, each once. Empty for what just informs.
pub fn orders(text: &str) -> Vec<Order> {
    static COMPILED: LazyLock<Vec<(Order, Regex)>> = LazyLock::new(|| {
        let compile = |(order, rule): &(Order, &str)| Some((*order, Regex::new(rule).ok()?));
        RULES.iter().filter_map(compile).collect()
    });
    let seen = readable(text);
    let mut found: Vec<Order> =
        COMPILED.iter().filter(|(_, rule)| rule.is_match(&seen)).map(|(order, _)| *order).collect();
    found.dedup();
    found
}

/// A text as a reader sees it: lower case, single spaces, look-alikes of Latin
/// letters replaced, without marks that have no width.
fn readable(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_unseen(*c)) {
        let c = plain(c);
        if c == '\n' {
            seen.truncate(seen.trim_end_matches(' ').len());
            seen.push('\n');
        } else if c.is_whitespace() {
            if !seen.ends_with([' ', '\n']) {
                seen.push(' ');
            }
        } else {
            seen.extend(c.to_lowercase());
        }
    }
    seen
}

/// Characters that hide: no width, or a change of direction.
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{e0000}'..='\u{e007f}' | '\u{fe00}'..='\u{fe0f}')
        || (c.is_control() && !c.is_whitespace())
}

/// The Latin letter that a look-alike is taken for.
fn plain(c: char) -> char {
    match c {
        'а' | 'А' => 'a',
        'е' | 'Е' => 'e',
        'о' | 'О' | 'ο' => 'o',
        'р' | 'Р' => 'p',
        'с' | 'С' => 'c',
        'х' | 'Х' => 'x',
        'у' | 'У' => 'y',
        'і' | 'І' | 'ı' => 'i',
        'ѕ' => 's',
        'ց' => 'g',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xff01 + 0x21).unwrap_or(c),
        '’' => '\'',
        _ => c,
    }
}

/// A note on one line, with nothing in it that could end the fence.
pub fn as_data(text: &str) -> String {
    static TAG: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)[<＜]([\s|/]*(?:ralph|system|assistant|user|human|im_|instruction|tool|function|endof|promise|/))").ok()
    });
    let mut line = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_unseen(*c)) {
        if c.is_whitespace() {
            if !line.ends_with(' ') {
                line.push(' ');
            }
        } else {
            line.push(c);
        }
    }
    let line = line.trim();
    match TAG.as_ref() {
        Some(tag) => tag.replace_all(line, "‹$1").into_owned(),
        None => line.replace('<', "‹"),
    }
}

/// A text without the fences that we put into it: what was recalled is not
/// learned again.
pub fn without_notes(text: &str) -> Cow<'_, str> {
    if !text.contains(OPENING) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(OPENING) {
        kept.push_str(&rest[..start]);
        let inside = &rest[start + OPENING.len()..];
        rest = inside.find(CLOSING).map_or("", |end| &inside[end + CLOSING.len()..]);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

#[cfg(test)]
#[path = "notes_tests.rs"]
mod tests;
