//! Reads rules, and says what is wrong with one and where.

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ast_grep_config::{
    GlobalRules, RuleCollection, RuleConfig, SerializableRuleConfig, Severity, from_str,
};
use ast_grep_language::SupportLang;
use ralph_core::finding::FindingLevel;

use super::language;
use super::needs::RequiredWords;
use super::pack::RulePurpose;

/// A rule as written.
pub(crate) type RuleDefinition = SerializableRuleConfig<SupportLang>;

/// An error in rules that makes them unusable.
#[derive(Debug, thiserror::Error)]
pub enum RulesError {
    /// A folder or a file in it cannot be read.
    #[error("cannot read security rules in {}: {source}", path.display())]
    Read {
        /// The folder or file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A rule is not as it must be.
    #[error("{}:{line}: {what}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// A description of the error.
        what: String,
    },
}

impl RulesError {
    /// Returns a hint that helps.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Read { .. } => Some("`security.rules` names folders with `.yml` files".into()),
            Self::Broken { .. } => Some("rules are written as ast-grep's manual says".into()),
        }
    }
}

/// A rule that is ready for use with one language.
pub(super) struct CompiledRule {
    pub(super) config: RuleConfig<SupportLang>,
    pub(super) level: FindingLevel,
    pub(super) needs: RequiredWords,
    /// Knows the files the rule is meant for, if not all.
    scope: Option<RuleCollection<SupportLang>>,
}

impl CompiledRule {
    /// Makes a rule ready; `None` for one that is turned off.
    pub(super) fn new(
        written: &RuleDefinition,
        language: SupportLang,
        purpose: RulePurpose,
    ) -> Result<Option<Self>, String> {
        let level = match (&written.severity, purpose) {
            (Severity::Off, _) => return Ok(None),
            // A rule that says nothing about it has the severity of a hint.
            (_, RulePurpose::Invariants) => FindingLevel::Error,
            (Severity::Error | Severity::Warning, RulePurpose::Security) => FindingLevel::Security,
            (Severity::Info | Severity::Hint, RulePurpose::Security) => FindingLevel::Info,
        };
        let compile = || {
            let written = RuleDefinition { language, ..written.clone() };
            RuleConfig::try_from(written, &GlobalRules::default()).map_err(|e| innermost(&e))
        };
        let config = compile()?;
        let scope = if config.files.is_some() || config.ignores.is_some() {
            Some(RuleCollection::try_new(vec![compile()?]).map_err(|error| innermost(&error))?)
        } else {
            None
        };
        let core = serde_json::to_value(&written.core).unwrap_or_default();
        Ok(Some(Self { config, level, needs: RequiredWords::of(&core), scope }))
    }

    /// True if the rule is meant for this file.
    pub(super) fn covers(&self, path: &Path) -> bool {
        let Some(scope) = &self.scope else { return true };
        !scope.get_rule_from_lang(path, self.config.language).is_empty()
    }
}

/// The rules in all `.yml` and `.yaml` files below a folder, by path.
pub(super) fn read_folder(folder: &Path) -> Result<Vec<(PathBuf, String)>, RulesError> {
    let failed = |path: &Path, source| RulesError::Read { path: path.to_owned(), source };
    let mut texts = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| failed(&folder, error))?;
        for entry in entries {
            let path = entry.map_err(|error| failed(&folder, error))?.path();
            let is_rule = path.extension().is_some_and(|end| end == "yml" || end == "yaml");
            if path.is_dir() {
                folders.push(path);
            } else if is_rule {
                let text = ralph_files::read_text(&path).map_err(|error| failed(&path, error))?;
                texts.push((path, text));
            }
        }
    }
    texts.sort();
    Ok(texts)
}

