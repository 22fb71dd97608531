//! Rust: cargo and, where the project chose it, nextest.

use ralph_core::format::OutputFormat;
use ralph_core::policy::Criterion;

use super::draft::ProposalDraft;
use super::flags::{self, FlagRules};
use super::sight::ProjectFolder;
use super::workspace;

/// Flags that choose packages or programs, and what our own commands say.
const CARGO: FlagRules = FlagRules {
    unwanted: &[
        "--workspace",
        "--all",
        "--no-fail-fast",
        "--verbose",
        "-v",
        "-vv",
        "--quiet",
        "-q",
        "--all-targets",
        "--tests",
        "--benches",
        "--nocapture",
        "--show-output",
    ],
    unwanted_values: &["--message-format", "--color", "--jobs", "-j"],
    parts: &[
        "--package",
        "-p",
        "--exclude",
        "--lib",
        "--bin",
        "--bins",
        "--example",
        "--examples",
        "--test",
        "--bench",
        "--doc",
        "--manifest-path",
        "--target",
        "--no-run",
        "--fix",
    ],
};

/// The flags that the project passes to a command of cargo.
fn passed(folder: &ProjectFolder<'_>, call: &[&str]) -> String {
    let words = flags::said(folder, call, CARGO).map(|(words, _)| words).unwrap_or_default();
    // A word that is no flag and no value of one chooses tests by their name.
    let own = words.split(|word| word == "--").next().unwrap_or_default();
    let is_name = |at: usize| {
        let is_value = at > 0 && ["--features", "-F", "--profile"].contains(&&*own[at - 1]);
        !own[at].starts_with('-') && !is_value
    };
    if (0..own.len()).any(is_name) || words.last().is_none_or(|last| last == "--") {
        return String::new();
    }
    words.iter().flat_map(|word| [" ", word.as_str()]).collect()
}

pub(super) fn drafts(folder: &ProjectFolder<'_>) -> Vec<ProposalDraft> {
    if !folder.has("Cargo.toml") {
        return Vec::new();
    }
    let manifest = folder.toml("Cargo.toml").unwrap_or_default();
    let (scope, why) = if manifest.contains_key("workspace") {
        ("--workspace", "Cargo.toml is the root of a workspace")
    } else {
        ("", "Cargo.toml")
    };
    let nextest = folder.exists(".config/nextest.toml") && folder.has_tool("cargo-nextest");
    // All failing tests are wanted, not those of the first binary alone.
    let test = if nextest {
        let line = format!(
            "cargo nextest run {scope} --no-fail-fast{}",
            passed(folder, &["cargo", "nextest", "run"])
        );
        ProposalDraft::new(folder, Criterion::TestPass, "nextest", &line)
            .reads(OutputFormat::Nextest)
            .because(".config/nextest.toml")
    } else {
        let line =
            format!("cargo test {scope} --no-fail-fast{}", passed(folder, &["cargo", "test"]));
        ProposalDraft::new(folder, Criterion::TestPass, "cargo", &line)
            .reads(OutputFormat::Libtest)
            .because(why)
    };
    // It holds programs for `cargo fuzz`, which have no tests.
    let metadata = manifest.get("package").and_then(|package| package.get("metadata"));
    let is_fuzz = metadata.is_some_and(|metadata| metadata.get("cargo-fuzz").is_some());
    if is_fuzz {
        return vec![test.aside("it is for `cargo fuzz` and has no tests")];
    }
    let lints = manifest.get("workspace").unwrap_or(&toml::Value::Boolean(false)).get("lints");
    let lints = lints.or_else(|| manifest.get("lints"));
    let is_linted = folder.first(&["clippy.toml", ".clippy.toml"]).is_some()
        || lints.is_some_and(|lints| lints.get("clippy").is_some())
        || folder.said().mention("clippy");
    let build = format!("cargo build {scope} --message-format=json");
    let lint = format!(
        "cargo clippy {scope} --all-targets --message-format=json{}",
        passed(folder, &["cargo", "clippy"])
    );
    let lint = ProposalDraft::new(folder, Criterion::LintClean, "clippy", &lint)
        .reads(OutputFormat::Cargo)
        .because(why)
        .needs(folder, "cargo-clippy");
    vec![
        test,
        ProposalDraft::new(folder, Criterion::BuildSuccess, "cargo", &build)
            .reads(OutputFormat::Cargo)
            .because(why),
        if is_linted { lint } else { lint.unused("clippy") },
    ]
}

/// A package below the root of a workspace belongs to it, unless it is
/// excluded or a root itself.
pub(super) fn covers(root: &ProjectFolder<'_>, inner: &str) -> bool {
    let manifest = root.toml("Cargo.toml").unwrap_or_default();
    let Some(table) = manifest.get("workspace") else { return false };
    let excluded: Vec<&str> = table
        .get("exclude")
        .and_then(toml::Value::as_array)
        .map(|items| items.iter().filter_map(toml::Value::as_str).collect())
        .unwrap_or_default();
    let is_root = root.below(inner).and_then(|folder| folder.toml("Cargo.toml"));
    !workspace::lists(&excluded, inner)
        && !is_root.is_some_and(|manifest| manifest.contains_key("workspace"))
}
