//! The rules that the user set for a run; they stay the same during the run.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::str::FromStr;
use std::time::Duration;

use crate::claim::ClaimRules;
use crate::finding::FindingLevel;
use crate::format::OutputFormat;
use crate::locale::Locale;
use crate::usage::Usd;

/// The rules of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Rules for claims in the final text.
    pub claim: ClaimRules,
    /// The proof that success requires: the agent's claim, or evidence.
    pub trust: Trust,
    /// Limits that end the run without success.
    pub limits: RunLimits,
    /// Time limits of a single turn.
    pub turns: TurnLimits,
    /// The checks that ralph runs.
    pub gates: Vec<GateSpec>,
    /// Levels of findings of which none may be left in the targets.
    pub zero: BTreeSet<FindingLevel>,
    /// Accepted changes of tests and checks.
    pub allowed: AllowedChanges,
    /// Rules for tests.
    pub tests: TestRules,
    /// Edition of the rules of evidence.
    pub edition: RuleEdition,
    /// Conversation that is kept from one turn to the next.
    pub context: ContextMode,
    /// Treatment of a host's session after another one replaced it; `None` if all
    /// turns take place in one session.
    pub old_session: Option<OldSession>,
    /// Language of messages to the agent and the user.
    pub locale: Locale,
}

impl Policy {
    /// Returns true if a place consists of gate names, separated by commas, and is no file.
    pub fn names_gates(&self, place: &str) -> bool {
        place.split(", ").all(|name| self.gates.iter().any(|gate| gate.name == name))
    }

    /// Returns the policy of a bare promise loop: a claim ends it, nothing is checked.
    pub fn promise() -> Self {
        Self {
            claim: ClaimRules::default(),
            trust: Trust::Claim,
            limits: RunLimits::for_claims(),
            turns: TurnLimits::default(),
            gates: Vec::new(),
            zero: BTreeSet::new(),
            allowed: AllowedChanges::default(),
            tests: TestRules::default(),
            edition: RuleEdition::Second,
            context: ContextMode::Auto,
            old_session: None,
            locale: Locale::En,
        }
    }

    /// Returns true if any gate is required.
    pub fn has_required_gate(&self) -> bool {
        self.gates.iter().any(|gate| gate.need == GateImportance::Required)
    }

    /// Returns true if the run is about errors and warnings: a gate looks for them,
    /// or none may be left. Such a run is reported in counts.
    pub fn counts_diagnostics(&self) -> bool {
        let counts = |gate: &GateSpec| {
            gate.criterion.is_diagnostic()
                || gate.criterion == Criterion::Security
                || gate.bar == PassCondition::NoWorse
        };
        !self.zero.is_empty() || self.gates.iter().any(counts)
    }

    /// Returns true if a gate says whether the task is done. Notes that have to
    /// hold anyway do not count.
    pub fn is_gated(&self) -> bool {
        self.gates.iter().any(|gate| !gate.is_memory())
    }

    /// Returns true if a gate measures progress. A judge does not: it is asked only
    /// when all other gates pass. Nor do notes that have to hold anyway.
    pub fn measures(&self) -> bool {
        self.gates.iter().any(|gate| !gate.is_judge() && !gate.is_memory())
    }
}

/// The changes of tests and checks that are always accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedChanges {
    /// Paths, or patterns as in `.gitignore`.
    pub paths: Vec<String>,
    /// True if any test may be changed.
    pub tests: bool,
    /// True if tests that failed at the start may keep failing.
    pub known_failures: bool,
}

/// The rules for the tests of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestRules {
    /// Reaction if tests were changed and the original ones fail.
    pub original: OriginalTests,
    /// Request to the agent for tests of its own.
    pub added: AddedTests,
}

/// The reaction if the original tests fail on the current code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OriginalTests {
    /// Success is blocked.
    #[default]
    Hold,
    /// They are only reported.
    Report,
    /// The original tests are not run.
    Off,
}

/// The choice whether to ask the agent for tests that fail without its work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddedTests {
    /// Ask once.
    #[default]
    Expect,
    /// Do not ask.
    Ignore,
}

/// The edition of the rules of evidence. A run ends under the edition it started with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleEdition {
    /// Passing gates are proof, whatever their result at the start.
    First,
    /// Only a change that turns a failure into a pass is proof.
    Second,
}

/// The proof that success requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// The agent's claim is enough.
    Claim,
    /// Required gates must pass on the current tree.
    Evidence,
}

/// The conversation that is kept from one turn to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextMode {
    /// The same session while it fits, otherwise the best that the agent supports.
    Auto,
    /// Always the same session.
    Same,
    /// A new session with a summary of the old one.
    Summarize,
    /// A new session with the task and the feedback only.
    Fresh,
}

/// The treatment of a session that was replaced by another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OldSession {
    /// It is deleted as soon as the other one has answered.
    Delete,
    /// It is kept.
    Keep,
}

