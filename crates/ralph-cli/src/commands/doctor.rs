//! `ralph doctor`: proves that everything a run needs works here.

mod facts;
mod hosts;
mod memory;
mod rehearsal;
mod server;
mod wire;

use std::ffi::OsString;
use std::process::Command;
use std::time::Duration;

use ralph_agents::host::HOSTS;
use ralph_engine::clock::Interrupt;
use ralph_proc::{Control, Ending, Launch, Limits, Outcome, ProcError, Stream, Watcher};
use ralph_snapshot::WorkTree;
use ralph_store::{RunStore, SqliteStore};

use super::drive::{self, Checks};
use crate::app::App;
use crate::config::{AgentChoice, Settings};
use crate::error::CliError;
use crate::progress_line::ProgressLine;
use crate::signals::{self, Aftermath};
use crate::{out, texts};
use facts::Facts;

/// Prove that everything a run needs works here
///
/// Starts a process under the supervisor, opens and checks the store, reads
/// the work tree, and looks for the agent and the gates of the settings. Calls
/// every hook that hosts call, as they would, and names what stands in the way.
/// Exit code 1 when something a run needs does not work.
#[derive(clap::Args, Debug)]
pub(crate) struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What one check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    Fine,
    Remark,
    Broken,
}

impl Health {
    fn word(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Remark => "note",
            Self::Broken => "broken",
        }
    }
}

struct Finding {
    what: &'static str,
    health: Health,
    detail: String,
}

impl Finding {
    fn new<E: std::fmt::Display>(what: &'static str, result: Result<String, E>) -> Self {
        match result {
            Ok(detail) => Self { what, health: Health::Fine, detail },
            Err(error) => Self { what, health: Health::Broken, detail: error.to_string() },
        }
    }

    fn fine(what: &'static str, detail: String) -> Self {
        Self { what, health: Health::Fine, detail }
    }

    fn broken(what: &'static str, detail: String) -> Self {
        Self { what, health: Health::Broken, detail }
    }

    fn line(&self) -> String {
        format!("{:<7} {:<11} {}", self.health.word(), self.what, self.detail)
    }

    fn remark(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, health: Health::Remark, detail: detail.into() }
    }
}

pub(crate) fn run(args: &DoctorArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let interrupt = Interrupt::default();
    signals::listen(&interrupt, || {}, Aftermath::Nothing, app.locale())?;
    let mut findings: Vec<Finding> = Vec::new();
    let mut found = |finding: Finding| {
        if !args.json {
            out::line(finding.line());
        }
        findings.push(finding);
    };
    found(Finding::new::<CliError>("version", Ok(env!("CARGO_PKG_VERSION").to_owned())));
    found(git());
    found(Finding::new::<CliError>("state", Ok(app.home.display().to_string())));
    found(store(&app));
    found(memory::judge(&app));
    found(supervisor(&app));
    for finding in settings(&app) {
        found(finding);
    }
    if let Some(name) = app.kill_switch() {
        found(Finding::remark("switch", format!("ralph is switched off by {name}")));
    }
    let hosts = hosts_of(&app);
    for finding in hosts.iter().flat_map(hosts::judge) {
        found(finding);
    }
    for finding in hosts.iter().flat_map(|facts| server::judge(&app, facts)) {
        found(finding);
    }
    if hosts.is_empty() {
        found(hosts::nobody());
    }
    // Last, since it takes the longest.
    let finding = tree(&app, &interrupt);
    if interrupt.is_raised() {
        out::note(texts::interrupted(app.locale()));
        return Ok(130);
    }
    found(finding);
    if args.json {
        out::line(wire::render(&findings, &hosts));
    }
    Ok(u8::from(findings.iter().any(|finding| finding.health == Health::Broken)))
}

/// The hosts that call us, or would if their settings could be read.
fn hosts_of(app: &App) -> Vec<Facts> {
    let looks = HOSTS.iter().map(|host| Facts::look(app, host));
    let concern_us = looks.filter(|facts| facts.is_installed() || !facts.unreadable.is_empty());
    concern_us.map(|facts| facts.try_out(app)).collect()
}

fn git() -> Finding {
    match Command::new("git").arg("--version").output() {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            Finding::new::<CliError>("git", Ok(text))
        }
        Ok(_) | Err(_) => {
            Finding::remark("git", "not found: files are compared by their contents instead")
        }
    }
}

