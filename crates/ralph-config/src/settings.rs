//! Interprets the settings: the policy of a run, and how its turns are run.

use std::time::Duration;

use ralph_agents::limits::LimitPatterns;
use ralph_agents::rows::{AgentRow, RowTable};
use ralph_agents::{Client, ClientOption, ClientOptions, ClientSetting};
use ralph_checks::detect::DetectedGates;
use ralph_checks::invariants::InvariantGate;
use ralph_checks::{EnvironmentRules, NameGlob};
use ralph_core::claim::{ClaimRules, Marker, MatchMode, Promise};
use ralph_core::locale::Locale;
use ralph_core::memory::hydration::USUAL_TOKENS;
use ralph_core::policy::{
    AddedTests, AllowedChanges, ContextMode, Criterion, GateImportance, GateSpec, OldSession,
    OriginalTests, Policy, RuleEdition, RunLimits, TestRules, Trust, TurnLimits,
};
use ralph_core::usage::Usd;

use super::contradiction::SettingsConflictError;
use super::gates::{self, GateSettings, MissingTool};
use super::judge::{self, JudgeChoice, JudgeError};
use super::layers::{ConfigError, SettingLayers};
use super::sandbox::SandboxRules;
use super::value::SettingValue;

/// The agent that does the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentChoice {
    /// A command line; `None` if none is configured.
    Command(Option<Vec<String>>),
    /// The built-in agent that follows a script.
    Scripted,
    /// A client with a protocol of its own.
    Client(Client),
    /// An agent that is a row of a table.
    Row(Box<AgentRow>),
}

/// All settings of a run, without its task.
#[derive(Clone, Debug)]
pub struct RunSettings {
    /// The policy of the run.
    pub policy: Policy,
    /// The text of the prompts after the first; `None` for ours.
    pub template: Option<String>,
    /// The agent that does the work.
    pub agent: AgentChoice,
    /// The options of every client.
    clients: Vec<ClientOptions>,
    /// The agents that are rows.
    pub rows: RowTable,
    /// The variables that agents and gates get.
    environment: EnvironmentRules,
    /// The texts by which a limit of a provider is known.
    limit_patterns: LimitPatterns,
    /// The files that a failed run leaves.
    pub on_fail: OnFail,
    /// The folders that a run may start in.
    pub folders: FolderChoice,
    /// The tests that run first.
    order: TestOrder,
    /// The rules for notes.
    pub memory: MemoryRules,
    /// The judge, if there is one.
    pub judge: Option<JudgeChoice>,
    /// The sandbox of agents and gates.
    pub sandbox: SandboxRules,
    /// Programs and files that required gates need and that are missing.
    pub missing: Vec<MissingTool>,
}

/// The files that a failed run leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFail {
    /// Its last files.
    Keep,
    /// The files of its best iteration.
    Best,
    /// The files it began with.
    Start,
}

/// The folders that a run may start in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderChoice {
    /// A project's folders.
    Project,
    /// Any folder, by the user's choice.
    Any,
}

/// The tests of a gate that run first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestOrder {
    /// The tests that touch what changed.
    AffectedFirst,
    /// None: all run together.
    AsTheyCome,
}

/// The rules for the contents of snapshots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotRules {
    /// Most bytes of a file in a snapshot.
    pub max_file_size: u64,
    /// Globs of ignored files that snapshots hold.
    pub include_ignored: Vec<String>,
}

impl SnapshotRules {
    /// Reads these rules only, so that a rollback works with any other settings.
    pub fn new(layers: &SettingLayers) -> Self {
        let reader = SettingReader(layers);
        Self {
            max_file_size: reader.count("snapshots.max_file_size").unwrap_or(100_000_000),
            include_ignored: reader.list("snapshots.include_ignored").unwrap_or_default(),
        }
    }
}

/// Returns true if only errors in files that the agent edited start a loop.
pub fn counts_edited_only(layers: &SettingLayers) -> bool {
    SettingReader(layers).text("hooks.scope") != Some("project")
}

/// Returns the language that the settings name, if they do.
pub fn locale(layers: &SettingLayers) -> Option<Locale> {
    SettingReader(layers).text("run.locale").and_then(|text| text.parse().ok())
}

