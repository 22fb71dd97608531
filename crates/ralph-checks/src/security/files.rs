//! The choice of files to scan.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::string::FromUtf8Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ignore::WalkBuilder;

use super::pack::RulePurpose;
use super::{language, secrets};

/// Larger files are not written by hand.
const MOST_BYTES: u64 = 1024 * 1024;

/// The maximum size of a file in which notes are checked, in bytes.
const MOST_BYTES_OF_ALL: u64 = 16 * 1024 * 1024;

/// The length of a file's head in which the marks of generated files are searched.
const HEAD_BYTES: usize = 1024;

/// Files of this size have lines shorter than [`LONG_LINES`] on average,
/// unless they are minified.
const MINIFIED_BYTES: usize = 4096;
const LONG_LINES: usize = 400;

/// Folders with other people's code.
const VENDORED: &[&str] = &[
    "Carthage",
    "Pods",
    "bower_components",
    "node_modules",
    "site-packages",
    "third-party",
    "third_party",
    "vendor",
    "vendored",
    "venv",
    "virtualenv",
    ".venv",
];

/// Folders with tests and what they need.
const TEST_FOLDERS: &[&str] =
    &["__tests__", "e2e", "fixtures", "spec", "specs", "test", "testdata", "tests"];

/// The choice of files to scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScanScope {
    /// Everything below the root that git would not ignore.
    All,
    /// These, relative to the root. Those that are gone are passed over.
    Only(Vec<PathBuf>),
}

/// The numbers of scanned and skipped files, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// Were scanned.
    pub scanned: u64,
    /// Are larger than 1 MiB.
    pub large: u64,
    /// Have been made small for machines.
    pub minified: u64,
    /// Say that they were generated.
    pub generated: u64,
    /// Are not text.
    pub binary: u64,
    /// Are other people's; a folder that was not entered counts once.
    pub vendored: u64,
    /// Could not be read.
    pub unreadable: u64,
}

impl FileCounts {
    /// Returns the number of skipped files.
    pub fn skipped(self) -> u64 {
        let Self { scanned: _, large, minified, generated, binary, vendored, unreadable } = self;
        large + minified + generated + binary + vendored + unreadable
    }

    /// Takes in the counts of other files.
    pub(super) fn add(&mut self, other: Self) {
        self.scanned += other.scanned;
        self.large += other.large;
        self.minified += other.minified;
        self.generated += other.generated;
        self.binary += other.binary;
        self.vendored += other.vendored;
        self.unreadable += other.unreadable;
    }
}

/// The reason why a file was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnreadReason {
    /// The parser gave up.
    #[error("it is too much work to parse")]
    TooHard,
    /// It is larger than anything that is read.
    #[error("it is too large to read, {bytes} bytes")]
    TooLarge {
        /// The size of the file.
        bytes: u64,
    },
    /// The system does not let us.
    #[error("it cannot be read")]
    Unreadable,
    /// Its earlier contents are not known.
    #[error("what was found in it before is not known")]
    NoPast,
}

/// The text of a file that is to be scanned.
pub(super) enum ScanText {
    /// All of it.
    Worth(String),
    /// Nothing: it was not written by hand.
    PassedOver,
    /// It is not known.
    Unread(UnreadReason),
}

/// The files in a language we can parse, relative to the root and sorted.
pub(super) fn list(
    root: &Path,
    files: &ScanScope,
    purpose: RulePurpose,
) -> (Vec<PathBuf>, FileCounts) {
    let (mut found, counts) = match files {
        ScanScope::All => walk(root),
        ScanScope::Only(paths) => chosen(root, paths, purpose),
    };
    found.sort_unstable();
    found.dedup();
    (found, counts)
}

fn walk(root: &Path) -> (Vec<PathBuf>, FileCounts) {
    let vendored = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&vendored);
    let mut counts = FileCounts::default();
    let mut found = Vec::new();
    if !ralph_files::has_plain_rules(root) {
        counts.unreadable += 1;
        return (found, counts);
    }
    let mut walk = WalkBuilder::new(root);
    // Files of settings may be hidden; folders that are belong to tools.
    walk.require_git(false).hidden(false).filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_hidden = entry.file_name().as_encoded_bytes().first() == Some(&b'.');
        if entry.depth() > 0 && is_folder && is_hidden {
            return false;
        }
        let is_vendored = entry.depth() > 0 && entry.file_name().to_str().is_some_and(is_vendor);
        seen.fetch_add(u64::from(is_vendored), Ordering::Relaxed);
        !is_vendored && ralph_files::may_enter(entry.path(), entry.file_type())
    });
    for entry in walk.build() {
        let Ok(entry) = entry else {
            counts.unreadable += 1;
            continue;
        };
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        if is_file && is_scanned(entry.path()) {
            let path = entry.path();
            found.push(path.strip_prefix(root).unwrap_or(path).to_owned());
        }
    }
    counts.vendored = vendored.load(Ordering::Relaxed);
    (found, counts)
}

