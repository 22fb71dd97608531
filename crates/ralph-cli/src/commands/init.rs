//! `ralph init`: writes a first `ralph.toml` from what it detects.

mod file;
mod trial;

use std::fmt::Write;
use std::fs;
use std::io::{self, IsTerminal, Write as _};

use ralph_checks::detect::{DetectedGates, GateProposal, ProposalRole};
use ralph_core::locale::Locale;
use ralph_engine::folder_guard;
use ralph_engine::wire::SCHEMA;
use serde_json::{Value as Json, json};

use crate::app::App;
use crate::error::CliError;
use crate::{out, texts};
use ralph_engine::rights::CallRight;

/// The program that becomes the agent if it exists.
const AGENT: &str = "./agent.sh";

/// Write a ralph.toml for this project
///
/// Looks at what the project says it runs (CI, lists of tasks, hooks before a
/// commit, package scripts) and at its files, and shows which commands could
/// prove the work and why. What a maintainer would run is switched on; the rest
/// is in the file as comments, each with its reason. Tests whose packages are
/// not installed stay on. An executable `agent.sh` becomes the agent.
///
/// With `--try` each gate runs once, and those that neither pass nor name what
/// fails become comments. On a terminal you are asked. An existing file is never
/// overwritten.
#[derive(clap::Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct InitArgs {
    /// The agent's command
    #[arg(long, value_name = "COMMAND")]
    agent_cmd: Option<String>,
    /// Run each gate once, and require those that work
    #[arg(long = "try")]
    tries: bool,
    /// Print the file instead of writing it
    #[arg(long)]
    dry_run: bool,
    /// Ask nothing
    #[arg(long, short)]
    yes: bool,
    /// Print what was detected as JSON
    #[arg(long)]
    json: bool,
}

impl InitArgs {
    /// Returns who may call this command.
    pub(crate) fn right(&self) -> CallRight {
        if self.dry_run { CallRight::Anyone } else { CallRight::UserOnly }
    }

    /// Returns true if a user can be asked.
    fn may_ask(&self) -> bool {
        let is_quiet = self.yes || self.json || self.dry_run;
        !is_quiet && io::stdin().is_terminal() && io::stderr().is_terminal()
    }
}

pub(crate) fn run(args: &InitArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    folder_guard::refuse_no_project(&app)?;
    if let Some(command) = &args.agent_cmd {
        ralph_config::SettingKind::Command.parse(command).map_err(|error| {
            CliError::usage(format!("--agent-cmd: {error}"))
                .in_korean(format!("--agent-cmd: {}", error.korean()), None)
        })?;
    }
    if !args.dry_run && app.project_config().exists() {
        return Err(exists(&app));
    }
    let mut found = app.detected();
    let can_try = found.proposals.iter().any(|it| it.is_wanted() && it.missing.is_none());
    let asks = can_try && !args.tries && args.may_ask();
    if asks {
        out::raw(&table(&found, app.locale()));
    }
    let tries = args.tries || (asks && ask(app.locale())?);
    if tries && !trial::run(&app, &mut found)? {
        out::note(texts::interrupted(app.locale()));
        return Ok(130);
    }
    // The agent that the README tells users to write.
    let own = app.finds(AGENT.as_ref(), &app.project.root).then_some(AGENT);
    let text = file::render(&found, args.agent_cmd.as_deref().or(own));
    if !args.dry_run {
        write(&app, &text)?;
    }
    match (args.json, args.dry_run) {
        (true, _) => out::line(view(&found, &text)),
        (false, true) => {
            out::note(table(&found, app.locale()));
            out::raw(&text);
        }
        (false, false) => {
            if tries || !asks {
                out::raw(&table(&found, app.locale()));
            }
            let path = app.project_config();
            out::line(app.locale().say(
                format!("Wrote {}.", path.display()),
                format!("{} 파일을 만들었습니다.", path.display()),
            ));
        }
    }
    Ok(0)
}

