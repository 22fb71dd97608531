//! A line at the bottom of a terminal that shows the progress of reading the files.

use std::io::{self, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use ralph_core::locale::Locale;
use ralph_snapshot::WorkHandle;

use crate::region::LiveRegion;
use crate::{out, texts};

/// Time before the line appears.
const SHOWN_AFTER: Duration = Duration::from_secs(1);

/// Time between two updates of the line.
const REDRAW: Duration = Duration::from_millis(250);

/// A line that appears when work takes long, until it is dropped.
pub(crate) struct ProgressLine {
    /// Tells the thread to stop.
    over: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressLine {
    /// Starts the thread; `None` without a terminal.
    pub(crate) fn show(work: &WorkHandle, locale: Locale) -> Option<Self> {
        out::width(&io::stderr())?;
        let (over, is_over) = mpsc::channel::<()>();
        let work = work.clone();
        let thread = std::thread::Builder::new().spawn(move || {
            let (mut region, mut wait) = (LiveRegion::default(), SHOWN_AFTER);
            while is_over.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = REDRAW;
                let progress = texts::work_progress(work.progress(), locale);
                let line = locale.say(
                    format!("reading the files: {progress}"),
                    format!("파일을 읽는 중: {progress}"),
                );
                let wide = out::width(&io::stderr()).unwrap_or(80);
                let drawn = region.draw(&[line], wide, |_, line| line.to_owned());
                // Progress that cannot be shown is not missed.
                let _ = write!(io::stderr().lock(), "{drawn}");
            }
            let wide = out::width(&io::stderr()).unwrap_or(80);
            // Progress that cannot be shown is not missed.
            let _ = write!(io::stderr().lock(), "{}", region.wipe(wide));
        });
        Some(Self { over: Some(over), thread: thread.ok() })
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        drop(self.over.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked shows nothing more.
            let _ = thread.join();
        }
    }
}
