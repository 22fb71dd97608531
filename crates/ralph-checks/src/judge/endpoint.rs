//! A model behind an endpoint, asked over HTTP.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use ralph_core::usage::Usage;
use ureq::Agent;
use ureq::http::Uri;

use super::key::ApiKey;
use super::prompt::JudgePrompt;
use super::{ANSWER_BYTES, JudgeFailure, RawJudgeAnswer, TokenPrices, wire};

/// The time between two calls of `stop` while an answer is awaited.
const TICK: Duration = Duration::from_millis(50);

/// The maximum length of an error that is repeated, in characters.
const COMPLAINT_CHARS: usize = 300;

/// The interface a model speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelDialect {
    /// Chat completions, as most servers of local models have them.
    OpenAi,
    /// Messages.
    Anthropic,
}

/// The address of a model, and the credentials to use it.
#[derive(Clone, Debug)]
pub struct ModelEndpoint {
    /// The interface.
    pub dialect: ModelDialect,
    /// The address the interface begins at, or that of the one call.
    pub url: String,
    /// The model's name.
    pub model: String,
    /// The key, where one is needed.
    pub key: Option<ApiKey>,
    /// The prices of the model, where they are known.
    pub prices: Option<TokenPrices>,
}

impl ModelEndpoint {
    /// Returns a text that distinguishes this judge from others; a key is no part of it.
    pub(super) fn identity(&self) -> String {
        format!("{:?}", (self.dialect, self.address(), &self.model))
    }

    /// Asks once. Ends after `left`, and soon after `stop` says so.
    pub(super) fn ask(
        &self,
        prompt: &JudgePrompt,
        left: Duration,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<RawJudgeAnswer, JudgeFailure> {
        let body = wire::request(self.dialect, &self.model, prompt).to_string();
        let (sender, answers) = mpsc::channel();
        let (endpoint, began) = (self.clone(), Instant::now());
        // A call in flight cannot be taken back. It gets a thread of its own, which ends with its
        // timeout at the latest; a caller that gave up does not wait for it.
        let call = move || {
            // The receiver is gone when we were told to stop.
            let _ = sender.send(endpoint.call(&body, left));
        };
        let thread = thread::Builder::new().name("judge".to_owned()).spawn(call);
        thread.map_err(|error| JudgeFailure::Unreachable { what: error.to_string() })?;
        loop {
            if stop() {
                return Err(JudgeFailure::Stopped);
            }
            match answers.recv_timeout(TICK) {
                Ok(answer) => return answer.map_err(|trouble| self.without_key(trouble)),
                Err(RecvTimeoutError::Timeout) if began.elapsed() < left => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    return Err(JudgeFailure::Timeout);
                }
            }
        }
    }

    fn call(&self, body: &str, left: Duration) -> Result<RawJudgeAnswer, JudgeFailure> {
        let address = self.address();
        let mut config = Agent::config_builder()
            .timeout_global(Some(left))
            .http_status_as_error(false)
            // A redirection would carry the work, and perhaps the key, to a host that the user did
            // not choose.
            .max_redirects(0)
            .user_agent(concat!("ralph/", env!("CARGO_PKG_VERSION")));
        if is_local(&address) {
            config = config.proxy(None);
        }
        let agent: Agent = config.build().into();
        let mut request = agent.post(&address).content_type("application/json");
        for (name, value) in self.headers() {
            request = request.header(name, value);
        }
        let mut response = request.send(body).map_err(trouble)?;
        let status = response.status();
        let read = response.body_mut().with_config().limit(ANSWER_BYTES).read_to_vec();
        let read = read.map_err(trouble)?;
        if !status.is_success() {
            let said = wire::complaint(&read).unwrap_or_default();
            let said: String = said.chars().take(COMPLAINT_CHARS).collect();
            let said = if said.is_empty() { said } else { format!(": {said}") };
            return Err(JudgeFailure::Status { code: status.as_u16(), said });
        }
        let wire::ModelResponse { text, tokens } = wire::response(self.dialect, &read)?;
        Ok(RawJudgeAnswer {
            text,
            usage: tokens.map(|(sent, received)| self.usage(sent, received)),
        })
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        let key = self.key.as_ref().map(ApiKey::reveal);
        match self.dialect {
            ModelDialect::OpenAi => {
                key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect()
            }
            ModelDialect::Anthropic => {
                let mut headers = vec![("anthropic-version", "2023-06-01".to_owned())];
                headers.extend(key.map(|key| ("x-api-key", key.to_owned())));
                headers
            }
        }
    }

