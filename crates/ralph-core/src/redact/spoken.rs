//! Tells a secret in a sentence from the words of the sentence.
//!
//! Notes about software are full of names, units and algorithms with digits in
//! them: `SHA256`, `15min`, `user_id_v2`, `base64-encoded`. What is made of
//! such is kept.

use super::sentence::{Link, Meant};
use super::value::{is_path, is_placeholder, looks_random};

/// What is shorter is no secret, except where quotes or the end of the sentence
/// speak for it.
const SHORTEST: usize = 8;
const SHORTEST_AT_END: usize = 6;
const SHORTEST_QUOTED: usize = 4;

/// What looks random and is this long stands for nothing else.
const SURELY_RANDOM: usize = 20;

/// Parts with a few digits in them that are shorter are abbreviations: `k8s`.
const SHORTEST_TANGLED: usize = 6;

/// More digits than these behind a stem are no number of a version or standard.
const MOST_DIGITS: usize = 5;

/// Signs that stand inside of passwords and seldom inside of words; brackets of
/// expressions were told apart before.
const STRONG: &str = "!@#$%^&*~?({<";

/// What follows a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// Nothing of the sentence but perhaps `입니다`.
    End,
    /// A Korean particle such as that in `…에 저장한다`, which makes a place or
    /// a means of it.
    Place,
    /// More of the sentence.
    More,
}

/// A value and how it was told.
#[derive(Debug)]
pub(super) struct Given<'a> {
    pub(super) text: &'a str,
    pub(super) quoted: bool,
    pub(super) link: Link,
    pub(super) after: After,
    pub(super) meant: Meant,
}

/// Whether a value is one that must not be shown.
pub(super) fn is_spoken_secret(given: &Given<'_>) -> bool {
    let text = given.text;
    // What machines make up has no brackets in it.
    let is_code = given.meant == Meant::Random && text.contains(['(', '{', '<']);
    if is_code || is_reference(text) {
        return false;
    }
    if given.quoted && text.contains(' ') {
        return is_phrase(given);
    }
    if !text.is_ascii() && is_of_two_scripts(given) {
        return true;
    }
    match (given.meant, given.link) {
        (Meant::Random, Link::Said) => is_random(text),
        (Meant::Random, Link::Beside) => {
            looks_random(text.as_bytes()) && is_random(text) && !is_commit(text)
        }
        (Meant::Password | Meant::Passphrase | Meant::Login, Link::Said) => is_password(given),
        (Meant::Password | Meant::Passphrase | Meant::Login, Link::Beside) => {
            text.len() >= SHORTEST && (has_tangled(text) || is_signed(text)) && !is_commit(text)
        }
    }
}

/// True for what is so random that it needs no word of its own.
pub(super) fn is_random_beside(text: &str) -> bool {
    let is_long = text.len() >= SURELY_RANDOM && looks_random(text.as_bytes());
    is_long && is_random(text) && !is_reference(text)
}

/// True for `호랑이42!` wherever it is told, and for `호랑이42` if nothing follows.
fn is_of_two_scripts(given: &Given<'_>) -> bool {
    let (word, digits) = syllables_and_digits(given.text);
    let is_numbered =
        digits >= 2 && word >= 3 && given.after == After::End && given.link == Link::Said;
    given.meant != Meant::Random
        && given.after != After::Place
        && !given.text.contains(char::is_whitespace)
        && (is_numbered || is_signed_hangul(given.text))
}

/// True for a Korean word, digits and a sign.
pub(super) fn is_signed_hangul(text: &str) -> bool {
    let (word, digits) = syllables_and_digits(text);
    let has_sign = text.contains(['!', '@', '#', '$', '^', '*', '?']);
    word >= 2 && digits >= 2 && has_sign && !text.contains(char::is_whitespace)
}

/// How many syllables a text begins with, and how many digits it has.
fn syllables_and_digits(text: &str) -> (usize, usize) {
    let word = text.chars().take_while(|c| ('가'..='힣').contains(c)).count();
    (word, text.bytes().filter(u8::is_ascii_digit).count())
}

