//! Secrets that a sentence tells: `the password of staging is …`.
//!
//! A word for a secret, perhaps a few that say whose, a word such as `is`, and
//! a value. One pass over the line looks up each byte and its successor in two
//! tables; only where both fit is a word compared at all. What may stand
//! between word and value is bounded, so the time is linear.

mod before;
mod value;

use super::spoken::{Given, is_random_beside, is_spoken_secret};
use super::{MARK, Span};
use value::{after, phrase_end, value_at};

/// How far from its word a value is looked for, in bytes.
const FAR: usize = 96;

/// How many words may say whose secret it is.
const MOST_BETWEEN: usize = 6;

/// How long a value may be, in bytes; a bound on time.
const LONGEST: usize = 1024;

/// How many values one sentence may tell.
const MOST_VALUES: usize = 8;

/// What a word is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meant {
    /// A password, which people make up.
    Password,
    /// A password of several words.
    Passphrase,
    /// A token, key or secret, which machines make up.
    Random,
    /// Whoever logs in tells a name and a password.
    Login,
}

impl Meant {
    fn kind(self) -> &'static str {
        match self {
            Self::Password | Self::Passphrase | Self::Login => "password",
            Self::Random => "secret",
        }
    }
}

/// A word for a secret, in lower case.
struct Noun {
    word: &'static str,
    meant: Meant,
    /// One of these must stand before it, unless there are none.
    after: &'static [&'static str],
}

const fn noun(word: &'static str, meant: Meant) -> Noun {
    Noun { word, meant, after: &[] }
}

/// Keys that open something; most others only name it.
const OPENING: &[&str] = &[
    "access",
    "account",
    "admin",
    "api",
    "auth",
    "client",
    "deploy",
    "encryption",
    "licence",
    "license",
    "master",
    "private",
    "secret",
    "service",
    "signing",
];

const OPENING_KO: &[&str] = &[
    "api",
    "개인",
    "라이선스",
    "마스터",
    "비밀",
    "서명",
    "서비스",
    "시크릿",
    "암호화",
    "액세스",
    "인증",
    "접근",
];

const NOUNS: &[Noun] = &[
    noun("passphrase", Meant::Passphrase),
    noun("password", Meant::Password),
    noun("passcode", Meant::Password),
    noun("passwd", Meant::Password),
    noun("pwd", Meant::Password),
    noun("pw", Meant::Password),
    noun("credential", Meant::Password),
    noun("secret", Meant::Random),
    noun("token", Meant::Random),
    Noun { word: "key", meant: Meant::Random, after: OPENING },
    noun("login", Meant::Login),
    noun("log in", Meant::Login),
    noun("logged in", Meant::Login),
    noun("sign in", Meant::Login),
    noun("signed in", Meant::Login),
    noun("로그인", Meant::Login),
    noun("패스프레이즈", Meant::Passphrase),
    noun("비밀번호", Meant::Password),
    noun("패스워드", Meant::Password),
    noun("비번", Meant::Password),
    noun("암호", Meant::Password),
    noun("토큰", Meant::Random),
    noun("시크릿", Meant::Random),
    Noun { word: "키", meant: Meant::Random, after: OPENING_KO },
];

/// Bit `n` of entry `b` says that noun `n` can have byte `b` at this place.
type Places = [u32; 256];

const FIRST: Places = places(0);
const SECOND: Places = places(1);

const fn places(at: usize) -> Places {
    assert!(NOUNS.len() <= 32, "one bit for each noun");
    let mut table = [0; 256];
    let mut noun = 0;
    while noun < NOUNS.len() {
        let byte = NOUNS[noun].word.as_bytes()[at];
        table[byte as usize] |= 1 << noun;
        table[byte.to_ascii_uppercase() as usize] |= 1 << noun;
        noun += 1;
    }
    table
}

/// How a value is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// After `is` or the like.
    Said,
    /// Right after the word.
    Beside,
}

/// Finds the values that sentences in `line` tell, from left to right.
pub(super) fn find(line: &str, spans: &mut Vec<Span>) {
    let bytes = line.as_bytes();
    let (mut at, mut done) = (0, 0);
    while at + 1 < bytes.len() {
        let nouns = FIRST[usize::from(bytes[at])] & SECOND[usize::from(bytes[at + 1])];
        let Some((noun, end)) = (nouns != 0).then(|| noun_at(line, at, nouns)).flatten() else {
            at += 1;
            continue;
        };
        spans.extend(before::find(line, (at, end), noun.meant));
        at = end;
        let told = match noun.meant {
            Meant::Login => account_after(line, end).map(|start| (start, Link::Said)),
            Meant::Password | Meant::Passphrase | Meant::Random => value_after(line, end),
        };
        if let Some((start, link)) = told.filter(|(start, _)| *start >= done) {
            done = take_values(line, (start, link), noun.meant, spans).max(done);
        }
    }
}

