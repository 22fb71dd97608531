//! Scripts that mend what they check: a gate must not.

use super::{check, detected};

/// Returns what is proposed for `npm test` with these scripts.
#[track_caller]
fn check_test(scripts: &str, want: &[&str]) {
    let manifest = format!(r#"{{"scripts": {{{scripts}}}}}"#);
    check(&[("package.json", &manifest)], &["npm", "npx", "node"], want);
}

#[test]
fn the_test_script_is_run_without_the_part_that_mends() {
    for (scripts, want) in [
        (r#""test": "xo --fix && ava""#, "npx --no-install -c 'xo && ava' > text"),
        (r#""test": "prettier --write . && mocha""#, "npx --no-install -c mocha > text"),
        (
            r#""test": "TZ=UTC jest -u --ci && node a""#,
            "npx --no-install -c 'TZ=UTC jest --ci && node a' > text",
        ),
        (
            r#""test": "npm run lint && npm run unit", "lint": "black .", "unit": "TZ=UTC jest""#,
            "npx --no-install -c 'npm run unit' > text",
        ),
        (
            r#""pretest": "prettier -l . --write", "test": "node --test a b""#,
            "node --test-reporter=tap --test a b > tap",
        ),
        (
            r#""test": "npm run all", "all": "yarn style && ava", "style": "xo --fix --quiet""#,
            "npx --no-install -c 'xo --quiet && ava' > text",
        ),
    ] {
        let found = detected(
            &[("package.json", &format!(r#"{{"scripts": {{{scripts}}}}}"#))],
            &["npm", "npx", "node"],
        );
        let tests = found.of(ralph_core::policy::Criterion::TestPass);
        let lines: Vec<String> = tests.map(super::line).collect();
        assert_eq!(lines, [format!("test_pass: {want}")], "{scripts}");
    }
}

#[test]
fn what_cannot_be_taken_apart_is_only_mentioned() {
    check_test(
        r#""test": "mocha; eslint . --fix""#,
        &["test_pass: npm test > text [it changes files: `mocha; eslint . --fix`]"],
    );
    check_test(
        r#""test": "prettier --write .""#,
        &["test_pass: npm test > text [it changes files: `prettier --write .`]"],
    );
    for fixer in ["black .", "clang-format -i a.c"] {
        let make = format!("test:\n\t{fixer}\n\t./run-tests\n");
        let files = [("Makefile", make.as_str())];
        check(&files, &["make"], &["test_pass: make test > text [`make test` changes files]"]);
    }
}

#[test]
fn scripts_of_other_packages_are_told_from_the_own_ones() {
    check_test(
        r#""pretest": "xo --fix", "test": "npm run test --workspaces""#,
        &["test_pass: npx --no-install -c 'xo && npm run test --workspaces' > text"],
    );
    let root =
        r#"{"workspaces": ["packages/*"], "scripts": {"test": "npm run test --workspaces"}}"#;
    let files = [
        ("package.json", root),
        ("packages/a/package.json", r#"{"scripts": {"test": "jest -u"}}"#),
    ];
    let want = "test_pass: npm test > text [it changes files: `jest -u`]";
    check(&files, &["npm", "npx"], &[want]);
}

#[test]
fn a_linter_in_a_longer_script_checks_what_the_script_names() {
    let scripts = r#""lint": "eslint --fix src && prettier --check .""#;
    let manifest = format!(r#"{{"devDependencies": {{"eslint": "9"}}, "scripts": {{{scripts}}}}}"#);
    let files = [("package.json", manifest.as_str()), ("node_modules/.bin/eslint", "")];
    let want = "lint_clean: npx --no-install eslint src --format json > eslint";
    check(&files, &["npm", "npx"], &[want]);
}
