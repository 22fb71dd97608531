//! `ralph install` and `ralph uninstall`: hooks and commands in a host.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser};
use ralph_agents::Host;
use ralph_agents::host::HOSTS;
use ralph_agents::install::{Change, Plan, Wanted};

use crate::app::App;
use crate::error::CliError;
use crate::out;

/// What is granted beyond the gates' own timeouts.
const MARGIN: Duration = Duration::from_mins(1);

/// What is granted at least: a loop may be given gates of its own.
const LEAST: Duration = Duration::from_hours(1);

/// What is granted at most.
const MOST: Duration = Duration::from_hours(2);

/// Install hooks and commands into a host
///
/// Merges into what is there and keeps a copy of every file it changes.
/// Doing it again brings an older installation up to date.
#[derive(clap::Args, Debug)]
pub(crate) struct InstallArgs {
    /// The host
    #[arg(value_name = "HOST", value_parser = names())]
    host: String,
    #[command(flatten)]
    scope: Scope,
    /// How often in a row the host lets the agent go on without using a tool; 0 for any number of times
    #[arg(long, value_name = "N", default_value_t = 0)]
    cap: u32,
    /// When loops begin: `manual`, `on-errors` or `every-session` (default: manual)
    #[arg(long, value_name = "WHEN", value_parser = ["manual", "on-errors", "every-session"])]
    arm: Option<String>,
}

/// Remove hooks and commands from a host
///
/// Removes exactly what `ralph install` added.
#[derive(clap::Args, Debug)]
pub(crate) struct UninstallArgs {
    /// The host
    #[arg(value_name = "HOST", value_parser = names())]
    host: String,
    #[command(flatten)]
    scope: Scope,
}

#[derive(clap::Args, Debug)]
struct Scope {
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
    let folder = folder(&app, host, &args.scope)?;
    let wanted = Wanted {
        program: program(&app),
        cap: args.cap,
        arm: args.arm.clone().filter(|arm| arm != "manual"),
        gates: granted(&app),
    };
    let plan = (host.install)(&|path| read(&folder, path), &wanted);
    let plan = plan.map_err(|error| unreadable(&folder, &error))?;
    carry_out(&app, &folder, &plan, &args.scope)?;
    if !args.scope.dry_run {
        out::line(format!("{} calls ralph now: `/ralph TASK` starts a loop.", host.name));
    }
    Ok(0)
}

pub(crate) fn uninstall(args: &UninstallArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let host = find(&args.host)?;
    let folder = folder(&app, host, &args.scope)?;
    let plan = (host.uninstall)(&|path| read(&folder, path));
    let plan = plan.map_err(|error| unreadable(&folder, &error))?;
    carry_out(&app, &folder, &plan, &args.scope)?;
    Ok(0)
}

/// What hosts are called.
pub(crate) fn names() -> PossibleValuesParser {
    let value = |host: &Host| PossibleValue::new(host.name).aliases(host.aliases);
    PossibleValuesParser::new(HOSTS.iter().map(value))
}

fn find(name: &str) -> Result<&'static Host, CliError> {
    Host::find(name).ok_or_else(|| CliError::usage(format!("`{name}` is no host")))
}

fn unreadable(folder: &Path, error: &ralph_agents::install::Unreadable) -> CliError {
    CliError::usage(format!("{}/{error}", folder.display()))
        .with_hint("nothing was changed; repair the file and try again")
}

/// The folder of the host's settings.
fn folder(app: &App, host: &Host, scope: &Scope) -> Result<PathBuf, CliError> {
    if !scope.user {
        return Ok(app.project.root.join(host.folder));
    }
    let named = app.variable(host.folder_variable).filter(|value| !value.is_empty());
    let home = || app.variable("HOME").map(|home| Path::new(&home).join(host.folder));
    named.map(PathBuf::from).or_else(home).ok_or_else(|| {
        CliError::usage("there is no home folder").with_hint("set HOME, or leave `--user` out")
    })
}

fn read(folder: &Path, path: &Path) -> Option<String> {
    fs::read_to_string(folder.join(path)).ok()
}

/// How hosts call us: by name where that finds this very program, so that
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

/// How long hooks may run gates: as long as all of them together.
fn granted(app: &App) -> Duration {
    let settings = app.layers().and_then(|layers| app.settings(&layers));
    let gates = settings.map(|settings| settings.policy.gates).unwrap_or_default();
    let needed: Duration = gates.iter().map(|gate| gate.timeout).sum();
    (needed + MARGIN).clamp(LEAST, MOST)
}

fn carry_out(app: &App, folder: &Path, plan: &Plan, scope: &Scope) -> Result<(), CliError> {
    for path in &plan.left {
        out::note(format!("{} is not ours and stays as it is.", folder.join(path).display()));
    }
    if plan.changes.is_empty() {
        out::line("Nothing to change.");
    }
    for change in &plan.changes {
        let path = folder.join(&change.path);
        if scope.dry_run {
            show(&path, change);
        } else {
            write(app, &path, change)?;
        }
    }
    Ok(())
}

fn show(path: &Path, change: &Change) {
    match &change.after {
        Some(text) => out::raw(&format!("--- {}\n{text}", path.display())),
        None => out::line(format!("--- {} goes", path.display())),
    }
}

/// Replaces a file as a whole; what it held is kept in the state home.
fn write(app: &App, path: &Path, change: &Change) -> Result<(), CliError> {
    let failed = |error: io::Error| CliError::refused(format!("{}: {error}", path.display()));
    let kept = change.before.as_ref().map(|text| keep(app, path, text)).transpose()?;
    let kept = kept.map(|kept| format!(" (before: {})", kept.display())).unwrap_or_default();
    if let Some(text) = &change.after {
        // A link of the user's stays one.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        replace(&target, text).map_err(failed)?;
        out::line(format!("Wrote {}{kept}.", path.display()));
    } else {
        fs::remove_file(path).map_err(failed)?;
        // Only an empty folder goes, so it was there for our file alone.
        let _ = path.parent().map(fs::remove_dir);
        out::line(format!("Removed {}{kept}.", path.display()));
    }
    Ok(())
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mode = fs::metadata(path).map(|found| found.permissions()).ok();
    let file = tempfile::NamedTempFile::new_in(folder)?;
    fs::write(file.path(), text)?;
    match mode {
        Some(mode) => fs::set_permissions(file.path(), mode)?,
        None => share(file.path())?,
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// A new file may be read by others, unlike a temporary one.
fn share(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Keeps what a file held before it is changed.
fn keep(app: &App, path: &Path, text: &str) -> Result<PathBuf, CliError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = app.home.join("replaced");
    fs::create_dir_all(&folder)?;
    let kept = folder.join(format!("{}-{name}", app.now().as_millis()));
    fs::write(&kept, text)?;
    Ok(kept)
}