/// The rules in one file, each of them tried.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Vec<RuleDefinition>, RulesError> {
    let mut rules = Vec::new();
    for (first_line, document) in documents(text) {
        let broken = |line, what| RulesError::Broken { path: path.to_owned(), line, what };
        let written = match from_str::<Option<RuleDefinition>>(document) {
            Ok(Some(written)) => written,
            Ok(None) => continue,
            Err(error) => {
                let line = error.location().map_or(1, |location| location.line());
                return Err(broken(first_line + line - 1, innermost(&error)));
            }
        };
        let line = first_line + line_of(document, "rule:");
        if written.id.is_empty() {
            return Err(broken(line, "the rule has no id".to_owned()));
        }
        // The library panics when asked for a grammar that is left out.
        if language::index(written.language).is_none() {
            let what = format!("{} cannot be parsed: its grammar is left out", written.language);
            return Err(broken(first_line + line_of(document, "language:"), what));
        }
        CompiledRule::new(&written, written.language, RulePurpose::Security)
            .map_err(|what| broken(line, what))?;
        rules.push(written);
    }
    Ok(rules)
}

/// The documents of a stream with their first lines, from 1.
fn documents(text: &str) -> Vec<(u64, &str)> {
    let mut found = Vec::new();
    let (mut start, mut first_line, mut at) = (0, 1, 0);
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if line.trim_end() == "---" {
            found.push((first_line, &text[start..at]));
            (start, first_line) = (at + line.len(), number + 1);
        }
        at += line.len();
    }
    found.push((first_line, &text[start..]));
    found.retain(|(_, document)| !document.trim().is_empty());
    found
}

/// Returns the number of lines before the one that starts with a key; 0 without it.
fn line_of(document: &str, key: &str) -> u64 {
    (0..).zip(document.lines()).find(|(_, line)| line.starts_with(key)).map_or(0, |(at, _)| at)
}

/// The first line of what an error is about in the end.
fn innermost(error: &dyn Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    let text = last.to_string();
    text.lines().next().unwrap_or_default().trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "id: a\nlanguage: Python\nrule:\n  pattern: eval($A)\n";

    #[track_caller]
    fn broken(text: &str) -> String {
        match parse(Path::new("r.yml"), text) {
            Ok(_) => panic!("it was accepted"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_file_may_hold_several_rules() {
        let text = format!("{GOOD}---\n# nothing\n---\n{}", GOOD.replace("id: a", "id: b"));
        let rules = parse(Path::new("r.yml"), &text).unwrap();
        assert_eq!(rules.iter().map(|rule| rule.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let unknown = broken(&format!("{GOOD}---\n{GOOD}colour: red\n"));
        assert!(unknown.starts_with("r.yml:") && unknown.contains("colour"), "{unknown}");
        let kind = broken(&format!("{GOOD}---\n{}", GOOD.replace("pattern: eval($A)", "kind: no")));
        assert!(kind.starts_with("r.yml:8: ") && kind.contains("no"), "{kind}");
        assert!(broken("id: a\nlanguage: Python\n").contains("rule"));
        assert!(broken("id: [\n").starts_with("r.yml:"));
        assert!(broken(&GOOD.replace("id: a", "message: a")).contains("no id"));
    }

    #[test]
    fn a_language_without_grammar_is_refused() {
        let text = GOOD.replace("Python", "Html");
        assert_eq!(broken(&text), "r.yml:2: Html cannot be parsed: its grammar is left out");
        assert!(broken(&GOOD.replace("Python", "Klingon")).contains("Klingon"));
    }

    #[test]
    fn globs_limit_a_rule_to_files() {
        let text = format!("{GOOD}files: ['src/**']\nignores: ['**/gen.py']\n");
        let written = parse(Path::new("r.yml"), &text).unwrap().remove(0);
        let rule = CompiledRule::new(&written, SupportLang::Python, RulePurpose::Security)
            .unwrap()
            .unwrap();
        let covers = |path| rule.covers(Path::new(path));
        assert!(covers("src/a.py") && !covers("lib/a.py") && !covers("src/gen.py"));
    }

    #[test]
    fn folders_are_read_with_those_below() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("b")).unwrap();
        for name in ["b/c.yml", "a.yaml", "notes.md"] {
            fs::write(folder.path().join(name), GOOD).unwrap();
        }
        assert_eq!(read_folder(folder.path()).unwrap().len(), 2);
        let missing = folder.path().join("missing");
        assert!(matches!(read_folder(&missing), Err(RulesError::Read { .. })));
    }
}
