//! Finds names and paths by inexact spelling: other case, parts of words,
//! initials, missing letters, and typing errors.

/// The quality of a match; higher is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MatchScore(pub(crate) u32);

const SAME: u32 = 1000;
const SAME_BUT_CASE: u32 = 950;
const SAME_WORDS: u32 = 900;
const BEGINNING: u32 = 800;
const WORDS: u32 = 700;
const INSIDE: u32 = 600;
const INITIALS: u32 = 550;
const ANY_ORDER: u32 = 540;
const SLIP: u32 = 500;
const LETTERS: u32 = 200;
const SPREAD: u32 = 180;

/// Reduction of the score if a name matches only without accents.
const MARKS: u32 = 60;

/// A search text, split once.
#[derive(Debug, Clone)]
pub(crate) struct FuzzyPattern {
    text: String,
    lower: Vec<u8>,
    words: Vec<String>,
    letters: u64,
    /// The same without accents, if it has any.
    folded: Option<Box<Self>>,
}

impl FuzzyPattern {
    pub(crate) fn new(text: &str) -> Self {
        let text = text.trim();
        let folded = without_marks(text).map(|text| Box::new(Self::plain(&text)));
        Self { folded, ..Self::plain(text) }
    }

    fn plain(text: &str) -> Self {
        let lower = text.to_lowercase().into_bytes();
        let (text, words) = (text.to_owned(), words(text));
        Self { letters: letters(&lower), text, lower, words, folded: None }
    }

    /// Returns the score of a name; `None` if it does not match.
    pub(crate) fn score(&self, name: &str) -> Option<MatchScore> {
        self.with_marks_or_without(name, Self::plain_score)
    }

    /// Returns that, else the score of the words against a name and its owner
    /// together.
    pub(crate) fn score_of<'n>(
        &self,
        owner: impl Fn() -> Option<&'n str>,
        name: &str,
    ) -> Option<MatchScore> {
        self.score(name).or_else(|| self.spread(owner()?, name))
    }

    /// Scores words that each begin a word of the name or of its owner.
    fn spread(&self, owner: &str, name: &str) -> Option<MatchScore> {
        let seen = |text: &str| letters(text.to_ascii_lowercase().as_bytes());
        // Few names get past this, and splitting one is expensive.
        if self.words.len() < 2 || self.letters & !(seen(owner) | seen(name)) != 0 {
            return None;
        }
        let (owner, name) = (words(owner), words(name));
        let begins = |word: &String, all: &[String]| all.iter().any(|it| it.starts_with(word));
        let is_named = self.words.iter().any(|word| begins(word, &name));
        let fits = |word: &String| begins(word, &name) || begins(word, &owner);
        (is_named && self.words.iter().all(fits)).then_some(MatchScore(SPREAD))
    }

    /// Returns the better of the scores with and without accents.
    fn with_marks_or_without(
        &self,
        name: &str,
        score: impl Fn(&Self, &str) -> Option<MatchScore>,
    ) -> Option<MatchScore> {
        let whole = score(self, name);
        let folded = without_marks(name);
        if self.folded.is_none() && folded.is_none() {
            return whole;
        }
        let pattern = self.folded.as_deref().unwrap_or(self);
        let plain = score(pattern, folded.as_deref().unwrap_or(name));
        whole.max(plain.map(|MatchScore(score)| MatchScore(score.saturating_sub(MARKS))))
    }

    fn plain_score(&self, name: &str) -> Option<MatchScore> {
        if self.lower.is_empty() {
            return Some(MatchScore(0));
        }
        let missing = self.missing(name);
        if missing > self.slips() {
            return None;
        }
        self.base(name, missing).map(|base| self.shortest_first(base, name))
    }

    /// Returns the score without forgiving typing errors or missing letters.
    pub(crate) fn clear_score(&self, name: &str) -> Option<MatchScore> {
        self.with_marks_or_without(name, Self::plain_clear_score)
    }

    fn plain_clear_score(&self, name: &str) -> Option<MatchScore> {
        if self.lower.is_empty() || self.missing(name) > 0 {
            return None;
        }
        let base = if name == self.text {
            SAME
        } else {
            self.clear_base(name, name.to_lowercase().as_bytes())?
        };
        Some(self.shortest_first(base, name))
    }

    /// Returns the number of letters that a name lacks.
    fn missing(&self, name: &str) -> usize {
        let seen = name.bytes().fold(0, |seen, byte| seen | letter(byte.to_ascii_lowercase()));
        (self.letters & !seen).count_ones() as usize
    }

    /// Reduces the score by the extra length: the shorter of equal matches
    /// wins.
    fn shortest_first(&self, base: u32, name: &str) -> MatchScore {
        let extra = name.len().saturating_sub(self.lower.len()).min(50);
        MatchScore(base - u32::try_from(extra).unwrap_or(0))
    }

    fn base(&self, name: &str, missing: usize) -> Option<u32> {
        if name == self.text {
            return Some(SAME);
        }
        let lower = name.to_lowercase().into_bytes();
        let clear = if missing == 0 { self.clear_base(name, &lower) } else { None };
        if clear.is_some() {
            return clear;
        }
        if let Some(slips) = slips(&self.lower, &lower, self.slips()) {
            return Some(SLIP - 100 * u32::try_from(slips).unwrap_or(0));
        }
        // In a long name, any few letters occur in order.
        let is_apt = self.lower.len() > 2 && lower.len() <= 3 * self.lower.len();
        let has_order = is_apt
            && missing == 0
            && lower.first() == self.lower.first()
            && in_order(&self.lower, &lower);
        has_order.then_some(LETTERS)
    }

    fn clear_base(&self, name: &str, lower: &[u8]) -> Option<u32> {
        if lower == self.lower {
            return Some(SAME_BUT_CASE);
        }
        // Few names get past this, and splitting one is expensive.
        let has = |word: &String| memchr::memmem::find(lower, word.as_bytes()).is_some();
        let has_words = !name.is_ascii() || self.words.iter().all(has);
        let may_be_initials = self.lower.len() > 1 && seams(name) + 1 >= self.lower.len();
        if !has_words && !may_be_initials {
            return None;
        }
        let parts = words(name);
        if parts == self.words {
            return Some(SAME_WORDS);
        }
        if lower.starts_with(&self.lower) {
            return Some(BEGINNING);
        }
        if begin_in_order(&self.words, &parts) {
            return Some(WORDS);
        }
        if lower.windows(self.lower.len()).any(|part| part == self.lower) {
            return Some(INSIDE);
        }
        let is_initials = self.lower.len() > 1 && initials(&parts).starts_with(&self.lower);
        if is_initials {
            return Some(INITIALS);
        }
        let begins = |word: &String| parts.iter().any(|part| part.starts_with(word));
        (self.words.len() > 1 && self.words.iter().all(begins)).then_some(ANY_ORDER)
    }

    /// Returns the number of forgiven typing errors: a short word quickly
    /// becomes another one.
    fn slips(&self) -> usize {
        match self.lower.len() {
            0..4 => 0,
            4..8 => 1,
            _ => 2,
        }
    }
}

