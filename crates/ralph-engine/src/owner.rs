//! Who works on a run, and whether it still lives.

use ralph_core::run::Owner;
use ralph_core::{Run, Timestamp};

/// This process as an owner.
pub fn this_process(now: Timestamp) -> Owner {
    let pid = std::process::id();
    Owner::Driver { pid, started: ralph_proc::process_start_time(pid).unwrap_or(0), heartbeat: now }
}

/// Whether an owner can still be working.
///
/// A driver is its process id together with the moment that process started,
/// so a reused id is not mistaken for it. Sessions of hosts cannot be asked:
/// they count as alive.
pub fn is_alive(owner: &Owner) -> bool {
    match owner {
        Owner::Driver { pid, started, .. } => {
            ralph_proc::process_start_time(*pid) == Some(*started)
        }
        Owner::Session(_) => true,
    }
}

/// Whether a run goes on by itself, as far as can be known.
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