/// Returns how much the agent remembers between turns.
pub fn context(layers: &SettingLayers) -> ContextMode {
    let said = SettingReader(layers).text("run.context").and_then(|text| text.parse().ok());
    said.unwrap_or(ContextMode::Auto)
}

/// Returns what happens to a session that another one replaces.
pub fn old_session(layers: &SettingLayers) -> OldSession {
    match SettingReader(layers).text("run.old_session") {
        Some("keep") => OldSession::Keep,
        Some(_) | None => OldSession::Delete,
    }
}

/// Returns the row of an agent.
pub fn find_row(rows: &RowTable, name: &str) -> Result<AgentRow, ConfigError> {
    // The tables were checked when they were read.
    rows.find(name).ok().flatten().ok_or_else(|| {
        let fixed = ralph_agents::NAMES.iter().map(|name| (*name).to_owned());
        let mut known: Vec<String> = fixed.chain(rows.names()).collect();
        known.sort();
        known.dedup();
        ConfigError::UnknownAgent { given: name.to_owned(), known: known.join(", ") }
    })
}

/// Returns the name of the agent.
pub fn agent_name(layers: &SettingLayers) -> String {
    SettingReader(layers).text("run.agent").unwrap_or("command").to_owned()
}

/// Returns the folders with the user's own security rules.
pub fn security_rules(layers: &SettingLayers) -> Vec<String> {
    SettingReader(layers).list("security.rules").unwrap_or_default()
}

/// The limits of what `ralph gc` keeps of ended runs and sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetentionLimits {
    /// Number of runs.
    pub runs: usize,
    /// Age of runs.
    pub age: Duration,
    /// Bytes of all runs.
    pub bytes: u64,
    /// Time that records of sessions are kept.
    pub session_age: Duration,
    /// Bytes of the memory's log that sessions may take.
    pub log_bytes: u64,
}

impl RetentionLimits {
    /// Reads these rules only.
    pub fn new(layers: &SettingLayers) -> Self {
        let reader = SettingReader(layers);
        let days = reader.count("retention.days").unwrap_or(30);
        let session_days = reader.count("memory.days").unwrap_or(30);
        Self {
            runs: usize::try_from(reader.count("retention.runs").unwrap_or(50))
                .unwrap_or(usize::MAX),
            age: Duration::from_hours(days.saturating_mul(24)),
            bytes: reader.count("retention.size").unwrap_or(10_000_000_000),
            session_age: Duration::from_hours(session_days.saturating_mul(24)),
            log_bytes: reader.count("memory.size").unwrap_or(64_000_000),
        }
    }
}

/// The effect of notes with a check on work that breaks them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteEnforcement {
    /// None: the checks are not run.
    Off,
    /// The failure is reported.
    Report,
    /// The work is not accepted.
    Require,
    /// The work is not accepted, because a criterion names the notes.
    Asked,
}

impl NoteEnforcement {
    fn new(reader: &SettingReader<'_>) -> Self {
        let criteria = reader.list("run.criteria").unwrap_or_default();
        if criteria.iter().any(|name| name == Criterion::Memory.name()) {
            return Self::Asked;
        }
        match reader.text("memory.enforce") {
            _ if reader.switch("memory.enabled") == Some(false) => Self::Off,
            Some("off") => Self::Off,
            Some("report") => Self::Report,
            // Only the user gives a note a check, so it is required by default.
            Some(_) | None => Self::Require,
        }
    }

    /// Returns whether success depends on such notes; `None` if they are not run.
    pub fn need(self) -> Option<GateImportance> {
        match self {
            Self::Off => None,
            Self::Report => Some(GateImportance::Advisory),
            Self::Require | Self::Asked => Some(GateImportance::Required),
        }
    }
}

/// The settings for the memory that an agent is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRules {
    /// True if notes are shown and recorded.
    pub is_enabled: bool,
    /// Most tokens that are shown.
    pub tokens: usize,
    /// The effect of notes that have a check.
    pub enforce: NoteEnforcement,
    /// The sessions of hosts that are shown notes.
    pub audience: NoteAudience,
}

/// The sessions of a host that are shown notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteAudience {
    /// No session.
    Nobody,
    /// Sessions with a loop.
    Loops,
    /// All sessions.
    Everybody,
}

