//! Rules about Cargo manifests and the lock file.

use toml::{Table, Value};

use crate::finding::RuleViolation;

/// Most packages of others in the lock file. Raise it together with the reason for a new dependency.
const MAX_PACKAGES: usize = 249;

/// Lints that must stay denied, because tidy relies on them.
const DENIED: &[&str] = &["wildcard_enum_match_arm", "allow_attributes", "too_many_lines"];

/// Checks a manifest or the lock file; other files have no findings.
pub(super) fn check(path: &str, text: &str) -> Vec<RuleViolation> {
    match path {
        "Cargo.lock" => lock(path, text),
        "Cargo.toml" => root(path, text),
        // Projects below `tests/` are independent.
        _ if path.starts_with("tests/") => Vec::new(),
        _ if path.ends_with("/Cargo.toml") => member(path, text),
        _ => Vec::new(),
    }
}

fn lock(path: &str, text: &str) -> Vec<RuleViolation> {
    let packages = text.lines().filter(|line| line.starts_with("source = ")).count();
    if packages <= MAX_PACKAGES {
        return Vec::new();
    }
    let what = format!("{packages} packages of others, at most {MAX_PACKAGES}");
    vec![RuleViolation::new(
        path,
        1,
        what,
        "drop a dependency, or raise MAX_PACKAGES with a reason",
    )]
}

fn root(path: &str, text: &str) -> Vec<RuleViolation> {
    let manifest = match text.parse::<Table>() {
        Ok(manifest) => manifest,
        Err(error) => return vec![not_toml(path, &error)],
    };
    let level = |lint: &&&str| {
        let lints = manifest.get("workspace")?.get("lints")?.get("clippy")?;
        let value = lints.get(**lint)?;
        value.as_str().or_else(|| value.get("level")?.as_str())
    };
    let weak = DENIED.iter().filter(|lint| !matches!(level(lint), Some("deny" | "forbid")));
    weak.map(|lint| {
        let line = line_of(text, lint);
        RuleViolation::new(path, line, format!("`{lint}` is not denied"), "set it to \"deny\"")
    })
    .collect()
}

fn member(path: &str, text: &str) -> Vec<RuleViolation> {
    let manifest = match text.parse::<Table>() {
        Ok(manifest) => manifest,
        Err(error) => return vec![not_toml(path, &error)],
    };
    let inherits = manifest.get("lints").and_then(|lints| lints.get("workspace"));
    if inherits == Some(&Value::Boolean(true)) {
        return Vec::new();
    }
    let what = "does not inherit the lints of the workspace";
    vec![RuleViolation::new(
        path,
        line_of(text, "[lints"),
        what,
        "add `[lints]` `workspace = true`",
    )]
}

fn not_toml(path: &str, error: &toml::de::Error) -> RuleViolation {
    RuleViolation::new(path, 1, error.message(), "correct the manifest")
}

/// Returns the number of the first line that starts with `start`, else 1.
fn line_of(text: &str, start: &str) -> usize {
    text.lines().position(|line| line.trim_start().starts_with(start)).map_or(1, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINTS: &str = "[workspace.lints.clippy]\nwildcard_enum_match_arm = \"deny\"\n\
         allow_attributes = { level = \"forbid\", priority = 1 }\ntoo_many_lines = \"deny\"\n";

    #[test]
    fn the_workspace_must_deny_the_lints_tidy_relies_on() {
        assert_eq!(check("Cargo.toml", LINTS), []);
        let weaker = LINTS.replace("arm = \"deny\"", "arm = \"warn\"");
        let found = check("Cargo.toml", &weaker);
        assert_eq!((found.len(), found[0].line), (1, 2));
        assert_eq!(check("Cargo.toml", "[workspace]\n").len(), DENIED.len());
    }

    #[test]
    fn a_member_that_does_not_inherit_the_lints_is_found() {
        let path = "crates/a/Cargo.toml";
        assert_eq!(check(path, "[package]\n[lints]\nworkspace = true\n"), []);
        assert_eq!(check(path, "[package]\n").len(), 1);
        assert_eq!(check(path, "[package]\n[lints]\nworkspace = false\n")[0].line, 2);
        assert_eq!(check("tests/code/rust/project/Cargo.toml", "[package]\n"), []);
    }

    #[test]
    fn a_lock_file_over_the_ceiling_is_found() {
        let package = "[[package]]\nname = \"a\"\nsource = \"registry\"\n\n";
        assert_eq!(check("Cargo.lock", &package.repeat(MAX_PACKAGES)), []);
        assert_eq!(check("Cargo.lock", &package.repeat(MAX_PACKAGES + 1)).len(), 1);
    }

    #[test]
    fn a_manifest_that_is_not_toml_is_found() {
        assert_eq!(check("crates/a/Cargo.toml", "[package").len(), 1);
        assert_eq!(check("Cargo.toml", "[package").len(), 1);
    }
}
