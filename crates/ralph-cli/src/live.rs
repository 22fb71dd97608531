//! Shows a run while it works: a status line on a terminal, plain lines elsewhere, JSON
//! for programs.

use std::io::{self, Write};
use std::time::Duration;

use ralph_agents::OutputPieceKind;
use ralph_core::evidence::{GateReport, TestEdit, Verdict, WeakenedCheck};
use ralph_core::locale::Locale;
use ralph_core::policy::Trust;
use ralph_core::state::WaitReason;
use ralph_core::usage::{Usage, Usd};
use ralph_core::{Run, RunId, Timestamp, wording};
use ralph_engine::events::{EventSink, IterationSummary, RunEvent, RunStart};
use ralph_engine::history::failing_curve;
use ralph_engine::report::{gate_reasons, span};
use ralph_engine::wire::{event_line, local_time};
use ralph_snapshot::WorkProgress;

use crate::region::LiveRegion;
use crate::texts::{counted, one_line};
use crate::{out, texts};

/// Time between two updates of the status line.
const REDRAW: Duration = Duration::from_millis(500);

/// Width of a line of the agent's output outside a terminal, in characters.
const OUTPUT_CHARS: usize = 200;

/// Number of places listed at the end of a turn, and of reasons for each gate.
const NAMED: usize = 5;

/// Makes the sink for a person: lines for events, and on a terminal a status line below them.
pub(crate) fn for_people(locale: Locale) -> Box<dyn EventSink> {
    Box::new(TerminalReporter {
        locale,
        colours: out::colours(&io::stderr()),
        status: StatusLine::default(),
        printed: Vec::new(),
        region: LiveRegion::default(),
        drawn: None,
        hinted: false,
        known: Vec::new(),
        judged: Vec::new(),
    })
}

/// Prints one JSON object per line to stdout.
pub(crate) struct JsonLines {
    run: RunId,
    seq: u64,
}

impl JsonLines {
    pub(crate) fn new(run: RunId) -> Self {
        Self { run, seq: 0 }
    }
}

impl EventSink for JsonLines {
    fn event(&mut self, event: &RunEvent<'_>, at: Timestamp) {
        self.seq += 1;
        out::line(event_line(event, &self.run, self.seq, at));
    }
}

/// The contents of the status line.
#[derive(Default)]
struct StatusLine {
    iteration: u32,
    max: u32,
    began: Option<Timestamp>,
    doing: String,
    /// The progress of a snapshot that takes long.
    snapshot: Option<String>,
    failing: Vec<u32>,
    gates: String,
    usage: Usage,
}

struct TerminalReporter {
    locale: Locale,
    colours: bool,
    status: StatusLine,
    /// The last lines that the agent printed in this turn.
    printed: Vec<String>,
    region: LiveRegion,
    /// The moment when the region was last drawn.
    drawn: Option<Timestamp>,
    /// True once the hint on accepting held changes was printed.
    hinted: bool,
    /// Cached results that were not printed yet: the gates' names and their lines.
    known: Vec<(String, String)>,
    /// The verdicts of gates in this turn.
    judged: Vec<(String, Verdict)>,
}

impl EventSink for TerminalReporter {
    fn event(&mut self, event: &RunEvent<'_>, at: Timestamp) {
        match event {
            RunEvent::RunStarted { run, how } => self.started(run, *how, at),
            RunEvent::GateStarted { name, .. } => {
                self.leave_printed(at);
                self.status.doing = self.say(&format!("gate {name}"), &format!("검사 {name}"));
                self.draw(at);
            }
            RunEvent::GateFinished { report, iteration } => self.gate(report, *iteration, at),
            RunEvent::IterationStarted { run } => {
                self.say_known(at);
                self.judged.clear();
                self.status.iteration = run.iteration;
                self.status.gates.clear();
                self.status.usage = run.usage;
                self.status.doing = self.say("agent at work", "에이전트 작업 중");
                self.draw(at);
            }
            RunEvent::AgentOutput { kind, text, .. } => self.said(*kind, text, at),
            RunEvent::IterationEnded { run, iteration, summary } => {
                self.leave_printed(at);
                self.say_known(at);
                self.ended(run, *iteration, summary, at);
            }
            RunEvent::Waiting { wait, .. } => self.waiting(wait, at),
            RunEvent::Notice { text, .. } => {
                let note = self.say("note", "참고");
                self.print(&format!("{note}: {text}"), at);
            }
            RunEvent::RunEnded { learned: Some(learned), .. } => {
                self.wipe();
                out::note(learned);
            }
            RunEvent::RunEnded { learned: None, .. } | RunEvent::RunBroken { .. } => self.wipe(),
        }
    }

