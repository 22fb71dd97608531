//! Scans files: each is read once, parsed at most once, and walked once where
//! rules may match.

use std::fmt;
use std::path::{Path, PathBuf};

use ast_grep_config::CombinedScan;
use ast_grep_core::NodeMatch;
use ast_grep_core::matcher::MatcherExt as _;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_language::SupportLang;
use ralph_core::finding::{FindingLevel, ToolReport};
use rayon::prelude::*;

use super::files::{self, FileCounts, ScanScope, ScanText, UnreadReason};
use super::pack::{LanguageRules, RulePack, RulePurpose};
use super::rules::CompiledRule;
use super::words::CandidateRules;
use super::{context, language, secrets};
use crate::formats::{FindingCollector, ToolFinding};
use crate::parsing::{ParseLimitExceeded, ParsedSource, parse};

/// The number of files scanned between two calls of `stop`.
const BATCH: usize = 512;

/// The word that suppresses findings in a comment, as ast-grep knows it.
const SUPPRESSION: &[u8] = b"ast-grep-ignore";

type RuleMatch<'tree, 'rule> = (&'rule CompiledRule, NodeMatch<'tree, StrDoc<SupportLang>>);

/// The result of a scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScanResult {
    /// The findings, by file and line.
    pub reading: ToolReport,
    /// The numbers of scanned and skipped files.
    pub files: FileCounts,
    /// Findings that comments in the code suppressed.
    pub suppressed: u64,
    /// The files that could not be checked, by path.
    pub unread: Vec<UnreadFile>,
}

/// A file that a rule is meant for and that was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadFile {
    /// The file, relative to the root.
    pub path: PathBuf,
    /// The reason.
    pub why: UnreadReason,
}

impl fmt::Display for UnreadFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} was not checked: {}", self.path.display(), self.why)
    }
}

impl RulePack {
    /// Scans files below the absolute `root`.
    pub fn scan(&self, root: &Path, files: &ScanScope) -> ScanResult {
        self.scan_until(root, files, &mut || false).unwrap_or_default()
    }

