//! The report of one run: why it ended, its checks, and their tree.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;

use ralph_core::claim::plain;
use ralph_core::evidence::{GateReport, Verdict};
use ralph_core::feedback::last_chars;
use ralph_core::locale::Locale;
use ralph_core::policy::RuleEdition;
use ralph_core::{Run, wording};
use ralph_store::{EventQuery, IterationRecord, NewEvent, SqliteStore, StoreError};
use serde::Serialize;
use serde_json::{Value, json};

use crate::command_log::{CommandLog, CommandSource, SandboxRecord};
use crate::history::{self, HistoryCurves};
use crate::sandboxed_host;
use crate::wire::{RunView, SCHEMA, local_time, moment};

mod closing;
pub mod findings;
mod turns;

pub use closing::{closing, way_back};
pub use turns::gate_reasons;

/// Maximum number of iterations in a report.
const LISTED: u32 = 1000;

/// The data of a report.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// The run.
    pub run: Run,
    /// Its iterations, oldest first.
    pub iterations: Vec<IterationRecord>,
    /// The uses of tools by the agent, oldest first.
    tools: Vec<NewEvent>,
    /// The command that ended or paused it, and commands that its agent was
    /// refused.
    commands: CommandLog,
}

/// The markup of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportMarkup {
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
    /// The uses of tools by the agent, if its host reports them.
    tools: Vec<Value>,
    /// The source of the last command that ended or paused the run: `user` or
    /// `session`; `null` if there is none.
    asked_by: Option<&'static str>,
    /// Commands and tools that the agent of the run was refused.
    refused_commands: Vec<Value>,
    /// Rollbacks of its files, oldest first; `to` is `null` for the undoing of
    /// one.
    rollbacks: Vec<Value>,
    /// True if no program could have changed what the run was judged by.
    sealed: bool,
    /// The reason if it is not sealed; `session` for a run without a driver.
    unsealed_because: Option<String>,
    /// The sandboxes of its agent and its gates, with the promises that they
    /// did not keep.
    sandboxes: Vec<SandboxRecord>,
}

impl RunReport {
    /// Reads the records of a run.
    pub fn load(store: &SqliteStore, run: Run) -> Result<Self, StoreError> {
        let iterations = store.iterations(&run.id, LISTED)?;
        let query =
            EventQuery { run: Some(run.id.clone()), session: None, after: 0, limit: LISTED };
        let tools = store.events(&query)?.into_iter().map(|stored| stored.event);
        let tools = tools.filter(|event| event.kind == "tool_used").collect();
        let commands = CommandLog::load(store, &run.id)?;
        Ok(Self { run, iterations, tools, commands })
    }

    /// Returns the report as one JSON object.
    pub fn json(&self) -> String {
        let tools = self.tools.iter().map(|event| {
            let facts = serde_json::from_str(&event.data).ok().filter(Value::is_object);
            let mut view = facts.unwrap_or_else(|| json!({}));
            view["iteration"] = json!(event.iteration);
            view["at"] = json!(moment(event.at));
            view
        });
        let run = RunView::new(&self.run, &self.iterations);
        let refused = self.commands.refused.iter().map(|refused| {
            let (iteration, at) = (refused.iteration, moment(refused.at));
            json!({ "iteration": iteration, "at": at, "command": refused.command })
        });
        let rollbacks = self
            .commands
            .rollbacks
            .iter()
            .map(|done| json!({ "at": moment(done.at), "to": done.to, "files": done.files }));
        let unsealed = match &self.commands.seal {
            Some(Ok(())) => None,
            Some(Err(why)) => Some(why.clone()),
            None => sandboxed_host::unsealed(&self.commands.sandboxes)
                .map(|reason| reason.name().to_owned()),
        };
        let view = ReportView {
            schema: SCHEMA,
            run,
            tools: tools.collect(),
            asked_by: self.commands.source.map(CommandSource::name),
            refused_commands: refused.collect(),
            rollbacks: rollbacks.collect(),
            sealed: unsealed.is_none(),
            unsealed_because: unsealed,
            sandboxes: self.commands.sandboxes.clone(),
        };
        serde_json::to_string_pretty(&view).unwrap_or_default()
    }

