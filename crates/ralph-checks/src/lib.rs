//! Gates: checks that ralph executes itself.
//!
//! A gate turns a command into a [`GateReport`]; what the agent says about
//! the command plays no part. Missing programs give `unknown`, never `pass`.
//!
//! # Details
//!
//! - Detection asks the project first: `detect/said.rs` collects the commands of CI, task lists,
//!   hooks and the scripts they call. A linter without any sign in the project, and side folders
//!   such as `docs`, are proposed as comments.
//! - Output goes to a temporary file and is read as a stream; a collector bounds
//!   the findings, so memory does not grow with the output. Plain text is read
//!   from one pipe with both streams, because only their order tells which result
//!   belongs to which test binary.
//! - A fingerprint consists of tool, rule, file, normalised message and context,
//!   never of a line number.
//! - A gate that fails, names nothing and lacks its packages is `unknown`, with the
//!   command that installs them (`dependencies.rs`).
//! - Affected tests (`affected.rs`) can only bring a failure forward. A pass needs
//!   the whole gate.
//! - Notes with a check (`invariants.rs`) come from a function that is called when
//!   the gate runs, so retired notes no longer apply.

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
pub mod parsing;
mod project_files;
pub mod quick;
pub mod security;
mod selector;
mod together;
mod verdict;

use ralph_core::evidence::GateReport;
use ralph_core::policy::GateSpec;

pub use affected::AffectedTest;
pub use command::{CommandGate, GateContext};
pub use environment::{EnvironmentRules, NameGlob};
pub use together::{GateWatcher, run_together};
pub use verdict::test_fingerprint;

/// A check that can be executed on the present work tree.
///
/// Implementations differ in how they read the output of their command: the
/// plain one knows exit codes only, others may find failing tests and
/// diagnostics and name them in [`GateReport::failing`].
pub trait Gate: Sync {
    /// Returns the gate as it was specified.
    fn spec(&self) -> &GateSpec;

    /// Identifies the gate and its configuration: a pass on a tree is known
    /// again only for the same key.
    fn key(&self) -> String;

    /// Executes the check. Never fails: what goes wrong is part of the report.
    ///
    /// `stop` is asked several times a second whether to give up.
    fn run(&self, site: &GateContext<'_>, stop: &mut dyn FnMut() -> bool) -> GateReport;

    /// The same check for a few tests alone, to hear of a failure early;
    /// `None` if it cannot be had. That it passes means nothing.
    fn narrowed(&self, _tests: &[AffectedTest]) -> Option<Box<dyn Gate>> {
        None
    }
}
