use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};

use super::super::address::ServerAddress;
use super::super::consent::EDITS;
use super::*;

/// A server whose first stream of events breaks before an agent asks for
/// something.
#[derive(Default)]
struct StubServer {
    state: Mutex<StubState>,
    changed: Condvar,
}

#[derive(Default)]
struct StubState {
    streams: usize,
    is_prompted: bool,
    reply: Option<Value>,
    /// Whose agent asks.
    asker: &'static str,
}

impl StubServer {
    fn start(asker: &'static str) -> (Arc<Self>, OpenCodeConnection) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let state = Mutex::new(StubState { asker, ..StubState::default() });
        let stub = Arc::new(Self { state, ..Self::default() });
        let shared = Arc::clone(&stub);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let shared = Arc::clone(&shared);
                thread::spawn(move || shared.serve(stream.unwrap()));
            }
        });
        (stub, OpenCodeConnection::new(&ServerAddress::own(&address, "x"), Path::new("/p")))
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let (mut head, mut length) = (String::new(), 0);
        reader.read_line(&mut head).unwrap();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let line = line.trim().to_lowercase();
            if let Some(said) = line.strip_prefix("content-length:") {
                length = said.trim().parse().unwrap();
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let path = head.split([' ', '?']).nth(1).unwrap().to_owned();
        if path == "/event" {
            return self.tell(&mut stream);
        }
        let answer = self.answer(&path, &body).to_string();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
        let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{answer}", answer.len());
    }

    fn answer(&self, path: &str, body: &[u8]) -> Value {
        let mut state = self.state.lock().unwrap();
        match path {
            "/session/ses_1/prompt_async" => state.is_prompted = true,
            "/permission/per_1/reply" => state.reply = serde_json::from_slice(body).ok(),
            _ => {}
        }
        self.changed.notify_all();
        let is_over = state.reply.is_some();
        let asked = json!({ "id": "per_1", "sessionID": state.asker, "permission": "edit" });
        let other = json!({ "id": "per_2", "sessionID": "ses_9", "permission": "edit" });
        match path {
            "/session/status" if !is_over => json!({ "ses_1": { "type": "busy" } }),
            "/session/status" => json!({}),
            "/permission" if !is_over => json!([other, asked]),
            "/permission" => json!([other]),
            "/session/ses_1/message" => json!([{ "parts": [], "info": {
                "id": "msg_1", "role": "assistant", "sessionID": "ses_1", "finish": "stop",
                "time": { "created": 1, "completed": 2 }, "tokens": { "output": 1 },
            } }]),
            "/question" => json!([]),
            "/session/ses_1/children" => {
                json!([{ "id": "ses_2", "parentID": "ses_1", "title": "look around" }])
            }
            _ => json!(true),
        }
    }

    fn tell(&self, stream: &mut TcpStream) {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close";
        let _ = write!(stream, "{head}\r\n\r\ndata: {{\"type\":\"server.connected\"}}\n\n");
        let mut state = self.state.lock().unwrap();
        state.streams += 1;
        let is_first = state.streams == 1;
        let waits = |state: &mut StubState| {
            if is_first { !state.is_prompted } else { state.reply.is_none() }
        };
        drop(self.changed.wait_while(state, waits).unwrap());
        if !is_first {
            let idle = json!({ "type": "session.idle", "properties": { "sessionID": "ses_1" } });
            let _ = write!(stream, "data: {idle}\n\n");
        }
    }
}

struct IdleWatcher;

impl ProgramWatcher for IdleWatcher {
    fn output(&mut self, _: OutputStream, _: &[u8]) {}

    fn tick(&mut self) -> WatcherDecision {
        WatcherDecision::GoOn
    }
}

#[track_caller]
fn is_answered(asker: &'static str) {
    let (stub, wire) = StubServer::start(asker);
    let limits = ProgramLimits {
        wall: Some(Duration::from_secs(15)),
        idle: None,
        grace: Duration::from_secs(1),
    };
    let mut nobody = IdleWatcher;
    let mut courier = TurnMonitor::new(&mut nobody, &limits);
    let mut follow = OpenCodeTurnState::new("ses_1", []);
    let ended = courier.deliver(&wire, &mut follow, &json!({ "parts": [] }), EDITS);
    assert_eq!(ended, Ok(()));
    let state = stub.state.lock().unwrap();
    assert_eq!(state.reply, Some(json!({ "reply": "once" })));
    assert_eq!(state.streams, 2);
}

#[test]
fn what_is_asked_for_while_the_stream_is_broken_is_answered() {
    is_answered("ses_1");
}

#[test]
fn an_agent_that_was_begun_while_the_stream_was_broken_is_answered_too() {
    is_answered("ses_2");
}
