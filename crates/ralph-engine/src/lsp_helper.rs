//! The helper of `ralph __lsp-helper`, which keeps a project's language servers running between calls.
//! Without it, calls are only slower.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use ralph_checks::lsp::{ServerPool, ServerReport};
use ralph_config::ServerRules;
use ralph_files::LogFailure as _;

use crate::app::{App, own_binary};
use crate::sandbox::{self, MadeSandbox};
use crate::user_error::UserError;

/// The state of servers after a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerKeepAlive {
    /// The servers of a running helper stay; others end.
    Used,
    /// They stay: a helper is started if none runs.
    Kept,
}

/// Makes the pool of a project's servers, none of them started.
pub fn pool(app: &App, rules: ServerRules) -> ServerPool {
    let env = rules.environment.filter(app.env.clone());
    let mut pool = ServerPool::new(App::supervisor(), app.project.root.clone(), env);
    for server in rules.added {
        pool.add(server);
    }
    pool
}

/// Makes the same pool in the sandbox of the settings.
pub fn enclosed_pool(app: &App, rules: ServerRules) -> Result<ServerPool, UserError> {
    let sandbox = sandbox::of_servers(app, &rules.sandbox)?;
    let mut pool = pool(app, rules);
    pool.enclose(sandbox.and_then(MadeSandbox::enclosure));
    Ok(pool)
}

/// The address of a project's helper.
#[derive(Clone, Debug)]
pub struct HelperAddress {
    socket: PathBuf,
    key: String,
}

impl HelperAddress {
    /// Returns the address of the helper whose servers use these rules.
    pub fn of(app: &App, rules: &ServerRules) -> Self {
        Self { socket: socket(app), key: key(app, rules) }
    }

    /// Asks the helper; `None` if none can answer.
    pub fn ask(&self, files: &[PathBuf], deadline: Duration) -> Option<Vec<ServerReport>> {
        ask_at(&self.socket, &self.key, files, deadline)
    }
}

/// Asks the helper of the project, and starts one if wanted. Returns `None` if none can answer.
pub fn ask(
    app: &App,
    rules: &ServerRules,
    files: &[PathBuf],
    warmth: ServerKeepAlive,
    deadline: Duration,
) -> Option<Vec<ServerReport>> {
    let door = HelperAddress::of(app, rules);
    match (door.ask(files, deadline), warmth) {
        (None, ServerKeepAlive::Kept) if start(&app.project.root) => door.ask(files, deadline),
        (answer, ServerKeepAlive::Used | ServerKeepAlive::Kept) => answer,
    }
}

/// Starts a helper in the background whose servers look at these files. If that fails,
/// the next look is only slower.
pub fn warm_up(root: &Path, files: &[PathBuf]) {
    let mut command = Command::new(own_binary());
    command.args(["check", "--lsp", "--warm", "--json"]).args(files).current_dir(root);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().or_log("starting a helper for language servers");
}

/// Answers questions until none came for this long. `ready` is called once questions can
/// be asked. Returns false if another helper is running.
#[cfg(unix)]
pub fn serve(app: &App, idle: Duration, ready: impl FnOnce()) -> Result<bool, UserError> {
    use ralph_checks::lsp::LspHelper;

    let rules = ServerRules::new(&app.layers()?)?;
    let key = key(app, &rules);
    let Some(helper) = LspHelper::claim(&socket(app))? else { return Ok(false) };
    let mut pool = enclosed_pool(app, rules)?;
    ready();
    helper.serve(&mut pool, &key, idle)?;
    Ok(true)
}

/// Returns an error: helpers need sockets of the file system.
#[cfg(not(unix))]
pub fn serve(_app: &App, _idle: Duration, _ready: impl FnOnce()) -> Result<bool, UserError> {
    Err(UserError::refused("there are no helpers on this system"))
}

#[cfg(unix)]
fn ask_at(
    socket: &Path,
    key: &str,
    files: &[PathBuf],
    deadline: Duration,
) -> Option<Vec<ServerReport>> {
    ralph_checks::lsp::ask_helper(socket, key, files, deadline)
}

#[cfg(not(unix))]
fn ask_at(_: &Path, _: &str, _: &[PathBuf], _: Duration) -> Option<Vec<ServerReport>> {
    None
}

/// Starts a helper that outlives us, and waits until it listens.
fn start(root: &Path) -> bool {
    let mut command = Command::new(own_binary());
    command.arg("__lsp-helper").current_dir(root);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    // Our Ctrl-C must not reach it, so it gets its own process group.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let Ok(mut child) = command.spawn() else { return false };
    let mut line = String::new();
    let said = child.stdout.take().map(|pipe| BufReader::new(pipe).read_line(&mut line));
    matches!(said, Some(Ok(_))) && line == "ready\n"
}

/// Returns the socket on which the helper of this work tree listens.
fn socket(app: &App) -> PathBuf {
    app.home.join(format!("lsp-{}.sock", app.worktree_name()))
}

/// Returns a key of everything that servers are started with.
fn key(app: &App, rules: &ServerRules) -> String {
    let paths = ["PATH", "VIRTUAL_ENV", "HOME"].map(|name| app.variable(name));
    // The debug form holds every field.
    let what = format!("{paths:?} {rules:?}");
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    format!("{} {:016x}", env!("CARGO_PKG_VERSION"), hasher.finish())
}
