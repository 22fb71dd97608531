//! Manifests that hold settings of runners among others.

use serde_json::Value as Json;
use toml::{Table, Value};

/// Whether a file is such a manifest.
pub(super) fn is_mixed(path: &str) -> bool {
    matches!(
        name(path),
        "package.json" | "composer.json" | "pyproject.toml" | "setup.cfg" | "Cargo.toml"
    )
}

/// A manifest in which nothing is set.
pub(super) fn empty(path: &str) -> &'static str {
    if name(path).to_ascii_lowercase().ends_with(".json") { "{}" } else { "" }
}

/// `present` with the settings of runners as `start` has them. `None` if one
/// of them cannot be read.
pub(super) fn with_runner_settings(path: &str, present: &str, start: &str) -> Option<String> {
    match name(path) {
        "package.json" | "composer.json" => json(present, start),
        "pyproject.toml" => pyproject(present, start),
        "Cargo.toml" => cargo(present, start),
        _ => Some(sections(present, start)),
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn json(present: &str, start: &str) -> Option<String> {
    const KEYS: [&str; 9] =
        ["scripts", "jest", "mocha", "vitest", "ava", "tap", "c8", "nyc", "babel"];
    let mut now: Json = serde_json::from_str(present).ok()?;
    let then: Json = serde_json::from_str(start).ok()?;
    if KEYS.iter().all(|key| now.get(key) == then.get(key)) {
        return Some(present.to_owned());
    }
    let table = now.as_object_mut()?;
    for key in KEYS {
        match then.get(key) {
            Some(value) => table.insert(key.to_owned(), value.clone()),
            None => table.remove(key),
        };
    }
    serde_json::to_string_pretty(&now).ok()
}

fn pyproject(present: &str, start: &str) -> Option<String> {
    let is_runner = |key: &str| {
        ["pytest", "coverage", "tox"].iter().any(|head| key.starts_with(head)) || key == "hatch"
    };
    replaced(present, start, |now, then| {
        let tools = |table: &Table| table.get("tool").and_then(Value::as_table).cloned();
        let (own, theirs) = (tools(now).unwrap_or_default(), tools(then).unwrap_or_default());
        let mut merged: Table = own.into_iter().filter(|(key, _)| !is_runner(key)).collect();
        merged.extend(theirs.into_iter().filter(|(key, _)| is_runner(key)));
        if merged.is_empty() {
            now.remove("tool");
        } else {
            now.insert("tool".to_owned(), Value::Table(merged));
        }
    })
}

fn cargo(present: &str, start: &str) -> Option<String> {
    replaced(present, start, |now, then| {
        // Which targets there are, and how they are tested.
        for key in ["test", "bench"] {
            set(now, then, key);
        }
        for (table, keys) in [
            ("package", &["autotests", "autobenches"][..]),
            ("lib", &["test", "doctest", "harness"]),
            ("profile", &["test"]),
        ] {
            let theirs = then.get(table).and_then(Value::as_table).cloned().unwrap_or_default();
            if let Some(own) = now.get_mut(table).and_then(Value::as_table_mut) {
                for key in keys {
                    set(own, &theirs, key);
                }
            } else if table == "profile" && theirs.contains_key("test") {
                now.insert(table.to_owned(), Value::Table(theirs));
            }
        }
        // Old tests may need what new ones do not, and the other way round.
        let mut needed = table_of(then, "dev-dependencies");
        needed.extend(table_of(now, "dev-dependencies"));
        if !needed.is_empty() {
            now.insert("dev-dependencies".to_owned(), Value::Table(needed));
        }
    })
}

fn table_of(table: &Table, key: &str) -> Table {
    table.get(key).and_then(Value::as_table).cloned().unwrap_or_default()
}

fn set(now: &mut Table, then: &Table, key: &str) {
    match then.get(key) {
        Some(value) => now.insert(key.to_owned(), value.clone()),
        None => now.remove(key),
    };
}

/// `present` after `replace`; to the letter if that changes nothing.
fn replaced(present: &str, start: &str, replace: impl Fn(&mut Table, &Table)) -> Option<String> {
    let now: Table = present.parse().ok()?;
    let then: Table = start.parse().ok()?;
    let mut next = now.clone();
    replace(&mut next, &then);
    if next == now { Some(present.to_owned()) } else { toml::to_string(&next).ok() }
}

/// The sections of a file in INI form.
fn sections(present: &str, start: &str) -> String {
    let is_runner = |section: &&str| {
        let head = section.trim_start_matches('[').to_lowercase();
        ["tool:pytest", "pytest", "coverage", "tox"].iter().any(|name| head.starts_with(name))
    };
    let (own, theirs) = (cut(present), cut(start));
    let of_runner = |all: &[&str]| -> Vec<String> {
        all.iter().copied().filter(is_runner).map(|text| text.trim().to_owned()).collect()
    };
    if of_runner(&own) == of_runner(&theirs) {
        return present.to_owned();
    }
    let rest = own.iter().copied().filter(|section| !is_runner(section)).map(str::to_owned);
    let runner = of_runner(&theirs).into_iter().map(|section| format!("\n{section}\n"));
    rest.chain(runner).collect()
}

/// Cuts a text in front of each head of a section.
fn cut(text: &str) -> Vec<&str> {
    let mut starts = vec![0];
    let heads = text.match_indices("\n[").map(|(at, _)| at + 1);
    starts.extend(heads);
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| &text[*start..end]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_runners_are_those_of_the_start_and_the_rest_is_as_it_is() {
        let start = r#"{"scripts":{"test":"jest"},"version":"1"}"#;
        let now = r#"{"scripts":{"test":"true"},"jest":{"bail":1},"version":"2","dependencies":{"a":"1"}}"#;
        let spliced: Json =
            serde_json::from_str(&with_runner_settings("package.json", now, start).unwrap())
                .unwrap();
        let want = r#"{"scripts":{"test":"jest"},"version":"2","dependencies":{"a":"1"}}"#;
        assert_eq!(spliced, serde_json::from_str::<Json>(want).unwrap());
    }

    #[test]
    fn a_manifest_whose_runner_settings_are_those_of_the_start_is_not_touched() {
        for (path, start, now) in [
            ("a/package.json", r#"{"scripts":{}}"#, "{ \"scripts\": {}, \"main\": \"a\" }"),
            (
                "pyproject.toml",
                "[tool.pytest.ini_options]\na = 1",
                "# x\n[project]\n[tool.pytest.ini_options]\na = 1",
            ),
            (
                "Cargo.toml",
                "[package]\nname = 'a'",
                "[package]\nname = 'a' # x\n[dependencies]\nb = '1'",
            ),
            (
                "setup.cfg",
                "[metadata]\na=1\n[tool:pytest]\nb=1\n",
                "[tool:pytest]\nb=1\n[metadata]\na=2\n",
            ),
        ] {
            assert_eq!(with_runner_settings(path, now, start).as_deref(), Some(now), "{path}");
        }
    }

    #[test]
    fn targets_of_cargo_and_sections_of_pytest_come_from_the_start() {
        let bent = "[package]\nname = 'a'\nautotests = false\n[lib]\ntest = false\n";
        let text =
            with_runner_settings("Cargo.toml", bent, "[package]\nname = 'a'\n[lib]\n").unwrap();
        assert!(!text.contains("autotests") && !text.contains("test = false"), "{text}");
        let bent = "[project]\n[tool.pytest.ini_options]\naddopts = '-p evil'\n";
        for start in ["[project]\n", ""] {
            let text = with_runner_settings("pyproject.toml", bent, start).unwrap();
            assert!(!text.contains("evil"), "{text}");
        }
        let start = "[metadata]\nname = a\n[tool:pytest]\ntestpaths = tests\n";
        let bent = "[metadata]\nname = b\n[tool:pytest]\naddopts = -k nothing\n";
        let text = with_runner_settings("setup.cfg", bent, start).unwrap();
        assert!(text.contains("name = b") && text.contains("testpaths = tests"), "{text}");
        assert!(!text.contains("addopts"), "{text}");
    }
}
