//! The answer of a judge: one small JSON object, and nothing else.

use std::fmt::Write;

use serde::Deserialize;

/// The maximum length of a reason that is kept, in characters.
const REASON_CHARS: usize = 2_000;

/// The maximum number of suggestions that are kept.
const SUGGESTIONS: usize = 10;

/// The maximum length of a suggestion that is kept, in characters.
const SUGGESTION_CHARS: usize = 500;

/// The answer of a judge.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JudgeAnswer {
    /// True if the criterion is fulfilled.
    pub(super) success: bool,
    reason: String,
    #[serde(default)]
    suggestions: Vec<String>,
}

/// The reason why a text is no usable answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum JudgeAnswerError {
    #[error("it is empty")]
    Empty,
    #[error("it is not one JSON object and nothing else")]
    NotAlone,
    #[error("it is not the object asked for: {0}")]
    Form(serde_json::Error),
    #[error("it gives no reason")]
    NoReason,
}

/// Reads an answer. White space around it, or one code fence, is forgiven.
pub(super) fn parse(text: &str) -> Result<JudgeAnswer, JudgeAnswerError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(JudgeAnswerError::Empty);
    }
    let object = if text.starts_with("```") { unfenced(text) } else { Some(text) };
    // A list with the same values would be read as well.
    let object =
        object.filter(|object| object.starts_with('{')).ok_or(JudgeAnswerError::NotAlone)?;
    let answer: JudgeAnswer = serde_json::from_str(object).map_err(JudgeAnswerError::Form)?;
    if answer.reason.trim().is_empty() {
        return Err(JudgeAnswerError::NoReason);
    }
    Ok(answer)
}

fn unfenced(text: &str) -> Option<&str> {
    let (fence, inner) = text.split_once('\n')?;
    let known = matches!(fence.trim_end(), "```" | "```json");
    known.then_some(inner)?.strip_suffix("```").map(str::trim)
}

impl JudgeAnswer {
    /// The reason, and the suggestions one a line.
    pub(super) fn render(&self) -> String {
        let mut out = cut(self.reason.trim(), REASON_CHARS);
        for suggestion in self.suggestions.iter().take(SUGGESTIONS) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\n- {}", cut(suggestion.trim(), SUGGESTION_CHARS));
        }
        out
    }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_alone_is_an_answer() {
        let plain = r#"{"success": false, "reason": "no test", "suggestions": ["add one"]}"#;
        let answer = parse(plain).unwrap();
        assert!(!answer.success);
        assert_eq!(answer.render(), "no test\n- add one");
        for text in [
            format!("\n  {plain}\n\n"),
            format!("```json\n{plain}\n```"),
            format!("```\n{plain}\n```\n"),
        ] {
            assert_eq!(parse(&text).unwrap(), answer, "{text}");
        }
        assert!(parse(r#"{"success":true,"reason":"it says ``` itself"}"#).unwrap().success);
    }

    #[test]
    fn anything_else_is_unusable() {
        let yes = r#"{"success": true, "reason": "fine"}"#;
        for text in [
            "",
            "   ",
            "yes",
            "true",
            r#"[true, "fine"]"#,
            &format!("Here it is: {yes}"),
            &format!("{yes} I hope this helps."),
            &format!("{yes}{yes}"),
            &format!("```json\n{yes}\n```\n```json\n{yes}\n```"),
            &format!("```rust\n{yes}\n```"),
            &format!("```json\n{yes}"),
            r#"{"success": "true", "reason": "fine"}"#,
            r#"{"success": 1, "reason": "fine"}"#,
            r#"{"success": true}"#,
            r#"{"reason": "fine"}"#,
            r#"{"success": true, "reason": " "}"#,
            r#"{"success": true, "reason": null}"#,
            r#"{"success": true, "reason": "fine", "sure": 1}"#,
            r#"{"success": false, "success": true, "reason": "fine"}"#,
            r#"{"success": true, "reason": "fine", "suggestions": "none"}"#,
            r#"{"success": true, "reason": "fine", "suggestions": [1]}"#,
            r#"{"result": {"success": true, "reason": "fine"}}"#,
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn long_answers_are_cut() {
        let answer = JudgeAnswer {
            success: false,
            reason: "ä".repeat(5_000),
            suggestions: vec!["b".repeat(5_000); 50],
        };
        let text = answer.render();
        assert_eq!(text.lines().count(), 11);
        assert!(text.chars().count() < 2_010 + 10 * 510, "{}", text.len());
    }
}
