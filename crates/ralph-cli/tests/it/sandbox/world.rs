//! A machine to break out into: a home folder with secrets, another project, sockets and a
//! process.

use std::fmt::Write as _;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::escapes::{ESCAPES, Escape};

/// Reaches a socket: `KIND ADDRESS`.
const REACH: &str = r#"
import socket, sys
kind, where = sys.argv[1:]
if kind == "unix":
    socket.socket(socket.AF_UNIX).connect(where)
elif kind == "abstract":
    socket.socket(socket.AF_UNIX).connect("\0" + where)
elif kind == "tcp":
    socket.create_connection(("127.0.0.1", int(where)), 2)
elif kind == "mapped":
    socket.create_connection(("::ffff:127.0.0.1", int(where)), 2)
elif kind == "udp":
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", int(where)))
"#;

/// Makes a segment of shared memory, which `REMOVE_SEGMENT` removes.
const MAKE_SEGMENT: &str =
    "import ctypes; exit(ctypes.CDLL(None).shmget(0x72616c70, 64, 0o1600) < 0)";
const REMOVE_SEGMENT: &str = "import ctypes; c = ctypes.CDLL(None); \
    c.shmctl(c.shmget(0x72616c70, 0, 0), 0, 0)";

fn as_user(command: &mut Command, user: Option<u32>) -> &mut Command {
    match user {
        Some(user) => command.uid(user).gid(user),
        None => command,
    }
}

pub(super) struct EscapeWorld {
    folder: tempfile::TempDir,
    process: Child,
    sockets: Vec<UnixListener>,
    tcp: TcpListener,
    udp: UdpSocket,
    /// The user who calls the binary; `None` for that of the test.
    user: Option<u32>,
}

impl EscapeWorld {
    pub(super) fn new() -> Self {
        Self::of(None)
    }

    /// A world of another user, for tests of root.
    pub(super) fn of_user(user: u32) -> Self {
        Self::of(Some(user))
    }

    fn of(user: Option<u32>) -> Self {
        // The sandbox has a folder for temporary files of its own.
        let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
        fs::create_dir_all(place).unwrap();
        let folder = tempfile::Builder::new().prefix("sbx").tempdir_in(place).unwrap();
        let mut process = Command::new("sleep");
        process.arg("600").current_dir(folder.path());
        let process = as_user(&mut process, user).spawn().unwrap();
        let (tcp, udp) = (TcpListener::bind("127.0.0.1:0"), UdpSocket::bind("127.0.0.1:0"));
        let mut world = Self {
            folder,
            process,
            sockets: Vec::new(),
            tcp: tcp.unwrap(),
            udp: udp.unwrap(),
            user,
        };
        world.prepare();
        world
    }

