use std::fs;

use std::time::Duration;

use super::*;

fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ralph.toml");
    fs::write(&path, text).unwrap();
    (dir, path)
}

#[track_caller]
fn refused(text: &str, want: &str) {
    let (_dir, path) = file(text);
    let error = SettingLayers::default().add_file(&path).unwrap_err().to_string();
    let tail = error.rsplit('/').next().unwrap();
    assert!(tail.starts_with(want), "{text}: {tail}");
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_its_neighbour() {
    refused(
        "[run]\npromise = \"X\"\nmax_iteration = 3\n",
        "ralph.toml:3: unknown key `run.max_iteration`; did you mean `run.max_iterations`?",
    );
    refused("zebra = 1\n", "ralph.toml:1: unknown key `zebra`");
    refused(
        "[gates.custom]\ncommand = \"x\"\n",
        "ralph.toml:2: unknown key `gates.custom.command`; put `custom:COMMAND` or `custom:sh:SCRIPT` into `run.criteria`",
    );
    refused(
        "[gates.tests]\ncommand = \"x\"\n",
        "ralph.toml:1: unknown key `gates.tests`; a gate has the name of its criterion (test_pass, ",
    );
}

#[test]
fn a_syntax_error_is_named_with_line_and_column() {
    let (_dir, path) = file("[run]\npromise = \n");
    let error = SettingLayers::default().add_file(&path).unwrap_err().to_string();
    assert!(error.contains("ralph.toml:2:11: "), "{error}");
}

#[test]
fn a_bad_value_is_named_with_its_place() {
    refused(
        "[run]\nmax_duration = \"soon\"\n",
        "ralph.toml:2: `run.max_duration`: `soon` is not a duration of some length; write a number and a unit, such as 90s, 30m or 1h30m",
    );
}

#[test]
fn later_layers_win_and_origins_are_kept() {
    let (_dir, path) = file("[run]\nmax_iterations = 3\nmax_duration = \"5m\"\n");
    let mut layers = SettingLayers::default();
    layers.add_file(&path).unwrap();
    layers.add_variables(&|name| (name == "RALPH_MAX_ITERATIONS").then(|| "7".to_owned())).unwrap();
    assert_eq!(layers.get("run.max_iterations"), Some(&SettingValue::Count(7)));
    assert_eq!(layers.get("run.max_duration"), Some(&SettingValue::Span(Duration::from_mins(5))));
    let origins: Vec<String> = layers.iter().map(|(_, _, origin)| origin.to_string()).collect();
    assert!(origins[0].ends_with("ralph.toml:3"), "{origins:?}");
    assert_eq!(origins[1], "RALPH_MAX_ITERATIONS");
}

#[test]
fn a_missing_file_adds_nothing() {
    let mut layers = SettingLayers::default();
    layers.add_file(Path::new("/nonexistent/ralph.toml")).unwrap();
    assert_eq!(layers, SettingLayers::default());
}

#[test]
fn a_bad_variable_is_named() {
    let error = SettingLayers::default()
        .add_variables(&|name| (name == "RALPH_TRUST").then(|| "blind".to_owned()))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "RALPH_TRUST: `run.trust`: `blind` is not one of claim, evidence"
    );
}
