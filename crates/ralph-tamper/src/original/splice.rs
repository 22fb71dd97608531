//! Manifests that hold settings of runners among others, or say where the
//! modules lie that tests load.
//!
//! Of the latter this holds: what tests of the start could load is found where
//! it was then. What is new stays, because new code may need it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value as Json;
use toml::{Table, Value};

use crate::config;

/// The keys that say where the modules of a package lie.
const ENTRIES: [&str; 3] = ["main", "exports", "imports"];

/// True if a file is such a manifest.
pub(super) fn is_mixed(path: &str) -> bool {
    matches!(
        name(path),
        "package.json" | "composer.json" | "pyproject.toml" | "setup.cfg" | "Cargo.toml" | "go.mod"
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
        "go.mod" => Some(go(present, start)),
        _ => Some(sections(present, start)),
    }
}

/// Returns the parts of a file that concern runners: of a manifest only their settings, and of its
/// scripts those that check something.
pub(super) fn runner_settings<'t>(path: &str, text: &'t str) -> Cow<'t, str> {
    if !is_mixed(path) {
        return Cow::Borrowed(text);
    }
    let settings = with_runner_settings(path, empty(path), text).unwrap_or_default();
    let Ok(Json::Object(mut table)) = serde_json::from_str(&settings) else {
        return Cow::Owned(settings);
    };
    table.retain(|key, _| !ENTRIES.contains(&key.as_str()));
    if let Some(Json::Object(scripts)) = table.get_mut("scripts") {
        keep_checks(scripts);
    }
    Cow::Owned(Json::Object(table).to_string())
}

/// Keeps the scripts that check something, and those that they call.
fn keep_checks(scripts: &mut serde_json::Map<String, Json>) {
    let mut kept: BTreeSet<String> =
        scripts.keys().filter(|name| config::is_check(name)).cloned().collect();
    loop {
        let texts: Vec<&str> = kept.iter().filter_map(|name| scripts.get(name)?.as_str()).collect();
        let is_called = |name: &&String| {
            texts.iter().any(|text| text.split_whitespace().any(|word| word == name.as_str()))
        };
        let called: BTreeSet<String> = scripts
            .keys()
            .filter(is_called)
            .filter(|name| !kept.contains(*name))
            .cloned()
            .collect();
        if called.is_empty() {
            break;
        }
        kept.extend(called);
    }
    scripts.retain(|name, _| kept.contains(name));
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn json(present: &str, start: &str) -> Option<String> {
    const KEYS: [&str; 10] =
        ["scripts", "jest", "mocha", "vitest", "ava", "tap", "c8", "nyc", "babel", "main"];
    let now: Json = serde_json::from_str(present).ok()?;
    let then: Json = serde_json::from_str(start).ok()?;
    let mut next = now.clone();
    let table = next.as_object_mut()?;
    for key in KEYS {
        match then.get(key) {
            Some(value) => table.insert(key.to_owned(), value.clone()),
            None => table.remove(key),
        };
    }
    match (then.get("exports"), now.get("exports")) {
        (Some(then), Some(now)) => table.insert("exports".to_owned(), entries(now, then)),
        (Some(then), None) => table.insert("exports".to_owned(), then.clone()),
        // Without it, every file of the package could be loaded.
        (None, _) => table.remove("exports"),
    };
    if let Some(then) = then.get("imports") {
        let none = Json::Object(serde_json::Map::new());
        let imports = entries(now.get("imports").unwrap_or(&none), then);
        table.insert("imports".to_owned(), imports);
    }
    if next == now { Some(present.to_owned()) } else { serde_json::to_string_pretty(&next).ok() }
}

/// Names of modules and where they lie: those that the start knew, be it by a
/// pattern, as it knew them.
fn entries(now: &Json, then: &Json) -> Json {
    let is_name = |name: &String| name.starts_with(['.', '#']);
    let known = then.as_object().filter(|known| known.keys().all(is_name));
    let Some((now, known)) = now.as_object().zip(known) else { return then.clone() };
    let covers = |pattern: &String, name: &str| {
        let parts = pattern.split_once('*');
        parts.is_some_and(|(head, tail)| name.starts_with(head) && name.ends_with(tail))
    };
    let is_new = |name: &str| !known.keys().any(|one| one == name || covers(one, name));
    let new = now.iter().filter(|(name, _)| is_name(name) && is_new(name));
    let all = new.chain(known).map(|(name, place)| (name.clone(), place.clone()));
    Json::Object(all.collect())
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
        for key in ["patch", "replace"] {
            set(now, then, key);
        }
        if let Some(workspace) = now.get_mut("workspace").and_then(Value::as_table_mut) {
            set(workspace, &table_of(then, "workspace"), "default-members");
        }
        put_back(now, then);
    })
}

/// Dependencies that the start had, where it found them.
fn put_back(now: &mut Table, then: &Table) {
    let elsewhere = |one: &Value, other: &Value| {
        ["path", "git", "package"].iter().any(|key| one.get(key) != other.get(key))
    };
    for (key, value) in now.iter_mut() {
        let Some((own, theirs)) = value.as_table_mut().zip(then.get(key).and_then(Value::as_table))
        else {
            continue;
        };
        if !key.ends_with("dependencies") {
            // `workspace.dependencies`, and those of a target.
            put_back(own, theirs);
            continue;
        }
        for (name, was) in theirs {
            if let Some(is) = own.get_mut(name).filter(|is| elsewhere(is, was)) {
                is.clone_from(was);
            }
        }
    }
}

