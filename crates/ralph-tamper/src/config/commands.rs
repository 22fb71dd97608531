//! Decides if a command that serves as a check does less than before.

/// Names of scripts and targets that serve as checks.
const CHECKS: &[&str] = &[
    "test",
    "tests",
    "lint",
    "build",
    "typecheck",
    "type-check",
    "types",
    "check",
    "tsc",
    "verify",
    "ci",
    "coverage",
    "validate",
    "e2e",
    "unit",
    "clippy",
    "fmt-check",
    "all",
];
/// The words that make a command check less, wherever they are added.
const ESCAPES: &[&str] = &[
    "||",
    ";",
    "true",
    "exit",
    "--passwithnotests",
    "--pass-with-no-tests",
    "-t",
    "--testnamepattern",
    "--testpathignorepatterns",
    "--ignore",
    "--ignore-glob",
    "--exclude",
    "--deselect",
    "-k",
    "-m",
    "--grep",
    "--invert",
    "--quiet",
    "--no-verify",
    "--skip",
    "--skip-tests",
    "-dskiptests",
    "--force",
    "--no-fail-fast",
    "--exit-zero",
    "--cap-lints",
    "-a",
    "--allow",
    "--ignore-pattern",
    "--filter",
    "--collect-only",
    "--co",
    "--silent",
    "--forceexit",
    "-short",
    "--noemitonerror",
    "--skiplibcheck",
    "--run",
    "-run",
    "-i",
    "-k.",
    "--extend-ignore",
    "--per-file-ignores",
    "--ignore-missing-imports",
    "--no-strict",
    "set",
    "+e",
    "echo",
    "--disable",
    "-x",
    "--bail",
    "--onlychanged",
    "--changed",
    "--lib",
    "--no-run",
    "--maxfail",
];
/// Of these, what only ends a run earlier and fails it all the same.
const HARMLESS: &[&str] = &["-x", "--bail", "--maxfail", "--no-fail-fast", "--silent"];

/// True if a script or target of this name serves as a check.
pub(crate) fn is_check(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let bare = name.trim_start_matches("pre").trim_start_matches("post");
    CHECKS.iter().any(|check| {
        name == *check || bare == *check || name.split([':', '-', '_']).next() == Some(check)
    })
}

/// True if `new` does less than `old`: something is missing, or an escape was added.
pub(super) fn does_less(old: &str, new: &str) -> bool {
    let (before, now) = (words(old), words(new));
    let mut rest = before.iter().peekable();
    let mut added = Vec::new();
    for word in &now {
        if rest.peek() == Some(&word) {
            rest.next();
        } else {
            added.push(word.as_str());
        }
    }
    rest.peek().is_some() || added.iter().any(|word| is_escape(word))
}

/// True if a word that was added makes a command check less.
pub(super) fn is_escape(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let flag = word.split('=').next().unwrap_or_default();
    // `-p no:…` switches a plugin off.
    (ESCAPES.contains(&flag) || flag.starts_with("no:")) && !HARMLESS.contains(&flag)
}

/// The words of a command; operators stand for themselves. `python -m` says
/// how a program is started, not what it does.
pub(super) fn words(command: &str) -> Vec<String> {
    let mut words = all_words(command);
    while let Some(at) = words.windows(2).position(|two| is_python(&two[0]) && two[1] == "-m") {
        words.drain(at..at + 2);
    }
    words
}

fn is_python(word: &str) -> bool {
    word.rsplit('/').next().is_some_and(|name| name.starts_with("python"))
}

fn all_words(command: &str) -> Vec<String> {
    command
        .replace("||", " || ")
        .replace("&&", " && ")
        .replace(';', " ; ")
        .split_whitespace()
        .map(|word| word.trim_matches(['"', '\'']).to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_lost_a_part_or_gained_an_escape_does_less() {
        for (old, new) in [
            ("jest", "jest || true"),
            ("jest --coverage", "jest"),
            ("eslint . --max-warnings 0", "eslint ."),
            ("pytest", "pytest -k 'not slow'"),
            ("pytest", "python -m pytest -m fast"),
            ("tsc --noEmit", "echo ok"),
            ("go test ./...", "go test ./a"),
        ] {
            assert!(does_less(old, new), "{old} → {new}");
        }
        for (old, new) in [
            ("jest", "jest --ci"),
            ("pytest -q", "python3 -m pytest -q"),
            (".venv/bin/python -m pytest", "pytest"),
            ("tsc", "tsc && eslint ."),
            ("eslint .", "eslint . --max-warnings 0"),
            ("cargo test", "cargo test --workspace"),
        ] {
            assert!(!does_less(old, new), "{old} → {new}");
        }
    }
}
