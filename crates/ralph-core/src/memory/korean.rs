//! Korean words by what a developer means with them: stems without particles
//! and endings, and the English word for those that projects write both ways.

use std::sync::LazyLock;

use super::korean_words::WORDS;
use super::tables::Table;

/// Particles and endings that a noun may carry, longest first.
const ENDINGS: &[&str] = &[
    "에서만",
    "에서는",
    "으로만",
    "이어야",
    "입니다",
    "합니다",
    "됩니다",
    "습니다",
    "이라도",
    "까지는",
    "에서도",
    "에게는",
    "에만",
    "에서",
    "으로",
    "이다",
    "이며",
    "이고",
    "한다",
    "된다",
    "하고",
    "하며",
    "해서",
    "에는",
    "에도",
    "로는",
    "로만",
    "까지",
    "부터",
    "마다",
    "에게",
    "한테",
    "처럼",
    "보다",
    "라도",
    "이나",
    "이면",
    "하는",
    "되는",
    "하면",
    "되면",
    "해야",
    "돼야",
    "하지",
    "되지",
    "하기",
    "되기",
    "함",
    "됨",
    "임",
    "을",
    "를",
    "은",
    "는",
    "이",
    "가",
    "에",
    "의",
    "로",
    "도",
    "만",
    "와",
    "과",
    "한",
    "할",
    "된",
    "될",
    "다",
    "나",
    "씩",
    "해",
    "돼",
    "어야",
    "아야",
    "어",
    "아",
    "는다",
    "었다",
    "았다",
    "했다",
    "됐다",
    "하려면",
    "할때",
];

/// What marks the word that a sentence is about.
const TOPIC: &[&str] = &["은", "는", "이", "가", "에는", "에서는"];

/// Whether a text is written in Hangul alone.
pub(super) fn is_hangul(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| ('가'..='힣').contains(&c))
}

/// Whether a word carries the mark of what the sentence is about.
pub(super) fn is_topic(text: &str) -> bool {
    text.chars().next_back().is_some_and(|c| ('가'..='힣').contains(&c))
        && TOPIC.iter().any(|mark| text.ends_with(mark))
        && text.chars().count() > 1
}

/// Whether a text is nothing but a particle or an ending.
pub(super) fn is_ending(text: &str) -> bool {
    let is_being = text.starts_with('있') && text != "있어야";
    is_being
        || ENDINGS.contains(&text)
        || matches!(
            text,
            "이다" | "것" | "수" | "있다" | "시" | "딱" | "기준" | "등" | "및" | "또는" | "그리고"
        )
}

/// Whether a word without its particle says nothing by itself.
pub(super) fn is_filler(text: &str) -> bool {
    const FILLERS: &str = "기준 경우 때 동안 등 정도 관련 주길 좀 위해 통해 대해 따로 및 또는 그리고 것 것은 것이 것을 사항 사항임 수 시 해당 각 각각 님 씨 두었 뒀 놓았 놨";
    FILLERS.split(' ').any(|one| one == text)
}

/// Whether a word has the ending of a verb: "정의한다", "감싸서", "바꾸도록".
pub(super) fn is_verb(word: &str) -> bool {
    let mut chars = word.chars().rev();
    let (last, before) = (chars.next(), chars.next());
    // ㄴ and ㅆ before "다" tell a verb from "이다".
    let final_of = |c: char| (u32::from(c).wrapping_sub(u32::from('가'))) % 28;
    let is_final = last == Some('다') && before.is_some_and(|c| matches!(final_of(c), 4 | 20));
    let is_long = word.chars().count() >= 3;
    let joins = ["도록", "려면", "하면", "되면", "하여", "하고", "되고", "하며", "하지", "되지"];
    let is_because = is_long && word.ends_with('서') && !word.ends_with("에서");
    is_final || is_because || (is_long && joins.iter().any(|end| word.ends_with(end)))
}

/// The words that a Korean word stands for: English where there is one.
pub(super) fn read(word: &str) -> Vec<String> {
    if let Some(found) = negated(word) {
        return found;
    }
    let bare = without_ending(word);
    let bare = bare.strip_suffix('님').filter(|name| name.chars().count() > 1).unwrap_or(bare);
    for text in [bare, word] {
        if let Some(found) = translated(text) {
            return vec![found.to_owned()];
        }
    }
    vec![bare.to_owned()]
}

/// A verb that denies itself: "하지 않는다", "없다" and what is joined to them.
fn negated(word: &str) -> Option<Vec<String>> {
    if ["없어", "없앴", "없애", "없앤"].iter().any(|gone| word.starts_with(gone)) {
        return None;
    }
    let begins = ["않", "없", "못", "마라", "마세요", "말아", "말고", "아니", "아닌"];
    if begins.iter().any(|one| word.starts_with(one)) || matches!(word, "안" | "말" | "마") {
        return Some(vec!["not".to_owned()]);
    }
    let at = ["지않", "지마", "지말", "없이", "없는"].iter().find_map(|mark| word.find(mark))?;
    let mut words = read(&word[..at]);
    words.push("not".to_owned());
    Some(words)
}

