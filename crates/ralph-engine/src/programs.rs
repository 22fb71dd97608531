//! What gates execute: found at the start of a run, and held to later.
//!
//! Whoever replaces a program, plants another one before it on the `PATH`, or
//! gives the project a module of its name decides what the gate says.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use ralph_checks::tamper::{configures_checks, words_to_runners};
use ralph_core::evidence::Weakening;
use ralph_core::locale::Locale;
use ralph_core::policy::{GateCommand, GateSpec};
use ralph_core::wording::hands;
use ralph_proc::find_program;
use ralph_snapshot::file_stamp;
use serde::{Deserialize, Serialize};

/// The list's name in the run's folder.
pub(crate) const FILE: &str = "programs-at-start.json";

/// Modules that come with pytest; each of them could speak for it.
const PYTEST: [&str; 4] = ["pytest", "_pytest", "pluggy", "iniconfig"];

/// What stands in front of a file that a script or makefile includes.
const INCLUDES: [&str; 7] =
    [".", "source", "include", "-include", "sinclude", "import", "--env-file"];

/// The most scripts of a gate that are read, and the longest of them.
const MOST_SCRIPTS: usize = 32;
const MOST_BYTES: u64 = 256 * 1024;

/// Start node, which is not among their words.
const ON_NODE: [&str; 5] = ["npm", "npx", "pnpm", "yarn", "bunx"];

/// Where gates look for programs.
pub(crate) struct ProgramPlaces<'a> {
    pub(crate) root: &'a Path,
    pub(crate) env: &'a [(OsString, OsString)],
}

/// What gates execute at one moment.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Programs {
    found: BTreeSet<Program>,
    /// Files and folders of the project with the name of a module that a gate
    /// executes, by their paths below the root.
    modules: BTreeMap<String, String>,
}

/// A program that a gate executes.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
struct Program {
    /// Where the gate runs, below the root.
    dir: String,
    /// As the gate calls it.
    name: String,
    path: String,
    stamp: String,
}

impl Programs {
    /// What the gates would execute now.
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
        // What scripts call of the project may be what they check.
        let is_others = |found: &Path| !found.starts_with(places.root) || is_installed(found);
        let of_command = words.command.iter().chain(&more).map(|word| (word, true));
        let of_scripts = words.scripts.iter().map(|word| (word, false));
        for (word, is_of_command) in of_command.chain(of_scripts) {
            let found = find_program(OsStr::new(word), &dir, path);
            let found = found.filter(|found| is_of_command || is_others(found));
            if let Some(found) = found.filter(|_| !is_built(word)) {
                self.found.insert(Program {
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

    /// What is not as it was.
    pub(crate) fn differing(&self, now: &Self, locale: Locale) -> Vec<Weakening> {
        let mut found = Vec::new();
        for then in &self.found {
            let is_same = |now: &&Program| now.dir == then.dir && now.name == then.name;
            // One that is gone makes its gate unknown.
            let Some(now) = now.found.iter().find(is_same) else { continue };
            let what = if now.path != then.path {
                hands::program_shadowed(&then.name, &then.path, locale)
            } else if now.stamp != then.stamp {
                hands::program_replaced(&then.name, locale)
            } else {
                continue;
            };
            found.push(Weakening { place: now.path.clone(), what });
        }
        for now in now.found.iter().filter(|now| is_installed(Path::new(&now.path))) {
            let is_same = |then: &Program| now.dir == then.dir && now.name == then.name;
            // Without another one of its kind the check could not run before.
            let other = self.found.iter().find(|then| kind(&then.name) == kind(&now.name));
            if let Some(then) = other.filter(|_| !self.found.iter().any(is_same)) {
                let what = hands::program_shadowed(&then.name, &then.path, locale);
                found.push(Weakening { place: now.path.clone(), what });
            }
        }
        let added = now.modules.iter().filter(|(path, _)| !self.modules.contains_key(*path));
        found.extend(added.map(|(place, module)| Weakening {
            place: place.clone(),
            what: hands::module_shadowed(module, locale),
        }));
        found
    }
}

/// The name of a program without its folder and version: `python` for
/// `bin/python3.11`.
fn kind(name: &str) -> &str {
    let base = name.rsplit('/').next().unwrap_or(name);
    base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// Whether a program was installed into a project.
fn is_installed(path: &Path) -> bool {
    let folders = ["node_modules", ".venv", "venv"];
    path.iter().any(|part| folders.iter().any(|folder| part == *folder))
}

/// Whether a path in the project is that of a program that checks build
/// themselves, so that it differs from the start whenever the code does.
fn is_built(path: &str) -> bool {
    let folders = ["target", "build", "dist", "out", "obj"];
    !path.starts_with('/') && path.split('/').rev().skip(1).any(|part| folders.contains(&part))
}

/// The words of a gate that may name programs and files.
pub(crate) struct GateWords {
    /// Those of its command.
    pub(crate) command: Vec<String>,
    /// Those of the recipes and scripts of the project that it leads to.
    pub(crate) scripts: Vec<String>,
    /// Those of them that name what is read as a part of a script.
    pub(crate) included: Vec<String>,
}

impl GateWords {
    /// Reads what the command leads to, as far as words tell.
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

    /// All of them.
    pub(crate) fn all(&self) -> Vec<String> {
        self.command.iter().chain(&self.scripts).cloned().collect()
    }
}

/// The files that a word of a command may have read for its orders.
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

/// What a file of the project orders, if it is a script, a makefile or a
/// manifest.
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

/// The words of a command that may name programs.
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

/// The Python modules that a command executes.
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

/// Stands for a program. One that lies in the project may have been installed
/// there again, so its contents count; elsewhere a look tells.
fn stamp(program: &Path, root: &Path) -> String {
    let contents = program.starts_with(root).then(|| ralph_files::read(program).ok()).flatten();
    let hash = |contents: Vec<u8>| blake3::hash(&contents).to_hex().to_string();
    contents.map_or_else(|| file_stamp(program), hash)
}

#[cfg(test)]
#[path = "programs_tests.rs"]
mod tests;
