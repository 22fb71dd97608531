//! Lists the turns of a run, each with the reasons why it was not accepted.

use std::fmt::Write;

use ralph_core::evidence::GateReport;
use ralph_core::locale::Locale;
use ralph_core::{claim::plain, wording};
use ralph_store::IterationRecord;

use super::{ReportMarkup, ReportWording, RunReport, heading, span, words};
use crate::history;

/// Maximum number of reasons for one turn.
const REASONS: usize = 3;

/// Maximum length of a reason, in characters.
const REASON_CHARS: usize = 160;

/// Number of lines that are shown of output in an unknown format.
const PRINTED_LINES: usize = 8;

/// Returns the reasons why a gate does not pass, one per line: its findings, or
/// else the end of its output.
pub fn gate_reasons(report: &GateReport, locale: Locale) -> Vec<String> {
    let known = wording::what_fails(report, locale);
    if !known.is_empty() {
        return known.iter().map(|line| shortened(line)).collect();
    }
    let printed: Vec<&str> = report.tail.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &printed[printed.len().saturating_sub(PRINTED_LINES)..];
    last.iter().map(|line| shortened(line)).collect()
}

fn shortened(line: &str) -> String {
    let line = plain(line);
    let flat = line.split_whitespace().collect::<Vec<_>>().join(" ");
    match flat.char_indices().nth(REASON_CHARS) {
        Some((end, _)) => format!("{}…", &flat[..end]),
        None => flat,
    }
}

/// Lists the turns.
pub(super) fn section(report: &RunReport, out: &mut String, markup: ReportMarkup) {
    if report.iterations.is_empty() {
        return;
    }
    let words = words(&report.run);
    let locale = report.run.policy.locale;
    heading(out, markup, words.iterations);
    if markup == ReportMarkup::Markdown {
        out.push_str(words.columns);
        out.push_str("\n|--:|---|---|--:|---|--:|---|\n");
    }
    let returns = history::returns(&report.run, &report.iterations);
    for (record, back) in report.iterations.iter().zip(returns) {
        let elapsed = span(record.ended_at.since(record.started_at));
        let number = record.number;
        // Without a check, neither failures nor passes are known.
        let failing =
            if record.gates.is_empty() { "–".to_owned() } else { record.failing.to_string() };
        let turn = wording::turn_words(&record.turn, locale);
        let [claim, decision] = [&record.claim, &record.decision].map(|word| shown(word, locale));
        let back = back.map_or_else(String::new, |to| words.back.replace("{}", &nth(to, words)));
        let why = reasons(record, words, locale);
        // Writing to a string cannot fail.
        let _ = match markup {
            ReportMarkup::Markdown => {
                let why = why.join("<br>").replace('|', "\\|");
                writeln!(
                    out,
                    "| {number} | {turn} | {claim} | {failing} | {decision}{back} | {elapsed} | {why} |"
                )
            }
            ReportMarkup::Plain => {
                let (turn, claim) = (padded(turn, 14), padded(claim, 9));
                let decision = padded(decision, 11);
                let (said, fails) = (words.claim, words.failing);
                let why = why.iter().fold(String::new(), |text, line| text + "\n        " + line);
                writeln!(
                    out,
                    "{number:>4}  {turn} {said} {claim} {fails} {failing:<4} {decision} {elapsed:>8}{back}{why}"
                )
            }
        };
    }
    out.push('\n');
}

/// Returns the reasons why a turn was not accepted: weakened checks, then
/// failures.
fn reasons(record: &IterationRecord, words: &ReportWording, locale: Locale) -> Vec<String> {
    if record.decision == "complete" {
        return Vec::new();
    }
    let held = record.weakened.iter();
    let mut all: Vec<String> = held
        .map(|one| shortened(&format!("{}: {}: {}", words.held, one.place, one.what)))
        .collect();
    for gate in record.gates.iter().filter(|gate| gate.blocks()) {
        let found = gate_reasons(gate, locale);
        if found.is_empty() || record.gates.len() > 1 {
            all.push(format!("{}: {}", gate.name, wording::verdict(&gate.verdict, locale)));
        }
        all.extend(found);
    }
    let more = all.len().saturating_sub(REASONS);
    all.truncate(REASONS);
    if more > 0 {
        all.push(words.more.replace("{}", &more.to_string()));
    }
    all
}

/// Returns a word of a record in the language of the report.
fn shown(word: &str, locale: Locale) -> &str {
    match (locale, word) {
        (Locale::Ko, "none") => "없음",
        (Locale::Ko, "promise" | "marker") => "있음",
        (Locale::Ko, "near_miss") => "무효",
        (Locale::Ko, "continue") => "계속",
        (Locale::Ko, "complete") => "인정",
        (Locale::Ko, "give_up") => "포기",
        (Locale::Ko, "wait") => "대기",
        (Locale::Ko, "pause") => "일시 중지",
        (Locale::En, "near_miss") => "invalid",
        (Locale::En, "give_up") => "give up",
        (Locale::En | Locale::Ko, other) => other,
    }
}

/// Returns a text with blanks after it, up to a number of columns.
fn padded(text: &str, wide: usize) -> String {
    format!("{text}{}", " ".repeat(wide.saturating_sub(wording::columns(text))))
}

/// Returns the name of an iteration in the report.
fn nth(number: u32, words: &ReportWording) -> String {
    if number == 0 { words.start.to_owned() } else { format!("#{number}") }
}

#[cfg(test)]
#[path = "turns_tests.rs"]
mod tests;
