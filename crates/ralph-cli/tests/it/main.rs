//! The binary as its users meet it.

#[cfg(test)]
mod agents;
mod callers;
#[cfg(test)]
mod capturing;
mod claude_driver;
mod clients;
mod code;
mod code_asking;
mod config;
mod control;
#[cfg(test)]
mod debug_log;
mod doctor_hosts;
mod doctor_opencode;
mod every_session;
mod evidence;
mod feedback;
mod guides;
mod hands;
mod hooks;
mod hooks_arming;
#[cfg(test)]
mod hooks_edits;
mod hooks_trouble;
#[cfg(test)]
mod hooks_user;
mod hooks_waiting;
#[cfg(test)]
mod hooks_whose;
mod init;
mod install;
mod install_tools;
#[cfg(test)]
mod interruptions;
#[cfg(test)]
mod invariants;
mod judge;
mod layouts;
#[cfg(test)]
mod looking;
#[cfg(test)]
mod lsp;
#[cfg(test)]
mod lsp_helper;
#[cfg(test)]
mod lsp_trouble;
#[cfg(test)]
mod mcp;
mod memory;
#[cfg(test)]
mod memory_backup;
#[cfg(test)]
mod memory_credit;
#[cfg(test)]
mod memory_files;
#[cfg(test)]
mod memory_input;
#[cfg(test)]
mod memory_read_only;
#[cfg(test)]
mod memory_succession;
#[cfg(test)]
mod memory_trust;
#[cfg(test)]
mod memory_words;
mod noting;
mod opencode;
#[cfg(test)]
mod opencode_moving;
#[cfg(test)]
mod opencode_moving_trouble;
mod original;
mod outcomes;
#[cfg(test)]
mod outcomes_credit;
mod ownership;
mod projects;
mod promise_loop;
mod proof;
mod reading;
mod reading_damage;
mod reading_stream;
#[cfg(test)]
mod recalling;
mod reference;
mod remembering;
mod resume;
#[cfg(test)]
mod rights;
#[cfg(test)]
mod sandbox;
mod scenarios;
mod secrets;
#[cfg(test)]
mod sessions;
mod signals;
#[cfg(test)]
mod surroundings;
mod tampering;
#[cfg(test)]
mod trust;
mod undo;
mod undo_beside;
mod undo_failing;
mod undo_looking;
mod undo_outside;
mod undo_places;
mod usage;
mod usage_output;

use ralph_testkit::TestProject;

/// A project outside git.
fn plain() -> TestProject {
    TestProject::plain(env!("CARGO_BIN_EXE_ralph"))
}

/// A project in git.
fn git() -> TestProject {
    TestProject::git(env!("CARGO_BIN_EXE_ralph"))
}
