//! The programs that gates execute, stored at the start of a run and compared
//! later.
//!
//! An agent could control the verdict of a gate: by replacing its program, by
//! placing another one earlier on the `PATH`, or by adding a module of its name
//! to the project.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use ralph_core::evidence::WeakenedCheck;
use ralph_core::locale::Locale;
use ralph_core::policy::{GateCommand, GateSpec};
use ralph_core::wording::hands;
use ralph_proc::find_program;
use ralph_snapshot::file_stamp;
use ralph_tamper::{configures_checks, words_to_runners};
use serde::{Deserialize, Serialize};

/// The name of the list in the run's folder.
pub(crate) const FILE: &str = "programs-at-start.json";

/// Modules that come with pytest; each of them could replace it.
const PYTEST: [&str; 4] = ["pytest", "_pytest", "pluggy", "iniconfig"];

/// Words before the name of a file that a script or makefile includes.
const INCLUDES: [&str; 7] =
    [".", "source", "include", "-include", "sinclude", "import", "--env-file"];

/// Maximum number of a gate's scripts that are read, and their maximum length.
const MOST_SCRIPTS: usize = 32;
const MOST_BYTES: u64 = 256 * 1024;

/// Programs that start node, which their command line does not name.
const ON_NODE: [&str; 5] = ["npm", "npx", "pnpm", "yarn", "bunx"];

/// The places where gates look for programs.
pub(crate) struct ProgramPlaces<'a> {
    pub(crate) root: &'a Path,
    pub(crate) env: &'a [(OsString, OsString)],
}

/// The programs that gates execute at one moment.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct GatePrograms {
    found: BTreeSet<GateProgram>,
    /// Files and folders of the project with the name of a module that a gate
    /// executes, by their paths below the root.
    modules: BTreeMap<String, String>,
}

/// A program that a gate executes.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
struct GateProgram {
    /// The folder in which the gate runs, below the root.
    dir: String,
    /// The name by which the gate calls it.
    name: String,
    path: String,
    stamp: String,
}

impl GatePrograms {
    /// Returns the programs that the gates would execute now.
    pub(crate) fn now(gates: &[&GateSpec], places: &ProgramPlaces<'_>) -> Self {
        let mut programs = Self::default();
        for gate in gates {
            let words = GateWords::of(gate, places.root);
            programs.find(gate, &words, places);
            programs.find_modules(gate, &words.all(), places.root);
        }
        programs
    }

    fn find(&mut self, gate: &GateSpec, words: &GateWords, places: &ProgramPlaces<'_>) {
        let dir = places.root.join(&gate.dir);
        let path = places.env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| &**value);
        let on_node = words.command.iter().any(|word| ON_NODE.contains(&&**word));
        let more = on_node.then(|| "node".to_owned());
        // Scripts may call programs of the project that are the subject of the
        // check.
        let is_others = |found: &Path| !found.starts_with(places.root) || is_installed(found);
        let of_command = words.command.iter().chain(&more).map(|word| (word, true));
        let of_scripts = words.scripts.iter().map(|word| (word, false));
        for (word, is_of_command) in of_command.chain(of_scripts) {
            let found = find_program(OsStr::new(word), &dir, path);
            let found = found.filter(|found| is_of_command || is_others(found));
            if let Some(found) = found.filter(|_| !is_built(word)) {
                self.found.insert(GateProgram {
                    dir: gate.dir.clone(),
                    name: word.clone(),
                    path: found.to_string_lossy().into_owned(),
                    stamp: stamp(&found, places.root),
                });
            }
        }
    }

    fn find_modules(&mut self, gate: &GateSpec, words: &[String], root: &Path) {
        for module in modules(words) {
            for name in [format!("{module}.py"), module.clone()] {
                let path = Path::new(&gate.dir).join(&name);
                if root.join(&path).exists() {
                    self.modules.insert(path.to_string_lossy().into_owned(), module.clone());
                }
            }
        }
    }

    /// Returns the differences as findings.
    pub(crate) fn differing(&self, now: &Self, locale: Locale) -> Vec<WeakenedCheck> {
        let mut found = Vec::new();
        for then in &self.found {
            let is_same = |now: &&GateProgram| now.dir == then.dir && now.name == then.name;
            // A missing program makes its gate unknown.
            let Some(now) = now.found.iter().find(is_same) else { continue };
            let what = if now.path != then.path {
                hands::program_shadowed(&then.name, &then.path, locale)
            } else if now.stamp != then.stamp {
                hands::program_replaced(&then.name, locale)
            } else {
                continue;
            };
            found.push(WeakenedCheck { place: now.path.clone(), what });
        }
        for now in now.found.iter().filter(|now| is_installed(Path::new(&now.path))) {
            let is_same = |then: &GateProgram| now.dir == then.dir && now.name == then.name;
            // Without another program of its kind the check could not run
            // before.
            let other = self.found.iter().find(|then| kind(&then.name) == kind(&now.name));
            if let Some(then) = other.filter(|_| !self.found.iter().any(is_same)) {
                let what = hands::program_shadowed(&then.name, &then.path, locale);
                found.push(WeakenedCheck { place: now.path.clone(), what });
            }
        }
        let added = now.modules.iter().filter(|(path, _)| !self.modules.contains_key(*path));
        found.extend(added.map(|(place, module)| WeakenedCheck {
            place: place.clone(),
            what: hands::module_shadowed(module, locale),
        }));
        found
    }
}

