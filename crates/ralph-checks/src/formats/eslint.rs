//! `eslint --format json`.

use std::io::BufRead;

use ralph_core::finding::FindingLevel;
use serde::Deserialize;

use super::json::{number, records};
use super::printed::one_line;
use super::{FindingCollector, FormatError, ToolFinding};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EslintFile {
    file_path: String,
    messages: Vec<EslintMessage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EslintMessage {
    rule_id: Option<String>,
    severity: i64,
    message: String,
    line: Option<i64>,
    column: Option<i64>,
}

/// Reads the list of files with their messages.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    records("eslint", "results", input, &mut |file: EslintFile| {
        for message in file.messages {
            let rule = message.rule_id.as_deref();
            let level = match (rule, message.severity) {
                (Some(rule), _) if rule.starts_with("security/") => FindingLevel::Security,
                (_, 2) => FindingLevel::Error,
                (_, 1) => FindingLevel::Warning,
                (_, _) => FindingLevel::Info,
            };
            let place = out.place(&file.file_path, number(message.line), number(message.column));
            let message = one_line(&message.message);
            let found = ToolFinding { tool: "eslint", rule, level, message: &message, context: "" };
            out.finding(place, &found);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::sampled::{refuses_every_beginning, summaries};
    use super::*;

    const SAMPLE: &str = include_str!("../../tests/samples/eslint/errors.json");

    #[test]
    fn errors_warnings_and_files_that_do_not_parse_are_found() {
        assert_eq!(
            summaries(read, SAMPLE),
            [
                "error eslint no-unused-vars js/a.js:1:5 'unused' is assigned a value but never used.",
                "error eslint no-debugger js/a.js:2:1 Unexpected 'debugger' statement.",
                "error eslint no-constant-condition js/a.js:3:5 Unexpected constant condition.",
                "warning eslint eqeqeq js/a.js:3:7 Expected '===' and instead saw '=='.",
                "error eslint no-undef js/a.js:4:1 'console' is not defined.",
                "error eslint no-undef js/a.js:4:13 'missing' is not defined.",
                "error eslint - js/broken.js:1:10 Parsing error: Unexpected token (",
            ]
        );
    }

    #[test]
    fn a_message_without_a_place_and_a_security_rule_are_found() {
        let text = r#"[{"filePath":"/project/a.js","messages":[
            {"ruleId":"security/detect-eval","severity":1,"message":"eval","line":1,"column":1},
            {"ruleId":null,"fatal":false,"severity":1,"message":"File ignored","line":null}]}]"#;
        assert_eq!(
            summaries(read, text),
            [
                "security eslint security/detect-eval a.js:1:1 eval",
                "warning eslint - a.js File ignored",
            ]
        );
    }

    #[test]
    fn a_document_that_breaks_off_is_refused() {
        refuses_every_beginning(read, SAMPLE);
    }
}
