//! Proves the guarantees of a sandbox by breaking them, in a place of its own.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ralph_proc::{
    ExitReason, OutputStream, ProgramLaunch, ProgramLimits, ProgramWatcher, StreamMerging,
    Supervisor, WatcherDecision,
};
use serde::{Deserialize, Serialize};

use crate::confine::{SANDBOX_WORD, TRY};
use crate::guarantee::SandboxGuarantee;
use crate::means::SandboxMeans;
use crate::policy::{NetworkRule, PolicyFacts, SandboxPolicy};
use crate::sandbox::{Sandbox, SandboxError};

/// The time that all attempts together may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// The reason why nothing was proven.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// There is no sandbox.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The place for the attempts cannot be made.
    #[error("cannot prepare the attempts: {0}")]
    Place(#[from] io::Error),
    /// The program in the sandbox did not come to its end.
    #[error("a program in the sandbox does not run: {0}")]
    Run(String),
}

/// What the program inside attacks.
#[derive(Debug, Serialize, Deserialize)]
struct TrialTargets {
    place: PathBuf,
    shared: PathBuf,
    name: String,
    pid: u32,
    started: u64,
    tcp: SocketAddr,
    udp: SocketAddr,
}

/// Tries to break every guarantee of a sandbox with these means and no network.
/// Returns those that were broken.
///
/// The attempts concern a work tree that is made for them below `folder`, and
/// this process. `exe` is our own program, as for [`Sandbox::new`].
pub fn broken_guarantees(
    means: &SandboxMeans,
    exe: &Path,
    supervisor: &Supervisor,
    folder: &Path,
) -> Result<Vec<SandboxGuarantee>, TrialError> {
    let place = tempfile::Builder::new().prefix("ralph-trial-").tempdir_in(folder)?;
    let root = fs::canonicalize(place.path())?;
    let work = root.join("work");
    prepare(&root)?;
    let policy = SandboxPolicy::new(&PolicyFacts {
        git: Some((work.join(".git"), work.join(".git"))),
        sockets: vec![root.join("socket")],
        fixed: vec![work.join("fixed.sh")],
        hide: vec![root.join("secret")],
        root: work.clone(),
        network: NetworkRule::Off,
        ..PolicyFacts::default()
    });
    let sandbox = Sandbox::new(policy, means.clone(), exe)?;

    let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let shared = Path::new("/dev/shm").join(&name);
    let _shared = SharedFile::new(shared.clone());
    let _socket = UnixListener::bind(root.join("socket"))?;
    let _abstract = UnixListener::bind_addr(&UnixAddr::from_abstract_name(&name)?)?;
    let (tcp, udp) = (TcpListener::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?);
    let pid = std::process::id();
    let targets = TrialTargets {
        place: root.clone(),
        shared,
        name,
        pid,
        started: ralph_proc::process_start_time(pid).unwrap_or(0),
        tcp: tcp.local_addr()?,
        udp: udp.local_addr()?,
    };
    let told = run(&targets, sandbox, supervisor, &work, exe)?;
    let mut broken: Vec<SandboxGuarantee> = SandboxGuarantee::ALL
        .into_iter()
        .filter(|guarantee| told.contains(&guarantee.name()))
        .collect();
    udp.set_nonblocking(true)?;
    let has_arrived = udp.recv(&mut [0; 8]).is_ok();
    if has_arrived && !broken.contains(&SandboxGuarantee::Network) {
        broken.push(SandboxGuarantee::Network);
    }
    Ok(broken)
}

/// Makes the files that the attempts are about.
fn prepare(root: &Path) -> io::Result<()> {
    for folder in ["work/.git/hooks", "work/.git/ralph", "outside", "secret"] {
        fs::create_dir_all(root.join(folder))?;
    }
    for file in
        ["work/.git/config", "work/.git/ralph/state", "work/fixed.sh", "outside/file", "secret/key"]
    {
        fs::write(root.join(file), "before\n")?;
    }
    Ok(())
}

/// A file in shared memory, removed when it is dropped.
struct SharedFile(PathBuf);

impl SharedFile {
    fn new(path: PathBuf) -> Self {
        let _ = fs::write(&path, "before\n");
        Self(path)
    }
}

impl Drop for SharedFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Collects what a program prints.
#[derive(Default)]
struct OutputText(Vec<u8>);

impl ProgramWatcher for OutputText {
    fn output(&mut self, stream: OutputStream, bytes: &[u8]) {
        if stream == OutputStream::Stdout {
            self.0.extend_from_slice(bytes);
        }
    }

    fn tick(&mut self) -> WatcherDecision {
        WatcherDecision::GoOn
    }
}

