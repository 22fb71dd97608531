//! One sentence per near miss, for the feedback the agent reads.

use super::NearMissReason;
use crate::locale::Locale;

impl NearMissReason {
    /// Explains in one sentence why `promise` did not count as a claim, and how it would.
    pub fn explain(&self, promise: &str, locale: Locale) -> String {
        locale.say(self.explain_in_english(promise), self.explain_in_korean(promise))
    }

    fn explain_in_english(&self, promise: &str) -> String {
        match self {
            Self::MoreTextFollows => format!(
                "More text follows the completion promise `{promise}`; it counts only as the very end of the message."
            ),
            Self::InCode => format!(
                "The completion promise `{promise}` stands in code; it counts only as plain text."
            ),
            Self::Quoted => format!(
                "The completion promise `{promise}` stands in a quotation; it counts only as your own words."
            ),
            Self::Negated => format!(
                "The sentence with the completion promise `{promise}` says that something is not so; it counts only on a line of its own."
            ),
            Self::Conditional => format!(
                "The sentence with the completion promise `{promise}` speaks of a condition or of the future; it counts only on a line of its own."
            ),
            Self::BareWord => format!(
                "`{promise}` stands there without its tag; only `<promise>{promise}</promise>` counts."
            ),
            Self::WrongWord(word) => format!(
                "The promise tag holds `{word}`; only `<promise>{promise}</promise>` counts."
            ),
        }
    }

    fn explain_in_korean(&self, promise: &str) -> String {
        match self {
            Self::MoreTextFollows => format!(
                "완료 약속 `{promise}` 뒤에 다른 글이 이어집니다. 메시지의 맨 끝에 있을 때만 인정됩니다."
            ),
            Self::InCode => format!(
                "완료 약속 `{promise}`이(가) 코드 안에 있습니다. 일반 글로 쓸 때만 인정됩니다."
            ),
            Self::Quoted => format!(
                "완료 약속 `{promise}`이(가) 인용문 안에 있습니다. 직접 하는 말일 때만 인정됩니다."
            ),
            Self::Negated => format!(
                "완료 약속 `{promise}`이(가) 있는 문장이 부정문입니다. 한 줄에 따로 쓸 때만 인정됩니다."
            ),
            Self::Conditional => format!(
                "완료 약속 `{promise}`이(가) 있는 문장이 조건이나 앞으로의 일을 말합니다. 모두 끝난 뒤 한 줄에 따로 쓸 때만 인정됩니다."
            ),
            Self::BareWord => format!(
                "`{promise}`이(가) 태그 없이 쓰였습니다. `<promise>{promise}</promise>`만 인정됩니다."
            ),
            Self::WrongWord(word) => format!(
                "약속 태그에 `{word}`이(가) 들어 있습니다. `<promise>{promise}</promise>`만 인정됩니다."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_names_the_promise_in_both_languages() {
        let reasons = [
            NearMissReason::MoreTextFollows,
            NearMissReason::InCode,
            NearMissReason::Quoted,
            NearMissReason::Negated,
            NearMissReason::Conditional,
            NearMissReason::BareWord,
            NearMissReason::WrongWord("FINISHED".to_owned()),
        ];
        for reason in reasons {
            for locale in [Locale::En, Locale::Ko] {
                let text = reason.explain("ALL GREEN", locale);
                assert!(text.contains("ALL GREEN") && text.ends_with('.'), "{text}");
            }
        }
    }

    #[test]
    fn a_wrong_word_is_repeated_to_the_agent() {
        let text = NearMissReason::WrongWord("FINISHED".to_owned()).explain("DONE", Locale::En);
        assert_eq!(
            text,
            "The promise tag holds `FINISHED`; only `<promise>DONE</promise>` counts."
        );
    }
}
