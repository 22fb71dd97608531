//! The files of OpenCode in a home folder.

use std::path::{Path, PathBuf};

use crate::places::{ClientFile, ClientPlaces};

/// The file that the client writes beside its settings.
const IGNORED: &str = "node_modules\npackage.json\npackage-lock.json\nbun.lock\n.gitignore\n";

/// Returns the places of the client.
pub(crate) fn places(home: &Path, variable: &dyn Fn(&str) -> Option<PathBuf>) -> ClientPlaces {
    let folder = |name: &str, usual: &str| {
        let chosen = variable(name).filter(|path| path.is_absolute());
        chosen.unwrap_or_else(|| home.join(usual)).join("opencode")
    };
    let data = folder("XDG_DATA_HOME", ".local/share");
    let cache = folder("XDG_CACHE_HOME", ".cache");
    let settings = folder("XDG_CONFIG_HOME", ".config");
    ClientPlaces {
        // Without this file it does not start.
        made: vec![ClientFile { path: settings.join(".gitignore"), text: IGNORED }],
        // Settings, programs and plugins that later sessions obey.
        fixed: vec![settings, data.join("bin"), cache.join("bin"), cache.join("node_modules")],
        open: vec![data, cache, folder("XDG_STATE_HOME", ".local/state")],
        copied: Vec::new(),
        run_files: &[super::guard::FILE],
        is_a_server: true,
    }
}
