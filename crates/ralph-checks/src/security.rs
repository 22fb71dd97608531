//! Finds code that can be exploited, by rules over syntax trees.
//!
//! The rules are written in ast-grep's own form; those that come with the program are in `rules/`,
//! one file each next to the cases it must and must not find. A project may add folders of its own.
//! A file is read once, parsed only if it holds the words some rule needs, and walked once for all
//! rules, only where those words are.

mod chosen;
mod context;
mod embedded;
mod files;
mod gate;
mod language;
mod needs;
mod pack;
#[cfg(test)]
mod planted_tests;
mod rules;
mod scan;
mod secrets;
mod words;

pub use chosen::{EarlierContents, MOST_EARLIER, ScanSelection};
pub(crate) use files::is_vendored;
pub use files::{FileCounts, ScanScope, UnreadReason};
pub use gate::SecurityGate;
pub(crate) use gate::{digest, tail};
pub use pack::RulePack;
pub use rules::RulesError;
pub(crate) use rules::{RuleDefinition, parse as parse_rules};
pub(crate) use scan::{FileScan, RuleHit};
pub use scan::{ScanResult, UnreadFile};

/// The name of the tool in findings.
pub const TOOL: &str = "ralph-security";
