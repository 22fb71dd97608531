//! The customary paths of tests, recorded results and data for tests.

use std::collections::HashSet;

use super::ParsedFilePair;
use super::kind::{Tampering, TamperingKind};
use super::language::FileLanguage;

/// The evidence that a test runner collects a file. Ordered: a test that moves to a lower one may
/// not be run any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CollectionEvidence {
    /// It does not.
    No,
    /// Only if it is told to: nothing but the contents suggests it.
    ByContents,
    /// Because of the folder it is in, with some runners.
    ByFolder,
    /// Because of its name, or because tests are marked as such inside.
    ByName,
}

/// True if a file holds tests or only serves them, by the customs of its ecosystem. Rust files with
/// tests inside are not recognised by their name.
pub fn is_test_file(path: &str) -> bool {
    let Some(language) = FileLanguage::of(path) else { return false };
    let (_, stem) = split(path);
    match language {
        FileLanguage::Rust => {
            in_folder(path, &["tests"])
                || matches!(stem, "tests" | "test")
                || ["_test", "_tests"].iter().any(|end| stem.ends_with(end))
        }
        FileLanguage::Python => {
            stem == "conftest"
                || stem == "tests"
                || collection(path) != CollectionEvidence::No
                || in_folder(path, &["tests", "test", "testing"])
        }
        FileLanguage::Java | FileLanguage::Kotlin => {
            has_test_class_name(stem) || path.contains("src/test/") || in_folder(path, &["test"])
        }
        FileLanguage::CSharp => {
            has_test_class_name(stem)
                || path.split('/').rev().skip(1).any(|folder| {
                    folder.ends_with("Tests") || folder.ends_with(".Test") || folder == "tests"
                })
        }
        FileLanguage::JavaScript
        | FileLanguage::TypeScript
        | FileLanguage::Tsx
        | FileLanguage::Go
        | FileLanguage::C
        | FileLanguage::Cpp
        | FileLanguage::Ruby
        | FileLanguage::Php
        | FileLanguage::Shell
        | FileLanguage::Bats => collection(path) != CollectionEvidence::No,
    }
}

/// True if a file holds results that were recorded to be compared with.
pub fn is_snapshot(path: &str) -> bool {
    let (name, _) = split(path);
    ["snap", "ambr", "golden", "snapshot"]
        .iter()
        .any(|end| name.rsplit_once('.').is_some_and(|(_, extension)| extension == *end))
        || name.contains(".approved.")
        || name.contains(".verified.")
        || in_folder(path, &["__snapshots__"])
}

/// True if a file is data for tests.
pub fn is_fixture(path: &str) -> bool {
    if is_snapshot(path) {
        return false;
    }
    is_in_fixtures(path)
        || (FileLanguage::of(path).is_none()
            && in_folder(path, &["tests", "test", "spec", "__tests__"])
            && !super::config::is_config(path))
}

fn is_in_fixtures(path: &str) -> bool {
    in_folder(path, &["fixtures", "__fixtures__", "testdata", "test_data", "test-data"])
}

/// True if a file that is in no snapshot decides by its name what checks report. Other data among
/// tests may be their output.
pub fn decides_checks(path: &str) -> bool {
    (FileLanguage::of(path).is_some() && super::is_material(path))
        || is_snapshot(path)
        || is_in_fixtures(path)
        || is_runner_config(path)
}

/// True if a file configures nothing but a runner of tests.
pub fn is_runner_config(path: &str) -> bool {
    const HEADS: &[&str] = &[
        "jest.config",
        "vitest.",
        "playwright.config",
        "karma.conf",
        ".mocharc",
        "pytest.",
        ".pytest.",
        "phpunit.xml",
    ];
    let (name, _) = split(path);
    // Minitest loads every plugin that it finds.
    let is_plugin = name.ends_with("_plugin.rb") && path.contains("minitest/");
    is_plugin
        || matches!(name, ".rspec" | ".rspec-local")
        || HEADS.iter().any(|head| name.starts_with(head))
}

/// True if a runner of checks, or a tool that chooses its version, would read a file of this name,
/// even above the project.
pub fn configures_checks(path: &str) -> bool {
    const OTHERS: &[&str] = &[
        "conftest.py",
        "go.work",
        "rust-toolchain",
        "rust-toolchain.toml",
        ".npmrc",
        ".yarnrc",
        ".yarnrc.yml",
        ".swcrc",
        ".python-version",
        ".node-version",
        ".ruby-version",
        ".nvmrc",
        ".tool-versions",
    ];
    let (name, _) = split(path);
    is_runner_config(path)
        || super::config::is_config(path)
        || is_startup_module(path)
        || OTHERS.contains(&name)
        || [".babelrc", "babel.config."].iter().any(|head| name.starts_with(head))
}

