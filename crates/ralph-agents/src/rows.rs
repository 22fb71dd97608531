//! Agents that are a row of a table: what `ralph` must know to start one, to
//! follow it, and to tell users about it.
//!
//! The rows that ship with the binary and `[agents.NAME]` of the settings have
//! one form. A table of the settings changes the row of its name, or adds one.

mod acp;
mod agent;
mod listener;
mod rule;
mod template;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use serde::Deserialize;
use toml::Table;

pub use agent::RowAgent;
use rule::EventRule;

/// The rows of this version.
const ROWS: &str = include_str!("rows/rows.toml");

/// The named meanings of streams.
const DIALECTS: &str = include_str!("rows/dialects.toml");

static SHIPPED: LazyLock<(Table, Table)> =
    LazyLock::new(|| (constant_table(ROWS), constant_table(DIALECTS)));

#[expect(clippy::expect_used, reason = "the text is a constant, and a test reads every row of it")]
fn constant_table(text: &str) -> Table {
    toml::from_str(text).expect("a constant table is TOML")
}

/// An agent as a row of a table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentRow {
    /// The name in the settings and on the command line.
    #[serde(skip)]
    pub name: String,
    /// The settings files that made or changed it; none if it is as shipped.
    /// One of a project needs the user's trust.
    #[serde(skip)]
    pub origins: Vec<PathBuf>,
    /// The name for people.
    pub title: String,
    /// The program that is started.
    pub program: String,
    /// Arguments that make it print its version.
    #[serde(default = "version_words")]
    pub version: Vec<String>,
    /// The command that installs it; empty if unknown.
    #[serde(default)]
    pub install: String,
    /// How it signs in, and how that shows.
    #[serde(default)]
    pub login: LoginSigns,
    /// What its row was tested with.
    #[serde(default)]
    pub proof: RowProof,
    /// The way it is driven.
    pub transport: TransportKind,
    /// What it may do without being asked; a name of `modes`.
    #[serde(default = "usual_mode")]
    pub mode: String,
    /// The model to ask for, if not its own choice.
    pub model: Option<String>,
    /// The user's own arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Variables that it gets, unless the user has set them.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Variables that it must not see.
    #[serde(default)]
    pub without: Vec<String>,
    /// The shortest time without output that means anything, in seconds.
    #[serde(default)]
    pub idle: u64,
    /// The folder of its settings and sessions, below the home folder.
    pub folder: Option<String>,
    /// The variable that names another folder.
    pub folder_variable: Option<String>,
    /// Parts of the folder that it later obeys or executes.
    #[serde(default)]
    pub obeyed: Vec<String>,
    /// Other folders that it writes to.
    #[serde(default)]
    pub open: Vec<String>,
    /// Driven by the Agent Client Protocol.
    pub acp: Option<TransportRow>,
    /// Driven by a process a turn that prints JSON lines.
    pub stream: Option<TransportRow>,
    /// Driven by a process a turn that prints text.
    pub text: Option<TransportRow>,
    /// Patterns of errors.
    #[serde(default)]
    pub trouble: TroublePatterns,
    /// What users should know, a sentence each.
    #[serde(default)]
    pub limits: Vec<String>,
}

fn version_words() -> Vec<String> {
    vec!["--version".to_owned()]
}

fn usual_mode() -> String {
    EDITS.to_owned()
}

/// The mode in which files may be edited, and the rest is refused.
pub(crate) const EDITS: &str = "edits";
/// The mode in which everything is allowed.
pub(crate) const ALL: &str = "all";
/// The mode that grants nothing.
pub(crate) const NOTHING: &str = "none";

/// How an agent signs in, and how that shows without asking anyone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoginSigns {
    /// The command that signs in.
    #[serde(default)]
    pub command: String,
    /// Files of its folder that exist after that.
    #[serde(default)]
    pub files: Vec<String>,
    /// Variables that may hold a key instead.
    #[serde(default)]
    pub variables: Vec<String>,
}

