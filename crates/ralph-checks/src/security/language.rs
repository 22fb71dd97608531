//! The languages that can be parsed, and the rules that serve them.

use std::path::Path;

use ast_grep_core::Language as _;
use ast_grep_language::SupportLang;

/// The languages whose grammars are part of the program.
pub(super) const PARSED: [SupportLang; 14] = [
    SupportLang::Bash,
    SupportLang::C,
    SupportLang::Cpp,
    SupportLang::CSharp,
    SupportLang::Go,
    SupportLang::Java,
    SupportLang::JavaScript,
    SupportLang::Kotlin,
    SupportLang::Php,
    SupportLang::Python,
    SupportLang::Ruby,
    SupportLang::Rust,
    SupportLang::Tsx,
    SupportLang::TypeScript,
];

/// Returns the index of the language in [`PARSED`]; `None` when there is no grammar.
pub(super) fn index(language: SupportLang) -> Option<usize> {
    PARSED.iter().position(|known| *known == language)
}

/// The language of a file, by its name.
pub(super) fn of(path: &Path) -> Option<SupportLang> {
    SupportLang::from_path(path).filter(|language| index(*language).is_some())
}

/// True if rules in this folder of the program may serve a language.
pub(super) fn folder_serves(folder: &str, language: SupportLang) -> bool {
    folder.parse().is_ok_and(|declared| serves(declared, language))
}

/// True if a rule of the program that declares one language serves another.
///
/// Its rules for JavaScript are rules for TypeScript too, and those for JSX fit every grammar that
/// knows it. Rules of others serve the language they declare.
pub(super) fn serves(declared: SupportLang, language: SupportLang) -> bool {
    use SupportLang::{JavaScript, Tsx, TypeScript};
    declared == language
        || (declared == JavaScript && [TypeScript, Tsx].contains(&language))
        || (declared == Tsx && language == JavaScript)
}

#[cfg(test)]
mod tests {
    use ast_grep_core::tree_sitter::LanguageExt;

    use super::*;

    #[test]
    fn every_language_listed_has_a_grammar() {
        for language in PARSED {
            assert!(language.get_ts_language().node_kind_count() > 0, "{language}");
        }
    }

    #[test]
    fn files_without_a_grammar_have_no_language() {
        assert_eq!(of(Path::new("src/a.py")), Some(SupportLang::Python));
        assert_eq!(of(Path::new("a.html")), None);
        assert_eq!(of(Path::new("Makefile")), None);
    }

    #[test]
    fn rules_for_javascript_serve_typescript() {
        assert!(folder_serves("javascript", SupportLang::TypeScript));
        assert!(serves(SupportLang::Tsx, SupportLang::JavaScript));
        assert!(!serves(SupportLang::Tsx, SupportLang::TypeScript));
        assert!(!folder_serves("python", SupportLang::Tsx));
    }
}
