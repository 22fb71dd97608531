//! Runs one turn at a server: connects, chooses the session, and sends the
//! prompt.

use std::time::Duration;

use ralph_core::SessionId;
use ralph_core::policy::OldSession;
use ralph_files::LogFailure as _;
use ralph_proc::Supervisor;
use ralph_redact::redact;
use serde_json::{Value, json};

use super::address::{ServerAddress, shown};
use super::agent::{OpenCodeAgent, OpenCodeState};
use super::courier::{TurnMonitor, UnfinishedTurn, messages};
use super::follow::OpenCodeTurnState;
use super::guard;
use super::http::OpenCodeConnection;
use super::server::OpenCodeServer;
use crate::session::{AgentConversation, TurnSession};
use crate::summary::publish;
use crate::{Agent, TurnInput};

/// Maximum time for the server to start.
const START: Duration = Duration::from_secs(90);

/// Timeout of requests that need work.
const WORK: Duration = Duration::from_mins(3);

/// Timeout of a summary: the model reads the whole conversation.
const SUMMARY: Duration = Duration::from_mins(10);

/// Timeout of requests that need no work.
const QUICK: Duration = Duration::from_secs(15);

/// The inputs of a turn.
#[derive(Clone, Copy)]
pub(super) struct OpenCodeTurn<'a> {
    pub(super) agent: &'a OpenCodeAgent,
    pub(super) turn: &'a TurnInput<'a>,
    pub(super) supervisor: &'a Supervisor,
}

impl OpenCodeTurn<'_> {
    /// Runs the turn to its end.
    pub(super) fn run(
        self,
        desk: &mut OpenCodeState,
        courier: &mut TurnMonitor<'_>,
        follow: &mut OpenCodeTurnState,
    ) -> Result<(), UnfinishedTurn> {
        let wire = self.connect(desk, courier)?;
        desk.wire = Some(wire.clone());
        desk.tell_news();
        let prompt = ralph_files::read_text(self.turn.prompt_file);
        let mut prompt =
            prompt.map_err(|error| UnfinishedTurn::Failed(format!("no prompt: {error}")))?;
        let mut before = Vec::new();
        let session = match self.turn.seat {
            TurnSession::Resumed(session) => {
                before = known(courier, &wire, session)?;
                session.id.to_string()
            }
            TurnSession::After { old, .. } => {
                if let Some(summary) = self.sum_up(courier, &wire, old)? {
                    prompt = format!("{prompt}\n\n<summary>\n{}\n</summary>", summary.trim());
                }
                self.begin(courier, &wire)?
            }
            TurnSession::New(_) | TurnSession::Nowhere => self.begin(courier, &wire)?,
        };
        courier.tell(&json!({ "type": "ralph.session", "id": session, "before": before }));
        *follow = OpenCodeTurnState::new(&session, before);
        courier.deliver(&wire, follow, &self.request(&prompt)?, self.agent.mode())?;
        if follow.has_spoken() {
            self.forget_old(&wire);
        }
        Ok(())
    }

    /// Connects to the server; starts one first if needed.
    fn connect(
        self,
        desk: &mut OpenCodeState,
        courier: &mut TurnMonitor<'_>,
    ) -> Result<OpenCodeConnection, UnfinishedTurn> {
        if let Some(url) = &self.agent.options.attach {
            let address = ServerAddress::parse(url, self.turn.env);
            let address = address.ok_or_else(|| {
                UnfinishedTurn::Failed(format!("`{}` is no address of a server", shown(url)))
            })?;
            return Ok(OpenCodeConnection::new(&address, self.turn.root));
        }
        if let (Some(server), Some(wire)) = (&desk.server, &desk.wire)
            && server.vitals().ended().is_none()
        {
            courier.attend(server.vitals());
            return Ok(wire.clone());
        }
        // Dropping an ended server waits for it, before another one replaces
        // it.
        (desk.server, desk.wire) = (None, None);
        let text = "starting the client's server, which takes some seconds";
        courier.tell(&json!({ "type": "ralph.progress", "text": text }));
        let mut launch = self.agent.launch(self.turn);
        if let Some(folder) = self.turn.prompt_file.parent() {
            guard::post(&mut launch.env, folder);
        }
        let server = OpenCodeServer::start(self.supervisor, launch);
        let server = server.map_err(|error| UnfinishedTurn::Failed(error.to_string()))?;
        let vitals = server.vitals();
        let sign = || server.address().map(Ok).or_else(|| vitals.ended().map(Err));
        let address = match courier.wait_for(START, sign)? {
            Some(Ok(address)) => address,
            Some(Err(how)) => {
                return Err(UnfinishedTurn::Failed(format!(
                    "the OpenCode server did not start: it {how}"
                )));
            }
            None => {
                let (patience, said) = (START.as_secs(), vitals.last_words());
                return Err(UnfinishedTurn::Failed(format!(
                    "the server did not listen within {patience} seconds{said}"
                )));
            }
        };
        courier.attend(vitals);
        desk.server = Some(server);
        Ok(OpenCodeConnection::new(&address, self.turn.root))
    }

    /// Creates a session. Its title saves the client from asking a model for
    /// one.
    fn begin(
        self,
        courier: &mut TurnMonitor<'_>,
        wire: &OpenCodeConnection,
    ) -> Result<String, UnfinishedTurn> {
        let run = self.turn.env.iter().find(|(name, _)| name == "RALPH_RUN_ID");
        let run = run.map_or_else(String::new, |(_, run)| format!(" {}", run.to_string_lossy()));
        let (way, body) = (wire.clone(), json!({ "title": format!("ralph{run}") }));
        let session = courier.ask(move || way.post("/session", &body, WORK))??;
        let id = session["id"].as_str().and_then(SessionId::new);
        Ok(id
            .ok_or_else(|| {
                UnfinishedTurn::Failed("the server began a session without a name".to_owned())
            })?
            .to_string())
    }

    fn request(self, prompt: &str) -> Result<Value, UnfinishedTurn> {
        let options = &self.agent.options;
        let mut body = json!({ "parts": [{ "type": "text", "text": prompt }] });
        if let Some(model) = &options.model {
            let (provider, name) = model.split_once('/').ok_or_else(|| {
                UnfinishedTurn::Failed(format!(
                    "the model `{model}` is not written as PROVIDER/MODEL"
                ))
            })?;
            body["model"] = json!({ "providerID": provider, "modelID": name });
        }
        if let Some(persona) = &options.persona {
            body["agent"] = json!(persona);
        }
        Ok(body)
    }

    /// Requests the client's summary of a session, and saves it in the project.
    /// It is optional: the prompt contains our own record.
    fn sum_up(
        self,
        courier: &mut TurnMonitor<'_>,
        wire: &OpenCodeConnection,
        old: &AgentConversation,
    ) -> Result<Option<String>, UnfinishedTurn> {
        let id = old.id.to_string();
        let (way, name) = (wire.clone(), id.clone());
        let asked = courier.ask(move || {
            let said = messages(&way, &name)?;
            let Some(model) = model_of(&said) else { return Ok(Value::Null) };
            way.post(&format!("/session/{name}/summarize"), &model, SUMMARY)?;
            messages(&way, &name)
        })?;
        let said = match asked {
            Ok(said) => said,
            Err(error) => {
                let text = format!("the old conversation could not be summed up: {error}");
                courier.tell(&json!({ "type": "ralph.remark", "text": text }));
                return Ok(None);
            }
        };
        let Some((info, summary)) = summary_of(&said) else { return Ok(None) };
        courier.tell(&json!({ "type": "ralph.paid", "info": info }));
        let summary = redact(&summary).into_owned();
        let path = super::summary_file(self.turn.root, &old.id);
        if let Err(error) = publish(self.turn.root, &path, &summary) {
            let text = format!("the summary could not be kept: {error}");
            courier.tell(&json!({ "type": "ralph.remark", "text": text }));
        }
        Ok(Some(summary))
    }

    /// Deletes a session that was replaced by another.
    fn forget_old(self, wire: &OpenCodeConnection) {
        let wanted = self.agent.options.old_session == OldSession::Delete;
        if let TurnSession::After { old, .. } = self.turn.seat
            && wanted
        {
            wire.delete(&format!("/session/{}", old.id), QUICK).or_log("deleting the old session");
        }
    }
}

