//! A conversation with one server, from the greeting to the goodbye.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::ServerFailure;
use super::answers;
use super::documents::{
    DiagnosticsDelivery, DiagnosticsRequest, OpenDocuments, ServerNotification,
};
use super::framing::encode;
use super::process::{ServerConnection, ServerEvent};
use super::servers::{LanguageServer, ServerQuirk};
use super::uri;
use super::wire::{
    DocumentReport, LspDiagnostic, LspMessage, LspProgress, LspRegistrationChange,
    PublishDiagnostics,
};

const INITIALIZE: &str = "initialize";
const DIAGNOSTIC: &str = "textDocument/diagnostic";

/// The time in which a server that answered may still say that its answer is stale.
const SECOND_THOUGHTS: Duration = Duration::from_millis(50);

/// The time in which a server that refreshes first must do so. Older versions of it may not do so
/// at all.
const FIRST_REFRESH: Duration = Duration::from_secs(5);

/// The number of times a server is asked again because it says its answers are stale.
const MAX_DOUBTS: u32 = 4;

/// The answer to a question about some files.
#[derive(Debug, Default)]
pub(super) struct SessionDiagnostics {
    /// The known diagnostics; with trouble some files may be missing.
    pub(super) found: Vec<(PathBuf, Vec<LspDiagnostic>)>,
    /// The reason why that is not everything.
    pub(super) trouble: Option<ServerFailure>,
}

/// The state of a conversation.
#[derive(Debug)]
pub(super) struct LspSession {
    link: ServerConnection,
    root: PathBuf,
    settings: Value,
    quiet: Duration,
    state: LspSessionState,
    documents: OpenDocuments,
    next_id: i64,
    /// Questions without an answer yet: the file and its version.
    asked: HashMap<i64, (PathBuf, i64)>,
    /// Work the server says it is doing, by token.
    working: BTreeMap<String, String>,
    /// True if the server wants to hear of saved files.
    wants_saves: bool,
    /// True if the server said at the start that it answers questions.
    answers_questions: bool,
    /// The ids under which it registered later to answer questions.
    registered: BTreeSet<String>,
    doubts: u32,
    /// Until when the answers are only guesses.
    guesses_until: Option<Instant>,
    /// The time at which the current question was asked.
    began: Instant,
    last_word: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LspSessionState {
    /// The greeting with this id has no answer yet.
    Greeting(i64),
    Ready,
}

impl LspSession {
    /// Greets a server started in `root`.
    pub(super) fn new(link: ServerConnection, server: &LanguageServer, root: &Path) -> Self {
        let mut session = Self {
            link,
            root: root.to_owned(),
            settings: server.settings.clone(),
            quiet: server.quiet,
            state: LspSessionState::Greeting(0),
            documents: OpenDocuments::default(),
            next_id: 0,
            asked: HashMap::new(),
            working: BTreeMap::new(),
            wants_saves: false,
            answers_questions: false,
            registered: BTreeSet::new(),
            doubts: 0,
            guesses_until: None,
            began: Instant::now(),
            last_word: Instant::now(),
        };
        if server.quirks.contains(&ServerQuirk::RefreshesFirst) {
            session.guesses_until = Some(Instant::now() + FIRST_REFRESH);
        }
        let greeting = session.greeting();
        session.state = LspSessionState::Greeting(session.request(INITIALIZE, &greeting));
        session
    }

    /// Asks about files as they are on disk now, until they are answered and
    /// settled or the time is over.
    pub(super) fn diagnose(
        &mut self,
        files: &[DiagnosticsRequest],
        until: Instant,
    ) -> SessionDiagnostics {
        self.began = Instant::now();
        let trouble = self.wait(files, until).err();
        let way = self.way();
        let answered = files.iter().filter(|file| self.documents.is_answered(&file.path, way));
        let found =
            answered.map(|file| (file.path.clone(), self.documents.diagnostics(&file.path)));
        SessionDiagnostics { found: found.collect(), trouble }
    }

    fn wait(&mut self, files: &[DiagnosticsRequest], until: Instant) -> Result<(), ServerFailure> {
        while self.state != LspSessionState::Ready {
            self.step(until, || "it is still starting".to_owned())?;
        }
        self.doubts = 0;
        self.drain()?;
        for (method, params) in self.documents.sync(files) {
            if method != "textDocument/didSave" || self.wants_saves {
                self.notify(&(method, params));
            }
        }
        if self.way() == DiagnosticsDelivery::Pull {
            // Other files may have changed what is right about these.
            self.documents.doubt();
        }
        loop {
            self.ask(files);
            match self.settles_at(files) {
                Some(at) if at <= Instant::now() => return Ok(()),
                Some(at) if at <= until => {
                    if let Some(heard) = self.link.receive(left(at)) {
                        self.take(heard)?;
                    }
                }
                Some(_) | None => {
                    let missing = self.describe_missing(files);
                    self.step(until, || missing)?;
                }
            }
        }
    }

