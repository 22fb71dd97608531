//! Places named in text: `file:line:col` and what Python and Perl make of it.

use ralph_core::finding::SourceLocation;

use super::FindingCollector;
use super::located::colons;

/// Endings of files that hold code; other `a.b:1` may be a host and a port.
const CODE: [&str; 42] = [
    "rs", "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "go",
    "java", "kt", "kts", "scala", "groovy", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "m", "mm",
    "rb", "php", "cs", "fs", "sh", "bash", "bats", "t", "pl", "pm", "ex", "exs", "swift", "dart",
];

/// Folders whose files are not the project's.
const FOREIGN: [&str; 13] = [
    "node_modules/",
    "node:",
    "site-packages/",
    "dist-packages/",
    "/lib/python",
    "/rustc/",
    "/usr/",
    "/gems/",
    "vendor/",
    "/.cargo/",
    "/pkg/mod/",
    "/src/testing/",
    "/src/runtime/",
];

/// Endings of files that stack traces name without their folder.
const WITHOUT_FOLDER: [&str; 4] = ["java", "kt", "scala", "groovy"];

/// A place as a tool names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PrintedLocation<'a> {
    /// The file, as written.
    pub(super) file: &'a str,
    /// From 1.
    pub(super) line: u32,
    /// From 1.
    pub(super) column: Option<u32>,
}

impl<'a> PrintedLocation<'a> {
    /// Reads `file:line` or `file:line:col`, and nothing else.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (rest, last) = text.rsplit_once(':')?;
        let last = last.parse().ok()?;
        if let Some((file, line)) = rest.rsplit_once(':')
            && let Ok(line) = line.parse()
        {
            return (!file.is_empty()).then_some(Self { file, line, column: Some(last) });
        }
        (!rest.is_empty()).then_some(Self { file: rest, line: last, column: None })
    }

    /// The first place in a file of the project that a text names for sure.
    pub(super) fn find(text: &'a str) -> Option<Self> {
        text.lines().find_map(Self::find_in_line)
    }

    /// Like [`PrintedLocation::find`] for a single line.
    pub(super) fn find_in_line(line: &'a str) -> Option<Self> {
        // Nothing below can match without a digit after one of these.
        if !line.contains(':') && !line.contains(" line ") {
            return None;
        }
        let worded =
            worded(line, "File \"", "\", line ").or_else(|| worded(line, " at ", " line "));
        worded
            .into_iter()
            .chain(tokens(line).filter_map(Self::leading))
            .find(PrintedLocation::is_ours)
    }

    /// Reads a place with or without something behind it: `a.c:3:name:FAIL`.
    fn leading(token: &'a str) -> Option<Self> {
        let behind = || colons(token).filter(|at| at.rest.starts_with(':'));
        let at = || behind().map(|at| Self { file: at.file, line: at.line, column: at.column });
        Self::parse(token).or_else(at)
    }

    /// A file without its folder, as stack traces of the JVM name it, and the
    /// package in front of it: `at shop.TillTest.adds(TillTest.java:12)`.
    pub(super) fn without_folder(line: &'a str) -> Option<(Self, String)> {
        let spot = tokens(line).filter_map(Self::parse).find(|spot| {
            let ending = spot.file.rsplit_once('.').map_or("", |(_, ending)| ending);
            WITHOUT_FOLDER.contains(&ending) && !spot.file.contains(['/', '\\'])
        })?;
        let call = line.trim_start().strip_prefix("at ").and_then(|rest| rest.split('(').next());
        let call = call.map_or("", |call| call.rsplit('/').next().unwrap_or(call));
        let is_package = |part: &&str| part.starts_with(|c: char| c.is_ascii_lowercase());
        let package: Vec<&str> = call.split('.').take_while(is_package).collect();
        Some((spot, package.join("/")))
    }

    /// True if it is a place in code, and not in that of others.
    pub(super) fn is_ours(&self) -> bool {
        let Some((stem, ending)) = self.file.rsplit_once('.') else { return false };
        let folder = stem.contains(['/', '\\']);
        CODE.contains(&ending)
            && (!self.file.contains("://") || self.file.starts_with("file://"))
            && !FOREIGN.iter().any(|foreign| self.file.contains(foreign))
            && (folder || !WITHOUT_FOLDER.contains(&ending))
    }

    /// True if the file's name has this ending after its last dot.
    pub(super) fn has_ending(&self, ending: &str) -> bool {
        self.file.rsplit_once('.').is_some_and(|(_, last)| last == ending)
    }

    /// The place as ours.
    pub(super) fn place(&self, out: &FindingCollector) -> SourceLocation {
        out.place(self.file, Some(self.line), self.column)
    }
}

/// The first place named in a text as ours, or none.
pub(super) fn place_in(text: &str, out: &FindingCollector) -> SourceLocation {
    PrintedLocation::find(text).map_or_else(SourceLocation::default, |spot| spot.place(out))
}

/// The words of a line that may be a place.
fn tokens(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || "()[]\"'`,;<>".contains(c))
        .filter(|token| token.contains(':'))
        .map(|token| {
            // `file:3: message` and `file:3:in 'x'` go on after the number.
            let token = token.strip_suffix(":in").unwrap_or(token);
            token.trim_end_matches([':', '.'])
        })
}

/// A place written with words: the file between two, the number after them.
pub(super) fn worded<'a>(
    line: &'a str,
    before: &str,
    between: &str,
) -> Option<PrintedLocation<'a>> {
    let (_, rest) = line.split_once(before)?;
    let (file, rest) = rest.split_once(between)?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let line = rest[..digits].parse().ok()?;
    Some(PrintedLocation { file, line, column: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, file: &str, line: u32) {
        let spot = PrintedLocation::find(text).unwrap();
        assert_eq!((spot.file, spot.line), (file, line), "{text}");
    }

    #[test]
    fn places_are_found_in_the_traces_of_many_languages() {
        check("tests/test_a.py:7: AssertionError", "tests/test_a.py", 7);
        check("  File \"/project/a.py\", line 3, in <module>", "/project/a.py", 3);
        check("#   at t/till.t line 3.", "t/till.t", 3);
        check("    at Object.toBe (/project/till.test.js:7:21)", "/project/till.test.js", 7);
        check("    at file:///project/a.mjs:3:1", "file:///project/a.mjs", 3);
        check("./spec/till_spec.rb:7:in `block'", "./spec/till_spec.rb", 7);
        check("test_x(T) [test/till_test.rb:9]:", "test/till_test.rb", 9);
        check("thread 'x' panicked at src/lib.rs:53:13:", "src/lib.rs", 53);
        check("\t/project/sub/sub_test.go:9 +0x2e", "/project/sub/sub_test.go", 9);
        check("till: /project/till.cpp:7: int main()", "/project/till.cpp", 7);
        check("/project/t.c:42:adds:FAIL: Expected 3 Was 2", "/project/t.c", 42);
    }

    #[test]
    fn what_only_looks_like_a_place_is_none() {
        for text in [
            "listening on example.com:443",
            "at 12:30:15 on http://a.js:80",
            "127.0.0.1:8080",
            "    at run (/project/node_modules/x/index.js:1:2)",
            "    at com.shop.TillTest.adds(TillTest.java:12)",
            "ratio 3:4",
            "",
        ] {
            assert_eq!(PrintedLocation::find(text), None, "{text}");
        }
    }
}