impl MemoryRules {
    /// Reads these rules only, since a hook has no time for all settings.
    pub fn new(layers: &SettingLayers) -> Self {
        let reader = SettingReader(layers);
        let tokens = reader.count("memory.tokens").and_then(|count| count.try_into().ok());
        Self {
            is_enabled: reader.switch("memory.enabled").unwrap_or(true),
            tokens: tokens.unwrap_or(USUAL_TOKENS),
            enforce: NoteEnforcement::new(&reader),
            audience: match reader.text("hooks.memory") {
                Some("off") => NoteAudience::Nobody,
                Some("all") => NoteAudience::Everybody,
                Some(_) | None => NoteAudience::Loops,
            },
        }
    }
}

impl RunSettings {
    /// Interprets the layers. `locale` is the default language; `detect` is called if a
    /// criterion has no command.
    pub fn new(
        layers: &SettingLayers,
        locale: Locale,
        detect: &dyn Fn() -> DetectedGates,
    ) -> Result<Self, SettingsConflictError> {
        let reader = SettingReader(layers);
        let agent = reader.agent()?;
        let GateSettings { specs: mut gates, zero, missing } = gates::read(&reader, detect)?;
        let measured = gates.iter().any(|gate| gate.need == GateImportance::Required);
        gates.extend(judge::gate(&reader));
        let judge = reader.judge(&gates)?;
        let required = gates.iter().any(|gate| gate.need == GateImportance::Required);
        let claim = reader.claim();
        let trust = match reader.text("run.trust") {
            Some("claim") => Trust::Claim,
            Some(_) if !required => return Err(SettingsConflictError::NothingToTrust),
            None if !required => Trust::Claim,
            Some(_) | None => Trust::Evidence,
        };
        // A judge is asked only after a claim, or if a gate was red before.
        if !measured && claim.promise.is_none() && claim.markers.is_empty() {
            return Err(SettingsConflictError::NoEnd);
        }
        Ok(Self {
            policy: Policy {
                claim,
                trust,
                limits: reader.limits(trust),
                turns: reader.turns(),
                gates,
                zero,
                allowed: AllowedChanges {
                    paths: reader.list("run.allow_changes").unwrap_or_default(),
                    tests: reader.switch("run.allow_test_changes").unwrap_or(false),
                    known_failures: reader.switch("run.known_failures").unwrap_or(false),
                },
                tests: reader.test_rules(),
                edition: RuleEdition::Second,
                context: reader.context(&agent)?,
                // Only hosts can be asked to replace a session.
                old_session: None,
                locale: self::locale(layers).unwrap_or(locale),
            },
            sandbox: SandboxRules::new(layers)?,
            template: reader.text("prompt.continuation").map(str::to_owned),
            agent,
            rows: layers.rows().clone(),
            clients: Client::ALL.map(|client| reader.client(client)).into(),
            environment: reader.environment(),
            limit_patterns: reader.limit_patterns()?,
            folders: match reader.switch("run.any_folder") {
                Some(true) => FolderChoice::Any,
                Some(false) | None => FolderChoice::Project,
            },
            on_fail: match reader.text("run.on_fail") {
                Some("best") => OnFail::Best,
                Some("start") => OnFail::Start,
                Some(_) | None => OnFail::Keep,
            },
            order: match reader.switch("run.affected_first") {
                Some(false) => TestOrder::AsTheyCome,
                Some(true) | None => TestOrder::AffectedFirst,
            },
            memory: MemoryRules::new(layers),
            judge,
            missing,
        })
    }

    /// Adds a gate for the notes that have a check. The limits stay, since such notes
    /// do not prove a claim. But a claim alone no longer suffices, unless the user says
    /// so.
    #[must_use]
    pub fn holding_notes(mut self, need: GateImportance, layers: &SettingLayers) -> Self {
        let gates = &mut self.policy.gates;
        let at = gates.iter().position(GateSpec::is_judge).unwrap_or(gates.len());
        gates.insert(at, InvariantGate::specify(need));
        if need == GateImportance::Required
            && SettingReader(layers).text("run.trust") != Some("claim")
        {
            self.policy.trust = Trust::Evidence;
        }
        self
    }

