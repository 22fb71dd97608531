//! The HTTP interface of the server: requests, and the stream of events.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use ureq::Agent;
use ureq::http::Response;

use super::address::{PASSWORD_VARIABLE, ServerAddress};
use crate::line::one_line;

/// Maximum number of bytes read of an answer. Messages contain tool output.
const MOST_ANSWER: u64 = 64 * 1024 * 1024;

/// Maximum size of one event. A longer one ends the stream, and the state is
/// requested instead.
const MOST_EVENT: u64 = 32 * 1024 * 1024;

/// Timeout for connecting, and for the start of an answer that needs no work.
const CONNECT: Duration = Duration::from_secs(10);

/// Maximum duration of one stream of events. Events lost before the next one
/// opens are requested.
const STREAM: Duration = Duration::from_hours(1);

/// Maximum number of events that wait to be read.
const QUEUE: usize = 256;

/// The characters that a URL query does not hold as they are, with those of other forms.
const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'/');

/// An error of a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum HttpError {
    /// The server is unreachable, or does not answer in time.
    #[error("the server at {base} does not answer: {what}")]
    Unreachable { base: String, what: String },
    /// It rejects our password.
    #[error(
        "the server at {base} wants another password (401): say it in {PASSWORD_VARIABLE}, or in the address as USER:PASSWORD@"
    )]
    Locked { base: String },
    /// It refuses the request.
    #[error("the server at {base} answered {status} to {path}{said}")]
    Refused { base: String, status: u16, path: String, said: String },
    /// Its answer is not JSON, as for unknown paths.
    #[error(
        "the server at {base} answered {path} with {kind}, not JSON: it is no server of this client, or of another version"
    )]
    Strange { base: String, path: String, kind: String },
}

impl HttpError {
    /// Returns true if the requested object does not exist.
    pub(super) fn is_missing(&self) -> bool {
        match self {
            Self::Refused { status, .. } => *status == 404,
            Self::Unreachable { .. } | Self::Locked { .. } | Self::Strange { .. } => false,
        }
    }
}

/// A connection to the server, for one project.
#[derive(Clone, Debug)]
pub(super) struct OpenCodeConnection {
    agent: Agent,
    base: String,
    /// The authorization header.
    pass: Option<String>,
    /// Appended to every path.
    query: String,
}

impl OpenCodeConnection {
    /// Creates a connection to the server at this address, for the project at
    /// `root`.
    pub(super) fn new(address: &ServerAddress, root: &Path) -> Self {
        let mut config = Agent::config_builder()
            .timeout_connect(Some(CONNECT))
            .http_status_as_error(false)
            .max_redirects(0)
            // Another server may have taken over the port.
            .max_idle_connections(0)
            .user_agent(concat!("ralph/", env!("CARGO_PKG_VERSION")));
        if address.is_local() {
            config = config.proxy(None);
        }
        Self {
            agent: config.build().into(),
            base: address.base.clone(),
            pass: address.pass(),
            query: format!("directory={}", encoded(&root.to_string_lossy())),
        }
    }

    pub(super) fn get(&self, path: &str, patience: Duration) -> Result<Value, HttpError> {
        let request = self.agent.get(self.url(path));
        let request = request.config().timeout_global(Some(patience)).build();
        self.answer(path, self.signed(request).call())
    }

    pub(super) fn post(
        &self,
        path: &str,
        body: &Value,
        patience: Duration,
    ) -> Result<Value, HttpError> {
        let request = self.agent.post(self.url(path)).content_type("application/json");
        let request = request.config().timeout_global(Some(patience)).build();
        self.answer(path, self.signed(request).send(body.to_string()))
    }

    pub(super) fn delete(&self, path: &str, patience: Duration) -> Result<Value, HttpError> {
        let request = self.agent.delete(self.url(path));
        let request = request.config().timeout_global(Some(patience)).build();
        self.answer(path, self.signed(request).call())
    }