/// Returns the score of a path: its whole, its end, or its last part.
pub(crate) fn path_score(pattern: &FuzzyPattern, path: &str) -> Option<MatchScore> {
    if path == pattern.text {
        return Some(MatchScore(SAME + 100));
    }
    if path.ends_with(&pattern.text) && path[..path.len() - pattern.text.len()].ends_with('/') {
        return Some(MatchScore(SAME + 50));
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let whole = pattern.score(path).map(|MatchScore(score)| MatchScore(score / 2));
    pattern.score(name).max(pattern.score(stem)).max(whole)
}

/// Splits an identifier into lower-case words: `HTTPServer_v2` is http, server,
/// v2.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let next_is_small = chars.peek().is_some_and(|next| next.is_lowercase());
        let begins = char.is_uppercase()
            && (before.is_lowercase()
                || before.is_numeric()
                || before.is_uppercase() && next_is_small);
        if (begins || !char.is_alphanumeric()) && !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
        }
        before = char;
    }
    if !word.is_empty() {
        found.push(word);
    }
    found
}

/// Returns a text without accents; `None` if it has none.
fn without_marks(text: &str) -> Option<String> {
    if text.is_ascii() || text.chars().all(|char| unmarked(char).is_none()) {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    for char in text.chars() {
        match unmarked(char) {
            Some(letters) if char.is_uppercase() => plain.push_str(&letters.to_uppercase()),
            Some(letters) => plain.push_str(letters),
            None => plain.push(char),
        }
    }
    Some(plain)
}

/// Returns the base letters of an accented Latin letter. Combining marks are
/// not handled.
fn unmarked(char: char) -> Option<&'static str> {
    let lower = char.to_lowercase().next().unwrap_or(char);
    Some(match lower {
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'ǎ' => "a",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ĥ' | 'ħ' => "h",
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' | 'ǐ' => "i",
        'ĵ' => "j",
        'ķ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ŀ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' | 'ǒ' => "o",
        'ŕ' | 'ŗ' | 'ř' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => "s",
        'ţ' | 'ť' | 'ŧ' | 'ț' => "t",
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' | 'ǔ' => "u",
        'ŵ' => "w",
        'ý' | 'ÿ' | 'ŷ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        '\u{300}'..='\u{36f}' => "",
        _ => return None,
    })
}

/// Returns the number of positions where a word may begin, apart from the
/// start.
fn seams(name: &str) -> usize {
    name.chars().filter(|char| char.is_uppercase() || !char.is_alphanumeric()).count()
}

/// Returns true if each word begins one of the parts, in the same order.
fn begin_in_order(words: &[String], parts: &[String]) -> bool {
    let mut rest = parts.iter();
    !words.is_empty() && words.iter().all(|word| rest.any(|part| part.starts_with(word.as_str())))
}

fn initials(parts: &[String]) -> Vec<u8> {
    parts.iter().filter_map(|part| part.bytes().next()).collect()
}