    /// Like [`RulePack::scan`], but `None` once `stop` says so.
    pub fn scan_until(
        &self,
        root: &Path,
        files: &ScanScope,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<ScanResult> {
        let (mut out, tool) = (FindingCollector::new(root, ""), self.purpose().tool());
        let mut report = |path: &Path, seen: FileScan| seen.report(path, tool, &mut out);
        let scan = self.scan_each(root, files, stop, &mut report)?;
        Some(ScanResult { reading: out.finish(), ..scan })
    }

    /// Like [`RulePack::scan_until`], but says file by file what was seen there,
    /// whatever its number, and reads nothing out of it.
    pub(crate) fn scan_each(
        &self,
        root: &Path,
        files: &ScanScope,
        stop: &mut dyn FnMut() -> bool,
        each: &mut dyn FnMut(&Path, FileScan),
    ) -> Option<ScanResult> {
        let (paths, counts) = files::list(root, files, self.purpose());
        let mut scan = ScanResult { files: counts, ..ScanResult::default() };
        for batch in paths.chunks(BATCH) {
            if stop() {
                return None;
            }
            let looked: Vec<_> = batch.par_iter().map(|path| self.look_at(root, path)).collect();
            for (path, (counts, seen)) in batch.iter().zip(looked) {
                scan.files.add(counts);
                scan.suppressed += seen.suppressed;
                let unread = |why| UnreadFile { path: path.clone(), why };
                scan.unread.extend(seen.unread.map(unread));
                each(path, seen);
            }
        }
        Some(scan)
    }

    /// Scans one text that stands for the file at `path`, relative to the
    /// root. Says how many findings comments in it suppressed.
    pub fn scan_file(&self, path: &Path, contents: &str, out: &mut FindingCollector) -> u64 {
        let seen = self.look(path, contents);
        let suppressed = seen.suppressed;
        seen.report(path, self.purpose().tool(), out);
        suppressed
    }

    fn look_at(&self, root: &Path, path: &Path) -> (FileCounts, FileScan) {
        let mut counts = FileCounts::default();
        let has_rules = language::of(path).is_some_and(|lang| self.compiled(lang).is_some());
        if !has_rules && !self.knows_secrets(path) {
            return (counts, FileScan::default());
        }
        let seen = match files::read(root, path, self.purpose(), &mut counts) {
            ScanText::Worth(text) => self.look(path, &text),
            ScanText::PassedOver => FileScan::default(),
            ScanText::Unread(why) => FileScan { unread: Some(why), ..FileScan::default() },
        };
        (counts, seen)
    }

    /// Returns the findings in a text that stands for the file at `path`.
    pub(crate) fn look(&self, path: &Path, contents: &str) -> FileScan {
        let mut seen = self.look_by_rules(path, contents);
        if self.knows_secrets(path) {
            seen.add_secrets(path, contents);
        }
        seen
    }

    fn look_by_rules(&self, path: &Path, contents: &str) -> FileScan {
        let Some(language) = language::of(path) else { return FileScan::default() };
        let Some(rules) = self.compiled(language) else { return FileScan::default() };
        let Some(candidates) = rules.candidates(path, contents.as_bytes()) else {
            return FileScan::default();
        };
        let tree = match parse(contents, language) {
            Ok(tree) => tree,
            Err(ParseLimitExceeded) => {
                return FileScan { unread: Some(UnreadReason::TooHard), ..FileScan::default() };
            }
        };
        let all = matches(&tree, rules, &candidates);
        let count = all.len();
        let is_security = self.purpose() == RulePurpose::Security;
        let has_mark = || memchr::memmem::find(contents.as_bytes(), SUPPRESSION).is_some();
        // The code itself does not decide if a note holds.
        let kept =
            if is_security && has_mark() { unsuppressed(&tree, rules, &candidates) } else { all };
        let suppressed = count.saturating_sub(kept.len()) as u64;
        let is_test = files::is_test(path);
        let mut hits: Vec<RuleHit> = kept.iter().map(RuleHit::new).collect();
        for hit in hits.iter_mut().filter(|hit| is_security && (is_test || hit.is_in_test)) {
            hit.level = FindingLevel::Info;
        }
        hits.sort_by(|a, b| (a.line, a.column, &a.rule).cmp(&(b.line, b.column, &b.rule)));
        FileScan { hits, suppressed, unread: None }
    }
}

/// All that the rules match, whatever comments say, in no order.
fn matches<'tree, 'rule>(
    tree: &'tree ParsedSource,
    rules: &'rule LanguageRules,
    candidates: &CandidateRules,
) -> Vec<RuleMatch<'tree, 'rule>> {
    let mut found = Vec::new();
    let mut open = vec![tree.root()];
    while let Some(node) = open.pop() {
        let range = node.range();
        for &index in rules.for_kind(node.kind_id()) {
            if !candidates.may_match(index, &range) {
                continue;
            }
            let rule = &rules.rules[index];
            if let Some(matched) = rule.config.matcher.match_node(node.clone()) {
                found.push((rule, matched));
            }
        }
        open.extend(node.children().filter(|child| candidates.may_be_below(&child.range())));
    }
    found
}

/// Returns the matches that ast-grep leaves after it has removed those that comments suppress.
fn unsuppressed<'tree, 'rule>(
    tree: &'tree ParsedSource,
    rules: &'rule LanguageRules,
    candidates: &CandidateRules,
) -> Vec<RuleMatch<'tree, 'rule>> {
    let active = rules.rules.iter().enumerate();
    let active = active.filter(|(index, _)| candidates.may_match_any(*index));
    let scan = CombinedScan::new(active.map(|(_, rule)| &rule.config).collect());
    let matches = scan.scan(tree, false).matches;
    let by_id = |id: &str| rules.rules.iter().find(|rule| rule.config.id == id);
    let kept = matches.into_iter().filter_map(|(config, found)| {
        by_id(&config.id).map(|rule| found.into_iter().map(move |matched| (rule, matched)))
    });
    kept.flatten().collect()
}

/// The findings in one file.
#[derive(Default)]
pub(crate) struct FileScan {
    /// The matches of rules.
    pub(crate) hits: Vec<RuleHit>,
    suppressed: u64,
    /// The reason why nothing is known of it.
    pub(crate) unread: Option<UnreadReason>,
}

impl FileScan {
    /// Adds what is a secret by its shape, where no rule says so of the line.
    fn add_secrets(&mut self, path: &Path, contents: &str) {
        let is_test = files::is_test(path);
        for secret in secrets::find(path, contents) {
            let is_known =
                |hit: &RuleHit| hit.line == secret.line && hit.rule.ends_with("hardcoded-secret");
            if self.hits.iter().any(is_known) {
                continue;
            }
            if secret.is_suppressed {
                self.suppressed += 1;
                continue;
            }
            let kind = secret.kind.replace('-', " ");
            self.hits.push(RuleHit {
                rule: secrets::RULE.to_owned(),
                level: if is_test || secret.is_in_test { FindingLevel::Info } else { FindingLevel::Security },
                line: secret.line,
                column: secret.column,
                message: format!(
                    "a secret is written into the file ({kind}); read it from the environment, and replace it where it is valid"
                ),
                context: secret.shown,
                is_in_test: secret.is_in_test,
            });
        }
        self.hits.sort_by(|a, b| (a.line, a.column, &a.rule).cmp(&(b.line, b.column, &b.rule)));
    }

    /// Says what was seen, for a file and in the name of a tool.
    pub(crate) fn report(self, path: &Path, tool: &str, out: &mut FindingCollector) {
        let file = path.to_string_lossy();
        for hit in self.hits {
            let place = out.place(&file, Some(hit.line), Some(hit.column));
            let found = ToolFinding {
                tool,
                rule: Some(&hit.rule),
                level: hit.level,
                message: &hit.message,
                context: &hit.context,
            };
            out.finding(place, &found);
        }
    }
}

/// One match, without the tree it was found in.
pub(crate) struct RuleHit {
    /// The rule's id.
    pub(crate) rule: String,
    level: FindingLevel,
    /// From 1.
    pub(crate) line: u32,
    /// From 1.
    column: u32,
    message: String,
    context: String,
    is_in_test: bool,
}

impl RuleHit {
    fn new((rule, matched): &RuleMatch<'_, '_>) -> Self {
        let config = &rule.config;
        let at = matched.start_pos();
        let number = |from_0: usize| u32::try_from(from_0 + 1).unwrap_or(u32::MAX);
        let message = match config.message.as_str() {
            "" => config.id.clone(),
            plain if !plain.contains('$') => plain.to_owned(),
            _ => config.get_message(matched),
        };
        Self {
            rule: config.id.clone(),
            level: rule.level,
            line: number(at.line()),
            column: number(at.column(matched)),
            message,
            context: context::of(matched),
            is_in_test: context::is_in_test(matched),
        }
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
