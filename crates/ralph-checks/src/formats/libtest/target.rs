//! Names test binaries so that the names stay when nothing about them changed.

use std::collections::HashMap;

/// The binaries cargo announced so far.
#[derive(Debug, Default)]
pub(super) struct TestBinaryTracker {
    /// The crate that binaries belong to now.
    package: String,
    last: TestBinaryKind,
    /// The name of the present binary; `None` before the first.
    name: Option<String>,
    /// The number of times each name was announced.
    seen: HashMap<String, u32>,
    /// Blocks without any announcement so far.
    unannounced: u32,
}

/// The origin of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TestOrigin {
    /// Functions.
    Code,
    /// Examples in comments.
    Documentation,
}

/// Kinds of binaries in the order in which cargo runs those of one package.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum TestBinaryKind {
    Lib,
    Bin,
    Test,
    Bench,
    Example,
    #[default]
    Doc,
}

impl TestBinaryTracker {
    /// Takes in a line if it announces a binary, and says so.
    pub(super) fn note_header(&mut self, line: &str) -> bool {
        let text = line.trim_start();
        if text.len() == line.len() {
            return false;
        }
        if let Some(name) = text.strip_prefix("Doc-tests ") {
            self.last = TestBinaryKind::Doc;
            self.announce(format!("{}::doc", name.trim()));
            return true;
        }
        let Some(rest) = text.strip_prefix("Running ") else { return false };
        let Some((kind, name)) = binary(rest) else { return false };
        // Within a package the kinds come in order, so a step back is a new
        // package. Only its first binary tells how it is called.
        if kind == TestBinaryKind::Lib || kind < self.last || self.name.is_none() {
            name.clone_into(&mut self.package);
        }
        self.last = kind;
        let package = &self.package;
        let full = match kind {
            TestBinaryKind::Lib => name.to_owned(),
            // Binaries share one folder, so their names are unique by themselves.
            TestBinaryKind::Bin => format!("bin/{name}"),
            TestBinaryKind::Test => format!("{package}::{name}"),
            TestBinaryKind::Bench => format!("{package}::bench/{name}"),
            TestBinaryKind::Example => format!("{package}::example/{name}"),
            TestBinaryKind::Doc => return false,
        };
        self.announce(full);
        true
    }

    /// The name for a block of tests that begins now.
    pub(super) fn start_block(&mut self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        self.unannounced += 1;
        if self.unannounced == 1 { String::new() } else { self.unannounced.to_string() }
    }

    /// Returns the origin of the current binary's tests.
    pub(super) fn source(&self) -> TestOrigin {
        if self.name.is_some() && self.last == TestBinaryKind::Doc {
            TestOrigin::Documentation
        } else {
            TestOrigin::Code
        }
    }

    fn announce(&mut self, name: String) {
        let times = self.seen.entry(name.clone()).or_default();
        *times += 1;
        self.name = Some(if *times > 1 { format!("{name}#{times}") } else { name });
    }
}

/// Kind and name from what follows `Running`:
/// `unittests src/lib.rs (target/debug/deps/shop-0123456789abcdef)`.
fn binary(text: &str) -> Option<(TestBinaryKind, &str)> {
    let (source, file) = match text.strip_suffix(')').and_then(|text| text.rsplit_once('(')) {
        Some((source, file)) => (source.trim_end(), file),
        None => ("", text.trim_end()),
    };
    let name = file.rsplit(['/', '\\']).next()?;
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let (name, hash) = name.rsplit_once('-')?;
    if name.is_empty() || hash.len() != 16 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let source = source.strip_prefix("unittests");
    let kind = match source.map(str::trim_start) {
        None if text.starts_with("benches") => TestBinaryKind::Bench,
        None => TestBinaryKind::Test,
        Some(path) if path.ends_with("main.rs") || path.contains("src/bin/") => TestBinaryKind::Bin,
        Some(path) if path.starts_with("examples") => TestBinaryKind::Example,
        Some(path) if path.starts_with("benches") => TestBinaryKind::Bench,
        Some(_) => TestBinaryKind::Lib,
    };
    Some((kind, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(headers: &[(&str, &str)]) {
        let mut targets = TestBinaryTracker::default();
        for (header, name) in headers {
            let line = match header.strip_prefix("doc ") {
                Some(name) => format!("   Doc-tests {name}"),
                None => format!("     Running {header}-0123456789abcdef)"),
            };
            assert!(targets.note_header(&line), "{line}");
            assert_eq!(targets.start_block(), *name, "{line}");
        }
    }

    #[test]
    fn binaries_are_named_after_their_crate() {
        check(&[
            ("unittests src/lib.rs (target/debug/deps/shop", "shop"),
            ("unittests src/main.rs (target/debug/deps/till", "bin/till"),
            ("tests/it.rs (target/debug/deps/it", "shop::it"),
            ("unittests src/lib.rs (target/debug/deps/stock", "stock"),
            ("tests/it.rs (target/debug/deps/it", "stock::it"),
            ("unittests src\\main.rs (target\\debug\\deps\\office", "bin/office"),
            ("tests/it.rs (target/debug/deps/it", "office::it"),
            ("doc shop", "shop::doc"),
            ("doc stock", "stock::doc"),
        ]);
    }

    #[test]
    fn equal_names_are_told_apart_by_their_number() {
        check(&[
            ("tests/it.rs (target/debug/deps/it", "it::it"),
            ("tests/it.rs (target/debug/deps/it", "it::it#2"),
        ]);
    }

    #[test]
    fn blocks_without_announcement_are_numbered() {
        let mut targets = TestBinaryTracker::default();
        assert_eq!([targets.start_block(), targets.start_block()], ["", "2"]);
    }

    #[test]
    fn other_lines_announce_nothing() {
        let mut targets = TestBinaryTracker::default();
        for line in ["Running a (b-0123456789abcdef)", "   Running late", "    Finished x"] {
            assert!(!targets.note_header(line), "{line}");
        }
    }
}
