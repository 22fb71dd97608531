use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Files;

/// The maximum size of a file whose earlier contents are kept, in bytes.
pub const MOST_EARLIER: u64 = 4 * 1024 * 1024;

/// Files as they were before they were changed; `None` for those that were there and of which
/// nothing else is known.
pub type Before = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// The files a gate looks at: all of them until others are chosen. Clones share the choice.
#[derive(Clone, Debug, Default)]
pub struct Chosen(Arc<Mutex<Choice>>);

#[derive(Debug, Default)]
struct Choice {
    files: Option<Files>,
    before: Arc<Before>,
}

impl Chosen {
    /// Looks at these from now on. Their earlier state is not known.
    pub fn set(&self, files: Files) {
        *self.lock() = Choice { files: Some(files), before: Arc::default() };
    }

    /// Says what the files were before, as far as it is known.
    pub fn set_before(&self, before: Before) {
        self.lock().before = Arc::new(before);
    }

    /// Returns the files to look at.
    pub fn get(&self) -> Files {
        self.lock().files.clone().unwrap_or(Files::All)
    }

    /// Returns the earlier state of the files.
    pub fn before(&self) -> Arc<Before> {
        Arc::clone(&self.lock().before)
    }

    fn lock(&self) -> MutexGuard<'_, Choice> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
