//! The owner of a run, and whether it is alive.

use ralph_core::run::Owner;
use ralph_core::{Run, Timestamp};

/// Returns this process as an owner.
pub fn this_process(now: Timestamp) -> Owner {
    let pid = std::process::id();
    Owner::Driver { pid, started: ralph_proc::process_start_time(pid).unwrap_or(0), heartbeat: now }
}

/// Returns true if an owner may still be working.
///
/// A driver is identified by its process id and start time, so a reused id is
/// not mistaken for it. Sessions of hosts cannot be asked: they count as alive.
pub fn is_alive(owner: &Owner) -> bool {
    match owner {
        Owner::Driver { pid, started, .. } => {
            ralph_proc::process_start_time(*pid) == Some(*started)
        }
        Owner::Session(_) => true,
    }
}

/// Returns true if a run is active and its owner may be working on it.
pub fn is_at_work(run: &Run) -> bool {
    run.state.is_active() && run.owner.as_ref().is_some_and(is_alive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reused_process_id_is_not_the_owner() {
        let now = Timestamp::default();
        let Owner::Driver { pid, started, heartbeat } = this_process(now) else {
            unreachable!("this process is a driver")
        };
        assert!(is_alive(&Owner::Driver { pid, started, heartbeat }));
        assert!(!is_alive(&Owner::Driver { pid, started: started + 1, heartbeat }));
    }
}
