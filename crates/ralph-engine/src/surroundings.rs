//! The files that gates load from outside the project, beyond those that their
//! commands name.
//!
//! No snapshot contains them: settings of runners above the project and in the
//! home folder, every program on the `PATH`, Python's own modules. They are
//! examined after the first run of the checks, and again before a run is
//! accepted.
//! run is accepted.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs};

use ralph_core::Timestamp;
use ralph_core::evidence::WeakenedCheck;
use ralph_core::locale::Locale;
use ralph_core::wording::hands;
use ralph_proc::find_program;
use ralph_snapshot::{can_change, is_changed_since};
use ralph_tamper::{LINTERS, configures_checks};
use serde::{Deserialize, Serialize};

use crate::programs::ProgramPlaces;
use crate::python::PythonSetup;

/// Time in milliseconds that a file system's clock may be behind ours: it moves
/// in ticks.
const TICK: i64 = 10;

/// The name of the list in the run's folder.
pub(crate) const FILE: &str = "surroundings-at-start.json";

/// Files that runners read in the home folder, wherever the project is.
const IN_HOME: [&str; 19] = [
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".rspec",
    ".mavenrc",
    ".zshenv",
    ".zprofile",
    ".profile",
    ".bash_profile",
    ".bash_login",
    ".cargo/config",
    ".cargo/config.toml",
    ".config/go/env",
    ".config/rspec/options",
    ".gradle/gradle.properties",
    ".gradle/init.gradle",
    ".gradle/init.gradle.kts",
    ".gradle/init.d",
    ".m2/settings.xml",
];

/// Maximum number of findings of a kind that are reported.
const NAMED: usize = 20;

/// Maximum size of a settings file; larger files are ignored.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// The files that gates load from outside the project at one moment.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct GateSurroundings {
    /// The time of the examination, in milliseconds since 1970.
    at: i64,
    /// Settings of runners with digests of their contents.
    settings: BTreeMap<String, String>,
    /// The names in folders of the `PATH` that the user can change.
    folders: BTreeMap<String, BTreeSet<String>>,
    /// The Pythons that checks may run.
    pub(crate) pythons: Vec<PythonSetup>,
    /// The files in which a gate found something, by gate.
    #[serde(default)]
    pub(crate) flagged: BTreeMap<String, BTreeSet<String>>,
    /// The periods in which the run rested, in milliseconds since 1970.
    #[serde(default)]
    rests: Vec<(i64, i64)>,
    /// Files of the project that checks wrote in their first run.
    #[serde(default)]
    pub(crate) written: BTreeSet<String>,
}

impl GateSurroundings {
    /// Examines the files that gates would load now.
    pub(crate) fn now(places: &ProgramPlaces<'_>, at: Timestamp) -> Self {
        let folders = path_folders(places).into_iter().filter(|folder| can_change(folder));
        let folders = folders.map(|folder| (text(&folder), names(&folder))).collect();
        let (at, settings) = (at.as_millis(), settings(places));
        Self { at, settings, folders, ..Self::default() }
    }

    /// Notes a period in which only the user was at work.
    pub(crate) fn add_rest(&mut self, from: Timestamp, to: Timestamp) {
        self.rests.push((from.as_millis(), to.as_millis()));
    }

    /// Returns true if a file, or its link's target, last changed while the run
    /// rested: then the user changed it.
    pub(crate) fn is_of_rest(&self, path: &Path) -> bool {
        let is_of_rest = |found: &fs::Metadata| {
            let is_later = |millis| is_changed_since(found, Timestamp::from_millis(millis));
            self.rests.iter().any(|&(from, to)| is_later(from - TICK) && !is_later(to))
        };
        let looks = [fs::symlink_metadata, fs::metadata].map(|look| look(path));
        let changed: Vec<&fs::Metadata> =
            looks.iter().flatten().filter(|found| is_changed_since(found, self.at())).collect();
        !changed.is_empty() && changed.into_iter().all(is_of_rest)
    }

    /// Returns true if checks wrote a file in their first run.
    pub(crate) fn is_written(&self, path: &str) -> bool {
        self.written.contains(path)
    }

    /// Returns the time of the examination.
    pub(crate) fn at(&self) -> Timestamp {
        Timestamp::from_millis(self.at)
    }

    /// Returns the differences as findings.
    pub(crate) fn differing(
        &self,
        places: &ProgramPlaces<'_>,
        locale: Locale,
    ) -> Vec<WeakenedCheck> {
        let now = settings(places);
        let paths: BTreeSet<&String> = self.settings.keys().chain(now.keys()).collect();
        let changed = paths.into_iter().filter(|path| self.settings.get(*path) != now.get(*path));
        let changed = changed.filter(|path| !self.is_of_rest(Path::new(path)));
        let mut found: Vec<WeakenedCheck> = changed
            .take(NAMED)
            .map(|path| WeakenedCheck {
                place: path.clone(),
                what: hands::setting_outside(locale).to_owned(),
            })
            .collect();
        found.extend(self.programs(places, locale).into_iter().take(NAMED));
        found
    }