/// The noun that stands at `at` as a word of its own, and where it ends.
fn noun_at(line: &str, at: usize, mut nouns: u32) -> Option<(&'static Noun, usize)> {
    let bytes = line.as_bytes();
    while nouns != 0 {
        let noun = &NOUNS[nouns.trailing_zeros() as usize];
        nouns &= nouns - 1;
        let end = at + noun.word.len();
        let Some(found) = bytes.get(at..end) else { continue };
        if !found.eq_ignore_ascii_case(noun.word.as_bytes()) || !is_start(bytes, at, noun) {
            continue;
        }
        let end = if noun.word.is_ascii() { word_end(bytes, end)? } else { end };
        if is_after(&line[..at], noun.after) {
            return Some((noun, end));
        }
    }
    None
}

fn is_start(bytes: &[u8], at: usize, noun: &Noun) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| bytes[before]) else { return true };
    !noun.word.is_ascii()
        || !before.is_ascii_alphanumeric()
        || before.is_ascii_lowercase() && bytes[at].is_ascii_uppercase()
}

/// Where an English word ends, with its plural; `None` if it goes on.
fn word_end(bytes: &[u8], end: usize) -> Option<usize> {
    let end =
        if bytes.get(end).is_some_and(|byte| matches!(byte, b's' | b'S')) { end + 1 } else { end };
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'(');
    (!bytes.get(end).is_some_and(goes_on)).then_some(end)
}

fn is_after(before: &str, words: &[&str]) -> bool {
    let before = before.trim_end_matches([' ', '-', '_', '\t']);
    words.is_empty() || words.iter().any(|word| ends_with(before, word))
}

fn ends_with(text: &str, word: &str) -> bool {
    let at = text.len().wrapping_sub(word.len());
    text.as_bytes().get(at..).is_some_and(|end| end.eq_ignore_ascii_case(word.as_bytes()))
}

/// Where a value may begin for a noun that ends at `end`.
fn value_after(line: &str, end: usize) -> Option<(usize, Link)> {
    let rest = &line[end..];
    if let Some(told) = particle(rest) {
        return Some((past_fillers(line, end + told), Link::Said));
    }
    let opened = rest.trim_start_matches(['`', '*', '"', '\'', ')', '’']);
    let opened = opened.strip_prefix("s ").map_or(opened, |_| &opened[1..]);
    // What follows a sign at once is an assignment, which others read.
    if !opened.starts_with([' ', '\t', '(']) {
        return None;
    }
    let mut at = line.len() - opened.len();
    let mut owned = false;
    for number in 0..=MOST_BETWEEN {
        let (start, word) = word_at(line, at)?;
        if start > end + FAR {
            return None;
        }
        at = start + word.len();
        if is_link(word) {
            return Some((past_fillers(line, at), Link::Said));
        }
        let has_owner = owned || is_owner(word);
        if !has_owner && !is_value_word(word) {
            return (number == 0).then_some((start, Link::Beside));
        }
        owned = has_owner;
        let inner = word.trim_end_matches(['`', '*', '"', '\'', ')']);
        let may_be_told = number > 0 || word.starts_with('(') || is_value_word(word);
        if inner.ends_with([':', '=']) || may_be_told && ends_in_particle(inner) {
            return Some((past_fillers(line, at), Link::Said));
        }
        if inner.ends_with(['.', ',', ';', '!', '?']) {
            return None;
        }
    }
    None
}

/// Where a password may begin after ` with NAME and `.
fn account_after(line: &str, end: usize) -> Option<usize> {
    let (start, with) = word_at(line, end)?;
    let (start, name) = word_at(line, start + with.len())?;
    let (next, and) = word_at(line, start + name.len())?;
    let is_name = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._@-`'".contains(&b);
    let is_told = ["with", "as", "using"].contains(&with)
        && name.bytes().all(is_name)
        && ["and", "/", "with", "&"].contains(&and);
    is_told.then_some(next + and.len())
}

/// The length of a Korean particle after which a value is told.
fn particle(rest: &str) -> Option<usize> {
    const PARTICLES: [&str; 8] = ["는", "은", "이", "가", "를", "을", "로", "으로"];
    let goes_on = |next: &str| next.starts_with([' ', '\'', '"', '`', '“', '‘', '「']);
    PARTICLES.iter().find(|one| rest.strip_prefix(*one).is_some_and(goes_on)).map(|one| one.len())
}

fn ends_in_particle(word: &str) -> bool {
    ["는", "은", "이", "가"].iter().any(|particle| word.ends_with(particle))
}