/// True if Python loads a module before anything else, without being asked.
pub fn is_startup_module(path: &str) -> bool {
    let (name, _) = split(path);
    matches!(name.split('.').next(), Some("sitecustomize" | "usercustomize"))
}

/// True if everything in the folder of a file is there for tests.
pub(super) fn is_test_folder(path: &str) -> bool {
    const FOLDERS: &[&str] =
        &["test", "tests", "__tests__", "__mocks__", "e2e", "cypress", "testing", "testdata"];
    in_folder(path, FOLDERS)
        || path.contains("src/test/")
        || (in_folder(path, &["spec"]) && FileLanguage::of(path).is_some())
}

/// Returns the evidence that a test runner collects a file.
pub(super) fn collection(path: &str) -> CollectionEvidence {
    let Some(language) = FileLanguage::of(path) else { return CollectionEvidence::No };
    if is_passed_over(path, language) {
        return CollectionEvidence::No;
    }
    let (name, stem) = split(path);
    let by_folder = |folders: &[&str]| {
        if in_folder(path, folders) { CollectionEvidence::ByFolder } else { CollectionEvidence::No }
    };
    let starts = |heads: &[&str]| heads.iter().any(|head| stem.starts_with(head));
    let ends = |tails: &[&str]| tails.iter().any(|tail| stem.ends_with(tail));
    let named = match language {
        FileLanguage::Python => starts(&["test_"]) || ends(&["_test"]) || name == "tests.py",
        FileLanguage::JavaScript | FileLanguage::TypeScript | FileLanguage::Tsx => {
            ends(&[".test", ".spec", "-test", "_test", ".e2e", ".cy"])
                || starts(&["test-"])
                || stem == "test"
        }
        FileLanguage::Go => ends(&["_test"]),
        FileLanguage::Java | FileLanguage::Kotlin => has_test_class_name(stem),
        FileLanguage::Rust | FileLanguage::CSharp | FileLanguage::Bats => true,
        FileLanguage::C | FileLanguage::Cpp => {
            starts(&["test_", "tests_", "test-"]) || ends(&["_test", "_tests", "-test", "Test"])
        }
        FileLanguage::Ruby => starts(&["test_"]) || ends(&["_test", "_spec"]),
        FileLanguage::Php => ends(&["Test"]),
        FileLanguage::Shell => starts(&["test_", "test-"]) || ends(&["_test", "-test"]),
    };
    if named {
        return CollectionEvidence::ByName;
    }
    match language {
        FileLanguage::JavaScript | FileLanguage::TypeScript | FileLanguage::Tsx => {
            by_folder(&["__tests__", "test", "tests", "spec", "e2e", "cypress"])
        }
        FileLanguage::Java | FileLanguage::Kotlin => CollectionEvidence::ByFolder,
        FileLanguage::C | FileLanguage::Cpp => by_folder(&["test", "tests"]),
        FileLanguage::Ruby => by_folder(&["test", "spec"]),
        FileLanguage::Php => by_folder(&["tests", "test", "Tests"]),
        FileLanguage::Rust
        | FileLanguage::Python
        | FileLanguage::Go
        | FileLanguage::CSharp
        | FileLanguage::Shell
        | FileLanguage::Bats => CollectionEvidence::No,
    }
}

/// True if runners do not even look there.
pub(super) fn is_passed_over(path: &str, language: FileLanguage) -> bool {
    let (_, stem) = split(path);
    let hidden = |part: &str| part.starts_with('.');
    match language {
        FileLanguage::Python => path.rsplit_once('/').is_some_and(|(dir, _)| {
            dir.split('/').any(|part| hidden(part) || matches!(part, "node_modules" | "_darcs"))
        }),
        FileLanguage::JavaScript | FileLanguage::TypeScript | FileLanguage::Tsx => {
            in_folder(path, &["node_modules"])
        }
        FileLanguage::Go => {
            path.split('/').any(|part| hidden(part) || part.starts_with('_'))
                || in_folder(path, &["testdata", "vendor"])
                || is_for_another_system(stem)
        }
        FileLanguage::Rust
        | FileLanguage::Java
        | FileLanguage::Kotlin
        | FileLanguage::C
        | FileLanguage::Cpp
        | FileLanguage::CSharp
        | FileLanguage::Ruby
        | FileLanguage::Php
        | FileLanguage::Shell
        | FileLanguage::Bats => false,
    }
}