/// Returns the name of a program without its folder and version: `python` for
/// `bin/python3.11`.
fn kind(name: &str) -> &str {
    let base = name.rsplit('/').next().unwrap_or(name);
    base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// Returns true if a program was installed into a project.
fn is_installed(path: &Path) -> bool {
    let folders = ["node_modules", ".venv", "venv"];
    path.iter().any(|part| folders.iter().any(|folder| part == *folder))
}

/// Returns true if a path in the project is that of a program that checks build
/// themselves. It differs from the start whenever the code does.
fn is_built(path: &str) -> bool {
    let folders = ["target", "build", "dist", "out", "obj"];
    !path.starts_with('/') && path.split('/').rev().skip(1).any(|part| folders.contains(&part))
}

/// The words of a gate that may name programs and files.
pub(crate) struct GateWords {
    /// Words of its command.
    pub(crate) command: Vec<String>,
    /// Words of the recipes and scripts of the project that it runs.
    pub(crate) scripts: Vec<String>,
    /// Words among those that name files which a script includes.
    pub(crate) included: Vec<String>,
}

impl GateWords {
    /// Reads the command and the scripts that it names.
    pub(crate) fn of(gate: &GateSpec, root: &Path) -> Self {
        let command = words(&gate.command);
        let (mut scripts, mut read) = (Vec::new(), BTreeSet::new());
        let mut next = command.clone();
        while !next.is_empty() && read.len() < MOST_SCRIPTS {
            let names: Vec<String> = next.iter().flat_map(|word| scripts_of(word)).collect();
            next.clear();
            for name in names.into_iter().filter(|name| read.insert(name.clone())) {
                let path = Path::new(&gate.dir).join(&name);
                if let Some(text) = script(root, &path) {
                    next.extend(shell_words(&text));
                }
            }
            scripts.extend(next.iter().cloned());
        }
        let is_include = |pair: &&[String]| INCLUDES.contains(&&*pair[0]);
        let included = scripts.windows(2).filter(is_include).map(|pair| pair[1].clone()).collect();
        Self { command, scripts, included }
    }

    /// Returns the words of the command and of the scripts.
    pub(crate) fn all(&self) -> Vec<String> {
        self.command.iter().chain(&self.scripts).cloned().collect()
    }
}

/// Returns the files that a word of a command may run as scripts.
fn scripts_of(word: &str) -> Vec<String> {
    let name = word.rsplit('/').next().unwrap_or(word);
    match name {
        "make" | "gmake" => ["GNUmakefile", "makefile", "Makefile"].map(str::to_owned).to_vec(),
        "just" => ["justfile", "Justfile", ".justfile"].map(str::to_owned).to_vec(),
        "npm" | "pnpm" | "yarn" | "bun" => vec!["package.json".to_owned()],
        _ if word.starts_with('/') || word.starts_with('-') => Vec::new(),
        _ => vec![word.to_owned()],
    }
}

/// Returns the commands in a file of the project, if it is a script, a makefile
/// or a manifest.
fn script(root: &Path, path: &Path) -> Option<String> {
    let is_small = |found: &fs::Metadata| found.is_file() && found.len() <= MOST_BYTES;
    fs::symlink_metadata(root.join(path)).ok().filter(is_small)?;
    let text = ralph_files::read_text(root.join(path)).ok()?;
    let shown = path.to_string_lossy();
    let is_script = configures_checks(&shown)
        || text.starts_with("#!")
        || path.extension().is_some_and(|extension| extension == "sh");
    is_script.then(|| words_to_runners(&shown, &text))
}

fn shell_words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| c.is_whitespace() || ";&|()'\"`<>=:".contains(c));
    words.filter(|word| !word.is_empty()).map(str::to_owned)
}

/// Returns the words of a command that may name programs.
fn words(command: &GateCommand) -> Vec<String> {
    match command {
        GateCommand::Argv(words) => words.clone(),
        GateCommand::Shell(text) => {
            let words = text.split(|c: char| c.is_whitespace() || ";&|()'\"`<>".contains(c));
            let words = words.filter(|word| !word.is_empty()).map(str::to_owned);
            std::iter::once("sh".to_owned()).chain(words).collect()
        }
        GateCommand::Question(_) => Vec::new(),
    }
}

/// Returns the Python modules that a command executes.
pub(crate) fn modules(words: &[String]) -> BTreeSet<String> {
    let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let on_python = words.iter().any(|word| name(word).starts_with("python"));
    let named = words.windows(2).filter(|pair| on_python && pair[0] == "-m");
    let mut modules: BTreeSet<String> = named
        .filter_map(|pair| pair[1].split('.').next())
        .filter(|module| !module.is_empty())
        .map(str::to_owned)
        .collect();
    if words.iter().any(|word| matches!(&*name(word), "pytest" | "py.test")) {
        modules.extend(PYTEST.map(str::to_owned));
    }
    modules
}

/// Returns a stamp of a program. A program in the project may have been
/// reinstalled there, so its contents count; elsewhere its metadata is enough.
fn stamp(program: &Path, root: &Path) -> String {
    let contents = program.starts_with(root).then(|| ralph_files::read(program).ok()).flatten();
    let hash = |contents: Vec<u8>| blake3::hash(&contents).to_hex().to_string();
    contents.map_or_else(|| file_stamp(program), hash)
}

#[cfg(test)]
#[path = "programs_tests.rs"]
mod tests;
