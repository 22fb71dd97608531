//! A scripted model on this machine, for real clients: the Messages API, and
//! three others in its terms.
//!
//! It streams like the real one, answers the client's own requests without
//! using the script, and records every request.

mod asked;
mod forms;
mod script;
mod stream;
mod turn;

use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use crate::ReceivedRequest;
use crate::model_server::read;

pub use asked::{ClientRequest, RequestSender};
pub use script::ModelScript;
pub use turn::ModelTurn;

use forms::ApiForm;
use turn::ModelAnswer;

/// Maximum time to wait for a client's request. Only a test that fails waits
/// that long.
const PATIENCE: Duration = Duration::from_secs(30);

/// A title and a summary, for either of the client's own requests.
const ASIDE: &str = r#"{"title":"as scripted","isNewTopic":false}<summary>as scripted</summary>"#;

/// The server. It ends when dropped.
pub struct MessagesServer {
    address: SocketAddr,
    shared: Arc<MessagesServerState>,
    thread: Option<JoinHandle<()>>,
}

struct MessagesServerState {
    script: Mutex<ModelScript>,
    asked: Mutex<Vec<ClientRequest>>,
    arrived: Condvar,
    count: AtomicUsize,
    over: Mutex<bool>,
}

impl MessagesServer {
    /// Starts a server that answers by this script.
    pub fn start(script: ModelScript) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(MessagesServerState {
            script: Mutex::new(script),
            asked: Mutex::default(),
            arrived: Condvar::new(),
            count: AtomicUsize::new(0),
            over: Mutex::new(false),
        });
        let serving = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if *serving.over.lock().unwrap() {
                    break;
                }
                let (serving, stream) = (Arc::clone(&serving), stream.unwrap());
                // Agents ask at the same time, and one may be held. A client
                // that disconnects is not an error.
                thread::spawn(move || serving.serve(stream));
            }
        });
        Self { address, shared, thread: Some(thread) }
    }

    /// Starts a server that answers with these turns in order.
    pub fn saying(turns: impl IntoIterator<Item = ModelTurn>) -> Self {
        Self::start(ModelScript::new(turns))
    }

    /// Continues with another script.
    pub fn then(&self, script: ModelScript) {
        *self.shared.script.lock().unwrap() = script;
    }

    /// Returns the address for a client.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns all requests so far, including the client's own.
    pub fn everything(&self) -> Vec<ClientRequest> {
        self.shared.asked.lock().unwrap().clone()
    }

    /// Returns the agents' requests so far.
    pub fn asked(&self) -> Vec<ClientRequest> {
        let mut asked = self.everything();
        asked.retain(|asked| asked.asker != RequestSender::Aside);
        asked
    }

    /// Returns the main agent's requests so far.
    pub fn main(&self) -> Vec<ClientRequest> {
        let mut asked = self.everything();
        asked.retain(|asked| asked.asker == RequestSender::Main);
        asked
    }

    /// Waits until agents have sent this many requests.
    #[track_caller]
    pub fn until_asked(&self, times: usize) {
        let asked = self.shared.asked.lock().unwrap();
        let agents = |asked: &[ClientRequest]| {
            asked.iter().filter(|a| a.asker != RequestSender::Aside).count()
        };
        let wait =
            self.shared.arrived.wait_timeout_while(asked, PATIENCE, |asked| agents(asked) < times);
        let (asked, _) = wait.unwrap();
        assert!(agents(&asked) >= times, "asked {} times, not {times}", agents(&asked));
    }

    /// Checks that every scripted turn was used.
    #[track_caller]
    pub fn is_over(&self) {
        assert_eq!(self.shared.script.lock().unwrap().left(), 0, "turns are left");
    }
}

impl Drop for MessagesServer {
    fn drop(&mut self) {
        if let Ok(mut over) = self.shared.over.lock() {
            *over = true;
        }
        // Wakes the thread, which is about to accept.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl MessagesServerState {
    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let request = read(&stream)?;
        let path = request.path.split('?').next().unwrap_or_default();
        let form = ApiForm::of(path).filter(|_| request.method == "POST");
        if let Some(form) = form {
            let body = form.request(path, &request.body);
            return self.answer(&mut stream, form, ReceivedRequest { body, ..request });
        }
        match (request.method.as_str(), path) {
            ("POST", "/v1/messages/count_tokens") => {
                send(&mut stream, 200, &[], "application/json", r#"{"input_tokens":1000}"#)
            }
            ("HEAD", _) => send(&mut stream, 200, &[], "application/json", ""),
            _ => send(&mut stream, 404, &[], "application/json", &error(404).to_string()),
        }
    }

    fn answer(
        &self,
        stream: &mut TcpStream,
        form: ApiForm,
        request: ReceivedRequest,
    ) -> std::io::Result<()> {
        let asked = ClientRequest::new(request);
        let scripted = self.script.lock().unwrap().next(&asked);
        let turn = match asked.asker {
            RequestSender::Aside => Some(scripted.unwrap_or_else(|| ModelTurn::says(ASIDE))),
            RequestSender::Main | RequestSender::Subagent => scripted,
        };
        let body = asked.request.body.clone();
        self.asked.lock().unwrap().push(asked);
        self.arrived.notify_all();
        // An error that no client retries, so that the end of the script ends
        // it.
        let turn = turn.unwrap_or_else(|| ModelTurn::fails(400));
        if let Some(turnstile) = &turn.turnstile {
            turnstile.pass()?;
        }
        let id = self.count.fetch_add(1, Ordering::SeqCst);
        match &turn.answer {
            ModelAnswer::Message { blocks, tokens }
                if form == ApiForm::Messages && body["stream"] == true =>
            {
                let events = stream::events(id, blocks, *tokens, &body["model"]);
                send(stream, 200, &[], "text/event-stream", &events)
            }
            ModelAnswer::Message { blocks, tokens } => {
                let message = stream::whole(id, blocks, *tokens, &body["model"]);
                let (kind, text) = form.answer(id, &message, &body);
                send(stream, 200, &[], kind, &text)
            }
            ModelAnswer::Failure { status, headers, words } => {
                let mut error = error(*status);
                if let Some(words) = words {
                    error["error"]["message"] = words.as_str().into();
                }
                send(stream, *status, headers, "application/json", &error.to_string())
            }
        }
    }
}

/// Returns the body for an error status.
fn error(status: u16) -> Value {
    let (kind, message) = match status {
        400 => ("invalid_request_error", "nothing more is scripted"),
        401 => ("authentication_error", "invalid x-api-key"),
        404 => ("not_found_error", "not found"),
        429 => ("rate_limit_error", "this request would exceed your rate limit"),
        529 => ("overloaded_error", "Overloaded"),
        _ => ("api_error", "Internal server error"),
    };
    json!({ "type": "error", "error": { "type": kind, "message": message } })
}

fn send(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(String, String)],
    kind: &str,
    body: &str,
) -> std::io::Result<()> {
    let size = body.len();
    let more = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
    let more = more.collect::<Vec<_>>().concat();
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-type: {kind}\r\ncontent-length: {size}\r\n\
         request-id: req_scripted\r\n{more}connection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}