    fn prepare(&mut self) {
        let write = |path: &str, text: &str| {
            let path = self.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for secret in [
            ".ssh/id_rsa",
            ".aws/credentials",
            ".netrc",
            ".git-credentials",
            ".bash_history",
            ".local/share/keyrings/login.keyring",
        ] {
            write(&format!("home/{secret}"), "secret\n");
        }
        write("home/.bashrc", "true\n");
        write("home/other/main.py", "true\n");
        write("home/other/.git/hooks/x", "true\n");
        write("home/state/ralph/user/notes", "state\n");
        write("out/file", "outside\n");
        write("out/victim", "outside\n");
        write("reach.py", REACH);
        write("work/ralph.toml", "[run]\ncriteria = [\"custom:./check.sh\"]\n");
        write("work/check.sh", "#!/bin/sh\nexit 1\n");
        self.shell("chmod +x check.sh; git init -q . && git add -A && git commit -q -m start");
        write("work/.git/ralph/ralph.db", "state\n");
        self.shell("git update-ref refs/ralph/run-1/0 HEAD");
        let name = format!("{}-abstract", self.id());
        let bound = ["agent.sock", "docker.sock", "bus"].map(|name| self.path(name));
        self.sockets.extend(bound.map(|path| UnixListener::bind(path).unwrap()));
        let name = SocketAddr::from_abstract_name(name).unwrap();
        self.sockets.push(UnixListener::bind_addr(&name).unwrap());
        fs::write(self.shared(), "shared\n").unwrap();
        assert!(self.shell(&format!("python3 -c '{MAKE_SEGMENT}'")));
        if let Some(user) = self.user {
            let (base, shared) = (self.folder.path().display(), self.shared());
            let shared = shared.display();
            assert!(
                self.shell(&format!("chown -R {user}:{user} {base} {shared}; chmod 755 {base}"))
            );
        }
    }

    /// Returns a name that occurs nowhere else.
    fn id(&self) -> String {
        self.folder.path().file_name().unwrap().to_string_lossy().into_owned()
    }

    fn shared(&self) -> PathBuf {
        Path::new("/dev/shm").join(self.id())
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(super) fn work(&self) -> PathBuf {
        self.path("work")
    }

    pub(super) fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// Runs a script outside. Returns true if it succeeds.
    pub(super) fn shell(&self, script: &str) -> bool {
        let mut command = Command::new("sh");
        self.surround(command.args(["-c", script]))
            .stdout(Stdio::null())
            .status()
            .unwrap()
            .success()
    }

    /// Prepares a call of the binary.
    pub(super) fn ralph(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ralph"));
        as_user(self.surround(command.args(args)), self.user);
        command
    }

    /// Prepares a script in the sandbox.
    pub(super) fn sandbox(&self, options: &[&str], script: &str) -> Command {
        self.ralph(&[&["sandbox"], options, &["--", "sh", "-c", script]].concat())
    }

    fn surround<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let own = |name: &str| self.path(name).into_os_string();
        command
            .env_clear()
            .env("PATH", ralph_testkit::tools_path())
            .envs([
                ("HOME", own("home")),
                ("XDG_STATE_HOME", own("home/state")),
                ("STATE", own("home/state/ralph/user")),
                ("OUT", own("out")),
                ("REACH", own("reach.py")),
                ("AGENT", own("agent.sock")),
                ("DOCKER", own("docker.sock")),
                ("BUS", own("bus")),
                ("SHM", self.shared().into_os_string()),
            ])
            .env("RALPH_TRUSTED_FOLDERS", self.work())
            .env("ID", self.id())
            .env("ABSTRACT", format!("{}-abstract", self.id()))
            .env("PID", self.process.id().to_string())
            .env("TCP", self.tcp.local_addr().unwrap().port().to_string())
            .env("UDP", self.udp.local_addr().unwrap().port().to_string())
            .envs(["AUTHOR", "COMMITTER"].map(|role| (format!("GIT_{role}_NAME"), "Test")))
            .envs(
                ["AUTHOR", "COMMITTER"]
                    .map(|role| (format!("GIT_{role}_EMAIL"), "t@example.invalid")),
            )
            .envs([("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "safe.directory")])
            .env("GIT_CONFIG_VALUE_0", "*")
            .current_dir(self.work())
    }

    /// Tries those attempts of the corpus that `wanted` accepts by their number, without a
    /// network. Returns those that succeeded, as `guarantee: script`.
    pub(super) fn broken(&self, options: &[&str], wanted: impl Fn(usize) -> bool) -> Vec<String> {
        let tried: Vec<(usize, &Escape)> =
            ESCAPES.iter().enumerate().filter(|(number, _)| wanted(*number)).collect();
        let mut script = String::new();
        for (number, escape) in &tried {
            writeln!(
                script,
                "( {} ) > /dev/null 2>&1 < /dev/null && echo broken {number}",
                escape.script
            )
            .unwrap();
        }
        let options = [options, &["--network", "off"]].concat();
        let ended = self.sandbox(&options, &script).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        self.note_datagrams();
        let is_broken = |(number, escape): &&(usize, &Escape)| match escape.outside {
            Some(look) => self.shell(look),
            None => said.lines().any(|line| line == format!("broken {number}")),
        };
        let broken = tried.iter().filter(is_broken);
        broken.map(|(_, escape)| format!("{}: {}", escape.guarantee, escape.script)).collect()
    }

    fn note_datagrams(&self) {
        self.udp.set_nonblocking(true).unwrap();
        if self.udp.recv(&mut [0; 8]).is_ok() {
            fs::write(self.path("out/datagram"), "").unwrap();
        }
    }
}

impl Drop for EscapeWorld {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_file(self.shared());
        self.shell(&format!("python3 -c '{REMOVE_SEGMENT}'"));
        for place in ["/tmp", "/var/tmp", "/etc", "/usr/local/bin"] {
            let _ = fs::remove_file(Path::new(place).join(self.id()));
        }
    }
}
