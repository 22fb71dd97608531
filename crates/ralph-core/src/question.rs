//! Detects a question to a human at the end of the agent's final text.
//!
//! Nobody can answer while a loop runs, so a question in prose is answered with
//! "choose and state your assumption". Only a question at the end counts;
//! courtesies such as "Any questions?" do not.

use crate::claim::markdown::{self, closes_quote};
use crate::claim::plain::plain;
use crate::claim::sentence::{is_stop, start_of_last};

/// Maximum length of a returned question, in characters.
const MAX_CHARS: usize = 500;

/// English requests at the start of a clause that need no question mark.
const REQUESTS: &[&str] = &[
    "please let me know",
    "let me know",
    "please confirm",
    "please choose",
    "please select",
    "please pick",
    "please decide",
    "please advise",
    "please clarify",
    "please specify",
    "please provide",
    "please tell me",
    "please answer",
    "please approve",
    "tell me which",
    "tell me what",
    "tell me whether",
    "tell me how",
    "which option do you",
    "which one do you",
    "which do you",
    "what would you like",
    "how would you like",
    "how should i",
    "should i",
    "do you want me",
    "i need your",
    "i am waiting for your",
    "i'm waiting for your",
    "waiting for your",
    "awaiting your",
];

/// Endings of Korean questions and requests, without spaces.
const KOREAN_ENDINGS: &[&str] = &[
    "까요",
    "습니까",
    "입니까",
    "나요",
    "인가요",
    "한가요",
    "신가요",
    "은가요",
    "는가요",
    "알려주세요",
    "알려주십시오",
    "알려주시기바랍니다",
    "선택해주세요",
    "선택해주십시오",
    "확인해주세요",
    "확인부탁드립니다",
    "말씀해주세요",
    "골라주세요",
    "결정해주세요",
    "답변해주세요",
    "답해주세요",
];

/// Offers that need no answer.
const COURTESIES: &[&str] = &[
    "anything else",
    "any questions",
    "any other questions",
    "any further questions",
    "any issues",
    "더 필요한",
    "더 도와",
    "다른 도움",
    "추가로 필요한",
    "궁금한 점",
];

/// Words of a question to the reader, as opposed to one that the text answers.
const ADDRESSED: &[&str] = &["you", "your", "should i", "shall i", "may i", "can i", "do i"];

/// First words that make a sentence a question even if it ends in a web address.
const INTERROGATIVES: &[&str] = &[
    "should", "shall", "can", "could", "would", "may", "do", "does", "did", "is", "are", "have",
    "has", "which", "what", "who", "where", "when", "why", "how",
];

/// Returns the question to a human at the end of `text`, at most 500 characters of it.
///
/// Options listed below a question belong to it. Returns `None` if the text ends
/// with anything else, in code, or in a quotation.
pub fn asks(text: &str) -> Option<String> {
    let text = plain(text);
    let text = text.trim();
    let ending = FinalSentence::of(text)?;
    if ending.is_question() || ending.is_request() {
        return Some(shorten(&text[ending.start_with_questions_before()..]));
    }
    let stem = FinalSentence::of(without_options(text)?)?;
    let asked = (stem.is_question() && stem.is_addressed()) || stem.is_request();
    asked.then(|| shorten(&text[stem.start_with_questions_before()..]))
}

/// The last sentence of a text that ends in prose.
struct FinalSentence<'a> {
    text: &'a str,
    /// Byte at which the sentence begins.
    start: usize,
    /// Byte at which its last word ends and its closing marks begin.
    marks: usize,
}

impl<'a> FinalSentence<'a> {
    /// Returns `None` if the last line is code or a quotation.
    fn of(text: &'a str) -> Option<Self> {
        let line_start = markdown::line_start(text, text.len());
        let line = &text[line_start..];
        if markdown::is_quote_line(line)
            || markdown::opens_fence(line)
            || markdown::ends_in_fence(&text[..line_start])
        {
            return None;
        }
        let marks = text.trim_end_matches(is_closing_mark).len();
        let start = start_of_last(&text[..marks]).max(line_start);
        // Marks alone are no question.
        (start < marks).then_some(Self { text, start, marks })
    }

