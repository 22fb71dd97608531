//! One turn of the model.

use serde_json::{Value, json};

use crate::TurnHold;
use crate::model_server::TokenCounts;
use crate::running::HoldWaiter;

/// One scripted answer of the model.
#[derive(Clone, Debug)]
pub struct ModelTurn {
    pub(super) answer: ModelAnswer,
    pub(super) turnstile: Option<HoldWaiter>,
}

#[derive(Clone, Debug)]
pub(super) enum ModelAnswer {
    /// A message of these blocks, and what it costs.
    Message { blocks: Vec<Value>, tokens: TokenCounts },
    /// No message but this status, with these headers, and this text instead of
    /// the usual one.
    Failure { status: u16, headers: Vec<(String, String)>, words: Option<String> },
}

impl ModelTurn {
    /// Scripts a text, after which the model stops.
    pub fn says(text: &str) -> Self {
        Self::of(json!({ "type": "text", "text": text }))
    }

    /// Scripts a use of a tool.
    pub fn uses(tool: &str, input: &Value) -> Self {
        Self::of(json!({ "type": "tool_use", "name": tool, "input": input }))
    }

    /// Scripts the execution of a command.
    pub fn runs(command: &str) -> Self {
        Self::uses("Bash", &json!({ "command": command, "description": "as scripted" }))
    }

    /// Scripts a failure with this status.
    pub fn fails(status: u16) -> Self {
        let answer = ModelAnswer::Failure { status, headers: Vec::new(), words: None };
        Self { answer, turnstile: None }
    }

    /// Scripts a failure with this status and message.
    pub fn refuses(status: u16, words: &str) -> Self {
        let words = Some(words.to_owned());
        Self {
            answer: ModelAnswer::Failure { status, headers: Vec::new(), words },
            turnstile: None,
        }
    }

    /// Adds one more block: text or a use of a tool.
    #[must_use]
    pub fn and(mut self, more: Self) -> Self {
        match (&mut self.answer, more.answer) {
            (ModelAnswer::Message { blocks, .. }, ModelAnswer::Message { blocks: more, .. }) => {
                blocks.extend(more);
            }
            (ModelAnswer::Message { .. } | ModelAnswer::Failure { .. }, _) => {
                panic!("a failure has no blocks")
            }
        }
        self
    }

    /// Sets the number of tokens sent and received.
    #[must_use]
    pub fn costs(mut self, sent: u64, received: u64) -> Self {
        match &mut self.answer {
            ModelAnswer::Message { tokens, .. } => *tokens = TokenCounts { sent, received },
            ModelAnswer::Failure { .. } => panic!("a failure costs nothing"),
        }
        self
    }

    /// Adds a header to a failure.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        match &mut self.answer {
            ModelAnswer::Failure { headers, .. } => {
                headers.push((name.to_owned(), value.to_owned()));
            }
            ModelAnswer::Message { .. } => panic!("only a failure has lines of its own"),
        }
        self
    }

    /// Delays the turn until the hold is released.
    #[must_use]
    pub fn held(mut self, hold: &TurnHold) -> Self {
        self.turnstile = Some(hold.turnstile());
        self
    }

    fn of(block: Value) -> Self {
        let answer = ModelAnswer::Message { blocks: vec![block], tokens: crate::TOKENS };
        Self { answer, turnstile: None }
    }
}