/// What a row was tested with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowProof {
    /// The kind of test.
    #[serde(default)]
    pub how: ProofKind,
    /// The version of the agent, unless it was never run.
    pub version: Option<String>,
}

/// The kind of test behind a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum ProofKind {
    /// Runs of the real program.
    #[serde(rename = "real client")]
    RealClient,
    /// Recorded output of the real program.
    #[serde(rename = "recorded")]
    Recorded,
    /// Documents of its maker.
    #[serde(rename = "documented")]
    Documented,
    /// Nothing of ours: a row of the user.
    #[default]
    #[serde(rename = "yours")]
    Yours,
}

impl ProofKind {
    /// Returns the words of the table.
    pub fn words(self) -> &'static str {
        match self {
            Self::RealClient => "real client",
            Self::Recorded => "recorded",
            Self::Documented => "documented",
            Self::Yours => "yours",
        }
    }
}

/// A way to drive an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TransportKind {
    /// The Agent Client Protocol.
    Acp,
    /// A process a turn that prints JSON lines.
    Stream,
    /// A process a turn that prints text.
    Text,
}

impl TransportKind {
    /// Returns the word in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Acp => "acp",
            Self::Stream => "stream",
            Self::Text => "text",
        }
    }
}

/// One way to drive an agent. Whole words in braces stand for others: `{mode}`,
/// `{model}`, `{session}` and `{args}` for any number of words, `{prompt}`,
/// `{prompt_file}` and `{usage_file}` for one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransportRow {
    /// The program, if it is not that of the row.
    pub program: Option<String>,
    /// The arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// The words of `{model}`, if a model is chosen.
    #[serde(default)]
    pub model: Vec<String>,
    /// The words of `{session}` that begin a conversation with our `{id}`.
    #[serde(default)]
    pub start: Vec<String>,
    /// The words of `{session}` that continue the conversation `{id}`. Without
    /// them every turn begins a new one.
    #[serde(default)]
    pub resume: Vec<String>,
    /// The words of `{mode}`.
    #[serde(default)]
    pub modes: BTreeMap<String, Vec<String>>,
    /// The mode of the protocol's sessions for each of ours.
    #[serde(default)]
    pub session_modes: BTreeMap<String, String>,
    /// The way in which the prompt arrives.
    #[serde(default)]
    pub prompt: PromptChannel,
    /// The named meaning of the stream.
    pub dialect: Option<String>,
    /// Rules of its own, or instead of those of the dialect.
    #[serde(default)]
    pub events: EventRules,
    /// The file that holds the usage, if the stream does not. `{folder}` is the
    /// folder of the agent, `*` any one folder.
    pub usage_file: Option<String>,
    /// Patterns of the message that a conversation does not exist.
    #[serde(default)]
    pub lost: Vec<String>,
}

/// The way in which a prompt reaches a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PromptChannel {
    /// As standard input.
    #[default]
    Stdin,
    /// As the argument `{prompt}`.
    Argument,
    /// As the file `{prompt_file}`.
    File,
}

/// The meaning of the lines of a stream; see `dialects.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EventRules {
    pub(crate) session: Vec<EventRule>,
    pub(crate) text: Vec<EventRule>,
    pub(crate) chunk: Vec<EventRule>,
    pub(crate) apart: Option<String>,
    pub(crate) tool: Vec<EventRule>,
    pub(crate) note: Vec<EventRule>,
    pub(crate) refused: Vec<EventRule>,
    pub(crate) error: Vec<EventRule>,
    pub(crate) lost: Vec<EventRule>,
    pub(crate) done: Vec<EventRule>,
    pub(crate) context: Vec<EventRule>,
    pub(crate) usage: Vec<EventRule>,
    pub(crate) covers: UsageScope,
    pub(crate) input: Vec<String>,
    pub(crate) output: Vec<String>,
    pub(crate) cost: Option<String>,
}

