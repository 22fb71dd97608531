//! A sandbox that encloses the programs of a supervisor.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ralph_proc::{Enclosure, ProgramLaunch, find_program};
use tempfile::TempDir;

use crate::access::PathAccess;
use crate::bubblewrap::{self, PathKind};
use crate::confine::{BRIDGE, ConfinePlan, SANDBOX_WORD};
use crate::guarantee::SandboxGuarantee;
use crate::hosts::{HostList, HostListError};
use crate::means::SandboxMeans;
use crate::policy::{NetworkRule, SandboxPolicy};
use crate::proxy::ProxyServer;
use crate::sockets;

/// The variable that names the means to a program in a sandbox.
const VARIABLE: &str = "RALPH_SANDBOXED";

/// Variables with sockets that are hidden.
const WITHOUT: &[&str] = &[
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "DOCKER_HOST",
    "WAYLAND_DISPLAY",
];

/// The reason why there is no sandbox.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The folder for temporary files cannot be made.
    #[error("cannot make a folder for the sandbox")]
    Folder(#[source] io::Error),
    /// The proxy does not start.
    #[error("cannot start the proxy of the sandbox")]
    Proxy(#[source] io::Error),
    /// An entry of the list of hosts is wrong.
    #[error(transparent)]
    Hosts(#[from] HostListError),
    /// This machine has no means.
    #[error("this machine has no sandbox: {0}")]
    Means(String),
}

/// A sandbox with its temporary files and its proxy. Both end with it.
#[derive(Debug)]
pub struct Sandbox {
    policy: SandboxPolicy,
    means: SandboxMeans,
    /// Our own program, by a path that also holds inside.
    exe: PathBuf,
    /// Removed with the sandbox.
    _folder: TempDir,
    scratch: PathBuf,
    proxy: Option<ProxyServer>,
    /// Files of which the program gets copies, with these.
    copies: BTreeMap<PathBuf, PathBuf>,
    /// Files that must not appear, and did not exist at the start.
    absent: Vec<PathBuf>,
    /// Files that must exist when a program starts.
    created: Vec<PathBuf>,
}

impl Sandbox {
    /// Makes a sandbox. `exe` is our own program: called with
    /// [`SANDBOX_WORD`](crate::SANDBOX_WORD) first, it must end up in
    /// [`sandbox_main`](crate::sandbox_main).
    pub fn new(
        policy: SandboxPolicy,
        means: SandboxMeans,
        exe: &Path,
    ) -> Result<Self, SandboxError> {
        if means.name().is_none() {
            return Err(SandboxError::Means(means.refused.unwrap_or_default()));
        }
        let folder = tempfile::Builder::new().prefix("ralph-sandbox-").tempdir();
        let folder = folder.map_err(SandboxError::Folder)?;
        let place = fs::canonicalize(folder.path()).map_err(SandboxError::Folder)?;
        let scratch = place.join("tmp");
        fs::create_dir(&scratch).map_err(SandboxError::Folder)?;
        let proxy = match &policy.network {
            NetworkRule::Hosts(hosts) if means.bubblewrap.is_some() => {
                let hosts = HostList::parse(hosts)?;
                let proxy = ProxyServer::start(place.join("proxy"), hosts);
                Some(proxy.map_err(SandboxError::Proxy)?)
            }
            NetworkRule::Hosts(_) | NetworkRule::On | NetworkRule::Off => None,
        };
        let absent = policy.absent.iter().filter(|path| !path.exists()).cloned().collect();
        let mut policy = resolved(policy);
        let copies = copy_files(&policy, &place).map_err(SandboxError::Folder)?;
        policy.rules.set(&scratch, PathAccess::Write);
        if let Some(proxy) = &proxy {
            policy.rules.set(proxy.socket(), PathAccess::Read);
        }
        let exe = fs::canonicalize(exe).unwrap_or_else(|_| exe.to_owned());
        policy.rules.set(&exe, PathAccess::Read);
        let created = Vec::new();
        Ok(Self { policy, means, exe, _folder: folder, scratch, proxy, copies, absent, created })
    }

    /// Gives programs access to a file of ours. A file to write to is created,
    /// empty, whenever a program starts and it does not exist.
    pub fn give(&mut self, file: &Path, access: PathAccess) {
        let parent = file.parent().and_then(|parent| fs::canonicalize(parent).ok());
        let file = match (parent, file.file_name()) {
            (Some(parent), Some(name)) => parent.join(name),
            (None, _) | (_, None) => file.to_owned(),
        };
        self.policy.rules.set(&file, access);
        if access == PathAccess::Write {
            self.created.push(file);
        }
    }

    /// Returns the policy, with links followed.
    pub fn policy(&self) -> &SandboxPolicy {
        &self.policy
    }

    /// Returns the means.
    pub fn means(&self) -> &SandboxMeans {
        &self.means
    }

    /// Returns the guarantees that are not kept.
    pub fn lacks(&self) -> Vec<SandboxGuarantee> {
        self.means.lacks(&self.policy)
    }

    /// Returns the paths of the sockets of other programs, as the system lists
    /// them now.
    pub fn foreign_sockets() -> Vec<PathBuf> {
        let table = ralph_files::read(Path::new("/proc/net/unix")).unwrap_or_default();
        sockets::listed(&String::from_utf8_lossy(&table))
    }

    /// Returns the words that precede the program.
    fn prefix(&self, launch: &ProgramLaunch) -> Vec<OsString> {
        let has_network = self.policy.network == NetworkRule::On;
        let Some(bubblewrap) = &self.means.bubblewrap else {
            let rules = Some(self.with_input(launch).rules);
            return ConfinePlan { rules, without_tcp: !has_network }.words(&self.exe);
        };
        // A network namespace has its own abstract sockets.
        let scoped = ConfinePlan { rules: None, without_tcp: false };
        let mut words = if has_network { scoped.words(&self.exe) } else { Vec::new() };
        words.push(bubblewrap.into());
        words.extend(bubblewrap::options(&self.with_input(launch), &self.copies, &PathKind::of));
        if self.means.is_root {
            // The settings of the kernel belong to this user, and no mount hides them.
            words.extend(["--remount-ro", "/proc"].map(OsString::from));
        }
        words.push("--".into());
        if let Some(proxy) = &self.proxy {
            let bridge = [self.exe.as_os_str(), SANDBOX_WORD.as_ref(), BRIDGE.as_ref()];
            words.extend(bridge.map(OsString::from));
            words.push(proxy.socket().into());
        }
        words
    }

    /// Returns the policy with the program's input, which it may read again.
    fn with_input(&self, launch: &ProgramLaunch) -> SandboxPolicy {
        let mut policy = self.policy.clone();
        if let Some(input) = launch.stdin.as_ref().and_then(|path| fs::canonicalize(path).ok()) {
            policy.rules.set(&input, PathAccess::Read);
        }
        policy
    }
}

impl Enclosure for Sandbox {
    fn enclose(&self, launch: &ProgramLaunch) -> ProgramLaunch {
        let path = launch.env.iter().rev().find(|(name, _)| name == "PATH");
        let found =
            find_program(&launch.program, &launch.dir, path.map(|(_, path)| path.as_os_str()));
        // A missing program ends as it does without a sandbox.
        let Some(found) = found else { return launch.clone() };
        for file in &self.created {
            let _ = fs::OpenOptions::new().create(true).append(true).open(file);
        }
        let is_ours = found.starts_with("/proc/self");
        let program = if is_ours { self.exe.clone().into() } else { launch.program.clone() };
        let mut words = self.prefix(launch).into_iter();
        let first = words.next().unwrap_or_default();
        let mut args: Vec<OsString> = words.collect();
        args.push(program);
        args.extend(launch.args.iter().cloned());
        let is_kept =
            |name: &OsStr| WITHOUT.iter().chain(&["TMPDIR", VARIABLE]).all(|other| name != *other);
        let mut env: Vec<_> =
            launch.env.iter().filter(|(name, _)| is_kept(name)).cloned().collect();
        env.push(("TMPDIR".into(), self.scratch.clone().into()));
        env.push((VARIABLE.into(), self.means.name().unwrap_or_default().into()));
        ProgramLaunch { program: first, args, env, ..launch.clone() }
    }

    fn leave(&self) {
        for path in &self.absent {
            let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
        }
    }

    fn scratch(&self) -> &Path {
        &self.scratch
    }

    fn has_monitor(&self) -> bool {
        self.means.bubblewrap.is_some()
    }
}

/// Copies the files of which programs get copies, into `place`.
fn copy_files(policy: &SandboxPolicy, place: &Path) -> io::Result<BTreeMap<PathBuf, PathBuf>> {
    let mut copies = BTreeMap::new();
    for (path, access) in policy.rules.iter() {
        if access == PathAccess::Copy && path.is_file() {
            let copy = place.join(format!("copy-{}", copies.len()));
            fs::copy(path, &copy)?;
            copies.insert(path.to_owned(), copy);
        }
    }
    Ok(copies)
}

/// Returns the policy with the targets of links instead of the links, because
/// neither means knows links.
fn resolved(policy: SandboxPolicy) -> SandboxPolicy {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let reals = |paths: &[PathBuf]| paths.iter().map(|path| real(path)).collect();
    let mut rules = crate::access::PathRules::default();
    for (path, access) in policy.rules.iter() {
        rules.set(&real(path), access);
    }
    let (state, git_settings) = (reals(&policy.state), reals(&policy.git_settings));
    SandboxPolicy { rules, state, git_settings, ..policy }
}
