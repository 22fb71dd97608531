//! Renders the findings of gates: a table of gates, then the findings by file.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::report::span;
use ralph_core::evidence::GateReport;
use ralph_core::finding::{Finding, FindingLevel, TestState, test_name};
use ralph_core::locale::Locale;
use ralph_core::wording;

use crate::texts::{one_line, table};

/// Findings of a file that are listed without `--all`.
pub const FEW: usize = 5;

/// Files and failed tests that are listed without `--all`.
const FEW_PLACES: usize = 20;

/// Renders the output of `ralph check`.
pub fn render(reports: &[GateReport], most: usize, locale: Locale) -> String {
    let mut text = summary(reports, locale);
    text.push_str(&failed_tests(reports, most, locale));
    text.push_str(&by_file(reports, most));
    text.push_str(&left_out(reports, most, locale));
    // Output that could not be parsed is shown as it is.
    for report in reports.iter().filter(|report| !report.passed() && is_opaque(report)) {
        let tail = report.tail.trim_end();
        if tail.is_empty() {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{}:\n{tail}", report.name);
    }
    text
}

fn summary(reports: &[GateReport], locale: Locale) -> String {
    let heads = locale.say(
        ["gate", "result", "errors", "security", "warnings", "tests", "time"],
        ["게이트", "결과", "오류", "보안", "경고", "테스트", "시간"],
    );
    let rows = reports.iter().map(|report| {
        let counts = report.reading.counts;
        let number = |count: u64| if count == 0 { "-".to_owned() } else { count.to_string() };
        let elapsed = if report.cached {
            locale.say("cached".to_owned(), "캐시".to_owned())
        } else {
            span(report.elapsed)
        };
        vec![
            report.name.clone(),
            result(report, locale),
            number(counts.errors),
            number(counts.security),
            number(counts.warnings),
            tests(report),
            elapsed,
        ]
    });
    table(&heads, rows)
}

fn result(report: &GateReport, locale: Locale) -> String {
    let verdict = one_line(&wording::verdict(&report.verdict, locale), 60);
    verdict + wording::extent(report.extent, locale)
}

/// Renders `passed/run`, with the number of skipped tests.
fn tests(report: &GateReport) -> String {
    let Some(counts) = report.reading.tests.as_ref().map(|tests| tests.counts) else {
        return "-".to_owned();
    };
    let run = counts.passed + counts.failed;
    let skipped =
        if counts.skipped == 0 { String::new() } else { format!(" (+{} skipped)", counts.skipped) };
    format!("{}/{run}{skipped}", counts.passed)
}

fn failed_tests(reports: &[GateReport], most: usize, locale: Locale) -> String {
    let mut text = String::new();
    for report in reports {
        let Some(tests) = &report.reading.tests else { continue };
        let failed: Vec<&String> = tests
            .states
            .iter()
            .filter(|(_, state)| **state == TestState::Failed)
            .map(|(id, _)| id)
            .collect();
        if failed.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{}:", report.name);
        for id in failed.iter().take(most.max(FEW_PLACES)) {
            let known = tests.failures.get(*id).cloned().unwrap_or_default();
            let place = known.place.display();
            let place = if place.is_empty() { String::new() } else { format!("  {place}") };
            let _ = writeln!(text, "  {}{place}", test_name(id));
            if !known.message.is_empty() {
                let _ = writeln!(text, "      {}", one_line(&known.message, 110));
            }
        }
        text.push_str(&more(failed.len(), most.max(FEW_PLACES)));
        let unnamed = report.unnamed_tests();
        if unnamed > 0 {
            let _ = writeln!(text, "  {}", wording::unnamed_tests(unnamed, locale));
        }
    }
    text
}

fn by_file(reports: &[GateReport], most: usize) -> String {
    let mut files: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    let listed = |report: &&GateReport, finding: &&Finding| {
        finding.level != FindingLevel::Info || most == usize::MAX || fails_with_remarks(report)
    };
    let findings = reports.iter().flat_map(|report| {
        report.reading.findings.iter().filter(move |finding| listed(&report, finding))
    });
    for finding in findings {
        let listed = files.entry(&finding.place.file).or_default();
        // A finding of both a build and a linter is listed once.
        if !listed.contains(&finding) {
            listed.push(finding);
        }
    }
    let mut text = String::new();
    let count = files.len();
    for (file, mut findings) in files.into_iter().take(most.max(FEW_PLACES)) {
        findings.sort_by_key(|finding| (finding.level, finding.place.line));
        let _ = writeln!(text, "\n{}", if file.is_empty() { "(project)" } else { file });
        for finding in findings.iter().take(most) {
            let _ = writeln!(text, "{}", finding_line(finding));
        }
        text.push_str(&more(findings.len(), most));
    }
    text.push_str(&more(count, most.max(FEW_PLACES)));
    text
}

/// Renders the number of remarks that are not listed.
fn left_out(reports: &[GateReport], most: usize, locale: Locale) -> String {
    let hidden = reports.iter().filter(|report| !fails_with_remarks(report));
    let infos: u64 = hidden.map(|report| report.reading.counts.infos).sum();
    match (infos, locale) {
        (0, _) => String::new(),
        _ if most == usize::MAX => String::new(),
        (1, Locale::En) => "\n1 remark is not listed (--all)\n".to_owned(),
        (_, Locale::En) => format!("\n{infos} remarks are not listed (--all)\n"),
        (_, Locale::Ko) => format!("\n참고 사항 {infos}건은 생략됨 (--all)\n"),
    }
}

fn finding_line(finding: &Finding) -> String {
    let at = finding.place.line.map_or_else(String::new, |line| line.to_string());
    let rule = finding.rule.as_deref().map_or_else(String::new, |rule| format!(" {rule}"));
    let message = one_line(&finding.message, 100);
    format!("  {at:>5}  {:<8}  {message}  [{}{rule}]", finding.level.name(), finding.tool)
}

fn more(all: usize, shown: usize) -> String {
    if all > shown { format!("  … and {} more (--all)\n", all - shown) } else { String::new() }
}

/// Returns true if a gate failed with nothing worse than remarks, which are then the reason.
fn fails_with_remarks(report: &GateReport) -> bool {
    let counts = report.reading.counts;
    let failed = report.reading.tests.as_ref().is_some_and(|tests| tests.counts.failed > 0);
    !report.passed() && !failed && counts.errors + counts.security + counts.warnings == 0
}

/// Returns true if nothing in the output of a failing gate could be parsed.
fn is_opaque(report: &GateReport) -> bool {
    let named = report.reading.tests.as_ref().is_some_and(|tests| !tests.failures.is_empty());
    !named && report.reading.findings.is_empty()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use ralph_core::evidence::{GateExtent, GateFault, Verdict};
    use ralph_core::finding::{SourceLocation, ToolReport};
    use ralph_core::policy::GateImportance;

    use super::*;

    fn report(findings: Vec<Finding>) -> GateReport {
        let mut reading = ToolReport::default();
        for finding in &findings {
            reading.counts.add(finding.level, 1);
        }
        reading.findings = findings;
        GateReport {
            name: "lint_clean".to_owned(),
            need: GateImportance::Required,
            command: "lint".to_owned(),
            verdict: Verdict::Fail(GateFault::Exit(1)),
            failing: BTreeSet::new(),
            reading,
            tail: "raw words".to_owned(),
            elapsed: Duration::from_millis(1234),
            cached: false,
            usage: None,
            extent: GateExtent::Whole,
        }
    }

    fn finding(line: u32, level: FindingLevel) -> Finding {
        Finding {
            tool: "ruff".to_owned(),
            rule: Some("F401".to_owned()),
            level,
            place: SourceLocation { file: "a.py".to_owned(), line: Some(line), column: None },
            message: format!("message {line}"),
            fingerprint: String::new(),
        }
    }

    #[test]
    fn findings_are_grouped_by_file_the_worst_first() {
        let found = vec![finding(3, FindingLevel::Warning), finding(9, FindingLevel::Error)];
        let text = render(&[report(found)], FEW, Locale::En);
        let error = text.find("9  error     message 9  [ruff F401]").unwrap();
        let warning = text.find("3  warning   message 3  [ruff F401]").unwrap();
        assert!(error < warning, "{text}");
        assert!(!text.contains("raw words"), "{text}");
    }

    #[test]
    fn what_two_gates_found_is_listed_once() {
        let found = || vec![finding(3, FindingLevel::Warning)];
        let text = render(&[report(found()), report(found())], FEW, Locale::En);
        assert_eq!(text.matches("message 3").count(), 1, "{text}");
    }

    #[test]
    fn remarks_are_counted_where_they_are_not_listed() {
        let passed = || GateReport {
            verdict: Verdict::Pass,
            ..report(vec![finding(3, FindingLevel::Info)])
        };
        let text = render(&[passed()], FEW, Locale::En);
        assert!(text.contains("1 remark is not listed") && !text.contains("message"), "{text}");
        let text = render(&[passed()], usize::MAX, Locale::En);
        assert!(!text.contains("not listed") && text.contains("message 3"), "{text}");
    }

    #[test]
    fn remarks_are_listed_where_a_gate_fails_and_there_is_nothing_else() {
        let text = render(&[report(vec![finding(3, FindingLevel::Info)])], FEW, Locale::En);
        assert!(text.contains("message 3") && !text.contains("not listed"), "{text}");
    }

    #[test]
    fn a_gate_that_printed_nothing_gets_no_heading() {
        let silent = GateReport { tail: String::new(), ..report(Vec::new()) };
        assert!(!render(&[silent], FEW, Locale::En).contains("lint_clean:"));
    }

    #[test]
    fn long_lists_are_cut_and_say_so() {
        let found: Vec<_> = (1..=9).map(|line| finding(line, FindingLevel::Error)).collect();
        let text = render(&[report(found.clone())], FEW, Locale::En);
        assert!(text.contains("… and 4 more (--all)"), "{text}");
        let text = render(&[report(found)], usize::MAX, Locale::En);
        assert!(text.contains("message 9") && !text.contains("more"), "{text}");
    }

    #[test]
    fn output_that_was_not_understood_is_shown_as_it_was_printed() {
        let text = render(&[report(Vec::new())], FEW, Locale::Ko);
        assert!(text.contains("lint_clean:\nraw words"), "{text}");
        assert!(text.contains("게이트"), "{text}");
    }
}
