//! The JSON of findings and test outcomes, and SARIF.

use std::collections::{BTreeMap, BTreeSet};

use ralph_core::evidence::GateReport;
use ralph_core::finding::{
    Finding, FindingCounts, FindingLevel, TestCounts, TestFailure, TestResults, TestState,
    ToolReport,
};
use serde_json::{Value, json};

/// Returns the number of findings of each level.
pub(super) fn counts(counts: FindingCounts) -> Value {
    let FindingCounts { errors, security, warnings, infos } = counts;
    json!({ "errors": errors, "warnings": warnings, "infos": infos, "security": security })
}

/// Returns one finding.
pub(super) fn finding(finding: &Finding) -> Value {
    let Finding { tool, rule, level, place, message, fingerprint } = finding;
    json!({
        "tool": tool,
        "rule": rule,
        "level": level.name(),
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "message": message,
        "fingerprint": fingerprint,
    })
}

/// Returns the failed tests by their ids.
fn failures(tests: &TestResults) -> impl Iterator<Item = (&String, TestFailure)> {
    let failed = tests.states.iter().filter(|(_, state)| **state == TestState::Failed);
    failed.map(|(id, _)| (id, tests.failures.get(id).cloned().unwrap_or_default()))
}

/// Returns the tests of a reading, if its tool runs tests.
pub(super) fn tests(reading: &ToolReport) -> Option<Value> {
    let tests = reading.tests.as_ref()?;
    let failure = |(id, TestFailure { place, message }): (&String, _)| json!({ "id": id, "file": place.file, "line": place.line, "message": message });
    let TestCounts { passed, failed, skipped } = tests.counts;
    Some(json!({
        "run": passed + failed,
        "passed": passed,
        "failed": failed,
        "skipped": skipped,
        "failures": failures(tests).map(failure).collect::<Vec<_>>(),
    }))
}

/// Returns all findings and failed tests of these gates as a SARIF 2.1.0 log.
pub fn sarif(reports: &[GateReport]) -> Value {
    let mut tools: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    let mut rules: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for report in reports {
        for finding in &report.reading.findings {
            // The same finding of a build and a linter is one result.
            if seen.insert((&finding.fingerprint, &finding.place)) {
                tools.entry(&finding.tool).or_default().push(result(finding));
            }
            rules.entry(&finding.tool).or_default().extend(finding.rule.as_deref());
        }
        for (id, failure) in report.reading.tests.iter().flat_map(failures) {
            let text =
                if failure.message.is_empty() { "the test failed" } else { &failure.message };
            let text = format!("{id}: {text}");
            tools.entry(&report.name).or_default().push(json!({
                "level": "error",
                "message": { "text": text },
                "locations": locations(&failure.place.file, failure.place.line, None),
                "partialFingerprints": { "ralph/v1": format!("test {id}") },
            }));
        }
    }
    let runs: Vec<Value> = tools
        .into_iter()
        .map(|(tool, results)| {
            let rules = rules.remove(tool).unwrap_or_default();
            let rules: Vec<Value> = rules.into_iter().map(|rule| json!({ "id": rule })).collect();
            json!({
                "tool": { "driver": { "name": tool, "rules": rules } },
                "results": results,
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": runs,
    })
}

fn result(finding: &Finding) -> Value {
    let level = match finding.level {
        FindingLevel::Error | FindingLevel::Security => "error",
        FindingLevel::Warning => "warning",
        FindingLevel::Info => "note",
    };
    let place = &finding.place;
    let mut result = json!({
        "level": level,
        "message": { "text": finding.message },
        "locations": locations(&place.file, place.line, place.column),
        "partialFingerprints": { "ralph/v1": finding.fingerprint },
    });
    if let Some(rule) = &finding.rule {
        result["ruleId"] = json!(rule);
    }
    if finding.level == FindingLevel::Security {
        result["properties"] = json!({ "tags": ["security"] });
    }
    result
}

fn locations(file: &str, line: Option<u32>, column: Option<u32>) -> Value {
    if file.is_empty() {
        return json!([]);
    }
    let mut physical = json!({ "artifactLocation": { "uri": file, "uriBaseId": "%SRCROOT%" } });
    if let Some(line) = line {
        physical["region"] = json!({ "startLine": line });
        if let Some(column) = column.filter(|column| *column > 0) {
            physical["region"]["startColumn"] = json!(column);
        }
    }
    json!([{ "physicalLocation": physical }])
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ralph_core::evidence::{GateExtent, Verdict};
    use ralph_core::finding::{SourceLocation, TestFailure};
    use ralph_core::policy::GateImportance;

    use super::*;
    use crate::wire::{gate, gate_with_every_test};

    fn report() -> GateReport {
        let mut finding = Finding {
            tool: "ruff".to_owned(),
            rule: Some("F401".to_owned()),
            level: FindingLevel::Warning,
            place: SourceLocation { file: "a b.py".to_owned(), line: Some(3), column: Some(0) },
            message: "unused".to_owned(),
            fingerprint: String::new(),
        };
        finding.identify("");
        let mut tests = TestResults::default();
        tests.states.insert("t::one".to_owned(), TestState::Failed);
        tests.failures.insert("t::one".to_owned(), TestFailure::default());
        let tests = Some(tests);
        let reading = ToolReport { findings: vec![finding], tests, ..ToolReport::default() };
        GateReport {
            name: "test_pass".to_owned(),
            need: GateImportance::Required,
            command: String::new(),
            verdict: Verdict::Pass,
            failing: BTreeSet::new(),
            reading,
            tail: String::new(),
            elapsed: Duration::ZERO,
            cached: false,
            usage: None,
            extent: GateExtent::Whole,
        }
    }

    #[test]
    fn every_test_is_listed_by_id_only_where_asked_for() {
        let whole = gate_with_every_test(&report())["tests"].clone();
        assert_eq!(whole["outcomes"], json!({ "t::one": "failed" }));
        let mut brief = whole.clone();
        brief.as_object_mut().unwrap().remove("outcomes");
        assert_eq!(gate(&report())["tests"], brief);
    }

    #[test]
    fn sarif_has_one_run_for_each_tool() {
        let log = sarif(&[report(), report()]);
        assert_eq!(log["version"], "2.1.0");
        assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(1), "{log}");
        let (ruff, tests) = (&log["runs"][0], &log["runs"][1]);
        assert_eq!(ruff["tool"]["driver"]["rules"][0]["id"], "F401");
        let region = &ruff["results"][0]["locations"][0]["physicalLocation"]["region"];
        assert_eq!(*region, json!({ "startLine": 3 }));
        assert_eq!(tests["results"][0]["message"]["text"], "t::one: the test failed");
        assert_eq!(tests["results"][0]["locations"], json!([]));
    }
}
