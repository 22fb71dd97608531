//! Real projects and real tools: what `ralph check` finds in each project
//! under `tests/projects` is what its `expected.json` says.
//!
//! Nothing is configured unless a project has a `ralph.toml`: the way from
//! detection over the command and its output to the verdict is what is shown.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a project that cannot be set up must fail its test at once"
)]

mod affected;
mod invariants;
mod summary;
pub(crate) mod tools;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ralph_testkit::TestProject;
use serde_json::Value;

use tools::Tools;

/// What a project comes to is kept here.
const EXPECTED: &str = "expected.json";

/// Declares a test for each project, with the programs it cannot do without.
macro_rules! projects {
    ($($test:ident: $folder:literal needs $tools:expr;)+) => {
        $(
            #[test]
            fn $test() {
                check($folder, &$tools);
            }
        )+

        const ALL: &[&str] = &[$($folder),+];
    };
}

projects! {
    rust_with_cargo_test_and_clippy: "rust" needs ["cargo", "cargo-clippy"];
    python_with_pytest_ruff_and_mypy: "python" needs ["python3", "pytest", "ruff", "mypy"];
    python_with_unittest_and_pyright: "python-unittest" needs ["python3", "pyright"];
    typescript_with_vitest_eslint_and_tsc: "typescript" needs ["npx", "vitest", "eslint", "tsc"];
    javascript_with_jest_biome_and_oxlint: "javascript" needs ["npx", "jest", "biome", "oxlint"];
    go_with_its_own_tools: "go" needs ["go"];
    cpp_with_cmake_and_ctest: "cpp" needs ["cmake", "ctest", "c++"];
    cpp_that_does_not_compile: "cpp-broken" needs ["cmake", "ctest", "cc"];
    ruby_with_minitest_and_rubocop: "ruby" needs ["ruby", "rubocop"];
    ruby_with_rspec: "ruby-rspec" needs ["ruby", "bundle", "rspec"];
    php_with_phpunit: "php" needs ["php", "phpunit"];
    shell_with_bats_and_shellcheck: "shell" needs ["bats", "shellcheck"];
    a_monorepo_of_go_and_node: "monorepo" needs ["go", "node", "npx", "oxlint"];
}

#[test]
fn every_project_has_a_test() {
    let folders = fs::read_dir(home()).unwrap().map(|entry| entry.unwrap().file_name());
    let folders: BTreeSet<String> = folders.map(|name| name.into_string().unwrap()).collect();
    let tested: BTreeSet<String> = ALL.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(folders, tested);
}

#[track_caller]
fn check(name: &str, needed: &[&str]) {
    let tools = Tools::with(needed);
    let project = TestProject::git(env!("CARGO_BIN_EXE_ralph"));
    fs::create_dir(project.outside("home")).unwrap();
    copy(&home().join(name), &project.root(), &tools);

    let expected = fs::read_to_string(home().join(name).join(EXPECTED)).unwrap_or_default();
    let expected: Value = serde_json::from_str(&expected).unwrap_or_default();
    let criteria = summary::criteria(&expected);
    let call = project.ralph(&["check", "--json", "--all", "--criteria", &criteria]);
    let output =
        tools.environment().into_iter().fold(call, |call, (name, value)| call.env(name, value));
    let output = output.output();
    let found = summary::of(&output.json());
    assert!(
        found == expected,
        "{name} came to something else than its {EXPECTED} says:\n{}\nall of it:\n{}\n{}",
        summary::differences(&expected, &found).join("\n"),
        summary::render(&found),
        output.stderr
    );
    let passes = summary::all_pass(&expected);
    assert_eq!(output.code, Some(i32::from(!passes)), "{}", output.stderr);
}

/// Where the projects are.
fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/projects")
}

/// Copies a project, and gives it its packages where it has any.
fn copy(from: &Path, to: &Path, tools: &Tools) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() {
            copy(&path, &to.join(name), tools);
        } else if name != EXPECTED {
            fs::copy(&path, to.join(&name)).unwrap();
        }
        if entry.file_name() == "package.json" {
            tools.link_packages(to);
        }
    }
}