    fn last_lines(&mut self, lines: &[String], at: Timestamp) {
        self.printed = lines.iter().map(|line| one_line(line, OUTPUT_CHARS)).collect();
        self.draw(at);
    }

    fn work_progress(&mut self, progress: Option<WorkProgress>, at: Timestamp) {
        self.status.snapshot = progress.map(|progress| {
            let progress = texts::work_progress(progress, self.locale);
            let which = if self.status.iteration == 0 {
                self.say("taking the first snapshot", "첫 스냅샷을 만드는 중")
            } else {
                self.say("taking a snapshot", "스냅샷을 만드는 중")
            };
            format!("{which}: {progress}")
        });
        self.draw(at);
    }

    fn tick(&mut self, at: Timestamp) {
        if self.drawn.is_some_and(|drawn| at.since(drawn) >= REDRAW) {
            self.draw(at);
        }
    }
}

impl TerminalReporter {
    fn say(&self, en: &str, ko: &str) -> String {
        self.locale.say(en.to_owned(), ko.to_owned())
    }

    fn started(&mut self, run: &Run, how: RunStart, at: Timestamp) {
        self.status.max = run.policy.limits.iterations;
        self.status.iteration = run.iteration;
        self.status.began = Some(run.started_at);
        if how == RunStart::Resumed {
            return;
        }
        let limits = &run.policy.limits;
        let duration = ralph_config::render_span(limits.duration);
        let line = self.say(
            &format!(
                "{} started: at most {} and {duration}, {}.",
                run.id,
                counted(limits.iterations, "turn"),
                judged_by(run),
            ),
            &format!(
                "{} 실행을 시작합니다: 최대 {}회 반복, {}, {}.",
                run.id,
                limits.iterations,
                wording::host::spoken_span(limits.duration, Locale::Ko),
                judged_by(run),
            ),
        );
        self.print(&line, at);
    }

    fn gate(&mut self, report: &GateReport, iteration: u32, at: Timestamp) {
        let (sign, colour) = if report.passed() { ("✓", "32") } else { ("✗", "31") };
        let when = if iteration == 0 {
            self.say("before the first turn", "첫 턴 전")
        } else {
            format!("#{iteration}")
        };
        let known =
            if report.cached { self.say(", same tree", ", 같은 트리") } else { String::new() };
        let line = format!(
            "  {} {when} {}: {} ({}{known})",
            self.paint(sign, colour),
            report.name,
            wording::verdict(&report.verdict, self.locale),
            span(report.elapsed)
        );
        self.known.retain(|(name, _)| *name != report.name);
        let said = (report.name.clone(), report.verdict.clone());
        // A repeated gate is only printed if its verdict differs.
        if self.judged.contains(&said) {
            return;
        }
        if report.cached {
            self.known.push((said.0, line));
            return;
        }
        self.status.gates.push_str(sign);
        self.judged.push(said);
        self.print(&line, at);
    }

    /// Prints the cached results of gates that did not run.
    fn say_known(&mut self, at: Timestamp) {
        for (_, line) in std::mem::take(&mut self.known) {
            self.print(&line, at);
        }
    }

    fn ended(&mut self, run: &Run, iteration: u32, summary: &IterationSummary<'_>, at: Timestamp) {
        if !summary.gates.is_empty() {
            self.status.failing.push(summary.failing);
        }
        self.status.gates.clear();
        let claim = match summary.claim {
            "none" => self.say("no claim", "완료 선언 없음"),
            "near_miss" => self.say("no valid claim", "유효하지 않은 완료 선언"),
            _ => self.say("says it is done", "완료 선언"),
        };
        let verdict = match summary.decision {
            "continue" if claim_was_made(summary) => self.say("rejected, going on", "거부됨, 계속"),
            "continue" => self.say("going on", "계속"),
            "complete" => self.say("accepted", "인정"),
            "wait" => self.say("waiting", "대기"),
            "pause" => self.say("paused", "일시 중지"),
            _ => self.say("giving up", "포기"),
        };
        let max = run.policy.limits.iterations;
        let turn = self.turn_remark(summary.turn);
        if summary.decision != "complete" {
            self.why(summary, at);
        }
        self.tampering(summary, at);
        if summary.decision == "complete" {
            self.edits(run, summary, at);
        }
        let line =
            format!("#{iteration}/{max} {claim}{turn} → {verdict} ({})", span(summary.elapsed));
        self.print(&line, at);
    }

    /// Prints the agent's last lines so that they stay above later ones.
    fn leave_printed(&mut self, at: Timestamp) {
        for line in std::mem::take(&mut self.printed) {
            let line = self.paint(&format!("│ {line}"), "2");
            self.print(&format!("  {line}"), at);
        }
    }