/// Asks whether to try the gates.
fn ask(locale: Locale) -> Result<bool, CliError> {
    let question = locale.say(
        "Run each of these once, and require only those that work? [Y/n] ",
        "각각 한 번씩 실행해 보고, 동작하는 것만 필수로 할까요? [Y/n] ",
    );
    let mut answer = String::new();
    let asked = write!(io::stderr(), "{question}");
    let read = asked.and_then(|()| io::stdin().read_line(&mut answer));
    let read = read.map_err(|error| CliError::internal(&error))?;
    Ok(read > 0 && matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes"))
}

fn exists(app: &App) -> CliError {
    CliError::refused(format!("{} exists already", app.project_config().display()))
        .with_hint("edit it, or print a fresh one with `ralph init --dry-run`")
        .in_korean(
            format!("{} 이(가) 이미 있습니다", app.project_config().display()),
            Some("고치거나 `ralph init --dry-run` 으로 새로 출력하세요"),
        )
}

fn write(app: &App, text: &str) -> Result<(), CliError> {
    let path = app.project_config();
    let created = fs::OpenOptions::new().write(true).create_new(true).open(&path);
    created.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            exists(app)
        } else {
            CliError::refused(format!("cannot write {}: {error}", path.display()))
                .in_korean(format!("{} 에 쓸 수 없습니다: {error}", path.display()), None)
        }
    })
}

fn view(found: &DetectedGates, text: &str) -> Json {
    let proposal = |proposal: &GateProposal| {
        json!({
            "name": proposal.name,
            "criterion": proposal.criterion.name(),
            "ecosystem": proposal.ecosystem,
            "tool": proposal.tool,
            "command": proposal.command.display(),
            "dir": proposal.dir,
            "format": proposal.format.name(),
            "tier": proposal.tier.number(),
            "why": proposal.why,
            "required": proposal.is_wanted(),
            "reason": match &proposal.standing {
                ProposalRole::Required => None,
                ProposalRole::Aside(reason) | ProposalRole::Forbidden(reason) => Some(reason),
            },
            "available": proposal.missing.is_none(),
            "missing": proposal.missing.as_ref().map(|missing| &missing.what),
            "install": proposal.missing.as_ref().and_then(|missing| missing.install.as_ref()),
        })
    };
    let proposals: Vec<Json> = found.proposals.iter().map(proposal).collect();
    json!({ "schema": SCHEMA, "proposals": proposals, "notices": found.notices, "file": text })
}

fn table(found: &DetectedGates, locale: Locale) -> String {
    let (heads, yes, nothing) = locale.say(
        (
            ["ecosystem", "gate", "command", "because of", "required"],
            "yes",
            "Found nothing that tells how to prove the work: set a command yourself.\n",
        ),
        (
            ["생태계", "게이트", "명령", "근거", "필수"],
            "예",
            "작업을 증명할 방법을 찾지 못했습니다. 명령을 직접 설정하세요.\n",
        ),
    );
    let required = |proposal: &GateProposal| {
        let reason = match (&proposal.standing, &proposal.missing) {
            (ProposalRole::Aside(reason) | ProposalRole::Forbidden(reason), _) => reason.clone(),
            (ProposalRole::Required, Some(missing)) => texts::missing_need(missing, locale),
            (ProposalRole::Required, None) => return yes.to_owned(),
        };
        if proposal.is_wanted() {
            format!("{yes}: {reason}")
        } else {
            locale.say(format!("no: {reason}"), format!("아니요: {reason}"))
        }
    };
    let mut out = if found.proposals.is_empty() {
        nothing.to_owned()
    } else {
        let rows = found.proposals.iter().map(|proposal| {
            vec![
                proposal.ecosystem.to_owned(),
                texts::one_line(&proposal.name, 40),
                texts::one_line(&proposal.command.display(), 60),
                texts::one_line(&proposal.why, 60),
                texts::one_line(&required(proposal), 80),
            ]
        });
        texts::table(&heads, rows)
    };
    for notice in &found.notices {
        let _ = writeln!(out, "note: {}", texts::one_line(notice, 200));
    }
    out
}
