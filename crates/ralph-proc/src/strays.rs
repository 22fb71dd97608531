//! Ends the programs of supervisors that were killed or stopped.
//!
//! A process that drives runs adopts the orphans below it. A supervisor leaves
//! none behind, so an orphan that reaches us lost its supervisor. We know it by
//! its session: our own children are in ours, and supervisors, which have their
//! own sessions, are listed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The supervisors of this process that have not ended.
static SUPERVISORS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Number of supervisors that were found stopped and were killed for it.
static STOPPED: AtomicUsize = AtomicUsize::new(0);

/// Counts of programs without a supervisor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LostPrograms {
    /// Programs that escaped to us and were ended.
    pub escaped: usize,
    /// Supervisors that were found stopped, since the last call.
    pub stopped: usize,
}

pub(crate) fn note_stopped() {
    STOPPED.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn enlist(pid: u32) {
    SUPERVISORS.lock().unwrap_or_else(PoisonError::into_inner).insert(pid);
}

pub(crate) fn strike_off(pid: u32) {
    SUPERVISORS.lock().unwrap_or_else(PoisonError::into_inner).remove(&pid);
}

/// Lets this process adopt the orphans of its supervisors. Returns true if that
/// works: only on Linux.
pub fn adopt_strays() -> bool {
    #[cfg(target_os = "linux")]
    return crate::tree::adopt_orphans().is_ok();
    #[cfg(not(target_os = "linux"))]
    false
}

/// Kills escaped programs with all their descendants, and returns the counts.
///
/// No program may be started meanwhile, and of our children only supervisors
/// may have a session of their own.
pub fn end_strays() -> LostPrograms {
    let stopped = STOPPED.swap(0, Ordering::Relaxed);
    #[cfg(target_os = "linux")]
    let escaped = linux::end();
    #[cfg(not(target_os = "linux"))]
    let escaped = 0;
    LostPrograms { escaped, stopped }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::sync::PoisonError;

    use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};

    use super::SUPERVISORS;
    use crate::procfs::{ProcessStat, children, descendants};

    /// Number of attempts: a process may fork until it is reached.
    const LOOKS: usize = 100;

    pub(super) fn end() -> usize {
        let mut ended = 0;
        for _ in 0..LOOKS {
            let found = strays();
            if found.is_empty() {
                break;
            }
            for pid in found {
                let below = descendants(pid).into_iter().map(|(pid, _)| pid);
                for pid in below.filter_map(Pid::from_raw) {
                    // It may have ended by itself.
                    let _ = kill_process(pid, Signal::KILL);
                }
                let Some(pid) = Pid::from_raw(pid) else { continue };
                // A process of another user can be neither ended nor waited
                // for.
                if kill_process(pid, Signal::KILL).is_ok() {
                    // Another thread may have reaped it.
                    let _ = waitpid(Some(pid), WaitOptions::empty());
                    ended += 1;
                }
            }
        }
        ended
    }

    /// Returns our children that we did not start.
    fn strays() -> Vec<i32> {
        let me = getpid().as_raw_nonzero().get();
        let Some(own) = ProcessStat::of(me) else { return Vec::new() };
        let supervisors = SUPERVISORS.lock().unwrap_or_else(PoisonError::into_inner);
        let is_listed = |pid: i32| u32::try_from(pid).is_ok_and(|pid| supervisors.contains(&pid));
        let is_stray = |pid: &i32| {
            ProcessStat::of(*pid).is_some_and(|stat| stat.session != own.session)
                && !is_listed(*pid)
        };
        children(me).into_iter().filter(is_stray).collect()
    }
}
