//! The binary as its users meet it.

mod promise_loop;

use ralph_testkit::Project;

/// A project outside git.
fn plain() -> Project {
    Project::plain(env!("CARGO_BIN_EXE_ralph"))
}

/// A project in git.
fn git() -> Project {
    Project::git(env!("CARGO_BIN_EXE_ralph"))
}
