//! Claude Code as a client for a single question: no tools, no memory, no
//! settings of the project, no saved session.

use ralph_core::usage::Usage;
use serde_json::Value;

use super::agent::{OF_ANOTHER_CLIENT, PROGRAM};
use super::result::ResultLine;
use crate::client::{ClientOptions, OneShotClient};

/// Variables that may hold its credentials.
const CREDENTIALS: &[&str] =
    &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];

/// Returns the command for a single answer. The question is its standard input.
pub(crate) fn asked(options: &ClientOptions) -> OneShotClient {
    let mut words: Vec<&str> = vec![options.program.as_deref().unwrap_or(PROGRAM), "-p"];
    words.extend(["--output-format", "json", "--tools", "", "--safe-mode"]);
    words.extend(["--strict-mcp-config", "--no-session-persistence", "--disable-slash-commands"]);
    if let Some(model) = &options.model {
        words.extend(["--model", model]);
    }
    OneShotClient {
        words: words.into_iter().map(str::to_owned).collect(),
        system_flag: "--system-prompt",
        credentials: CREDENTIALS,
        without: &OF_ANOTHER_CLIENT,
        read,
    }
}

/// Parses its output: one object, or a list of which the last one counts.
fn read(printed: &str) -> Result<(String, Usage), String> {
    let value: Value = serde_json::from_str(printed.trim())
        .map_err(|error| format!("printed no result: {error}"))?;
    let last = value.as_array().and_then(|all| all.last()).unwrap_or(&value);
    let result = ResultLine::read(last);
    if result.is_error {
        return Err(format!("gave up: {}", result.complaint()));
    }
    Ok((result.text, result.total.unwrap_or(result.turn)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Client;

    #[test]
    fn it_is_asked_without_tools_settings_and_memory() {
        let mut options = ClientOptions::new(Client::ClaudeCode);
        options.model = Some("small".to_owned());
        options.args = vec!["--allowedTools".to_owned(), "Bash".to_owned()];
        let words = asked(&options).words;
        let tools = words.iter().position(|word| word == "--tools").unwrap();
        assert_eq!(words[tools + 1], "");
        for word in ["--safe-mode", "--strict-mcp-config", "--no-session-persistence", "small"] {
            assert!(words.iter().any(|known| known == word), "{word}");
        }
        assert!(!words.iter().any(|word| word == "Bash"), "{words:?}");
    }

    #[test]
    fn its_answer_is_the_result_with_what_it_used() {
        let line = r#"{"type":"result","is_error":false,"result":"{\"success\":true}",
            "total_cost_usd":0.5,"modelUsage":{"m":{"inputTokens":7,"outputTokens":3}}}"#;
        let (text, usage) = read(line).unwrap();
        assert_eq!((text.as_str(), usage.input_tokens), ("{\"success\":true}", 7));
        let refused = r#"{"type":"result","is_error":true,"result":"Invalid API key"}"#;
        assert_eq!(read(refused).unwrap_err(), "gave up: Invalid API key");
        assert!(read("hello").is_err());
    }
}
