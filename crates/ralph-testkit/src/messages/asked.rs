//! The requests of a client, and who sent them.

use serde_json::Value;

use crate::ReceivedRequest;

/// The sender of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestSender {
    /// The agent that the user talks to.
    Main,
    /// An agent that another one started.
    Subagent,
    /// The client itself, for a title or a summary.
    Aside,
}

/// The header that identifies an agent within its session.
const AGENT_ID: &str = "x-claude-code-agent-id";

/// The header that names the session.
const SESSION_ID: &str = "x-claude-code-session-id";

/// One request of a client, as it arrived.
#[derive(Clone, Debug)]
pub struct ClientRequest {
    /// The sender.
    pub asker: RequestSender,
    /// The request itself.
    pub request: ReceivedRequest,
}

impl ClientRequest {
    pub(super) fn new(request: ReceivedRequest) -> Self {
        Self { asker: asker(&request), request }
    }

    /// Returns the session that it belongs to.
    pub fn session(&self) -> String {
        self.request.header(SESSION_ID).unwrap_or_default().to_owned()
    }

    /// Returns the instructions of the agent.
    pub fn system(&self) -> String {
        texts(&self.request.body["system"]).join("\n")
    }

    /// Returns all messages as roles and texts. Tool results are texts of the
    /// user.
    pub fn messages(&self) -> Vec<(String, String)> {
        let messages = self.request.body["messages"].as_array().into_iter().flatten();
        messages
            .map(|message| {
                let role = message["role"].as_str().unwrap_or_default().to_owned();
                (role, texts(&message["content"]).join("\n"))
            })
            .collect()
    }

    /// Returns all texts since the model's last message.
    pub fn news(&self) -> String {
        let messages = self.messages();
        let last = messages.iter().rposition(|(role, _)| role == "assistant");
        let news = &messages[last.map_or(0, |at| at + 1)..];
        news.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// Returns the first message of the user.
    pub fn opening(&self) -> String {
        let mut messages = self.messages().into_iter();
        messages.find(|(role, _)| role == "user").map(|(_, text)| text).unwrap_or_default()
    }

    /// Returns the names of the offered tools.
    pub fn tools(&self) -> Vec<String> {
        let tools = self.request.body["tools"].as_array().into_iter().flatten();
        tools.filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect()
    }
}

/// Returns the sender: agents are offered tools, the client's own requests are
/// not.
fn asker(request: &ReceivedRequest) -> RequestSender {
    let offers_tools = request.body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    if !offers_tools || asks_for_a_summary(&request.body) {
        return RequestSender::Aside;
    }
    // Only subagents have an id.
    if request.header(AGENT_ID).is_some() { RequestSender::Subagent } else { RequestSender::Main }
}

/// Returns true if a request asks for a summary of the conversation. It offers
/// all the tools of the conversation.
fn asks_for_a_summary(body: &Value) -> bool {
    let last = body["messages"].as_array().and_then(|messages| messages.last());
    let last = last.map(|message| texts(&message["content"]).join("\n")).unwrap_or_default();
    last.contains("create a detailed summary of the conversation")
}

/// Returns the texts in a content, which is a string or a list of blocks.
fn texts(content: &Value) -> Vec<String> {
    if let Some(text) = content.as_str() {
        return vec![text.to_owned()];
    }
    let blocks = content.as_array().into_iter().flatten();
    blocks
        .flat_map(|block| match block["type"].as_str() {
            Some("text") => vec![block["text"].as_str().unwrap_or_default().to_owned()],
            Some("tool_result") => texts(&block["content"]),
            _ => Vec::new(),
        })
        .collect()
}
