//! What is said when the ground of the evidence was touched.

use crate::locale::Locale;

/// The start could not be compared with the present.
pub fn not_compared(why: &str, locale: Locale) -> String {
    match locale {
        Locale::En => format!("the checks could not be compared with the start: {why}"),
        Locale::Ko => format!("검사를 시작 시점과 비교할 수 없습니다: {why}"),
    }
}
