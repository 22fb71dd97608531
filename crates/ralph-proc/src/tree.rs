//! Signals for a whole process tree.

#[cfg(unix)]
pub(crate) use unix::{ProcessTree, adopt_orphans};

/// Returns the start of a process, in clock ticks since boot.
///
/// Together with the pid it identifies a process until the next boot. `None` if
/// the process does not exist or has ended, and on systems other than Linux.
pub fn process_start_time(pid: u32) -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let stat = crate::procfs::ProcessStat::of(i32::try_from(pid).ok()?)?;
        (!stat.is_ended).then_some(stat.start_time)
    }
    #[cfg(not(target_os = "linux"))]
    {
        // Not used here.
        let _ = pid;
        None
    }
}

/// Returns the memory in use by all processes with `entry` (`NAME=value`) in
/// their initial environment, in bytes.
///
/// Shared memory counts for each of them. Zero if there is none, and on systems
/// other than Linux.
pub fn resident_memory(entry: &str) -> u64 {
    #[cfg(target_os = "linux")]
    {
        let marked = crate::procfs::pids().into_iter();
        let marked = marked.filter(|pid| crate::procfs::has_in_environment(*pid, entry));
        marked.filter_map(crate::procfs::resident_memory).sum()
    }
    #[cfg(not(target_os = "linux"))]
    {
        // Not used here.
        let _ = entry;
        0
    }
}

/// Kills every process with `entry` in its initial environment.
///
/// Does nothing on systems other than Linux.
pub(crate) fn kill_marked(entry: &str) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Pid, Signal, kill_process};

        let mut killed = std::collections::HashSet::new();
        // A process that was sent SIGKILL cannot fork any more. So once a look
        // shows nothing new, all were reached.
        loop {
            let mut found = crate::procfs::pids();
            found.retain(|pid| crate::procfs::has_in_environment(*pid, entry));
            found.retain(|pid| killed.insert(*pid));
            if found.is_empty() {
                return;
            }
            for pid in found.into_iter().filter_map(Pid::from_raw) {
                // It may have ended by itself.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    // Not used here.
    let _ = entry;
}

#[cfg(target_os = "linux")]
mod unix {
    use std::collections::HashSet;
    use std::thread;

    use rustix::io::Errno;
    use rustix::process::{
        Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, set_child_subreaper,
        wait,
    };

    use crate::procfs::descendants;
    use crate::wire::LaunchMonitor;

    /// Number of searches for children that the kernel reports and that we can
    /// neither see nor signal, such as those of another user.
    const LOOKS: u32 = 100;

    /// Makes us the parent of every descendant that loses its own.
    pub(crate) fn adopt_orphans() -> rustix::io::Result<()> {
        set_child_subreaper(Some(getpid()))
    }

    /// All descendants of this process, which must have adopted its orphans.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct ProcessTree {
        agent: Pid,
        /// Tells whether the agent is only a process that waits for the program.
        monitor: LaunchMonitor,
    }

    /// The result of signalling the tree once.
    #[derive(Default)]
    struct SignalCounts {
        /// Processes that were not known before.
        fresh: usize,
        /// Children of ours that got the signal.
        children: usize,
    }

    impl ProcessTree {
        pub(crate) fn of(agent: Pid, monitor: LaunchMonitor) -> Self {
            Self { agent, monitor }
        }

        /// Signals every process that can be seen now, except one that waits
        /// for the program: its end would kill the program.
        pub(crate) fn signal(self, signal: Signal) {
            self.reach(signal, &mut HashSet::new());
        }

        /// Kills every process, also those that are forked meanwhile.
        pub(crate) fn kill(self) {
            let mut known = HashSet::new();
            while self.reach(Signal::KILL, &mut known).fresh > 0 {}
        }

        /// Kills and reaps until the kernel reports no child. Since we adopt
        /// orphans, no descendant is left then either.
        pub(crate) fn end(self) {
            let mut looks = 0;
            while looks < LOOKS {
                loop {
                    match wait(WaitOptions::NOHANG) {
                        Ok(Some(_)) | Err(Errno::INTR) => {}
                        Ok(None) => break,
                        Err(_) => return,
                    }
                }
                if self.reach(Signal::KILL, &mut HashSet::new()).children > 0 {
                    // Only this thread reaps it, so the wait is short.
                    let _ = wait(WaitOptions::empty());
                } else {
                    looks += 1;
                    thread::yield_now();
                }
            }
        }

        fn reach(self, signal: Signal, known: &mut HashSet<i32>) -> SignalCounts {
            let mut reached = SignalCounts::default();
            let me = getpid().as_raw_nonzero().get();
            let found = descendants(me);
            if found.is_empty() {
                // Without a readable /proc at least the agent's own group ends.
                // The group may have ended by itself.
                let _ = kill_process_group(self.agent, signal);
            }
            for (raw, parent) in found {
                let Some(pid) = Pid::from_raw(raw) else { continue };
                reached.fresh += usize::from(known.insert(raw));
                if signal != Signal::KILL
                    && self.monitor == LaunchMonitor::Child
                    && pid == self.agent
                {
                    continue;
                }
                if kill_process(pid, signal).is_ok() && parent == me {
                    reached.children += 1;
                }
            }
            reached
        }
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
mod unix {
    use rustix::process::{Pid, Signal, kill_process_group};

    use crate::wire::LaunchMonitor;

    /// There are no subreapers here; orphans outside the agent's group escape.
    pub(crate) fn adopt_orphans() -> rustix::io::Result<()> {
        Ok(())
    }

    /// The agent's process group.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct ProcessTree {
        agent: Pid,
    }

    impl ProcessTree {
        pub(crate) fn of(agent: Pid, _monitor: LaunchMonitor) -> Self {
            Self { agent }
        }

        pub(crate) fn signal(self, signal: Signal) {
            // The group may have ended by itself.
            let _ = kill_process_group(self.agent, signal);
        }

        pub(crate) fn kill(self) {
            self.signal(Signal::KILL);
        }

        pub(crate) fn end(self) {
            self.signal(Signal::KILL);
        }
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_start_time_is_known_and_that_of_nobody_is_not() {
        assert!(process_start_time(std::process::id()).is_some());
        assert_eq!(process_start_time(u32::MAX), None);
    }

    #[test]
    fn a_process_that_ended_has_no_start_time_though_its_parent_does_not_ask() {
        let mut child = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        assert!(process_start_time(child.id()).is_some());
        child.kill().unwrap();
        // Its output ends when it does, and the wait is still to come.
        let mut rest = Vec::new();
        std::io::Read::read_to_end(child.stdout.as_mut().unwrap(), &mut rest).unwrap();
        while process_start_time(child.id()).is_some() {
            std::thread::yield_now();
        }
        child.wait().unwrap();
    }

    #[test]
    fn memory_is_that_of_marked_processes_only() {
        assert_eq!(resident_memory("RALPH_PROC_MEMORY=nobody"), 0);
        let mut child = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .env("RALPH_PROC_MEMORY", "cat")
            .spawn()
            .unwrap();
        assert!(resident_memory("RALPH_PROC_MEMORY=cat") > 100_000);
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
