//! The real OpenCode client, as a server or in a terminal, against a scripted
//! Messages API.
//!
//! Tests that use it are the body of [`isolated`](crate::isolated): the
//! client, its tools and its plugin reach the scripted server and nothing else.

use std::cell::RefCell;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    BinaryCall, MessagesServer, Terminal, TerminalSession, TestProject, isolation, tool, tools_path,
};

/// Maximum time for any action of the client. It is slow to start, and only a
/// test that fails waits that long.
const PATIENCE: Duration = Duration::from_secs(90);

/// The client's output once it listens. Earlier requests may never be answered.
const LISTENING: &str = "listening on http://";

/// Variables that disable everything but the conversation.
const QUIET: &[(&str, &str)] = &[
    ("LC_ALL", "C.UTF-8"),
    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
    ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
    ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
    ("OPENCODE_DISABLE_SHARE", "1"),
    ("SHELL", "/bin/bash"),
];

/// A client that serves one project. It is killed when dropped.
pub struct OpenCodeClient {
    api: ClientApi,
    child: Child,
    events: Receiver<Value>,
    heard: RefCell<Vec<Value>>,
}

impl OpenCodeClient {
    /// Starts the client in a project, with the project's plugin if there is
    /// one.
    #[track_caller]
    pub fn start(project: &TestProject, server: &MessagesServer) -> Self {
        let args = ["serve", "--hostname", "127.0.0.1", "--port", "0"];
        Self::serve(call(project, server).args(args), "")
    }

    /// Starts the client with the password `open sesame`.
    #[track_caller]
    pub fn start_locked(project: &TestProject, server: &MessagesServer) -> Self {
        let args = ["serve", "--hostname", "127.0.0.1", "--port", "0"];
        let call = call(project, server).env("OPENCODE_SERVER_PASSWORD", "open sesame");
        Self::serve(call.args(args), "authorization: Basic b3BlbmNvZGU6b3BlbiBzZXNhbWU=\r\n")
    }

    #[track_caller]
    fn serve(call: BinaryCall, pass: &'static str) -> Self {
        let mut child = call.spawn();
        let api = ClientApi { address: listening(&mut child), pass };
        let events = api.events();
        Self { api, child, events, heard: RefCell::default() }
    }

    /// Prepares a call of the client that answers one prompt and ends.
    #[track_caller]
    pub fn once(project: &TestProject, server: &MessagesServer, prompt: &str) -> BinaryCall {
        call(project, server).args(["run", "--title", "once"]).stdin(prompt)
    }

