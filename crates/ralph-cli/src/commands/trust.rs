//! `ralph trust`: shows what a project's settings would run, and accepts them.

use std::io::{self, IsTerminal, Write as _};

use ralph_config::SettingLayers;
use ralph_core::locale::Locale;
use ralph_engine::app::{FileStanding, ProjectFile};
use ralph_engine::caller;
use ralph_engine::rights::CallRight;
use serde_json::json;

use crate::app::App;
use crate::error::CliError;
use crate::options::TrustOptions;
use crate::out;

/// Accept the settings of this project
///
/// A ralph.toml names commands, and whoever writes to the project can write it.
/// So its settings count only once you accepted them here, or when `ralph run`
/// asked. A change of a setting asks again; a comment does not. Outside a
/// terminal `--yes` accepts. Projects in the folders of `RALPH_TRUSTED_FOLDERS`
/// (separated as in PATH) count without a question.
#[derive(clap::Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct TrustArgs {
    /// Accept without a question
    #[arg(long, short, conflicts_with_all = ["show", "revoke"])]
    yes: bool,
    /// Only show them; the exit code is 0 if they count, else 1
    #[arg(long, conflicts_with = "revoke")]
    show: bool,
    /// Take back what was accepted of this project
    #[arg(long)]
    revoke: bool,
    /// Print JSON
    #[arg(long, requires = "show")]
    json: bool,
}

impl TrustArgs {
    /// Returns who may call this command.
    pub(crate) fn right(&self) -> CallRight {
        if self.show { CallRight::Anyone } else { CallRight::UserOnly }
    }
}

pub(crate) fn run(args: &TrustArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let locale = app.locale();
    if args.revoke {
        refuse_agents(&app, "ralph trust --revoke")?;
        app.revoke()?;
        out::line(locale.say(
            "The settings of this project no longer count.",
            "이 프로젝트의 설정은 이제 적용되지 않습니다.",
        ));
        return Ok(0);
    }
    let file = app.project_file()?;
    let standing = app.standing_of(&file);
    if args.show {
        show(&file, standing, args, locale);
        return Ok(u8::from(!standing.counts()));
    }
    if standing == FileStanding::Empty {
        out::line(sentence(&file, standing, locale));
        return Ok(0);
    }
    refuse_agents(&app, "ralph trust")?;
    if !args.yes && standing == FileStanding::Accepted {
        show(&file, standing, args, locale);
        return Ok(0);
    }
    if !args.yes && !ask(&app, &file, standing)? {
        return Ok(1);
    }
    app.accept(&file)?;
    out::line(sentence(&file, FileStanding::Accepted, locale));
    Ok(0)
}

/// Reads the settings for a command that starts what they name. On a terminal it asks about
/// settings of the project that are not accepted.
pub(crate) fn settings(app: &App, options: &TrustOptions) -> Result<SettingLayers, CliError> {
    if options.trust_project {
        refuse_agents(app, "--trust-project")?;
        app.accept_once(&app.project_file()?);
        return app.layers();
    }
    let not_accepted = match app.layers() {
        Ok(layers) => return Ok(layers),
        Err(error) => error,
    };
    let file = app.project_file()?;
    let standing = app.standing_of(&file);
    if standing.counts() || !can_ask() || caller::agent(app).is_some() {
        return Err(not_accepted);
    }
    if !ask(app, &file, standing)? {
        return Err(not_accepted);
    }
    app.accept(&file)?;
    app.layers()
}

/// Tells in a line that the settings of the project do not count.
pub(crate) fn note_left_out(app: &App) {
    if let Some(text) = app.left_out() {
        out::note(text);
    }
}

fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Shows the settings and asks whether they count.
fn ask(app: &App, file: &ProjectFile, standing: FileStanding) -> Result<bool, CliError> {
    let locale = app.locale();
    out::note(sentence(file, standing, locale));
    for line in file.lines() {
        out::note(format!("  {line}"));
    }
    if !can_ask() {
        return Err(CliError::usage("there is no terminal to ask you")
            .with_hint("read the settings; `ralph trust --yes` accepts them")
            .in_korean(
                "물어볼 터미널이 없습니다",
                Some("설정을 읽어 보고 `ralph trust --yes` 로 수락하세요"),
            ));
    }
    let question =
        locale.say("Accept these settings? [y/N] ", "이 설정을 수락할까요? [y/N] ").to_owned();
    let mut answer = String::new();
    let asked = write!(io::stderr(), "{question}");
    let read = asked.and_then(|()| io::stdin().read_line(&mut answer));
    read.map_err(|error| CliError::internal(&error))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn show(file: &ProjectFile, standing: FileStanding, args: &TrustArgs, locale: Locale) {
    if args.json {
        out::line(json!({
            "schema": 1,
            "path": file.source.path(),
            "standing": standing.name(),
            "counts": standing.counts(),
            "settings": file.source.values(),
        }));
        return;
    }
    out::raw(&(sentence(file, standing, locale) + "\n"));
    for line in file.lines() {
        out::raw(&format!("  {line}\n"));
    }
}

fn sentence(file: &ProjectFile, standing: FileStanding, locale: Locale) -> String {
    let path = file.source.path().display();
    let (english, korean) = match standing {
        FileStanding::Empty => (
            format!("{path} sets nothing, so there is nothing to accept."),
            format!("{path} 에 설정이 없어 수락할 것도 없습니다."),
        ),
        FileStanding::Accepted => (
            format!("You accepted {path}; its settings count."),
            format!("{path} 을(를) 수락했습니다. 그 설정이 적용됩니다."),
        ),
        FileStanding::Changed => (
            format!("{path} has changed since you accepted it; its settings do not count:"),
            format!("{path} 이(가) 수락한 뒤에 바뀌었습니다. 그 설정은 적용되지 않습니다:"),
        ),
        FileStanding::New => (
            format!("You have not accepted {path}; its settings do not count:"),
            format!("{path} 을(를) 아직 수락하지 않았습니다. 그 설정은 적용되지 않습니다:"),
        ),
    };
    locale.say(english, korean)
}

/// Returns an error if an agent calls, in a loop or not: it must not decide for the user.
fn refuse_agents(app: &App, tried: &str) -> Result<(), CliError> {
    if caller::agent(app).is_none() {
        return Ok(());
    }
    Err(CliError::refused(format!("an agent cannot call `{tried}`"))
        .with_hint("ask the user to type `ralph trust` in a terminal")
        .in_korean(
            format!("에이전트는 `{tried}` 을(를) 실행할 수 없습니다"),
            Some("사용자에게 터미널에서 `ralph trust` 입력을 부탁하세요"),
        ))
}
