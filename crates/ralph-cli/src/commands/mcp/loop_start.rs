//! The tool `loop_start`: starts a loop in the host's session.
//!
//! The agent that asks is judged by this loop, so it can only ask for more than the
//! settings. It may add checks and lower limits, but not name a command as a check.

use std::time::Duration;

use clap::Parser;
use ralph_core::policy::Criterion as Named;
use ralph_core::wording;
use ralph_engine::tool;
use ralph_engine::wire::{RunList, RunView};
use ralph_mcp::{
    CallConcurrency, CallEffect, ServerTool, ToolAnswer, ToolCall, ToolCallError, ToolSpec,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{app, refusal};
use crate::app::App;
use crate::error::CliError;
use crate::options::{PolicyOptions, TaskOptions};

const SPEC: ToolSpec = ToolSpec {
    name: "loop_start",
    title: "Start a loop",
    description: "Start a loop, when the user asks for one: ralph judges every turn until the task is \
                  proven done. You cannot end it. Checks add to the settings; limits only lower them.",
    effect: CallEffect::Records,
    company: CallConcurrency::Alone,
    patience: Duration::from_mins(2),
};

/// The goal of the loop, and when it is done.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LoopStartInput {
    /// In the user's words.
    task: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    targets: Vec<String>,
    /// Checks that must pass, too.
    #[serde(default)]
    criteria: Vec<CriterionName>,
    #[serde(default)]
    zero_warnings: bool,
    #[serde(default)]
    zero_security: bool,
    /// The word that claims success (default: DONE).
    #[serde(default)]
    promise: Option<String>,
    #[serde(default)]
    max_iterations: Option<u32>,
    /// Most working time: `30m`.
    #[serde(default)]
    max_duration: Option<String>,
    /// Turns without progress that end it.
    #[serde(default)]
    stagnation_limit: Option<u32>,
    /// The session, from a client that fills it in; the model does not see it.
    #[serde(default)]
    #[schemars(skip)]
    session: Option<String>,
}

/// A criterion that can be asked for by its name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum CriterionName {
    /// The tests pass.
    TestPass,
    /// The project builds.
    BuildSuccess,
    /// Linters find nothing.
    LintClean,
    /// Types are right.
    TypeCheck,
    /// Language servers and linters find no error.
    Diagnostics,
    /// Nothing that was changed can be exploited.
    Security,
    /// Notes with a check hold in what was changed.
    Memory,
}

impl CriterionName {
    /// Returns its name in the settings.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::TestPass => Named::TestPass.name(),
            Self::BuildSuccess => Named::BuildSuccess.name(),
            Self::LintClean => Named::LintClean.name(),
            Self::TypeCheck => Named::TypeCheck.name(),
            Self::Diagnostics => Named::Diagnostics.name(),
            Self::Security => Named::Security.name(),
            Self::Memory => Named::Memory.name(),
        }
    }
}

pub(super) fn tool() -> ServerTool {
    ServerTool::new(SPEC, arm)
}

#[expect(clippy::needless_pass_by_value, reason = "a tool owns its arguments")]
fn arm(input: LoopStartInput, _call: &ToolCall) -> Result<ToolAnswer, ToolCallError> {
    let app = app()?;
    start_loop(&app, &input).map_err(|error| {
        // The flags of the command line are fields here.
        let text = refusal(error).0;
        let fields = ["max-iterations", "max-duration", "stagnation-limit", "promise"];
        let fields = fields.iter().map(|field| (format!("--{field}"), field.replace('-', "_")));
        ToolCallError(fields.fold(text, |text, (flag, field)| text.replace(&flag, &field)))
    })
}

fn start_loop(app: &App, input: &LoopStartInput) -> Result<ToolAnswer, CliError> {
    tool::refuse_driven(app)?;
    let session = session(app, input)?;
    let options = LoopOptions::read(input)?;
    let criteria: Vec<&str> = input.criteria.iter().map(|criterion| criterion.name()).collect();
    let settings = tool::stricter_settings(app, &criteria, &|layers| options.policy.apply(layers))?;
    let run = tool::start_loop(app, options.task.read()?, settings, &session)?;
    let list = RunList::new(vec![RunView::new(&run, &[])]);
    let note = format!("{}\n\n{}", wording::host::armed(&run), wording::rules(&run));
    let answer = ToolAnswer::new(&list).map_err(|error| CliError::internal(&error))?;
    Ok(answer.with_note(note))
}

fn session(app: &App, input: &LoopStartInput) -> Result<String, CliError> {
    tool::known_session(app, input.session.clone()).ok_or_else(|| {
        CliError::usage("`session`: the client does not say which session this is")
            .with_hint("ask the user to type `/ralph TASK` instead")
    })
}

/// The same as the command line would read it.
#[derive(Parser, Debug)]
#[command(no_binary_name = true, disable_help_flag = true, color = clap::ColorChoice::Never)]
struct LoopOptions {
    #[command(flatten)]
    task: TaskOptions,
    #[command(flatten)]
    policy: PolicyOptions,
}

impl LoopOptions {
    fn read(input: &LoopStartInput) -> Result<Self, CliError> {
        let mut words = Vec::new();
        let mut add = |flag: &str, value: Option<&str>| {
            words.extend(value.map(|value| format!("--{flag}={value}")));
        };
        let [iterations, stagnation] = [input.max_iterations, input.stagnation_limit]
            .map(|count| count.map(|count| count.to_string()));
        add("description", input.description.as_deref());
        input.targets.iter().for_each(|target| add("target", Some(target)));
        add("promise", input.promise.as_deref());
        add("max-iterations", iterations.as_deref());
        add("max-duration", input.max_duration.as_deref());
        add("stagnation-limit", stagnation.as_deref());
        words.extend(input.zero_warnings.then(|| "--zero-warnings".to_owned()));
        words.extend(input.zero_security.then(|| "--zero-security".to_owned()));
        words.extend(["--".to_owned(), input.task.clone()]);
        Self::try_parse_from(words).map_err(|error| CliError::usage(error.kind()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_criterion_that_has_a_name_can_be_asked_for_by_it() {
        for named in Named::NAMED {
            let read = serde_json::from_value::<CriterionName>(named.name().into());
            assert_eq!(read.map(CriterionName::name).ok(), Some(named.name()));
        }
    }

    #[test]
    fn no_command_can_be_asked_for() {
        for text in ["custom:true", "custom:sh:true", "test_pass:x"] {
            assert!(serde_json::from_value::<CriterionName>(text.into()).is_err(), "{text}");
        }
    }
}
