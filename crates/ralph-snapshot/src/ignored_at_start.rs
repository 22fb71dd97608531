//! The ignore rules at the start of a run, as one list.
//!
//! A later rule could hide a test, or the file that makes all tests pass. So a
//! run uses only the rules of its start. Later rules count only for output of
//! builds and installations, which is too much to be recorded.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ignore::{WalkBuilder, WalkState};

use crate::path_bytes;

/// Names of output folders. They never hold tests or their settings.
const OUTPUT: [&str; 15] = [
    "node_modules",
    "bower_components",
    "target",
    "dist",
    "build",
    "out",
    "obj",
    "coverage",
    "htmlcov",
    "venv",
    "env",
    "vendor",
    "Pods",
    "DerivedData",
    "__pycache__",
];

/// Dot folders with settings of checks. Other dot folders hold caches and
/// plugins of tools.
const SETTINGS: [&str; 7] = [".cargo", ".config", ".github", ".mvn", ".yarn", ".bundle", ".jest"];

/// Returns true if later rules may hide a file: it is output, or may hold
/// secrets.
pub(crate) fn may_be_hidden(path: &[u8]) -> bool {
    let path = path_bytes::from_bytes(path);
    let folders = path.parent().into_iter().flat_map(Path::iter);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_noise = [".pyc", ".log", ".o", ".class"].iter().any(|end| name.ends_with(end));
    folders.into_iter().any(is_output) || is_noise || name == ".env" || name.starts_with(".env.")
}

/// Returns true if a folder of this name holds output or belongs to a tool.
pub(crate) fn is_output(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let of_a_tool = name.starts_with('.') && !SETTINGS.contains(&&*name);
    of_a_tool || OUTPUT.contains(&&*name)
}

/// Returns all rules for the files below `root`, in git's order. `first` are
/// those outside the work tree; of the others the deepest takes precedence.
pub(crate) fn gather<'a>(root: &Path, first: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut text = b"# what was ignored when the run began\n".to_vec();
    for rules in first {
        text.extend(rules);
        text.push(b'\n');
    }
    let mut folders = folders(root);
    folders.sort_by_cached_key(|folder| (folder.iter().count(), folder.clone()));
    for folder in folders {
        let rules = ralph_files::read(root.join(&folder).join(".gitignore")).unwrap_or_default();
        let rules = rules.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&rules);
        for line in rules.split(|byte| *byte == b'\n') {
            text.extend(from_root(&path_bytes::to_bytes(&folder), line));
            text.push(b'\n');
        }
    }
    text
}

/// Returns the folders with rules that are not ignored themselves.
fn folders(root: &Path) -> Vec<PathBuf> {
    let found = Mutex::new(Vec::new());
    if !ralph_files::has_plain_rules(root) {
        return Vec::new();
    }
    let mut builder = WalkBuilder::new(root);
    builder.hidden(false).follow_links(false).parents(false).require_git(false).ignore(false);
    builder.filter_entry(|item| {
        item.file_name() != ".git" && ralph_files::may_enter(item.path(), item.file_type())
    });
    builder.build_parallel().run(|| {
        Box::new(|item| {
            let item = item.ok().filter(|item| item.file_type().is_some_and(|kind| kind.is_dir()));
            if let Some(item) = item
                && item.path().join(".gitignore").is_file()
                && let Ok(folder) = item.path().strip_prefix(root)
            {
                found.lock().unwrap_or_else(PoisonError::into_inner).push(folder.to_owned());
            }
            WalkState::Continue
        })
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Rewrites a rule of `folder` as a rule of the root.
fn from_root(folder: &[u8], line: &[u8]) -> Vec<u8> {
    let (sign, rule) = match line.strip_prefix(b"!") {
        Some(rule) => (&b"!"[..], rule),
        None => (&b""[..], line),
    };
    if folder.is_empty() || rule.trim_ascii().is_empty() || line.starts_with(b"#") {
        return line.to_vec();
    }
    let name = rule.trim_ascii_end();
    let is_anchored = name.strip_suffix(b"/").unwrap_or(name).contains(&b'/');
    let special = |byte: &u8| matches!(byte, b'\\' | b'*' | b'?' | b'[');
    let escaped = |byte: &u8| if special(byte) { vec![b'\\', *byte] } else { vec![*byte] };
    let folder: Vec<u8> = folder.iter().flat_map(escaped).collect();
    let below = if is_anchored { &b"/"[..] } else { &b"/**/"[..] };
    [sign, b"/", &folder, below, rule.strip_prefix(b"/").unwrap_or(rule)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_of_a_folder_says_the_same_from_the_root() {
        for (folder, line, want) in [
            ("", "*.log", "*.log"),
            ("a", "*.log", "/a/**/*.log"),
            ("a/b", "/x", "/a/b/x"),
            ("a", "x/", "/a/**/x/"),
            ("a", "x/y", "/a/x/y"),
            ("a", "!keep", "!/a/**/keep"),
            ("a[1]", "x", "/a\\[1]/**/x"),
            ("a", "# said", "# said"),
            ("a", "", ""),
        ] {
            let found = from_root(folder.as_bytes(), line.as_bytes());
            assert_eq!(String::from_utf8_lossy(&found), want, "{folder} {line}");
        }
    }

    #[test]
    fn output_may_be_hidden_and_tests_may_not() {
        for path in [
            "target/a",
            "web/node_modules/x/y.js",
            "a.pyc",
            ".env",
            ".venv/x",
            ".tool/package.json",
        ] {
            assert!(may_be_hidden(path.as_bytes()), "{path}");
        }
        for path in [
            ".cargo/config.toml",
            "conftest.py",
            "tests/a.py",
            "src/out.rs",
            "pytest.ini",
            "target",
        ] {
            assert!(!may_be_hidden(path.as_bytes()), "{path}");
        }
    }
}
