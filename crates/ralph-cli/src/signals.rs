//! Turns Ctrl-C and other signals into an orderly end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ralph_core::locale::Locale;
use ralph_engine::clock::InterruptSignal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::error::CliError;
use crate::{out, texts};

/// Longest time in which the work must notice a signal; after that it hangs.
const UNHEARD: Duration = Duration::from_secs(10);

/// The state that a forced end leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForcedEndState {
    /// A run that can be resumed.
    Resumable,
    /// Nothing.
    Nothing,
}

/// Raises `interrupt` at every signal and then calls `heard`. If the work does not end
/// in time, the process is ended by force, and our child processes with it. If nothing
/// could be resumed, the second signal does the same.
pub(crate) fn listen(
    interrupt: &InterruptSignal,
    heard: impl Fn() + Send + 'static,
    aftermath: ForcedEndState,
    locale: Locale,
) -> Result<(), CliError> {
    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
    let mut signals = Signals::new(wanted)?;
    let interrupt = interrupt.clone();
    let is_watched = AtomicBool::new(false);
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for _ in signals.forever() {
            interrupt.raise();
            heard();
            if aftermath == ForcedEndState::Nothing && interrupt.is_urgent() {
                end(aftermath, locale);
            }
            if !is_watched.swap(true, Ordering::Relaxed) {
                let interrupt = interrupt.clone();
                // Without the thread, a driver that hangs needs a SIGKILL.
                let _ = std::thread::Builder::new().spawn(move || {
                    interrupt.wait_until_unresponsive(UNHEARD);
                    end(aftermath, locale);
                });
            }
        }
    })?;
    Ok(())
}

/// Ends the process by force.
fn end(aftermath: ForcedEndState, locale: Locale) -> ! {
    out::note(match aftermath {
        ForcedEndState::Resumable => texts::hangs(locale),
        ForcedEndState::Nothing => texts::interrupted(locale),
    });
    std::process::exit(130)
}

/// Returns true if the parent process ignores this signal, as `nohup` does.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|text| u64::from_str_radix(text.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