/// Aborts a turn that is still running.
pub(super) fn abort_turn(
    desk: &mut OpenCodeState,
    courier: &mut TurnMonitor<'_>,
    follow: &mut OpenCodeTurnState,
) {
    let Some(wire) = desk.wire.clone() else { return };
    let session = follow.session().to_owned();
    if session.is_empty() {
        return;
    }
    if courier.abort(&wire, &session) {
        if let Ok(messages) = messages(&wire, &session) {
            courier.retell(follow, &messages);
        }
    } else {
        // It would go on unobserved.
        desk.server = None;
    }
}

/// Returns the message ids of a session that is continued.
fn known(
    courier: &mut TurnMonitor<'_>,
    wire: &OpenCodeConnection,
    session: &AgentConversation,
) -> Result<Vec<String>, UnfinishedTurn> {
    let (way, id) = (wire.clone(), session.id.to_string());
    match courier.ask(move || messages(&way, &id))? {
        Ok(said) => {
            let said = said.as_array().into_iter().flatten();
            Ok(said.filter_map(|one| one["info"]["id"].as_str()).map(str::to_owned).collect())
        }
        Err(error) => {
            // An id of another form is rejected as invalid, not as missing.
            if error.is_missing() || !session.id.as_str().starts_with("ses") {
                courier.tell(&json!({ "type": "ralph.lost" }));
            }
            Err(error.into())
        }
    }
}

/// Returns the model of the last answer.
fn model_of(messages: &Value) -> Option<Value> {
    let infos = messages.as_array()?.iter().rev().map(|message| &message["info"]);
    infos.filter(|info| info["role"] == "assistant").find_map(|info| {
        let (provider, model) = (info["providerID"].as_str()?, info["modelID"].as_str()?);
        Some(json!({ "providerID": provider, "modelID": model }))
    })
}

/// Returns the newest summary, with the metadata of its message.
fn summary_of(messages: &Value) -> Option<(&Value, String)> {
    let mut newest = messages.as_array()?.iter().rev();
    let message = newest.find(|message| message["info"]["summary"] == true)?;
    let parts = message["parts"].as_array()?.iter();
    let texts =
        parts.filter(|part| part["type"] == "text").filter_map(|part| part["text"].as_str());
    let text = texts.collect::<Vec<_>>().join("\n\n");
    (!text.trim().is_empty()).then_some((&message["info"], text))
}
