//! Calls of `ralph memory` as tests make them.

use ralph_testkit::{CommandOutput, TestProject};
use serde_json::Value;

/// What comes of a call.
pub(crate) fn memory(project: &TestProject, args: &[&str]) -> CommandOutput {
    project.ralph(&[&["memory"], args].concat()).output()
}

/// The answer to a call in JSON.
#[track_caller]
pub(crate) fn json_of(project: &TestProject, args: &[&str]) -> Value {
    memory(project, &[args, &["--json"]].concat()).exits(0).json()
}

/// Adds a note and says which id it has.
#[track_caller]
pub(crate) fn add(project: &TestProject, args: &[&str]) -> String {
    let answer = json_of(project, &[&["add"], args].concat());
    answer["note"]["id"].as_str().unwrap_or_default().to_owned()
}

/// The answer to a call for people.
#[track_caller]
pub(crate) fn said(project: &TestProject, args: &[&str]) -> String {
    memory(project, args).exits(0).stdout
}
