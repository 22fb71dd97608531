//! Parses the client's output during a turn, line by line.

use std::collections::VecDeque;

use ralph_core::SessionId;
use ralph_core::time::Timestamp;
use ralph_core::usage::Usage;
use serde_json::Value;

use super::pieces;
use super::result::{self, ResultLine};
use crate::json_lines::JsonLineReader;
use crate::listen::{OutputPiece, OutputPieceKind};
use crate::session::ContextWindow;
use crate::usage::grown;

/// Types of lines that are parsed fully.
const OF_INTEREST: [&str; 4] = ["assistant", "result", "system", "rate_limit_event"];

/// The notification that the client ignores hooks from now on.
pub(super) const CAP: &str = "stop-hook-block-cap";

/// Maximum number of messages whose usage may still be corrected: parallel
/// agents alternate.
const OPEN_MESSAGES: usize = 64;

/// Maximum length of the final text; its end is kept.
const TEXT_BYTES: usize = 1024 * 1024;

/// The state of a turn.
#[derive(Clone, Debug, Default)]
pub(super) struct ClaudeTurnState {
    lines: JsonLineReader,
    /// The session's name in the client.
    pub(super) session: Option<SessionId>,
    /// The last result that the client reported.
    pub(super) result: Option<ResultLine>,
    /// The last text of the main agent.
    pub(super) last_text: String,
    /// True if any agent said or did anything.
    pub(super) is_alive: bool,
    /// True if the client stopped calling hooks.
    pub(super) is_capped: bool,
    /// Time at which the provider accepts work again, if it has refused it.
    pub(super) refused_until: Option<Timestamp>,
    /// The last failed attempt to reach the provider that will be retried.
    pub(super) retry: Option<ClaudeRetry>,
    /// The kind of error that the last message reports.
    pub(super) error: Option<String>,
    /// Number of background tasks.
    background: usize,
    /// Usage since the last result, as messages report it.
    since_result: Usage,
    open: VecDeque<(String, Usage)>,
    /// Tokens of the conversation, and the model that reads them.
    context: Option<(u64, String)>,
}

/// A failed attempt to reach the provider that will be retried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ClaudeRetry {
    pub(super) attempt: u64,
    /// `None` without an HTTP answer.
    pub(super) status: Option<u16>,
    pub(super) error: String,
}

