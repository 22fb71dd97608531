//! Tools: a description, a schema of the arguments, and a function.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::slim;

/// The effect of a call, as clients see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEffect {
    /// It changes nothing.
    Reads,
    /// It runs the project's own commands, which may write build output.
    Runs,
    /// It changes stored records, and loses nothing.
    Records,
}

/// A rule for calls that run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallConcurrency {
    /// The call may run beside any others.
    Any,
    /// Of all tools with this rule, one call runs at a time.
    Alone,
}

/// A tool's description for clients, and its limits.
#[derive(Clone, Copy, Debug)]
pub struct ToolSpec {
    /// The name for calls.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// Its purpose, for the model that may call it.
    pub description: &'static str,
    /// The effect of a call.
    pub effect: CallEffect,
    /// The rule for calls at the same time.
    pub company: CallConcurrency,
    /// The time limit of a call.
    pub patience: Duration,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolAnswer {
    /// The data, an object.
    pub data: Value,
    /// A message to the model beside the data, sent as its field `note`.
    pub note: Option<String>,
}

impl ToolAnswer {
    /// Returns an answer with data alone.
    pub fn new(data: &impl Serialize) -> Result<Self, ToolCallError> {
        let data = serde_json::to_value(data).map_err(|error| ToolCallError(error.to_string()))?;
        Ok(Self { data, note: None })
    }

    /// Returns the same answer with a message to the model.
    #[must_use]
    pub fn with_note(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }
}

/// The reason why a call failed, for the model to read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolCallError(pub String);

/// One call in progress.
#[derive(Clone, Debug, Default)]
pub struct ToolCall {
    ended: Arc<AtomicBool>,
    closing: Arc<AtomicBool>,
}

impl ToolCall {
    /// Returns a call that ends when the connection does.
    pub(crate) fn of(closing: &Arc<AtomicBool>) -> Self {
        Self { ended: Arc::default(), closing: Arc::clone(closing) }
    }

    /// Returns true if the client no longer waits for the answer. A slow
    /// function checks this several times a second and stops.
    pub fn is_over(&self) -> bool {
        self.ended.load(Ordering::Relaxed) || self.closing.load(Ordering::Relaxed)
    }

    /// Tells the function that the client no longer waits.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

type ToolFunction = dyn Fn(Value, &ToolCall) -> Result<ToolAnswer, ToolCallError> + Send + Sync;

/// One tool of the server.
pub struct ServerTool {
    /// Its description and limits.
    pub(crate) spec: ToolSpec,
    /// The schema of its arguments.
    pub(crate) schema: Map<String, Value>,
    run: Box<ToolFunction>,
}

impl fmt::Debug for ServerTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tool").field(&self.spec.name).finish()
    }
}

impl ServerTool {
    /// Creates a tool whose arguments have the type `I`. That type should
    /// refuse unknown fields: a model would not learn of them otherwise.
    pub fn new<I, F>(spec: ToolSpec, run: F) -> Self
    where
        I: DeserializeOwned + JsonSchema,
        F: Fn(I, &ToolCall) -> Result<ToolAnswer, ToolCallError> + Send + Sync + 'static,
    {
        let schema = slim::schema(schemars::schema_for!(I).as_value());
        let run = move |arguments: Value, call: &ToolCall| run(read(spec.name, &arguments)?, call);
        Self { spec, schema, run: Box::new(run) }
    }

    /// Returns the name for calls.
    pub fn name(&self) -> &'static str {
        self.spec.name
    }

    /// Returns the same tool, behind a guard that every call has to pass first.
    #[must_use]
    pub fn guarded<G>(self, guard: G) -> Self
    where
        G: Fn(&'static str) -> Result<(), ToolCallError> + Send + Sync + 'static,
    {
        let Self { spec, schema, run } = self;
        let guarded = move |arguments: Value, call: &ToolCall| {
            guard(spec.name)?;
            run(arguments, call)
        };
        Self { spec, schema, run: Box::new(guarded) }
    }

    /// Calls it.
    pub(crate) fn call(
        &self,
        arguments: Value,
        call: &ToolCall,
    ) -> Result<ToolAnswer, ToolCallError> {
        if call.is_over() {
            return Err(ToolCallError("nobody waits for this call any more".to_owned()));
        }
        (self.run)(arguments, call)
    }
}

/// Reads the arguments, or returns which one is wrong and how.
fn read<I: DeserializeOwned>(tool: &str, arguments: &Value) -> Result<I, ToolCallError> {
    let reason = match serde_json::from_value::<I>(arguments.clone()) {
        Ok(input) => return Ok(input),
        Err(error) => error.to_string(),
    };
    let field = culprit::<I>(arguments, &reason).filter(|field| !reason.contains(field.as_str()));
    let place = field.map(|field| format!("`{field}`: ")).unwrap_or_default();
    Err(ToolCallError(format!("{tool}: {place}{reason}")))
}

/// Returns the argument that causes the error, if there is one.
fn culprit<I: DeserializeOwned>(arguments: &Value, reason: &str) -> Option<String> {
    // A missing field is the cause itself.
    let fields = arguments.as_object().filter(|_| !reason.starts_with("missing field"))?;
    let is_wrong = |field: &&String| {
        let mut others = fields.clone();
        others.remove(*field);
        let without = serde_json::from_value::<I>(Value::Object(others));
        without.err().is_none_or(|error| error.to_string() != reason)
    };
    fields.keys().find(is_wrong).cloned()
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct RepeatInput {
        task: String,
        #[serde(default)]
        times: Option<u32>,
    }

    fn tool() -> ServerTool {
        let spec = ToolSpec {
            name: "repeat",
            title: "Repeat",
            description: "says it again",
            effect: CallEffect::Reads,
            company: CallConcurrency::Any,
            patience: Duration::from_secs(1),
        };
        ServerTool::new(spec, |input: RepeatInput, _| {
            ToolAnswer::new(&json!({ "said": input.task, "times": input.times }))
        })
    }

    #[test]
    fn a_function_gets_its_arguments_in_their_form() {
        let answer = tool().call(json!({ "task": "a", "times": 2 }), &ToolCall::default()).unwrap();
        assert_eq!(answer.data, json!({ "said": "a", "times": 2 }));
    }

    #[test]
    fn an_argument_that_is_wrong_is_named() {
        for (arguments, message) in [
            (json!({}), "repeat: missing field `task`"),
            (json!({ "times": 1 }), "repeat: missing field `task`"),
            (json!({ "task": "a", "tims": 1 }), "repeat: unknown field `tims`"),
            (json!({ "task": 1 }), "repeat: `task`: invalid type: integer `1`"),
            (json!({ "task": "a", "times": "x" }), "repeat: `times`: invalid type: string \"x\""),
            (json!({ "task": "a", "times": -1 }), "repeat: `times`: invalid value: integer `-1`"),
        ] {
            let refusal = tool().call(arguments, &ToolCall::default()).unwrap_err();
            assert!(refusal.0.starts_with(message), "{refusal}");
        }
    }

    #[test]
    fn the_form_of_the_arguments_is_told() {
        let schema = Value::Object(tool().schema);
        assert_eq!(schema["required"], json!(["task"]));
    }

    #[test]
    fn a_call_is_over_when_it_was_cancelled_or_the_connection_is_gone() {
        let closing = Arc::new(AtomicBool::new(false));
        let (one, other) = (ToolCall::of(&closing), ToolCall::of(&closing));
        one.end();
        assert!(one.is_over() && !other.is_over());
        closing.store(true, Ordering::Relaxed);
        assert!(other.is_over());
    }
}