/// What a report of usage covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum UsageScope {
    /// One call of the model.
    Call,
    /// The turn so far, or its process.
    #[default]
    Turn,
    /// The conversation so far.
    Session,
    /// Each line one call, all lines the conversation.
    Log,
}

/// Patterns of errors, in any letters; added to those that hold for all agents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TroublePatterns {
    /// The provider refuses work for now.
    pub limit: Vec<String>,
    /// The agent is not signed in.
    pub login: Vec<String>,
}

/// An error in a row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    /// The name belongs to an agent that is no row.
    #[error("`{0}` is no name for an agent of your own")]
    Name(String),
    /// A key is missing, unknown or of another kind.
    #[error("{0}")]
    Form(String),
    /// The transport that is asked for is not described.
    #[error("there is no table `{0}`, which `transport` asks for")]
    Transport(&'static str),
    /// The mode is not one of the row.
    #[error("`{given}` is not a mode of it; it has {known}")]
    Mode {
        /// The mode.
        given: String,
        /// The modes that it has.
        known: String,
    },
    /// A dialect that does not exist.
    #[error("there is no dialect `{0}`")]
    Dialect(String),
    /// A pattern that is not a regular expression.
    #[error("the pattern `{0}` is not a regular expression")]
    Pattern(String),
}

/// All rows: those of this version, and those of the settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowTable {
    changes: BTreeMap<String, (Table, Vec<PathBuf>)>,
}

impl RowTable {
    /// Adds a table of a settings file, or of a flag, whose keys replace those
    /// before it.
    pub fn change(
        &mut self,
        name: &str,
        table: &Table,
        file: Option<&Path>,
    ) -> Result<(), RowError> {
        let is_word = !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        let is_taken = crate::NAMES.contains(&name) && !SHIPPED.0.contains_key(name);
        if !is_word || is_taken {
            return Err(RowError::Name(name.to_owned()));
        }
        let (changed, files) = self.changes.entry(name.to_owned()).or_default();
        merge(changed, table);
        files.extend(file.map(Path::to_owned));
        self.find(name).map(|_| ())
    }

    /// Returns the names of all rows, in order.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = SHIPPED.0.keys().chain(self.changes.keys()).cloned().collect();
        names.sort();
        names.dedup();
        names
    }

    /// Returns the row of this name; `None` if there is none.
    pub fn find(&self, name: &str) -> Result<Option<AgentRow>, RowError> {
        let shipped = SHIPPED.0.get(name).and_then(toml::Value::as_table);
        let changed = self.changes.get(name);
        if shipped.is_none() && changed.is_none() {
            return Ok(None);
        }
        let mut table = shipped.cloned().unwrap_or_default();
        if let Some((changes, _)) = changed {
            merge(&mut table, changes);
        }
        for kind in ["acp", "stream", "text"] {
            if let Some(transport) = table.get_mut(kind).and_then(toml::Value::as_table_mut) {
                speak(transport)?;
            }
        }
        table.entry("title").or_insert_with(|| name.into());
        let row = toml::Value::Table(table).try_into::<AgentRow>();
        let mut row = row.map_err(|error| RowError::Form(error.message().to_owned()))?;
        name.clone_into(&mut row.name);
        row.origins = changed.map(|(_, files)| files.clone()).unwrap_or_default();
        row.check()?;
        Ok(Some(row))
    }

    /// Returns all rows, without those of the settings that have errors.
    pub fn all(&self) -> Vec<AgentRow> {
        self.names().iter().filter_map(|name| self.find(name).ok().flatten()).collect()
    }
}

/// Puts the rules of the dialect below those of the transport.
fn speak(transport: &mut Table) -> Result<(), RowError> {
    let Some(name) = transport.get("dialect").and_then(toml::Value::as_str) else { return Ok(()) };
    let dialect = SHIPPED.1.get(name).and_then(toml::Value::as_table);
    let mut rules = dialect.cloned().ok_or_else(|| RowError::Dialect(name.to_owned()))?;
    if let Some(own) = transport.get("events").and_then(toml::Value::as_table) {
        merge(&mut rules, own);
    }
    transport.insert("events".to_owned(), toml::Value::Table(rules));
    Ok(())
}

