//! Diagnostics as findings: named as the command-line tool names them, where
//! the tool is the same.

use std::path::Path;

use ralph_core::finding::FindingLevel;

use super::wire::{LspDiagnostic, LspDiagnosticCode, LspMessageText};
use crate::formats::{FindingCollector, ToolFinding, one_line, ruff_level};

/// Takes in what a server says about a file. What only dims text in an editor
/// is no finding.
pub(super) fn add(
    out: &mut FindingCollector,
    server: &str,
    file: &Path,
    diagnostics: &[LspDiagnostic],
) {
    let mut diagnostics: Vec<&LspDiagnostic> =
        diagnostics.iter().filter(|diagnostic| !is_decoration(diagnostic)).collect();
    diagnostics
        .sort_by_key(|diagnostic| (diagnostic.range.start.line, diagnostic.range.start.character));
    diagnostics.dedup();
    for diagnostic in diagnostics {
        let start = &diagnostic.range.start;
        let (line, column) = (start.line.saturating_add(1), start.character.saturating_add(1));
        let place = out.place(&file.to_string_lossy(), Some(line), Some(column));
        let named = AttributedDiagnostic::new(server, diagnostic);
        let message = one_line(named.message);
        let found = ToolFinding {
            tool: named.tool,
            rule: named.rule.as_deref(),
            level: named.level,
            message: &message,
            context: "",
        };
        out.finding(place, &found);
    }
}

/// A hint with a tag says how to show the text: faded or struck through.
fn is_decoration(diagnostic: &LspDiagnostic) -> bool {
    diagnostic.severity == Some(4) && !diagnostic.tags.is_empty()
}

/// A diagnostic in the words of its tool.
struct AttributedDiagnostic<'a> {
    tool: &'a str,
    rule: Option<String>,
    level: FindingLevel,
    message: &'a str,
}

impl<'a> AttributedDiagnostic<'a> {
    fn new(server: &'a str, diagnostic: &'a LspDiagnostic) -> Self {
        let code = diagnostic.code.as_ref().map(|code| match code {
            LspDiagnosticCode::Number(number) => number.to_string(),
            LspDiagnosticCode::Text(text) => text.clone(),
        });
        let message = match &diagnostic.message {
            LspMessageText::Plain(text) | LspMessageText::Marked { value: text } => text,
        };
        let level = level(diagnostic.severity);
        let source = diagnostic.source.as_deref().unwrap_or_default();
        match source.to_ascii_lowercase().as_str() {
            "ruff" => {
                let (level, message) = (ruff_level(code.as_deref()), without_help(message));
                Self { tool: "ruff", rule: code, level, message }
            }
            "pyright" => Self { tool: "pyright", rule: code, level, message },
            // Of a chain of reasons the compiler prints the others below.
            "ts" | "typescript" => {
                let message = message.lines().next().unwrap_or_default();
                Self { tool: "tsc", rule: code.map(|code| format!("TS{code}")), level, message }
            }
            "biome" => {
                let security =
                    code.as_deref().is_some_and(|code| code.starts_with("lint/security/"));
                let level = if security { FindingLevel::Security } else { level };
                Self { tool: "biome", rule: code, level, message }
            }
            "oxc" => Self { tool: "oxlint", rule: code, level, message: without_help(message) },
            "shellcheck" => Self { tool: "shellcheck", rule: code, level, message },
            "clang" | "clang-tidy" => {
                let message = message.trim_end_matches(" (fix available)");
                Self { tool: server, rule: code, level, message }
            }
            "rustc" => Self { tool: "rustc", rule: code, level, message },
            "clippy" => Self { tool: "clippy", rule: code, level, message },
            // One server may speak for several analysers.
            _ => {
                let source = diagnostic.source.clone().filter(|source| source != server);
                Self { tool: server, rule: code.or(source), level, message }
            }
        }
    }
}

