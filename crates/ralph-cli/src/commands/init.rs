//! `ralph init`: writes a first `ralph.toml` from what it detects.

use std::io::{self, IsTerminal, Write as _};

use ralph_checks::detect::DetectedGates;
use ralph_core::locale::Locale;
use ralph_engine::clock::InterruptSignal;
use ralph_engine::{caller, folder_guard, init};
use ralph_files::LogFailure as _;

use crate::app::App;
use crate::commands::check::CheckProgressPrinter;
use crate::error::CliError;
use crate::signals::{self, ForcedEndState};
use crate::{out, texts};
use ralph_engine::rights::CallRight;

/// Write a ralph.toml for this project
///
/// Looks at what the project says it runs (CI, lists of tasks, hooks before a
/// commit, package scripts) and at its files, and shows which commands could
/// prove the work and why. What a maintainer would run is switched on; the rest
/// is in the file as comments, each with its reason. Tests whose packages are
/// not installed stay on. An executable `agent.sh` becomes the agent, else the one
/// that is installed, if there is only one.
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
        return Err(init::exists(&app));
    }
    let mut found = app.detected();
    let asks = init::can_try(&found) && !args.tries && args.may_ask();
    if asks {
        out::raw(&init::table(&found, app.locale()));
    }
    let tries = args.tries || (asks && ask(app.locale())?);
    if tries && !try_gates(&app, &mut found)? {
        out::note(texts::interrupted(app.locale()));
        return Ok(130);
    }
    let text = init::render(&app, &found, args.agent_cmd.as_deref());
    if !args.dry_run {
        init::write(&app, &text)?;
        if caller::agent(&app).is_none() {
            // The user asked for this file. Without a record the first run asks.
            app.accept_own_text(&text).or_log("accepting the new file");
        }
    }
    match (args.json, args.dry_run) {
        (true, _) => out::line(init::view(&found, &text)),
        (false, true) => {
            out::note(init::table(&found, app.locale()));
            out::raw(&text);
        }
        (false, false) => {
            if tries || !asks {
                out::raw(&init::table(&found, app.locale()));
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

/// Tries the gates. Returns `false` if the user interrupted it.
fn try_gates(app: &App, found: &mut DetectedGates) -> Result<bool, CliError> {
    let interrupt = InterruptSignal::default();
    let mut progress = CheckProgressPrinter::new(app.locale(), interrupt.clone());
    signals::listen(&interrupt, || {}, ForcedEndState::Nothing, app.locale())?;
    for line in init::try_gates(app, found, &interrupt, &mut progress)? {
        out::note(line);
    }
    Ok(!interrupt.is_raised())
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
