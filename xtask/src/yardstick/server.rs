//! References that a language server finds.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::inside;
use super::ours::IndexedDefinition;
use super::sources::YardstickServer;
use crate::failure::TaskFailure;

/// A server that was started for a project.
pub(super) struct YardstickClient {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    project: PathBuf,
    language: &'static str,
    last: u64,
    opened: BTreeSet<String>,
    /// The tokens of work that the server reported as ended.
    ended: Vec<String>,
}

impl YardstickClient {
    /// Starts a server on this search path and waits until it has read the project.
    pub(super) fn start(
        server: &YardstickServer,
        project: &Path,
        path: &str,
    ) -> Result<Self, TaskFailure> {
        let log = project.with_extension(format!("{}.log", server.program));
        let log = fs::File::create(&log).map_err(|error| TaskFailure::io(&log, &error))?;
        let mut child = Command::new(server.program)
            .args(server.args)
            .current_dir(project)
            .env("PATH", path)
            .env("GOPROXY", "off")
            .env("GOFLAGS", "-mod=mod")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(|error| TaskFailure::Failed(format!("{}: {error}", server.program)))?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(TaskFailure::Failed(format!("{}: no pipe", server.program)));
        };
        let mut client = Self {
            child,
            to,
            from: BufReader::new(from),
            project: project.to_owned(),
            language: server.language,
            last: 0,
            opened: BTreeSet::new(),
            ended: Vec::new(),
        };
        let root = client.uri("");
        client.ask("initialize", &json!({
            "processId": null,
            "rootUri": root,
            "workspaceFolders": [{ "uri": root, "name": "project" }],
            "capabilities": { "window": { "workDoneProgress": true }, "workspace": { "configuration": true } },
        }))?;
        client.tell("initialized", &json!({}))?;
        if let Some(work) = server.waits_for {
            let first = first_file(project, server.language);
            client.open(&first)?;
            while !client.ended.iter().any(|ended| ended == work) {
                client.next()?;
            }
        }
        Ok(client)
    }

    /// Returns the uses of a definition, without its own place.
    pub(super) fn references(
        &mut self,
        definition: &IndexedDefinition,
    ) -> Result<Vec<(String, u64)>, TaskFailure> {
        self.open(&definition.path)?;
        let answer = self.ask("textDocument/references", &json!({
            "textDocument": { "uri": self.uri(&definition.path) },
            "position": { "line": definition.line.saturating_sub(1), "character": definition.column },
            "context": { "includeDeclaration": false },
        }))?;
        let places = answer.as_array().into_iter().flatten().filter_map(|place| {
            let path = place["uri"].as_str()?.strip_prefix("file://")?;
            let line = place["range"]["start"]["line"].as_u64()? + 1;
            Some((inside(&self.project, Path::new(path))?, line))
        });
        Ok(places.collect())
    }

    /// Ends the server.
    pub(super) fn end(mut self) -> Result<(), TaskFailure> {
        self.ask("shutdown", &Value::Null)?;
        self.tell("exit", &Value::Null)?;
        let ended = self.child.wait();
        ended
            .map(|_| ())
            .map_err(|error| TaskFailure::Failed(format!("the server did not end: {error}")))
    }

    fn uri(&self, path: &str) -> String {
        format!("file://{}", self.project.join(path).display())
    }

    fn open(&mut self, path: &str) -> Result<(), TaskFailure> {
        if !self.opened.insert(path.to_owned()) {
            return Ok(());
        }
        let file = self.project.join(path);
        let text = fs::read(&file).map_err(|error| TaskFailure::io(&file, &error))?;
        let document = json!({
            "uri": self.uri(path),
            "languageId": self.language,
            "version": 1,
            "text": String::from_utf8_lossy(&text),
        });
        self.tell("textDocument/didOpen", &json!({ "textDocument": document }))
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, TaskFailure> {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let message = self.next()?;
            if message["id"] == id && message.get("method").is_none() {
                return Ok(message["result"].clone());
            }
        }
    }

    fn tell(&mut self, method: &str, params: &Value) -> Result<(), TaskFailure> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    fn send(&mut self, message: &Value) -> Result<(), TaskFailure> {
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len())
            .and_then(|()| self.to.flush())
            .map_err(|error| TaskFailure::Failed(format!("the server went away: {error}")))
    }

    /// Returns the next message, and answers the server's requests.
    fn next(&mut self) -> Result<Value, TaskFailure> {
        let message = self.receive()?;
        if message["method"] == "$/progress" && message["params"]["value"]["kind"] == "end" {
            let token = message["params"]["token"].as_str().unwrap_or_default();
            self.ended.push(token.to_owned());
        }
        if let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) {
            let result = match method {
                "workspace/configuration" => {
                    let items = message["params"]["items"].as_array().map_or(0, Vec::len);
                    json!(vec![Value::Null; items])
                }
                _ => Value::Null,
            };
            self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))?;
        }
        Ok(message)
    }

    fn receive(&mut self) -> Result<Value, TaskFailure> {
        let broken =
            |error: std::io::Error| TaskFailure::Failed(format!("the server went away: {error}"));
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.from.read_line(&mut line).map_err(broken)? == 0 {
                return Err(TaskFailure::Failed("the server ended by itself".to_owned()));
            }
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some(number) = line.strip_prefix("Content-Length: ") {
                length = number.parse().unwrap_or(0);
            }
        }
        let mut text = vec![0; length];
        self.from.read_exact(&mut text).map_err(broken)?;
        Ok(serde_json::from_slice(&text).unwrap_or_default())
    }
}

/// Returns a file whose opening tells the server where the project is.
fn first_file(project: &Path, language: &str) -> String {
    let mut folders = vec![project.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(&folder).into_iter().flatten().flatten().map(|it| it.path()).collect();
        entries.sort();
        let is_code = |path: &&PathBuf| path.extension().is_some_and(|end| end == language);
        if let Some(path) = entries.iter().find(is_code).and_then(|path| inside(project, path)) {
            return path;
        }
        folders.extend(entries.into_iter().filter(|path| path.is_dir()));
    }
    String::new()
}
