//! State that is damaged, too new, or has no place to be.

use std::fs;
use std::path::PathBuf;

use ralph_testkit::TestProject;

use crate::plain;

/// A project with one run on record, and its database.
fn used() -> (TestProject, PathBuf) {
    let project = plain();
    project.agent("echo '<promise>DONE</promise>'");
    let _ = project.run_json("do it", &[]).exits(0);
    let database = databases(&project).remove(0);
    // What is only in the log of the database would outlive the damage.
    for end in ["-wal", "-shm"] {
        let mut side = database.clone().into_os_string();
        side.push(end);
        let _ = fs::remove_file(side);
    }
    (project, database)
}

/// The databases of runs, in order.
fn databases(project: &TestProject) -> Vec<PathBuf> {
    let is_database = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        name.starts_with("ralph.") && name.ends_with(".db")
    };
    project.everything().into_iter().filter(is_database).collect()
}

#[test]
fn a_damaged_database_stays_in_place_and_a_new_one_is_begun_loudly() {
    let (project, database) = used();
    let rubbish = "rubbish ".repeat(1000);
    fs::write(&database, &rubbish).unwrap();

    let read = project.ralph(&["status"]).output().exits(3);
    assert!(read.stderr.contains("is damaged"), "{}", read.stderr);
    assert!(read.stderr.contains(&*database.to_string_lossy()), "{}", read.stderr);

    let run = project.run_json("do it", &[]).exits(0).ends("success/claimed", 1);
    assert!(run.stderr.contains("warning:") && run.stderr.contains("left in place"));
    assert_eq!(fs::read_to_string(&database).unwrap(), rubbish);
    assert_eq!(databases(&project).len(), 2);

    let runs = project.ralph(&["runs", "--json"]).output().exits(0).json();
    assert_eq!(runs["runs"].as_array().unwrap().len(), 1);
}

#[test]
fn the_doctor_names_a_damaged_database() {
    let (project, database) = used();
    fs::write(&database, "rubbish ".repeat(1000)).unwrap();
    let output = project.ralph(&["doctor"]).output().exits(1);
    let line = output.stdout.lines().find(|line| line.contains("store")).unwrap();
    assert!(line.contains("broken") && line.contains("is damaged"), "{line}");
}

#[test]
fn a_database_of_a_newer_version_is_left_alone() {
    let (project, database) = used();
    let mut bytes = fs::read(&database).unwrap();
    // Where the file format keeps the number of the schema.
    bytes[60..64].copy_from_slice(&9999_u32.to_be_bytes());
    fs::write(&database, &bytes).unwrap();
    for args in [["status"].as_slice(), &["run", "do it", "--agent-cmd", "./agent.sh"]] {
        let output = project.ralph(args).output().exits(3);
        assert!(output.stderr.contains("9999") && output.stderr.contains("newer version"));
    }
    let doctor = project.ralph(&["doctor"]).output().exits(1);
    assert!(doctor.stdout.contains("9999"), "{}", doctor.stdout);
    assert_eq!(fs::read(&database).unwrap(), bytes);
    assert_eq!(databases(&project), [database]);
}

#[test]
fn a_state_home_that_takes_no_files_is_named_before_anything_starts() {
    let project = plain();
    project.agent("touch started; echo '<promise>DONE</promise>'").file("wall", "a file");
    let home = project.root().join("wall/state");
    let before = project.everything();
    let args = ["run", "do it", "--agent-cmd", "./agent.sh"];
    let output = project.ralph(&args).env("RALPH_HOME", &home).output().exits(3);
    assert!(output.stderr.contains(&*home.to_string_lossy()), "{}", output.stderr);
    assert!(output.stderr.contains("RALPH_HOME"), "{}", output.stderr);
    assert_eq!(project.everything(), before);
}

#[test]
fn the_doctor_finds_a_healthy_project_healthy() {
    let (project, _) = used();
    project.file("ralph.toml", "[run]\nagent_cmd = \"./agent.sh\"\n");
    let output = project.ralph(&["doctor", "--json"]).output().exits(0).json();
    let checks = output["checks"].as_array().unwrap();
    for what in ["store", "work tree", "supervisor", "settings", "agent"] {
        let check = checks.iter().find(|check| check["check"] == what).unwrap();
        assert_eq!(check["health"], "ok", "{check}");
    }
}

#[test]
fn the_doctor_names_what_a_run_would_miss() {
    let project = plain();
    for (text, word) in [
        ("[run]\nmax_iteration = 1\n", "run.max_iteration"),
        ("[run]\nagent_cmd = \"./gone.sh\"\n", "./gone.sh"),
        ("[run]\ncriteria = [\"custom:./gone.sh\"]\n", "custom-1"),
        ("[run]\ncriteria = [\"test_pass\"]\n", "test_pass"),
    ] {
        project.file("ralph.toml", text);
        let before = project.everything();
        let output = project.ralph(&["doctor"]).output().exits(1);
        let line = output.stdout.lines().find(|line| line.starts_with("broken")).unwrap();
        assert!(line.contains(word), "{line}");
        assert_eq!(project.everything(), before);
    }
}
