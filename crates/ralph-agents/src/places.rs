//! The places in a home folder that each client writes to.

use std::path::{Path, PathBuf};

use crate::Client;

/// A file that a client makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientFile {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub text: &'static str,
}

/// The places that a client needs in a sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientPlaces {
    /// Folders that it writes to: sessions, logins, logs.
    pub open: Vec<PathBuf>,
    /// Files that it writes to and later obeys. It can work with copies.
    pub copied: Vec<PathBuf>,
    /// Parts of these folders that it later obeys or executes, and only reads.
    pub fixed: Vec<PathBuf>,
    /// Files that it makes at its first start, in folders that it only reads.
    pub made: Vec<ClientFile>,
    /// Files that we write for it into the folder of the run.
    pub run_files: &'static [&'static str],
    /// True if we reach it through a port, so that it cannot have a network of
    /// its own.
    pub is_a_server: bool,
}

impl Client {
    /// Returns the places of this client. `variable` looks a variable up.
    pub fn places(self, home: &Path, variable: &dyn Fn(&str) -> Option<PathBuf>) -> ClientPlaces {
        match self {
            Self::ClaudeCode => crate::claude::places(home, variable),
            Self::OpenCode => crate::opencode::places(home, variable),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_obeys_later_is_not_open() {
        for client in Client::ALL {
            let places = client.places(Path::new("/h"), &|_| None);
            let is_open = |path: &&PathBuf| places.open.contains(path);
            assert!(!places.open.is_empty() && !places.fixed.is_empty());
            assert!(!places.fixed.iter().chain(&places.copied).any(|path| is_open(&path)));
        }
    }

    #[test]
    fn variables_move_the_places() {
        let variable = |name: &str| {
            let moved = ["CLAUDE_CONFIG_DIR", "XDG_DATA_HOME"].contains(&name);
            moved.then(|| PathBuf::from("/moved"))
        };
        let places = |client: Client| client.places(Path::new("/h"), &variable);
        assert!(places(Client::ClaudeCode).open.contains(&"/moved".into()));
        assert!(places(Client::ClaudeCode).copied.contains(&"/moved/.claude.json".into()));
        assert!(places(Client::OpenCode).open.contains(&"/moved/opencode".into()));
    }
}