/// The message alone: the command line gives advice apart.
fn without_help(message: &str) -> &str {
    message.split("\nhelp: ").next().unwrap_or(message)
}

/// Returns the level of a diagnostic. If the server gives no severity, it is a warning.
fn level(severity: Option<u8>) -> FindingLevel {
    match severity {
        Some(1) => FindingLevel::Error,
        Some(2) | None => FindingLevel::Warning,
        Some(_) => FindingLevel::Info,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn found(server: &str, diagnostics: &Value) -> Vec<String> {
        let mut out = FindingCollector::new(Path::new("/p"), "");
        let diagnostics: Vec<LspDiagnostic> = serde_json::from_value(diagnostics.clone()).unwrap();
        add(&mut out, server, Path::new("/p/src/a.x"), &diagnostics);
        let findings = out.finish().findings;
        let line = |finding: &ralph_core::finding::Finding| {
            format!("{} {}", finding.level.name(), finding.fingerprint)
        };
        findings.iter().map(line).collect()
    }

    fn one(source: &str, code: &Value, severity: u8, message: &str) -> Value {
        let start = json!({ "line": 0, "character": 0 });
        json!([{ "range": { "start": start }, "severity": severity, "code": code,
                 "source": source, "message": message }])
    }

    #[track_caller]
    fn check(source: &str, code: &Value, message: &str, want: &str) {
        assert_eq!(found("server", &one(source, code, 1, message)), [want]);
    }

    #[test]
    fn tools_are_named_as_on_the_command_line() {
        let code = json!("F401");
        check("Ruff", &code, "`os` unused\nhelp: Remove", "error ruff F401 src/a.x: `os` unused");
        check("Ruff", &json!("S602"), "shell", "security ruff S602 src/a.x: shell");
        check(
            "Pyright",
            &json!("reportX"),
            "a\n\u{a0}\u{a0}b",
            "error pyright reportX src/a.x: a b",
        );
        check("ts", &json!(2322), "Type\n  because", "error tsc TS2322 src/a.x: Type");
        check("oxc", &json!("eslint(x)"), "a\nhelp: b", "error oxlint eslint(x) src/a.x: a");
        let code = json!("lint/security/noGlobalEval");
        let want = "security biome lint/security/noGlobalEval src/a.x: eval";
        check("biome", &code, "eval", want);
        check("shellcheck", &json!("SC2086"), "quote", "error shellcheck SC2086 src/a.x: quote");
        check("clang", &json!("x"), "Use (fix available)", "error server x src/a.x: Use");
        check("printf", &json!(null), "verb", "error server printf src/a.x: verb");
        check("server", &json!(null), "it", "error server - src/a.x: it");
    }

    #[test]
    fn levels_are_those_of_the_server_and_hints_are_infos() {
        let levels = [(1, "error"), (2, "warning"), (3, "info"), (4, "info")];
        for (severity, level) in levels {
            let found = found("s", &one("x", &json!(1), severity, "m"));
            assert_eq!(
                found,
                [format!("{level} s # src/a.x: m")].map(|text| text.replace('#', "1"))
            );
        }
    }

    #[test]
    fn text_that_is_only_dimmed_is_no_finding() {
        let start = json!({ "start": { "line": 3, "character": 1 } });
        let dimmed = json!([{ "range": start, "severity": 4, "message": "x", "tags": [1] }]);
        assert_eq!(found("s", &dimmed), [""; 0]);
        let said = json!([{ "range": start, "message": { "kind": "markdown", "value": "x" } }]);
        assert_eq!(found("s", &said), ["warning s - src/a.x: x"]);
    }

    #[test]
    fn what_is_pushed_and_pulled_counts_once() {
        let mut twice = one("x", &json!(1), 1, "m");
        let again = twice[0].clone();
        twice.as_array_mut().unwrap().push(again);
        assert_eq!(found("s", &twice).len(), 1);
    }
}
