//! The judge: a model or a command that reads the work and decides if it is what was asked for.
//!
//! A judge is a gate like any other, but it is asked only when nothing else
//! stands in the way of success. It sees the work as data, in a conversation
//! of its own, and has no tools. What it says has to be exactly one small JSON
//! object; anything else is `unknown`, never a pass.

mod answer;
mod command;
mod endpoint;
mod key;
mod prompt;
mod wire;

use std::time::{Duration, Instant};

use ralph_core::TreeId;
use ralph_core::claim::plain;
use ralph_core::evidence::{GateFault, GateReport, Verdict};
use ralph_core::feedback::last_chars;
use ralph_core::policy::{GateCommand, GateImportance, GateSpec};
use ralph_core::usage::{Usage, Usd};
use ralph_redact::redact;

use crate::{Gate, GateContext};
use answer::JudgeAnswer;
use prompt::JudgePrompt;

pub use command::{ClientForm, JudgeCommand};
pub use endpoint::{ModelDialect, ModelEndpoint};
pub use key::ApiKey;
pub use prompt::CHANGES_CHARS;

/// The number of times a judge is asked before its answer counts as unusable.
const ATTEMPTS: u32 = 3;

/// The maximum length of an answer that is read, in bytes.
const ANSWER_BYTES: u64 = 1024 * 1024;

/// The maximum length of an unusable answer that is shown, in characters.
const SHOWN_CHARS: usize = 500;

/// Raised whenever the words of the request change: a pass is bound to them.
const PROMPT_VERSION: u32 = 1;

/// The way to reach a judge.
#[derive(Clone, Debug)]
pub enum JudgeTransport {
    /// A model behind an endpoint.
    Model(ModelEndpoint),
    /// A command of the user's, or a coding agent in a process of its own.
    Command(JudgeCommand),
}

/// The prices of a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenPrices {
    /// Of those sent.
    pub input: Usd,
    /// Of those received.
    pub output: Usd,
}

impl TokenPrices {
    fn cost(self, input_tokens: u64, output_tokens: u64) -> Usd {
        let part = |tokens: u64, price: Usd| u128::from(tokens) * u128::from(price.micros());
        let micros = part(input_tokens, self.input) + part(output_tokens, self.output);
        Usd::from_micros(u64::try_from(micros.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }
}

/// A gate that asks a model or a command if a criterion is fulfilled.
#[derive(Clone, Debug)]
pub struct CriterionJudge {
    spec: GateSpec,
    criterion: String,
    transport: JudgeTransport,
}

impl CriterionJudge {
    /// The judge of this specification; `None` if it holds no question.
    pub fn new(spec: GateSpec, transport: JudgeTransport) -> Option<Self> {
        let criterion = match &spec.command {
            GateCommand::Question(criterion) => criterion.clone(),
            GateCommand::Argv(_) | GateCommand::Shell(_) => return None,
        };
        Some(Self { spec, criterion, transport })
    }

    /// Returns the gate as it was specified.
    pub fn spec(&self) -> &GateSpec {
        &self.spec
    }

    /// The command that judges, as a gate would have it, so that its scripts
    /// are watched like those of gates; `None` for a model or an agent.
    pub fn watched(&self) -> Option<GateSpec> {
        match &self.transport {
            JudgeTransport::Model(_)
            | JudgeTransport::Command(JudgeCommand { client: Some(_), .. }) => None,
            JudgeTransport::Command(line) => {
                let command = GateCommand::Argv(line.words.clone());
                Some(GateSpec { command, ..self.spec.clone() })
            }
        }
    }

    /// The same judge, asked whether the work comes nearer to what it judges.
    #[must_use]
    pub fn on_progress(&self) -> Self {
        let criterion = format!(
            "The latest work brings the task nearer to its end than it was at the start: part of \
             what was missing is there now, or a wrong way was recognised and left. Changes that \
             repeat or undo each other do not. In the end this has to be fulfilled: {}",
            self.criterion
        );
        let command = GateCommand::Question(criterion.clone());
        let name = GateSpec::OPINION.to_owned();
        let spec = GateSpec { name, command, need: GateImportance::Advisory, ..self.spec.clone() };
        Self { spec, criterion, transport: self.transport.clone() }
    }

    /// The gate that puts this case before the judge.
    pub fn hear<'a>(&'a self, case: JudgeMaterial<'a>) -> JudgeGate<'a> {
        JudgeGate { judge: self, case }
    }

    fn ask(
        &self,
        prompt: &JudgePrompt,
        site: &GateContext<'_>,
        left: Duration,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<RawJudgeAnswer, JudgeFailure> {
        match &self.transport {
            _ if left.is_zero() => Err(JudgeFailure::Timeout),
            JudgeTransport::Model(endpoint) => endpoint.ask(prompt, left, stop),
            JudgeTransport::Command(line) => line.ask(prompt, site, left, stop),
        }
    }
}

/// The material that a judge gets to see, as data.
#[derive(Clone, Copy, Debug)]
pub struct JudgeMaterial<'a> {
    /// The agent's task, in the user's words.
    pub task: &'a str,
    /// The agent's final text, redacted.
    pub claim: &'a str,
    /// The reports of the other gates.
    pub gates: &'a [GateReport],
    /// The changes since the run started. They are redacted and cut here.
    pub changes: &'a str,
    /// The tree the run began with: a pass on other changes is another pass.
    pub start: Option<&'a TreeId>,
}

/// A case before its judge, as a gate.
#[derive(Clone, Copy, Debug)]
pub struct JudgeGate<'a> {
    judge: &'a CriterionJudge,
    case: JudgeMaterial<'a>,
}

/// An answer before it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct RawJudgeAnswer {
    text: String,
    usage: Option<Usage>,
}

