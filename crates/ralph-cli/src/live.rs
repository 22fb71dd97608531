//! Watching a run: a calm status line on a terminal, plain lines elsewhere,
//! JSON for machines.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use ralph_agents::PieceKind;
use ralph_core::evidence::{Edit, GateReport, Weakening};
use ralph_core::locale::Locale;
use ralph_core::policy::Trust;
use ralph_core::state::Wait;
use ralph_core::wording::columns;
use ralph_core::{Run, RunId, Timestamp, wording};
use ralph_engine::events::{Begin, Event, IterationSummary, Sink};
use ralph_engine::history::sparkline;
use ralph_engine::report::span;
use ralph_engine::wire::{event_line, moment};

use crate::texts::one_line;
use crate::{config, out};

/// How often the status line is drawn again.
const REDRAW: Duration = Duration::from_millis(500);

/// How many places are named at the end of a turn.
const NAMED: usize = 5;

/// The sink for a person: lines for what happened, and on a terminal one
/// status line below them.
pub(crate) fn for_people(locale: Locale) -> Box<dyn Sink> {
    let terminal = io::stderr().is_terminal();
    let colours = out::colours(&io::stderr());
    Box::new(People {
        locale,
        terminal,
        colours,
        status: Status::default(),
        drawn: None,
        hinted: false,
    })
}

/// One JSON object a line, on stdout.
pub(crate) struct JsonLines {
    run: RunId,
    seq: u64,
}

impl JsonLines {
    pub(crate) fn new(run: RunId) -> Self {
        Self { run, seq: 0 }
    }
}

impl Sink for JsonLines {
    fn event(&mut self, event: &Event<'_>, at: Timestamp) {
        self.seq += 1;
        out::line(event_line(event, &self.run, self.seq, at));
    }
}

/// What the status line says.
#[derive(Default)]
struct Status {
    iteration: u32,
    max: u32,
    began: Option<Timestamp>,
    doing: String,
    failing: Vec<u32>,
    gates: String,
}

struct People {
    locale: Locale,
    terminal: bool,
    colours: bool,
    status: Status,
    drawn: Option<Timestamp>,
    /// Whether it was said how to accept what is held.
    hinted: bool,
}

impl Sink for People {
    fn event(&mut self, event: &Event<'_>, at: Timestamp) {
        match event {
            Event::RunStarted { run, how } => self.started(run, *how, at),
            Event::GateStarted { name, .. } => {
                self.status.doing = self.say(&format!("gate {name}"), &format!("검사 {name}"));
                self.draw(at);
            }
            Event::GateFinished { report, iteration } => self.gate(report, *iteration, at),
            Event::IterationStarted { run } => {
                self.status.iteration = run.iteration;
                self.status.gates.clear();
                self.status.doing = self.say("agent at work", "에이전트 작업 중");
                self.draw(at);
            }
            Event::AgentOutput { kind, text, .. } => self.said(*kind, text, at),
            Event::IterationEnded { run, iteration, summary } => {
                self.ended(run, *iteration, summary, at);
            }
            Event::Waiting { wait, .. } => self.waiting(wait, at),
            Event::Notice { text, .. } => self.print(&format!("note: {text}"), at),
            Event::RunEnded { learned: Some(learned), .. } => {
                self.wipe();
                out::note(format!("note: {learned}"));
            }
            Event::RunEnded { learned: None, .. } | Event::RunBroken { .. } => self.wipe(),
        }
    }

    fn tick(&mut self, at: Timestamp) {
        if self.drawn.is_some_and(|drawn| at.since(drawn) >= REDRAW) {
            self.draw(at);
        }
    }
}

impl People {
    fn say(&self, en: &str, ko: &str) -> String {
        match self.locale {
            Locale::En => en.to_owned(),
            Locale::Ko => ko.to_owned(),
        }
    }

    fn started(&mut self, run: &Run, how: Begin, at: Timestamp) {
        self.status.max = run.policy.limits.iterations;
        self.status.iteration = run.iteration;
        self.status.began = Some(run.started_at);
        if how == Begin::Resumed {
            return;
        }
        let limits = &run.policy.limits;
        let duration = config::render_span(limits.duration);
        let line = self.say(
            &format!(
                "{} started: at most {} iterations and {duration}, {}.",
                run.id,
                limits.iterations,
                judged_by(run),
            ),
            &format!(
                "{} 시작: 최대 {}회 반복, {duration}, {}.",
                run.id,
                limits.iterations,
                judged_by(run),
            ),
        );
        self.print(&line, at);
    }

