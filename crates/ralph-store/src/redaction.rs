//! Secrets stay out of the store: captured text is redacted on the way in.

use std::borrow::Cow;

use ralph_core::Run;
use ralph_core::evidence::Verdict;
use ralph_core::finding::ToolReport;
use ralph_core::state::{RunFailure, RunState, WaitReason};
use ralph_redact::redact;
use serde_json::Value;

use crate::event::NewEvent;
use crate::iteration::IterationRecord;
use crate::run_store::GatePass;

/// Returns the text without its secrets. Text without any is borrowed.
///
/// In JSON only the strings are changed, so that it stays JSON.
fn clean(text: &str) -> Cow<'_, str> {
    if !text.starts_with(['{', '[']) {
        return redact(text);
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value) => {
            let cleaned = clean_json(value.clone());
            if cleaned == value { Cow::Borrowed(text) } else { Cow::Owned(cleaned.to_string()) }
        }
        Err(_) => redact(text),
    }
}

fn clean_json(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(redact(&text).into_owned()),
        Value::Array(items) => Value::Array(items.into_iter().map(clean_json).collect()),
        Value::Object(fields) => Value::Object(
            fields.into_iter().map(|(name, value)| clean_field(name, value)).collect(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// Redacts one field. Its name may tell that its text is a secret, as in
/// `"password": "…"`.
fn clean_field(name: String, value: Value) -> (String, Value) {
    if let Value::String(text) = &value {
        let line = format!("{name}={text}");
        if let Cow::Owned(cleaned) = redact(&line)
            && let Some(cleaned) = cleaned.strip_prefix(&format!("{name}="))
        {
            return (name, Value::String(cleaned.to_owned()));
        }
    }
    (name, clean_json(value))
}

/// Returns a copy of `value` whose captured text has no secrets in it.
pub(crate) fn redacted<T: CapturedText>(value: &T) -> T {
    let mut copy = value.clone();
    for text in copy.captured() {
        if let Cow::Owned(cleaned) = clean(text) {
            *text = cleaned;
        }
    }
    copy
}

/// A value with text that came from agents, tools or hosts.
pub(crate) trait CapturedText: Clone {
    /// Returns all such text. Text that the user wrote is not captured.
    fn captured(&mut self) -> Vec<&mut String>;
}

impl CapturedText for Run {
    fn captured(&mut self) -> Vec<&mut String> {
        let mut texts = vec![&mut self.last_output];
        texts.extend(self.feedback.texts());
        match &mut self.state {
            RunState::Waiting(WaitReason::Human { question }) => texts.push(question),
            RunState::Failed(RunFailure::AgentError { what }) => texts.push(what),
            RunState::Running
            | RunState::Waiting(WaitReason::Limit { .. } | WaitReason::Child | WaitReason::Host)
            | RunState::Paused(_)
            | RunState::Success(_)
            | RunState::Failed(_)
            | RunState::Stopped => {}
        }
        texts
    }
}

impl CapturedText for IterationRecord {
    fn captured(&mut self) -> Vec<&mut String> {
        let mut texts = vec![&mut self.text];
        for gate in &mut self.gates {
            texts.push(&mut gate.tail);
            if let Verdict::Unknown { reason } | Verdict::Unclear { reason } = &mut gate.verdict {
                texts.push(reason);
            }
            texts.extend(gate.reading.captured());
        }
        texts
    }
}

impl CapturedText for ToolReport {
    fn captured(&mut self) -> Vec<&mut String> {
        let messages = self.findings.iter_mut().map(|finding| &mut finding.message);
        let failures = self.tests.iter_mut().flat_map(|tests| tests.failures.values_mut());
        messages.chain(failures.map(|failure| &mut failure.message)).collect()
    }
}

impl CapturedText for GatePass {
    fn captured(&mut self) -> Vec<&mut String> {
        self.reading.captured()
    }
}

impl CapturedText for NewEvent {
    fn captured(&mut self) -> Vec<&mut String> {
        vec![&mut self.data]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::prompt::PromptSections;

    use crate::sample;

    fn blackened<T: CapturedText>(value: &T) -> T {
        let mut copy = value.clone();
        copy.captured().into_iter().for_each(|text| *text = "█".to_owned());
        copy
    }

    #[test]
    fn secrets_are_gone_and_json_stays_json() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let cleaned = clean(&format!("token {token} used")).into_owned();
        assert!(!cleaned.contains(&token), "{cleaned}");

        let json =
            serde_json::json!({ "say": format!("it is {token}"), "password": "hunter2x", "n": 1 });
        let cleaned = clean(&json.to_string()).into_owned();
        let value: Value = serde_json::from_str(&cleaned).unwrap();
        assert!(!cleaned.contains(&token) && !cleaned.contains("hunter2x"), "{cleaned}");
        assert_eq!(value["n"], 1);
        assert!(matches!(clean("{\"a\":\"b\"}"), Cow::Borrowed(_)));
    }

    #[test]
    fn captured_text_of_a_run_is_redacted_and_the_task_is_not() {
        let run = Run {
            state: RunState::Waiting(WaitReason::Human { question: "which key?".to_owned() }),
            ..sample::run(1)
        };
        let black = || "█".to_owned();
        let want = Run {
            feedback: PromptSections {
                verdict: black(),
                findings: black(),
                answer: black(),
                refusals: black(),
                notes: black(),
                past: black(),
            },
            last_output: black(),
            state: RunState::Waiting(WaitReason::Human { question: black() }),
            ..run.clone()
        };
        assert_eq!(blackened(&run), want);
    }

    #[test]
    fn output_of_gates_messages_and_events_are_redacted() {
        let record = blackened(&sample::iteration(1, 1));
        assert_eq!(record.text, "█");
        assert!(record.gates.iter().all(|gate| gate.tail == "█"));
        assert_eq!(record.gates[0].command, sample::iteration(1, 1).gates[0].command);

        assert_eq!(blackened(&sample::event(1)).data, "█");
    }
}
