//! What the user asked for: rules that stay the same during a run.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::str::FromStr;
use std::time::Duration;

use crate::claim::ClaimRules;
use crate::finding::Level;
use crate::format::Format;
use crate::locale::Locale;
use crate::usage::Usd;

/// The rules of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// What counts as the agent saying it is done.
    pub claim: ClaimRules,
    /// Whose word ends the run.
    pub trust: Trust,
    /// What ends the run without success.
    pub limits: Limits,
    /// How long a single turn may take.
    pub turns: TurnLimits,
    /// The checks that we execute.
    pub gates: Vec<GateSpec>,
    /// Levels of which no finding may be left in the files the run is about.
    pub zero: BTreeSet<Level>,
    /// Changes of tests and checks that are accepted.
    pub allowed: Allowed,
    /// What tests are held to.
    pub tests: TestRules,
    /// Which rules of evidence it is judged by.
    pub edition: RuleEdition,
    /// How much an agent remembers from one turn to the next.
    pub context: Context,
    /// What becomes of a session of a host once another one took its place;
    /// `None` where all turns take place in one.
    pub old_session: Option<OldSession>,
    /// The language of what the agent and the user are told.
    pub locale: Locale,
}

impl Policy {
    /// Whether a place names gates, with commas between, and no file.
    pub fn names_gates(&self, place: &str) -> bool {
        place.split(", ").all(|name| self.gates.iter().any(|gate| gate.name == name))
    }

    /// The policy of a bare promise loop: the claim ends it, nothing is checked.
    pub fn promise() -> Self {
        Self {
            claim: ClaimRules::default(),
            trust: Trust::Claim,
            limits: Limits::for_claims(),
            turns: TurnLimits::default(),
            gates: Vec::new(),
            zero: BTreeSet::new(),
            allowed: Allowed::default(),
            tests: TestRules::default(),
            edition: RuleEdition::Second,
            context: Context::Auto,
            old_session: None,
            locale: Locale::En,
        }
    }

    /// Whether any gate must pass.
    pub fn has_required_gate(&self) -> bool {
        self.gates.iter().any(|gate| gate.need == Need::Required)
    }

    /// Whether the run is about errors and warnings: a gate looks for them, or
    /// none of them may be left. Such a run is told of in counts.
    pub fn counts_diagnostics(&self) -> bool {
        let counts = |gate: &GateSpec| {
            gate.criterion.is_diagnostic()
                || gate.criterion == Criterion::Security
                || gate.bar == Bar::NoWorse
        };
        !self.zero.is_empty() || self.gates.iter().any(counts)
    }

    /// Whether anything but the claim says whether the task is done. Notes
    /// that have to hold anyhow do not.
    pub fn is_gated(&self) -> bool {
        self.gates.iter().any(|gate| !gate.is_memory())
    }

    /// Whether any gate measures how far the work is. A judge does not: it is
    /// asked when all else is well. Nor do notes that have to hold anyhow.
    pub fn measures(&self) -> bool {
        self.gates.iter().any(|gate| !gate.is_judge() && !gate.is_memory())
    }
}

/// Changes of tests and checks that are accepted whatever they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Paths, or patterns as in `.gitignore`.
    pub paths: Vec<String>,
    /// Whether any test may be changed.
    pub tests: bool,
    /// Whether tests that failed at the start may go on failing.
    pub known_failures: bool,
}

/// What the tests of a run are held to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestRules {
    /// What follows when tests were changed and those of the start object.
    pub original: OriginalTests,
    /// Whether the agent is asked for tests of its own.
    pub added: AddedTests,
}

/// What follows when the tests of the start do not accept the present code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OriginalTests {
    /// The run is held.
    #[default]
    Hold,
    /// It is reported.
    Report,
    /// They are not run.
    Off,
}

/// Whether the agent is asked for tests that fail without its work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddedTests {
    /// It is asked once.
    #[default]
    Expect,
    /// It is not.
    Ignore,
}