fn chosen(root: &Path, paths: &[PathBuf], purpose: RulePurpose) -> (Vec<PathBuf>, FileCounts) {
    let mut counts = FileCounts::default();
    let mut found = Vec::new();
    for path in paths {
        let path = path.strip_prefix(root).unwrap_or(path);
        let is_file = fs::symlink_metadata(root.join(path)).is_ok_and(|data| data.is_file());
        if !is_file || !is_scanned(path) {
            continue;
        }
        if purpose == RulePurpose::Security && is_vendored(path) {
            counts.vendored += 1;
        } else {
            found.push(path.to_owned());
        }
    }
    (found, counts)
}

/// The text of a file that is worth scanning.
///
/// Counts in `counts` whether it is, and why not. What the user wants to hold
/// is looked for wherever it may be broken: a word in a comment is no way out.
pub(super) fn read(
    root: &Path,
    path: &Path,
    purpose: RulePurpose,
    counts: &mut FileCounts,
) -> ScanText {
    let (most, is_security) = match purpose {
        RulePurpose::Security => (MOST_BYTES, true),
        RulePurpose::Invariants => (MOST_BYTES_OF_ALL, false),
    };
    let full = root.join(path);
    let bytes = match fs::metadata(&full) {
        Ok(data) if data.len() > most => {
            Err((&mut counts.large, UnreadReason::TooLarge { bytes: data.len() }))
        }
        Ok(_) => {
            ralph_files::read(&full).map_err(|_| (&mut counts.unreadable, UnreadReason::Unreadable))
        }
        Err(_) => Err((&mut counts.unreadable, UnreadReason::Unreadable)),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err((reason, why)) => {
            *reason += 1;
            return if is_security { ScanText::PassedOver } else { ScanText::Unread(why) };
        }
    };
    if let Some(reason) = machine_made(path, &bytes, counts).filter(|_| is_security) {
        *reason += 1;
        return ScanText::PassedOver;
    }
    counts.scanned += 1;
    // One bad byte must not hide the rest of a file.
    let lossy = |e: FromUtf8Error| String::from_utf8_lossy(e.as_bytes()).into_owned();
    ScanText::Worth(String::from_utf8(bytes).unwrap_or_else(lossy))
}

/// Returns the count for a file that was not written by hand.
fn machine_made<'a>(path: &Path, bytes: &[u8], counts: &'a mut FileCounts) -> Option<&'a mut u64> {
    if memchr::memchr(0, bytes).is_some() {
        Some(&mut counts.binary)
    } else if is_minified(path, bytes) {
        Some(&mut counts.minified)
    } else if is_generated(bytes) {
        Some(&mut counts.generated)
    } else {
        None
    }
}

/// True if there is anything to look for in a file of this name.
fn is_scanned(path: &Path) -> bool {
    language::of(path).is_some() || secrets::may_hold(path)
}

/// True if a file holds tests or things they need.
pub(super) fn is_test(path: &Path) -> bool {
    if folders(path).any(|folder| TEST_FOLDERS.contains(&folder)) {
        return true;
    }
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let has_end = |ends: &[&str]| ends.iter().any(|end| stem.ends_with(end));
    stem.starts_with("test_")
        || has_end(&["_test", "_tests", "_spec", "Test", "Tests", "TestCase"])
        || ["tests", "conftest"].contains(&stem)
        || [".test.", ".spec."].iter().any(|part| name.contains(part))
}

/// True if a file, by its path below the root, is other people's.
pub(crate) fn is_vendored(path: &Path) -> bool {
    folders(path).any(is_vendor)
}

fn folders(path: &Path) -> impl Iterator<Item = &str> {
    let parent = path.parent().unwrap_or(Path::new(""));
    parent.components().filter_map(|part| match part {
        Component::Normal(name) => name.to_str(),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => {
            None
        }
    })
}

fn is_vendor(folder: &str) -> bool {
    VENDORED.contains(&folder)
}

fn is_minified(path: &Path, bytes: &[u8]) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let lines = || memchr::memchr_iter(b'\n', bytes).count() + 1;
    name.contains(".min.") || (bytes.len() > MINIFIED_BYTES && bytes.len() / lines() > LONG_LINES)
}