/// True if Go builds a file for one system only, and not for the usual ones.
fn is_for_another_system(stem: &str) -> bool {
    const SYSTEMS: &[&str] = &[
        "aix",
        "android",
        "dragonfly",
        "freebsd",
        "illumos",
        "ios",
        "js",
        "netbsd",
        "openbsd",
        "plan9",
        "solaris",
        "wasip1",
        "windows",
    ];
    let stem = stem.strip_suffix("_test").unwrap_or(stem);
    stem.split('_').skip(1).any(|part| SYSTEMS.contains(&part))
}

/// Reports recorded results and data for tests that are gone or edited.
pub(super) fn lost_files(pairs: &[ParsedFilePair<'_>]) -> Vec<Tampering> {
    let present: HashSet<&str> =
        pairs.iter().filter_map(|pair| pair.new.as_ref()).map(|new| &*new.text).collect();
    let mut found = Vec::new();
    for pair in pairs {
        let Some(old) = &pair.old else { continue };
        let kinds = if is_snapshot(old.path) {
            (TamperingKind::SnapshotDeleted, TamperingKind::SnapshotChanged)
        } else if is_fixture(old.path) {
            (TamperingKind::FixtureDeleted, TamperingKind::FixtureChanged)
        } else {
            continue;
        };
        match &pair.new {
            Some(new) if new.text != old.text => found.push(Tampering::new(new.path, 1, kinds.1)),
            None if !present.contains(&*old.text) => {
                found.push(Tampering::new(old.path, 1, kinds.0));
            }
            Some(_) | None => {}
        }
    }
    found
}

/// True for names that surefire and others take for a class with tests.
fn has_test_class_name(stem: &str) -> bool {
    stem.starts_with("Test")
        || ["Test", "Tests", "TestCase", "Spec", "IT"].iter().any(|end| stem.ends_with(end))
}

/// The name of a file, and the name without its last extension.
pub(super) fn split(path: &str) -> (&str, &str) {
    let name = path.rsplit('/').next().unwrap_or(path);
    (name, name.rsplit_once('.').map_or(name, |(stem, _)| stem))
}

fn in_folder(path: &str, folders: &[&str]) -> bool {
    path.rsplit_once('/').is_some_and(|(dir, _)| dir.split('/').any(|part| folders.contains(&part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_files_are_told_by_the_customs_of_their_ecosystem() {
        for path in [
            "tests/parser.rs",
            "src/parser_tests.rs",
            "tests/test_a.py",
            "pkg/a_test.py",
            "conftest.py",
            "src/a.test.ts",
            "src/__tests__/a.js",
            "a.spec.tsx",
            "pkg/a_test.go",
            "src/test/java/a/ATest.java",
            "app/src/test/kotlin/Helper.kt",
            "test/test_a.cpp",
            "spec/a_spec.rb",
            "tests/ATest.php",
            "A.Tests/Sums.cs",
            "test/a.bats",
        ] {
            assert!(is_test_file(path), "{path}");
        }
        for path in [
            "src/lib.rs",
            "src/latest.py",
            "src/contest.ts",
            "a.go",
            "src/main/java/A.java",
            "lib/a.rb",
            "README.md",
            "tests/README.md",
        ] {
            assert!(!is_test_file(path), "{path}");
        }
    }

    #[test]
    fn settings_of_runners_are_told_by_their_names_wherever_they_are() {
        for path in [
            "pytest.ini",
            "conftest.py",
            "tox.ini",
            "pyproject.toml",
            "package.json",
            ".npmrc",
            ".babelrc.js",
            ".rspec-local",
            "rules.mk",
            "jest.config.js",
            ".cargo/config.toml",
            "sitecustomize.py",
        ] {
            assert!(configures_checks(path), "{path}");
        }
        for path in ["notes.txt", "a.py", "data.json", ".bashrc", "config.toml", "script.sh"] {
            assert!(!configures_checks(path), "{path}");
        }
    }

    #[test]
    fn a_name_that_no_runner_collects_is_no_test() {
        assert_eq!(collection("a_test_disabled.py"), CollectionEvidence::No);
        assert_eq!(collection("tests/a_test.py.bak"), CollectionEvidence::No);
        assert_eq!(collection("tests/a.test.disabled.ts"), CollectionEvidence::ByFolder);
        assert_eq!(collection("a_tests.go"), CollectionEvidence::No);
        for path in [
            ".old/test_a.py",
            "node_modules/a.test.ts",
            "testdata/a_test.go",
            "_a_test.go",
            "_old/a_test.go",
            "a_windows_test.go",
        ] {
            assert_eq!(collection(path), CollectionEvidence::No, "{path}");
        }
        assert_eq!(collection("a_linux_test.go"), CollectionEvidence::ByName);
        assert_eq!(collection("windows_test.go"), CollectionEvidence::ByName);
    }
}
