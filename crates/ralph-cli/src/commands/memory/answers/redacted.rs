use ralph_core::locale::Locale;
use serde_json::{Value, json};

use super::NoteRenderer;
use crate::out;

impl NoteRenderer {
    /// Prints a remark if secrets were removed from the input.
    pub(in crate::commands::memory) fn redacted(&self, secrets: usize) {
        let said = match (self.locale, secrets) {
            (_, 0) => return,
            (Locale::En, 1) => "note: a secret was taken out of the text".to_owned(),
            (Locale::En, _) => format!("note: {secrets} secrets were taken out of the text"),
            (Locale::Ko, _) => format!("참고: 글에서 비밀 정보 {secrets}개를 지웠습니다"),
        };
        out::note(said);
    }
}

/// Adds the number of removed secrets to an answer.
pub(in crate::commands) fn counted(mut answer: Value, secrets: usize) -> Value {
    answer["redacted"] = json!(secrets);
    answer
}