    /// Ends the conversation in good order, as far as the server goes along.
    pub(super) fn say_goodbye(&mut self, until: Instant) {
        if self.state != LspSessionState::Ready {
            return;
        }
        let id = self.request("shutdown", &Value::Null);
        self.asked.insert(id, (PathBuf::new(), 0));
        while self.asked.contains_key(&id) && left(until) > Duration::ZERO {
            if self.step(until, String::new).is_err() {
                return;
            }
        }
        self.notify(&("exit", Value::Null));
        while self.step(until, String::new).is_ok() {}
    }

    /// Takes the next thing that comes; too late is trouble.
    fn step(&mut self, until: Instant, what: impl FnOnce() -> String) -> Result<(), ServerFailure> {
        if let Some(heard) = self.link.receive(left(until)) {
            return self.take(heard);
        }
        Err(ServerFailure::Slow { waited_ms: self.began.elapsed().as_millis(), what: what() })
    }

    /// Takes what came since the last question.
    fn drain(&mut self) -> Result<(), ServerFailure> {
        while let Some(heard) = self.link.receive(Duration::ZERO) {
            self.take(heard)?;
        }
        Ok(())
    }

    /// Asks about what is not answered, where the server answers questions.
    fn ask(&mut self, files: &[DiagnosticsRequest]) {
        if self.way() == DiagnosticsDelivery::Push {
            return;
        }
        for DiagnosticsRequest { path, .. } in files {
            let Some(version) = self.documents.version(path) else { continue };
            let under_way = self.asked.values().any(|asked| asked == &(path.clone(), version));
            if under_way || self.documents.is_answered(path, DiagnosticsDelivery::Pull) {
                continue;
            }
            let params = json!({ "textDocument": { "uri": uri::from_path(path) } });
            let id = self.request(DIAGNOSTIC, &params);
            self.asked.insert(id, (path.clone(), version));
        }
    }

    /// Returns the time at which the answers count if nothing else comes; `None` while some are
    /// missing.
    fn settles_at(&self, files: &[DiagnosticsRequest]) -> Option<Instant> {
        let way = self.way();
        if !files.iter().all(|file| self.documents.is_answered(&file.path, way)) {
            return None;
        }
        match way {
            DiagnosticsDelivery::Pull => {
                let settled = self.last_word + SECOND_THOUGHTS;
                Some(self.guesses_until.map_or(settled, |until| until.max(settled)))
            }
            // The first push may be a guess: while the server works on, and
            // until it was silent for a while, more may come.
            DiagnosticsDelivery::Push => {
                self.working.is_empty().then(|| self.last_word + self.quiet)
            }
        }
    }

    fn describe_missing(&self, files: &[DiagnosticsRequest]) -> String {
        let way = self.way();
        let mut missing = files.iter().filter(|file| !self.documents.is_answered(&file.path, way));
        let work = self.working.values().find(|title| !title.is_empty());
        let busy = work.map_or_else(String::new, |title| format!(", it is busy with `{title}`"));
        let Some(first) = missing.next() else { return format!("it has not settled{busy}") };
        let name = first.path.strip_prefix(&self.root).unwrap_or(&first.path).display();
        match missing.count() {
            0 => format!("nothing about {name}{busy}"),
            more => format!("nothing about {name} and {more} more{busy}"),
        }
    }

    fn way(&self) -> DiagnosticsDelivery {
        if self.answers_questions || !self.registered.is_empty() {
            DiagnosticsDelivery::Pull
        } else {
            DiagnosticsDelivery::Push
        }
    }

    fn take(&mut self, heard: ServerEvent) -> Result<(), ServerFailure> {
        let message = match heard {
            ServerEvent::Message(message) => *message,
            ServerEvent::Gone(trouble) => return Err(trouble),
        };
        match (message.method.as_deref(), &message.id) {
            (Some(method), Some(id)) => {
                self.note_request(method, &message.params);
                let mut reply =
                    answers::answer(method, &message.params, &self.settings, &self.root);
                reply["id"] = id.clone();
                self.send(reply);
                Ok(())
            }
            (Some(method), None) => {
                self.take_notification(method, message.params);
                Ok(())
            }
            (None, Some(id)) => match id.as_i64() {
                Some(id) => self.take_response(id, message),
                None => Ok(()),
            },
            (None, None) => Ok(()),
        }
    }

