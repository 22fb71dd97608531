use std::sync::{Arc, Mutex, PoisonError};

use super::Files;

/// Which files a gate looks at: all of them until somebody says otherwise.
/// Clones share the choice.
#[derive(Clone, Debug, Default)]
pub struct Chosen(Arc<Mutex<Option<Files>>>);

impl Chosen {
    /// Looks at these from now on.
    pub fn set(&self, files: Files) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(files);
    }

    /// What is to be looked at.
    pub fn get(&self) -> Files {
        let chosen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        chosen.clone().unwrap_or(Files::All)
    }
}
