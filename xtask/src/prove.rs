//! `cargo xtask prove`: tests that are too slow for every change.
//!
//! The areas that a change affects are proven before it is done.

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::failure::TaskFailure;
use crate::scope::TestScope;
use crate::table::TextTable;
use crate::{bench, evidence, say, stress, test, tools, workspace, yardstick};

/// Folder of the tests with real clients; each subfolder is an area.
const CLIENTS: &str = "crates/ralph-cli/tests/it/clients";

/// An area that can be proven separately.
struct Area {
    name: String,
    about: &'static str,
    proof: AreaProof,
}

/// The way to prove an area.
enum AreaProof {
    /// All tests with this in their path, including slow ones.
    Tests(String),
    /// Another task.
    Task(fn(&[String]) -> Result<(), TaskFailure>),
}

/// Lists all areas, the clients first.
fn areas(root: &Path) -> Result<Vec<Area>, TaskFailure> {
    let folder = root.join(CLIENTS);
    let entries = fs::read_dir(&folder).map_err(|error| TaskFailure::io(&folder, &error))?;
    let folders = entries.flatten().filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> =
        folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    let client = |name: String| Area {
        proof: AreaProof::Tests(format!("clients::{name}::")),
        about: "every case with this real client",
        name,
    };
    let task = |name: &str, about, task| Area {
        name: name.to_owned(),
        about,
        proof: AreaProof::Task(task),
    };
    let others = [
        task("stress", "kill loops, contention, floods and full disks, in full", stress::run),
        task("evidence", "cheats are caught and honest changes are not", evidence::run),
        task(
            "attacks",
            "what an agent does to ralph itself proves nothing",
            evidence::attacks::run,
        ),
        task("code", "the code graph beside ctags and language servers", yardstick::run),
        Area {
            name: "memory".to_owned(),
            about: "no note is lost by damage, and what is shown of a project's past matters",
            proof: AreaProof::Tests("memory::prove::".to_owned()),
        },
        Area {
            name: "sandbox".to_owned(),
            about: "no escape from a sandbox, except those that the manual lists",
            proof: AreaProof::Tests("sandbox::".to_owned()),
        },
        task("speed", "every benchmark within its budget", bench::run),
    ];
    Ok(names.into_iter().map(client).chain(others).collect())
}

/// Proves the named areas, or all of them, and prints which hold.
pub(crate) fn run(args: &[String]) -> Result<(), TaskFailure> {
    let root = workspace::root();
    let mut table = TextTable::new(&["area", "result", "seconds", ""]);
    let mut broken = Vec::new();
    for area in choose(areas(&root)?, args)? {
        say::line(&format!("\n==> {}: {}", area.name, area.about));
        let started = Instant::now();
        let result = match &area.proof {
            AreaProof::Tests(path) => tests(&root, path),
            AreaProof::Task(task) => task(&[]),
        };
        let word = if result.is_ok() { "ok" } else { "FAILED" };
        let seconds = format!("{:.1}", started.elapsed().as_secs_f64());
        table.row([area.name.as_str(), word, &seconds, area.about]);
        if let Err(failure) = result {
            say::error(&format!("{}: {failure}", area.name));
            broken.push(area.name);
        }
    }
    say::line(&format!("\n{}", table.render()));
    if broken.is_empty() {
        return Ok(());
    }
    Err(TaskFailure::Failed(format!("not proven: {}", broken.join(", "))))
}

/// Selects the named areas; all if none is named.
fn choose(areas: Vec<Area>, names: &[String]) -> Result<Vec<Area>, TaskFailure> {
    if let Some(unknown) = names.iter().find(|name| areas.iter().all(|area| area.name != **name)) {
        let known: Vec<&str> = areas.iter().map(|area| area.name.as_str()).collect();
        let known = known.join(", ");
        return Err(TaskFailure::Usage(format!("no area `{unknown}`; there are {known}")));
    }
    let is_named = |area: &Area| names.is_empty() || names.contains(&area.name);
    Ok(areas.into_iter().filter(is_named).collect())
}

/// Runs all tests with this in their path, including slow ones.
fn tests(root: &Path, path: &str) -> Result<(), TaskFailure> {
    let tools = tools::install(root, tools::ToolSet::Proofs)?;
    test::run_tests(root, &TestScope::Workspace, Some(&tools), &[path]).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::LONG_TESTS;

    #[test]
    fn without_names_every_area_is_proven_and_an_unknown_one_is_a_usage_error() {
        let chosen = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            let areas = choose(areas(&workspace::root())?, &names)?;
            Ok(areas.into_iter().map(|area| area.name).collect::<Vec<_>>())
        };
        assert!(chosen(&[]).unwrap().len() >= 5);
        assert_eq!(chosen(&["speed"]), Ok(vec!["speed".to_owned()]));
        assert!(matches!(chosen(&["sped"]), Err(TaskFailure::Usage(_))));
    }

    #[test]
    fn every_long_test_belongs_to_an_area() {
        let folder = LONG_TESTS.replace("::", "/");
        let areas = areas(&workspace::root()).unwrap();
        let paths: Vec<String> = areas
            .iter()
            .filter_map(|area| match &area.proof {
                AreaProof::Tests(path) => Some(format!("/{}", path.replace("::", "/"))),
                AreaProof::Task(_) => None,
            })
            .collect();
        let files = workspace::files(&workspace::root()).unwrap();
        let long: Vec<&str> = files
            .iter()
            .map(|file| file.path.as_str())
            .filter(|path| path.starts_with("crates/") && path.contains(&folder))
            .collect();
        assert!(long.len() > 5, "{long:?}");
        for path in long {
            assert!(paths.iter().any(|area| path.contains(area)), "no area runs {path}");
        }
    }
}