/// The next word from `at` on, between blanks.
fn word_at(line: &str, at: usize) -> Option<(usize, &str)> {
    let rest = line.get(at..)?;
    let text = rest.trim_start_matches([' ', '\t']);
    let start = at + (rest.len() - text.len());
    let head = &text.as_bytes()[..text.len().min(LONGEST)];
    let length = head.iter().position(u8::is_ascii_whitespace);
    let length = length.or((head.len() == text.len()).then_some(text.len()))?;
    (length > 0).then(|| (start, &text[..length]))
}

fn is_link(word: &str) -> bool {
    const LINKS: &[&str] = &[
        "is", "are", "was", "were", "be", "became", "becomes", "equals", "=", ":", "->", "→", "=>",
    ];
    let word = if word.len() > 1 { word.trim_end_matches([':', '=']) } else { word };
    LINKS.iter().any(|link| link.eq_ignore_ascii_case(word))
}

/// Words after which it is told whose secret it is, or which one.
fn is_owner(word: &str) -> bool {
    const OWNERS: &[&str] = &[
        "at", "by", "for", "from", "here", "i", "in", "of", "on", "that", "there", "they", "to",
        "used", "we", "which", "with", "you",
    ];
    word.starts_with('(') || OWNERS.iter().any(|owner| owner.eq_ignore_ascii_case(word))
}

/// Words for the value itself.
fn is_value_word(word: &str) -> bool {
    const VALUES: &[&str] = &["value", "values", "string", "itself", "값", "값은", "값이"];
    VALUES.iter().any(|value| value.eq_ignore_ascii_case(word))
}

/// Where the value begins, after words that only say since when or how.
fn past_fillers(line: &str, mut at: usize) -> usize {
    const FILLERS: &[&str] = &[
        "actually",
        "always",
        "currently",
        "just",
        "now",
        "probably",
        "simply",
        "still",
        "그냥",
        "바로",
        "아직",
        "이제",
        "지금",
        "현재",
    ];
    const CHANGES: &[&str] = &["changed", "reset", "rotated", "set", "switched", "updated"];
    let is_one = |word: &str, of: &[&str]| of.iter().any(|one| one.eq_ignore_ascii_case(word));
    for _ in 0..3 {
        let Some((start, word)) = word_at(line, at) else { return at };
        let end = start + word.len();
        if is_one(word, FILLERS) {
            at = end;
            continue;
        }
        match word_at(line, end) {
            Some((to, next)) if is_one(word, CHANGES) && is_one(next, &["to", "back"]) => {
                at = to + next.len();
            }
            Some(_) | None => return start,
        }
    }
    at
}

/// Takes the value at `start` and those that a list goes on with; says where
/// the last one ends.
fn take_values(
    line: &str,
    (mut start, told): (usize, Link),
    meant: Meant,
    spans: &mut Vec<Span>,
) -> usize {
    let is_phrase = meant == Meant::Passphrase && told == Link::Said;
    if let Some(end) = is_phrase.then(|| phrase_end(line, start)).flatten() {
        let start = word_at(line, start).map_or(start, |(start, _)| start);
        spans.push(Span { start, end, kind: meant.kind() });
        return end;
    }
    let mut done = 0;
    for _ in 0..MOST_VALUES {
        let Some(value) = value_at(line, start) else { break };
        let end = value.start + value.text.len();
        if !value.text.contains(MARK) {
            let after = after(&line[end..]);
            let given = Given { text: value.text, quoted: value.quoted, link: told, after, meant };
            if !is_spoken_secret(&given) {
                break;
            }
            spans.push(Span { start: value.start, end, kind: meant.kind() });
        }
        done = end;
        let Some(next) = next_of_list(line, end).or_else(|| next_beside(line, end, meant)) else {
            break;
        };
        start = next;
    }
    done
}

/// Where a list of values goes on.
fn next_of_list(line: &str, end: usize) -> Option<usize> {
    let rest = &line[end..];
    let rest = rest.trim_start_matches(['`', '"', '\'', '*', ')', ' ']);
    let after = [", ", "and ", "or ", "/ ", "& "].iter().find_map(|one| rest.strip_prefix(one))?;
    let after = after.trim_start();
    let after = ["and ", "or "].iter().find_map(|one| after.strip_prefix(one)).unwrap_or(after);
    Some(line.len() - after.len())
}

/// Where the second half of a key stands right behind the first.
fn next_beside(line: &str, end: usize, meant: Meant) -> Option<usize> {
    let next = value_at(line, line[end..].strip_prefix(' ').map(|_| end + 1)?)?;
    (meant == Meant::Random && is_random_beside(next.text)).then_some(next.start)
}

#[cfg(test)]
#[path = "sentence_tests.rs"]
mod tests;