fn in_order(wanted: &[u8], all: &[u8]) -> bool {
    let mut rest = all.iter();
    wanted.iter().all(|letter| rest.any(|other| other == letter))
}

fn letter(byte: u8) -> u64 {
    match byte {
        b'a'..=b'z' => 1 << (byte - b'a'),
        b'0'..=b'9' => 1 << (26 + byte - b'0'),
        _ => 0,
    }
}

fn letters(text: &[u8]) -> u64 {
    text.iter().fold(0, |all, byte| all | letter(*byte))
}

/// Returns the number of letters that were left out, added, replaced or swapped
/// with their neighbour; `None` if more than `most`.
fn slips(a: &[u8], b: &[u8], most: usize) -> Option<usize> {
    if most == 0 || a.len().abs_diff(b.len()) > most {
        return None;
    }
    // A common beginning or end changes nothing.
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[same..], &b[same..]);
    let same = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - same], &b[..b.len() - same]);
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (row, letter) in a.iter().enumerate() {
        let mut line = vec![row + 1];
        for (column, other) in b.iter().enumerate() {
            let change = last[column] + usize::from(letter != other);
            let mut best = change.min(last[column + 1] + 1).min(line[column] + 1);
            let swapped = row > 0 && column > 0 && *letter == b[column - 1] && a[row - 1] == *other;
            if swapped {
                best = best.min(before[column - 1] + 1);
            }
            line.push(best);
        }
        if line.iter().min().is_some_and(|least| *least > most) {
            return None;
        }
        before = std::mem::replace(&mut last, line);
    }
    last.last().copied().filter(|slips| *slips <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn order(pattern: &str, names: &[&str]) {
        let pattern = FuzzyPattern::new(pattern);
        let mut found: Vec<(MatchScore, &str)> =
            names.iter().rev().filter_map(|name| Some((pattern.score(name)?, *name))).collect();
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        let found: Vec<&str> = found.into_iter().map(|(_, name)| name).collect();
        assert_eq!(found, names);
    }

    #[test]
    fn names_that_fit_better_come_first() {
        order(
            "getUser",
            &[
                "getUser",
                "getuser",
                "get_user",
                "getUserName",
                "get_all_users",
                "forgetUser",
                "getUsr",
            ],
        );
        order("gun", &["gun", "gunner", "getUserName"]);
        order("store save", &["store_save", "StoreAndSave"]);
        order("한글", &["한글", "한글이름"]);
        order("push list", &["push_list", "push_all_lists", "list_push"]);
        order("grosse", &["grosse", "größe", "GRÖSSE", "größeren"]);
        order("größe", &["größe", "Größe", "grosse"]);
    }

    #[test]
    fn slips_are_forgiven_in_long_names_only() {
        order("recieve_message", &["receive_message"]);
        for (pattern, name) in [("get", "set"), ("load", "move"), ("abcdefgh", "abxxxfgh")] {
            assert_eq!(FuzzyPattern::new(pattern).score(name), None, "{pattern} {name}");
        }
    }

    #[test]
    fn a_clear_score_is_the_same_where_nothing_has_to_be_forgiven() {
        let names = [
            "getUser",
            "getuser",
            "get_user",
            "getUserName",
            "forgetUser",
            "getUsr",
            "gun",
            "GetUserNow",
            "save",
            "store_save",
            "StoreAndSave",
            "ΣΑΣ",
            "save_store",
            "größe",
            "grosse",
            "한글이름",
            "receive",
            "",
        ];
        for text in
            ["getUser", "gun", "store save", "σασ", "한글", "grösse", "recieve", "save", "_"]
        {
            let pattern = FuzzyPattern::new(text);
            for name in names {
                let clear = pattern.score(name).filter(|MatchScore(score)| *score > SLIP - 50);
                assert_eq!(pattern.clear_score(name), clear, "{text} {name}");
            }
        }
    }

    #[test]
    fn what_two_names_share_at_their_ends_hides_no_slip() {
        for (a, b, want) in [("abcd", "abdc", 1), ("aab", "aaab", 1), ("xaby", "xbay", 1)] {
            assert_eq!(slips(a.as_bytes(), b.as_bytes(), 2), Some(want), "{a} {b}");
        }
        assert_eq!(slips(b"same", b"same", 1), Some(0));
    }

    #[test]
    fn identifiers_are_taken_apart_into_words() {
        assert_eq!(words("HTTPServer_v2"), ["http", "server", "v2"]);
        assert_eq!(words("kebab-case and.dots"), ["kebab", "case", "and", "dots"]);
        assert_eq!(words("__x__"), ["x"]);
    }

    #[test]
    fn paths_are_found_by_their_ends_and_their_names() {
        let score = |pattern: &str, path: &str| path_score(&FuzzyPattern::new(pattern), path);
        assert!(score("b/c.py", "a/b/c.py") > score("c.py", "a/b/cc.py"));
        assert!(score("stroe.py", "src/store.py").is_some());
        assert!(score("user_service", "src/user_service.ts").is_some());
        assert_eq!(score("zebra", "src/store.py"), None);
    }
}
