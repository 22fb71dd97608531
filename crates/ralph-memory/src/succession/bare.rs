//! Texts without what may differ between two notes that exclude each other
//! plainly: numbers and denials.

/// Words by which the same is denied, and those that help them.
const DENIALS: &[&str] = &[
    "not",
    "no",
    "never",
    "always",
    "longer",
    "anymore",
    "any",
    "more",
    "do",
    "does",
    "did",
    "안",
    "못",
    "절대",
    "절대로",
    "항상",
];

/// What a verb and its denial are drawn together to, without the apostrophe.
const CONTRACTIONS: &[(&str, &str)] = &[
    ("cannot", "can"),
    ("can't", "can"),
    ("won't", "will"),
    ("shan't", "shall"),
    ("don't", ""),
    ("doesn't", ""),
    ("didn't", ""),
];

/// Words after the name of what a text is about.
const TELL_OF: &[&str] =
    &["is", "are", "was", "were", "has", "have", "had", "can", "cannot", "must", "should", "will"];

/// How Korean words end that say what a sentence is about.
const TOPICS: [char; 4] = ['은', '는', '이', '가'];

/// How Korean sentences end, longest first.
const ENDINGS: &[&str] = &["십시오", "는다", "니다", "세요", "다", "라", "요"];

/// The words of a text but for numbers and denials, in the order of the alphabet:
/// texts that contradict each other plainly have the same.
pub fn bare_words(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('’', "'");
    let all: Vec<&str> = words(&text).collect();
    let mut bare: Vec<String> = Vec::with_capacity(all.len());
    for (at, word) in all.iter().enumerate() {
        let is_denied = is_denial(word) && at > 0 && all[at - 1].ends_with('지');
        if !is_denied && !word.contains(|c: char| c.is_ascii_digit()) {
            bare.extend(told(word).filter(|word| !DENIALS.contains(&word.as_str())));
        }
    }
    bare.sort_unstable();
    bare
}

/// Numbers of a text that are names, or parts of them: `node2`, `server 2 is …`,
/// `404 means …`, `2번 …`.
pub(super) fn names(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let words: Vec<&str> = words(&text).collect();
    // Where a Korean sentence has said what it is about.
    let topic = words.iter().position(|word| is_topic(word)).map_or(0, |at| at + 1);
    let is_name = |(at, word): &(usize, &&str)| {
        let Some(digit) = word.find(|c: char| c.is_ascii_digit()) else { return false };
        let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_told_of = words.get(at + 1).is_some_and(|next| TELL_OF.contains(next));
        let begins = *at == 0 && rest.is_empty();
        digit > 0 || rest.starts_with('-') || *at < topic || is_told_of || begins
    };
    words.iter().enumerate().filter(is_name).map(|(_, word)| (*word).to_owned()).collect()
}

/// The numbers of a text.
pub(super) fn numbers(text: &str) -> Vec<&str> {
    words(text).filter(|word| word.contains(|c: char| c.is_ascii_digit())).collect()
}

/// How often a text denies something.
pub(super) fn denials(text: &str) -> usize {
    let text = text.to_lowercase().replace('’', "'");
    let denies = |word: &&str| match *word {
        "not" | "no" | "never" | "cannot" | "안" | "못" | "절대" | "절대로" => true,
        word => word.ends_with("n't") || word.starts_with('않') || word.starts_with('마'),
    };
    words(&text).filter(denies).count()
}

fn is_topic(word: &str) -> bool {
    word.chars().count() > 1 && word.ends_with(TOPICS)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '-')
        .map(|word| word.trim_matches(['\'', '-']))
        .filter(|word| !word.is_empty())
}

/// Whether a word denies the Korean verb before it: does not, do not, cannot.
fn is_denial(word: &str) -> bool {
    word.starts_with(['않', '마', '말', '못'])
}

