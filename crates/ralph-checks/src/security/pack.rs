//! The rules in use, ready for each language once a file of it is met.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ast_grep_core::Matcher as _;
use ast_grep_language::SupportLang;

use super::TOOL;
use super::embedded::{EMBEDDED, EmbeddedRules};
use super::language::{self, PARSED};
use super::rules::{self, CompiledRule, RuleDefinition, RulesError};
use super::secrets;
use super::words::{CandidateRules, RuleWordIndex};

/// Rules over all languages.
///
/// Those of a language are compiled when its first file is met, so a pack
/// costs nothing where nothing is scanned.
pub struct RulePack {
    embedded: &'static [EmbeddedRules],
    /// The project's own rules.
    own: Vec<RuleDefinition>,
    languages: [OnceLock<LanguageRules>; PARSED.len()],
    digest: String,
    purpose: RulePurpose,
}

/// The purpose of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RulePurpose {
    /// They find what can be exploited; in tests that is only worth knowing.
    Security,
    /// They find what must not be, anywhere.
    Invariants,
}

impl RulePurpose {
    /// The name of the tool in findings.
    pub(crate) fn tool(self) -> &'static str {
        match self {
            Self::Security => TOOL,
            Self::Invariants => crate::invariants::TOOL,
        }
    }
}

impl RulePack {
    /// The rules that come with the program.
    pub fn builtin() -> Self {
        Self::new(EMBEDDED, Vec::new(), &[])
    }

    /// The rules that come with the program and those in these folders.
    ///
    /// A rule with the id of one that comes with the program replaces it.
    pub fn with_user_rules(folders: &[PathBuf]) -> Result<Self, RulesError> {
        Self::read(EMBEDDED, folders)
    }

    /// Only the rules in these folders.
    pub fn only_user_rules(folders: &[PathBuf]) -> Result<Self, RulesError> {
        Self::read(&[], folders)
    }

    /// Only these rules, which say what must not be.
    pub(crate) fn of_invariants(rules: Vec<RuleDefinition>, texts: &[String]) -> Self {
        Self { purpose: RulePurpose::Invariants, ..Self::new(&[], rules, texts) }
    }

    pub(super) fn purpose(&self) -> RulePurpose {
        self.purpose
    }

    /// True if there is any rule for a file of this name. Compiles nothing.
    pub fn covers(&self, path: &Path) -> bool {
        let Some(language) = language::of(path) else { return self.knows_secrets(path) };
        is_served(self.embedded, language) || self.own.iter().any(|own| own.language == language)
    }

    /// True if a rule that comes with the program covers a file of this name.
    pub fn builtin_covers(path: &Path) -> bool {
        let by_rule = language::of(path).is_some_and(|language| is_served(EMBEDDED, language));
        by_rule || secrets::may_hold(path)
    }

    /// True if secrets are searched in a file by their shape: that comes with the rules of the
    /// program, and a rule with that id replaces it.
    pub(super) fn knows_secrets(&self, path: &Path) -> bool {
        let is_ours = !self.embedded.is_empty() && self.purpose == RulePurpose::Security;
        is_ours
            && (language::of(path).is_some() || secrets::may_hold(path))
            && !self.own.iter().any(|own| own.id == secrets::RULE)
    }

    /// Identifies the rules: it changes when the text of any of them does.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    fn read(embedded: &'static [EmbeddedRules], folders: &[PathBuf]) -> Result<Self, RulesError> {
        let (mut own, mut texts) = (Vec::new(), Vec::new());
        for folder in folders {
            for (path, text) in rules::read_folder(folder)? {
                own.extend(rules::parse(&path, &text)?);
                texts.push(text);
            }
        }
        Ok(Self::new(embedded, own, &texts))
    }

    fn new(embedded: &'static [EmbeddedRules], own: Vec<RuleDefinition>, texts: &[String]) -> Self {
        let mut hasher = blake3::Hasher::new();
        let texts = embedded.iter().map(|rule| rule.text).chain(texts.iter().map(String::as_str));
        for text in texts {
            hasher.update(text.as_bytes()).update(b"\0");
        }
        let digest = hasher.finalize().to_hex().as_str()[..16].to_owned();
        Self {
            embedded,
            own,
            languages: Default::default(),
            digest,
            purpose: RulePurpose::Security,
        }
    }

    /// The rules of a language; `None` when there is none.
    pub(super) fn compiled(&self, language: SupportLang) -> Option<&LanguageRules> {
        let place = &self.languages[language::index(language)?];
        let compiled = place.get_or_init(|| LanguageRules::new(self.rules(language)));
        (!compiled.rules.is_empty()).then_some(compiled)
    }

    fn rules(&self, language: SupportLang) -> Vec<CompiledRule> {
        let embedded = self.embedded.iter();
        let embedded = embedded.filter(|rule| language::folder_serves(rule.folder, language));
        // A test proves that every embedded rule can be parsed and compiled.
        let embedded = embedded
            .filter_map(|rule| ast_grep_config::from_str::<RuleDefinition>(rule.text).ok())
            .filter(|written| language::serves(written.language, language))
            .filter(|written| !self.own.iter().any(|own| own.id == written.id));
        let own = self.own.iter().filter(|own| own.language == language).cloned();
        let ready =
            |one: RuleDefinition| CompiledRule::new(&one, language, self.purpose).ok().flatten();
        embedded.chain(own).filter_map(ready).collect()
    }
}

fn is_served(embedded: &[EmbeddedRules], language: SupportLang) -> bool {
    embedded.iter().any(|rule| language::folder_serves(rule.folder, language))
}

/// The rules of one language, arranged for one walk over a tree.
pub(super) struct LanguageRules {
    pub(super) rules: Vec<CompiledRule>,
    /// The rules that can match nodes of a kind, by the number of the kind.
    by_kind: Vec<Vec<usize>>,
    words: RuleWordIndex,
}

impl LanguageRules {
    fn new(rules: Vec<CompiledRule>) -> Self {
        let mut by_kind = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            let kinds = rule.config.matcher.potential_kinds();
            for kind in kinds.iter().flat_map(|kinds| kinds.iter()) {
                if by_kind.len() <= kind {
                    by_kind.resize(kind + 1, Vec::new());
                }
                by_kind[kind].push(index);
            }
        }
        let needs: Vec<_> = rules.iter().map(|rule| &rule.needs).collect();
        Self { words: RuleWordIndex::new(&needs), by_kind, rules }
    }

    /// The rules that can match nodes of this kind.
    pub(super) fn for_kind(&self, kind: u16) -> &[usize] {
        self.by_kind.get(usize::from(kind)).map_or(&[], Vec::as_slice)
    }

    /// Returns the rules that may match in this file, judged by its words; `None` for none.
    pub(super) fn candidates(&self, path: &Path, contents: &[u8]) -> Option<CandidateRules> {
        self.words.find(contents, |rule| self.rules[rule].covers(path))
    }
}

#[cfg(test)]
#[path = "pack_tests.rs"]
mod tests;
