//! The files of OpenCode in a home folder.

use std::path::{Path, PathBuf};

use crate::places::ClientPlaces;

/// Returns the places of the client.
pub(crate) fn places(home: &Path, variable: &dyn Fn(&str) -> Option<PathBuf>) -> ClientPlaces {
    let folder = |name: &str, usual: &str| {
        let chosen = variable(name).filter(|path| path.is_absolute());
        chosen.unwrap_or_else(|| home.join(usual)).join("opencode")
    };
    let data = folder("XDG_DATA_HOME", ".local/share");
    let cache = folder("XDG_CACHE_HOME", ".cache");
    ClientPlaces {
        // Programs and plugins that later sessions start.
        fixed: vec![data.join("bin"), cache.join("bin"), cache.join("node_modules")],
        open: vec![data, cache, folder("XDG_STATE_HOME", ".local/state")],
        copied: Vec::new(),
        run_files: &[super::guard::FILE],
        is_a_server: true,
    }
}
