//! All agents that can be driven, as users see them: rows and clients alike.

use std::path::{Path, PathBuf};

use crate::Client;
use crate::host::Host;
use crate::rows::{AgentRow, LoginSigns, ProofKind, RowProof, RowTable, TransportKind};

/// An agent that can be driven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownAgent {
    /// The name on the command line.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// The program.
    pub program: String,
    /// Arguments that make it print its version.
    pub version: Vec<String>,
    /// The command that installs it; empty if unknown.
    pub install: String,
    /// How it signs in, and how that shows.
    pub login: LoginSigns,
    /// The folder of its settings.
    pub folder: Option<PathBuf>,
    /// The ways to drive it, the first choice first.
    pub transports: Vec<&'static str>,
    /// The modes of permission, the usual one first.
    pub modes: Vec<String>,
    /// True if its own sessions can loop.
    pub in_session: bool,
    /// What it was tested with.
    pub proof: RowProof,
    /// What users should know.
    pub limits: Vec<String>,
    /// The settings files that made or changed it.
    pub origins: Vec<PathBuf>,
}

/// Returns all agents: those with code of their own, then the rows by name.
/// `variable` looks a variable up.
pub fn known_agents(
    rows: &RowTable,
    home: &Path,
    variable: &dyn Fn(&str) -> Option<PathBuf>,
) -> Vec<KnownAgent> {
    let clients = Client::ALL.into_iter().map(|client| client.known(home, variable));
    clients.chain(rows.all().iter().map(|row| row.known(home, variable))).collect()
}

impl Client {
    fn known(self, home: &Path, variable: &dyn Fn(&str) -> Option<PathBuf>) -> KnownAgent {
        let (title, [command, file, key]) = match self {
            Self::ClaudeCode => {
                ("Claude Code", ["claude", ".credentials.json", "ANTHROPIC_API_KEY"])
            }
            Self::OpenCode => {
                ("OpenCode", ["opencode auth login", "auth.json", "OPENCODE_API_KEY"])
            }
        };
        let host = Host::find(self.name());
        KnownAgent {
            name: self.name().to_owned(),
            title: title.to_owned(),
            program: host.map_or(self.name(), |host| host.program).to_owned(),
            version: vec!["--version".to_owned()],
            install: format!("npm install -g {}", self.package()),
            login: LoginSigns {
                command: command.to_owned(),
                files: vec![file.to_owned()],
                variables: vec![key.to_owned()],
            },
            folder: self.places(home, variable).open.into_iter().next(),
            transports: vec![match self {
                Self::ClaudeCode => "stream",
                Self::OpenCode => "server",
            }],
            modes: self
                .settings()
                .iter()
                .find(|setting| setting.option == crate::ClientOption::PermissionMode)
                .map(|setting| setting.choices.iter().map(|it| (*it).to_owned()).collect())
                .unwrap_or_default(),
            in_session: host.is_some(),
            proof: RowProof { how: ProofKind::RealClient, version: None },
            limits: Vec::new(),
            origins: Vec::new(),
        }
    }
}

impl AgentRow {
    fn known(&self, home: &Path, variable: &dyn Fn(&str) -> Option<PathBuf>) -> KnownAgent {
        let mut modes = self.modes();
        modes.sort_by_key(|mode| *mode != self.mode);
        KnownAgent {
            name: self.name.clone(),
            title: self.title.clone(),
            program: self.started_program().to_owned(),
            version: self.version.clone(),
            install: self.install.clone(),
            login: self.login.clone(),
            folder: self.home_folder(home, variable),
            transports: self.transports().into_iter().map(TransportKind::name).collect(),
            modes,
            in_session: Host::find(&self.name).is_some(),
            proof: self.proof.clone(),
            limits: self.limits.clone(),
            origins: self.origins.clone(),
        }
    }
}

/// A sign of a login that needs no request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginState {
    /// A variable holds a key.
    Key(String),
    /// A file that exists after a login.
    File(PathBuf),
    /// No sign.
    Unknown,
}

impl KnownAgent {
    /// Returns the sign of a login. `is_set` says which variables have a value.
    pub fn login_state(&self, is_set: &dyn Fn(&str) -> bool) -> LoginState {
        if let Some(name) = self.login.variables.iter().find(|name| is_set(name)) {
            return LoginState::Key(name.clone());
        }
        let files = self.login.files.iter();
        let below = |file: &String| self.folder.as_ref().map(|folder| folder.join(file));
        let found = files.filter_map(below).find(|path| path.exists());
        found.map_or(LoginState::Unknown, LoginState::File)
    }
}

