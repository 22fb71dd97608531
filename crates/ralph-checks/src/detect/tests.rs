//! Whole folders, and what is proposed for them.

mod flags;
mod mending;
mod monorepos;
mod rows;
mod single;
mod traps;

use std::fs;
use std::path::Path;

use super::*;

/// A folder with these files.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Returns the findings when these programs are on the path. A program with a slash is there when
/// its file is.
fn detected(files: &[(&str, &str)], programs: &[&str]) -> DetectedGates {
    let folder = project(files);
    detect(folder.path(), &|program: &str, dir: &Path| {
        if program.contains('/') {
            dir.join(program).is_file()
        } else {
            programs.contains(&program)
        }
    })
}

/// A proposal on one line: name, folder, command, form, what is missing.
fn line(proposal: &GateProposal) -> String {
    let command = proposal.command.display().replace("'{report}'", "{report}");
    let dir = if proposal.dir.is_empty() { String::new() } else { format!(" in {}", proposal.dir) };
    let missing = match &proposal.missing {
        Some(MissingNeed { what, install: Some(install) }) => format!(" (no {what}: {install})"),
        Some(MissingNeed { what, install: None }) => format!(" (no {what})"),
        None => String::new(),
    };
    let aside = match &proposal.standing {
        ProposalRole::Required => String::new(),
        ProposalRole::Aside(reason) | ProposalRole::Forbidden(reason) => format!(" [{reason}]"),
    };
    format!("{}{dir}: {command} > {}{missing}{aside}", proposal.name, proposal.format.name())
}

/// Exactly these are proposed, in this order.
#[track_caller]
fn check(files: &[(&str, &str)], programs: &[&str], want: &[&str]) {
    let found = detected(files, programs);
    let lines: Vec<String> = found.proposals.iter().map(line).collect();
    assert_eq!(lines, want, "{:?}", found.notices);
}