    /// Prints the agent's texts and actions. Plain output is shown only as the last lines.
    fn said(&mut self, kind: OutputPieceKind, text: &str, at: Timestamp) {
        const LINES: usize = 12;
        const WIDE: usize = 200;
        let (sign, colour) = match kind {
            OutputPieceKind::Output => return,
            OutputPieceKind::Text => ("│", "0"),
            OutputPieceKind::Tool => ("→", "36"),
            OutputPieceKind::Child => ("  ↳", "36"),
            OutputPieceKind::Note => ("·", "33"),
        };
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        for line in lines.iter().take(LINES) {
            let line = self.paint(&one_line(line, WIDE), colour);
            self.print(&format!("  {sign} {line}"), at);
        }
        if let Some(more) = lines.len().checked_sub(LINES).filter(|more| *more > 0) {
            let text = self.say("more lines", "줄 더");
            self.print(&format!("  {sign} … {more} {text}"), at);
        }
    }

    /// Describes how a turn ended, if not normally.
    fn turn_remark(&self, turn: &str) -> String {
        match turn {
            "finished" => String::new(),
            _ => format!(", {}", wording::turn_words(turn, self.locale)),
        }
    }

    /// Prints the changes of tests and checks that are held, place by place.
    fn tampering(&mut self, summary: &IterationSummary<'_>, at: Timestamp) {
        let head = self.say("held", "보류됨");
        let places = summary.weakened.iter().map(|WeakenedCheck { place, what }| (place, what));
        self.places(&head, places, at);
        if summary.weakened.len() > NAMED {
            let more = summary.weakened.len() - NAMED;
            let text = self.say("more; `ralph report` lists them", "건 더: `ralph report`로 확인");
            self.print(&format!("      … {more} {text}"), at);
        }
        // After a run has ended, its held changes cannot be accepted.
        let has_path = summary.weakened.iter().any(WeakenedCheck::has_path);
        let can_accept = has_path && summary.decision != "give_up";
        if can_accept && !std::mem::replace(&mut self.hinted, true) {
            let text = self.say(
                "(intended? `ralph allow PATH` accepts it)",
                "(의도한 변경이라면 `ralph allow PATH` 로 허용할 수 있습니다)",
            );
            self.print(&format!("      {text}"), at);
        }
    }

    /// Prints the changes of tests and checks in accepted work, and what the original
    /// tests say about it.
    fn edits(&mut self, run: &Run, summary: &IterationSummary<'_>, at: Timestamp) {
        let heads = [self.say("edited", "수정된 검사"), self.say("checked", "확인됨")];
        for TestEdit { place, what } in summary.edited.iter().take(NAMED) {
            let head = &heads[usize::from(run.policy.names_gates(place))];
            self.places(head, std::iter::once((place, what)), at);
        }
        if summary.edited.len() > NAMED {
            let more = summary.edited.len() - NAMED;
            let text = self.say("more; `ralph report` lists them", "건 더: `ralph report`로 확인");
            self.print(&format!("      … {more} {text}"), at);
        }
    }