impl ClaudeTurnState {
    /// Takes the next bytes; returns the pieces to show.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<OutputPiece> {
        let lines = self.lines.push(bytes, &OF_INTEREST);
        lines.iter().flat_map(|line| self.take(line)).collect()
    }

    /// Takes a last line without a newline.
    pub(super) fn finish(&mut self) {
        if let Some(line) = self.lines.finish(&OF_INTEREST) {
            self.take(&line);
        }
    }

    /// Returns the number of unreadable lines.
    pub(super) fn skipped(&self) -> u64 {
        self.lines.skipped()
    }

    /// Returns true if there is a result, and nothing is running that could
    /// lead to another.
    pub(super) fn is_over(&self) -> bool {
        self.result.is_some() && self.background == 0 && self.since_result == Usage::default()
    }

    /// Returns true if the conversation became too long for the model.
    pub(super) fn has_overflowed(&self) -> bool {
        let terminal = self.result.as_ref().map_or("", |result| result.terminal.as_str());
        matches!(terminal, "prompt_too_long" | "rapid_refill_breaker")
    }

    /// Returns the total usage of the session, given that before the turn.
    pub(super) fn total(&self, before: Usage) -> Usage {
        let told = match &self.result {
            Some(ResultLine { total: Some(total), .. }) => *total,
            Some(result) => before + result.turn,
            None => before,
        };
        told + self.since_result
    }

    /// Returns the size of the conversation and of its window.
    pub(super) fn context(&self) -> Option<ContextWindow> {
        let (tokens, model) = self.context.as_ref()?;
        let window = self.result.as_ref()?.window(model)?;
        Some(ContextWindow { tokens: *tokens, window })
    }

    fn take(&mut self, line: &Value) -> Vec<OutputPiece> {
        match line["type"].as_str() {
            Some("assistant") => self.message(line),
            Some("result") => {
                self.name_session(line);
                self.result = Some(ResultLine::read(line));
                self.since_result = Usage::default();
                self.open.clear();
                Vec::new()
            }
            Some("system") => self.system(line).into_iter().collect(),
            Some("rate_limit_event") => self.limit(&line["rate_limit_info"]).into_iter().collect(),
            Some(_) | None => Vec::new(),
        }
    }

    fn name_session(&mut self, line: &Value) {
        let named = line["session_id"].as_str().and_then(SessionId::new);
        self.session = named.or(self.session.take());
    }

    fn message(&mut self, line: &Value) -> Vec<OutputPiece> {
        let message = &line["message"];
        let child = line["parent_tool_use_id"].is_string().then(|| {
            let named = |name: &str| line[name].as_str();
            named("task_description").or_else(|| named("subagent_type")).unwrap_or("agent")
        });
        self.error = line["error"].as_str().map(str::to_owned);
        // The client reports errors of the provider as messages of a synthetic
        // model; they are not the agent's words.
        let mut pieces = pieces::of_message(message, child);
        if self.error.is_some() || message["model"] == "<synthetic>" {
            for piece in &mut pieces {
                piece.kind = OutputPieceKind::Note;
            }
            return pieces;
        }
        self.is_alive = true;
        self.note_usage(message);
        if child.is_none() {
            self.note_text(message);
            self.note_context(message);
        }
        pieces
    }

    fn note_text(&mut self, message: &Value) {
        let blocks = message["content"].as_array().into_iter().flatten();
        let texts = blocks.filter(|block| block["type"] == "text");
        for text in texts.filter_map(|block| block["text"].as_str()) {
            if !text.trim().is_empty() {
                let start = text.ceil_char_boundary(text.len().saturating_sub(TEXT_BYTES));
                text[start..].clone_into(&mut self.last_text);
            }
        }
    }

    /// Adds a message's usage. The parts of one message arrive one by one, each
    /// with the usage of the whole message so far.
    fn note_usage(&mut self, message: &Value) {
        let used = result::usage(&message["usage"]);
        let id = message["id"].as_str().unwrap_or_default();
        let known = self.open.iter_mut().find(|(open, _)| open == id);
        let before = known.map(|(_, before)| std::mem::replace(before, used));
        if before.is_none() {
            self.open.push_back((id.to_owned(), used));
            if self.open.len() > OPEN_MESSAGES {
                self.open.pop_front();
            }
        }
        self.since_result = self.since_result + grown(before.unwrap_or_default(), used);
    }

    fn note_context(&mut self, message: &Value) {
        let tokens = |name: &str| message["usage"][name].as_u64().unwrap_or_default();
        let parts = [
            "input_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
            "output_tokens",
        ];
        let sum = parts.into_iter().map(tokens).fold(0, u64::saturating_add);
        if sum > 0 {
            let model = message["model"].as_str().unwrap_or_default().to_owned();
            self.context = Some((sum, model));
        }
    }

    fn system(&mut self, line: &Value) -> Option<OutputPiece> {
        let text = |name: &str| line[name].as_str().unwrap_or_default();
        match text("subtype") {
            "init" => self.name_session(line),
            "notification" => self.is_capped |= text("key") == CAP,
            "background_tasks_changed" => {
                self.background = line["tasks"].as_array().map_or(0, Vec::len);
            }
            "compact_boundary" => {
                let left = line["compact_metadata"]["post_tokens"].as_u64();
                if let (Some(left), Some((tokens, _))) = (left, &mut self.context) {
                    *tokens = left;
                }
            }
            "api_retry" => {
                self.retry = Some(ClaudeRetry {
                    attempt: line["attempt"].as_u64().unwrap_or_default(),
                    status: line["error_status"].as_u64().and_then(|status| status.try_into().ok()),
                    error: text("error").to_owned(),
                });
            }
            _ => {}
        }
        pieces::of_system(line)
    }

    /// Handles the state of the user's subscription.
    fn limit(&mut self, info: &Value) -> Option<OutputPiece> {
        let resets =
            info["resetsAt"].as_i64().map(|at| Timestamp::from_millis(at.saturating_mul(1000)));
        let kind = info["rateLimitType"].as_str().unwrap_or("usage").replace('_', "-");
        match info["status"].as_str()? {
            "rejected" if info["isUsingOverage"] != true => {
                self.refused_until = resets;
                Some(OutputPiece::new(
                    OutputPieceKind::Note,
                    format!("the {kind} limit is reached"),
                ))
            }
            "allowed_warning" => {
                Some(OutputPiece::new(OutputPieceKind::Note, format!("the {kind} limit is near")))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "stream_tests.rs"]
mod tests;
