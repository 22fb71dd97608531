//! The Python interpreters that checks run: where each finds its modules, and
//! whether its byte code matches the sources.
//!
//! Python loads a byte code file instead of the source if its header names the
//! size and time of the source, or says that no comparison is needed. Any
//! program can write such a header.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ralph_core::policy::GateSpec;
use ralph_proc::{
    ExitReason, OutputStream, ProgramLaunch, ProgramLimits, ProgramWatcher, StreamMerging,
    Supervisor, WatcherDecision, find_program,
};
use serde::{Deserialize, Serialize};

use crate::programs::{GateWords, ProgramPlaces, modules};

const ASK: &str = include_str!("python/ask.py");
const COMPARE: &str = include_str!("python/compare.py");

/// Maximum number of interpreters of a project.
const MOST: usize = 3;

/// Time that an interpreter may take to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// Time that all comparisons of byte code may take.
const COMPARING: Duration = Duration::from_mins(10);

/// Number of byte code files that are compared at a time.
const AT_A_TIME: usize = 200;

/// The modules that an interpreter finds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct PythonSetup {
    #[serde(default)]
    pub(crate) program: PathBuf,
    /// The folders outside the project in which it looks for modules, with and
    /// without links resolved.
    pub(crate) folders: Vec<PathBuf>,
    /// The modules there, by name.
    pub(crate) modules: BTreeSet<String>,
}

/// Byte code files that are not as they should be.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ByteCodeVerdict {
    /// Files that differ from their sources.
    pub(crate) differing: BTreeSet<PathBuf>,
    /// Files that this interpreter cannot judge.
    pub(crate) unknown: BTreeSet<PathBuf>,
}

/// Returns the interpreters that these gates may run, those they name first.
pub(crate) fn interpreters(gates: &[&GateSpec], places: &ProgramPlaces<'_>) -> Vec<PathBuf> {
    let path = places.env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| &**value);
    let (mut found, mut is_named) = (Vec::<PathBuf>::new(), false);
    for gate in gates {
        let dir = places.root.join(&gate.dir);
        let words = GateWords::of(gate, places.root).all();
        is_named |= !modules(&words).is_empty();
        let programs = words.iter().filter_map(|word| find_program(OsStr::new(word), &dir, path));
        found.extend(programs.filter_map(|program| python_of(&program, &dir, path)));
    }
    let mut folders = gates.iter().map(|gate| places.root.join(&gate.dir));
    if is_named || has_python(places.root) || folders.any(|folder| has_python(&folder)) {
        let own = [".venv/bin/python", "venv/bin/python"].map(|name| places.root.join(name));
        found.extend(own.into_iter().filter(|program| program.exists()));
        found.extend(find_program(OsStr::new("python3"), places.root, path));
    }
    let mut seen = BTreeSet::new();
    found.retain(|program| seen.insert(program.clone()));
    found.truncate(MOST);
    found
}

/// Returns the program if it is a Python interpreter, or the one that its first
/// line names.
fn python_of(program: &Path, dir: &Path, path: Option<&OsStr>) -> Option<PathBuf> {
    let is_python = |path: &Path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"))
    };
    if is_python(program) {
        return Some(program.to_owned());
    }
    let mut head = Vec::new();
    fs::metadata(program).ok().filter(fs::Metadata::is_file)?;
    ralph_files::open(program).ok()?.take(512).read_to_end(&mut head).ok()?;
    let line = String::from_utf8_lossy(head.strip_prefix(b"#!")?).lines().next()?.to_owned();
    let named = line.split_whitespace().map(Path::new).find(|word| is_python(word))?;
    find_program(named.as_os_str(), dir, path)
}

/// Returns true if a folder contains Python code or its manifest.
fn has_python(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).any(|name| {
        let name = name.to_string_lossy();
        matches!(&*name, "pyproject.toml" | "setup.cfg" | "tox.ini" | "pytest.ini")
            || Path::new(&*name).extension().is_some_and(|extension| extension == "py")
    })
}

/// Starts Python interpreters.
pub(crate) struct PythonHost<'a> {
    pub(crate) supervisor: &'a Supervisor,
    pub(crate) places: ProgramPlaces<'a>,
}

