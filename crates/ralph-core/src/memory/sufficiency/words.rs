//! Questions to a person, and words that say when something is done.

use super::Slot;
use crate::locale::Locale;

/// With so many words somebody has said what is wanted.
const DETAILED: usize = 25;

/// Words that say when something is done.
const CRITERIA: &str = "should must shall when so until unless instead expected returns accepts only \
                        done acceptance criterion criteria";

const KOREAN_CRITERIA: &str = "해야 하도록 되도록 하면 되면 때는 완료 조건 대신 반환 까지 기준";

pub(super) fn has_criterion(task: &str) -> bool {
    let text = task.to_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.len() >= DETAILED
        || CRITERIA.split_whitespace().any(|known| words.contains(&known))
        || KOREAN_CRITERIA.split(' ').any(|known| text.contains(known))
}

pub(super) fn question(slot: Slot, undefined: &[String], locale: Locale) -> String {
    let names = || undefined.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match (slot, locale) {
        (Slot::Files, Locale::En) => "Which files or parts of the code is this about?".to_owned(),
        (Slot::Files, Locale::Ko) => "어느 파일이나 어느 부분의 코드에 관한 것인가요?".to_owned(),
        (Slot::Symbols, Locale::En) => {
            format!("{} is not in the code. What is meant?", names())
        }
        (Slot::Symbols, Locale::Ko) => {
            format!("{} 을(를) 코드에서 찾을 수 없습니다. 무엇을 뜻하나요?", names())
        }
        (Slot::Check, Locale::En) => "Which command shows that it works?".to_owned(),
        (Slot::Check, Locale::Ko) => "어떤 명령으로 확인할 수 있나요?".to_owned(),
        (Slot::Criterion, Locale::En) => "What must be so when it is done?".to_owned(),
        (Slot::Criterion, Locale::Ko) => "무엇이 되면 완료된 것인가요?".to_owned(),
        (Slot::Gotchas, Locale::En) => {
            "What has gone wrong there before that should be known?".to_owned()
        }
        (Slot::Gotchas, Locale::Ko) => "이 부분에서 알아 두어야 할 문제가 있었나요?".to_owned(),
    }
}
