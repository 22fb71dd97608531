//! The threads that turn a child's pipes and its end into one queue.

use std::io::{self, Read};
use std::sync::mpsc::SyncSender;
use std::thread;

use crate::launch::OutputStream;

/// Maximum number of events that wait for the watcher. Together with [`CHUNK`] it
/// bounds the memory that a flood of output can take.
pub(crate) const QUEUE: usize = 16;

const CHUNK: usize = 64 * 1024;

#[derive(Debug)]
pub(crate) enum ProgramEvent {
    Output(OutputStream, Vec<u8>),
    /// Every process that held a stream closed it.
    Closed,
    /// The child ended and can be reaped.
    Ended,
    Wake,
}

/// Reads a pipe until its end. The thread is never joined: a process we cannot
/// kill may hold the pipe open for ever.
pub(crate) fn spawn_reader(
    stream: OutputStream,
    mut pipe: impl Read + Send + 'static,
    events: SyncSender<ProgramEvent>,
) -> io::Result<()> {
    let read = move || {
        let mut buffer = vec![0; CHUNK];
        loop {
            match pipe.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => {
                    if events.send(ProgramEvent::Output(stream, buffer[..length].to_vec())).is_err()
                    {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        // The receiver is gone when the run ended.
        let _ = events.send(ProgramEvent::Closed);
    };
    thread::Builder::new().name("ralph-read".into()).spawn(read)?;
    Ok(())
}

/// Reports the end of child `pid` without reaping it, so that its pid cannot
/// be taken by another process while we may still signal it.
#[cfg(unix)]
pub(crate) fn spawn_waiter(pid: u32, events: SyncSender<ProgramEvent>) -> io::Result<()> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or(io::ErrorKind::InvalidInput)?;
    let wait = move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
        // The receiver is gone when the run ended.
        let _ = events.send(ProgramEvent::Ended);
    };
    thread::Builder::new().name("ralph-wait".into()).spawn(wait)?;
    Ok(())
}
