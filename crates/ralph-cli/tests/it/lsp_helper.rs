//! The helper that keeps language servers warm, and that nothing needs.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

use ralph_testkit::{TestProject, tools_path};

use crate::plain;

/// The real ruff; its starts are counted, and a pipe is open as long as it is.
/// Another server for Python would only make this slower.
const COUNTED: &str = "[lsp.pyright]\ncommand = \"false\"\nextensions = [\".none\"]\n\
    [lsp.ruff]\nextensions = [\".py\"]\n\
    command = [\"sh\", \"-c\", \"echo x >> $OUTSIDE/starts; exec ruff server 9>$OUTSIDE/alive\"]\n";

fn look(project: &TestProject, args: &[&str]) -> String {
    let args = [&["check", "--lsp", "a.py", "--json"], args].concat();
    let output = project.ralph(&args).env("PATH", tools_path()).output().json();
    let gates = output["gates"].as_array().unwrap();
    let ruff = gates.iter().find(|gate| gate["name"] == "ruff").unwrap();
    format!("{} {}", ruff["verdict"].as_str().unwrap(), ruff["counts"]["errors"])
}

/// Files of the project's state with this ending.
fn state(project: &TestProject, extension: &str) -> Vec<PathBuf> {
    let all = project.everything().into_iter();
    all.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

/// A pipe that is at its end when nobody who was started here is left.
fn lifeline(project: &TestProject) -> File {
    let pipe = project.outside("alive");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // For both sides, so that neither waits; the other side is closed later.
    File::options().read(true).write(true).open(pipe).unwrap()
}

fn wait_for_end(both: File, pipe: &Path) {
    let mut reader = File::open(pipe).unwrap();
    drop(both);
    reader.read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn a_helper_answers_again_with_the_same_servers_until_it_is_not_wanted() {
    let project = plain();
    project.file("a.py", "import os\n");
    project.file("ralph.toml", COUNTED);
    let alive = lifeline(&project);
    assert_eq!(look(&project, &["--warm"]), "fail 1");
    project.file("a.py", "x = 1\n");
    assert_eq!(look(&project, &["--warm"]), "pass 0");
    // One that runs is used, asked for or not.
    project.file("a.py", "x = y\n");
    assert_eq!(look(&project, &[]), "fail 1");
    assert_eq!(project.kept("starts"), "x\n");

    let sockets = state(&project, "sock");
    assert_eq!(sockets.len(), 1, "{sockets:?}");
    fs::remove_file(&sockets[0]).unwrap();
    wait_for_end(alive, &project.outside("alive"));
    // Without it the answer is the same.
    project.file("ralph.toml", COUNTED.replace(" 9>$OUTSIDE/alive", ""));
    assert_eq!(look(&project, &[]), "fail 1");
    assert_eq!(state(&project, "sock"), Vec::<PathBuf>::new());
}

#[test]
fn a_helper_with_other_settings_gives_way() {
    let project = plain();
    project.file("a.py", "import os\n");
    let alive = lifeline(&project);
    project.file("ralph.toml", COUNTED);
    assert_eq!(look(&project, &["--warm"]), "fail 1");
    project.file("ralph.toml", COUNTED.replace(".none", ".nothing"));
    assert_eq!(look(&project, &[]), "fail 1");
    assert_eq!(project.kept("starts"), "x\nx\n");
    // Both the old helper's server and the one of the look itself are gone.
    wait_for_end(alive, &project.outside("alive"));
}

#[test]
fn a_helper_that_nobody_asks_ends_and_leaves_no_socket() {
    let project = plain();
    let output = project.ralph(&["__lsp-helper", "--idle", "50"]).output().exits(0);
    assert_eq!(output.stdout, "ready\n");
    assert_eq!(state(&project, "sock"), Vec::<PathBuf>::new());
}

#[test]
fn there_is_one_helper_and_a_killed_one_makes_room() {
    let project = plain();
    let mut first = project.ralph(&["__lsp-helper"]).spawn();
    let mut said = String::new();
    BufReader::new(first.stdout.take().unwrap()).read_line(&mut said).unwrap();
    assert_eq!(said, "ready\n");
    let second = project.ralph(&["__lsp-helper", "--idle", "50"]).output().exits(1);
    assert!(second.stderr.contains("another helper is running"), "{}", second.stderr);
    first.kill().unwrap();
    first.wait().unwrap();
    let _ = project.ralph(&["__lsp-helper", "--idle", "50"]).output().exits(0);
}
