//! Reads a file line by line, where it cannot be parsed.
//!
//! Less exact than a tree, but both versions of a file are read the same
//! way, so what did not change does not look changed.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::assertions::{TestAssertion, shortened};
use super::language::FileLanguage;
use super::marks::{self, SkipEffect, SkipMark};
use super::outline::{CodeUnit, FileOutline};
use super::paths::{self, CollectionEvidence};
use super::strength;
use super::suppressions;
use super::units::CodeUnitRole;

/// The beginning of a test: a title in quotes, or a name.
static START: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)^\s*(?:
            @test\s+["'](?P<bats>.*?)["']\s*\{
          | (?P<word>x?it|x?test|fit|x?specify)(?P<more>(?:\.\w+)*)\s*\(?\s*["'`](?P<title>[^"'`]*)
          | (?:export\s+)?(?:\w+\s+)*?(?:fn|def|func|fun|function|void|Task)\s+`?(?P<name>[\w\ ]+?)`?\s*[(\n:]
          | (?:TEST\w*|SCENARIO|BOOST_AUTO_TEST_CASE)\s*\(\s*(?P<macro>[^)]*)\)
          | def\s+(?P<plain>\w+)\s*$
        )"#,
    )
    .ok()
});
static TEST_ATTRIBUTE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)\#\[\s*(?:\w+::)*(?:test|rstest|test_case|Test)\b
        | @(?:Test|ParameterizedTest|RepeatedTest)\b
        | \[\s*(?:Fact|Theory|Test|TestMethod|TestCase)\b",
    )
    .ok()
});
static ASSERTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?xi)(?:^|[^\w])(?:(?:debug_|prop_)?assert\w*|expect\w*|refute\w*|verify\w*|check\w*|require\w*
        |fail\w*|raises)\s*[!(.]|^\s*assert\b|\.should|\bmust_\w+|\bt\.(?:error|fatal|fail)\w*\(|^\s*(?:assert|refute)\w*\s",
    )
    .ok()
});
static SKIPS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)\b(?:pytest\.skip|pytest\.xfail|skipTest|t\.Skip\w*|markTestSkipped|markTestIncomplete
        |GTEST_SKIP|Assert\.Ignore|Assert\.Inconclusive|this\.skip)\s*\(|^\s*skip\b",
    )
    .ok()
});
static WORDS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[A-Za-z_]\w*|\d+|===?|!==?|>=|<=|\|\||&&|[^\s\w,;]").ok());

/// Returns the parts of a file that matter, as far as its lines show them.
pub(super) fn outline(path: &str, text: &str) -> FileOutline {
    let suppressions = suppressions::in_lines(path, text);
    let Some(language) = FileLanguage::of(path) else { return FileOutline::default() };
    let mut reader = LineOutlineReader { path, language, units: Vec::new(), pending: Vec::new() };
    for (line, number) in text.lines().zip(1..) {
        reader.line(line, number);
    }
    FileOutline { units: reader.units, suppressions, modules: Vec::new() }
}

struct LineOutlineReader<'a> {
    path: &'a str,
    language: FileLanguage,
    units: Vec<CodeUnit>,
    /// Attributes that belong to what comes next.
    pending: Vec<(String, u32)>,
}

