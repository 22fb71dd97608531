//! What a check came to, without what differs from run to run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::{Value, json};

/// The gates by name: command, verdict, counts, findings and tests.
pub(crate) fn of(check: &Value) -> Value {
    let gates = check["gates"].as_array().cloned().unwrap_or_default();
    let gates = gates.iter().map(|gate| (text(&gate["name"]), gate_summary(gate)));
    gates.collect::<serde_json::Map<_, _>>().into()
}

/// The criteria of all gates, as the command line takes them. Builds come
/// first, for only the first of several builds shows its warnings.
pub(crate) fn criteria(gates: &Value) -> String {
    let names = gates.as_object().into_iter().flat_map(|gates| gates.keys());
    let names: BTreeSet<&str> = names.map(|name| name.split(':').next().unwrap_or(name)).collect();
    names.into_iter().collect::<Vec<_>>().join(",")
}

/// Whether every gate passes.
pub(crate) fn all_pass(gates: &Value) -> bool {
    let mut gates = gates.as_object().into_iter().flat_map(|gates| gates.values());
    gates.all(|gate| gate["verdict"] == "pass")
}

/// What is expected and not there, and the other way round, a line each.
pub(crate) fn differences(expected: &Value, found: &Value) -> Vec<String> {
    let lines = |value: &Value| -> BTreeSet<String> {
        render(value).lines().map(|line| line.trim_end_matches(',').to_owned()).collect()
    };
    let (expected, found) = (lines(expected), lines(found));
    let missing = expected.difference(&found).map(|line| format!("- {line}"));
    missing.chain(found.difference(&expected).map(|line| format!("+ {line}"))).collect()
}

/// The form of `expected.json`: a line for each finding and each test.
pub(crate) fn render(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, 0, &mut out);
    out.push('\n');
    out
}

fn gate_summary(gate: &Value) -> Value {
    let findings =
        gate["findings"].as_array().into_iter().flatten().map(|finding| {
            ["tool", "rule", "level", "file", "line"].map(|key| finding[key].clone())
        });
    json!({
        "command": gate["command"],
        "verdict": gate["verdict"],
        "counts": gate["counts"],
        "findings": sorted(findings.map(Value::from)),
        "tests": tests_summary(&gate["tests"]),
    })
}

/// The ids of the tests, and for those that failed also the place.
fn tests_summary(tests: &Value) -> Value {
    let Some(outcomes) = tests["outcomes"].as_object() else { return Value::Null };
    let places: BTreeMap<String, &Value> = tests["failures"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|failure| (text(&failure["id"]), failure))
        .collect();
    let of = |state: &str| {
        let ids: Vec<&String> =
            outcomes.iter().filter(|(_, value)| *value == state).map(|(id, _)| id).collect();
        // Every test that is counted has to be known by its id.
        assert_eq!(tests[state], ids.len(), "{state} tests without an id: {tests}");
        ids
    };
    let failed = of("failed").into_iter().map(|id| {
        let place = places.get(id.as_str());
        let field = |key: &str| place.map_or(Value::Null, |place| place[key].clone());
        json!([id, field("file"), field("line")])
    });
    json!({
        "passed": sorted(of("passed").into_iter().map(|id| json!(id))),
        "failed": sorted(failed),
        "skipped": sorted(of("skipped").into_iter().map(|id| json!(id))),
    })
}

fn sorted(values: impl Iterator<Item = Value>) -> Value {
    let mut values: Vec<Value> = values.collect();
    values.sort_by_key(ToString::to_string);
    values.into()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Tables a line for each field, lists a line for each item; all else as it is.
fn write_value(value: &Value, depth: usize, out: &mut String) {
    let (indent, close) = ("  ".repeat(depth + 1), "  ".repeat(depth));
    let fields = value.as_object().filter(|fields| !fields.values().all(Value::is_number));
    let items = value.as_array().filter(|items| !items.is_empty());
    if let Some(fields) = fields {
        out.push_str("{\n");
        for (index, (key, field)) in fields.iter().enumerate() {
            let _ = write!(out, "{indent}{}: ", json!(key));
            write_value(field, depth + 1, out);
            out.push_str(if index + 1 < fields.len() { ",\n" } else { "\n" });
        }
        let _ = write!(out, "{close}}}");
    } else if let Some(items) = items {
        let items: Vec<String> = items.iter().map(|item| format!("{indent}{item}")).collect();
        let _ = write!(out, "[\n{}\n{close}]", items.join(",\n"));
    } else {
        let _ = write!(out, "{value}");
    }
}
