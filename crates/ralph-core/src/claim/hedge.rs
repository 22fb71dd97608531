//! Words that turn a statement into a plan, a condition or its opposite.

/// The way in which a sentence weakens its statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HedgeKind {
    /// It denies something.
    Negated,
    /// It states a condition or a plan.
    Conditional,
}

const NEGATIONS: &[&str] = &["not", "never", "cannot"];

const CONDITIONS: &[&str] = &[
    "will", "would", "should", "shall", "must", "could", "might", "when", "whenever", "once",
    "until", "till", "if", "unless", "before",
];

const CONDITION_PHRASES: &[&str] = &["going to", "about to", "as soon as"];

/// Verbs that order the promise to be said.
const ORDERS: &[&str] =
    &["output", "emit", "print", "say", "write", "reply", "respond", "return", "send", "type"];

/// Words that may precede an order without changing it.
const BEFORE_ORDERS: &[&str] = &["please", "then", "just", "only", "finally", "and"];

/// A part of a Korean word that hedges, unless it belongs to one of the longer words.
struct KoreanHedge {
    text: &'static str,
    hedge: HedgeKind,
    unless: &'static [&'static str],
}

const fn negates(text: &'static str, unless: &'static [&'static str]) -> KoreanHedge {
    KoreanHedge { text, hedge: HedgeKind::Negated, unless }
}

const fn conditions(text: &'static str, unless: &'static [&'static str]) -> KoreanHedge {
    KoreanHedge { text, hedge: HedgeKind::Conditional, unless }
}

/// `없` alone is left out: a finished agent says "남은 오류가 없습니다" (no errors
/// left). Only "수 없" denies.
const KOREAN: &[KoreanHedge] = &[
    negates("아직", &[]),
    negates("않", &[]),
    negates("못", &["잘못"]),
    negates("수 없", &[]),
    negates("수가 없", &[]),
    negates("수는 없", &[]),
    negates("미완", &[]),
    negates("안되", &[]),
    negates("안됩", &[]),
    negates("안됐", &[]),
    negates("안했", &[]),
    conditions("하면", &["하면서"]),
    conditions("되면", &["되면서"]),
    conditions("나면", &["나면서"]),
    conditions("으면", &["으면서"]),
    conditions("다면", &[]),
    conditions("라면", &[]),
    conditions("때", &["때문"]),
    conditions("전까지", &[]),
    conditions("전에", &["이전에"]),
    conditions("후에", &["오후에"]),
    conditions("겠", &["알겠"]),
    conditions("예정", &[]),
    conditions("만약", &[]),
    conditions("만일", &[]),
    conditions("할 것", &[]),
    conditions("될 것", &[]),
    conditions("할게", &[]),
    conditions("드릴게", &[]),
];

/// Finds the first hedge in `sentence`, negations before conditions.
///
/// Inline code is ignored: "fixed the `if` branch" is a fact.
pub(super) fn find(sentence: &str) -> Option<HedgeKind> {
    let spoken = without_code(&sentence.to_lowercase().replace('’', "'"));
    [HedgeKind::Negated, HedgeKind::Conditional]
        .into_iter()
        .find(|&hedge| says_in_english(&spoken, hedge) || says_in_korean(&spoken, hedge))
}

fn without_code(sentence: &str) -> String {
    let parts: Vec<&str> = sentence.split('`').collect();
    // An even number of parts means a lone backtick, which opens nothing.
    if parts.len().is_multiple_of(2) {
        sentence.to_owned()
    } else {
        parts.into_iter().step_by(2).collect()
    }
}

fn words(sentence: &str) -> impl Iterator<Item = &str> {
    sentence
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | ';' | '—' | '–'))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
}

fn says_in_english(sentence: &str, hedge: HedgeKind) -> bool {
    match hedge {
        HedgeKind::Negated => {
            words(sentence).any(|word| NEGATIONS.contains(&word) || word.ends_with("n't"))
        }
        HedgeKind::Conditional => {
            let condition = |word: &str| {
                CONDITIONS.contains(&word) || word.ends_with("'ll") || word.ends_with("'d")
            };
            words(sentence).any(condition)
                || CONDITION_PHRASES.iter().any(|phrase| sentence.contains(phrase))
                || is_order(sentence)
        }
    }
}

/// Returns true if the sentence is an instruction to say what follows, as in
/// "Output:" or "then reply with exactly:".
fn is_order(sentence: &str) -> bool {
    let mut rest = words(sentence).skip_while(|word| BEFORE_ORDERS.contains(word));
    let orders = rest.next().is_some_and(|word| ORDERS.contains(&word));
    orders && (rest.next().is_none() || sentence.trim_end().ends_with([':', '：']))
}

fn says_in_korean(sentence: &str, hedge: HedgeKind) -> bool {
    (hedge == HedgeKind::Negated && words(sentence).any(|word| word == "안"))
        || KOREAN.iter().any(|piece| piece.hedge == hedge && piece.is_in(sentence))
}

impl KoreanHedge {
    fn is_in(&self, sentence: &str) -> bool {
        sentence.match_indices(self.text).any(|(at, _)| {
            !self.unless.iter().any(|longer| {
                let offset = longer.find(self.text).unwrap_or_default();
                at.checked_sub(offset)
                    .and_then(|start| sentence.get(start..))
                    .is_some_and(|rest| rest.starts_with(longer))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sentence: &str, want: Option<HedgeKind>) {
        assert_eq!(find(sentence), want, "{sentence:?}");
    }

    #[test]
    fn negation_outranks_condition() {
        for sentence in ["I will not say", "It isn’t", "I CANNOT say", "아직 남아서 출력하겠"]
        {
            check(sentence, Some(HedgeKind::Negated));
        }
    }

    #[test]
    fn plans_conditions_and_orders_are_conditional() {
        for sentence in
            ["I'll say", "I'd say", "as soon as it works", "Output:", "then reply with exactly:"]
        {
            check(sentence, Some(HedgeKind::Conditional));
        }
        for sentence in ["완료되면", "끝났을 때", "출력하겠습니다", "완료 후에", "출력할 예정"]
        {
            check(sentence, Some(HedgeKind::Conditional));
        }
    }

    #[test]
    fn words_that_only_look_like_hedges_are_facts() {
        for sentence in [
            "nothing is left",
            "no errors remain",
            "fixed the `if` and `not` branches",
            "an if-else and before.rs",
            "Output is right now",
            "Return types fixed",
            "",
        ] {
            check(sentence, None);
        }
        for sentence in [
            "남은 오류가 없습니다",
            "수정하면서 테스트도 추가했습니다",
            "이것 때문에 고쳤습니다",
            "잘못된 설정을 고쳤습니다",
            "이전에 실패하던 것도 통과합니다",
            "화면을 고쳤습니다",
        ] {
            check(sentence, None);
        }
    }
}
