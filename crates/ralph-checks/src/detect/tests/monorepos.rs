//! Several projects in one tree.

use super::{check, detected, line};

/// The lines of the tests alone.
#[track_caller]
fn check_tests(files: &[(&str, &str)], want: &[&str]) {
    let programs = ["cargo", "cargo-clippy", "go", "npx", "npm", "uv", "pytest", "python3"];
    let found = detected(files, &programs);
    let tests = found.proposals.iter().map(line).filter(|line| line.starts_with("test_pass"));
    assert_eq!(tests.collect::<Vec<_>>(), want, "{:?}", found.notices);
}

#[test]
fn several_ecosystems_have_gates_of_their_own() {
    check_tests(
        &[
            ("Cargo.toml", "[package]\n"),
            ("pytest.ini", ""),
            ("web/package.json", r#"{"scripts": {"test": "mocha"}}"#),
            ("services/api/go.mod", ""),
        ],
        &[
            "test_pass:cargo: cargo test --no-fail-fast > libtest",
            "test_pass:pytest: python3 -m pytest '--junitxml={report}' > junit",
            "test_pass:web in web: npm test > text",
            "test_pass:services/api in services/api: go test -json ./... > go-test",
        ],
    );
}

#[test]
fn tests_of_a_python_project_below_are_not_run_from_above() {
    let api = [
        ("services/api/pyproject.toml", "[tool.pytest.ini_options]\n"),
        ("services/api/tests/test_a.py", "def test_a(): pass\n"),
    ];
    check_tests(
        &api,
        &["test_pass in services/api: python3 -m pytest '--junitxml={report}' > junit"],
    );
    let [manifest, test] = api;
    check_tests(
        &[manifest, test, ("tests/test_b.py", "def test_b(): pass\n")],
        &[
            "test_pass:pytest: python3 -m pytest '--junitxml={report}' > junit",
            "test_pass:services/api in services/api: python3 -m pytest '--junitxml={report}' > junit",
        ],
    );
}

#[test]
fn two_tools_in_one_folder_are_told_apart() {
    let manifest = r#"{"devDependencies": {"eslint": "9", "oxlint": "1"}}"#;
    check(
        &[("web/package.json", manifest), ("api/ruff.toml", "")],
        &["npx", "ruff"],
        &[
            "lint_clean:api in api: ruff check --no-fix --output-format=json . > ruff",
            "lint_clean:web/eslint in web: npx --no-install eslint . --format json > eslint \
             (no node_modules/.bin/eslint: npm install)",
            "lint_clean:web/oxlint in web: npx --no-install oxlint --format=json > oxlint \
             (no node_modules/.bin/oxlint: npm install)",
        ],
    );
}

#[test]
fn members_of_a_cargo_workspace_belong_to_its_root() {
    check_tests(
        &[
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"fuzz\"]\n"),
            ("crates/a/Cargo.toml", "[package]\n"),
            ("fuzz/Cargo.toml", "[package]\n"),
            ("tool/Cargo.toml", "[package]\n[workspace]\n"),
        ],
        &[
            "test_pass:cargo: cargo test --workspace --no-fail-fast > libtest",
            "test_pass:fuzz/cargo in fuzz: cargo test --no-fail-fast > libtest \
             [`fuzz` is beside the project]",
            "test_pass:tool in tool: cargo test --workspace --no-fail-fast > libtest",
        ],
    );
    check_tests(
        &[("Cargo.toml", "[package]\n"), ("sub/Cargo.toml", "[package]\n")],
        &[
            "test_pass:cargo: cargo test --no-fail-fast > libtest",
            "test_pass:sub in sub: cargo test --no-fail-fast > libtest",
        ],
    );
}

#[test]
fn members_of_a_node_workspace_are_covered_by_what_the_root_does() {
    let member = r#"{"scripts": {"test": "mocha", "build": "x"}}"#;
    for (name, root, more) in [
        ("npm", r#"{"workspaces": ["packages/*"], "scripts": {"test": "turbo test"}}"#, ""),
        ("yarn", r#"{"workspaces": {"packages": ["packages/*"]}, "scripts": {"test": "x"}}"#, ""),
        ("pnpm", r#"{"scripts": {"test": "x"}}"#, "packages:\n  - packages/*\n"),
    ] {
        let manager = format!(r#"{{"packageManager": "{name}@1", {}"#, &root[1..]);
        let files = [
            ("package.json", manager.as_str()),
            ("pnpm-workspace.yaml", more),
            ("packages/a/package.json", member),
        ];
        check(
            &files,
            &["npm", "yarn", "pnpm"],
            &[
                &format!("test_pass: {name} test > text"),
                &format!("build_success in packages/a: {name} run build > text"),
            ],
        );
    }
}

#[test]
fn members_of_a_uv_workspace_belong_to_its_root() {
    let root = "[tool.uv.workspace]\nmembers = [\"libs/*\"]\n[tool.pytest.ini_options]\n";
    let files = [
        ("pyproject.toml", root),
        ("uv.lock", ""),
        ("libs/a/pyproject.toml", "[tool.pytest.ini_options]\n"),
        ("pkg/conftest.py", ""),
    ];
    check_tests(&files, &["test_pass: uv run pytest '--junitxml={report}' > junit"]);
}

#[test]
fn what_is_not_the_projects_own_is_not_looked_at() {
    let crate_file = "[package]\n";
    check_tests(
        &[
            ("go.mod", ""),
            (".gitignore", "/generated\n*.tmp/\n"),
            ("generated/Cargo.toml", crate_file),
            ("x.tmp/Cargo.toml", crate_file),
            ("node_modules/a/package.json", r#"{"scripts": {"test": "x"}}"#),
            ("vendor/a/Cargo.toml", crate_file),
            ("target/package/a/Cargo.toml", crate_file),
            ("tests/projects/a/Cargo.toml", crate_file),
            ("src/testdata/a/Cargo.toml", crate_file),
            ("examples/a/Cargo.toml", crate_file),
            (".hidden/Cargo.toml", crate_file),
            ("submodule/.git", "gitdir: x\n"),
            ("submodule/Cargo.toml", crate_file),
            ("myenv/pyvenv.cfg", ""),
            ("myenv/Cargo.toml", crate_file),
            ("a/b/c/d/Cargo.toml", crate_file),
        ],
        &["test_pass: go test -json ./... > go-test"],
    );
}

#[test]
fn an_ignored_folder_can_be_taken_back_in() {
    check_tests(
        &[
            (".gitignore", "pkg/*\n"),
            ("pkg/.gitignore", "!web\n"),
            ("pkg/web/go.mod", ""),
            ("pkg/other/go.mod", ""),
        ],
        &["test_pass in pkg/web: go test -json ./... > go-test"],
    );
}
