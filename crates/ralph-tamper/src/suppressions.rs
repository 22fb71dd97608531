//! Finds what tells tools to overlook something, and which of it is new.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::assertions::shortened;
use super::kind::{Tampering, TamperingKind};
use super::language::FileLanguage;
use super::tree::{FlatNodeId, FlatSyntaxTree};
use super::{ParsedFilePair, ParsedFileVersion};

/// One rule that is not to be applied somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LintSuppression {
    /// The family of the marker, such as `noqa`.
    family: String,
    /// The rule, or `*` for all.
    rule: String,
    /// As it is written.
    marker: String,
    /// The code it is about, without spaces.
    about: String,
    line: u32,
}

impl LintSuppression {
    /// True if it only says that an import of a package is there for others: the imports that
    /// `__init__.py` does not use are its exports.
    fn is_reexport(&self, path: &str) -> bool {
        let is_import = ["from", "import"].iter().any(|word| self.about.starts_with(word));
        path.rsplit('/').next() == Some("__init__.py") && self.rule == "F401" && is_import
    }
}

/// Markers in remarks: a family and, behind it, rules.
static MARKERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)
        (?P<family>
            \#\s*(?:ruff:\s*|flake8:\s*)?noqa\b
          | \#\s*type:\s*ignore\b | \#\s*pyright:\s*(?:ignore|basic|off)\b
          | \#\s*mypy:\s*(?:ignore-errors|disable-error-code)\b
          | pylint:\s*(?:disable-next|disable|skip-file)\b
          | \#\s*(?:nosec|nosemgrep)\b | //\s*(?:nosec|nosemgrep|\#nosec)\b
          | \#\s*pragma:\s*no\s*cover
          | @ts-(?:ignore|nocheck|expect-error)\b
          | \b(?:eslint|oxlint|tslint:|stylelint)-?disable(?:-next-line|-line)?\b
          | \bbiome-ignore(?:-all|-start)?\b | \bdeno-lint-ignore(?:-file)?\b
          | \b(?:istanbul|c8|v8)\s+ignore\b
          | //\s*nolint\b | //\s*lint:(?:file-)?ignore\b
          | \bNOSONAR\b | \bCHECKSTYLE:?\s*OFF\b | \bnoinspection\b
          | rubocop:\s*(?:disable|todo)\b | :nocov:
          | @phpstan-ignore(?:-next-line|-line)?\b | @psalm-suppress\b
          | \bphpcs:(?:ignore|disable)\b | @codeCoverageIgnore\w*
          | \bNOLINT(?:NEXTLINE|BEGIN)?\b | \bcppcheck-suppress\b
          | \#\s*pragma\s+warning\s*(?:\(\s*)?disable
          | \#\s*pragma\s+(?:GCC|clang)\s+diagnostic\s+ignored
          | \bReSharper\s+disable\b
          | shellcheck\s+disable | ast-grep-ignore\b
        )
        (?P<rules>[\s:=(\[]*["\w@./,\s|*-]*)
        "#,
    )
    .ok()
});

/// Attributes and annotations that suppress.
static ATTRIBUTES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"\b(allow|expect|SuppressWarnings|Suppress|SuppressLint|SuppressMessage)\s*\(([^()]*)\)",
    )
    .ok()
});

/// Folders with other people's files.
const FOREIGN: &[&str] = &["node_modules", "vendor", "third_party", ".venv", "venv"];

/// The suppressions of a file, by its tree.
pub(super) fn in_tree(
    tree: &FlatSyntaxTree<'_>,
    language: FileLanguage,
    path: &str,
) -> Vec<LintSuppression> {
    if is_foreign(path) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for id in tree.all() {
        let kind = tree.kind(id);
        let about = || about(tree, id);
        if tree.is_comment(id) || kind.starts_with("preproc") {
            // A remark about remarks is inside of one.
            if !tree.is_comment(tree.parent(id)) {
                found.extend(in_remark(language, tree.text(id), tree.line(id), about));
            }
        } else if is_attribute(language, kind) {
            found.extend(in_attribute(tree.text(id), tree.line(id), about));
        }
    }
    found
}