impl PythonHost<'_> {
    /// Asks an interpreter for its modules; `None` if it does not answer.
    pub(crate) fn ask(&self, program: PathBuf) -> Option<PythonSetup> {
        let printed = self.run(&program, ASK, &[self.places.root.into()])?;
        let setup: PythonSetup = serde_json::from_slice(&printed).ok()?;
        Some(PythonSetup { program, ..setup })
    }

    /// Compares byte code files with their sources. A file that cannot be read
    /// to its end counts as differing; the others of its batch are tried
    /// without it.
    pub(crate) fn compare(&self, program: &Path, files: &[PathBuf]) -> ByteCodeVerdict {
        let mut verdict = ByteCodeVerdict::default();
        let began = Instant::now();
        let mut lots: Vec<&[PathBuf]> = files.chunks(AT_A_TIME).collect();
        while let Some(files) = lots.pop() {
            let root = [self.places.root.as_os_str().to_owned()];
            let paths = files.iter().map(|path| path.clone().into_os_string());
            let args: Vec<OsString> = root.into_iter().chain(paths).collect();
            let has_time = began.elapsed() < COMPARING;
            let printed = has_time.then(|| self.run(program, COMPARE, &args)).flatten();
            let Some(printed) = printed else {
                if has_time && files.len() > 1 {
                    let (one, other) = files.split_at(files.len() / 2);
                    lots.extend([one, other]);
                } else {
                    verdict.differing.extend(files.iter().cloned());
                }
                continue;
            };
            for line in String::from_utf8_lossy(&printed).lines() {
                let Some((sign, number)) = line.split_at_checked(1) else { continue };
                let Some(path) = number.parse().ok().and_then(|at: usize| files.get(at)) else {
                    continue;
                };
                let kind = if sign == "!" { &mut verdict.differing } else { &mut verdict.unknown };
                kind.insert(path.clone());
            }
        }
        verdict
    }

    fn run(&self, program: &Path, script: &str, args: &[OsString]) -> Option<Vec<u8>> {
        let head: [OsString; 2] = ["-c".into(), script.into()];
        let args = head.into_iter().chain(args.iter().cloned()).collect();
        answer(self.supervisor, &self.places, program, args)
    }
}

/// Returns the output of an interpreter; `None` if it fails.
pub(crate) fn answer(
    supervisor: &Supervisor,
    places: &ProgramPlaces<'_>,
    program: &Path,
    args: Vec<OsString>,
) -> Option<Vec<u8>> {
    let mut env = places.env.to_vec();
    // Byte code that this call writes would have to be checked, too.
    env.push(("PYTHONDONTWRITEBYTECODE".into(), "1".into()));
    let launch = ProgramLaunch {
        program: program.into(),
        args,
        dir: places.root.to_owned(),
        env,
        stdin: None,
        streams: StreamMerging::Apart,
    };
    let limits = ProgramLimits { wall: Some(PATIENCE), idle: None, grace: Duration::ZERO };
    let mut printed = InterpreterAnswer(Vec::new());
    let outcome = supervisor.run(&launch, &limits, &mut printed).ok()?;
    matches!(outcome.ending, ExitReason::Exited(0)).then_some(printed.0)
}

struct InterpreterAnswer(Vec<u8>);

impl ProgramWatcher for InterpreterAnswer {
    fn output(&mut self, stream: OutputStream, bytes: &[u8]) {
        if stream == OutputStream::Stdout {
            self.0.extend_from_slice(bytes);
        }
    }

    fn tick(&mut self) -> WatcherDecision {
        WatcherDecision::GoOn
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_python_of_a_script_is_the_one_that_its_first_line_names() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            path
        };
        let python = write("python3.11", "");
        let own = write("python3", "");
        let path = Some(folder.path().as_os_str());
        let found = |program: &Path| python_of(program, folder.path(), path);
        assert_eq!(found(&python), Some(python.clone()));
        let direct = write("pytest", &format!("#!{}\nimport pytest\n", python.display()));
        assert_eq!(found(&direct), Some(python));
        assert_eq!(found(&write("tox", "#!/usr/bin/env python3\n")), Some(own));
        assert_eq!(found(&write("make", "#!/bin/sh\n")), None);
    }
}
