//! Values that stand before their word: `use … as the password`.

use super::super::Span;
use super::super::spoken::{After, Given, is_spoken_secret};
use super::{LONGEST, Link, Meant};

/// How many words may stand between a value and its word.
const MOST_BETWEEN: usize = 4;

/// Finds a value that is told before the word for it, which stands between
/// `start` and `end`.
pub(super) fn find(line: &str, (start, end): (usize, usize), meant: Meant) -> Option<Span> {
    let mut from = start.saturating_sub(LONGEST);
    while !line.is_char_boundary(from) {
        from += 1;
    }
    let before = line.get(from..start)?;
    let found = match meant {
        Meant::Login => account(before),
        Meant::Password | Meant::Passphrase | Meant::Random => {
            used_as(before).or_else(|| used_as_korean(before, line.get(end..)?))
        }
    };
    let quotes = ['`', '"', '\'', '“', '”', '‘', '’', '*'];
    let text = found?.trim_matches(quotes);
    let told = if meant == Meant::Login { Link::Said } else { Link::Beside };
    let given = Given { text, quoted: false, link: told, after: After::More, meant };
    let begin = from + before.rfind(text)?;
    let span = Span { start: begin, end: begin + text.len(), kind: meant.kind() };
    is_spoken_secret(&given).then_some(span)
}

/// The value in `use VALUE as the admin `.
fn used_as(before: &str) -> Option<&str> {
    let mut words = before.split(' ').rev().filter(|word| !word.is_empty());
    let is_as = |word: &str| word.eq_ignore_ascii_case("as");
    words.by_ref().take(MOST_BETWEEN).find(|word| is_as(word))?;
    words.next()
}

/// The value in `VALUE 를 ` before `비밀번호로`.
fn used_as_korean<'a>(before: &'a str, behind: &str) -> Option<&'a str> {
    behind.strip_prefix("로").or_else(|| behind.strip_prefix("으로"))?;
    let mut words = before.split(' ').rev().filter(|word| !word.is_empty());
    let object = words.by_ref().take(2).find_map(|word| particle(word, &["를", "을"]))?;
    if object.is_empty() { words.next() } else { Some(object) }
}

/// The second of the two in `admin 과 VALUE 로 ` before `로그인`.
fn account(before: &str) -> Option<&str> {
    let mut words = before.split(' ').rev().filter(|word| !word.is_empty());
    let value = particle(words.next()?, &["으로", "로"])?;
    let value = if value.is_empty() { words.next()? } else { value };
    let joins = |word: &str| particle(word, &["과", "와", "/", ",", "하고"]).is_some();
    words.next().is_some_and(joins).then_some(value)
}

/// A word without one of these particles at its end.
fn particle<'a>(word: &'a str, particles: &[&str]) -> Option<&'a str> {
    particles.iter().find_map(|one| word.strip_suffix(one))
}