/// Writes the values of `over` into `under`, table by table.
fn merge(under: &mut Table, over: &Table) {
    for (key, value) in over {
        match (under.get_mut(key), value) {
            (Some(toml::Value::Table(below)), toml::Value::Table(above)) => merge(below, above),
            (_, value) => {
                under.insert(key.clone(), value.clone());
            }
        }
    }
}

impl AgentRow {
    /// Returns the transport that is in use.
    pub fn in_use(&self) -> &TransportRow {
        static NONE: LazyLock<TransportRow> = LazyLock::new(TransportRow::default);
        let row = match self.transport {
            TransportKind::Acp => &self.acp,
            TransportKind::Stream => &self.stream,
            TransportKind::Text => &self.text,
        };
        row.as_ref().unwrap_or(&NONE)
    }

    /// Returns the transports that it has, the first choice first.
    pub fn transports(&self) -> Vec<TransportKind> {
        let has = [
            (TransportKind::Acp, &self.acp),
            (TransportKind::Stream, &self.stream),
            (TransportKind::Text, &self.text),
        ];
        let mut kinds: Vec<TransportKind> =
            has.into_iter().filter(|(_, row)| row.is_some()).map(|(kind, _)| kind).collect();
        kinds.sort_by_key(|kind| *kind != self.transport);
        kinds
    }

    /// Returns the names of its modes.
    pub fn modes(&self) -> Vec<String> {
        let usual: &[&str] = match self.transport {
            TransportKind::Acp => &[EDITS, ALL, NOTHING],
            TransportKind::Stream | TransportKind::Text => &[],
        };
        let own = self.in_use().modes.keys().map(String::as_str);
        let mut modes: Vec<String> = usual.iter().copied().chain(own).map(str::to_owned).collect();
        modes.sort();
        modes.dedup();
        modes
    }

    /// Returns the program that is started.
    pub fn started_program(&self) -> &str {
        self.in_use().program.as_deref().unwrap_or(&self.program)
    }

    /// Returns the time without output that means nothing.
    pub fn quiet_time(&self) -> Duration {
        Duration::from_secs(self.idle)
    }

    /// Returns true if it can continue a conversation.
    pub fn keeps_sessions(&self) -> bool {
        self.transport == TransportKind::Acp || !self.in_use().resume.is_empty()
    }

    /// Returns its folder. `variable` looks a variable up.
    pub fn home_folder(
        &self,
        home: &Path,
        variable: &dyn Fn(&str) -> Option<PathBuf>,
    ) -> Option<PathBuf> {
        let named = self.folder_variable.as_deref().and_then(variable);
        let named = named.filter(|path| path.is_absolute());
        named.or_else(|| self.folder.as_ref().map(|folder| home.join(folder)))
    }

    fn check(&self) -> Result<(), RowError> {
        let present = match self.transport {
            TransportKind::Acp => self.acp.is_some(),
            TransportKind::Stream => self.stream.is_some(),
            TransportKind::Text => self.text.is_some(),
        };
        if !present {
            return Err(RowError::Transport(self.transport.name()));
        }
        let transport = self.in_use();
        let modes = self.modes();
        let usual = modes.is_empty() && self.mode == EDITS;
        if !usual && !modes.contains(&self.mode) {
            let known = if modes.is_empty() { "none".to_owned() } else { modes.join(", ") };
            return Err(RowError::Mode { given: self.mode.clone(), known });
        }
        let trouble = &self.trouble;
        let patterns = transport.lost.iter().chain(&trouble.limit).chain(&trouble.login);
        for pattern in patterns {
            crate::limits::compile(pattern).map_err(|_| RowError::Pattern(pattern.clone()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "rows/rows_tests.rs"]
mod tests;