impl LineOutlineReader<'_> {
    fn line(&mut self, line: &str, number: u32) {
        let trimmed = line.trim();
        if trimmed.is_empty() || self.is_remark(trimmed) {
            return;
        }
        // Asking is much quicker than taking apart.
        let start = START.as_ref().filter(|regex| regex.is_match(line));
        let captures = start.and_then(|regex| regex.captures(line));
        if let Some(unit) = captures.and_then(|found| self.start(&found, number)) {
            self.units.push(unit);
            self.pending.clear();
            // A body may begin on the same line.
            let rest = line.split_once(['{', '>']).map_or("", |(_, rest)| rest);
            if !rest.trim().is_empty() {
                self.body(rest, number);
            }
            return;
        }
        if trimmed.starts_with("#[") || trimmed.starts_with('@') || trimmed.starts_with('[') {
            self.pending.push((trimmed.to_owned(), number));
        } else {
            self.pending.clear();
        }
        self.body(line, number);
    }

    fn is_remark(&self, line: &str) -> bool {
        let hash = matches!(
            self.language,
            FileLanguage::Python | FileLanguage::Ruby | FileLanguage::Shell | FileLanguage::Bats
        );
        line.starts_with("//")
            || line.starts_with("/*")
            || line.starts_with("* ")
            || (hash && line.starts_with('#'))
    }

    fn start(&self, found: &Captures<'_>, line: u32) -> Option<CodeUnit> {
        let text = |name: &str| found.name(name).map(|part| part.as_str().trim().to_owned());
        let collected = paths::collection(self.path) != CollectionEvidence::No;
        let marked = self.pending.iter().any(|(attribute, _)| {
            TEST_ATTRIBUTE.as_ref().is_some_and(|regex| regex.is_match(attribute))
        });
        let titled = text("bats").or_else(|| text("title").filter(|_| collected));
        let named = text("name").or_else(|| text("plain"));
        let (name, is_test) = match (titled.or_else(|| text("macro")), named) {
            (Some(title), _) => (title, true),
            (None, Some(name)) => {
                let lower = name.to_ascii_lowercase();
                let by_name = collected
                    && lower.starts_with("test")
                    && !matches!(self.language, FileLanguage::Rust | FileLanguage::CSharp);
                (name, marked || by_name)
            }
            (None, None) => return None,
        };
        let mut marks = self.marks(&name);
        let modifiers = format!(
            "{}{}",
            found.name("word").map_or("", |word| word.as_str()),
            found.name("more").map_or("", |more| more.as_str())
        );
        for word in modifiers.split('.') {
            let effect = match word {
                "skip" | "todo" | "failing" | "xit" | "xtest" | "xspecify" => SkipEffect::Skip,
                "only" | "fit" => SkipEffect::Only,
                _ => continue,
            };
            marks.push(SkipMark { effect, marker: word.to_owned(), owner: name.clone(), line });
        }
        let role = match (is_test, paths::is_test_file(self.path)) {
            (true, _) => CodeUnitRole::Test,
            (false, true) => CodeUnitRole::Helper,
            (false, false) => CodeUnitRole::Other,
        };
        Some(CodeUnit {
            role,
            id: name.clone(),
            name,
            line,
            words: Vec::new(),
            decoration: 0,
            marks,
            assertions: Vec::new(),
            calls: Vec::new(),
            cases: 0,
            propagations: 0,
            is_empty: true,
            collection: paths::collection(self.path),
        })
    }

    fn marks(&self, owner: &str) -> Vec<SkipMark> {
        let skipping = self.pending.iter().filter(|(attribute, _)| marks::skips(attribute));
        skipping
            .map(|(attribute, line)| SkipMark {
                effect: SkipEffect::Skip,
                marker: shortened(attribute),
                owner: owner.to_owned(),
                line: *line,
            })
            .collect()
    }

    fn body(&mut self, line: &str, number: u32) {
        let is_bats = self.language == FileLanguage::Bats;
        let Some(unit) = self.units.last_mut() else { return };
        let words: Vec<&str> = WORDS
            .as_ref()
            .map(|regex| regex.find_iter(line).map(|word| word.as_str()).collect())
            .unwrap_or_default();
        let idle = words.iter().all(|word| matches!(*word, "{" | "}" | "(" | ")" | "pass" | "end"));
        if idle {
            return;
        }
        unit.words.extend(words.iter().map(|&word| word.to_owned()));
        unit.is_empty = false;
        if SKIPS.as_ref().is_some_and(|regex| regex.is_match(line)) {
            unit.marks.push(SkipMark {
                effect: SkipEffect::Skip,
                marker: shortened(line),
                owner: unit.id.clone(),
                line: number,
            });
            return;
        }
        // In bats every command that fails ends its test; these are there to.
        let tests = is_bats
            && words.first().is_some_and(|word| {
                matches!(*word, "[" | "(" | "!" | "test" | "grep" | "diff" | "cmp" | "true")
                    || word.starts_with("assert")
                    || word.starts_with("refute")
            });
        if tests || ASSERTS.as_ref().is_some_and(|regex| regex.is_match(line)) {
            unit.assertions.push(TestAssertion {
                strength: strength::of(&words, self.language),
                tokens: words.into_iter().map(str::to_owned).collect(),
                text: shortened(line),
                line: number,
                owner: unit.id.clone(),
                callee: String::new(),
                conditions: 0,
                swallowed: false,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_sound() {
        for pattern in [&*START, &*TEST_ATTRIBUTE, &*ASSERTS, &*SKIPS, &*WORDS] {
            assert!(pattern.is_some());
        }
    }
}