/// A word as it is when nothing is denied; nothing if it only helps to deny.
fn told(word: &str) -> impl Iterator<Item = String> {
    let whole = CONTRACTIONS.iter().find(|(short, _)| *short == word).map(|(_, whole)| *whole);
    let whole = whole.or_else(|| word.strip_suffix("n't")).unwrap_or(word);
    Some(verb(whole)).filter(|word| !word.is_empty()).into_iter()
}

/// A Korean verb without its ending: `쓴다`, `쓰지` and `씁니다` are one. Other
/// words stay as they are.
fn verb(word: &str) -> String {
    if let Some(stem) = word.strip_suffix('지').filter(|stem| !stem.is_empty()) {
        return stem.to_owned();
    }
    let Some((ending, stem)) = ENDINGS
        .iter()
        .find_map(|end| Some((*end, word.strip_suffix(end)?)))
        .filter(|(_, stem)| !stem.is_empty())
    else {
        return word.to_owned();
    };
    let open = stem.chars().next_back().and_then(|last| opened(last, ending));
    match (open, stem.char_indices().next_back()) {
        (Some(open), Some((at, _))) => format!("{}{open}", &stem[..at]),
        (Some(_) | None, _) => stem.to_owned(),
    }
}

/// A syllable without the consonant that belongs to the ending: `쓴` in `쓴다`
/// is `쓰`, `합` in `합니다` is `하`.
fn opened(syllable: char, ending: &str) -> Option<char> {
    const FIRST: u32 = 0xAC00;
    const FINALS: u32 = 28;
    const N: u32 = 4;
    const B: u32 = 17;
    let place = u32::from(syllable).checked_sub(FIRST).filter(|place| *place < 11_172)?;
    let of_ending = match ending {
        "다" => N,
        "니다" => B,
        _ => return None,
    };
    (place % FINALS == of_ending).then(|| char::from_u32(FIRST + place - of_ending)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_denied_has_the_words_of_what_holds() {
        for (one, other) in [
            ("Use the cache", "Do not use the cache"),
            ("The cache is shared", "The cache isn't shared"),
            ("Tests can run in parallel", "Tests cannot run in parallel"),
            ("Tests can run in parallel", "Tests can’t run in parallel"),
            ("It will be retried", "It won't be retried"),
            ("Run migrations at startup", "Never run migrations at startup"),
            ("The timeout is 30 seconds", "The timeout is 60 seconds"),
            ("캐시를 쓴다", "캐시를 쓰지 않는다"),
            ("캐시를 쓴다", "캐시를 안 쓴다"),
            ("시작할 때 마이그레이션을 실행한다", "시작할 때 마이그레이션을 실행하지 않는다"),
            ("마이그레이션을 실행합니다", "마이그레이션을 실행하지 않습니다"),
            ("마이그레이션을 실행하세요", "마이그레이션을 실행하지 마세요"),
            ("항상 main 에 푸시한다", "절대 main 에 푸시하지 않는다"),
            ("타임아웃은 30초다", "타임아웃은 60초다"),
        ] {
            assert_eq!(bare_words(one), bare_words(other), "{one}");
        }
        for (one, other) in [
            ("Use the cache", "Use the queue"),
            ("캐시를 쓴다", "큐를 쓴다"),
            ("캐시를 쓴다", "캐시를 읽지 않는다"),
        ] {
            assert_ne!(bare_words(one), bare_words(other), "{one}");
        }
    }

    #[test]
    fn a_number_that_is_a_name_is_no_value() {
        for (text, want) in [
            ("1번 서버는 느리다", "1번"),
            ("서버 1은 데비안을 쓴다", "1은"),
            ("3월 배포는 취소되었다", "3월"),
            ("8080 포트는 막혀 있다", "8080"),
            ("The 32-bit build works", "32-bit"),
            ("server 1 is slow", "1"),
            ("404 means the key expired", "404"),
            ("node1 needs a restart", "node1"),
            ("Retry 3 times", ""),
            ("The timeout is 30 seconds", ""),
            ("Tests run on 3 of the workers", ""),
            ("포트는 8080이다", ""),
            ("타임아웃은 30초이다", ""),
        ] {
            assert_eq!(names(text).concat(), want, "{text}");
        }
    }
}