    /// Returns the gates of the last judged iteration.
    pub fn final_gates(&self) -> &[GateReport] {
        let judged = self.iterations.iter().rev().find(|record| !record.gates.is_empty());
        judged.map_or(&[], |record| &record.gates)
    }

    /// Returns the report as text.
    pub fn text(&self, markup: ReportMarkup) -> String {
        let mut out = self.summary(markup);
        self.gate_section(&mut out, markup);
        self.tampering_section(&mut out, markup);
        self.refusal_section(&mut out, markup);
        turns::section(self, &mut out, markup);
        undo_section(&mut out, markup, &self.run);
        plain(&out)
    }

    /// Returns the head of the report and its iterations: enough for a screen.
    pub fn brief(&self, markup: ReportMarkup) -> String {
        let mut out = self.summary(markup);
        turns::section(self, &mut out, markup);
        plain(&out)
    }

    fn summary(&self, markup: ReportMarkup) -> String {
        let mut out = String::new();
        let run = &self.run;
        heading(&mut out, markup, &words(run).title.replace("{}", run.id.as_str()));
        let _ = writeln!(out, "{}", self.commands.state_sentence(run));
        for done in &self.commands.rollbacks {
            let _ = writeln!(out, "{}", done.sentence(run.policy.locale));
        }
        let sentences = self.commands.sandboxes.iter().map(|record| record.sentence.as_str());
        for sentence in sentences.collect::<BTreeSet<_>>() {
            let _ = writeln!(out, "{sentence}");
        }
        out.push('\n');
        facts(&mut out, markup, run, &history::curves(run, &self.iterations));
        out
    }

    fn gate_section(&self, out: &mut String, markup: ReportMarkup) {
        let (gates, words) = (self.final_gates(), words(&self.run));
        if gates.is_empty() {
            return;
        }
        heading(out, markup, words.gates);
        for gate in gates {
            let sign = match gate.verdict {
                Verdict::Pass => "ok  ",
                Verdict::Fail(_) | Verdict::Unclear { .. } => "FAIL",
                Verdict::Unknown { .. } => "?   ",
            };
            let known = if gate.cached { words.known } else { "" };
            let verdict = wording::verdict(&gate.verdict, self.run.policy.locale);
            let _ = writeln!(
                out,
                "{sign} {}: `{}` {verdict} ({}{known})",
                gate.name,
                gate.command,
                span(gate.elapsed),
            );
            if gate.blocks() {
                block(out, markup, &wording::what_fails(gate, self.run.policy.locale).join("\n"));
            }
            block(out, markup, &gate.tail);
        }
        out.push('\n');
    }

    /// Lists the changes of tests and checks after the last turn.
    fn tampering_section(&self, out: &mut String, markup: ReportMarkup) {
        let Some(last) = self.iterations.iter().rev().find(|record| !record.gates.is_empty())
        else {
            return;
        };
        let words = words(&self.run);
        let weakened: Vec<_> = last.weakened.iter().map(|one| (&one.place, &one.what)).collect();
        let edited: Vec<_> = last.edited.iter().map(|one| (&one.place, &one.what)).collect();
        for (title, changes) in [(words.weakened, weakened), (words.edited, edited)] {
            if changes.is_empty() {
                continue;
            }
            heading(out, markup, title);
            for (place, what) in changes {
                let _ = writeln!(out, "- {place}: {what}");
            }
            out.push('\n');
        }
    }