    /// Starts the client in a terminal, as a person does.
    #[track_caller]
    pub fn terminal<'a>(project: &'a TestProject, server: &MessagesServer) -> Terminal<'a> {
        let variables = at_terminal(project, server);
        Terminal::start(project, &variables, &tool("opencode"), &[])
    }

    /// Starts a shell that finds the client and `ralph`.
    #[track_caller]
    pub fn story<'a>(project: &'a TestProject, server: &MessagesServer) -> TerminalSession<'a> {
        TerminalSession::new(project, Terminal::shell(project, &at_terminal(project, server)))
    }

    /// Prepares a call of `ralph` that finds the client, with its settings in
    /// place.
    #[track_caller]
    pub fn ralph<S: AsRef<OsStr>>(
        project: &TestProject,
        server: &MessagesServer,
        args: &[S],
    ) -> BinaryCall {
        settle(project, server);
        let call = project.ralph(args).envs(QUIET.iter().copied()).envs(isolation::proxy());
        let call = call.env("RALPH_OPENCODE_PROGRAM", tool("opencode"));
        call.env("PATH", search_path(project))
    }

    /// Returns the address it listens on.
    pub fn url(&self) -> String {
        format!("http://{}", self.api.address)
    }

    /// Returns its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Starts a session and returns its id.
    #[track_caller]
    pub fn session(&self, title: &str) -> String {
        let session = self.post("/session", &json!({ "title": title }));
        session["id"].as_str().unwrap().to_owned()
    }

    /// Returns the ids of all sessions of the project.
    #[track_caller]
    pub fn sessions(&self) -> Vec<String> {
        let (status, said) = self.api.request("GET", "/session", "").unwrap();
        assert_eq!(status, 200, "{said}");
        let sessions: Vec<Value> = serde_json::from_str(&said).unwrap();
        sessions.iter().filter_map(|one| one["id"].as_str()).map(str::to_owned).collect()
    }

    /// Sends a prompt to a session and returns at once.
    #[track_caller]
    pub fn says(&self, session: &str, text: &str) {
        let parts = json!([{ "type": "text", "text": text }]);
        self.post(&format!("/session/{session}/prompt_async"), &json!({ "parts": parts }));
    }

    /// Sends a message that needs no reply, as other plugins do.
    #[track_caller]
    pub fn notes(&self, session: &str, text: &str) {
        let parts = json!([{ "type": "text", "text": text }]);
        let body = json!({ "parts": parts, "noReply": true });
        self.post(&format!("/session/{session}/message"), &body);
    }

    /// Sends a command to a session and returns when its turn is over.
    #[track_caller]
    pub fn command(&self, session: &str, name: &str, arguments: &str) -> Value {
        let body = json!({ "command": name, "arguments": arguments });
        self.post(&format!("/session/{session}/command"), &body)
    }

    /// Sends a command to a session and returns at once.
    pub fn submits(&self, session: &str, name: &str, arguments: &str) {
        let body = json!({ "command": name, "arguments": arguments }).to_string();
        let api = self.api.clone();
        let path = format!("/session/{session}/command");
        // Its turn may never end.
        thread::spawn(move || api.request("POST", &path, &body));
    }

    /// Aborts the turn of a session.
    #[track_caller]
    pub fn abort(&self, session: &str) {
        self.post(&format!("/session/{session}/abort"), &json!({}));
    }

    /// Deletes a session, whatever it is doing.
    #[track_caller]
    pub fn delete(&self, session: &str) {
        let path = format!("/session/{session}");
        let (status, said) = self.api.request("DELETE", &path, "").unwrap();
        assert_eq!(status, 200, "{said}");
    }

    /// Reads events up to the first of this type that `wanted` accepts.
    #[track_caller]
    pub fn until(&self, kind: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let event = self.events.recv_timeout(PATIENCE);
            let event = event.unwrap_or_else(|error| panic!("no {kind}: {error}"));
            self.heard.borrow_mut().push(event.clone());
            if event["type"] == kind && wanted(&event["properties"]) {
                return event["properties"].clone();
            }
        }
    }

    /// Reads events up to a toast with this text.
    #[track_caller]
    pub fn until_toast(&self, text: &str) -> Value {
        let has = |toast: &Value| toast["message"].as_str().is_some_and(|said| said.contains(text));
        self.until("tui.toast.show", has)
    }

    /// Returns the number of toasts with this text.
    pub fn toasts(&self, text: &str) -> usize {
        let has = |event: &Value| {
            let said = event["properties"]["message"].as_str();
            event["type"] == "tui.toast.show" && said.is_some_and(|said| said.contains(text))
        };
        self.heard.borrow_mut().extend(self.events.try_iter());
        self.heard.borrow().iter().filter(|event| has(event)).count()
    }

    #[track_caller]
    fn post(&self, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let (status, said) = self.api.request("POST", path, &body).unwrap();
        assert!((200..300).contains(&status), "{path}: {status} {said}");
        serde_json::from_str(&said).unwrap_or_default()
    }
}

impl Drop for OpenCodeClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Prepares a call of the client, with its settings in place.
#[track_caller]
fn call(project: &TestProject, server: &MessagesServer) -> BinaryCall {
    settle(project, server);
    project.program(tool("opencode")).envs(variables(project))
}