    fn usage(&self, input_tokens: u64, output_tokens: u64) -> Usage {
        let cost = self.prices.map(|prices| prices.cost(input_tokens, output_tokens));
        Usage { input_tokens, output_tokens, cost: cost.unwrap_or_default() }
    }

    /// The address of the one call that is made.
    fn address(&self) -> String {
        let url = self.url.trim_end_matches('/');
        match self.dialect {
            ModelDialect::OpenAi if url.ends_with("/chat/completions") => url.to_owned(),
            ModelDialect::OpenAi => format!("{url}/chat/completions"),
            ModelDialect::Anthropic if url.ends_with("/messages") => url.to_owned(),
            ModelDialect::Anthropic if url.ends_with("/v1") => format!("{url}/messages"),
            ModelDialect::Anthropic => format!("{url}/v1/messages"),
        }
    }

    /// Servers repeat wrong keys in their complaints.
    fn without_key(&self, trouble: JudgeFailure) -> JudgeFailure {
        let Some(key) = &self.key else { return trouble };
        match trouble {
            JudgeFailure::Status { code, said } => {
                JudgeFailure::Status { code, said: key.hide_in(&said) }
            }
            JudgeFailure::Unreachable { what } => {
                JudgeFailure::Unreachable { what: key.hide_in(&what) }
            }
            JudgeFailure::Form { what } => JudgeFailure::Form { what: key.hide_in(&what) },
            other @ (JudgeFailure::Timeout
            | JudgeFailure::Stopped
            | JudgeFailure::TooLong
            | JudgeFailure::Command { .. }) => other,
        }
    }
}

/// True if an address is on this machine: no proxy leads there.
fn is_local(address: &str) -> bool {
    let uri: Option<Uri> = address.parse().ok();
    let host = uri.as_ref().and_then(Uri::host).unwrap_or_default();
    host == "localhost" || host == "[::1]" || host.starts_with("127.")
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the errors of the client are many and more may come; all others are alike"
)]
fn trouble(error: ureq::Error) -> JudgeFailure {
    match error {
        ureq::Error::Timeout(_) => JudgeFailure::Timeout,
        ureq::Error::BodyExceedsLimit(_) => JudgeFailure::TooLong,
        other => JudgeFailure::Unreachable { what: other.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(dialect: ModelDialect, url: &str) -> String {
        let (url, model) = (url.to_owned(), "m".to_owned());
        ModelEndpoint { dialect, url, model, key: None, prices: None }.address()
    }

    #[test]
    fn an_address_may_be_that_of_the_interface_or_of_the_call() {
        for url in ["http://h/v1", "http://h/v1/", "http://h/v1/chat/completions"] {
            assert_eq!(address(ModelDialect::OpenAi, url), "http://h/v1/chat/completions");
        }
        for url in ["https://h", "https://h/", "https://h/v1", "https://h/v1/messages"] {
            assert_eq!(address(ModelDialect::Anthropic, url), "https://h/v1/messages");
        }
    }

    #[test]
    fn a_key_goes_into_one_header_and_into_no_identity() {
        let endpoint = |dialect| ModelEndpoint {
            dialect,
            url: "https://h".to_owned(),
            model: "m".to_owned(),
            key: ApiKey::new("shh"),
            prices: None,
        };
        let headers = endpoint(ModelDialect::OpenAi).headers();
        assert_eq!(headers, [("authorization", "Bearer shh".to_owned())]);
        assert!(
            endpoint(ModelDialect::Anthropic).headers().contains(&("x-api-key", "shh".to_owned()))
        );
        assert!(!endpoint(ModelDialect::OpenAi).identity().contains("shh"));
    }

    #[test]
    fn no_proxy_leads_to_this_machine() {
        for address in ["http://localhost:1/v1", "http://127.0.0.1:1", "http://[::1]:1/x"] {
            assert!(is_local(address), "{address}");
        }
        for address in ["https://api.example.org", "http://localhost.example.org", "nonsense"] {
            assert!(!is_local(address), "{address}");
        }
    }
}