    /// Requests that change what we know of the server.
    fn note_request(&mut self, method: &str, params: &Value) {
        match method {
            "client/registerCapability" | "client/unregisterCapability" => {
                let Ok(said) = LspRegistrationChange::deserialize(params) else { return };
                let ours = said.registrations.into_iter().filter(|one| one.method == DIAGNOSTIC);
                self.registered.extend(ours.map(|one| one.id));
                for gone in said.unregisterations {
                    self.registered.remove(&gone.id);
                }
            }
            "workspace/diagnostic/refresh" if self.doubts < MAX_DOUBTS => {
                self.doubts += 1;
                self.guesses_until = None;
                self.asked.clear();
                self.documents.doubt();
            }
            _ => {}
        }
    }

    fn take_notification(&mut self, method: &str, params: Value) {
        match method {
            "textDocument/publishDiagnostics" => {
                let Ok(pushed) = serde_json::from_value::<PublishDiagnostics>(params) else {
                    return;
                };
                if let Some(path) = uri::to_path(&pushed.uri) {
                    self.documents.push(&path, pushed.version, pushed.diagnostics);
                    self.last_word = Instant::now();
                }
            }
            "$/progress" => {
                let Ok(progress) = serde_json::from_value::<LspProgress>(params) else { return };
                let token = progress.token.to_string();
                match progress.value.kind.as_str() {
                    "begin" => drop(self.working.insert(token, progress.value.title)),
                    "end" => {
                        self.working.remove(&token);
                        self.last_word = Instant::now();
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn take_response(&mut self, id: i64, message: LspMessage) -> Result<(), ServerFailure> {
        if self.state == LspSessionState::Greeting(id) {
            return self.take_greeting(message);
        }
        // An answer to a question that was given up is of no use any more.
        let Some((path, version)) = self.asked.remove(&id) else { return Ok(()) };
        match message.error {
            // Asked again at the next look.
            Some(error) if error.is_passing() => Ok(()),
            Some(error) => {
                Err(ServerFailure::Refused { method: DIAGNOSTIC, message: error.message })
            }
            None => {
                let report = serde_json::from_value::<Option<DocumentReport>>(message.result);
                let report = report.map_err(|error| ServerFailure::Broken(error.to_string()))?;
                self.documents.pull(&path, version, report.and_then(|report| report.items));
                self.last_word = Instant::now();
                Ok(())
            }
        }
    }

    fn take_greeting(&mut self, message: LspMessage) -> Result<(), ServerFailure> {
        if let Some(error) = message.error {
            return Err(ServerFailure::Refused { method: INITIALIZE, message: error.message });
        }
        let can = &message.result["capabilities"];
        self.answers_questions = can["diagnosticProvider"].is_object();
        self.wants_saves = match &can["textDocumentSync"]["save"] {
            Value::Bool(wanted) => *wanted,
            Value::Object(_) => true,
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => false,
        };
        self.state = LspSessionState::Ready;
        self.notify(&("initialized", json!({})));
        if !self.settings.is_null() {
            let settings = json!({ "settings": self.settings });
            self.notify(&("workspace/didChangeConfiguration", settings));
        }
        Ok(())
    }

    fn request(&mut self, method: &str, params: &Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        let mut message = json!({ "id": id, "method": method });
        if !params.is_null() {
            message["params"] = params.clone();
        }
        self.send(message);
        id
    }

    fn notify(&self, (method, params): &ServerNotification) {
        let mut message = json!({ "method": method });
        if !params.is_null() {
            message["params"] = params.clone();
        }
        self.send(message);
    }

    fn send(&self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        self.link.send(encode(&message));
    }

    fn greeting(&self) -> Value {
        let tags = json!({ "valueSet": [1, 2] });
        let options = self.settings.as_object().and_then(|sections| sections.values().next());
        json!({
            // It ends with us anyway, and in a sandbox our number means nothing.
            "processId": null,
            "clientInfo": { "name": "ralph", "version": env!("CARGO_PKG_VERSION") },
            "rootPath": self.root.to_string_lossy(),
            "rootUri": uri::from_path(&self.root),
            "workspaceFolders": answers::folders(&self.root),
            "initializationOptions": options.cloned().unwrap_or_else(|| json!({})),
            "capabilities": {
                "general": { "positionEncodings": ["utf-16"] },
                "window": { "workDoneProgress": true },
                "workspace": {
                    "configuration": true,
                    "workspaceFolders": true,
                    "didChangeConfiguration": { "dynamicRegistration": true },
                    "diagnostics": { "refreshSupport": true },
                },
                "textDocument": {
                    "synchronization": { "didSave": true },
                    "publishDiagnostics": { "versionSupport": true, "tagSupport": tags },
                    "diagnostic": { "dynamicRegistration": true, "tagSupport": tags },
                },
            },
        })
    }
}

fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now())
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
