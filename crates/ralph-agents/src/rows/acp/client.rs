//! Our side of the protocol, without processes: messages in, messages out.

use std::path::Path;

use serde_json::{Value, json};

use super::event;
use super::permission::PermissionAnswers;
use crate::line::one_line;

/// Number of requests of an agent in one turn. More are a flood.
const MOST_REQUESTS: u32 = 10_000;

/// The error code for a method that a peer does not have.
const NO_METHOD: i64 = -32601;

/// What an agent is to do.
#[derive(Clone, Debug)]
pub(in crate::rows) struct AcpTask<'a> {
    /// The project's root.
    pub(in crate::rows) root: &'a Path,
    /// The prompt.
    pub(in crate::rows) prompt: String,
    /// The conversation to go on with.
    pub(in crate::rows) resumed: Option<&'a str>,
    /// Our permission mode.
    pub(in crate::rows) mode: &'a str,
    /// The agent's own mode for it.
    pub(in crate::rows) session_mode: Option<&'a str>,
    /// The model to ask for.
    pub(in crate::rows) model: Option<&'a str>,
}

/// Messages to send to the agent, and events to tell the listener.
#[derive(Debug, Default)]
pub(super) struct AcpOutbox {
    pub(super) sent: Vec<Value>,
    pub(super) told: Vec<Value>,
}

/// The step of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AcpStep {
    Initialize,
    Open,
    SetMode,
    SetModel,
    Prompt,
    Over { worked: bool },
}

/// Our side of one turn.
pub(super) struct AcpClient<'a> {
    task: AcpTask<'a>,
    step: AcpStep,
    /// The id and the method of the request that waits for its answer.
    pending: (u64, &'static str),
    session: String,
    permissions: PermissionAnswers<'a>,
    requests: u32,
    /// The answer to the request that opened the session.
    opened: Value,
    outbox: AcpOutbox,
}

impl<'a> AcpClient<'a> {
    /// Begins with the first request.
    pub(super) fn new(task: AcpTask<'a>) -> Self {
        let mut client = Self {
            permissions: PermissionAnswers::new(task.mode, task.root),
            session: task.resumed.unwrap_or_default().to_owned(),
            task,
            step: AcpStep::Initialize,
            pending: (0, "initialize"),
            requests: 0,
            opened: Value::Null,
            outbox: AcpOutbox::default(),
        };
        let params = json!({
            "protocolVersion": 1,
            "clientCapabilities": {
                "fs": { "readTextFile": false, "writeTextFile": false },
                "terminal": false,
            },
            "clientInfo": { "name": "ralph", "title": "ralph", "version": env!("CARGO_PKG_VERSION") },
        });
        client.ask(AcpStep::Initialize, "initialize", &params);
        client
    }

    /// Returns what there is to send and to tell.
    pub(super) fn take_outbox(&mut self) -> AcpOutbox {
        std::mem::take(&mut self.outbox)
    }

