//! Compares package entries of lock files, whatever their format.
//!
//! A changed lock file permits changes only of the packages whose entries
//! changed.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

/// Returns the names of the packages whose entries differ between two versions
/// of a lock file.
pub(crate) fn changed_packages(old: &str, new: &str) -> BTreeSet<String> {
    let (old, new) = (entries(old), entries(new));
    old.symmetric_difference(&new).map(|(name, _)| plain(name)).collect()
}

/// Returns the package that a file in a folder of packages belongs to; `None`
/// for files shared by all packages.
pub(crate) fn package_of(folder: &Path, below: &Path) -> Option<String> {
    let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
    let after = |name: &str| parts.iter().rposition(|part| part == name).map(|at| at + 1);
    let is_python = after("site-packages").is_some();
    let first = after("site-packages").or_else(|| after("node_modules")).unwrap_or(0);
    let top = parts.get(first)?;
    if is_python {
        let name = top.split_once(".dist-info").map_or(&**top, |(name, _)| name);
        let name = if name.len() < top.len() { name.split('-').next()? } else { name };
        return Some(plain(name.split('.').next()?));
    }
    let is_shared = matches!(&**top, ".bin" | "bin" | "composer" | "autoload.php" | "Scripts");
    let is_scope = top.starts_with('@') || folder.ends_with("vendor");
    match parts.get(first + 1) {
        _ if is_shared => None,
        Some(second) if is_scope => Some(plain(&format!("{top}/{second}"))),
        _ => Some(plain(top)),
    }
}

/// Returns a name in the form in which package indexes compare it.
pub(crate) fn plain(name: &str) -> String {
    name.to_lowercase().replace(['_', '.'], "-")
}

/// Returns the entries of a lock file as names and contents.
fn entries(text: &str) -> BTreeSet<(String, String)> {
    if let Ok(Value::Object(tables)) = serde_json::from_str::<Value>(text) {
        let mut found = BTreeSet::new();
        tables.values().for_each(|table| add_table(table, &mut found));
        return found;
    }
    let mut blocks = vec![String::new()];
    for line in text.lines() {
        if line.trim().is_empty() {
            blocks.push(String::new());
        } else if let Some(block) = blocks.last_mut() {
            block.push_str(line.trim());
            block.push('\n');
        }
    }
    let named = blocks.into_iter().filter_map(|block| {
        let words: Vec<&str> = block.split_whitespace().collect();
        Some((name_of(&block)?, words.join(" ")))
    });
    named.collect()
}

fn add_table(table: &Value, found: &mut BTreeSet<(String, String)>) {
    match table {
        Value::Object(packages) => {
            for (key, value) in packages.iter().filter(|(_, value)| value.is_object()) {
                let name = key.rsplit("node_modules/").next().unwrap_or(key);
                found.insert((name.to_owned(), format!("{key} {value}")));
                add_table(value.get("dependencies").unwrap_or(&Value::Null), found);
            }
        }
        Value::Array(packages) => {
            let named = packages.iter().filter_map(|one| Some((one["name"].as_str()?, one)));
            found.extend(named.map(|(name, one)| (name.to_owned(), one.to_string())));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the name at the head of an entry: `name = "a"`, `a@1.0.0:`,
/// `"@b/a@^1":`, `/a@1.0.0:`.
fn name_of(block: &str) -> Option<String> {
    let named = block.lines().find_map(|line| line.strip_prefix("name = "));
    let head = named.or_else(|| block.lines().find(|line| !line.starts_with('#')))?.trim();
    let head = match head.chars().next()? {
        quote @ ('"' | '\'') => head[1..].split(quote).next()?,
        _ => head.split([',', ':', ' ']).next()?,
    };
    let head = head.strip_prefix('/').unwrap_or(head);
    let end = head.char_indices().skip(1).find(|(_, c)| *c == '@').map_or(head.len(), |(at, _)| at);
    Some(head[..end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, want: &[&str]) {
        let found = changed_packages(old, new);
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), want, "{new}");
    }

    #[test]
    fn only_packages_whose_entries_changed_are_named() {
        let npm = r#"{"lockfileVersion":3,"packages":{"":{"name":"p"},"node_modules/a":{"version":"1"}}}"#;
        check(npm, &npm.replace(':', ": "), &[]);
        check(npm, &npm.replace("\"1\"", "\"2\""), &["a"]);
        let more =
            npm.replace("}}}", "},\"node_modules/a/node_modules/@s/b\":{\"version\":\"1\"}}}");
        check(npm, &more, &["@s/b"]);
        check("{}", "{} ", &[]);
        let composer = r#"{"packages":[{"name":"o/a","version":"1"}]}"#;
        check(composer, &composer.replace("\"1\"", "\"2\""), &["o/a"]);
        let uv = "version = 1\n\n[[package]]\nname = \"pytest_mock\"\nversion = \"1\"\n\n[[package]]\nname = \"b\"\n";
        check(uv, &uv.replace("\n\n", "\n\n\n"), &[]);
        check(uv, &uv.replace("\"1\"", "\"2\""), &["pytest-mock"]);
        let yarn = "# yarn\n\na@^1, a@^1.2:\n  version \"1.2\"\n\n\"@s/b@^1\":\n  version \"1\"\n  dependencies:\n    a \"^1\"\n";
        check(yarn, &yarn.replace("\"1.2\"", "\"1.3\""), &["a"]);
        check(yarn, &yarn.replace("version \"1\"\n", "version \"2\"\n"), &["@s/b"]);
        let pnpm =
            "packages:\n\n  /a@1.0.0:\n    resolution: x\n\n  '@s/b@1.0.0':\n    resolution: y\n";
        check(pnpm, &pnpm.replace('x', "z"), &["a"]);
        check(pnpm, &pnpm.replace(" y", " z"), &["@s/b"]);
    }

    #[test]
    fn a_file_belongs_to_the_package_in_whose_folder_it_lies() {
        for (folder, path, want) in [
            ("node_modules", "a/lib/index.js", Some("a")),
            ("node_modules", "", None),
            ("web/node_modules", "@s/b/index.js", Some("@s/b")),
            ("node_modules", ".pnpm/a@1/node_modules/a/x.js", Some("a")),
            ("node_modules", ".bin/jest", None),
            (".venv", "lib/python3/site-packages/pytest_mock/a.py", Some("pytest-mock")),
            (".venv", "lib/python3/site-packages/pytest_mock-1.0.dist-info/x", Some("pytest-mock")),
            (".venv", "lib/python3/site-packages/six.py", Some("six")),
            (".venv", "lib", Some("lib")),
            ("vendor", "o/a/src/A.php", Some("o/a")),
            ("vendor", "composer/autoload_real.php", None),
        ] {
            let found = package_of(Path::new(folder), Path::new(path));
            assert_eq!(found.as_deref(), want, "{folder}/{path}");
        }
    }
}