/// A `go.mod` in which modules that the start needed or replaced are replaced
/// as they were then.
fn go(present: &str, start: &str) -> String {
    let known: BTreeSet<&str> =
        directives(start).into_iter().map(|(_, line)| module(line)).collect();
    let replaced = |text| -> Vec<(&str, &str)> {
        let all = directives(text).into_iter();
        all.filter(|(word, line)| *word == "replace" && known.contains(module(line))).collect()
    };
    let (now, then) = (replaced(present), replaced(start));
    if now.iter().map(|(_, line)| line).eq(then.iter().map(|(_, line)| line)) {
        return present.to_owned();
    }
    let redirected: BTreeSet<&str> = now.into_iter().map(|(_, line)| line).collect();
    let is_kept = |line: &&str| {
        let line = line.trim();
        let bare = line.strip_prefix("replace ").map_or(line, str::trim);
        !(bare.contains("=>") && redirected.contains(without_remark(bare)))
    };
    let kept = present.lines().filter(is_kept).map(|line| format!("{line}\n"));
    kept.chain(then.into_iter().map(|(_, line)| format!("replace {line}\n"))).collect()
}

/// The lines of a `go.mod` about modules, each with its word: `require` or
/// `replace`.
fn directives(text: &str) -> Vec<(&str, &str)> {
    let (mut found, mut block) = (Vec::new(), "");
    for line in text.lines().map(|line| without_remark(line.trim())) {
        let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        match (word, rest.trim()) {
            (")", _) => block = "",
            ("require" | "replace" | "exclude" | "retract", "(") => block = word,
            ("require" | "replace", rest) => found.push((word, rest)),
            _ if matches!(block, "require" | "replace") && !line.is_empty() => {
                found.push((block, line));
            }
            _ => {}
        }
    }
    found
}

fn module(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

fn without_remark(line: &str) -> &str {
    line.split("//").next().unwrap_or(line).trim_end()
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
            ("a/package.json", r#"{"scripts":{}}"#, "{ \"scripts\": {}, \"license\": \"a\" }"),
            (
                "pyproject.toml",
                "[tool.pytest.ini_options]\na = 1",
                "# x\n[project]\n[tool.pytest.ini_options]\na = 1",
            ),
            (
                "package.json",
                r##"{"imports":{"#a":"./a.js"},"exports":{".":"./a.js"}}"##,
                r##"{"imports":{"#a":"./a.js","#b":"./b.js"},"exports":{".":"./a.js","./b":"./b.js"}}"##,
            ),
            (
                "go.mod",
                "module a\n\nrequire b v1.0.0\n",
                "module a\n\nrequire (\n\tb v1.1.0\n\tc v1.0.0 // indirect\n)\n\nreplace c => ./c\n",
            ),
            (
                "Cargo.toml",
                "[dependencies]\nb = '1'\nk = { path = 'k' }",
                "[dependencies]\nb = '2'\nk = { path = 'k', features = ['x'] }\nc = { path = 'c' }",
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
        let bent = "[package]\nname = 'a'\n[workspace]\nmembers = ['b']\ndefault-members = ['b']\n";
        let text = with_runner_settings("Cargo.toml", bent, "[package]\nname = 'a'\n").unwrap();
        assert!(text.contains("members") && !text.contains("default-members"), "{text}");
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

    #[test]
    fn modules_that_tests_of_the_start_could_load_are_found_where_they_were() {
        let spliced =
            |path: &str, start: &str, now: &str| with_runner_settings(path, now, start).unwrap();
        for (start, now, want) in [
            (
                r##"{"imports":{"#eq":"./eq.js"}}"##,
                r##"{"imports":{"#eq":"./no.js","#b":"./b.js"}}"##,
                r##"{"imports":{"#b":"./b.js","#eq":"./eq.js"}}"##,
            ),
            (
                r##"{"imports":{"#*":"./lib/*.js"}}"##,
                r##"{"imports":{"#*":"./lib/*.js","#eq":"./no.js"}}"##,
                r##"{"imports":{"#*":"./lib/*.js"}}"##,
            ),
            (r#"{"exports":"./a.js"}"#, r#"{"exports":"./b.js"}"#, r#"{"exports":"./a.js"}"#),
            (
                r#"{"exports":{".":"./a.js"}}"#,
                r#"{"exports":{".":{"default":"./b.js"},"./c":"./c.js"}}"#,
                r#"{"exports":{"./c":"./c.js",".":"./a.js"}}"#,
            ),
            (r#"{"name":"a"}"#, r#"{"name":"a","main":"b","exports":"./b"}"#, r#"{"name":"a"}"#),
        ] {
            let got: Json = serde_json::from_str(&spliced("package.json", start, now)).unwrap();
            assert_eq!(got, serde_json::from_str::<Json>(want).unwrap(), "{now}");
        }
        let start = "module a\n\nrequire (\n\tb v1\n\tk v0\n)\n\nreplace k => ./k\n";
        let now = "module a\n\nrequire (\n\tb v1\n\tk v0\n)\n\nreplace (\n\tk => ./k2 // x\n\tn => ./n\n)\n\
                   replace b => ./b\n";
        let want = "module a\n\nrequire (\n\tb v1\n\tk v0\n)\n\nreplace (\n\tn => ./n\n)\nreplace k => ./k\n";
        assert_eq!(spliced("go.mod", start, now), want);
        let start = "[dependencies]\nk = { path = 'k' }\n[workspace.dependencies]\nw = '1'\n";
        let now = "[dependencies]\nk = { path = 'k2' }\n[workspace.dependencies]\nw = { path = 'w' }\n\
                   [patch.crates-io]\nb = { path = 'b' }\n";
        let got: Table = spliced("Cargo.toml", start, now).parse().unwrap();
        assert_eq!(got, start.parse::<Table>().unwrap());
    }
}