fn store(app: &App) -> Finding {
    let checked = SqliteStore::open_existing(&app.home).and_then(|found| match found {
        Some(opened) => opened
            .store
            .check_integrity()
            .map(|()| format!("ralph.{}.db is sound", opened.generation)),
        None => Ok("none yet; the first run creates it".to_owned()),
    });
    Finding::new("store", checked)
}

fn tree(app: &App, interrupt: &Interrupt) -> Finding {
    let folder = tempfile::tempdir();
    let read = folder.map_err(|error| CliError::internal(&error)).and_then(|folder| {
        WorkTree::open(&app.project, folder.path())
            .and_then(|tree| {
                interrupt.reach(tree.handle());
                let _line = ProgressLine::show(tree.handle(), app.locale());
                tree.tree()
            })
            .map(|id| format!("{} is {}", app.project.root.display(), id.short()))
            .map_err(|error| CliError::internal(&error))
    });
    Finding::new("work tree", read)
}

/// A watcher that lets the process run.
struct Patient;

impl Watcher for Patient {
    fn output(&mut self, _stream: Stream, _bytes: &[u8]) {}

    fn tick(&mut self) -> Control {
        Control::GoOn
    }
}

/// Runs a program that is expected to end at once.
fn try_out(app: &App, program: OsString, arg: &str) -> Result<Outcome, ProcError> {
    let launch = Launch {
        program,
        args: vec![OsString::from(arg)],
        dir: app.project.root.clone(),
        env: app.env.clone().into_iter().collect(),
        stdin: None,
        streams: ralph_proc::Streams::Apart,
    };
    let limits =
        Limits { wall: Some(Duration::from_secs(10)), idle: None, grace: Duration::from_secs(1) };
    App::supervisor().run(&launch, &limits, &mut Patient)
}

fn supervisor(app: &App) -> Finding {
    let result = try_out(app, crate::app::own_binary().into_os_string(), "--version");
    Finding::new(
        "supervisor",
        match result {
            Ok(outcome) if outcome.ending == Ending::Exited(0) => {
                Ok(format!("starts a process in {} ms", outcome.elapsed.as_millis()))
            }
            Ok(outcome) => Err(format!("a test process ended with {:?}", outcome.ending)),
            Err(error) => Err(error.to_string()),
        },
    )
}

/// The program of a client, and the version that it says it has.
fn client(app: &App, settings: &Settings) -> Finding {
    let agent = match drive::agent(app, settings, None) {
        Ok(agent) => agent,
        Err(error) => return Finding::new("agent", Err(error)),
    };
    let program = agent.program();
    let shown = program.display();
    let version = match try_out(app, program.clone().into_os_string(), "--version") {
        Ok(outcome) if outcome.ending == Ending::Exited(0) => {
            Ok(texts::one_line(&outcome.stdout.text_lossy(), 80))
        }
        Ok(outcome) => Err(format!("`{shown} --version` ended with {:?}", outcome.ending)),
        Err(error) => Err(error.to_string()),
    };
    Finding::new("agent", version.map(|version| format!("{}: {shown} {version}", agent.name())))
}

fn settings(app: &App) -> Vec<Finding> {
    let layers = match app.layers() {
        Ok(layers) => layers,
        Err(error) => return vec![Finding::new("settings", Err(error))],
    };
    let settings = match app.settings(&layers) {
        Ok(settings) => settings,
        Err(error) => return vec![Finding::new("settings", Err(error))],
    };
    let mut findings = vec![Finding::new::<CliError>(
        "settings",
        Ok(format!("{} set, the rest by default", layers.iter().count())),
    )];
    findings.push(match &settings.agent {
        AgentChoice::Command(Some(words)) => {
            Finding::new("agent", drive::agent(app, &settings, None).map(|_| words.join(" ")))
        }
        AgentChoice::Command(None) => {
            Finding::remark("agent", "none set; `ralph run` needs `--agent-cmd`")
        }
        AgentChoice::Scripted => Finding::remark("agent", "scripted; `ralph run` needs `--script`"),
        AgentChoice::Client(_) => client(app, &settings),
    });
    let names: Vec<&str> = settings.policy.gates.iter().map(|gate| gate.name.as_str()).collect();
    findings.push(if names.is_empty() {
        Finding::remark("gates", "none set: only the agent's word would end a run")
    } else {
        let ready = settings.ensure_tools().map_err(CliError::from);
        let ready = ready.and_then(|()| Checks::new(app, settings.clone()));
        Finding::new("gates", ready.map(|_| names.join(", ")))
    });
    findings
}
