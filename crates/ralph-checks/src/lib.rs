//! Gates: checks that ralph executes itself.
//!
//! A gate turns a command into a [`GateReport`]; what the agent says about
//! the command plays no part. Missing programs give `unknown`, never `pass`.

mod affected;
mod command;
mod dependencies;
pub mod detect;
mod environment;
pub mod formats;
pub mod invariants;
pub mod judge;
pub mod lsp;
mod output;
mod parsing;
mod project_files;
pub mod quick;
pub mod security;
mod selector;
pub mod tamper;
mod together;
mod verdict;

use ralph_core::evidence::GateReport;
use ralph_core::policy::GateSpec;

pub use affected::AffectedTest;
pub use command::{CommandGate, Site};
pub use environment::{EnvironmentRules, NameGlob};
pub use project_files::{VisibleFiles, byte_code_folders, is_passed_over};
pub use together::{GateWatcher, run_together};
pub use verdict::test_fingerprint;

/// A check that can be executed on the present work tree.
///
/// Implementations differ in how they read the output of their command: the
/// plain one knows exit codes only, others may find failing tests and
/// diagnostics and name them in [`GateReport::failing`].
pub trait Gate: Sync {
    /// What was asked for.
    fn spec(&self) -> &GateSpec;

    /// Identifies the gate and its configuration: a pass on a tree is known
    /// again only for the same key.
    fn key(&self) -> String;

    /// Executes the check. Never fails: what goes wrong is part of the report.
    ///
    /// `stop` is asked several times a second whether to give up.
    fn run(&self, site: &Site<'_>, stop: &mut dyn FnMut() -> bool) -> GateReport;

    /// The same check for a few tests alone, to hear of a failure early;
    /// `None` if it cannot be had. That it passes means nothing.
    fn narrowed(&self, _tests: &[AffectedTest]) -> Option<Box<dyn Gate>> {
        None
    }
}
