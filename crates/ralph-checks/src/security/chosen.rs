use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ScanScope;

/// The maximum size of a file whose earlier contents are kept, in bytes.
pub const MOST_EARLIER: u64 = 4 * 1024 * 1024;

/// Files as they were before they were changed; `None` for those that were there and of which
/// nothing else is known.
pub type EarlierContents = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// The files a gate looks at: all of them until others are chosen. Clones share the choice.
#[derive(Clone, Debug, Default)]
pub struct ScanSelection(Arc<Mutex<ScanSelectionState>>);

#[derive(Debug, Default)]
struct ScanSelectionState {
    files: Option<ScanScope>,
    before: Arc<EarlierContents>,
}

impl ScanSelection {
    /// Looks at these from now on. Their earlier state is not known.
    pub fn set(&self, files: ScanScope) {
        *self.lock() = ScanSelectionState { files: Some(files), before: Arc::default() };
    }

    /// Says what the files were before, as far as it is known.
    pub fn set_before(&self, before: EarlierContents) {
        self.lock().before = Arc::new(before);
    }

    /// Returns the files to look at.
    pub fn get(&self) -> ScanScope {
        self.lock().files.clone().unwrap_or(ScanScope::All)
    }

    /// Returns the earlier state of the files.
    pub fn before(&self) -> Arc<EarlierContents> {
        Arc::clone(&self.lock().before)
    }

    fn lock(&self) -> MutexGuard<'_, ScanSelectionState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
