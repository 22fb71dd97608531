//! Calls of `ralph memory` as tests make them.

use ralph_testkit::{Output, Project};
use serde_json::Value;

/// What comes of a call.
pub(crate) fn memory(project: &Project, args: &[&str]) -> Output {
    project.ralph(&[&["memory"], args].concat()).output()
}

/// The answer to a call in JSON.
#[track_caller]
pub(crate) fn json_of(project: &Project, args: &[&str]) -> Value {
    memory(project, &[args, &["--json"]].concat()).exits(0).json()
}

/// Adds a note and says which id it has.
#[track_caller]
pub(crate) fn add(project: &Project, args: &[&str]) -> String {
    let answer = json_of(project, &[&["add"], args].concat());
    answer["note"]["id"].as_str().unwrap_or_default().to_owned()
}

/// The answer to a call for people.
#[track_caller]
pub(crate) fn said(project: &Project, args: &[&str]) -> String {
    memory(project, args).exits(0).stdout
}