/// True for what only leads to a secret: a variable, a path, an address, code,
/// a moment.
fn is_reference(text: &str) -> bool {
    let stands_in = is_placeholder(text)
        && !(text.len() >= SURELY_RANDOM && looks_random(text.as_bytes()) && has_tangled(text));
    stands_in
        || text.starts_with(['<', '[', '{', '(', '-', '.', '/', '~', '$'])
        || text.contains("://")
        || text.contains("::")
        || text.contains("->")
        || is_expression(text)
        || is_path(text)
        || is_address(text)
        || is_digest(text)
        || is_moment(text)
}

/// True for a call, an index or a type: a name, and brackets that end it. A
/// password may have an odd bracket in it.
fn is_expression(text: &str) -> bool {
    let Some(at) = text.find(['(', '{', '<', '[']) else { return false };
    let (name, rest) = text.split_at(at);
    let closing = match rest.as_bytes().first() {
        Some(b'(') => ')',
        Some(b'{') => '}',
        Some(b'[') => ']',
        Some(_) | None => '>',
    };
    let name = name.strip_suffix('!').unwrap_or(name).trim_start_matches(['&', '*', '!', '@']);
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.$-'\"".contains(&b));
    let closed = rest.rfind(closing).map(|end| &rest[end + 1..]);
    let is_closed =
        closed.is_some_and(|more| more.is_empty() || more.starts_with(['.', '(', '[', '?', ';']));
    rest.len() == 1 || is_name && is_closed
}

/// True for `name@host.org` and `user@host2`.
fn is_address(text: &str) -> bool {
    const USERS: &[&str] = &["deploy", "git", "root", "user"];
    text.split_once('@').is_some_and(|(user, host)| {
        let name = host.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase());
        if USERS.contains(&user) && is_name && host.len() - name.len() <= 2 {
            return true;
        }
        let is_host = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
        host.contains('.') && host.chars().all(is_host)
    })
}

/// True for `sha256:…` and for an address on a chain.
fn is_digest(text: &str) -> bool {
    let hex = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let named = text.split_once([':', '-']).is_some_and(|(name, digits)| {
        is_technical(name) && digits.len() >= SHORTEST && hex(digits)
    });
    named || text.strip_prefix("0x").is_some_and(|digits| digits.len() == 40 && hex(digits))
}

/// True for `2026-01-31` and what begins so.
fn is_moment(text: &str) -> bool {
    let shape = text.bytes().take(10).map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
    shape.eq(*b"0000-00-00")
}

/// True for what may be the id of a commit.
fn is_commit(text: &str) -> bool {
    (7..=12).contains(&text.len())
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// True for several words between quotes that no sentence about secrets has.
fn is_phrase(given: &Given<'_>) -> bool {
    let mut words = given.text.split_whitespace();
    match given.meant {
        Meant::Random => false,
        Meant::Password | Meant::Login => words.any(has_tangled),
        Meant::Passphrase => {
            let is_plain = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase());
            words.clone().any(has_tangled) || words.clone().count() >= 3 && words.all(is_plain)
        }
    }
}

fn is_password(given: &Given<'_>) -> bool {
    let text = given.text;
    let shortest = match given.after {
        After::End | After::Place | After::More if given.quoted => SHORTEST_QUOTED,
        After::End => SHORTEST_AT_END,
        After::Place | After::More => SHORTEST,
    };
    if text.len() < shortest {
        return false;
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.len() >= SHORTEST && given.after != After::Place;
    }
    let is_named = match given.after {
        After::End => given.meant == Meant::Login && is_product(text),
        After::Place => true,
        After::More => !given.quoted && is_product(text),
    };
    is_signed(text) || has_tangled(text) || is_numbered(text) && !is_named
}

fn is_random(text: &str) -> bool {
    let is_wild = || parts(text).any(|part| turns(part) >= 3 && !is_technical(part));
    text.len() >= SHORTEST && has_tangled(text) && (looks_random(text.as_bytes()) || is_wild())
}

/// True for `Summer2024` and `hunter2`: one word and a number, and not the name
/// of something.
fn is_numbered(text: &str) -> bool {
    let has_sign = text.bytes().any(|byte| !byte.is_ascii_alphanumeric());
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    let is_unit = text.starts_with(|c: char| c.is_ascii_digit()) && is_unit(text);
    !has_sign && turns(text) == 1 && letters >= 3 && !is_technical(text) && !is_unit
}

