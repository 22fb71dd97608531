//! The proof of one run: why it ended, what was checked, on which tree.

use std::fmt::Write;
use std::time::Duration;

use ralph_core::evidence::GateReport;
use ralph_core::{Run, wording};
use ralph_store::{IterationRecord, RunStore, StoreError};
use serde::Serialize;

use crate::wire::{RunView, SCHEMA, moment};

/// How many iterations a report lists.
const LISTED: u32 = 1000;

/// Everything a report is made of.
#[derive(Clone, Debug)]
pub struct Report {
    /// The run.
    pub run: Run,
    /// Its iterations, oldest first.
    pub iterations: Vec<IterationRecord>,
}

/// How a report is marked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// For a terminal.
    Plain,
    /// For a file or a pull request.
    Markdown,
}

#[derive(Serialize)]
struct ReportView {
    schema: u32,
    #[serde(flatten)]
    run: RunView,
}

impl Report {
    /// Reads what is on record.
    pub fn load(store: &dyn RunStore, run: Run) -> Result<Self, StoreError> {
        let iterations = store.iterations(&run.id, LISTED)?;
        Ok(Self { run, iterations })
    }

    /// The report as one JSON object.
    pub fn json(&self) -> String {
        let view = ReportView { schema: SCHEMA, run: RunView::new(&self.run, &self.iterations) };
        serde_json::to_string_pretty(&view).unwrap_or_default()
    }

    /// The gates of the last judged iteration.
    pub fn final_gates(&self) -> &[GateReport] {
        let judged = self.iterations.iter().rev().find(|record| !record.gates.is_empty());
        judged.map_or(&[], |record| &record.gates)
    }

    /// The report as text.
    pub fn text(&self, markup: Markup) -> String {
        let mut out = String::new();
        let run = &self.run;
        heading(&mut out, markup, &format!("Report of {}", run.id));
        let _ = writeln!(out, "{}\n", wording::state_sentence(&run.state, run.policy.locale));
        facts(&mut out, markup, run);
        self.gate_section(&mut out, markup);
        self.iteration_section(&mut out, markup);
        undo_section(&mut out, markup, run);
        out
    }

    fn gate_section(&self, out: &mut String, markup: Markup) {
        let gates = self.final_gates();
        if gates.is_empty() {
            return;
        }
        heading(out, markup, "Gates");
        for gate in gates {
            let sign = if gate.passed() { "ok  " } else { "FAIL" };
            let known = if gate.cached { ", known from the same tree" } else { "" };
            let seconds = gate.elapsed.as_secs_f64();
            let _ = writeln!(
                out,
                "{sign} {}: `{}` {} ({seconds:.1}s{known})",
                gate.name,
                gate.command,
                gate.verdict.describe(),
            );
            block(out, markup, &gate.tail);
        }
        out.push('\n');
    }

    fn iteration_section(&self, out: &mut String, markup: Markup) {
        if self.iterations.is_empty() {
            return;
        }
        heading(out, markup, "Iterations");
        if markup == Markup::Markdown {
            out.push_str(
                "| # | turn | claim | failing | decision | time |\n|--:|---|---|--:|---|--:|\n",
            );
        }
        for record in &self.iterations {
            let elapsed = span(record.ended_at.since(record.started_at));
            let (number, failing) = (record.number, record.failing);
            let (turn, claim, decision) = (&record.turn, &record.claim, &record.decision);
            let _ = match markup {
                Markup::Markdown => writeln!(
                    out,
                    "| {number} | {turn} | {claim} | {failing} | {decision} | {elapsed} |"
                ),
                Markup::Plain => writeln!(
                    out,
                    "{number:>4}  {turn:<14} claim {claim:<9} failing {failing:<4} {decision:<11} {elapsed:>8}"
                ),
            };
        }
        out.push('\n');
    }
}

fn facts(out: &mut String, markup: Markup, run: &Run) {
    let task: String = run.task.text.chars().take(300).collect();
    let mut rows = vec![
        ("task", task.replace('\n', " ")),
        ("status", status(run)),
        ("iterations", format!("{} of at most {}", run.iteration, run.policy.limits.iterations)),
        ("started", moment(run.started_at)),
        ("ended", run.ended_at.map_or_else(|| "not yet".to_owned(), moment)),
        ("agent", format!("{} ({})", run.agent.name, run.agent.command.join(" "))),
        ("trust", run.policy.trust.name().to_owned()),
        ("tree", run.tree.as_ref().map_or_else(|| "not looked at".to_owned(), ToString::to_string)),
        ("work tree", run.worktree.clone()),
    ];
    if run.usage.tokens() > 0 || run.usage.cost.micros() > 0 {
        let usage = run.usage;
        rows.push((
            "cost",
            format!("{} tokens, {} (as the agent reported)", usage.tokens(), usage.cost),
        ));
    } else {
        rows.push(("cost", "not reported by the agent".to_owned()));
    }
    if let Some(best) = run.best {
        rows.push(("best", format!("iteration {} with {} failing", best.iteration, best.failing)));
    }
    for (name, value) in rows {
        let _ = match markup {
            Markup::Markdown => writeln!(out, "- **{name}**: {value}"),
            Markup::Plain => writeln!(out, "  {name:<11}{value}"),
        };
    }
    out.push('\n');
}

/// The status and its reason, as one word pair.
pub fn status(run: &Run) -> String {
    match run.state.reason() {
        Some(reason) => format!("{} ({reason})", run.state.status()),
        None => run.state.status().to_owned(),
    }
}

fn undo_section(out: &mut String, markup: Markup, run: &Run) {
    let Some(tree) = run.baseline.as_ref().and_then(|baseline| baseline.tree.as_ref()) else {
        return;
    };
    heading(out, markup, "Undo");
    let is_git = tree.as_str().len() == 40 || tree.as_str().len() == 64;
    if is_git && !tree.as_str().starts_with("files-") {
        let _ = writeln!(
            out,
            "The tree before the first turn is {tree}. To see or take back what changed since:\n"
        );
        block(out, markup, &format!("git diff {tree}\ngit restore --source={tree} -- PATH"));
    } else {
        let _ = writeln!(out, "The project is not in git: ralph kept no copy of its files.");
    }
}

fn heading(out: &mut String, markup: Markup, text: &str) {
    let _ = match markup {
        Markup::Markdown => writeln!(out, "## {text}\n"),
        Markup::Plain => writeln!(out, "{text}"),
    };
}

fn block(out: &mut String, markup: Markup, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    match markup {
        Markup::Markdown => {
            let _ = writeln!(out, "\n````text\n{}\n````\n", text.trim_end());
        }
        Markup::Plain => {
            for line in text.trim_end().lines() {
                let _ = writeln!(out, "       {line}");
            }
        }
    }
}

/// A span as people write it: `850ms`, `12.3s`, `4m05s`, `2h10m`.
pub fn span(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0 => format!("{}ms", span.as_millis()),
        1..60 => format!("{:.1}s", span.as_secs_f64()),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}