    /// Returns programs that were replaced, or that now hide others with their
    /// name.
    fn programs(&self, places: &ProgramPlaces<'_>, locale: Locale) -> Vec<WeakenedCheck> {
        let folders = path_folders(places);
        let mut found = Vec::new();
        for (at, folder) in folders.iter().enumerate().filter(|(_, folder)| can_change(folder)) {
            let then = self.folders.get(&text(folder));
            // Packages of the project are compared separately.
            let is_outside = !folder.starts_with(places.root);
            for name in names(folder) {
                let path = folder.join(&name);
                if !is_executable(&path) || self.is_of_rest(&path) {
                    continue;
                }
                let is_known = then.is_some_and(|then| then.contains(&name));
                let looks = [fs::symlink_metadata, fs::metadata];
                let is_changed = || {
                    looks.iter().any(|look| {
                        look(&path).is_ok_and(|found| is_changed_since(&found, self.at()))
                    })
                };
                let hidden = || {
                    let later = env::join_paths(&folders[at + 1..]).ok()?;
                    find_program(name.as_ref(), places.root, Some(&later))
                };
                let what = if is_known && is_outside && is_changed() {
                    hands::path_program_replaced(&name, locale)
                } else if let Some(hidden) = hidden().filter(|_| !is_known) {
                    hands::path_program_shadowed(&name, &text(&hidden), locale)
                } else {
                    continue;
                };
                found.push(WeakenedCheck { place: text(&path), what });
            }
        }
        found
    }
}

/// Returns the folders of the program search, each once, in their order.
fn path_folders(places: &ProgramPlaces<'_>) -> Vec<PathBuf> {
    let path = value(places.env, "PATH").cloned().unwrap_or_default();
    let mut seen = BTreeSet::new();
    let folders = env::split_paths(&path).map(|folder| places.root.join(folder));
    // A folder that does not exist yet can be made.
    let folders = folders.map(|folder| fs::canonicalize(&folder).unwrap_or(folder));
    folders.filter(|folder| seen.insert(folder.clone())).collect()
}

#[cfg(unix)]
pub(crate) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    // A link may lead to a folder, as `/usr/bin/X11` does.
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub(crate) fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Returns the names of the files in a folder.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_dir()));
    files.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Returns the settings of runners outside the project, with digests.
fn settings(places: &ProgramPlaces<'_>) -> BTreeMap<String, String> {
    let mut paths = Vec::new();
    for folder in places.root.ancestors().skip(1).filter(|folder| can_change(folder)) {
        let own = names(folder).into_iter().filter(|name| configures_checks(name));
        // In a folder for everyone other users may write any file.
        let own = own.map(|name| folder.join(name)).filter(|path| can_change(path));
        paths.extend(own);
        paths.extend(["config", "config.toml"].map(|name| folder.join(".cargo").join(name)));
    }
    if let Some(home) = value(places.env, "HOME").map(PathBuf::from) {
        let config = value(places.env, "XDG_CONFIG_HOME").map(PathBuf::from);
        let is_linters = |name: &String| LINTERS.iter().any(|linter| name.contains(linter));
        let own = names(&home).into_iter().filter(|name| configures_checks(name));
        paths.extend(own.filter(is_linters).map(|name| home.join(name)));
        let linters = LINTERS.map(|name| format!(".config/{name}"));
        for place in IN_HOME.into_iter().chain(linters.iter().map(String::as_str)) {
            let of_config = config.as_ref().zip(place.strip_prefix(".config/"));
            let path = of_config.map_or_else(|| home.join(place), |(dir, rest)| dir.join(rest));
            let below = names(&path);
            paths.extend(below.into_iter().map(|name| path.join(name)));
            paths.push(path);
        }
    }
    // Shells that run a script read these first.
    paths.extend(
        ["BASH_ENV", "ENV"]
            .into_iter()
            .filter_map(|name| value(places.env, name))
            .map(PathBuf::from),
    );
    paths.retain(|path| !path.starts_with(places.root));
    paths.into_iter().filter_map(|path| Some((text(&path), digest(&path)?))).collect()
}

fn digest(path: &Path) -> Option<String> {
    let is_small = |found: &fs::Metadata| found.is_file() && found.len() <= MOST_BYTES;
    fs::metadata(path).ok().filter(is_small)?;
    let mut contents = ralph_files::read(path).ok()?;
    if path.ends_with(".yarnrc") {
        // Yarn stores there when it last looked for an update.
        let is_setting = |line: &&[u8]| {
            !line.trim_ascii().is_empty()
                && ![&b"#"[..], b"lastUpdateCheck "].iter().any(|note| line.starts_with(note))
        };
        let lines = contents.split_inclusive(|byte| *byte == b'\n').filter(is_setting);
        contents = lines.collect::<Vec<_>>().concat();
        if contents.is_empty() {
            return None;
        }
    }
    Some(blake3::hash(&contents).to_hex().to_string())
}

fn value<'e>(env: &'e [(OsString, OsString)], name: &str) -> Option<&'e OsString> {
    env.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
#[path = "surroundings_tests.rs"]
mod tests;