/// The reason why there is no answer.
#[derive(Debug, thiserror::Error)]
enum JudgeFailure {
    #[error("there was no answer in time")]
    Timeout,
    #[error("it was interrupted")]
    Stopped,
    #[error("it cannot be reached: {what}")]
    Unreachable { what: String },
    #[error("it answered with status {code}{said}")]
    Status { code: u16, said: String },
    #[error("its answer is longer than 1 MiB")]
    TooLong,
    #[error("its answer is no message of that interface: {what}")]
    Form { what: String },
    #[error("the command {what}")]
    Command { what: String, again: bool },
}

impl JudgeFailure {
    /// True if another attempt may succeed.
    fn may_pass(&self) -> bool {
        match self {
            Self::Timeout | Self::Stopped => false,
            Self::Unreachable { .. } | Self::TooLong | Self::Form { .. } => true,
            Self::Status { code, .. } => *code == 429 || *code >= 500,
            Self::Command { again, .. } => *again,
        }
    }
}

/// The result of all attempts.
struct JudgeOutcome {
    verdict: Verdict,
    tail: String,
    usage: Option<Usage>,
}

impl JudgeGate<'_> {
    fn attempts(&self, site: &GateContext<'_>, stop: &mut dyn FnMut() -> bool) -> JudgeOutcome {
        let began = Instant::now();
        let mut prompt = JudgePrompt::new(&self.judge.criterion, &self.case);
        let mut outcome =
            JudgeOutcome { verdict: unknown(String::new()), tail: String::new(), usage: None };
        for attempt in 1..=ATTEMPTS {
            let left = self.judge.spec.timeout.saturating_sub(began.elapsed());
            let said = match self.judge.ask(&prompt, site, left, stop) {
                Ok(said) => said,
                Err(trouble) => {
                    outcome.verdict = unknown(tries(attempt, &trouble.to_string()));
                    if trouble.may_pass() {
                        continue;
                    }
                    return outcome;
                }
            };
            outcome.add(said.usage);
            match answer::parse(&said.text) {
                Ok(answer) => return outcome.decided(&answer),
                Err(error) => {
                    let what = format!("its answer cannot be used: {error}");
                    outcome.verdict = unknown(tries(attempt, &what));
                    outcome.tail = shown(&said.text);
                    prompt.complain(&error.to_string());
                }
            }
        }
        outcome
    }
}

impl JudgeOutcome {
    fn add(&mut self, usage: Option<Usage>) {
        if let Some(usage) = usage {
            self.usage = Some(self.usage.unwrap_or_default() + usage);
        }
    }

    fn decided(self, answer: &JudgeAnswer) -> Self {
        let verdict =
            if answer.success { Verdict::Pass } else { Verdict::Fail(GateFault::Refused) };
        Self { verdict, tail: redact(&plain(&answer.render())).into_owned(), ..self }
    }
}

impl Gate for JudgeGate<'_> {
    fn spec(&self) -> &GateSpec {
        &self.judge.spec
    }

    fn key(&self) -> String {
        let who = match &self.judge.transport {
            JudgeTransport::Model(endpoint) => endpoint.identity(),
            JudgeTransport::Command(line) => line.identity(),
        };
        let parts = (&self.judge.criterion, who, self.case.task, self.case.start);
        // The debug form keeps the parts apart; a task may be long.
        let digest = blake3::hash(format!("{parts:?}").as_bytes());
        format!("judge-{PROMPT_VERSION} {}", digest.to_hex())
    }

    fn run(&self, site: &GateContext<'_>, stop: &mut dyn FnMut() -> bool) -> GateReport {
        let began = Instant::now();
        let JudgeOutcome { verdict, tail, usage } = self.attempts(site, stop);
        let report = GateReport::unknown(&self.judge.spec, String::new());
        GateReport { verdict, tail, usage, elapsed: began.elapsed(), ..report }
    }
}

fn unknown(reason: String) -> Verdict {
    Verdict::Unknown { reason }
}

/// Trouble on one line, with how often it was tried.
fn tries(attempt: u32, trouble: &str) -> String {
    let trouble = redact(trouble).split_whitespace().collect::<Vec<_>>().join(" ");
    if attempt == 1 { trouble } else { format!("{trouble} ({attempt} attempts)") }
}

fn shown(text: &str) -> String {
    redact(last_chars(plain(text).trim(), SHOWN_CHARS)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_for_a_million_tokens_and_never_rounded_down_to_nothing() {
        let prices =
            TokenPrices { input: Usd::from_micros(150_000), output: Usd::from_micros(600_000) };
        assert_eq!(prices.cost(2_000_000, 500_000), Usd::from_micros(600_000));
        assert_eq!(prices.cost(1, 0), Usd::from_micros(1));
        assert_eq!(prices.cost(0, 0), Usd::default());
    }

    #[test]
    fn only_trouble_that_may_pass_is_tried_again() {
        let status = |code| JudgeFailure::Status { code, said: String::new() };
        for trouble in [status(500), status(503), status(429), JudgeFailure::TooLong] {
            assert!(trouble.may_pass(), "{trouble}");
        }
        for trouble in
            [status(400), status(401), status(301), JudgeFailure::Timeout, JudgeFailure::Stopped]
        {
            assert!(!trouble.may_pass(), "{trouble}");
        }
    }
}