/// The suppressions of a file, line by line.
pub(super) fn in_lines(path: &str, text: &str) -> Vec<LintSuppression> {
    let Some(language) = FileLanguage::of(path).filter(|_| !is_foreign(path)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        if let Some(at) = ["//", "#", "/*", "--"].iter().filter_map(|head| line.find(head)).min() {
            found.extend(in_remark(language, &line[at..], number, || squeezed(&line[..at])));
        }
        let trimmed = line.trim_start();
        if trimmed.starts_with("#[") || trimmed.starts_with("#!") || trimmed.starts_with('@') {
            found.extend(in_attribute(trimmed, number, String::new));
        }
    }
    found
}

/// Reports suppressions that were not there before.
///
/// One that moved along with its code is not new. Within a file, one that replaced another of the
/// same rule is not new either: the code next to it may have been edited.
pub(super) fn added(pairs: &[ParsedFilePair<'_>]) -> Vec<Tampering> {
    let mut before: HashMap<(&str, &str, &str), usize> = HashMap::new();
    for old in pairs.iter().filter_map(|pair| pair.old.as_ref()) {
        for one in &old.outline.suppressions {
            *before.entry((&one.family, &one.rule, &one.about)).or_default() += 1;
        }
    }
    let mut found = Vec::new();
    for pair in pairs {
        let Some(new) = &pair.new else { continue };
        let here =
            pair.old.as_ref().map(|old: &ParsedFileVersion<'_>| &old.outline.suppressions[..]);
        let mut budget = budget(here.unwrap_or_default());
        for one in &new.outline.suppressions {
            let same_rule = budget.get_mut(&(one.family.as_str(), one.rule.as_str()));
            let known = before.get_mut(&(one.family.as_str(), &one.rule, &one.about));
            // Both counts go down: what is used up here is not there for a
            // second one.
            let kept = take(same_rule) | take(known);
            let narrowed =
                !kept && one.rule != "*" && take(budget.get_mut(&(one.family.as_str(), "*")));
            if !kept && !narrowed && !one.is_reexport(new.path) {
                let kind = TamperingKind::SuppressionAdded { marker: one.marker.clone() };
                found.push(Tampering::new(new.path, one.line, kind));
            }
        }
    }
    found
}

fn budget(old: &[LintSuppression]) -> HashMap<(&str, &str), usize> {
    let mut budget = HashMap::new();
    for one in old {
        *budget.entry((one.family.as_str(), one.rule.as_str())).or_default() += 1;
    }
    budget
}

fn take(count: Option<&mut usize>) -> bool {
    count.is_some_and(|count| {
        let some = *count > 0;
        *count = count.saturating_sub(1);
        some
    })
}

fn in_remark(
    language: FileLanguage,
    text: &str,
    line: u32,
    about: impl Fn() -> String,
) -> Vec<LintSuppression> {
    let Some(regex) = MARKERS.as_ref() else { return Vec::new() };
    let mut found = Vec::new();
    for one in regex.captures_iter(text) {
        if only_mentions(language, text, one.get(0).map_or(0, |whole| whole.start())) {
            continue;
        }
        let family: String = one["family"].split_whitespace().collect();
        // `-next-line` and the like say where, not what.
        let family = family
            .trim_start_matches(['#', '/'])
            .replace("-next-line", "")
            .replace("-line", "")
            .replace("NEXTLINE", "");
        // What follows `--` is a reason.
        let rules = one["rules"].split("--").next().unwrap_or_default();
        let rules = if takes_rules(&family) { names(rules) } else { vec!["*".to_owned()] };
        let start = one.get(0).map_or(0, |whole| whole.start());
        let marker = shortened(text[start..].lines().next().unwrap_or_default());
        let marker = marker.trim_end_matches("*/").trim().to_owned();
        for rule in rules {
            let (family, marker, about) = (family.clone(), marker.clone(), about());
            found.push(LintSuppression { family, rule, marker, about, line });
        }
    }
    found
}

/// True if a comment only speaks of a marker: in quotes, in documentation, or in the manner of
/// another language.
fn only_mentions(language: FileLanguage, text: &str, start: usize) -> bool {
    let (before, marker) = text.split_at(start);
    let documents =
        language == FileLanguage::Rust && (text.starts_with("///") || text.starts_with("//!"));
    let hashes = matches!(
        language,
        FileLanguage::Python
            | FileLanguage::Ruby
            | FileLanguage::Shell
            | FileLanguage::Bats
            | FileLanguage::Php
    );
    let foreign = marker.starts_with('#') && !marker.contains("pragma") && !hashes;
    documents || foreign || before.ends_with(['`', '"', '\''])
}

/// True if the text behind a marker of this family names rules. Behind the others there is prose.
fn takes_rules(family: &str) -> bool {
    !["@ts-", "nosec", "nosemgrep", "pragma:", "istanbul", "c8", "v8", "NOSONAR", "CHECKSTYLE"]
        .iter()
        .any(|head| family.starts_with(head))
}

/// The rules in a list; `*` if there is none.
fn names(list: &str) -> Vec<String> {
    let line = list.lines().next().unwrap_or_default().trim_end_matches("*/");
    let rules: Vec<String> = line
        .split([',', '|', ' ', '\t', '"', '(', '[', ':', '='])
        .take_while(|name| *name != "//")
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    if rules.is_empty() { vec!["*".to_owned()] } else { rules }
}

fn in_attribute(text: &str, line: u32, about: impl Fn() -> String) -> Vec<LintSuppression> {
    let Some(regex) = ATTRIBUTES.as_ref() else { return Vec::new() };
    let mut found = Vec::new();
    for one in regex.captures_iter(text) {
        // An expectation is an allowance that has to be needed.
        let family = if &one[1] == "expect" { "allow" } else { &one[1] };
        for rule in one[2].split([',', '{', '}']).map(|rule| rule.trim().trim_matches('"')) {
            if rule.is_empty() || rule.starts_with("reason") || rule.contains('=') {
                continue;
            }
            found.push(LintSuppression {
                family: family.to_owned(),
                rule: rule.to_owned(),
                marker: shortened(text),
                about: about(),
                line,
            });
        }
    }
    found
}

fn is_attribute(language: FileLanguage, kind: &str) -> bool {
    match language {
        FileLanguage::Rust => matches!(kind, "attribute_item" | "inner_attribute_item"),
        FileLanguage::Java | FileLanguage::Kotlin => {
            matches!(kind, "annotation" | "file_annotation")
        }
        FileLanguage::CSharp => kind == "attribute",
        FileLanguage::Python
        | FileLanguage::JavaScript
        | FileLanguage::TypeScript
        | FileLanguage::Tsx
        | FileLanguage::Go
        | FileLanguage::C
        | FileLanguage::Cpp
        | FileLanguage::Ruby
        | FileLanguage::Php
        | FileLanguage::Shell
        | FileLanguage::Bats => false,
    }
}

/// The code that a marker is about: what is before it on its line, otherwise
/// the next line with code.
fn about(tree: &FlatSyntaxTree<'_>, id: FlatNodeId) -> String {
    let line = tree.line(id);
    let before = squeezed(tree.before_on_line(id));
    if !before.is_empty() {
        return before;
    }
    let code =
        |&next: &FlatNodeId| tree.line(next) > line && tree.is_leaf(next) && !tree.is_comment(next);
    let next = (tree.inside(id).end..tree.all().end).take(200).find(code);
    next.map_or_else(String::new, |next| squeezed(tree.rest_of_line(next)))
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

fn is_foreign(path: &str) -> bool {
    path.split('/').any(|part| FOREIGN.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_sound() {
        for pattern in [&*MARKERS, &*ATTRIBUTES] {
            assert!(pattern.is_some());
        }
    }
}