    /// Returns true if nothing more is expected.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.step, AcpStep::Over { .. })
    }

    /// Returns true while the model works.
    pub(super) fn is_at_work(&self) -> bool {
        self.step == AcpStep::Prompt
    }

    /// Returns whether the turn came to its end; `None` before it is over.
    pub(super) fn has_worked(&self) -> Option<bool> {
        match self.step {
            AcpStep::Over { worked } => Some(worked),
            AcpStep::Initialize
            | AcpStep::Open
            | AcpStep::SetMode
            | AcpStep::SetModel
            | AcpStep::Prompt => None,
        }
    }

    /// Returns the method of the request that waits for its answer.
    pub(super) fn waits_for(&self) -> &'static str {
        self.pending.1
    }

    /// Ends the turn with an error.
    pub(super) fn fail(&mut self, what: &str) {
        if !self.is_over() {
            self.outbox.told.push(event("failed", &one_line(what, 500)));
            self.step = AcpStep::Over { worked: false };
        }
    }

    /// Asks the agent to end its work.
    pub(super) fn cancel(&mut self) {
        if self.is_at_work() {
            self.notify("session/cancel", &json!({ "sessionId": self.session }));
        }
    }

    /// Takes a message of the agent.
    pub(super) fn hear(&mut self, line: &Value) {
        if self.is_over() {
            return;
        }
        match (line["method"].as_str(), line.get("id")) {
            (Some(method), Some(id)) if !id.is_null() => self.answer(method, id, &line["params"]),
            (Some("session/update"), _) => self.update(line),
            (None, Some(id)) if *id == self.pending.0 => self.answered(line),
            // News of other kinds, and answers that nobody waits for.
            (_, _) => {}
        }
    }

    /// Answers a request of the agent.
    fn answer(&mut self, method: &str, id: &Value, params: &Value) {
        self.requests += 1;
        if self.requests > MOST_REQUESTS {
            self.fail(&format!("the agent sent more than {MOST_REQUESTS} requests in one turn"));
            return;
        }
        let body = if method == "session/request_permission" {
            let (outcome, refused) = self.permissions.answer(params);
            if let Some(what) = refused {
                self.outbox.told.push(event("refused", &what));
            }
            json!({ "jsonrpc": "2.0", "id": id, "result": { "outcome": outcome } })
        } else {
            let message = format!("ralph does not have `{}`", one_line(method, 80));
            let error = json!({ "code": NO_METHOD, "message": message });
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        };
        self.outbox.sent.push(body);
    }

    /// Passes news of the turn on. What comes before the prompt is the past of
    /// a conversation, and other sessions are not ours.
    fn update(&mut self, line: &Value) {
        let params = &line["params"];
        self.permissions.note(&params["update"]);
        if self.is_at_work() && params["sessionId"] == self.session {
            self.outbox.told.push(line.clone());
        }
    }

    /// Takes the answer to our request.
    fn answered(&mut self, line: &Value) {
        if let Some(error) = line.get("error").filter(|error| !error.is_null()) {
            self.refused(&in_words(error));
            return;
        }
        let result = &line["result"];
        match self.step {
            AcpStep::Initialize => self.open(result),
            AcpStep::Open => self.begin(result),
            AcpStep::SetMode => self.set_model(),
            AcpStep::SetModel => self.prompt(),
            AcpStep::Prompt => self.end(line),
            AcpStep::Over { .. } => {}
        }
    }

    /// Takes an error instead of an answer.
    fn refused(&mut self, what: &str) {
        match self.step {
            AcpStep::Open if self.task.resumed.is_some() => {
                self.outbox.told.push(event("lost", what));
                self.step = AcpStep::Over { worked: false };
            }
            // Without it the agent asks more often, which we answer.
            AcpStep::SetMode => {
                self.outbox.told.push(event("note", &format!("its mode was not set: {what}")));
                self.set_model();
            }
            AcpStep::SetModel => {
                let model = self.task.model.unwrap_or_default();
                self.fail(&format!("the agent does not take the model `{model}`: {what}"));
            }
            AcpStep::Initialize | AcpStep::Open | AcpStep::Prompt | AcpStep::Over { .. } => {
                self.fail(what);
            }
        }
    }

    fn open(&mut self, result: &Value) {
        if result["protocolVersion"] != 1 {
            let version = &result["protocolVersion"];
            self.fail(&format!("the agent speaks version {version} of the protocol, not 1"));
            return;
        }
        let can = &result["agentCapabilities"];
        let mut params = json!({ "cwd": self.task.root, "mcpServers": [] });
        let method = match self.task.resumed {
            None => "session/new",
            Some(id) => {
                params["sessionId"] = id.into();
                let resumes = &can["sessionCapabilities"]["resume"];
                if resumes.is_object() || *resumes == true {
                    "session/resume"
                } else if can["loadSession"] == true {
                    "session/load"
                } else {
                    self.refused_conversation();
                    return;
                }
            }
        };
        self.ask(AcpStep::Open, method, &params);
    }

    fn refused_conversation(&mut self) {
        self.step = AcpStep::Open;
        self.refused("the agent cannot go on with a conversation");
    }

    fn begin(&mut self, result: &Value) {
        if let Some(id) = result["sessionId"].as_str() {
            id.clone_into(&mut self.session);
        }
        if self.session.is_empty() {
            self.fail("the agent began a session without a name");
            return;
        }
        self.outbox.told.push(json!({ "ralph": "session", "id": self.session }));
        self.opened = result.clone();
        let Some(mode) = self.task.session_mode else {
            self.set_model();
            return;
        };
        let modes = result["modes"]["availableModes"].as_array().into_iter().flatten();
        let mut ids = modes.filter_map(|known| known["id"].as_str());
        if ids.any(|id| id == mode) {
            let params = json!({ "sessionId": self.session, "modeId": mode });
            self.ask(AcpStep::SetMode, "session/set_mode", &params);
        } else if let Some(option) = self.option("mode", mode) {
            self.ask(AcpStep::SetMode, "session/set_config_option", &option);
        } else {
            self.step = AcpStep::SetMode;
            self.refused(&format!("there is no mode `{mode}`"));
        }
    }

    /// Returns the parameters that give an option of this kind this value, if
    /// the agent has both.
    fn option(&self, kind: &str, value: &str) -> Option<Value> {
        let options = self.opened["configOptions"].as_array()?;
        let is_kind = |option: &&Value| option["category"] == kind || option["id"] == kind;
        let has = |option: &&Value| {
            let known = option["options"].as_array().into_iter().flatten();
            // Some have addresses for values, which end with the name.
            let fits = |known: &Value| {
                let text = known["value"].as_str()?;
                (text == value || text.rsplit(['#', '/']).next() == Some(value)).then_some(())
            };
            known.into_iter().any(|known| fits(known).is_some())
        };
        let option = options.iter().filter(is_kind).find(has)?;
        let values =
            option["options"].as_array()?.iter().filter_map(|known| known["value"].as_str());
        let exact = values.into_iter().find(|text| text.ends_with(value))?;
        Some(json!({ "sessionId": self.session, "configId": option["id"], "value": exact }))
    }

    fn set_model(&mut self) {
        let Some(model) = self.task.model else {
            self.prompt();
            return;
        };
        if self.opened["models"].is_object() {
            let params = json!({ "sessionId": self.session, "modelId": model });
            self.ask(AcpStep::SetModel, "session/set_model", &params);
        } else if let Some(option) = self.option("model", model) {
            self.ask(AcpStep::SetModel, "session/set_config_option", &option);
        } else {
            self.step = AcpStep::SetModel;
            self.refused("it has no such model");
        }
    }

    fn prompt(&mut self) {
        let blocks = json!([{ "type": "text", "text": self.task.prompt }]);
        let params = json!({ "sessionId": self.session, "prompt": blocks });
        self.ask(AcpStep::Prompt, "session/prompt", &params);
    }

    /// Takes the end of the turn.
    fn end(&mut self, line: &Value) {
        self.outbox.told.push(line.clone());
        match line["result"]["stopReason"].as_str() {
            Some("end_turn" | "max_tokens" | "max_turn_requests") => {
                self.outbox.told.push(event("done", ""));
                self.step = AcpStep::Over { worked: true };
            }
            Some("refusal") => self.fail("the model refuses the task"),
            Some("cancelled") => self.fail("the turn was cancelled"),
            other => {
                let reason = other.unwrap_or("none");
                self.fail(&format!("the turn ended without a known reason ({reason})"));
            }
        }
    }

    fn ask(&mut self, step: AcpStep, method: &'static str, params: &Value) {
        self.step = step;
        self.pending = (self.pending.0 + 1, method);
        self.outbox.sent.push(
            json!({ "jsonrpc": "2.0", "id": self.pending.0, "method": method, "params": params }),
        );
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.outbox.sent.push(json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }
}

/// Returns the message of an error, with what it adds.
fn in_words(error: &Value) -> String {
    let message = error["message"].as_str().unwrap_or("the agent reports an error");
    let data = &error["data"];
    let fields = [data, &data["message"], &data["details"]];
    match fields.into_iter().find_map(Value::as_str) {
        Some(more) => format!("{message}: {more}"),
        None if data.is_null() => message.to_owned(),
        None => format!("{message}: {}", one_line(&data.to_string(), 300)),
    }
}

#[cfg(test)]
#[path = "client_tests.rs"]
#[expect(clippy::needless_pass_by_value, reason = "messages are written where they are used")]
mod tests;

#[cfg(test)]
#[path = "recorded_tests.rs"]
mod recorded_tests;
