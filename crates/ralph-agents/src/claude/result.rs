//! The line with the result of a turn.

use ralph_core::usage::{Usage, Usd};
use serde_json::Value;

use super::denial;
use crate::listen::RefusedAction;

/// The result of a turn as the client reports it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ResultLine {
    pub(super) is_error: bool,
    /// The reason for the end, in one word; empty if the client gives none.
    pub(super) terminal: String,
    /// The final text, or the text of the provider's error.
    pub(super) text: String,
    pub(super) errors: Vec<String>,
    /// HTTP status of the provider's answer, if it was an error.
    pub(super) status: Option<u16>,
    /// Usage of the session since its start; `None` if unknown, as after a
    /// crash.
    pub(super) total: Option<Usage>,
    /// Usage of the main agent in this turn, for clients that report no total.
    pub(super) turn: Usage,
    /// The models with the size of their context windows, in tokens.
    pub(super) windows: Vec<(String, u64)>,
    pub(super) refusals: Vec<RefusedAction>,
}

impl ResultLine {
    /// Reads the line; missing fields and other types are left out.
    pub(super) fn read(line: &Value) -> Self {
        let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        let errors = line["errors"].as_array().into_iter().flatten();
        Self {
            is_error: line["is_error"].as_bool().unwrap_or(false),
            terminal: text("terminal_reason"),
            text: text("result"),
            errors: errors.filter_map(Value::as_str).map(str::to_owned).collect(),
            status: line["api_error_status"].as_u64().and_then(|status| status.try_into().ok()),
            total: total(line),
            turn: usage(&line["usage"]),
            windows: models(line)
                .filter_map(|(name, model)| Some((name.clone(), model["contextWindow"].as_u64()?)))
                .filter(|(_, window)| *window > 0)
                .collect(),
            refusals: denial::refusals(&line["permission_denials"]),
        }
    }

    /// Returns the error in one line.
    pub(super) fn complaint(&self) -> &str {
        let lines = self.errors.iter().map(String::as_str).chain([self.text.as_str()]);
        let mut lines = lines.filter_map(|text| text.lines().find(|line| !line.trim().is_empty()));
        lines.next().unwrap_or(&self.terminal).trim()
    }

    /// Returns the context window of this model, or else the largest of any.
    pub(super) fn window(&self, model: &str) -> Option<u64> {
        let own = self.windows.iter().find(|(name, _)| name == model);
        own.or_else(|| self.windows.iter().max_by_key(|(_, window)| *window))
            .map(|(_, window)| *window)
    }
}

fn models(line: &Value) -> impl Iterator<Item = (&String, &Value)> {
    line["modelUsage"].as_object().into_iter().flatten()
}

/// Returns the total of all models. A client that crashed early reports zeros,
/// which count as unknown.
fn total(line: &Value) -> Option<Usage> {
    let cost = line["total_cost_usd"].as_f64().and_then(Usd::from_dollars).unwrap_or_default();
    let mut total = Usage { cost, ..Usage::default() };
    for (_, model) in models(line) {
        let tokens = |name: &str| model[name].as_u64().unwrap_or_default();
        total = total
            + Usage {
                input_tokens: tokens("inputTokens")
                    .saturating_add(tokens("cacheCreationInputTokens")),
                output_tokens: tokens("outputTokens"),
                cost: Usd::default(),
            };
    }
    (total.tokens() > 0).then_some(total)
}

/// Returns the tokens of one message or turn, without those from the provider's
/// cache. A long conversation would count again with every message, and a token
/// limit would not measure work.
pub(super) fn usage(usage: &Value) -> Usage {
    let tokens = |name: &str| usage[name].as_u64().unwrap_or_default();
    Usage {
        input_tokens: tokens("input_tokens").saturating_add(tokens("cache_creation_input_tokens")),
        output_tokens: tokens("output_tokens"),
        cost: Usd::default(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_total_is_that_of_all_models_without_what_was_cached() {
        let model = |input: u64, cached: u64| {
            json!({ "inputTokens": input, "outputTokens": 2, "cacheReadInputTokens": 9_000,
                    "cacheCreationInputTokens": cached, "contextWindow": input })
        };
        let line = json!({ "total_cost_usd": 0.25, "modelUsage": { "a": model(10, 5), "b": model(1, 0) } });
        let result = ResultLine::read(&line);
        let want = Usage { input_tokens: 16, output_tokens: 4, cost: Usd::from_micros(250_000) };
        assert_eq!(result.total, Some(want));
        assert_eq!((result.window("b"), result.window("c")), (Some(1), Some(10)));
    }

    #[test]
    fn what_is_missing_or_odd_is_left_out() {
        assert_eq!(ResultLine::read(&json!({})), ResultLine::default());
        let odd = json!({ "is_error": "yes", "errors": "x", "result": 3, "usage": [], "modelUsage": 1,
                          "api_error_status": -1, "total_cost_usd": "free", "permission_denials": {} });
        assert_eq!(ResultLine::read(&odd), ResultLine::default());
    }

    #[test]
    fn zeros_are_no_total() {
        let line = json!({ "total_cost_usd": 0, "modelUsage": {} });
        assert_eq!(ResultLine::read(&line).total, None);
    }

    #[test]
    fn a_complaint_is_one_line() {
        let line =
            json!({ "errors": ["\n Not found \nmore"], "result": "x", "terminal_reason": "y" });
        assert_eq!(ResultLine::read(&line).complaint(), "Not found");
        assert_eq!(ResultLine::read(&json!({ "terminal_reason": "y" })).complaint(), "y");
    }
}
