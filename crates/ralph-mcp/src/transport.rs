//! Reads and writes messages on threads of their own, so that a slow client
//! blocks nothing.

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, GetMeta, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::lines::{self, InputLine, MOST_MESSAGE};

/// Time that the client has to read the last answers.
const FAREWELL: Duration = Duration::from_secs(2);

/// The connection to the client.
pub(crate) struct Connection {
    incoming: mpsc::UnboundedReceiver<ClientJsonRpcMessage>,
    outgoing: Option<Sender<Vec<u8>>>,
    written: Receiver<()>,
}

impl Connection {
    /// Opens a connection over these streams. `closing` is set once the client
    /// is gone.
    pub(crate) fn open(
        input: impl BufRead + Send + 'static,
        output: impl Write + Send + 'static,
        closing: Arc<AtomicBool>,
    ) -> io::Result<Self> {
        let (outgoing, texts) = channel();
        let (done, written) = channel();
        let writer = std::thread::Builder::new().name("answers".to_owned());
        writer.spawn(move || {
            write(output, &texts);
            // The receiver is gone when the client was not waited for.
            let _ = done.send(());
        })?;
        let (sender, incoming) = mpsc::unbounded_channel();
        let refusals = outgoing.clone();
        let reader = std::thread::Builder::new().name("requests".to_owned());
        reader.spawn(move || {
            read(input, &sender, &refusals);
            closing.store(true, Ordering::Relaxed);
        })?;
        Ok(Self { incoming, outgoing: Some(outgoing), written })
    }
}

impl Transport<RoleServer> for Connection {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let gone = || io::Error::from(io::ErrorKind::NotConnected);
        let sent = serde_json::to_vec(&item).map_err(io::Error::other).and_then(|text| {
            let outgoing = self.outgoing.as_ref().ok_or_else(gone)?;
            outgoing.send(text).map_err(|_| gone())
        });
        std::future::ready(sent)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.outgoing = None;
        // A client that does not read its last answer is not waited for.
        let _ = self.written.recv_timeout(FAREWELL);
        Ok(())
    }
}

/// Writes one text per line until there are no more, or the client is gone.
fn write(mut output: impl Write, texts: &Receiver<Vec<u8>>) {
    for mut text in texts {
        text.push(b'\n');
        if output.write_all(&text).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

/// Reads messages until the client is gone. Invalid ones are answered here.
fn read(
    mut input: impl BufRead,
    messages: &mpsc::UnboundedSender<ClientJsonRpcMessage>,
    refusals: &Sender<Vec<u8>>,
) {
    let mut has_begun = false;
    while let Ok(Some(line)) = lines::next(&mut input, MOST_MESSAGE) {
        match understand(line) {
            Ok(None) => {}
            Ok(Some(message)) => {
                has_begun |= begins(&message);
                let is_request = matches!(message, ClientJsonRpcMessage::Request(_));
                // The protocol library hangs up on a notification that comes
                // before the first request; there is nothing to notify yet.
                if (has_begun || is_request) && messages.send(message).is_err() {
                    return;
                }
            }
            Err(refusal) => {
                let text = serde_json::to_vec(&with_id(&refusal)).unwrap_or_default();
                if refusals.send(text).is_err() {
                    return;
                }
            }
        }
    }
}

/// Returns true if a message begins the conversation: with a handshake, or with
/// a request that is no mere probe and names the version of the protocol.
fn begins(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    let request = &request.request;
    let is_probe =
        matches!(request, ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_));
    let names_version = request.get_meta().protocol_version().is_some();
    matches!(request, ClientRequest::InitializeRequest(_)) || (!is_probe && names_version)
}

/// Parses a line as a message; `None` for an empty one.
fn understand(line: InputLine) -> Result<Option<ClientJsonRpcMessage>, Box<ServerJsonRpcMessage>> {
    let refuse = |code, text: String, id| {
        Box::new(ServerJsonRpcMessage::error(ErrorData::new(code, text, None), id))
    };
    let line = match line {
        InputLine::Whole(line) => line,
        InputLine::TooLong(beginning) => {
            let text = format!("the message is longer than {MOST_MESSAGE} bytes");
            return Err(refuse(ErrorCode::INVALID_REQUEST, text, id_in(&beginning)));
        }
    };
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let value: Value = serde_json::from_slice(&line).map_err(|error| {
        refuse(ErrorCode::PARSE_ERROR, format!("the message is not JSON: {error}"), None)
    })?;
    let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    serde_json::from_value(value).map(Some).map_err(|_| {
        let text = "the message is neither a request nor a notification".to_owned();
        refuse(ErrorCode::INVALID_REQUEST, text, id)
    })
}

/// Adds the id to a refusal, `null` if that of the request is unknown. Without
/// one it would be no answer.
fn with_id(refusal: &ServerJsonRpcMessage) -> Value {
    let mut value = serde_json::to_value(refusal).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.entry("id").or_insert(Value::Null);
    }
    value
}

/// Returns the id at the beginning of a message, where clients put it. Without
/// it the client would not know which request was refused.
fn id_in(beginning: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(beginning);
    let (_, rest) = text.split_once("\"id\":")?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<RequestId>();
    values.next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(line: InputLine) -> Value {
        with_id(&understand(line).unwrap_err())
    }

    fn whole(text: &str) -> InputLine {
        InputLine::Whole(text.into())
    }

    #[test]
    fn a_request_is_understood_and_an_empty_line_is_nothing() {
        let ping = whole(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        assert!(matches!(understand(ping), Ok(Some(ClientJsonRpcMessage::Request(_)))));
        assert!(matches!(understand(whole(" \r")), Ok(None)));
    }

    #[test]
    fn what_is_no_message_is_answered_with_what_is_wrong() {
        let said = refusal(whole("{"));
        assert_eq!(said["error"]["code"], -32700, "{said}");
        assert_eq!(said.get("id"), Some(&Value::Null), "{said}");
        let said = refusal(whole(r#"{"id":7,"method":3}"#));
        assert_eq!((&said["error"]["code"], &said["id"]), (&(-32600).into(), &7.into()), "{said}");
        assert_eq!(refusal(whole("[]"))["error"]["code"], -32600);
    }

    #[test]
    fn a_message_that_is_too_long_is_refused_by_its_id() {
        let beginning = br#"{"jsonrpc":"2.0","id":"a-1","method":"tools/call","params":{"#;
        let said = refusal(InputLine::TooLong(beginning.to_vec()));
        assert_eq!((&said["error"]["code"], &said["id"]), (&(-32600).into(), &"a-1".into()));
        let said = refusal(InputLine::TooLong(b"{\"method\":\"x".to_vec()));
        assert_eq!(said["error"]["message"], "the message is longer than 4194304 bytes");
    }
}
