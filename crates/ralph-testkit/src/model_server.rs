//! A server on this machine that answers like a model, by a script.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value, json};

/// Numbers of tokens that an answer costs.
#[derive(Clone, Copy, Debug)]
pub struct TokenCounts {
    /// Those that the model was sent.
    pub sent: u64,
    /// Those that it answered with.
    pub received: u64,
}

/// Tokens that every answer claims to have cost.
pub const TOKENS: TokenCounts = TokenCounts { sent: 1_000, received: 50 };

/// A scripted answer to a request.
#[derive(Clone, Debug)]
pub enum ScriptedReply {
    /// A message with this text.
    Says(String),
    /// This status with this body.
    Fails(u16, String),
    /// This body verbatim.
    Sends(Vec<u8>),
    /// A redirect to this address.
    Redirects(String),
    /// No answer while the server lives.
    Hangs,
}

/// A received request.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// The HTTP method, such as `POST`.
    pub method: String,
    /// The path.
    pub path: String,
    /// The header lines, without the request line.
    pub headers: Vec<String>,
    /// Its body.
    pub body: Value,
}

impl ReceivedRequest {
    /// Returns the text of the last message.
    pub fn prompt(&self) -> String {
        let messages = self.body["messages"].as_array().unwrap();
        messages.last().unwrap()["content"].as_str().unwrap().to_owned()
    }

    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// A scripted server on a port of its own. It ends when dropped.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<ModelServerState>,
    thread: Option<JoinHandle<()>>,
}

struct ModelServerState {
    replies: Mutex<Vec<ScriptedReply>>,
    requests: Mutex<Vec<ReceivedRequest>>,
    /// Connections without an answer, and true once the server must end.
    held: Mutex<(Vec<TcpStream>, bool)>,
}

impl ModelServer {
    /// Starts a server that gives these replies in order; the last one repeats.
    pub fn start(replies: impl IntoIterator<Item = ScriptedReply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let mut replies: Vec<ScriptedReply> = replies.into_iter().collect();
        replies.reverse();
        let shared = Arc::new(ModelServerState {
            replies: Mutex::new(replies),
            requests: Mutex::default(),
            held: Mutex::default(),
        });
        let serving = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if serving.held.lock().unwrap().1 {
                    break;
                }
                // A client that disconnects is not an error.
                let _ = serving.serve(stream.unwrap());
            }
        });
        Self { address, shared, thread: Some(thread) }
    }

    /// Starts a server whose model agrees, with a reason.
    pub fn agreeing() -> Self {
        Self::start([ScriptedReply::Says(
            json!({ "success": true, "reason": "it holds" }).to_string(),
        )])
    }

    /// Returns the base address of its API.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Returns all requests so far.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.shared.requests.lock().unwrap().clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        let held = {
            let mut held = self.shared.held.lock().unwrap();
            held.1 = true;
            std::mem::take(&mut held.0)
        };
        drop(held);
        // Wakes the thread, which is about to accept.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl ModelServerState {
    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let request = read(&stream)?;
        let dialect = request.path.clone();
        self.requests.lock().unwrap().push(request);
        let reply = {
            let mut replies = self.replies.lock().unwrap();
            if replies.len() > 1 { replies.pop() } else { replies.last().cloned() }
        };
        match reply.unwrap() {
            ScriptedReply::Says(text) => {
                send(&mut stream, 200, "", message(&dialect, &text).as_bytes())
            }
            ScriptedReply::Fails(status, body) => send(&mut stream, status, "", body.as_bytes()),
            ScriptedReply::Sends(body) => send(&mut stream, 200, "", &body),
            ScriptedReply::Redirects(to) => {
                send(&mut stream, 302, &format!("location: {to}\r\n"), b"")
            }
            ScriptedReply::Hangs => {
                self.held.lock().unwrap().0.push(stream);
                Ok(())
            }
        }
    }
}

/// Reads one request; its body is null when it is not JSON.
pub(crate) fn read(stream: &TcpStream) -> std::io::Result<ReceivedRequest> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    let first = if lines.is_empty() { String::new() } else { lines.remove(0) };
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut request = ReceivedRequest { method, path, headers: lines, body: Value::Null };
    let size: usize = request.header("content-length").map_or(0, |text| text.parse().unwrap());
    let mut body = vec![0; size];
    reader.read_exact(&mut body)?;
    request.body = serde_json::from_slice(&body).unwrap_or_default();
    Ok(request)
}

fn send(stream: &mut TcpStream, status: u16, more: &str, body: &[u8]) -> std::io::Result<()> {
    let size = body.len();
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\ncontent-length: {size}\r\n{more}connection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)
}

/// Returns the message in the form of the called API.
fn message(path: &str, text: &str) -> String {
    let TokenCounts { sent, received } = TOKENS;
    if path.ends_with("/messages") {
        let usage = json!({ "input_tokens": sent, "output_tokens": received });
        return json!({ "content": [{ "type": "text", "text": text }], "usage": usage })
            .to_string();
    }
    let usage = json!({ "prompt_tokens": sent, "completion_tokens": received });
    json!({ "choices": [{ "message": { "role": "assistant", "content": text } }], "usage": usage })
        .to_string()
}
