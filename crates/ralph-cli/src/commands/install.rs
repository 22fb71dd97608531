//! `ralph install` and `ralph uninstall`: our hooks, commands and tools in a host.

pub(super) mod files;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser};
use ralph_agents::Host;
use ralph_agents::host::HOSTS;
use ralph_agents::inspection::SettingsScope;
use ralph_agents::install::{InstallOptions, InstallPlan};
use ralph_config::ArmingMoment;

use crate::app::App;
use crate::error::CliError;
use crate::out;
use ralph_engine::rights::CallRight;

/// Time that is granted beyond the gates' own timeouts.
const MARGIN: Duration = Duration::from_mins(1);

/// Least time that is granted, since a loop may have gates of its own.
const LEAST: Duration = Duration::from_hours(1);

/// Most time that is granted.
pub(crate) const MOST: Duration = Duration::from_hours(2);

/// Install hooks, commands and tools into a host
///
/// Merges into what is there and keeps a copy of every file it changes.
/// Doing it again brings an older installation up to date.
#[derive(clap::Args, Debug)]
pub(crate) struct InstallArgs {
    /// The host
    #[arg(value_name = "HOST", value_parser = names())]
    host: String,
    #[command(flatten)]
    scope: ScopeArgs,
    /// How often in a row the host lets the agent go on without using a tool; 0 for any number of times (default: 0)
    #[arg(long, value_name = "N")]
    cap: Option<u32>,
    /// When loops begin: `manual`, `on-errors` or `every-session` (default: as before, else manual)
    #[arg(long, value_name = "WHEN", value_parser = ["manual", "on-errors", "every-session"])]
    arm: Option<String>,
    /// Give the agent no tools: without a loop it then sees no difference
    #[arg(long)]
    no_tools: bool,
}

/// Remove hooks, commands and tools from a host
///
/// Removes exactly what `ralph install` added.
#[derive(clap::Args, Debug)]
pub(crate) struct UninstallArgs {
    /// The host
    #[arg(value_name = "HOST", value_parser = names())]
    host: String,
    #[command(flatten)]
    scope: ScopeArgs,
}

#[derive(clap::Args, Debug)]
struct ScopeArgs {
    /// For this project (the default)
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// For all projects of this user
    #[arg(long)]
    user: bool,
    /// Show what would change and change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn install(args: &InstallArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let host = find(&args.host)?;
    let folder = args.scope.folder(&app, host)?;
    if args.cap.is_some() && host.cap.is_none() {
        return Err(CliError::usage(format!("{} has no such cap", host.name))
            .with_hint("leave `--cap` out")
            .in_korean(
                format!("{} 에는 그런 한도가 없습니다", host.name),
                Some("`--cap` 을 빼세요"),
            ));
    }
    let installed = || args.scope.installed_arm(&folder, host);
    let arm = args.arm.clone().or_else(installed);
    let wanted = InstallOptions {
        program: program(&app),
        cap: args.cap.unwrap_or(0),
        arm: arm.clone().filter(|arm| arm != "manual"),
        looks_before_edits: begins_with_errors(&app, args.arm.as_deref(), arm.as_deref())?,
        gates: granted(&app),
    };
    let plan = host.install(&|path| files::read(&folder, path), &wanted);
    let plan = plan.map_err(|error| unreadable(&folder, &error))?;
    let list = list_folder(&app, host, args.scope.scope(), &folder);
    let read = |path: &Path| files::read(&list, path);
    let servers = if args.no_tools {
        host.servers.plan_uninstall(&read, args.scope.scope())
    } else {
        host.servers.plan_install(&read, args.scope.scope(), &wanted.program)
    };
    let mut servers = servers.map_err(|error| unreadable(&list, &error))?;
    for path in servers.left.drain(..) {
        let path = list.join(path);
        out::note(format!(
            "{} has an entry `ralph` that is not ours; it stays, so the agent gets no tools.",
            path.display()
        ));
    }
    carry_out(&app, &[(folder, plan), (list, servers)], &args.scope)?;
    if !args.scope.dry_run {
        out::line(format!("{} calls ralph now: {}.", host.name, beginning(&app, wanted.arm)));
        out::note(format!("Restart {} to load it.", host.name));
        if host.servers.files(args.scope.scope()).is_empty() && !args.no_tools {
            out::note(host.servers.by_hand);
        }
    }
    Ok(0)
}

pub(crate) fn uninstall(args: &UninstallArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let host = find(&args.host)?;
    let folder = args.scope.folder(&app, host)?;
    let plan = host.uninstall(&|path| files::read(&folder, path));
    let plan = plan.map_err(|error| unreadable(&folder, &error))?;
    let list = list_folder(&app, host, args.scope.scope(), &folder);
    let read = |path: &Path| files::read(&list, path);
    let servers = host.servers.plan_uninstall(&read, args.scope.scope());
    let servers = servers.map_err(|error| unreadable(&list, &error))?;
    carry_out(&app, &[(folder, plan), (list, servers)], &args.scope)?;
    Ok(0)
}

/// Returns the folder of the host's list of tool servers.
pub(crate) fn list_folder(
    app: &App,
    host: &Host,
    scope: SettingsScope,
    settings: &Path,
) -> PathBuf {
    match scope {
        SettingsScope::Project => app.project.root.join(host.servers.folder),
        SettingsScope::User => settings.to_owned(),
    }
}

/// Makes a parser for the names of hosts.
pub(crate) fn names() -> PossibleValuesParser {
    let value = |host: &Host| PossibleValue::new(host.name).aliases(host.aliases);
    PossibleValuesParser::new(HOSTS.iter().map(value))
}

