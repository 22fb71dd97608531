//! A handle that reports the progress of work on a tree, and interrupts it.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use crate::error::TreeError;

/// Observes and interrupts work on a tree from another thread.
///
/// Contents recorded before an interruption stay, and no snapshot is
/// incomplete: it gets its label last.
#[derive(Clone, Debug, Default)]
pub struct WorkHandle(Arc<WorkState>);

#[derive(Debug, Default)]
struct WorkState {
    /// True if the process turns signals into interruptions.
    is_attended: AtomicBool,
    /// Number of requests to interrupt, and number of those that are ignored.
    asked: AtomicU32,
    ignored: AtomicU32,
    done: AtomicU64,
    total: AtomicU64,
}

/// The progress of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkProgress {
    /// Files that were read or stored.
    pub done: u64,
    /// All files; 0 while unknown.
    pub total: u64,
}

impl WorkHandle {
    /// Declares that the process turns signals into interruptions. From now on
    /// git runs outside the terminal's process group, so Ctrl-C does not kill
    /// it.
    pub fn attend(&self) {
        self.0.is_attended.store(true, Ordering::Relaxed);
    }

    /// Interrupts the present and all later work, until [`Self::go_on`].
    pub fn interrupt(&self) {
        self.0.asked.fetch_add(1, Ordering::Relaxed);
    }

    /// Ignores earlier interruptions.
    pub fn go_on(&self) {
        self.ignore_until(0);
    }

    /// Ignores earlier interruptions or, if there were none, the next one.
    pub fn ignore_first(&self) {
        self.ignore_until(1);
    }

    fn ignore_until(&self, number: u32) {
        let asked = self.0.asked.load(Ordering::Relaxed);
        self.0.ignored.store(asked.max(number), Ordering::Relaxed);
    }

    /// Returns true if the work is interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.0.asked.load(Ordering::Relaxed) > self.0.ignored.load(Ordering::Relaxed)
    }

    /// Returns the progress of the work.
    pub fn progress(&self) -> WorkProgress {
        let [done, total] = [&self.0.done, &self.0.total].map(|it| it.load(Ordering::Relaxed));
        WorkProgress { done, total }
    }

    pub(crate) fn is_attended(&self) -> bool {
        self.0.is_attended.load(Ordering::Relaxed)
    }

    pub(crate) fn begin(&self, total: usize) {
        self.0.done.store(0, Ordering::Relaxed);
        self.0.total.store(u64::try_from(total).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(crate) fn advance(&self, files: usize) {
        self.0.done.fetch_add(u64::try_from(files).unwrap_or(0), Ordering::Relaxed);
    }

    /// Fails if the work is interrupted.
    pub(crate) fn check(&self) -> Result<(), TreeError> {
        if self.is_interrupted() { Err(TreeError::Interrupted) } else { Ok(()) }
    }

    /// Turns any error of interrupted work into [`TreeError::Interrupted`].
    pub(crate) fn settle<T>(&self, result: Result<T, TreeError>) -> Result<T, TreeError> {
        result.map_err(|error| if self.is_interrupted() { TreeError::Interrupted } else { error })
    }

    /// Wraps a reader so that it fails once the work is interrupted.
    pub(crate) fn reading<R: Read + 'static>(&self, inner: R) -> Box<dyn Read> {
        Box::new(InterruptibleReader { inner, handle: self.clone() })
    }
}

struct InterruptibleReader<R> {
    inner: R,
    handle: WorkHandle,
}

impl<R: Read> Read for InterruptibleReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.handle.is_interrupted() {
            // `ErrorKind::Interrupted` would make readers try again.
            return Err(io::Error::other(TreeError::Interrupted));
        }
        self.inner.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interruption_holds_until_it_is_heard() {
        let handle = WorkHandle::default();
        assert!(handle.check().is_ok());
        handle.interrupt();
        assert!(handle.is_interrupted());
        handle.go_on();
        assert!(!handle.is_interrupted());
        handle.interrupt();
        assert!(handle.is_interrupted());
    }

    #[test]
    fn the_first_interruption_can_be_ignored_and_the_next_cannot() {
        let handle = WorkHandle::default();
        handle.ignore_first();
        handle.interrupt();
        assert!(!handle.is_interrupted());
        handle.ignore_first();
        handle.interrupt();
        assert!(handle.is_interrupted());
    }

    #[test]
    fn a_read_fails_once_the_work_is_interrupted() {
        let handle = WorkHandle::default();
        let mut reader = handle.reading(&b"text"[..]);
        assert_eq!(reader.read(&mut [0; 2]).unwrap(), 2);
        handle.interrupt();
        assert!(reader.read_to_end(&mut Vec::new()).is_err());
    }
}