/// Writes the settings for a client in a terminal, and returns its environment.
fn at_terminal(project: &TestProject, server: &MessagesServer) -> Vec<(&'static str, OsString)> {
    settle(project, server);
    // Animations would be drawn, and checked, all the time.
    let state = project.state().join("opencode");
    std::fs::create_dir_all(&state).unwrap();
    std::fs::write(state.join("kv.json"), r#"{"animations_enabled":false}"#).unwrap();
    let mut variables = variables(project);
    variables.push(("TERM", "xterm-256color".into()));
    variables
}

fn variables(project: &TestProject) -> Vec<(&'static str, OsString)> {
    let quiet = QUIET.iter().copied().chain(isolation::proxy());
    let mut variables: Vec<(&str, OsString)> =
        quiet.map(|(name, value)| (name, value.into())).collect();
    variables.push(("PATH", search_path(project)));
    variables
}

/// Returns the search path for `ralph` and the tools.
fn search_path(project: &TestProject) -> OsString {
    let own = project.binary().parent().into_iter().map(Into::into);
    let path = own.chain(env::split_paths(&tools_path()).collect::<Vec<_>>());
    env::join_paths(path).unwrap()
}

/// Writes the settings of the client, and marks its own package as installed,
/// so that it does not look for it on the network.
fn settle(project: &TestProject, server: &MessagesServer) {
    let base = format!("{}/v1", server.url());
    let settings = json!({
        "provider": { "scripted": {
            "npm": "@ai-sdk/anthropic",
            "options": { "baseURL": base, "apiKey": "scripted" },
            "models": { "model": { "name": "model" } },
        } },
        "model": "scripted/model",
        "small_model": "scripted/model",
        "permission": { "*": "allow" },
    });
    let lock = json!({
        "lockfileVersion": 3, "requires": true,
        "packages": { "": { "dependencies": { "@opencode-ai/plugin": "*" } } },
    });
    let user = project.outside("config/opencode");
    std::fs::create_dir_all(&user).unwrap();
    std::fs::write(user.join("opencode.json"), settings.to_string()).unwrap();
    for folder in [user, project.root().join(".opencode")] {
        std::fs::create_dir_all(folder.join("node_modules")).unwrap();
        std::fs::write(folder.join("package-lock.json"), lock.to_string()).unwrap();
    }
}

/// Waits until the client reports its address.
#[track_caller]
fn listening(child: &mut Child) -> String {
    let (found, address) = channel();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let errors = child.stderr.take().unwrap();
    thread::spawn(move || BufReader::new(errors).read_to_end(&mut Vec::new()));
    thread::spawn(move || {
        for line in lines.by_ref().map_while(Result::ok) {
            if let Some((_, address)) = line.split_once(LISTENING) {
                let _ = found.send(address.trim().to_owned());
            }
        }
    });
    address.recv_timeout(PATIENCE).unwrap()
}

/// The address of a client's API, and the right to use it.
#[derive(Clone)]
struct ClientApi {
    address: String,
    /// The header for authorization, if one is needed.
    pass: &'static str,
}

impl ClientApi {
    /// Subscribes to the client's events from now on.
    #[track_caller]
    fn events(&self) -> Receiver<Value> {
        let Self { address, pass } = self;
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!(
            "GET /event HTTP/1.1\r\nhost: {address}\r\n{pass}accept: text/event-stream\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let (send, events) = channel();
        let (ready, is_ready) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                let Some(data) = line.strip_prefix("data: ") else { continue };
                let _ = ready.send(());
                if send.send(serde_json::from_str(data).unwrap_or_default()).is_err() {
                    return;
                }
            }
        });
        is_ready.recv_timeout(PATIENCE).unwrap();
        events
    }

    /// Sends one request on a connection of its own; returns the status and the
    /// body.
    fn request(&self, method: &str, path: &str, body: &str) -> std::io::Result<(u16, String)> {
        let Self { address, pass } = self;
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let size = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\n{pass}connection: close\r\n\
             content-type: application/json\r\ncontent-length: {size}\r\n\r\n{body}"
        );
        stream.write_all(head.as_bytes())?;
        read_answer(&mut BufReader::new(stream))
    }
}

/// Reads an answer up to its declared length, since the client does not always
/// hang up.
fn read_answer(reader: &mut impl BufRead) -> std::io::Result<(u16, String)> {
    let mut head = Vec::new();
    loop {
        let line = read_line(reader)?;
        if line.is_empty() {
            break;
        }
        head.push(line.to_ascii_lowercase());
    }
    let field = |name: &str| head.iter().find_map(|line| line.strip_prefix(name));
    let status = head.first().and_then(|line| line.split(' ').nth(1)?.parse().ok());
    let mut body = Vec::new();
    if field("transfer-encoding: chunked").is_some() {
        loop {
            let size = read_line(reader)?;
            let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
            let at = body.len();
            body.resize(at + size, 0);
            reader.read_exact(&mut body[at..])?;
            read_line(reader)?;
            if size == 0 {
                break;
            }
        }
    } else {
        body.resize(field("content-length: ").map_or(0, |size| size.parse().unwrap_or(0)), 0);
        reader.read_exact(&mut body)?;
    }
    Ok((status.unwrap_or(0), String::from_utf8_lossy(&body).into_owned()))
}

fn read_line(reader: &mut impl BufRead) -> std::io::Result<String> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}
