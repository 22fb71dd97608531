//! The JSON of findings and test outcomes, and SARIF.

use std::collections::{BTreeMap, BTreeSet};

use ralph_core::evidence::GateReport;
use ralph_core::finding::{
    Finding, FindingCounts, FindingLevel, TestResults, TestState, ToolReport,
};
use serde::Serialize;
use serde_json::{Value, json};

/// The number of findings of each level.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CountsView {
    errors: u64,
    warnings: u64,
    infos: u64,
    security: u64,
}

/// The results of the tests.
#[derive(Clone, Debug, Serialize)]
pub struct TestsView {
    run: u64,
    passed: u64,
    failed: u64,
    skipped: u64,
    failures: Vec<FailureView>,
    /// The outcome of each test, by id; only if all were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcomes: Option<BTreeMap<String, &'static str>>,
}

impl TestsView {
    /// Returns the same with every test by its id, as far as ids are known.
    pub(super) fn with_outcomes(self, tests: &TestResults) -> Self {
        let outcomes = tests.states.iter().map(|(id, state)| (id.clone(), state.name()));
        Self { outcomes: Some(outcomes.collect()), ..self }
    }
}

#[derive(Clone, Debug, Serialize)]
struct FailureView {
    id: String,
    file: String,
    line: Option<u32>,
    message: String,
}

/// One finding.
#[derive(Clone, Debug, Serialize)]
pub struct FindingView {
    tool: String,
    rule: Option<String>,
    level: &'static str,
    file: String,
    line: Option<u32>,
    column: Option<u32>,
    message: String,
    fingerprint: String,
}

impl From<FindingCounts> for CountsView {
    fn from(counts: FindingCounts) -> Self {
        let FindingCounts { errors, security, warnings, infos } = counts;
        Self { errors, warnings, infos, security }
    }
}

impl From<&Finding> for FindingView {
    fn from(finding: &Finding) -> Self {
        Self {
            tool: finding.tool.clone(),
            rule: finding.rule.clone(),
            level: finding.level.name(),
            file: finding.place.file.clone(),
            line: finding.place.line,
            column: finding.place.column,
            message: finding.message.clone(),
            fingerprint: finding.fingerprint.clone(),
        }
    }
}

/// Returns the tests of a reading, if its tool runs tests.
pub(super) fn tests(reading: &ToolReport) -> Option<TestsView> {
    let tests = reading.tests.as_ref()?;
    let failed = tests.states.iter().filter(|(_, state)| **state == TestState::Failed);
    let failures = failed.map(|(id, _)| {
        let known = tests.failures.get(id).cloned().unwrap_or_default();
        FailureView {
            id: id.clone(),
            file: known.place.file,
            line: known.place.line,
            message: known.message,
        }
    });
    Some(TestsView {
        run: tests.counts.passed + tests.counts.failed,
        passed: tests.counts.passed,
        failed: tests.counts.failed,
        skipped: tests.counts.skipped,
        failures: failures.collect(),
        outcomes: None,
    })
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
        for failure in tests(&report.reading).into_iter().flat_map(|tests| tests.failures) {
            let text =
                if failure.message.is_empty() { "the test failed" } else { &failure.message };
            let text = format!("{}: {text}", failure.id);
            tools.entry(&report.name).or_default().push(json!({
                "level": "error",
                "message": { "text": text },
                "locations": locations(&failure.file, failure.line, None),
                "partialFingerprints": { "ralph/v1": format!("test {}", failure.id) },
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
    use crate::wire::GateView;

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
        let json = |view: GateView| serde_json::to_value(view).unwrap()["tests"].clone();
        let whole = json(GateView::with_every_test(&report()));
        assert_eq!(whole["outcomes"], json!({ "t::one": "failed" }));
        let mut brief = whole.clone();
        brief.as_object_mut().unwrap().remove("outcomes");
        assert_eq!(json(GateView::from(&report())), brief);
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