    fn sentence(&self) -> String {
        self.text[self.start..self.marks].to_lowercase().replace('’', "'")
    }

    fn marks(&self) -> &'a str {
        &self.text[self.marks..]
    }

    fn is_question(&self) -> bool {
        let Some((_, after)) = self.marks().rsplit_once(['?', '？']) else { return false };
        let quoted = after.contains(|c| closes_quote(c) || c == '`');
        let sentence = self.sentence();
        !quoted && !is_courtesy(&sentence) && !ends_in_address(&sentence)
    }

    fn is_request(&self) -> bool {
        let sentence = self.sentence();
        let quoted = self.marks().contains(|c| closes_quote(c) || c == '`');
        let compact: String = sentence.chars().filter(|c| !c.is_whitespace()).collect();
        let asks_in_korean = KOREAN_ENDINGS.iter().any(|ending| compact.ends_with(ending));
        let asks_in_english = REQUESTS.iter().any(|request| begins_clause(&sentence, request));
        !quoted && !is_courtesy(&sentence) && (asks_in_korean || asks_in_english)
    }

    fn is_addressed(&self) -> bool {
        let spaced: String = self
            .sentence()
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { ' ' })
            .chain([' '])
            .collect();
        ADDRESSED.iter().any(|word| format!(" {spaced}").contains(&format!(" {word} ")))
            || KOREAN_ENDINGS.iter().any(|ending| spaced.trim_end().ends_with(ending))
    }

    /// Returns the start of the questions on this line: "A? Or B?" is one question.
    fn start_with_questions_before(&self) -> usize {
        let line_start = markdown::line_start(self.text, self.start);
        let mut start = self.start;
        loop {
            let before = self.text[line_start..start].trim_end();
            let core = before.trim_end_matches(is_closing_mark);
            let is_question = before[core.len()..].contains(['?', '？']);
            let close = self.text.len() - start < 4 * MAX_CHARS;
            if !is_question || core.is_empty() || !close {
                return start;
            }
            start = line_start + start_of_last(core);
        }
    }
}

fn is_closing_mark(c: char) -> bool {
    is_stop(c) || closes_quote(c) || matches!(c, '*' | '_' | '`' | ')' | ']' | ':' | '：' | ' ')
}

fn is_courtesy(sentence: &str) -> bool {
    COURTESIES.iter().any(|courtesy| sentence.contains(courtesy))
}

/// Returns true if the `?` may belong to a web address. A sentence that begins like
/// a question is one anyway.
fn ends_in_address(sentence: &str) -> bool {
    let mut words = sentence.split_whitespace();
    let interrogative = words.next().is_some_and(|first| INTERROGATIVES.contains(&first));
    !interrogative && sentence.split_whitespace().next_back().is_some_and(|w| w.contains("://"))
}

fn begins_clause(sentence: &str, request: &str) -> bool {
    sentence.match_indices(request).any(|(at, _)| {
        let before = sentence[..at].trim_end();
        !before.contains(char::is_alphanumeric)
            || before.ends_with([',', ';', ':', '—', '–'])
            || [" so", " and", " but", " then"].iter().any(|link| before.ends_with(link))
    })
}

/// Returns the text above the list at its end; `None` if there is no such list.
fn without_options(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        let line_start = markdown::line_start(rest, rest.len());
        let line = &rest[line_start..];
        if !markdown::is_list_item(line) && !line.starts_with("  ") {
            break;
        }
        rest = rest[..line_start].trim_end();
    }
    (rest.len() < text.len()).then_some(rest)
}

fn shorten(text: &str) -> String {
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_'));
    match text.char_indices().nth(MAX_CHARS) {
        Some(_) => text.chars().take(MAX_CHARS - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
