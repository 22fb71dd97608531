//! The way out of a sandbox for hooks of a host: a socket, and processes outside that answer.
//!
//! A program in the sandbox sees no runs. So `ralph hook` in it passes the event out, with the few
//! words of its installation. Outside, a new process answers it for the project of the sandbox,
//! whatever the event says. Nothing else can be asked.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use ralph_files::LogFailure as _;
use tempfile::TempDir;

use crate::app::own_binary;

/// The variable with the socket, in the sandbox.
pub const VARIABLE: &str = "RALPH_SANDBOX_DOOR";

/// Flags of a hook's installation, which are passed out.
const FLAGS: [&str; 3] = ["--agent=", "--timeout=", "--arm="];

/// Most bytes of their line.
const MOST_WORDS: u64 = 1024;

/// Most events that are answered at the same time.
const MOST_EVENTS: usize = 16;

/// The time to send the words, and between two parts of an event.
const PATIENCE: Duration = Duration::from_secs(10);

/// Answers hooks of a sandbox until it is dropped.
pub struct HookDoor {
    folder: TempDir,
    is_over: Arc<AtomicBool>,
}

/// The process that answers a hook.
struct HookAnswerer {
    root: PathBuf,
    variables: Vec<(&'static str, OsString)>,
    events: AtomicUsize,
}

impl HookDoor {
    /// Opens it. Events are answered in `root`, with these variables.
    pub fn open(root: &Path, variables: Vec<(&'static str, OsString)>) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("ralph-door-").tempdir()?;
        let listener = UnixListener::bind(folder.path().join("hooks"))?;
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        let events = AtomicUsize::new(0);
        let answerer = Arc::new(HookAnswerer { root: root.to_owned(), variables, events });
        thread::Builder::new().name("door".into()).spawn(move || {
            for client in listener.incoming() {
                if ends.load(Ordering::Relaxed) {
                    return;
                }
                let (Ok(client), answerer) = (client, Arc::clone(&answerer)) else { continue };
                let answer = move || {
                    if answerer.events.fetch_add(1, Ordering::Relaxed) < MOST_EVENTS {
                        answerer.answer(&client).or_log("answering a hook of a sandbox");
                    }
                    answerer.events.fetch_sub(1, Ordering::Relaxed);
                };
                thread::Builder::new().spawn(answer).or_log("starting a thread for a hook");
            }
        })?;
        Ok(Self { folder, is_over })
    }

    /// Returns the path of the socket.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("hooks")
    }
}

impl Drop for HookDoor {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // The thread waits for a connection, and finds that it is over.
        UnixStream::connect(self.socket()).or_log("closing the way out of a sandbox");
    }
}

impl HookAnswerer {
    fn answer(&self, mut client: &UnixStream) -> io::Result<()> {
        client.set_read_timeout(Some(PATIENCE))?;
        let mut reader = BufReader::new(client);
        let mut line = String::new();
        (&mut reader).take(MOST_WORDS).read_line(&mut line)?;
        let words = known(line.split_whitespace());
        let mut child = Command::new(own_binary())
            .arg("hook")
            .args(words)
            .current_dir(&self.root)
            .env_remove(VARIABLE)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // It may answer without reading all of it.
            io::copy(&mut reader, &mut stdin).or_log("passing an event on");
        }
        if let Some(mut stdout) = child.stdout.take() {
            io::copy(&mut stdout, &mut client).or_log("passing an answer on");
        }
        child.wait().map(drop)
    }
}

/// Returns the words that a hook's installation may have.
fn known<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let is_known = |word: &&str| FLAGS.iter().any(|flag| word.starts_with(flag));
    words.filter(is_known).map(str::to_owned).collect()
}

/// Passes an event out of the sandbox and prints the answer. Returns an error if there is no way
/// out; then nothing was read from standard input.
pub fn pass_out(socket: &OsStr, args: &[OsString]) -> io::Result<()> {
    let mut door = UnixStream::connect(Path::new(socket))?;
    let mut line = joined(args).join(" ");
    line.push('\n');
    door.write_all(line.as_bytes())?;
    io::copy(&mut io::stdin().lock(), &mut door)?;
    door.shutdown(Shutdown::Write)?;
    io::copy(&mut door, &mut io::stdout().lock())?;
    io::stdout().flush()
}

/// Writes each flag and its value as one word.
fn joined(args: &[OsString]) -> Vec<String> {
    let words: Vec<&str> = args.iter().filter_map(|word| word.to_str()).collect();
    let flag_at = |at: usize| FLAGS.iter().find(|flag| flag.trim_end_matches('=') == words[at]);
    let with_value = |at: usize| {
        let value = words.get(at + 1)?;
        Some(format!("{}{value}", flag_at(at)?))
    };
    let all = (0..words.len()).filter_map(with_value);
    all.chain(known(words.iter().copied())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_words_of_an_installation_pass() {
        let args = ["--agent", "x", "--timeout=60", "--help", "--arm", "manual", "more"];
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        assert_eq!(joined(&args), ["--agent=x", "--arm=manual", "--timeout=60"]);
        assert_eq!(known("--agent=x __supervise --help --timeout=1".split(' ')).len(), 2);
    }
}
