//! One process for a project that keeps its servers warm for others.
//!
//! A hook lives too short to warm up a server. It may ask this helper through a socket, or start
//! it; without one it asks the servers itself, only slower. The helper ends when it was not asked
//! for a while, when its socket is removed, and when it is asked with other settings than it was
//! started with.

mod wire;

use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::pool::{ServerPool, ServerReport};
use ralph_files::LogFailure as _;
use wire::{HelperRequest, HelperResponse};

/// The interval at which a helper checks if it is still wanted.
const LOOK: Duration = Duration::from_secs(2);

/// The time that the other side has to send its question.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest question that is read.
const MAX_QUESTION: u64 = 4 * 1024 * 1024;

/// The longest answer that is read.
const MAX_ANSWER: u64 = 64 * 1024 * 1024;

/// The longest path that a socket can have everywhere.
const MAX_PATH: usize = 100;

/// The one helper of a project.
#[derive(Debug)]
pub struct LspHelper {
    listener: UnixListener,
    socket: PathBuf,
    inode: u64,
    /// Locked as long as we live, however we end.
    _lock: File,
}

impl LspHelper {
    /// Opens the socket at `socket`; `None` when another helper has it.
    pub fn claim(socket: &Path) -> io::Result<Option<Self>> {
        if socket.as_os_str().len() > MAX_PATH {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is too long"));
        }
        if let Some(folder) = socket.parent() {
            fs::create_dir_all(folder)?;
        }
        let lock = File::create(socket.with_extension("lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // Who held the lock before is gone, whatever it left.
        if let Err(error) = fs::remove_file(socket)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(error);
        }
        let listener = UnixListener::bind(socket)?;
        fs::set_permissions(socket, fs::Permissions::from_mode(0o600))?;
        let inode = fs::metadata(socket)?.ino();
        Ok(Some(Self { listener, socket: socket.to_owned(), inode, _lock: lock }))
    }

    /// Answers questions with the servers of `pool` until none came for `idle`. `key` stands for
    /// the settings they were started with.
    pub fn serve(self, pool: &mut ServerPool, key: &str, idle: Duration) -> io::Result<()> {
        let (sender, streams) = channel();
        let listener = self.listener.try_clone()?;
        // Never joined: it waits for callers until the process ends.
        thread::Builder::new().name("lsp-accept".into()).spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if sender.send(stream).is_err() {
                    return;
                }
            }
        })?;
        let mut asked = Instant::now();
        loop {
            match streams.recv_timeout(LOOK.min(idle)) {
                Ok(stream) => {
                    // A caller that does not keep to the rules gets nothing.
                    if let Ok(HelperDecision::Leave) = reply(&stream, pool, key) {
                        return Ok(());
                    }
                    asked = Instant::now();
                }
                Err(RecvTimeoutError::Timeout) if asked.elapsed() >= idle || !self.is_wanted() => {
                    return Ok(());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    /// True if our socket is still where others look for it.
    fn is_wanted(&self) -> bool {
        fs::metadata(&self.socket).is_ok_and(|facts| facts.ino() == self.inode)
    }
}

impl Drop for LspHelper {
    fn drop(&mut self) {
        if self.is_wanted() {
            fs::remove_file(&self.socket).or_log("removing the socket of the helper");
        }
    }
}

/// The decision if a helper goes on.
enum HelperDecision {
    On,
    Leave,
}

fn reply(stream: &UnixStream, pool: &mut ServerPool, key: &str) -> io::Result<HelperDecision> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let question: HelperRequest = receive(stream, MAX_QUESTION)?;
    if question.key != key {
        send(stream, &HelperResponse::Outdated)?;
        return Ok(HelperDecision::Leave);
    }
    let deadline = Duration::from_millis(question.deadline_ms);
    let reports = pool.diagnostics(&question.files, deadline);
    send(stream, &HelperResponse::Reports(reports.iter().map(Into::into).collect()))?;
    Ok(HelperDecision::On)
}

/// Asks the helper at `socket`; `None` when there is none that could answer.
pub fn ask_helper(
    socket: &Path,
    key: &str,
    files: &[PathBuf],
    deadline: Duration,
) -> Option<Vec<ServerReport>> {
    let ask = || -> io::Result<HelperResponse> {
        let stream = UnixStream::connect(socket)?;
        // Others may be answered first, and servers have to end their work.
        stream.set_read_timeout(Some(2 * deadline + PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let deadline_ms = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
        send(&stream, &HelperRequest { key: key.to_owned(), files: files.to_vec(), deadline_ms })?;
        receive(&stream, MAX_ANSWER)
    };
    match ask().ok()? {
        HelperResponse::Reports(reports) => {
            reports.into_iter().map(wire::HelperServerReport::read).collect()
        }
        HelperResponse::Outdated => None,
    }
}

fn send(mut stream: &UnixStream, message: &impl serde::Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    stream.write_all(&line)
}

fn receive<T: serde::de::DeserializeOwned>(stream: &UnixStream, most: u64) -> io::Result<T> {
    let mut line = Vec::new();
    BufReader::new(stream.take(most)).read_until(b'\n', &mut line)?;
    Ok(serde_json::from_slice(&line)?)
}
