//! A bar for the first index, which may take a while.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use ralph_core::locale::Locale;
use ralph_graph::Progress;

/// Whoever waits less than this needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// The signs of a full bar.
const WIDTH: usize = 30;

/// A bar on the terminal, if there is one.
pub(super) struct Bar {
    locale: Locale,
    began: Instant,
    is_wanted: bool,
    is_shown: bool,
}

impl Bar {
    pub(super) fn new(locale: Locale) -> Self {
        let is_wanted = io::stderr().is_terminal();
        Self { locale, began: Instant::now(), is_wanted, is_shown: false }
    }

    /// Shows how much is done.
    pub(super) fn show(&mut self, progress: Progress) {
        if self.is_wanted && self.began.elapsed() > PATIENCE {
            self.is_shown = true;
            let _ = write!(io::stderr().lock(), "\r{}", line(progress, self.locale));
        }
    }

    /// Leaves the terminal as it was.
    pub(super) fn clear(&mut self) {
        if self.is_shown {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
            self.is_shown = false;
        }
    }
}

fn line(progress: Progress, locale: Locale) -> String {
    let Progress { done, total } = progress;
    let full = (done * WIDTH).checked_div(total).unwrap_or(WIDTH).min(WIDTH);
    let bar = format!("{}{}", "█".repeat(full), "░".repeat(WIDTH - full));
    match locale {
        Locale::En => format!("{bar} {done}/{total} files"),
        Locale::Ko => format!("{bar} 파일 {done}/{total}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_full_at_the_end_and_never_longer() {
        let bar = |done, total| line(Progress { done, total }, Locale::En);
        assert_eq!(bar(1, 3), format!("{}{} 1/3 files", "█".repeat(10), "░".repeat(20)));
        assert_eq!(bar(0, 0), format!("{} 0/0 files", "█".repeat(30)));
    }
}
