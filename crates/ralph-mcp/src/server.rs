//! The asynchronous server around the tools.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, Tool as Listed, ToolAnnotations,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde_json::Value;
use tokio::sync::{Mutex, Semaphore};

use crate::bounded::{self, MOST_ANSWER};
use crate::tool::{CallConcurrency, CallEffect, ServerTool, ToolAnswer, ToolCall, ToolCallError};
use crate::transport::Connection;

/// Maximum number of calls that run at a time. More are refused.
const MOST_CALLS: usize = 16;

/// Time that a function has to notice the end of the connection. Its children
/// die with this process.
const FAREWELL: Duration = Duration::from_secs(3);

/// The server's description for clients.
#[derive(Clone, Copy, Debug)]
pub struct ServerDescription {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// Its purpose, for the model that may call its tools.
    pub instructions: &'static str,
}

/// The reason why serving failed.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The system refused to start a thread.
    #[error("a thread cannot be started: {0}")]
    Thread(#[from] io::Error),
    /// The handshake with the client failed.
    #[error("the client did not begin a session: {0}")]
    Handshake(Box<ServerInitializeError>),
}

/// Serves `tools` on standard input and output until the client is gone.
pub fn serve(about: ServerDescription, tools: Vec<ServerTool>) -> Result<(), ServeError> {
    let closing = Arc::new(AtomicBool::new(false));
    let input = io::BufReader::with_capacity(64 * 1024, io::stdin());
    let connection = Connection::open(input, io::stdout(), Arc::clone(&closing))?;
    let server = ToolServer {
        about,
        tools: tools.into_iter().map(Arc::new).collect(),
        closing,
        alone: Arc::default(),
        room: Arc::new(Semaphore::new(MOST_CALLS)),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let outcome = runtime.block_on(async {
        let running = match server.serve(connection).await {
            Ok(running) => running,
            // It left before it sent anything, which is no error.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(ServeError::Handshake(Box::new(error))),
        };
        // The reason for its end is not asked for.
        let _ = running.waiting().await;
        Ok(())
    });
    runtime.shutdown_timeout(FAREWELL);
    outcome
}

struct ToolServer {
    about: ServerDescription,
    tools: Vec<Arc<ServerTool>>,
    closing: Arc<AtomicBool>,
    alone: Arc<Mutex<()>>,
    room: Arc<Semaphore>,
}

impl ServerHandler for ToolServer {
    fn get_info(&self) -> ServerConfig {
        let ServerDescription { name, version, instructions } = self.about;
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(name, version))
            .with_instructions(instructions)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools.iter().map(|tool| listed(tool)).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.tools.iter().find(|tool| tool.spec.name == request.name);
        let tool = tool.cloned().ok_or_else(|| self.unknown(&request.name))?;
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let call = ToolCall::of(&self.closing);
        let answered = tokio::select! {
            answered = self.run(Arc::clone(&tool), arguments, call.clone()) => answered,
            () = context.ct.cancelled() => Err(ToolCallError("the call was cancelled".to_owned())),
            () = tokio::time::sleep(tool.spec.patience) => Err(ToolCallError(format!(
                "{} took longer than {} seconds and was ended",
                tool.spec.name,
                tool.spec.patience.as_secs()
            ))),
        };
        // The function may stop if it still runs.
        call.end();
        Ok(result(answered).into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A known request with a wrong shape arrives here as well.
        let (code, text) = match request.method.as_str() {
            "tools/call" => (
                ErrorCode::INVALID_PARAMS,
                "tools/call: `name` must be a text and `arguments` an object".to_owned(),
            ),
            method => (ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`")),
        };
        Err(ErrorData::new(code, text, None))
    }
}

impl ToolServer {
    /// Calls a tool on a thread of its own, once it may run.
    async fn run(
        &self,
        tool: Arc<ServerTool>,
        arguments: Value,
        call: ToolCall,
    ) -> Result<ToolAnswer, ToolCallError> {
        let room = Arc::clone(&self.room).try_acquire_owned().map_err(|_| {
            ToolCallError(format!("{MOST_CALLS} calls are under way; wait until one is done"))
        })?;
        let turn = match tool.spec.company {
            CallConcurrency::Any => None,
            CallConcurrency::Alone => Some(Arc::clone(&self.alone).lock_owned().await),
        };
        let work = tokio::task::spawn_blocking(move || {
            // Held until the function is done, even if the client no longer
            // waits.
            let _held = (room, turn);
            tool.call(arguments, &call)
        });
        work.await.unwrap_or_else(|_| {
            Err(ToolCallError("ralph broke down; its standard error says why".to_owned()))
        })
    }

    fn unknown(&self, name: &str) -> ErrorData {
        let known: Vec<&str> = self.tools.iter().map(|tool| tool.spec.name).collect();
        let name: String = name.chars().take(80).collect();
        let text = format!("there is no tool `{name}`; there are {}", known.join(", "));
        ErrorData::invalid_params(text, None)
    }
}

fn listed(tool: &ServerTool) -> Listed {
    let spec = &tool.spec;
    let annotations = ToolAnnotations::with_title(spec.title)
        .read_only(spec.effect == CallEffect::Reads)
        .destructive(false)
        .idempotent(spec.effect != CallEffect::Records)
        .open_world(false);
    Listed::new(spec.name, spec.description, tool.schema.clone())
        .with_title(spec.title)
        .with_annotations(annotations)
}

/// Returns an answer in the form of the protocol. Some clients show the model
/// only the structured content, others only the text: both say the same.
fn result(answered: Result<ToolAnswer, ToolCallError>) -> CallToolResult {
    match answered {
        Ok(ToolAnswer { data, note }) => {
            let mut data = bounded::shorten(data, MOST_ANSWER);
            if let (Some(note), Value::Object(fields)) = (note, &mut data) {
                fields.insert("note".to_owned(), note.into());
            }
            let mut result = CallToolResult::success(vec![ContentBlock::text(data.to_string())]);
            result.structured_content = Some(data);
            result
        }
        Err(ToolCallError(text)) => CallToolResult::error(vec![ContentBlock::text(text)]),
    }
}