fn is_generated(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    let has = |mark: &str| memchr::memmem::find(head, mark.as_bytes()).is_some();
    has(concat!("@gene", "rated")) || has("Code generated ") || has("DO NOT EDIT")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, contents: &[u8]) {
        let full = root.join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, contents).unwrap();
    }

    fn names(root: &Path, files: &ScanScope) -> (Vec<String>, u64) {
        let (found, counts) = list(root, files, RulePurpose::Security);
        let names = found.iter().map(|path| path.to_str().unwrap().to_owned()).collect();
        (names, counts.vendored)
    }

    #[test]
    fn ignored_and_vendored_files_are_not_listed() {
        let root = tempfile::tempdir().unwrap();
        for path in ["a.py", "b/c.js", "out/d.py", "node_modules/x/e.js", "f.txt"] {
            write(root.path(), path, b"x = 1\n");
        }
        write(root.path(), ".gitignore", b"/out/\n");
        let (found, vendored) = names(root.path(), &ScanScope::All);
        assert_eq!(found, ["a.py", "b/c.js"]);
        assert_eq!(vendored, 1);
    }

    #[test]
    fn chosen_files_are_listed_once_and_only_if_they_are_there() {
        let root = tempfile::tempdir().unwrap();
        for path in ["a.py", "vendor/b.go"] {
            write(root.path(), path, b"x\n");
        }
        let only = ["a.py", "a.py", "gone.py", "vendor/b.go", "notes.md"].map(PathBuf::from);
        let (found, vendored) = names(root.path(), &ScanScope::Only(only.to_vec()));
        assert_eq!((found, vendored), (vec!["a.py".to_owned()], 1));
    }

    #[track_caller]
    fn check_read(path: &str, contents: &[u8], want: FileCounts) {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), path, contents);
        let mut counts = FileCounts::default();
        let text = read(root.path(), Path::new(path), RulePurpose::Security, &mut counts);
        let is_worth = matches!(text, ScanText::Worth(_));
        assert_eq!((counts, is_worth), (want, want.scanned == 1), "{path}");
    }

    #[test]
    fn what_nobody_wrote_by_hand_is_passed_over_and_counted() {
        let none = FileCounts::default();
        check_read("a.py", "x = 'ä'\n".as_bytes(), FileCounts { scanned: 1, ..none });
        check_read("a.py", b"x = '\xe4'\n", FileCounts { scanned: 1, ..none });
        check_read("a.py", b"x\0y", FileCounts { binary: 1, ..none });
        check_read("a.py", &vec![b'\n'; 1024 * 1024 + 1], FileCounts { large: 1, ..none });
        check_read("a.min.js", b"x", FileCounts { minified: 1, ..none });
        check_read("a.js", &[b'x'; 5000], FileCounts { minified: 1, ..none });
        let head = b"// Code generated by a tool. DO NOT EDIT.\n";
        check_read("a.go", head, FileCounts { generated: 1, ..none });
    }

    #[test]
    fn what_must_hold_is_looked_for_in_every_file_that_is_named() {
        let root = tempfile::tempdir().unwrap();
        let mut counts = FileCounts::default();
        for (path, contents) in
            [("vendor/a.py", "# @generated\nprint(1)\n"), ("b.min.js", "x"), ("c.py", "x\0y")]
        {
            write(root.path(), path, contents.as_bytes());
            let only = ScanScope::Only(vec![path.into()]);
            let (found, _) = list(root.path(), &only, RulePurpose::Invariants);
            assert_eq!(found, [Path::new(path)]);
            let text = read(root.path(), &found[0], RulePurpose::Invariants, &mut counts);
            assert!(matches!(text, ScanText::Worth(text) if text == contents), "{path}");
        }
        assert_eq!(counts, FileCounts { scanned: 3, ..FileCounts::default() });
    }

    #[test]
    fn test_files_are_known_by_folder_or_name() {
        let tests = [
            "tests/a.py",
            "src/test/java/A.java",
            "a/__tests__/b.ts",
            "test_a.py",
            "a_test.go",
            "a.spec.ts",
            "ATest.java",
            "a_tests.rs",
            "conftest.py",
        ];
        for path in tests {
            assert!(is_test(Path::new(path)), "{path}");
        }
        for path in ["src/a.py", "latest.py", "contest.go", "attestation/a.rs", "testing.py"] {
            assert!(!is_test(Path::new(path)), "{path}");
        }
    }
}
