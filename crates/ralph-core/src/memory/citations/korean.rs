//! What Korean says of a note that it does not rely on.
//!
//! The particle behind a name tells what the note is in its sentence: the topic
//! is called wrong, an object is ignored, and what is done `[id]에 따라` relies
//! on it.

use std::sync::LazyLock;

use regex::Regex;

use super::Mention;

/// What follows the name of a note that is called wrong or passed over.
///
/// Between the topic and what is said of it nothing may stand that agrees.
static BEHIND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let nouns = r"^[\s`*_]*(?:(?:노트|기록|메모|내용|정보|항목|설명|지침|조언)\s*)?";
    let topic = r"(?:은|는|이|가|도|의\s*(?:내용|설명|정보|말)(?:은|는|이|가|도))\s";
    let wrong = concat!(
        r"(?:틀렸|틀리|틀린\s*(?:것|내용|정보|말|기록|노트|메모)|틀림|맞지\s*않|안\s*맞|옳지\s*않|",
        r"사실이\s*아니|사실과\s*다|정확하지\s*않|부정확|유효하지\s*않|적용되지\s*않|해당되지\s*않|",
        r"해당하지\s*않|성립하지\s*않|더\s*이상\s*\S*(?:맞|유효|사실|적용|필요|쓰이|해당|성립|통하)|",
        r"잘못되|잘못됐|잘못된\s*(?:것|내용|정보|말|기록|노트|메모)|",
        r"(?:오래된|낡은)\s*(?:것|내용|정보|말|기록|노트|메모)|오래되|오래됐|낡았|",
        r"무시했|무시하|무시해|무시되|무시됐|따르지\s*않|어긋)"
    );
    let object = concat!(
        r"(?:을|를)\s.{0,12}?(?:무시|따르지\s*않|믿지\s*않|배제|반박|",
        r"신뢰하지\s*않|사용하지\s*않|쓰지\s*않)"
    );
    let against = concat!(
        r"(?:와|과|와는|과는)\s*(?:달리|반대|다르게|어긋|상반)|에도\s*불구|",
        r"(?:을|를)\s*거슬러|에\s*반(?:해|하여)|대신\s"
    );
    Regex::new(&format!("{nouns}(?:{topic}(?P<between>.*?){wrong}|{object}|{against})")).ok()
});

/// What stands directly before the name of such a note.
static BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let wrong = r"(?:틀린|잘못된|오래된|낡은|부정확한|무시한|무시할|맞지\s*않는|유효하지\s*않은)";
    Regex::new(&format!(r"{wrong}\s*(?:노트|기록|메모|내용|정보|항목)?\s*[:：]?\s*$")).ok()
});

/// What agrees with a note.
const AGREEING: &[&str] = &["맞았", "맞고", "맞으", "옳", "정확했", "정확하고", "덕분", "도움"];

/// Whether a sentence does not rely on the note that it mentions there.
pub(super) fn is_rejected(sentence: &str, mention: &Mention<'_>) -> bool {
    let (before, behind) = (sentence.get(..mention.start), sentence.get(mention.end..));
    let is_before = BEFORE.as_ref().zip(before).is_some_and(|(wrong, text)| wrong.is_match(text));
    let found = BEHIND.as_ref().zip(behind).and_then(|(wrong, text)| wrong.captures(text));
    let is_behind = found.is_some_and(|found| {
        let between = found.name("between").map_or("", |between| between.as_str());
        !AGREEING.iter().any(|word| between.contains(word))
    });
    is_before || is_behind
}