    fn places<'s>(
        &mut self,
        head: &str,
        places: impl Iterator<Item = (&'s String, &'s String)>,
        at: Timestamp,
    ) {
        for (place, what) in places.take(NAMED) {
            self.print(&format!("      {head}: {place}: {}", one_line(what, 160)), at);
        }
    }

    /// Prints why a turn is not accepted: the failures, or else the end of the gate's output.
    fn why(&mut self, summary: &IterationSummary<'_>, at: Timestamp) {
        for report in summary.gates.iter().filter(|report| report.blocks()) {
            let lines = gate_reasons(report, self.locale);
            if summary.gates.len() > 1 && !lines.is_empty() {
                self.print(&format!("    {}:", report.name), at);
            }
            for line in lines.iter().take(NAMED) {
                self.print(&format!("      {line}"), at);
            }
            if let Some(more) = lines.len().checked_sub(NAMED).filter(|more| *more > 0) {
                let text =
                    self.say("more; `ralph report` lists them", "건 더: `ralph report`로 확인");
                self.print(&format!("      … {more} {text}"), at);
            }
        }
    }

    fn waiting(&mut self, wait: &WaitReason, at: Timestamp) {
        let line = match wait {
            WaitReason::Limit { until } => {
                let until = local_time(*until);
                self.say(
                    &format!(
                        "waiting until {until}: the provider accepts no work; this costs no turn"
                    ),
                    &format!(
                        "제공자가 작업을 받지 않아 {until}까지 대기 (반복 횟수에 포함되지 않음)"
                    ),
                )
            }
            WaitReason::Human { question } => {
                let question = one_line(question, 500);
                self.say(
                    &format!("waiting for a person: {question}"),
                    &format!("사람의 답을 기다리는 중: {question}"),
                )
            }
            WaitReason::Child | WaitReason::Host => return,
        };
        self.print(&line, at);
    }

    fn paint(&self, text: &str, colour: &str) -> String {
        if self.colours { format!("\x1b[{colour}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Prints a line above the status line.
    fn print(&mut self, line: &str, at: Timestamp) {
        self.wipe();
        out::painted(line);
        self.draw(at);
    }

    fn wipe(&mut self) {
        self.drawn = None;
        if let Some(wide) = out::width(&io::stderr()) {
            // A view that cannot be shown does not stop the run.
            let _ = write!(io::stderr().lock(), "{}", self.region.wipe(wide));
        }
    }

    fn draw(&mut self, at: Timestamp) {
        let Some(wide) = out::width(&io::stderr()) else { return };
        let elapsed = self.status.began.map_or(Duration::ZERO, |began| at.since(began));
        let mut lines: Vec<String> =
            self.printed.iter().map(|line| format!("  │ {line}")).collect();
        lines.push(self.status.line(elapsed));
        let (status, colours) = (lines.len() - 1, self.colours);
        let dim = |index: usize, line: &str| match (index < status, colours) {
            (true, true) => format!("\x1b[2m{line}\x1b[0m"),
            (_, false) | (false, true) => line.to_owned(),
        };
        // A view that cannot be shown does not stop the run.
        let _ = write!(io::stderr().lock(), "{}", self.region.draw(&lines, wide, dim));
        self.drawn = Some(at);
    }
}

impl StatusLine {
    /// Renders `[2/10] 00:12  agent at work ✗ █▄ 3  $0.1200`.
    fn line(&self, elapsed: Duration) -> String {
        let Self { iteration, max, gates, .. } = self;
        let doing = self.snapshot.as_ref().unwrap_or(&self.doing);
        let clock = stopwatch(elapsed);
        let spent = match self.usage {
            usage if usage == Usage::default() => String::new(),
            usage if usage.cost == Usd::default() => counted(usage.tokens(), "token"),
            usage => usage.cost.to_string(),
        };
        let facts = [gates.clone(), failing_curve(&self.failing), spent];
        let facts: Vec<String> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
        format!("[{iteration}/{max}] {clock}  {doing}  {}", facts.join("  ")).trim_end().to_owned()
    }
}

/// Describes briefly what ends the run with success.
fn judged_by(run: &Run) -> String {
    let gates: Vec<&str> = run.policy.gates.iter().map(|gate| gate.name.as_str()).collect();
    match run.policy.trust {
        Trust::Evidence => run.policy.locale.say(
            format!("judged by {}", gates.join(", ")),
            format!("판정 기준 {}", gates.join(", ")),
        ),
        Trust::Claim => run.policy.locale.say(
            "judged by the agent's word".to_owned(),
            "판정 기준: 에이전트의 완료 선언".to_owned(),
        ),
    }
}

fn claim_was_made(summary: &IterationSummary<'_>) -> bool {
    matches!(summary.claim, "promise" | "marker")
}

/// Renders elapsed time in seconds with a steady width: `00:07`, `1:02:30`.
fn stopwatch(elapsed: Duration) -> String {
    let (hours, minutes, seconds) =
        (elapsed.as_secs() / 3600, elapsed.as_secs() / 60 % 60, elapsed.as_secs() % 60);
    match hours {
        0 => format!("{minutes:02}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_line_says_what_is_going_on_what_fails_and_what_it_cost() {
        let status = StatusLine {
            iteration: 2,
            max: 10,
            doing: "agent at work".to_owned(),
            gates: "✗".to_owned(),
            failing: vec![4, 2],
            usage: Usage { input_tokens: 1200, ..Usage::default() },
            ..StatusLine::default()
        };
        let line = status.line(Duration::from_secs(3725));
        assert_eq!(line, "[2/10] 1:02:05  agent at work  ✗  █▄ 2  1200 tokens");
        let snapshot = Some("taking a snapshot: 1 of 2 files".to_owned());
        let slow =
            StatusLine { doing: "agent at work".to_owned(), snapshot, ..StatusLine::default() };
        assert_eq!(slow.line(Duration::ZERO), "[0/0] 00:00  taking a snapshot: 1 of 2 files");
        let fresh = StatusLine { doing: "agent at work".to_owned(), ..StatusLine::default() };
        assert_eq!(fresh.line(Duration::from_secs(7)), "[0/0] 00:07  agent at work");
    }
}
