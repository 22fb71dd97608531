//! What Korean says of a note that it does not rely on.
//!
//! The particle behind a name tells what the note is in its sentence: the topic
//! is called wrong, an object is ignored, and what is done `[id]에 따라` relies
//! on it.

use std::sync::LazyLock;

use regex::Regex;

use super::Mention;

const NOUNS: &str = r"^[\s`*_]*(?:(?:노트|기록|메모|내용|정보|항목|설명|지침|조언)\s*)?";

/// What follows the name of a note that is called wrong or passed over.
///
/// Between the topic and what is said of it nothing may stand that agrees or
/// that it is said of instead.
static BEHIND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let topic = r"(?:은|는|이|가|도|의\s*(?:내용|설명|정보|말)(?:은|는|이|가|도))\s";
    let wrong = concat!(
        r"(?:틀렸|틀리|틀린\s*(?:것|내용|정보|말|기록|노트|메모)|틀림|맞지\s*않|안\s*맞|옳지\s*않|",
        r"사실이\s*아니|사실과\s*다|정확하지\s*않|부정확|유효하지\s*않|적용되지\s*않|해당되지\s*않|",
        r"해당하지\s*않|성립하지\s*않|도움이?\s*(?:되지\s*않|안)|쓸모\s*없|소용\s*없|",
        r"(?P<gone>더\s*이상\s*\S*(?:맞|유효|사실|적용|필요|쓰이|해당|성립|통하))|",
        r"잘못되|잘못됐|잘못된\s*(?:것|내용|정보|말|기록|노트|메모)|",
        r"(?:오래된|낡은)\s*(?:것|내용|정보|말|기록|노트|메모)|오래되|오래됐|낡았|",
        r"무시했|무시하|무시해|무시되|무시됐|따르지\s*않|어긋)"
    );
    let object = concat!(
        r"(?:을|를)\s(?P<how>.{0,12}?)(?:무시|따르지\s*않|믿지\s*않|배제|반박|",
        r"신뢰하지\s*않|사용하지\s*않|쓰지\s*않)"
    );
    let against = concat!(
        r"(?:와|과|와는|과는)\s*(?:달리|반대|다르게|어긋|상반)|에도\s*불구|",
        r"(?:을|를)\s*거슬러|에\s*반(?:해|하여)|대신\s"
    );
    Regex::new(&format!("{NOUNS}(?:{topic}(?P<between>.*?){wrong}|{object}|{against})")).ok()
});

/// What stands directly before the name of such a note.
static BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let wrong = r"(?:틀린|잘못된|오래된|낡은|부정확한|무시한|무시할|맞지\s*않는|유효하지\s*않은)";
    Regex::new(&format!(r"{wrong}\s*(?:노트|기록|메모|내용|정보|항목)?\s*[:：]?\s*$")).ok()
});

/// What agrees with a note.
const AGREEING: &[&str] = &["맞았", "맞고", "맞으", "옳", "정확했", "정확하고", "덕분", "도움"];

/// What is noted in a word, without a particle: `[id] 무시함`.
static BRIEFLY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let wrong = concat!(
        r"(?:무시(?:함|했|하고|하였|됨|\s*(?:[.,)]|$))|틀림|틀렸|오래됨|낡음|부정확|따르지\s*않|",
        r"적용\s*(?:안|불가)|해당\s*없|도움\s*(?:안|되지\s*않|없)|쓸모\s*없|소용\s*없)"
    );
    Regex::new(&format!(r"{NOUNS}[:：(,-]?\s*{wrong}")).ok()
});

/// What follows a word that is taken back, or that only describes an object.
static TAKEN_BACK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let denied = r"\S{0,2}지(?:는|도)?\s*(?:않|마|말|못)|\S{0,2}면\s*안|\S{0,2}서는?\s*안";
    let other = r"\S{0,2}\s*수\s*없|(?:은|이)?\s*아니|(?:을|를)\s";
    Regex::new(&format!("^(?:{denied}|{other})")).ok()
});

/// Which of the mentions in a sentence are of notes that it does not rely on.
pub(super) fn rejected(sentence: &str, mentions: &[Mention<'_>]) -> Vec<bool> {
    let mut verdicts = Vec::with_capacity(mentions.len());
    let mut rest = mentions;
    let is_joined = |pair: &&[Mention<'_>]| match pair {
        [one, next] => is_list(sentence.get(one.end..next.start).unwrap_or_default()),
        _ => false,
    };
    while let Some((first, others)) = rest.split_first() {
        let listed = rest.windows(2).take_while(is_joined).count();
        let last = rest.get(listed).unwrap_or(first);
        rest = others.get(listed..).unwrap_or_default();
        let end = rest.first().map_or(sentence.len(), |next| next.start);
        let before = sentence.get(..first.start).unwrap_or_default();
        let behind = sentence.get(last.end..end).unwrap_or_default();
        let is_rejected = is_rejected(before, behind);
        verdicts.extend(std::iter::repeat_n(is_rejected, listed + 1));
    }
    verdicts
}

/// Whether nothing but this between two names makes a list of them.
fn is_list(between: &str) -> bool {
    ["", ",", "와", "과", "및", "랑", "이랑", "하고", "그리고"].contains(&between.trim())
}

fn is_rejected(before: &str, behind: &str) -> bool {
    let finds = |rule: &LazyLock<Option<Regex>>, text: &str| {
        LazyLock::force(rule).as_ref().is_some_and(|rule| rule.is_match(text))
    };
    let found = BEHIND.as_ref().and_then(|wrong| wrong.captures(behind));
    let is_behind = found.is_some_and(|found| {
        let part = |name: &str| found.name(name).map_or("", |part| part.as_str());
        let end = found.get(0).map_or(0, |whole| whole.end());
        let is_meant = found.name("gone").is_some()
            || !finds(&TAKEN_BACK, behind.get(end..).unwrap_or_default());
        is_meant && !is_of_another(part("between")) && !is_of_another(part("how"))
    });
    is_behind || finds(&BEFORE, before) || finds(&BRIEFLY, behind)
}

/// Whether what stands between a note and a verdict agrees with the note, or
/// has something else that the verdict is about.
fn is_of_another(between: &str) -> bool {
    const NOUNS: &[&str] = &["내용", "설명", "정보", "말", "기록", "주장", "지침", "조언"];
    const CAUSES: &[&str] = &["서", "므로", "때문에", "니까", "으니", "지만", "으나", "는데"];
    // End like a particle and are none.
    const OTHERS: &[&str] = &[
        "있는", "없는", "하는", "되는", "쓰는", "보는", "많이", "같이", "굳이", "깊이", "같은",
        "많은", "이는", "전혀",
    ];
    let agrees = AGREEING.iter().any(|word| between.contains(word));
    let mut words: Vec<&str> = between.split_whitespace().collect();
    let relies = words.iter().any(|word| {
        ["대로", "따라", "따라서", "참고해", "보고"].iter().any(|one| word.ends_with(one))
    });
    // After a reason the note is the topic again.
    let is_cause = |word: &&str| CAUSES.iter().any(|end| word.ends_with(end));
    if let Some(at) = words.iter().rposition(is_cause) {
        words.drain(..=at);
    }
    let is_subject = |word: &&str| {
        let subject =
            ["은", "는", "이", "가", "을", "를"].iter().find_map(|p| word.strip_suffix(p));
        subject.is_some_and(|noun| !NOUNS.contains(&noun))
            && !OTHERS.iter().any(|other| word.ends_with(other))
    };
    agrees || relies || words.iter().any(is_subject)
}