    /// Lists commands that are reserved for the user and that the agent tried.
    fn refusal_section(&self, out: &mut String, markup: ReportMarkup) {
        if self.commands.refused.is_empty() {
            return;
        }
        heading(out, markup, words(&self.run).refused);
        for refused in &self.commands.refused {
            let _ = writeln!(out, "- {}", refused.sentence(self.run.policy.locale));
        }
        out.push('\n');
    }
}

/// The words of a report in one language.
struct ReportWording {
    title: &'static str,
    gates: &'static str,
    iterations: &'static str,
    weakened: &'static str,
    edited: &'static str,
    refused: &'static str,
    undo: &'static str,
    known: &'static str,
    back: &'static str,
    start: &'static str,
    /// The head of the table of iterations.
    columns: &'static str,
    /// The word before a change that is held.
    held: &'static str,
    more: &'static str,
    claim: &'static str,
    failing: &'static str,
    of_at_most: &'static str,
    not_yet: &'static str,
    no_cost: &'static str,
    all_passed: &'static str,
    failed: &'static str,
    labels: [&'static str; 15],
}

const ENGLISH: ReportWording = ReportWording {
    title: "Report of {}",
    gates: "Gates",
    iterations: "Iterations",
    weakened: "Held changes, which keep the run from succeeding",
    edited: "Tests and checks that were edited",
    refused: "Commands that were refused to the agent",
    undo: "Undo",
    known: ", known from the same tree",
    back: "  back to {}",
    start: "the start",
    columns: "| # | turn | claim | failing | decision | time | why |",
    held: "held",
    more: "… {} more",
    claim: "claim",
    failing: "failing",
    of_at_most: "of at most",
    not_yet: "not yet",
    no_cost: "not reported by the agent",
    all_passed: "every gate passed",
    failed: "failed",
    labels: [
        "task",
        "status",
        "turns",
        "started",
        "ended",
        "agent",
        "trust",
        "at the start",
        "tree",
        "work tree",
        "cost",
        "errors",
        "tests",
        "best",
        "last words",
    ],
};

const KOREAN: ReportWording = ReportWording {
    title: "{} 보고서",
    gates: "검사",
    iterations: "반복",
    weakened: "보류되어 성공을 막는 변경",
    edited: "수정된 테스트와 검사",
    refused: "에이전트에게 거부된 명령",
    undo: "되돌리기",
    known: ", 같은 트리에서 확인됨",
    back: "  {} 상태로 돌아감",
    start: "시작",
    columns: "| # | 턴 | 완료 선언 | 실패 | 판정 | 시간 | 이유 |",
    held: "보류됨",
    more: "… 외 {}건",
    claim: "완료 선언",
    failing: "실패",
    of_at_most: "/ 최대",
    not_yet: "아직",
    no_cost: "에이전트가 보고하지 않음",
    all_passed: "모든 검사 통과",
    failed: "실패",
    labels: [
        "작업",
        "상태",
        "반복",
        "시작",
        "종료",
        "에이전트",
        "신뢰",
        "시작 시점",
        "트리",
        "작업 트리",
        "비용",
        "오류",
        "테스트",
        "최고",
        "마지막 말",
    ],
};

fn words(run: &Run) -> &'static ReportWording {
    run.policy.locale.say(&ENGLISH, &KOREAN)
}

