//! The same for Korean, where particles say what a word is and the verb, with
//! its denial, comes last.

use super::{NoteWord, ValueKind};

/// Words that add nothing to what is compared.
const FILLERS: &[&str] = &["절대", "절대로", "항상", "이제", "현재", "더", "이상", "지금"];

/// How words end that say what a sentence is about.
const TOPICS: [char; 4] = ['은', '는', '이', '가'];

/// How words end that say when or where something holds.
const CONDITIONS: [&str; 8] = ["면", "때", "경우", "에서", "에는", "에서는", "부터", "마다"];

/// How sentences end, the longest first.
const ENDINGS: &[&str] = &["십시오", "는다", "니다", "세요", "다", "라", "요"];

pub(super) fn is_hangul(c: char) -> bool {
    ('가'..='힣').contains(&c)
}

pub(super) fn is_denial(word: &str) -> bool {
    matches!(word, "안" | "못" | "말고")
        || word.starts_with(['않', '없'])
        || word.starts_with("아니")
}

/// Whether the word at a place is what a sentence says of its topic.
pub(super) fn is_value(words: &[NoteWord<'_>], at: usize, kind: ValueKind) -> bool {
    let ends = |word: &NoteWord<'_>, ends: &[&str]| ends.iter().any(|end| word.raw.ends_with(end));
    let is_topic = |word: &NoteWord<'_>| word.raw.chars().count() > 1 && word.raw.ends_with(TOPICS);
    let Some(topic) = words.iter().position(is_topic) else { return false };
    let is_added = words.iter().any(|word| ends(word, &["도", "또한", "일부"]));
    let behind = words.len() - at - 1;
    let is_conditional = words.iter().any(|word| ends(word, &CONDITIONS));
    if at <= topic || is_added || is_conditional {
        return false;
    }
    match kind {
        ValueKind::Number | ValueKind::Version => {
            let is_of_name = behind == 2 && ends(&words[at + 1], &["을", "를"]);
            (behind <= 1 || is_of_name) && !ends(&words[at], &["에"])
        }
        ValueKind::Path => {
            let is_there = words.last().is_some_and(|last| last.raw.starts_with("있"));
            behind == 1 && is_there && ends(&words[at], &["에"]) || behind == 0
        }
    }
}

/// Whether one of two Korean sentences denies what the other says.
pub(super) fn is_denied(one: &str, other: &str) -> bool {
    let (Some(one), Some(other)) = (told(one), told(other)) else { return false };
    one.is_denied != other.is_denied && one.words == other.words
}

/// A sentence as it is when nothing is denied.
struct KoreanSentence {
    words: Vec<String>,
    is_denied: bool,
}

fn told(text: &str) -> Option<KoreanSentence> {
    let text = text.trim().trim_end_matches(['.', '!', '。']);
    if !text.contains(is_hangul) || text.contains(['.', ',', ';']) && text.contains(". ") {
        return None;
    }
    let mut words: Vec<String> = text
        .split_whitespace()
        .filter(|word| !FILLERS.contains(word))
        .map(str::to_lowercase)
        .collect();
    let last = words.pop()?;
    let before = words.last().map(String::as_str).unwrap_or_default();
    let is_tail = last.starts_with(['않', '마', '말', '못']) && before.ends_with('지');
    let (verb, is_denied) = if is_tail {
        let stem = before.trim_end_matches('지').to_owned();
        words.pop();
        (stem, true)
    } else if let Some(rest) = last.strip_prefix('없') {
        (stem(&format!("있{rest}")), true)
    } else if matches!(before, "안" | "못") {
        words.pop();
        (stem(&last), true)
    } else {
        (stem(&last), false)
    };
    words.push(verb);
    Some(KoreanSentence { words, is_denied })
}

/// A verb without its ending: `쓴다`, `쓰지` and `씁니다` are one.
fn stem(word: &str) -> String {
    let cut = ENDINGS.iter().find_map(|end| Some((*end, word.strip_suffix(end)?)));
    let Some((ending, stem)) = cut.filter(|(_, stem)| !stem.is_empty()) else {
        return word.to_owned();
    };
    let last = stem.char_indices().next_back();
    match last.and_then(|(at, last)| Some((at, opened(last, ending)?))) {
        Some((at, open)) => format!("{}{open}", &stem[..at]),
        None => stem.to_owned(),
    }
}

/// A syllable without the consonant that belongs to the ending: `쓴` in `쓴다`
/// is `쓰`, `합` in `합니다` is `하`.
fn opened(syllable: char, ending: &str) -> Option<char> {
    const FIRST: u32 = 0xAC00;
    const FINALS: u32 = 28;
    let place = u32::from(syllable).checked_sub(FIRST).filter(|place| *place < 11_172)?;
    let of_ending = match ending {
        "다" => 4,
        "니다" => 17,
        _ => return None,
    };
    (place % FINALS == of_ending).then(|| char::from_u32(FIRST + place - of_ending)).flatten()
}