/// The rules by which evidence is judged. A run that started under rules of
/// an earlier version ends under them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleEdition {
    /// Gates that pass are proof, whatever they were at the start.
    First,
    /// Only a change that makes a failure pass is proof.
    Second,
}

/// Whose word ends a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// The agent's claim is enough.
    Claim,
    /// Required gates must pass on the present tree.
    Evidence,
}

/// How much an agent remembers from one turn to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// The same session while it fits, otherwise what the agent can do.
    Auto,
    /// Always the same session.
    Same,
    /// A new session with a summary of the old one.
    Summarize,
    /// A new session with the task and the feedback only.
    Fresh,
}

/// What becomes of a session that another one takes the place of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OldSession {
    /// It is deleted as soon as the other one spoke.
    Delete,
    /// It stays.
    Keep,
}

/// What ends a run without success. Every run has all the unconditional ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Turns of the agent.
    pub iterations: u32,
    /// Working time; waiting for a provider's limit does not count.
    pub duration: Duration,
    /// Iterations in a row without progress.
    pub stalled: u32,
    /// Turns that had to be begun anew because the agent crashed or hung.
    pub restarts: u32,
    /// Tokens, where the agent reports them.
    pub tokens: Option<u64>,
    /// Money, where the agent reports it.
    pub cost: Option<Usd>,
    /// Time spent waiting for a provider's limit, in total.
    pub waiting: Duration,
}

impl Limits {
    /// The defaults when only a claim can end the run.
    pub fn for_claims() -> Self {
        Self {
            iterations: 100,
            duration: Duration::from_hours(4),
            stalled: 3,
            restarts: 5,
            tokens: None,
            cost: None,
            waiting: Duration::from_hours(24),
        }
    }

    /// The defaults when gates can end the run.
    pub fn for_gates() -> Self {
        Self { iterations: 10, duration: Duration::from_mins(30), ..Self::for_claims() }
    }
}

/// How long a single turn of the agent may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnLimits {
    /// A turn without output is ended after this long.
    pub idle: Duration,
    /// A turn is ended after this long.
    pub wall: Duration,
    /// The time an agent has to end in good order once told to.
    pub grace: Duration,
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self {
            idle: Duration::from_mins(10),
            wall: Duration::from_hours(1),
            grace: Duration::from_secs(10),
        }
    }
}

/// One check that we execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateSpec {
    /// Its name: the criterion's, or `custom-1`, `custom-2` …, one gate a name.
    pub name: String,
    /// What it stands for.
    pub criterion: Criterion,
    /// What is executed. Where it says `{report}`, the path of a file is put
    /// in that the command is to write.
    pub command: GateCommand,
    /// Where it runs, relative to the project's root; empty for the root.
    pub dir: String,
    /// How its output, or the report it writes, is read.
    pub format: Format,
    /// What it takes to pass.
    pub bar: Bar,
    /// After this long it counts as failed.
    pub timeout: Duration,
    /// Whether success depends on it.
    pub need: Need,
}

impl GateSpec {
    /// The name of the gate that is a judge.
    pub const JUDGE: &str = "judge";

    /// The name under which the judge says whether the work comes nearer. It is
    /// in no policy: that opinion can only prolong a run.
    pub const OPINION: &str = "judge-progress";

    /// Whether it holds the work to notes that have a check. That these hold
    /// does not say that the task is done.
    pub fn is_memory(&self) -> bool {
        self.criterion == Criterion::Memory
    }

    /// Whether a judge is asked instead of anything being executed.
    pub fn is_judge(&self) -> bool {
        self.criterion == Criterion::Judge
    }
}

/// What it takes for a gate to pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bar {
    /// The command is content: exit code 0.
    #[default]
    Clean,
    /// No error is left, whatever the command thinks of warnings.
    NoErrors,
    /// No error is left that was not there before.
    NoWorse,
}

/// Whether success depends on a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The run cannot succeed without it.
    Required,
    /// It is reported and fed back, nothing more.
    Advisory,
}

