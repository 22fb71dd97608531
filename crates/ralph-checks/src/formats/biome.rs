//! `biome … --reporter=json`.

use std::io::BufRead;

use ralph_core::finding::FindingLevel;
use serde::Deserialize;

use super::json::{number, records};
use super::printed::one_line;
use super::{FindingCollector, FormatError, ToolFinding};

#[derive(Deserialize)]
struct BiomeDiagnostic {
    severity: String,
    category: Option<String>,
    /// Present in version 2.3 and before, where `message` was marked-up text.
    description: Option<String>,
    message: BiomeMessage,
    location: Option<BiomeLocation>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum BiomeMessage {
    Plain(String),
    Marked(Vec<BiomeMarkup>),
}

#[derive(Deserialize)]
struct BiomeMarkup {
    content: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BiomeLocation {
    path: Option<BiomePath>,
    start: Option<BiomePosition>,
    /// Offsets into the source, in version 2.3 and before.
    span: Option<(usize, usize)>,
    source_code: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum BiomePath {
    Plain(String),
    Named { file: String },
}

#[derive(Deserialize)]
struct BiomePosition {
    line: Option<i64>,
    column: Option<i64>,
}

/// Reads the list of diagnostics.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    records("biome", "diagnostics", input, &mut |diagnostic: BiomeDiagnostic| {
        let rule = diagnostic.category.as_deref();
        let level = match diagnostic.severity.as_str() {
            _ if rule.is_some_and(|rule| rule.starts_with("lint/security/")) => {
                FindingLevel::Security
            }
            "error" | "fatal" => FindingLevel::Error,
            "warning" => FindingLevel::Warning,
            _ => FindingLevel::Info,
        };
        let (file, line, column) = diagnostic.location.as_ref().map_or(("", None, None), place);
        let message = match (diagnostic.description, diagnostic.message) {
            (Some(text), _) | (None, BiomeMessage::Plain(text)) => text,
            (None, BiomeMessage::Marked(parts)) => {
                parts.into_iter().map(|part| part.content).collect()
            }
        };
        let message = one_line(&message);
        let found = ToolFinding { tool: "biome", rule, level, message: &message, context: "" };
        out.finding(out.place(file, line, column), &found);
    })
}

fn place(location: &BiomeLocation) -> (&str, Option<u32>, Option<u32>) {
    let file = match &location.path {
        Some(BiomePath::Plain(file) | BiomePath::Named { file }) => file,
        None => "",
    };
    if let Some(start) = &location.start {
        return (file, number(start.line), number(start.column));
    }
    let before = match (&location.span, &location.source_code) {
        (Some((start, _)), Some(source)) => source.as_bytes().get(..*start),
        (Some(_) | None, Some(_) | None) => None,
    };
    let line = before.map(|before| memchr::memchr_iter(b'\n', before).count() + 1);
    (file, line.and_then(|line| u32::try_from(line).ok()), None)
}

#[cfg(test)]
mod tests {
    use super::super::sampled::{refuses_every_beginning, summaries};
    use super::*;

    const SAMPLE: &str = include_str!("../../tests/samples/biome/errors.json");
    const MARKED: &str = include_str!("../../tests/samples/biome/marked.json");

    #[test]
    fn lints_security_rules_and_syntax_errors_are_found() {
        assert_eq!(
            summaries(read, SAMPLE),
            [
                "warning biome lint/correctness/noUnusedVariables a.js:1:5 This variable unused is unused.",
                "error biome lint/suspicious/noDebugger a.js:2:1 This is an unexpected use of the debugger statement.",
                "error biome lint/suspicious/noSelfCompare a.js:3:5 This comparison uses the same expression on both sides.",
                "error biome lint/suspicious/noDoubleEquals a.js:3:7 Using == may be unsafe if you are relying on type coercion.",
                "error biome lint/correctness/noConstantCondition a.js:3:5 This condition always evaluates to the same value.",
                "security biome lint/security/noGlobalEval a.js:3:15 Do not use eval().",
                "error biome parse broken.js:1:10 expected a name for the function in a function declaration, but found none",
                "error biome parse broken.js:2:1 Expected an identifier, a member name, or a rest pattern but instead found the end of the file.",
                "error biome lint/correctness/noEmptyPattern broken.js:1:12 Unexpected empty object pattern.",
            ]
        );
    }

    #[test]
    fn the_form_of_earlier_versions_is_read() {
        assert_eq!(
            summaries(read, MARKED),
            [
                "error biome parse broken.js:1 expected a name for the function in a function declaration, but found none",
                "error biome parse broken.js:2 Expected an identifier, a member name, or a rest pattern but instead found the end of the file.",
                "error biome lint/correctness/noEmptyPattern broken.js:1 Unexpected empty object pattern.",
            ]
        );
        let bare = r#"{"diagnostics":[{"category":null,"severity":"information",
            "message":[{"content":"x "},{"content":"y"}],
            "location":{"path":null,"span":null,"sourceCode":null}}]}"#;
        assert_eq!(summaries(read, bare), ["info biome -  x y"]);
    }

    #[test]
    fn a_document_that_breaks_off_is_refused() {
        refuses_every_beginning(read, SAMPLE);
    }
}