fn facts(out: &mut String, markup: ReportMarkup, run: &Run, curves: &HistoryCurves) {
    let shown = |text: &str, most: usize| -> String {
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        flat.chars().take(most).collect()
    };
    let usage = run.usage;
    let words = words(run);
    let cost = match run.policy.locale {
        _ if usage == ralph_core::usage::Usage::default() => words.no_cost.to_owned(),
        Locale::En => format!("{} tokens, {} (as reported)", usage.tokens(), usage.cost),
        Locale::Ko => format!("토큰 {}개, {} (보고된 값)", usage.tokens(), usage.cost),
    };
    let (done, most) = (run.iteration, run.policy.limits.iterations);
    let values = [
        Some(shown(&run.task.text, 300)),
        Some(status(run)),
        Some(format!("{done} {} {most}", words.of_at_most)),
        Some(local_time(run.started_at)),
        Some(run.ended_at.map_or_else(|| words.not_yet.to_owned(), local_time)),
        Some(agent(run)),
        Some(trust(run)),
        at_the_start(run),
        run.tree.as_ref().map(ToString::to_string),
        Some(run.worktree.clone()),
        Some(cost),
        curves.errors.clone(),
        curves.tests.clone(),
        run.best.map(|best| {
            let score = wording::score(&best.score, run.policy.locale);
            format!("#{}: {score}", best.iteration)
        }),
        (!run.last_output.is_empty()).then(|| shown(last_chars(&run.last_output, 300), 300)),
    ];
    for (name, value) in words.labels.into_iter().zip(values) {
        let Some(value) = value else { continue };
        // Writing to a string cannot fail.
        let _ = match markup {
            ReportMarkup::Markdown => writeln!(out, "- **{name}**: {value}"),
            ReportMarkup::Plain => {
                let gap = " ".repeat(14_usize.saturating_sub(wording::columns(name)));
                writeln!(out, "  {name}{gap}{value}")
            }
        };
    }
    out.push('\n');
}

fn agent(run: &Run) -> String {
    match run.agent.command.as_slice() {
        [] => run.agent.name.clone(),
        words => format!("{} ({})", run.agent.name, words.join(" ")),
    }
}

/// Returns the policy's trust, and the rules of the run.
fn trust(run: &Run) -> String {
    let name = run.policy.trust.name();
    match run.policy.edition {
        RuleEdition::Second => name.to_owned(),
        RuleEdition::First => run.policy.locale.say(
            format!("{name} (by the rules of the version that began it)"),
            format!("{name} (시작한 버전의 규칙을 따름)"),
        ),
    }
}

/// Returns the gates' results before the first turn: success may depend on
/// them.
fn at_the_start(run: &Run) -> Option<String> {
    let baseline = run.baseline.as_ref().filter(|_| run.policy.measures())?;
    let red: Vec<&str> = baseline.red.iter().map(String::as_str).collect();
    let words = words(run);
    Some(if red.is_empty() {
        words.all_passed.to_owned()
    } else {
        format!("{} {}", red.join(", "), words.failed)
    })
}

/// Returns the status and its reason, as one pair of words.
pub fn status(run: &Run) -> String {
    wording::state_words(&run.state, run.policy.locale)
}

/// Tells how to see and undo the changes.
fn undo_section(out: &mut String, markup: ReportMarkup, run: &Run) {
    heading(out, markup, words(run).undo);
    let id = &run.id;
    let commands = format!(
        "ralph diff --run {id} start..last\nralph rollback {id} --dry-run\nralph rollback {id}"
    );
    block(out, markup, &commands);
}

fn heading(out: &mut String, markup: ReportMarkup, text: &str) {
    // Writing to a string cannot fail.
    let _ = match markup {
        ReportMarkup::Markdown => writeln!(out, "## {text}\n"),
        ReportMarkup::Plain => writeln!(out, "{text}"),
    };
}

fn block(out: &mut String, markup: ReportMarkup, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    match markup {
        ReportMarkup::Markdown => {
            let _ = writeln!(out, "\n````text\n{}\n````\n", text.trim_end());
        }
        ReportMarkup::Plain => {
            for line in text.trim_end().lines() {
                let _ = writeln!(out, "       {line}");
            }
        }
    }
}

/// Formats a duration for people: `850ms`, `12.3s`, `4m05s`, `2h10m`.
pub fn span(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0 => format!("{}ms", span.as_millis()),
        1..60 => format!("{:.1}s", span.as_secs_f64()),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// Formats a number of bytes for people: `850 B`, `12 KB`, `4 MB`, `2.1 GB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} KB", bytes / 1_000),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{}.{} GB", bytes / 1_000_000_000, bytes / 100_000_000 % 10),
    }
}
