//! A progress bar for indexing, which may be slow the first time.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use ralph_core::locale::Locale;
use ralph_engine::likely;
use ralph_graph::UpdateProgress;

/// Time before the bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// Number of characters of a full bar.
const WIDTH: usize = 30;

/// A progress bar, drawn if standard error is a terminal.
pub(crate) struct IndexProgressBar {
    locale: Locale,
    began: Instant,
    is_wanted: bool,
    is_shown: bool,
}

impl IndexProgressBar {
    pub(crate) fn new(locale: Locale) -> Self {
        let is_wanted = io::stderr().is_terminal();
        Self { locale, began: Instant::now(), is_wanted, is_shown: false }
    }

    /// Shows the number of code files that were read.
    pub(crate) fn show(&mut self, progress: UpdateProgress) {
        let UpdateProgress { done, total } = progress;
        self.show_likely(likely::LearningProgress::Code { done, total });
    }

    /// Shows the progress of any step.
    pub(crate) fn show_likely(&mut self, progress: likely::LearningProgress) {
        if self.is_wanted && self.began.elapsed() > PATIENCE {
            self.is_shown = true;
            // Progress that cannot be shown is not missed.
            let _ = write!(io::stderr().lock(), "\r{}", line(progress, self.locale));
        }
    }

    /// Clears the line of the bar.
    pub(crate) fn clear(&mut self) {
        if self.is_shown {
            // Progress that cannot be shown is not missed.
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
            self.is_shown = false;
        }
    }
}

fn line(progress: likely::LearningProgress, locale: Locale) -> String {
    let (done, total, what) = match progress {
        likely::LearningProgress::Code { done, total } => {
            locale.say((done, total, "files"), (done, total, "파일"))
        }
        likely::LearningProgress::Commits { done, total } => {
            locale.say((done, total, "commits"), (done, total, "커밋"))
        }
    };
    let full = (done * WIDTH).checked_div(total).unwrap_or(WIDTH).min(WIDTH);
    let bar = format!("{}{}", "█".repeat(full), "░".repeat(WIDTH - full));
    locale.say(format!("{bar} {done}/{total} {what}"), format!("{bar} {what} {done}/{total}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_full_at_the_end_and_never_longer() {
        let bar = |done, total| line(likely::LearningProgress::Code { done, total }, Locale::En);
        assert_eq!(bar(1, 3), format!("{}{} 1/3 files", "█".repeat(10), "░".repeat(20)));
        assert_eq!(bar(0, 0), format!("{} 0/0 files", "█".repeat(30)));
    }
}