/// Runs the attempts inside. Returns the names of the broken guarantees.
fn run(
    targets: &TrialTargets,
    sandbox: Sandbox,
    supervisor: &Supervisor,
    work: &Path,
    exe: &Path,
) -> Result<Vec<&'static str>, TrialError> {
    let targets = serde_json::to_string(targets).map_err(io::Error::from)?;
    let launch = ProgramLaunch {
        program: exe.into(),
        args: vec![SANDBOX_WORD.into(), TRY.into(), targets.into()],
        dir: work.to_owned(),
        env: std::env::vars_os().collect(),
        stdin: None,
        streams: StreamMerging::Apart,
    };
    let limits = ProgramLimits { wall: Some(PATIENCE), idle: None, grace: Duration::from_secs(1) };
    let mut output = OutputText::default();
    let supervisor = supervisor.within(Some(Arc::new(sandbox)));
    let ended = supervisor
        .run(&launch, &limits, &mut output)
        .map_err(|error| TrialError::Run(error.to_string()))?;
    if ended.ending != ExitReason::Exited(0) {
        let said = ended.stderr.text_lossy();
        return Err(TrialError::Run(format!("{:?} {}", ended.ending, said.trim())));
    }
    let output = String::from_utf8_lossy(&output.0);
    let has = |guarantee: &SandboxGuarantee| output.lines().any(|line| line == guarantee.name());
    Ok(SandboxGuarantee::ALL.into_iter().filter(has).map(SandboxGuarantee::name).collect())
}

/// Runs inside the sandbox: prints the name of each guarantee that it can break.
pub(crate) fn attack(targets: &str) -> ExitCode {
    let Ok(targets) = serde_json::from_str::<TrialTargets>(targets) else {
        return ExitCode::FAILURE;
    };
    let mut out = io::stdout().lock();
    for guarantee in SandboxGuarantee::ALL {
        if can_break(guarantee, &targets) && writeln!(out, "{}", guarantee.name()).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn can_break(guarantee: SandboxGuarantee, targets: &TrialTargets) -> bool {
    let at = |path: &str| targets.place.join(path);
    match guarantee {
        SandboxGuarantee::Writes => File::create(at("outside/new")).is_ok(),
        SandboxGuarantee::Secrets => ralph_files::read(at("secret/key")).is_ok(),
        SandboxGuarantee::State => ralph_files::read(at("work/.git/ralph/state")).is_ok(),
        SandboxGuarantee::GitSettings => {
            can_append(&at("work/.git/config")) || File::create(at("work/.git/hooks/new")).is_ok()
        }
        SandboxGuarantee::FixedFiles => can_append(&at("work/fixed.sh")),
        SandboxGuarantee::Attributes => {
            fs::set_permissions(at("outside/file"), fs::Permissions::from_mode(0o600)).is_ok()
        }
        SandboxGuarantee::Names => {
            fs::read_dir(at("secret")).is_ok_and(|entries| entries.count() > 0)
        }
        SandboxGuarantee::Tracing => {
            is_there(targets) && ralph_files::read(of_process(targets.pid, "environ")).is_ok()
        }
        SandboxGuarantee::Signals => {
            let pid = i32::try_from(targets.pid).ok().and_then(rustix::process::Pid::from_raw);
            is_there(targets)
                && pid.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
        }
        SandboxGuarantee::Processes => is_there(targets),
        SandboxGuarantee::Sockets => UnixStream::connect(at("socket")).is_ok(),
        SandboxGuarantee::AbstractSockets => UnixAddr::from_abstract_name(&targets.name)
            .and_then(|address| UnixStream::connect_addr(&address))
            .is_ok(),
        SandboxGuarantee::SharedMemory => can_append(&targets.shared),
        SandboxGuarantee::Network => {
            let datagram = UdpSocket::bind("127.0.0.1:0");
            // Its arrival is seen outside.
            let _ = datagram.and_then(|socket| socket.send_to(b"hello", targets.udp));
            TcpStream::connect_timeout(&targets.tcp, Duration::from_secs(2)).is_ok()
        }
    }
}

fn can_append(path: &Path) -> bool {
    let file = OpenOptions::new().append(true).open(path);
    file.and_then(|mut file| file.write_all(b"after\n")).is_ok()
}

/// Returns true if the process outside can be seen. Another one may have its
/// number in here.
fn is_there(targets: &TrialTargets) -> bool {
    ralph_proc::process_start_time(targets.pid) == Some(targets.started)
}

fn of_process(pid: u32, file: &str) -> PathBuf {
    Path::new("/proc").join(pid.to_string()).join(file)
}