/// The English word for the longest known beginning.
fn translated(word: &str) -> Option<&'static str> {
    static TABLE: LazyLock<Table<&str, &str>> = LazyLock::new(|| {
        let pairs =
            WORDS.iter().flat_map(|(english, all)| all.split(' ').map(move |one| (one, *english)));
        pairs.collect()
    });
    let ends = word.char_indices().skip(1).map(|(at, _)| at).chain([word.len()]);
    let ends: Vec<usize> = ends.collect();
    ends.iter().rev().find_map(|end| {
        let (known, rest) = word.split_at(*end);
        let english = TABLE.get(known).or_else(|| {
            let mut bases = bases(known, rest).into_iter();
            bases.find_map(|base| TABLE.get(base.as_str()))
        })?;
        // A short beginning says little: the rest must be an ending.
        let fits = known.chars().count() >= 2 || rest.is_empty() || is_rest(rest);
        fits.then_some(*english)
    })
}

/// Whether this can follow the stem of a word.
fn is_rest(text: &str) -> bool {
    const OF_VERBS: [&str; 10] = ["기", "기로", "기를", "길", "게", "지", "음", "은", "을", "던"];
    ENDINGS.contains(&text) || OF_VERBS.contains(&text)
}

/// What a verb looks like before an ending melts into it: "돌린", "돌릴" and
/// "돌렸" are forms of "돌리".
fn bases(word: &str, rest: &str) -> Vec<String> {
    /// Vowels that an ending made, and those that were there before.
    const MELTED: [(u32, u32); 6] = [(6, 20), (9, 8), (14, 13), (4, 18), (0, 18), (10, 11)];
    /// ㄴ, ㄹ, ㅁ, ㅂ, ㅆ.
    const FINALS: [u32; 5] = [4, 8, 16, 17, 20];
    let Some(last) = word.chars().next_back().filter(|c| ('가'..='힣').contains(c)) else {
        return Vec::new();
    };
    let code = u32::from(last) - u32::from('가');
    let (open, end) = (code - code % 28, code % 28);
    // ㅂ is an ending only in front of "니다".
    if end != 0 && !FINALS.contains(&end) || (end == 17 && !rest.starts_with('니')) {
        return Vec::new();
    }
    let vowel = open / 28 % 21;
    let melted = MELTED.iter().filter(|(made, _)| *made == vowel);
    let melted = melted.map(|(made, before)| open - made * 28 + before * 28);
    let whole = (end != 0).then_some(open);
    let start = &word[..word.len() - last.len_utf8()];
    let bases = whole.into_iter().chain(melted);
    bases
        .filter_map(|code| char::from_u32(code + u32::from('가')))
        .map(|base| format!("{start}{base}"))
        .collect()
}

/// A word without its particle.
pub(super) fn without_ending(word: &str) -> &str {
    let cut = |ending: &str| {
        let rest = word.strip_suffix(ending)?;
        (rest.chars().count() >= 2 || (is_noun(rest) && rest.chars().count() == 1)).then_some(rest)
    };
    ENDINGS.iter().find_map(|ending| cut(ending)).unwrap_or(word)
}

/// Nouns of one syllable, which a particle may follow.
fn is_noun(word: &str) -> bool {
    const NOUNS: &str =
        "키 값 행 팀 앱 웹 큐 락 잡 풀 탭 줄 명 개 번 회 건 초 분 일 주 달 년 시 월 칸 자 님 씨";
    NOUNS.split(' ').any(|noun| noun == word)
}

#[cfg(test)]
mod tests {
    use super::{is_verb, read};

    #[test]
    fn particles_and_endings_do_not_count() {
        assert_eq!(read("임포터가"), read("임포터는"));
        assert_eq!(read("배포한다"), ["deploy"]);
        assert_eq!(read("건너뛴다"), ["skip"]);
        assert_eq!(read("가나다를"), ["가나다"]);
    }

    #[test]
    fn a_verb_is_found_in_all_its_forms() {
        for word in ["돌린다", "돌릴", "돌렸다", "돌리는", "돌려야"] {
            assert_eq!(read(word), ["run"], "{word}");
        }
        assert_eq!(read("보냈다"), read("보낸다"));
    }

    #[test]
    fn verbs_are_known_by_their_endings() {
        for word in ["정의한다", "바뀌었다", "감싸서", "바꾸도록"] {
            assert!(is_verb(word), "{word}");
        }
        for word in ["파일이다", "서버에서", "초다", "문서"] {
            assert!(!is_verb(word), "{word}");
        }
    }

    #[test]
    fn denials_are_read_in_every_form() {
        for word in ["없이도", "않는다", "마라", "없는"] {
            assert_eq!(read(word), ["not"], "{word}");
        }
    }
}
