//! The cost of our own process in a turn of an agent's server.
//!
//! A fake server answers immediately with what the real one says in the end. The
//! agent's own time would hide ours.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

use super::BenchRow;
use crate::failure::TaskFailure;
use crate::stress::stage::ScenarioFolder;

/// Turns of the run.
const TURNS: usize = 200;

/// Pieces of text in a turn, as a model sends them.
const WORDS: usize = 100;

/// Most processor time of ours for a turn, in milliseconds.
const MOST_CPU_MS: f64 = 30.0;

/// Ticks of the kernel's clock in a second, the same on every Linux.
const TICKS: f64 = 100.0;

const SESSION: &str = "ses_1";

pub(super) fn measure(binary: &Path) -> Result<Vec<BenchRow>, TaskFailure> {
    let stage = ScenarioFolder::new(binary)?;
    let project = stage.git_project("served")?;
    let server = BenchServer::start().map_err(|error| TaskFailure::Failed(error.to_string()))?;
    let (turns, url) = (TURNS.to_string(), format!("http://{}", server.address));
    let agent = ["--agent", "opencode", "--attach", &url, "--context", "same", "--json"];
    let args: Vec<&str> =
        ["run", "work", "--max-iterations", &turns].into_iter().chain(agent).collect();
    let running = project.start(&args)?;
    server.shared.client.store(running.id(), Ordering::SeqCst);
    running.wait()?.expect_code(1)?;
    let spent = lock(&server.shared.spent).clone();
    let (Some(first), Some(last), TURNS) = (spent.get(1), spent.last(), spent.len()) else {
        return Err(TaskFailure::Failed(format!("{} of {TURNS} turns were taken", spent.len())));
    };
    let turns = f64::from(u32::try_from(TURNS - 2).unwrap_or(1));
    let cpu = (last - first) / TICKS / turns * 1000.0;
    Ok(vec![BenchRow::new("CPU of a turn in a server".to_owned(), format!("{cpu:.1} ms")).budget(
        cpu,
        MOST_CPU_MS,
        "ms",
    )])
}

/// A server that answers every request.
struct BenchServer {
    address: SocketAddr,
    shared: Arc<BenchServerState>,
}

#[derive(Default)]
struct BenchServerState {
    /// The connection that listens to events.
    listener: Mutex<Option<TcpStream>>,
    /// The last message.
    message: Mutex<Value>,
    /// The process that is measured.
    client: AtomicU32,
    /// The time it had used at the start of each turn, in ticks.
    spent: Mutex<Vec<f64>>,
}

impl BenchServer {
    fn start() -> std::io::Result<Self> {
        let socket = TcpListener::bind("127.0.0.1:0")?;
        let (address, shared) = (socket.local_addr()?, Arc::new(BenchServerState::default()));
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in socket.incoming().map_while(Result::ok) {
                let serving = Arc::clone(&serving);
                thread::spawn(move || serving.serve(stream));
            }
        });
        Ok(Self { address, shared })
    }
}

impl BenchServerState {
    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let path = read_request(&stream)?;
        if path.starts_with("/event") {
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            stream.write_all(head.as_bytes())?;
            stream.write_all(frame(&json!({ "type": "server.connected" })).as_bytes())?;
            *lock(&self.listener) = Some(stream);
            return Ok(());
        }
        let is_prompt = path.contains("/prompt_async");
        let body = match path.split('?').next().unwrap_or_default() {
            "/session" => json!({ "id": SESSION }),
            "/session/status" => json!({}),
            path if path.ends_with("/message") => lock(&self.message).clone(),
            _ => json!(true),
        };
        let body = body.to_string();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
        write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len())?;
        if is_prompt { self.take_turn() } else { Ok(()) }
    }

    /// Sends the events of a turn.
    fn take_turn(&self) -> std::io::Result<()> {
        let number = {
            let mut spent = lock(&self.spent);
            spent.push(ticks(self.client.load(Ordering::SeqCst)));
            spent.len()
        };
        let (id, text) = (format!("msg_{number}"), format!("turn {number}"));
        let info = json!({
            "id": id, "role": "assistant", "sessionID": SESSION, "cost": 0.01,
            "tokens": { "input": 1000, "output": 50 }, "finish": "stop",
            "time": { "created": 1, "completed": 2 },
        });
        let part = json!({
            "id": format!("prt_{number}"), "messageID": id, "sessionID": SESSION, "type": "text",
            "text": text, "time": { "start": 1, "end": 2 },
        });
        *lock(&self.message) = json!([{ "info": info, "parts": [part] }]);
        let status = |kind: &str| event("session.status", &json!({ "status": { "type": kind } }));
        let word = event("message.part.delta", &json!({ "messageID": id, "delta": "word " }));
        let mut said = status("busy") + &event("message.updated", &json!({ "info": info }));
        said += &word.repeat(WORDS);
        said += &event("message.part.updated", &json!({ "part": part }));
        said += &event("message.updated", &json!({ "info": info }));
        said += &(status("idle") + &event("session.idle", &json!({})));
        match &mut *lock(&self.listener) {
            Some(listener) => listener.write_all(said.as_bytes()),
            None => Ok(()),
        }
    }
}

/// Reads a request to its end; returns its path.
fn read_request(stream: &TcpStream) -> std::io::Result<String> {
    let mut reader = BufReader::new(stream);
    let (mut first, mut size) = (String::new(), 0);
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        let length = line.strip_prefix("content-length:");
        size = length.and_then(|text| text.trim().parse().ok()).unwrap_or(size);
    }
    reader.take(size).read_to_end(&mut Vec::new())?;
    Ok(first.split(' ').nth(1).unwrap_or_default().to_owned())
}

fn event(kind: &str, facts: &Value) -> String {
    let mut facts = facts.clone();
    facts["sessionID"] = json!(SESSION);
    frame(&json!({ "type": kind, "properties": facts }))
}

fn frame(event: &Value) -> String {
    format!("data: {event}\n\n")
}

/// Returns the time that a process has used itself, without its children.
fn ticks(process: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name before it may contain anything, even brackets.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    let fields: Vec<&str> = fields.collect();
    let field = |index: usize| fields.get(index).and_then(|text| text.parse::<f64>().ok());
    field(11).unwrap_or_default() + field(12).unwrap_or_default()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