/// What a gate stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Criterion {
    /// The project's tests pass.
    TestPass,
    /// The project builds.
    BuildSuccess,
    /// The linter has nothing to say.
    LintClean,
    /// The type checker has nothing to say.
    TypeCheck,
    /// Language servers find no error in what changed.
    Diagnostics,
    /// Nothing that can be exploited is found.
    Security,
    /// What the user had noted to hold holds.
    Memory,
    /// A command of the user's own.
    Custom,
    /// What the user put in words, and a judge has to find fulfilled.
    Judge,
}

impl Criterion {
    /// All criteria that have a name of their own.
    pub const NAMED: [Self; 7] = [
        Self::TestPass,
        Self::BuildSuccess,
        Self::LintClean,
        Self::TypeCheck,
        Self::Diagnostics,
        Self::Security,
        Self::Memory,
    ];

    /// The name in configuration and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::TestPass => "test_pass",
            Self::BuildSuccess => "build_success",
            Self::LintClean => "lint_clean",
            Self::TypeCheck => "type_check",
            Self::Diagnostics => "diagnostics",
            Self::Security => "security",
            Self::Memory => "memory",
            Self::Custom => "custom",
            Self::Judge => "judge",
        }
    }

    /// Whether it is about errors and warnings in the code.
    pub fn is_diagnostic(self) -> bool {
        matches!(self, Self::LintClean | Self::TypeCheck | Self::Diagnostics)
    }
}

/// How a gate is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateCommand {
    /// A program and its arguments, started without a shell. Never empty.
    Argv(Vec<String>),
    /// A script handed to `sh -c` because the user asked for a shell.
    Shell(String),
    /// Nothing is executed: a judge is asked whether this holds.
    Question(String),
}

impl GateCommand {
    /// The command as a person would type it.
    pub fn display(&self) -> String {
        match self {
            Self::Argv(words) => {
                words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
            }
            Self::Shell(script) => format!("sh -c {}", quoted(script)),
            Self::Question(criterion) => criterion.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
}

/// A word as a shell needs it: quoted only where it has to be.
pub(crate) fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
}

/// A word that names none of the choices.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not one of {choices}")]
pub struct UnknownWord {
    pub(crate) given: String,
    pub(crate) choices: &'static str,
}

impl FromStr for Trust {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "claim" => Ok(Self::Claim),
            "evidence" => Ok(Self::Evidence),
            _ => Err(UnknownWord { given: text.to_owned(), choices: "claim, evidence" }),
        }
    }
}

impl Trust {
    /// The name in configuration and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Evidence => "evidence",
        }
    }
}

impl FromStr for Context {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            "same" => Ok(Self::Same),
            "summarize" => Ok(Self::Summarize),
            "fresh" => Ok(Self::Fresh),
            _ => {
                Err(UnknownWord { given: text.to_owned(), choices: "auto, same, summarize, fresh" })
            }
        }
    }
}

impl Context {
    /// The name in configuration and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Same => "same",
            Self::Summarize => "summarize",
            Self::Fresh => "fresh",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_so_that_it_can_be_typed() {
        let argv = |words: &[&str]| {
            GateCommand::Argv(words.iter().map(|&word| word.to_owned()).collect()).display()
        };
        assert_eq!(argv(&["cargo", "test", "--all"]), "cargo test --all");
        assert_eq!(argv(&["grep", "a b", "", "it's"]), r"grep 'a b' '' 'it'\''s'");
        let script = GateCommand::Shell("cd x && make".to_owned());
        assert_eq!(script.display(), "sh -c 'cd x && make'");
    }

    #[test]
    fn names_are_read_back() {
        for trust in [Trust::Claim, Trust::Evidence] {
            assert_eq!(trust.name().parse(), Ok(trust));
        }
        for context in [Context::Auto, Context::Same, Context::Summarize, Context::Fresh] {
            assert_eq!(context.name().parse(), Ok(context));
        }
        let error = "Claim".parse::<Trust>().unwrap_err();
        assert_eq!(error.to_string(), "`Claim` is not one of claim, evidence");
    }
}
