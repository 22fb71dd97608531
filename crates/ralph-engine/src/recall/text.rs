//! What is said about gaps in what is known.

use ralph_core::locale::Locale;
use ralph_core::memory::sufficiency::{Slot, Sufficiency};

/// What an agent is told that is not known yet; `None` if all is.
pub(super) fn open_questions(found: &Sufficiency, locale: Locale) -> Option<String> {
    match found {
        Sufficiency::Ready => None,
        Sufficiency::ExpandSearch { missing } => {
            let head = match locale {
                Locale::En => "Not known yet, look for it first",
                Locale::Ko => "아직 모르는 것이니 먼저 찾아보세요",
            };
            let names: Vec<&str> = missing.iter().map(|slot| name(*slot, locale)).collect();
            Some(format!("{head}: {}.", names.join("; ")))
        }
        Sufficiency::RequestHuman { questions, .. } => {
            let head = match locale {
                Locale::En => "Open questions; find the answers, or ask the user",
                Locale::Ko => "남은 질문입니다. 답을 찾거나 사용자에게 물어보세요",
            };
            Some(format!("{head}: {}", questions.join(" ")))
        }
    }
}

fn name(slot: Slot, locale: Locale) -> &'static str {
    match (slot, locale) {
        (Slot::Files, Locale::En) => "the files it is about",
        (Slot::Files, Locale::Ko) => "관련 파일",
        (Slot::Symbols, Locale::En) => "where the names in the task are defined",
        (Slot::Symbols, Locale::Ko) => "작업에 나온 이름이 정의된 곳",
        (Slot::Check, Locale::En) => "a command that checks the work",
        (Slot::Check, Locale::Ko) => "결과를 확인하는 명령",
        (Slot::Criterion, Locale::En) => "when it is done",
        (Slot::Criterion, Locale::Ko) => "완료 조건",
        (Slot::Gotchas, Locale::En) => "what goes wrong there",
        (Slot::Gotchas, Locale::Ko) => "그곳의 주의할 점",
    }
}