    /// Returns the options of a client.
    pub fn client(&self, client: Client) -> ClientOptions {
        let known = self.clients.iter().find(|options| options.client == client);
        known.cloned().unwrap_or_else(|| ClientOptions::new(client))
    }

    /// Returns the variables that agents and gates get.
    pub fn environment(&self) -> &EnvironmentRules {
        &self.environment
    }

    /// Returns the texts by which a limit of a provider is known.
    pub fn limit_patterns(&self) -> &LimitPatterns {
        &self.limit_patterns
    }

    /// Returns the tests of a gate that run first.
    pub fn order(&self) -> TestOrder {
        self.order
    }

    /// Returns an error if a required gate cannot run here.
    pub fn ensure_tools(&self) -> Result<(), SettingsConflictError> {
        match self.missing.first() {
            Some(MissingTool { gate, need }) => {
                Err(SettingsConflictError::MissingTool { gate: gate.clone(), need: need.clone() })
            }
            None => Ok(()),
        }
    }
}

/// Reads typed values. Their kinds were checked when the layers were built.
pub(crate) struct SettingReader<'a>(pub(super) &'a SettingLayers);

impl SettingReader<'_> {
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        match self.0.get(path)? {
            SettingValue::Text(text) => Some(text),
            SettingValue::Count(_)
            | SettingValue::Span(_)
            | SettingValue::Money(_)
            | SettingValue::List(_)
            | SettingValue::Switch(_) => None,
        }
    }

    pub(crate) fn list(&self, path: &str) -> Option<Vec<String>> {
        match self.0.get(path)? {
            SettingValue::List(items) => Some(items.clone()),
            SettingValue::Text(_)
            | SettingValue::Count(_)
            | SettingValue::Span(_)
            | SettingValue::Money(_)
            | SettingValue::Switch(_) => None,
        }
    }

    fn count(&self, path: &str) -> Option<u64> {
        match self.0.get(path)? {
            SettingValue::Count(number) => Some(*number),
            SettingValue::Text(_)
            | SettingValue::List(_)
            | SettingValue::Span(_)
            | SettingValue::Money(_)
            | SettingValue::Switch(_) => None,
        }
    }

    pub(crate) fn span(&self, path: &str) -> Option<Duration> {
        match self.0.get(path)? {
            SettingValue::Span(span) => Some(*span),
            SettingValue::Text(_)
            | SettingValue::List(_)
            | SettingValue::Count(_)
            | SettingValue::Money(_)
            | SettingValue::Switch(_) => None,
        }
    }

    fn test_rules(&self) -> TestRules {
        let original = match self.text("run.original_tests") {
            Some("report") => OriginalTests::Report,
            Some("off") => OriginalTests::Off,
            Some(_) | None => OriginalTests::Hold,
        };
        let added = match self.text("run.new_tests") {
            Some("ignore") => AddedTests::Ignore,
            Some(_) | None => AddedTests::Expect,
        };
        TestRules { original, added }
    }

    pub(crate) fn switch(&self, path: &str) -> Option<bool> {
        match self.0.get(path)? {
            SettingValue::Switch(on) => Some(*on),
            SettingValue::Text(_)
            | SettingValue::List(_)
            | SettingValue::Count(_)
            | SettingValue::Span(_)
            | SettingValue::Money(_) => None,
        }
    }

    pub(crate) fn money(&self, path: &str) -> Option<Usd> {
        match self.0.get(path)? {
            SettingValue::Money(money) => Some(*money),
            SettingValue::Text(_)
            | SettingValue::List(_)
            | SettingValue::Count(_)
            | SettingValue::Span(_)
            | SettingValue::Switch(_) => None,
        }
    }

    fn agent(&self) -> Result<AgentChoice, ConfigError> {
        let name = self.text("run.agent").unwrap_or("command");
        Ok(match (Client::named(name), name) {
            (Some(client), _) => AgentChoice::Client(client),
            (None, "scripted") => AgentChoice::Scripted,
            (None, "command") => AgentChoice::Command(self.list("run.agent_cmd")),
            (None, name) => AgentChoice::Row(Box::new(find_row(self.0.rows(), name)?)),
        })
    }

    pub(crate) fn client(&self, client: Client) -> ClientOptions {
        let mut options = ClientOptions::new(client);
        options.old_session = old_session(self.0);
        for ClientSetting { option, path, .. } in client.settings() {
            let text = || self.text(path).map(str::to_owned);
            match option {
                ClientOption::Program => options.program = text(),
                ClientOption::Model => options.model = text(),
                ClientOption::PermissionMode => options.permission_mode = text(),
                ClientOption::Persona => options.persona = text(),
                ClientOption::Attach => options.attach = text(),
                ClientOption::Args => options.args = self.list(path).unwrap_or_default(),
            }
        }
        options
    }

    /// Returns the judge; `None` if no gate asks for one.
    fn judge(&self, gates: &[GateSpec]) -> Result<Option<JudgeChoice>, JudgeError> {
        if !gates.iter().any(GateSpec::is_judge) {
            return Ok(None);
        }
        if self.text("run.trust") == Some("claim") {
            return Err(JudgeError::NothingToDecide);
        }
        let choice = judge::read(self)?;
        if self.money("run.max_cost").is_some() {
            choice.ensure_priced()?;
        }
        Ok(Some(choice))
    }

    fn small(&self, path: &str) -> Option<u32> {
        self.count(path).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
    }

    fn claim(&self) -> ClaimRules {
        let rules = ClaimRules::default();
        ClaimRules {
            promise: self.text("run.promise").map_or(rules.promise, Promise::new),
            mode: self.text("run.match").and_then(|t| t.parse().ok()).unwrap_or(MatchMode::Tag),
            markers: self.list("run.markers").map_or(rules.markers, |items| {
                items.iter().filter_map(|item| Marker::new(item)).collect()
            }),
        }
    }

    fn limits(&self, trust: Trust) -> RunLimits {
        let defaults = match trust {
            Trust::Claim => RunLimits::for_claims(),
            Trust::Evidence => RunLimits::for_gates(),
        };
        RunLimits {
            iterations: self.small("run.max_iterations").unwrap_or(defaults.iterations),
            duration: self.span("run.max_duration").unwrap_or(defaults.duration),
            stalled: self.small("run.stagnation_limit").unwrap_or(defaults.stalled),
            restarts: self.small("run.max_restarts").unwrap_or(defaults.restarts),
            tokens: self.count("run.max_tokens"),
            cost: self.money("run.max_cost"),
            waiting: self.span("run.max_wait").unwrap_or(defaults.waiting),
        }
    }

    fn turns(&self) -> TurnLimits {
        let defaults = TurnLimits::default();
        TurnLimits {
            idle: self.span("run.idle_timeout").unwrap_or(defaults.idle),
            wall: self.span("run.turn_timeout").unwrap_or(defaults.wall),
            grace: self.span("run.grace").unwrap_or(defaults.grace),
        }
    }

    fn context(&self, agent: &AgentChoice) -> Result<ContextMode, SettingsConflictError> {
        let context = context(self.0);
        let agent = match agent {
            AgentChoice::Command(_) => "command",
            AgentChoice::Scripted => "scripted",
            AgentChoice::Client(_) => return Ok(context),
            AgentChoice::Row(row) if row.keeps_sessions() => return Ok(context),
            AgentChoice::Row(row) => &row.name,
        };
        match context {
            context @ (ContextMode::Auto | ContextMode::Fresh) => Ok(context),
            context @ (ContextMode::Same | ContextMode::Summarize) => {
                let agent = agent.to_owned();
                Err(SettingsConflictError::NoSession { agent, context: context.name() })
            }
        }
    }

    pub(crate) fn environment(&self) -> EnvironmentRules {
        let globs = |items: Vec<String>| items.iter().map(|item| NameGlob::new(item)).collect();
        let defaults = EnvironmentRules::default();
        EnvironmentRules {
            exclude: self.list("environment.exclude").map_or(defaults.exclude, globs),
            pass: self.list("environment.pass").map_or(defaults.pass, globs),
        }
    }

    fn limit_patterns(&self) -> Result<LimitPatterns, ConfigError> {
        let patterns = match self.list("run.limit_patterns") {
            Some(patterns) => LimitPatterns::new(&patterns),
            None => Ok(LimitPatterns::known()),
        };
        Ok(patterns?)
    }
}
