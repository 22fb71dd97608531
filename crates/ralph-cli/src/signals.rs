//! Turns Ctrl-C and friends into an orderly end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ralph_core::locale::Locale;
use ralph_engine::clock::Interrupt;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::error::CliError;
use crate::{out, texts};

/// After a signal the work looks for it at least so often, or it hangs.
const UNHEARD: Duration = Duration::from_secs(10);

/// What is left when a signal ends us by force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aftermath {
    /// A run that can go on.
    Resumable,
    /// Nothing.
    Nothing,
}

/// Raises `interrupt` at every signal and calls `heard` then. Should the end
/// take too long, because the work waits for something that never comes, there
/// is an end all the same: what we started dies with us. Where nothing is left
/// that could be resumed, the second signal is that end.
pub(crate) fn listen(
    interrupt: &Interrupt,
    heard: impl Fn() + Send + 'static,
    aftermath: Aftermath,
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
            if aftermath == Aftermath::Nothing && interrupt.is_urgent() {
                end(aftermath, locale);
            }
            if !is_watched.swap(true, Ordering::Relaxed) {
                let interrupt = interrupt.clone();
                let _ = std::thread::Builder::new().spawn(move || {
                    interrupt.until_unheard(UNHEARD);
                    end(aftermath, locale);
                });
            }
        }
    })?;
    Ok(())
}

/// Ends us by force.
fn end(aftermath: Aftermath, locale: Locale) -> ! {
    out::note(match aftermath {
        Aftermath::Resumable => texts::hangs(locale),
        Aftermath::Nothing => texts::interrupted(locale),
    });
    std::process::exit(130)
}

/// Whether whoever started us wants this signal ignored, as `nohup` does.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|text| u64::from_str_radix(text.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