    /// Opens the stream of events. Its first event confirms the connection; the
    /// stream has ended when its sender is gone.
    pub(super) fn events(&self) -> Result<Receiver<Value>, HttpError> {
        let path = "/event";
        let request = self.agent.get(self.url(path)).header("accept", "text/event-stream");
        let config = request.config().timeout_recv_response(Some(CONNECT));
        let request = config.timeout_recv_body(Some(STREAM)).build();
        let response = self.signed(request).call().map_err(|error| self.unreachable(&error))?;
        if !kind(&response).starts_with("text/event-stream") {
            self.answer(path, Ok(response))?;
            let (base, kind) = (self.base.clone(), "a value".to_owned());
            return Err(HttpError::Strange { base, path: path.to_owned(), kind });
        }
        let (sender, events) = sync_channel(QUEUE);
        let reader = BufReader::new(response.into_body().into_reader());
        let read = move || read_events(reader, &sender);
        let thread = thread::Builder::new().name("events".to_owned()).spawn(read);
        thread.map_err(|error| self.unreachable(&error))?;
        Ok(events)
    }

    /// Returns the error for a request without an answer.
    pub(super) fn unreachable(&self, why: &dyn std::fmt::Display) -> HttpError {
        HttpError::Unreachable { base: self.base.clone(), what: one_line(&why.to_string(), 300) }
    }

    fn answer(
        &self,
        path: &str,
        sent: Result<Response<ureq::Body>, ureq::Error>,
    ) -> Result<Value, HttpError> {
        let mut response = sent.map_err(|error| self.unreachable(&error))?;
        let (base, status, kind) = (self.base.clone(), response.status(), kind(&response));
        if status.as_u16() == 401 {
            return Err(HttpError::Locked { base });
        }
        let body = response.body_mut().with_config().limit(MOST_ANSWER).read_to_vec();
        let body = body.map_err(|error| self.unreachable(&error))?;
        let value = serde_json::from_slice::<Value>(&body);
        if !status.is_success() {
            let said = value.as_ref().ok().and_then(complaint).unwrap_or_default();
            let said = if said.is_empty() { said } else { format!(": {}", one_line(&said, 300)) };
            return Err(HttpError::Refused {
                base,
                status: status.as_u16(),
                path: plain(path),
                said,
            });
        }
        match value {
            Ok(value) => Ok(value),
            Err(_) if body.is_empty() => Ok(Value::Null),
            Err(_) => {
                let kind =
                    if kind.is_empty() { "nothing of a known kind".to_owned() } else { kind };
                Err(HttpError::Strange { base, path: plain(path), kind })
            }
        }
    }

    fn url(&self, path: &str) -> String {
        let mark = if path.contains('?') { '&' } else { '?' };
        format!("{}{path}{mark}{}", self.base, self.query)
    }

    fn signed<B>(&self, request: ureq::RequestBuilder<B>) -> ureq::RequestBuilder<B> {
        match &self.pass {
            Some(pass) => request.header("authorization", pass),
            None => request,
        }
    }
}

/// Passes events on until the stream ends or the receiver is gone.
fn read_events(mut reader: impl BufRead, events: &SyncSender<Value>) {
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.by_ref().take(MOST_EVENT).read_until(b'\n', &mut line) {
            Ok(1..) if line.ends_with(b"\n") => {}
            Ok(_) | Err(_) => return,
        }
        let Some(data) = line.strip_prefix(b"data:") else { continue };
        let Ok(event) = serde_json::from_slice(data) else { continue };
        if events.send(event).is_err() {
            return;
        }
    }
}

/// Returns the message of a server error.
fn complaint(value: &Value) -> Option<String> {
    let said = value["data"]["message"].as_str().or_else(|| value["message"].as_str());
    Some(said.or_else(|| value["name"].as_str())?.to_owned())
}

fn plain(path: &str) -> String {
    path.split('?').next().unwrap_or(path).to_owned()
}

fn kind(response: &Response<ureq::Body>) -> String {
    let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
    kind.unwrap_or_default().to_owned()
}

/// Encodes the text for a URL query.
pub(super) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_any_name_fits_into_a_query() {
        assert_eq!(encoded("/a b/한&x=%"), "/a%20b/%ED%95%9C%26x%3D%25");
    }

    #[test]
    fn a_stream_is_read_event_by_event_until_it_breaks() {
        let (sender, events) = sync_channel(8);
        let stream = "data: {\"type\":\"a\"}\n\n: comment\n\ndata:{\"type\":\"b\"}\n\ndata: {\"ty";
        read_events(stream.as_bytes(), &sender);
        drop(sender);
        let kinds: Vec<String> = events.iter().map(|event| event["type"].to_string()).collect();
        assert_eq!(kinds, ["\"a\"", "\"b\""]);
    }
}
