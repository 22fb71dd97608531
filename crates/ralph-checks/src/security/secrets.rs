//! Secrets that are told by their shape, in code and in files of settings.

use std::path::Path;

use ralph_redact::{SecretShape, assigned, redact, shapes};

/// The id of the rule in findings.
pub(super) const RULE: &str = "secret-shape";

/// The word in a comment that suppresses a finding.
const SUPPRESSION: &str = "ast-grep-ignore";

/// Longer lines are not written by people.
const LONGEST: usize = 2000;

/// Endings of files that hold settings or keys.
const SETTINGS: &[&str] = &[
    "cfg",
    "conf",
    "config",
    "env",
    "ini",
    "json",
    "key",
    "pem",
    "properties",
    "tf",
    "tfvars",
    "toml",
    "xml",
    "yaml",
    "yml",
];

/// Files without such an ending that hold them, too.
const NAMES: &[&str] = &[".netrc", ".npmrc", ".pypirc", "Dockerfile", "id_ed25519", "id_rsa"];

/// A line with a secret.
pub(super) struct SecretLine {
    /// From 1.
    pub(super) line: u32,
    /// From 1.
    pub(super) column: u32,
    pub(super) kind: &'static str,
    /// The line without the secret.
    pub(super) shown: String,
    pub(super) is_suppressed: bool,
    /// True if the tests of its own file begin above it.
    pub(super) is_in_test: bool,
}

/// True if a file that is no code may hold secrets, by its name.
pub(super) fn may_hold(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_lock = name.contains("lock.") || ending == "lock";
    !is_lock
        && !is_sample(name)
        && (SETTINGS.contains(&ending) || NAMES.contains(&name) || is_environment(name))
}

/// `.env`, `.env.local`, `prod.env`.
fn is_environment(name: &str) -> bool {
    let ending = name.rsplit('.').next();
    name.starts_with(".env.") || name.contains('.') && ending == Some("env")
}

/// Files that show what another one is to look like.
fn is_sample(name: &str) -> bool {
    name.split('.').any(|part| matches!(part, "example" | "sample" | "template" | "dist"))
}

/// The lines of a file with secrets in them.
pub(super) fn find(path: &Path, contents: &str) -> Vec<SecretLine> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_rust = path.extension().is_some_and(|ending| ending == "rs");
    let (mut found, mut above, mut is_in_test) = (Vec::new(), "", false);
    for (number, line) in (1..).zip(contents.lines()) {
        is_in_test |= is_rust && line.contains("#[cfg(test)]");
        if line.len() <= LONGEST
            && let Some(shape) = first(name, line)
        {
            let is_suppressed = [above, line].iter().any(|line| line.contains(SUPPRESSION));
            found.push(SecretLine {
                line: number,
                column: u32::try_from(shape.start + 1).unwrap_or(u32::MAX),
                kind: shape.kind,
                shown: redact(line.trim()).into_owned(),
                is_suppressed,
                is_in_test,
            });
        }
        above = line;
    }
    found
}

fn first(name: &str, line: &str) -> Option<SecretShape> {
    let by_shape = shapes(line).into_iter().next();
    by_shape.or_else(|| {
        let named = is_environment(name).then(|| assigned(line));
        named.into_iter().flatten().next()
    })
}