    fn gate(&mut self, report: &GateReport, iteration: u32, at: Timestamp) {
        let (sign, colour) = if report.passed() { ("✓", "32") } else { ("✗", "31") };
        self.status.gates.push_str(sign);
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
        self.print(&line, at);
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
        if claim_was_made(summary) && summary.decision == "continue" {
            self.why(summary, at);
        }
        self.tampering(summary, at);
        if summary.decision == "complete" {
            self.edits(summary, at);
        }
        let line =
            format!("#{iteration}/{max} {claim}{turn} → {verdict} ({})", span(summary.elapsed));
        self.print(&line, at);
    }

    /// What the agent says and does. A program that is nothing but text is
    /// not shown: who wants to see it reads the log.
    fn said(&mut self, kind: PieceKind, text: &str, at: Timestamp) {
        const LINES: usize = 12;
        const WIDE: usize = 200;
        let (sign, colour) = match kind {
            PieceKind::Output => return,
            PieceKind::Text => ("│", "0"),
            PieceKind::Tool => ("→", "36"),
            PieceKind::Child => ("  ↳", "36"),
            PieceKind::Note => ("·", "33"),
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

    /// How a turn ended, if not by itself.
    fn turn_remark(&self, turn: &str) -> String {
        let (en, ko) = match turn {
            "finished" => return String::new(),
            "failed" => ("the agent failed", "에이전트 오류"),
            "idle_timeout" => ("timed out without output", "출력 없이 시간 초과"),
            "turn_timeout" => ("the turn took too long", "턴 시간 초과"),
            "provider_limit" => ("the provider's limit", "제공자 한도"),
            "work_tree_gone" => ("the work tree is gone", "작업 트리가 사라짐"),
            other => (other, other),
        };
        format!(", {}", self.say(en, ko))
    }

    /// What was made weaker, place by place.
    fn tampering(&mut self, summary: &IterationSummary<'_>, at: Timestamp) {
        let head = self.say("weakened", "약해진 검사");
        let places = summary.weakened.iter().map(|Weakening { place, what }| (place, what));
        self.places(&head, places, at);
        if summary.weakened.len() > NAMED {
            let more = summary.weakened.len() - NAMED;
            let text = self.say("more; `ralph allow` lists them", "건 더: `ralph allow`로 확인");
            self.print(&format!("      … {more} {text}"), at);
        }
        if !summary.weakened.is_empty() && !std::mem::replace(&mut self.hinted, true) {
            let text = self.say(
                "(if it was right: `ralph allow PATH` accepts it)",
                "(옳은 변경이라면 `ralph allow PATH` 로 허용할 수 있습니다)",
            );
            self.print(&format!("      {text}"), at);
        }
    }

    /// What was done to tests and checks in work that is accepted: somebody
    /// should know.
    fn edits(&mut self, summary: &IterationSummary<'_>, at: Timestamp) {
        let head = self.say("edited", "수정된 검사");
        let places = summary.edited.iter().map(|Edit { place, what }| (place, what));
        self.places(&head, places, at);
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

    /// Why a claim is not believed: what fails, or where that is not known the
    /// end of what the gate printed.
    fn why(&mut self, summary: &IterationSummary<'_>, at: Timestamp) {
        for report in summary.gates.iter().filter(|report| report.blocks()) {
            let lines = reasons(report, self.locale);
            if summary.gates.len() > 1 && !lines.is_empty() {
                self.print(&format!("    {}:", report.name), at);
            }
            for line in &lines {
                self.print(&format!("      {line}"), at);
            }
        }
    }

    fn waiting(&mut self, wait: &Wait, at: Timestamp) {
        let line = match wait {
            Wait::Limit { until } => {
                let until = moment(*until);
                self.say(
                    &format!(
                        "waiting for the provider's limit until {until}; this costs no iteration"
                    ),
                    &format!("제공자 한도가 풀릴 때까지 대기: {until} (반복 횟수에 포함되지 않음)"),
                )
            }
            Wait::Human { question } => {
                let question = one_line(question, 500);
                self.say(
                    &format!("waiting for a person: {question}"),
                    &format!("사람의 답을 기다리는 중: {question}"),
                )
            }
            Wait::Child | Wait::Host => return,
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
        if self.terminal && self.drawn.take().is_some() {
            let _ = write!(io::stderr().lock(), "\r\x1b[2K");
        }
    }

    fn draw(&mut self, at: Timestamp) {
        if !self.terminal {
            return;
        }
        let elapsed = self.status.began.map_or(Duration::ZERO, |began| at.since(began));
        let text = format!(
            "[{}/{}] {}  {} {} {}",
            self.status.iteration,
            self.status.max,
            stopwatch(elapsed),
            self.status.doing,
            self.status.gates,
            sparkline(&self.status.failing)
        );
        let wide = rustix::termios::tcgetwinsize(io::stderr()).map_or(80, |size| size.ws_col);
        let line = fit(text.trim_end(), usize::from(wide).saturating_sub(1).max(20));
        let _ = write!(io::stderr().lock(), "\r\x1b[2K{line}");
        self.drawn = Some(at);
    }
}

/// What ends the run with success, in a few words.
fn judged_by(run: &Run) -> String {
    let gates: Vec<&str> = run.policy.gates.iter().map(|gate| gate.name.as_str()).collect();
    match (run.policy.locale, run.policy.trust) {
        (Locale::En, Trust::Evidence) => format!("judged by {}", gates.join(", ")),
        (Locale::Ko, Trust::Evidence) => format!("판정 기준 {}", gates.join(", ")),
        (Locale::En, Trust::Claim) => "judged by the agent's word".to_owned(),
        (Locale::Ko, Trust::Claim) => "판정 기준: 에이전트의 완료 선언".to_owned(),
    }
}

/// What keeps a gate from passing, in a few lines.
fn reasons(report: &GateReport, locale: Locale) -> Vec<String> {
    const LINES: usize = 8;
    let known = wording::what_fails(report, locale);
    if !known.is_empty() {
        return known.iter().map(|line| one_line(line, 160)).collect();
    }
    let printed: Vec<&str> = report.tail.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &printed[printed.len().saturating_sub(LINES)..];
    last.iter().map(|line| one_line(line, 120)).collect()
}

fn claim_was_made(summary: &IterationSummary<'_>) -> bool {
    matches!(summary.claim, "promise" | "marker")
}

/// Elapsed time in whole seconds, steady in width: `00:07`, `1:02:30`.
fn stopwatch(elapsed: Duration) -> String {
    let (hours, minutes, seconds) =
        (elapsed.as_secs() / 3600, elapsed.as_secs() / 60 % 60, elapsed.as_secs() % 60);
    match hours {
        0 => format!("{minutes:02}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// The text cut to a number of columns.
fn fit(text: &str, most: usize) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if columns(&out) + columns(c.encode_utf8(&mut [0; 4])) > most {
            break;
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ralph_core::evidence::{Extent, Fault, Verdict};
    use ralph_core::finding::{Finding, Level, Place, Reading};
    use ralph_core::policy::Need;

    use super::*;

    fn report(findings: Vec<Finding>) -> GateReport {
        GateReport {
            name: "lint_clean".to_owned(),
            need: Need::Required,
            command: "lint".to_owned(),
            verdict: Verdict::Fail(Fault::Exit(1)),
            failing: findings
                .iter()
                .map(|found| found.fingerprint.clone())
                .collect::<BTreeSet<_>>(),
            reading: Reading { findings, ..Reading::default() },
            tail: "Checking a\n\nFinished in 0.2s\n".to_owned(),
            elapsed: Duration::ZERO,
            cached: false,
            usage: None,
            extent: Extent::Whole,
        }
    }

    #[test]
    fn a_claim_is_refused_with_what_was_found_and_not_with_what_was_printed_last() {
        let found = Finding {
            tool: "ruff".to_owned(),
            rule: Some("F401".to_owned()),
            level: Level::Error,
            place: Place { file: "a.py".to_owned(), line: Some(3), column: None },
            message: "`os` imported but unused".to_owned(),
            fingerprint: "f".to_owned(),
        };
        assert_eq!(
            reasons(&report(vec![found]), Locale::En),
            ["a.py:3 `os` imported but unused [ruff F401]"]
        );
        assert_eq!(
            reasons(&report(Vec::new()), Locale::En),
            ["Checking a", "Finished in 0.2s"],
            "output that nobody understood"
        );
    }
}
