//! The architecture as a test: the allowed dependencies, and the things that pure crates never do.

use serde_json::Value;

use crate::cargo::Cargo;
use crate::workspace;

/// The allowed dependencies. A crate that is missing here fails the test.
///
/// `ralph-testkit` may be used in `[dev-dependencies]` only.
const MAY_USE: &[(&str, &[&str])] = &[
    ("ralph-core", &[]),
    ("ralph-redact", &[]),
    ("ralph-files", &[]),
    ("ralph-proc", &["ralph-files"]),
    ("ralph-sandbox", &["ralph-files", "ralph-proc"]),
    ("ralph-store", &["ralph-core", "ralph-redact"]),
    ("ralph-snapshot", &["ralph-core", "ralph-files"]),
    ("ralph-graph", &["ralph-core", "ralph-files", "ralph-store"]),
    ("ralph-memory", &["ralph-core", "ralph-redact", "ralph-files", "ralph-graph"]),
    ("ralph-agents", &["ralph-core", "ralph-redact", "ralph-files", "ralph-proc"]),
    ("ralph-checks", &["ralph-core", "ralph-redact", "ralph-files", "ralph-proc"]),
    ("ralph-tamper", &["ralph-core", "ralph-files", "ralph-graph", "ralph-checks"]),
    (
        "ralph-config",
        &[
            "ralph-core",
            "ralph-files",
            "ralph-proc",
            "ralph-sandbox",
            "ralph-agents",
            "ralph-checks",
        ],
    ),
    (
        "ralph-engine",
        &[
            "ralph-core",
            "ralph-redact",
            "ralph-files",
            "ralph-store",
            "ralph-agents",
            "ralph-checks",
            "ralph-tamper",
            "ralph-snapshot",
            "ralph-graph",
            "ralph-memory",
            "ralph-proc",
            "ralph-sandbox",
            "ralph-config",
        ],
    ),
    (
        "ralph-loop",
        &[
            "ralph-core",
            "ralph-redact",
            "ralph-files",
            "ralph-store",
            "ralph-agents",
            "ralph-checks",
            "ralph-tamper",
            "ralph-snapshot",
            "ralph-graph",
            "ralph-memory",
            "ralph-proc",
            "ralph-sandbox",
            "ralph-config",
            "ralph-engine",
            "ralph-mcp",
        ],
    ),
    ("ralph-mcp", &[]),
    ("ralph-testkit", &[]),
    ("xtask", &[]),
];

/// Modules that pure crates must not mention: they compute, and get everything else as input.
const NOT_IN_PURE: &[&str] = &["fs", "env", "process", "time::SystemTime", "thread", "net"];

/// Returns each crate of the workspace with its dependencies, except those for tests.
fn workspace_crates(metadata: &Value) -> Vec<(&str, Vec<&str>)> {
    let packages = metadata["packages"].as_array().unwrap();
    let own: Vec<&str> = packages.iter().map(|package| package["name"].as_str().unwrap()).collect();
    let used = |package: &'_ Value| -> Vec<&str> {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let shipped = dependencies.filter(|dependency| dependency["kind"] != "dev");
        let names = shipped.map(|dependency| dependency["name"].as_str().unwrap());
        own.iter().copied().filter(|name| names.clone().any(|used| used == *name)).collect()
    };
    packages.iter().zip(&own).map(|(package, name)| (*name, used(package))).collect()
}

fn violations(metadata: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (name, uses) in workspace_crates(metadata) {
        let Some((_, allowed)) = MAY_USE.iter().find(|(known, _)| *known == name) else {
            found.push(format!("{name} is new: give it a line in MAY_USE"));
            continue;
        };
        let wrong = uses.into_iter().filter(|used| !allowed.contains(used));
        found.extend(wrong.map(|used| format!("{name} must not depend on {used}")));
    }
    found
}

/// Returns the forbidden names in a source text, also inside `use std::{…}`.
fn outside_world(text: &str) -> Vec<&'static str> {
    let text: String = text.split_whitespace().collect();
    let groups: Vec<&str> =
        text.split("std::{").skip(1).map(|rest| rest.split(';').next().unwrap_or(rest)).collect();
    let in_group = |name: &str| {
        groups.iter().any(|group| {
            group.split(['{', '}', ',']).any(|item| {
                item.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
            })
        })
    };
    let mentions = |name: &str| text.contains(&format!("std::{name}")) || in_group(name);
    let now = text.contains("Instant::now").then_some("Instant::now");
    NOT_IN_PURE.iter().copied().filter(|name| mentions(name)).chain(now).collect()
}

#[test]
fn crates_depend_only_downwards() {
    let args = ["metadata", "--no-deps", "--format-version", "1", "--offline"];
    let printed = Cargo::new(&workspace::root(), &args).stdout().unwrap();
    let metadata: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(violations(&metadata), Vec::<String>::new());
}

#[test]
fn pure_crates_mention_nothing_of_the_outside_world() {
    let files = workspace::files(&workspace::root()).unwrap();
    let pure = ["crates/ralph-core/src/", "crates/ralph-redact/src/"];
    for file in files.iter().filter(|file| pure.iter().any(|at| file.path.starts_with(at))) {
        let found = outside_world(file.text.as_deref().unwrap());
        assert!(found.is_empty(), "{} mentions {found:?}", file.path);
    }
}

#[test]
fn an_upward_dependency_is_a_violation_and_one_for_tests_is_not() {
    let metadata = serde_json::json!({ "packages": [
        { "name": "ralph-core", "dependencies": [
            { "name": "ralph-store", "kind": null },
            { "name": "regex", "kind": null },
            { "name": "ralph-testkit", "kind": "dev" },
        ] },
        { "name": "ralph-store", "dependencies": [
            { "name": "ralph-core", "kind": null },
            { "name": "ralph-testkit", "kind": "build" },
        ] },
        { "name": "ralph-testkit", "dependencies": [] },
        { "name": "ralph-new", "dependencies": [] },
    ] });
    let want = [
        "ralph-core must not depend on ralph-store",
        "ralph-store must not depend on ralph-testkit",
        "ralph-new is new: give it a line in MAY_USE",
    ];
    assert_eq!(violations(&metadata), want);
}

#[test]
fn the_outside_world_is_seen_in_every_way_to_import_it() {
    assert_eq!(outside_world("use std::fs;\nlet now = Instant::now();"), ["fs", "Instant::now"]);
    assert_eq!(outside_world("use std::{\n    fmt,\n    env,\n};"), ["env"]);
    assert_eq!(outside_world("use std::{time::SystemTime, fmt};"), ["time::SystemTime"]);
    assert!(outside_world("use std::{fmt, time::Duration};\nuse std::collections;").is_empty());
}
