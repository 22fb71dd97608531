//! The first `ralph.toml` of a project, from what is detected.

mod file;
mod trial;

use std::fmt::Write;
use std::fs;
use std::io::{self, Write as _};

use ralph_checks::detect::{DetectedGates, GateProposal, ProposalRole};
use ralph_core::locale::Locale;
use ralph_core::wording::one_line;
use serde_json::{Value as Json, json};

use crate::agents::installed_agents;
use crate::app::App;
use crate::check::missing_need;
use crate::texts;
use crate::user_error::UserError;
use crate::wire::SCHEMA;

pub use trial::try_gates;

/// The program that becomes the agent if it exists.
const AGENT: &str = "./agent.sh";

/// Renders the file for the detected gates. Without a command for the agent it names the
/// program that the README tells users to write, if it is there, else those that are installed.
pub fn render(app: &App, found: &DetectedGates, agent_cmd: Option<&str>) -> String {
    let own = app.finds(AGENT.as_ref(), &app.project.root).then_some(AGENT);
    let installed = app.layers().map(|layers| installed_agents(app, &layers)).unwrap_or_default();
    let agent = file::ProposedAgent { command: agent_cmd.or(own), installed: &installed };
    file::render(found, agent)
}

/// Returns true if a gate that would be required can be tried.
pub fn can_try(found: &DetectedGates) -> bool {
    found.proposals.iter().any(|it| it.is_wanted() && it.missing.is_none())
}

/// Makes the error for a project that has settings.
pub fn exists(app: &App) -> UserError {
    UserError::refused(format!("{} exists already", app.project_config().display()))
        .with_hint("edit it, or print a fresh one with `ralph init --dry-run`")
        .in_korean(
            format!("{} 이(가) 이미 있습니다", app.project_config().display()),
            Some("고치거나 `ralph init --dry-run` 으로 새로 출력하세요"),
        )
}

/// Writes the file. An existing one is never overwritten.
pub fn write(app: &App, text: &str) -> Result<(), UserError> {
    let path = app.project_config();
    let created = fs::OpenOptions::new().write(true).create_new(true).open(&path);
    created.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            exists(app)
        } else {
            UserError::refused(format!("cannot write {}: {error}", path.display()))
                .in_korean(format!("{} 에 쓸 수 없습니다: {error}", path.display()), None)
        }
    })
}

/// Renders what was detected as JSON.
pub fn view(found: &DetectedGates, text: &str) -> Json {
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

/// Renders what was detected as a table.
pub fn table(found: &DetectedGates, locale: Locale) -> String {
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
            (ProposalRole::Required, Some(missing)) => missing_need(missing, locale),
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
                one_line(&proposal.name, 40),
                one_line(&proposal.command.display(), 60),
                one_line(&proposal.why, 60),
                one_line(&required(proposal), 80),
            ]
        });
        texts::table(&heads, rows)
    };
    for notice in &found.notices {
        let _ = writeln!(out, "note: {}", one_line(notice, 200));
    }
    out
}