/// The limits that end a run without success. All but tokens and cost always apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// Number of turns.
    pub iterations: u32,
    /// Working time; waiting for a provider's limit does not count.
    pub duration: Duration,
    /// Number of iterations in a row without progress.
    pub stalled: u32,
    /// Number of turns that were repeated because the agent crashed or hung.
    pub restarts: u32,
    /// Number of tokens, if the agent reports them.
    pub tokens: Option<u64>,
    /// Cost, if the agent reports it.
    pub cost: Option<Usd>,
    /// Time spent waiting for a provider's limit, in total.
    pub waiting: Duration,
}

impl RunLimits {
    /// Returns the defaults if only a claim can end the run.
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

    /// Returns the defaults if gates can end the run.
    pub fn for_gates() -> Self {
        Self { iterations: 10, duration: Duration::from_mins(30), ..Self::for_claims() }
    }
}

/// The time limits of a single turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnLimits {
    /// Time without output after which a turn is ended.
    pub idle: Duration,
    /// Time after which a turn is ended.
    pub wall: Duration,
    /// Time an agent has to exit after it was told to.
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

/// A check that ralph runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateSpec {
    /// Unique name: the criterion's, or `custom-1`, `custom-2` ….
    pub name: String,
    /// The criterion it checks.
    pub criterion: Criterion,
    /// The command. `{report}` in it is replaced by the path of a file for the
    /// command to write.
    pub command: GateCommand,
    /// Folder it runs in, relative to the project's root; empty for the root.
    pub dir: String,
    /// Format of its output, or of the report it writes.
    pub format: OutputFormat,
    /// Condition for it to pass.
    pub bar: PassCondition,
    /// Time after which it counts as failed.
    pub timeout: Duration,
    /// Required or advisory.
    pub need: GateImportance,
}

impl GateSpec {
    /// Name of the gate that is a judge.
    pub const JUDGE: &str = "judge";

    /// Name of the judge's opinion about progress. It is in no policy: that opinion
    /// can only prolong a run.
    pub const OPINION: &str = "judge-progress";

    /// Returns true if it checks notes of the user. They have to hold, but say
    /// nothing about the task.
    pub fn is_memory(&self) -> bool {
        self.criterion == Criterion::Memory
    }

    /// Returns true if a judge is asked instead of running a command.
    pub fn is_judge(&self) -> bool {
        self.criterion == Criterion::Judge
    }
}

/// The condition for a gate to pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PassCondition {
    /// The command succeeds: exit code 0.
    #[default]
    Clean,
    /// There are no errors; warnings are ignored.
    NoErrors,
    /// There are no errors beyond those at the start.
    NoWorse,
}

/// The importance of a gate for success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateImportance {
    /// The run cannot succeed unless it passes.
    Required,
    /// It is only reported to the user and the agent.
    Advisory,
}

/// The property of the project that a gate checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Criterion {
    /// The project's tests pass.
    TestPass,
    /// The project builds.
    BuildSuccess,
    /// The linter reports nothing.
    LintClean,
    /// The type checker reports nothing.
    TypeCheck,
    /// Language servers find no error in changed files.
    Diagnostics,
    /// A scanner finds nothing exploitable.
    Security,
    /// The user's notes with a check hold.
    Memory,
    /// A command of the user's own.
    Custom,
    /// A condition in the user's words holds in the eyes of a judge.
    Judge,
}

impl Criterion {
    /// All criteria with a name of their own.
    pub const NAMED: [Self; 7] = [
        Self::TestPass,
        Self::BuildSuccess,
        Self::LintClean,
        Self::TypeCheck,
        Self::Diagnostics,
        Self::Security,
        Self::Memory,
    ];

    /// Returns the name in configuration and on the command line.
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

    /// Returns true if it is about errors and warnings in the code.
    pub fn is_diagnostic(self) -> bool {
        matches!(self, Self::LintClean | Self::TypeCheck | Self::Diagnostics)
    }
}

/// The way a gate is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateCommand {
    /// A program and its arguments, started without a shell. Never empty.
    Argv(Vec<String>),
    /// A script handed to `sh -c` because the user asked for a shell.
    Shell(String),
    /// A question for a judge; no command is run.
    Question(String),
}

impl GateCommand {
    /// Renders the command as a person would type it.
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

/// Quotes a word for a shell, if necessary.
pub(crate) fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
}

/// Text that names none of the choices.
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
    /// Returns the name in configuration and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Evidence => "evidence",
        }
    }
}

impl FromStr for ContextMode {
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

impl ContextMode {
    /// Returns the name in configuration and on the command line.
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
        for context in
            [ContextMode::Auto, ContextMode::Same, ContextMode::Summarize, ContextMode::Fresh]
        {
            assert_eq!(context.name().parse(), Ok(context));
        }
        let error = "Claim".parse::<Trust>().unwrap_err();
        assert_eq!(error.to_string(), "`Claim` is not one of claim, evidence");
    }
}