fn find(name: &str) -> Result<&'static Host, CliError> {
    Host::find(name).ok_or_else(|| {
        CliError::usage(format!("`{name}` is no host"))
            .in_korean(format!("`{name}` 은(는) 호스트가 아닙니다"), None)
    })
}

/// Describes how loops begin after the installation.
fn beginning(app: &App, arm: Option<String>) -> &'static str {
    let said = app.layers().ok().and_then(|layers| ArmingMoment::new(&layers));
    match said.or_else(|| ArmingMoment::parse(&arm?)) {
        Some(ArmingMoment::EverySession) => "the first message of every session starts a loop",
        Some(ArmingMoment::OnErrors) => {
            "a turn that leaves new errors starts a loop, and so does `/ralph TASK`"
        }
        Some(ArmingMoment::Manual) | None => "`/ralph TASK` starts a loop",
    }
}

fn unreadable(folder: &Path, error: &ralph_agents::install::HostFileError) -> CliError {
    let folder = folder.display().to_string();
    CliError::usage(format!("{}/{error}", folder.trim_end_matches('/')))
        .with_hint("nothing was changed; repair the file and try again")
        .in_korean(
            format!("{}/{error}", folder.trim_end_matches('/')),
            Some("바뀐 것은 없습니다. 파일을 고치고 다시 실행하세요"),
        )
}

impl UninstallArgs {
    /// Returns who may call this command.
    pub(crate) fn right(&self) -> CallRight {
        if self.scope.dry_run { CallRight::Anyone } else { CallRight::UserOnly }
    }

    /// Returns true if it is for all projects of the user.
    pub(crate) fn is_user_wide(&self) -> bool {
        self.scope.user
    }
}

impl InstallArgs {
    /// Returns who may call this command.
    pub(crate) fn right(&self) -> CallRight {
        if self.scope.dry_run { CallRight::Anyone } else { CallRight::UserOnly }
    }

    /// Returns true if it is for all projects of the user.
    pub(crate) fn is_user_wide(&self) -> bool {
        self.scope.user
    }
}

/// Returns true if new errors start a loop. The flag decides, else the settings, else
/// the present installation.
fn begins_with_errors(
    app: &App,
    asked: Option<&str>,
    installed: Option<&str>,
) -> Result<bool, CliError> {
    let said = match asked {
        Some(arm) => ArmingMoment::parse(arm),
        None => ArmingMoment::new(&app.layers()?).or_else(|| ArmingMoment::parse(installed?)),
    };
    Ok(said == Some(ArmingMoment::OnErrors))
}

impl ScopeArgs {
    /// Returns when loops begin, as an earlier installation has it.
    fn installed_arm(&self, folder: &Path, host: &Host) -> Option<String> {
        let seen = host.inspect(&|path| files::read(folder, path), self.scope()).ok()?;
        seen.hooks.into_iter().find_map(|hook| hook.arm)
    }

    fn scope(&self) -> SettingsScope {
        if self.user { SettingsScope::User } else { SettingsScope::Project }
    }

    fn folder(&self, app: &App, host: &Host) -> Result<PathBuf, CliError> {
        folder(app, host, self.scope()).ok_or_else(|| {
            CliError::usage("there is no home folder")
                .with_hint("set HOME, or leave `--user` out")
                .in_korean("홈 폴더가 없습니다", Some("HOME 을 설정하거나 `--user` 를 빼세요"))
        })
    }
}

/// Returns the folder of the host's settings; `None` for a user without a home folder.
pub(crate) fn folder(app: &App, host: &Host, scope: SettingsScope) -> Option<PathBuf> {
    match scope {
        SettingsScope::Project => Some(app.project.root.join(host.folder)),
        SettingsScope::User => host.user_folder(&|name| app.variable(name)),
    }
}

/// Returns how hosts call us: by name if that finds the running program, so that
/// settings can be shared.
fn program(app: &App) -> String {
    let path = app.env.get(std::ffi::OsStr::new("PATH")).map(std::ffi::OsString::as_os_str);
    let found = ralph_proc::find_program("ralph".as_ref(), &app.project.root, path);
    let same = |found: &PathBuf| {
        let own = std::env::current_exe().and_then(fs::canonicalize).ok();
        own.is_some() && fs::canonicalize(found).ok() == own
    };
    match (found.filter(same), std::env::current_exe()) {
        (None, Ok(own)) => own.to_string_lossy().into_owned(),
        (Some(_), _) | (None, Err(_)) => "ralph".to_owned(),
    }
}

/// Returns the time that hooks are granted for gates.
fn granted(app: &App) -> Duration {
    needed(app).clamp(LEAST, MOST)
}

/// Returns the time that all gates of the settings may take, with a margin.
pub(crate) fn needed(app: &App) -> Duration {
    let settings = app.layers().and_then(|layers| app.settings(&layers));
    let gates = settings.map(|settings| settings.policy.gates).unwrap_or_default();
    gates.iter().map(|gate| gate.timeout).sum::<Duration>() + MARGIN
}

/// Changes the files of all plans, or none. Each plan has its own folder.
fn carry_out(
    app: &App,
    plans: &[(PathBuf, InstallPlan)],
    scope: &ScopeArgs,
) -> Result<(), CliError> {
    for (folder, plan) in plans {
        for path in &plan.left {
            out::note(format!("{} is not ours and stays as it is.", folder.join(path).display()));
        }
    }
    if plans.iter().all(|(_, plan)| plan.changes.is_empty()) {
        out::line("There is nothing to change.");
    }
    if scope.dry_run {
        for (folder, plan) in plans {
            files::show(folder, plan);
        }
        return Ok(());
    }
    files::change(app, plans)
}