/// True for a product and its version, where more is said of it.
fn is_product(text: &str) -> bool {
    #[rustfmt::skip]
    const PRODUCTS: &[&str] = &[
        "angular", "centos", "debian", "fedora", "java", "junit", "keycloak", "mongo", "mongodb", "mysql",
        "node", "oracle", "php", "postgres", "postgresql", "psql", "python", "redis", "rhel", "spring",
        "ubuntu", "windows",
    ];
    let name = text.trim_end_matches(|c: char| c.is_ascii_digit());
    PRODUCTS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// True for text with a sign in it that words do not have.
fn is_signed(text: &str) -> bool {
    let inside = text.trim_end_matches(['!', '?']).trim_start_matches(['@', '#', '*', '!', '&']);
    let is_mixed = inside.bytes().any(|byte| byte.is_ascii_digit())
        || inside.bytes().any(|byte| byte.is_ascii_uppercase())
            && inside.bytes().any(|byte| byte.is_ascii_lowercase());
    let has_sign = |text: &str| text.contains(|c| STRONG.contains(c));
    let is_made_of_terms = || parts(inside).all(is_technical);
    let ends_signed = inside.len() < text.len() && turns(inside) > 0;
    is_mixed
        && (has_sign(inside) || ends_signed)
        && inside.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !is_made_of_terms()
}

fn has_tangled(text: &str) -> bool {
    parts(text)
        .any(|part| part.len() >= SHORTEST_TANGLED && turns(part) >= 2 && !is_technical(part))
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty())
}

/// How often letters and digits take turns.
fn turns(part: &str) -> usize {
    part.as_bytes()
        .windows(2)
        .filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit())
        .count()
}

/// True for the name of an algorithm, a format or a version with digits in it:
/// a known stem, a number, and perhaps a known tail. A secret may begin with
/// any stem and a digit, so what follows them is looked at too.
fn is_technical(part: &str) -> bool {
    #[rustfmt::skip]
    const STEMS: &[&str] = &[
        "aes", "argon", "arm", "base", "bcrypt", "blake", "cp", "crc", "ecdsa", "ed", "es", "gcm",
        "h", "hmac", "hs", "http", "iso", "ipv", "jwt", "log", "md", "oauth", "pbkdf", "pkcs",
        "ps", "python", "rfc", "ripemd", "rs", "rsa", "saml", "scram", "scrypt", "secp", "sha",
        "tls", "utf", "v", "x",
    ];
    let lower = part.to_ascii_lowercase();
    let digits = lower.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let stem = &lower[..lower.len() - digits.len()];
    let tail = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_short = digits.len() - tail.len() <= MOST_DIGITS;
    digits.is_empty() || STEMS.contains(&stem) && is_short && is_tail(stem, tail)
}

/// Whether the name of an algorithm or version ends so: `argon2id`, `v1beta2`.
fn is_tail(stem: &str, tail: &str) -> bool {
    #[rustfmt::skip]
    const TAILS: &[&str] = &[
        "alpha", "be", "beta", "bp", "cbc", "crypt", "ctr", "ecb", "encoded", "gcm", "hex", "id",
        "le", "mb", "rc", "sum", "url", "with", "withecdsa", "withrsa", "withrsaencryption",
    ];
    // `argon2i`, `blake2b`, `crc32c`, `log4j2`, `secp256k1`.
    const LETTERS: &[&str] = &["b", "c", "d", "i", "j", "k", "r", "s"];
    let word = tail.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_letter = stem.len() >= 3 && LETTERS.contains(&word);
    tail.is_empty() || tail.len() - word.len() <= 2 && (is_letter || TAILS.contains(&word))
}

/// True for a number and what it counts.
fn is_unit(part: &str) -> bool {
    const UNITS: &[&str] = &[
        "bit", "bits", "byte", "bytes", "char", "chars", "day", "days", "digit", "digits", "hour",
        "hours", "min", "mins", "minute", "minutes", "month", "months", "sec", "secs", "second",
        "seconds", "times", "week", "weeks",
    ];
    let unit = part.trim_start_matches(|c: char| c.is_ascii_digit());
    UNITS.iter().any(|known| known.eq_ignore_ascii_case(unit))
}