/// Renders the matrix of all agents as Markdown.
pub fn agent_matrix() -> String {
    let line = |agent: KnownAgent| {
        let KnownAgent { name, title, transports, in_session, proof, .. } = agent;
        let version = proof.version.map(|version| format!(" {version}")).unwrap_or_default();
        let (how, driven) = (proof.how.words(), transports.join(", "));
        let loops = if in_session { "yes" } else { "no" };
        format!("| {title} | `{name}` | {driven} | {loops} | {how}{version} |\n")
    };
    let agents = known_agents(&RowTable::default(), Path::new(""), &|_| None);
    let lines = agents.into_iter().map(line).collect::<Vec<_>>().concat();
    format!(
        "| agent | `--agent` | driven by | loops in its sessions | tested with |\n\
         |---|---|---|---|---|\n{lines}"
    )
}

/// Renders the guide of each row: its file name and its text.
pub fn agent_guides() -> Vec<(String, String)> {
    let rows = RowTable::default().all();
    rows.iter().map(|row| (format!("{}.md", row.name), guide(row))).collect()
}

fn guide(row: &AgentRow) -> String {
    let AgentRow { name, title, program, install, .. } = row;
    let parts = [
        format!(
            "# {title}\n\nMade from the table of agents by `cargo xtask docs`. [Other agents](../agents.md) says \
             what holds for all of them.\n\n## Install\n\n```\n{install}\n```\n\n{}\n\
             `ralph agents` shows whether `{program}` is installed and signed in.\n\n",
            signing_in(&row.login)
        ),
        format!(
            "## Drive it\n\n```\nralph run \"make the tests pass\" --agent {name} --criteria test_pass\n```\n\n{}",
            settings(row)
        ),
        format!(
            "## Loops in its sessions\n\n{}\n\n",
            match Host::find(name) {
                Some(host) =>
                    format!("`ralph install {}` adds hooks that loop inside them.", host.name),
                None => "Not yet: `ralph` drives it from outside only.".to_owned(),
            }
        ),
        format!("## Known limits\n\n{}\n", known_limits(row)),
        format!(
            "## Tested with\n\n{}\n",
            match &row.proof.version {
                Some(version) => format!(
                    "Version {version}, a {}: a false claim refused and a true one accepted, tasks that look like \
                 commands, a driver that is killed, and the count of tokens. Its recorded streams are tested with \
                 every change.",
                    row.proof.how.words()
                ),
                None => "No version.".to_owned(),
            }
        ),
    ];
    parts.concat()
}

fn quoted(words: &[impl AsRef<str>]) -> Vec<String> {
    words.iter().map(|word| format!("`{}`", word.as_ref())).collect()
}

fn signing_in(login: &LoginSigns) -> String {
    let keys = quoted(&login.variables).join(" or ");
    match (login.command.as_str(), keys.as_str()) {
        ("", "") => "Its own documents say how it signs in.\n".to_owned(),
        ("", keys) => format!("A value in {keys} signs in.\n"),
        (command, "") => format!("`{command}` signs in.\n"),
        (command, keys) => format!("`{command}` signs in; so does a value in {keys}.\n"),
    }
}

fn settings(row: &AgentRow) -> String {
    let known = row.known(Path::new("~"), &|_| None);
    let (modes, transports) = (quoted(&known.modes), quoted(&known.transports));
    let next = if row.keeps_sessions() {
        "The next turn happens in the same conversation, unless `--context` says otherwise."
    } else {
        "Every turn begins a new conversation, with the task and what was found."
    };
    format!(
        "| setting of `[agents.{}]` | values, the first by default |\n|---|---|\n| `mode` | {} |\n\
         | `transport` | {} |\n| `program` | `{}` |\n| `model`, `args` | its own |\n\n{next}\n\n",
        row.name,
        modes.join(", "),
        transports.join(", "),
        row.started_program(),
    )
}

fn known_limits(row: &AgentRow) -> String {
    let general = match row.proof.how {
        ProofKind::RealClient => "Its row holds for the version below; another one may differ.",
        ProofKind::Recorded | ProofKind::Documented | ProofKind::Yours => {
            "Its row follows documents alone: the program was never run with `ralph`."
        }
    };
    let limits = row.limits.iter().map(String::as_str).chain([general]);
    let lines: Vec<String> = limits.map(|limit| format!("- {limit}\n")).collect();
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_shows_in_a_variable_or_a_file() {
        let home = tempfile::tempdir().unwrap();
        let codex = || {
            let all = known_agents(&RowTable::default(), home.path(), &|_| None);
            all.into_iter().find(|agent| agent.name == "codex").unwrap()
        };
        assert_eq!(codex().login_state(&|_| false), LoginState::Unknown);
        let key = codex().login_state(&|name| name == "OPENAI_API_KEY");
        assert_eq!(key, LoginState::Key("OPENAI_API_KEY".to_owned()));
        let file = home.path().join(".codex/auth.json");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "{}").unwrap();
        assert_eq!(codex().login_state(&|_| false), LoginState::File(file));
    }
}
