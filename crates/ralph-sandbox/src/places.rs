//! Places in a home folder that a sandbox hides, and caches that it opens.

use std::path::{Path, PathBuf};

/// The caches with a name.
pub const CACHE_NAMES: &[&str] = &["cargo", "npm", "pip", "go"];

/// Files and folders below the home folder that hold keys, passwords, or what a
/// user typed.
const SECRETS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".password-store",
    ".netrc",
    ".pypirc",
    ".pgpass",
    ".vault-token",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gcloud",
    ".config/gh",
    ".config/hub",
    ".config/op",
    ".config/rclone",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".mozilla",
    ".thunderbird",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".local/share/fish/fish_history",
];

/// Returns the secrets below this home folder, whether they exist or not.
pub fn secret_places(home: &Path) -> Vec<PathBuf> {
    SECRETS.iter().map(|place| home.join(place)).collect()
}

/// Returns the files and folders of a named cache; empty for an unknown name.
pub fn cache_folders(
    name: &str,
    home: &Path,
    variable: &dyn Fn(&str) -> Option<PathBuf>,
) -> Vec<PathBuf> {
    let variable = |name: &str| variable(name).filter(|path| path.is_absolute());
    let general = variable("XDG_CACHE_HOME").unwrap_or_else(|| home.join(".cache"));
    match name {
        "cargo" => {
            let cargo = variable("CARGO_HOME").unwrap_or_else(|| home.join(".cargo"));
            // Without programs and settings, which run outside.
            ["registry", "git", ".package-cache", ".package-cache-mutate", ".global-cache"]
                .map(|part| cargo.join(part))
                .into()
        }
        "npm" => {
            let npm = variable("npm_config_cache").or_else(|| variable("NPM_CONFIG_CACHE"));
            vec![npm.unwrap_or_else(|| home.join(".npm"))]
        }
        "pip" => vec![variable("PIP_CACHE_DIR").unwrap_or_else(|| general.join("pip"))],
        "go" => {
            let build = variable("GOCACHE").unwrap_or_else(|| general.join("go-build"));
            let path = variable("GOPATH").unwrap_or_else(|| home.join("go"));
            let modules = variable("GOMODCACHE").unwrap_or_else(|| path.join("pkg"));
            vec![build, modules]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_cache_has_folders_and_variables_move_them() {
        let (home, none) = (Path::new("/h/me"), |_: &str| None);
        for name in CACHE_NAMES {
            let folders = cache_folders(name, home, &none);
            assert!(!folders.is_empty(), "{name}");
            assert!(folders.iter().all(|folder| folder.starts_with(home)), "{name}");
        }
        let moved = |name: &str| (name == "PIP_CACHE_DIR").then(|| PathBuf::from("/big/pip"));
        assert_eq!(cache_folders("pip", home, &moved), [PathBuf::from("/big/pip")]);
        assert_eq!(cache_folders("maven", home, &none), Vec::<PathBuf>::new());
    }

    #[test]
    fn the_programs_and_settings_of_cargo_are_no_cache() {
        let folders = cache_folders("cargo", Path::new("/h"), &|_| None);
        let open = |path: &str| folders.iter().any(|folder| Path::new(path).starts_with(folder));
        assert!(open("/h/.cargo/registry/cache/x"));
        assert!(!open("/h/.cargo/bin/cargo") && !open("/h/.cargo/config.toml"));
    }
}
