//! Follows a turn by the rules of its row.

use std::path::{Path, PathBuf};

use ralph_core::SessionId;
use ralph_core::evidence::TurnEnd;
use ralph_core::time::Timestamp;
use ralph_core::usage::{Usage, Usd};
use ralph_proc::ExitReason;
use regex::Regex;
use serde_json::Value;

use super::rule::{EventRule, find};
use super::template::newest;
use super::{ALL, AgentRow, EventRules, TransportRow, UsageScope};
use crate::command::{plain_end, stderr_of};
use crate::json_lines::JsonLineReader;
use crate::limits::{LimitPatterns, LimitSearchText, compile, moment_named};
use crate::line::{cut, one_line};
use crate::listen::{
    AgentTurnOutcome, BUDGET_SPENT, OutputPiece, OutputPieceKind, RefusedAction, ShownOutput,
    TurnCutReason, TurnListener, TurnProcessEnd, TurnStatus,
};
use crate::session::{AgentConversation, ContextWindow, SessionAfterTurn, TurnSession};
use crate::{TurnInput, TurnReply};

/// Maximum length of one shown message, in characters.
const MESSAGE: usize = 8_000;

/// Maximum length of a line about a tool or the turn, in characters.
const LINE: usize = 160;

/// Maximum length of the final text.
const TEXT_BYTES: usize = 1024 * 1024;

/// Maximum number of refusals that are kept.
const REFUSALS: usize = 50;

/// Errors of providers that pass by themselves, in error messages only.
const LIMIT: &str = r"\b429\b|rate.?limit|too many requests|quota|overloaded|usage limit";
const OUTAGE: &str = r"\b(408|5\d\d)\b|temporarily unavailable|temporary errors|connection (error|refused|reset)|fetch failed|stream disconnected";

/// Errors that a login mends.
const LOGIN: &str =
    r"\b(401|403)\b|unauthori[sz]ed|not (logged|signed) in|authenticat|api key|log ?in\b|sign in\b";

/// Parses the lines of one turn.
pub(super) struct RowListener<'a> {
    row: &'a AgentRow,
    transport: &'a TransportRow,
    limits: &'a LimitPatterns,
    /// The conversation that is continued, if any.
    resumed: Option<&'a AgentConversation>,
    lines: JsonLineReader,
    state: RowTurnState,
    usage_file: Option<PathBuf>,
}

#[derive(Default)]
struct RowTurnState {
    session: Option<String>,
    text: String,
    /// True while the text grows by parts.
    is_growing: bool,
    /// The last value that tells messages apart.
    apart: Option<String>,
    error: Option<String>,
    is_done: bool,
    is_lost: bool,
    /// Number of uses of tools.
    tools: u64,
    usage: Option<Usage>,
    context: Option<ContextWindow>,
    refused: Vec<String>,
    remarks: Vec<String>,
}

impl<'a> RowListener<'a> {
    pub(super) fn new(row: &'a AgentRow, limits: &'a LimitPatterns, turn: &TurnInput<'a>) -> Self {
        let transport = row.in_use();
        let (resumed, own) = match turn.seat {
            TurnSession::Resumed(session) => (Some(session), None),
            TurnSession::New(id) | TurnSession::After { id, .. } => (None, Some(id)),
            TurnSession::Nowhere => (None, None),
        };
        let own = own.filter(|_| !transport.start.is_empty()).map(ToString::to_string);
        let session = own.or_else(|| resumed.map(|session| session.id.to_string()));
        Self {
            row,
            transport,
            limits,
            resumed,
            lines: JsonLineReader::default(),
            state: RowTurnState { session, ..RowTurnState::default() },
            usage_file: usage_file(row, turn),
        }
    }

    fn rules(&self) -> &'a EventRules {
        &self.transport.events
    }

    fn take(&mut self, line: &Value) -> Vec<OutputPiece> {
        let rules = self.rules();
        let mut pieces = Vec::new();
        if let Some(id) = first(&rules.session, line) {
            self.state.session = Some(id);
        }
        // Some put news and errors where the words of the model are.
        let is_aside = rules.error.iter().chain(&rules.note).any(|rule| rule.fits(line));
        if let Some(text) = joined(&rules.text, line, "\n").filter(|_| !is_aside) {
            self.state.say(text.trim_end().to_owned());
            pieces.push(OutputPiece::new(OutputPieceKind::Text, cut(text.trim(), MESSAGE)));
        }
        if let Some(text) = joined(&rules.chunk, line, "").filter(|_| !is_aside) {
            pieces.extend(self.chunk(line, &text));
        }
        let tools =
            rules.tool.iter().filter(|rule| rule.fits(line)).flat_map(|rule| rule.tools(line));
        for tool in tools {
            self.state.tools += 1;
            self.state.is_growing = false;
            pieces.push(OutputPiece::new(OutputPieceKind::Tool, one_line(&tool, LINE)));
        }
        if let Some(note) = joined(&rules.note, line, " ") {
            self.state.is_growing = false;
            pieces.push(OutputPiece::new(OutputPieceKind::Note, one_line(&note, LINE)));
        }
        for what in
            rules.refused.iter().filter(|rule| rule.fits(line)).flat_map(|rule| rule.texts(line))
        {
            let what = one_line(&what, LINE);
            pieces.push(OutputPiece::new(OutputPieceKind::Note, format!("denied: {what}")));
            if self.state.refused.len() < REFUSALS && !self.state.refused.contains(&what) {
                self.state.refused.push(what);
            }
        }
        if let Some(rule) = rules.error.iter().find(|rule| rule.fits(line)) {
            let mut what = rule.texts(line).join(": ");
            if what.is_empty() {
                "the agent reports an error".clone_into(&mut what);
            }
            self.state.error.get_or_insert(what);
        }
        self.state.is_lost |= rules.lost.iter().any(|rule| rule.fits(line));
        self.state.is_done |= rules.done.iter().any(|rule| rule.fits(line));
        if self.usage_file.is_none() {
            self.count(line);
        }
        for size in
            rules.context.iter().filter(|rule| rule.fits(line)).flat_map(|rule| rule.values(line))
        {
            if let (Some(tokens), Some(window @ 1..)) =
                (size["used"].as_u64(), size["size"].as_u64())
            {
                self.state.context = Some(ContextWindow { tokens, window });
            }
        }
        pieces
    }

    /// Adds a part of a message. What is shown is each line once it is whole.
    fn chunk(&mut self, line: &Value, text: &str) -> Option<OutputPiece> {
        let apart = self.rules().apart.as_deref();
        let apart = apart.and_then(|path| find(line, path).first().map(ToString::to_string));
        if apart != self.state.apart {
            (self.state.apart, self.state.is_growing) = (apart, false);
        }
        let piece = OutputPiece::new(OutputPieceKind::Text, cut(text.trim(), MESSAGE));
        self.state.grow(text);
        (!piece.text.is_empty()).then_some(piece)
    }

    /// Counts the usage in a line.
    fn count(&mut self, line: &Value) {
        let rules = self.rules();
        for rule in rules.usage.iter().filter(|rule| rule.fits(line)) {
            let found = rule.values(line);
            if found.is_empty() {
                continue;
            }
            let all = found.iter().fold(Usage::default(), |sum, part| sum + usage(rules, part));
            self.state.usage = Some(match (rules.covers, self.state.usage) {
                (UsageScope::Call | UsageScope::Log, Some(before)) => before + all,
                (_, _) => all,
            });
        }
    }

    /// Reads the usage that is in a file of the agent.
    fn read_usage_file(&mut self) {
        let Some(pattern) = self.usage_file.take() else { return };
        let id = self.state.session.clone().unwrap_or_default();
        let parts = pattern.components();
        let named = |part: std::path::Component<'_>| match part.as_os_str().to_str() {
            Some("{id}") => PathBuf::from(&id),
            _ => PathBuf::from(part.as_os_str()),
        };
        let path = newest(&parts.map(named).collect::<PathBuf>());
        let Some(text) = path.and_then(|path| ralph_files::read_text(&path).ok()) else { return };
        if let Ok(whole) = serde_json::from_str::<Value>(&text) {
            self.count(&whole);
            return;
        }
        for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            self.count(&line);
        }
    }

    /// Returns the usage of this turn alone, and that of its conversation.
    fn spent_and_charged(&self) -> (Usage, Usage) {
        let before = self.resumed.map_or(Usage::default(), |session| session.charged);
        let Some(seen) = self.state.usage else { return (Usage::default(), before) };
        match self.rules().covers {
            UsageScope::Call | UsageScope::Turn => (seen, before + seen),
            // If the total fell, the agent restarted its count at zero.
            UsageScope::Session | UsageScope::Log if seen.tokens() < before.tokens() => {
                (seen, seen)
            }
            UsageScope::Session | UsageScope::Log => (crate::usage::grown(before, seen), seen),
        }
    }

    fn end(&mut self, closing: &TurnProcessEnd<'_>) -> TurnEnd {
        let ending = closing.outcome.ending;
        let stderr = stderr_of(closing.outcome);
        match (ending, closing.cut) {
            // This is not a failure of the agent.
            (ExitReason::Stopped, Some(TurnCutReason::Budget)) => return TurnEnd::Finished,
            (ExitReason::Stopped, Some(TurnCutReason::Lingering))
            | (ExitReason::Exited(_) | ExitReason::Signaled(_), _) => {}
            (ExitReason::Stopped | ExitReason::WallTimeout | ExitReason::IdleTimeout, _) => {
                return plain_end(ending, "", closing.clock);
            }
        }
        if let Some(error) = self.state.error.clone() {
            return self.of_trouble(&error, closing.clock.now);
        }
        match ending {
            ExitReason::Exited(0) | ExitReason::Stopped if self.state.is_done => {
                self.own_end(closing.clock.now)
            }
            ExitReason::Exited(0) => failed("the agent ended without its last event"),
            ExitReason::Exited(code) => {
                let lines: Vec<&str> = stderr.lines().rev().take(10).collect();
                let said = lines.into_iter().rev().collect::<Vec<_>>().join("\n");
                if said.trim().is_empty() {
                    return plain_end(ExitReason::Exited(code), &stderr, closing.clock);
                }
                match self.known_trouble(&said, closing.clock.now) {
                    Some(end) => end,
                    None => plain_end(ending, &stderr, closing.clock),
                }
            }
            ExitReason::Signaled(_)
            | ExitReason::WallTimeout
            | ExitReason::IdleTimeout
            | ExitReason::Stopped => plain_end(ending, &stderr, closing.clock),
        }
    }

    /// Returns the end of a turn that ended by itself, without an error.
    fn own_end(&mut self, now: Timestamp) -> TurnEnd {
        if self.state.tools == 0 && self.state.text.is_empty() {
            return failed("the agent neither said nor did anything");
        }
        let said =
            LimitSearchText { text: &self.state.text, stderr: "", ending: ExitReason::Exited(0) };
        match self.limits.find(&said, now) {
            Some(hit) => TurnEnd::ProviderLimit { until: hit.until },
            None => TurnEnd::Finished,
        }
    }

    fn of_trouble(&mut self, what: &str, now: Timestamp) -> TurnEnd {
        self.known_trouble(what, now).unwrap_or_else(|| failed(&one_line(what, 300)))
    }

    /// Returns the end of a turn with an error of a known kind.
    fn known_trouble(&mut self, what: &str, now: Timestamp) -> Option<TurnEnd> {
        let row = self.row;
        let has = |known: &str, own: &[String]| {
            let own = own.iter().map(String::as_str);
            let patterns = std::iter::once(known).chain(own).filter(|pattern| !pattern.is_empty());
            patterns.filter_map(|pattern| compile(pattern).ok()).any(|it: Regex| it.is_match(what))
        };
        if self.resumed.is_some() && has("", &self.transport.lost) {
            self.state.is_lost = true;
            return Some(failed(&one_line(what, 300)));
        }
        let said = LimitSearchText { text: "", stderr: what, ending: ExitReason::Exited(1) };
        let hit = self.limits.find(&said, now);
        if hit.is_some() || has(LIMIT, &row.trouble.limit) {
            return Some(self.wait(what, moment_named(what, now)));
        }
        if has(LOGIN, &row.trouble.login) {
            let signs_in = match row.login.command.as_str() {
                "" => String::new(),
                command => format!(": `{command}` signs in"),
            };
            let what = one_line(what, 200);
            return Some(failed(&format!(
                "the provider does not accept the credentials ({what}){signs_in}"
            )));
        }
        // A short outage must not end a run that works through the night.
        has(OUTAGE, &[]).then(|| self.wait(what, None))
    }

    fn wait(&mut self, what: &str, until: Option<Timestamp>) -> TurnEnd {
        let what = one_line(what, 200);
        self.state.remarks.push(format!("the provider refuses work for now: {what}"));
        TurnEnd::ProviderLimit { until }
    }

    fn kept(&self) -> SessionAfterTurn {
        if self.state.is_lost && self.resumed.is_some() {
            return SessionAfterTurn::Lost;
        }
        let (_, charged) = self.spent_and_charged();
        let context =
            self.state.context.or_else(|| self.resumed.and_then(|session| session.context));
        match (self.state.session.as_deref().and_then(SessionId::new), self.resumed) {
            (Some(id), _) => SessionAfterTurn::Session(AgentConversation { id, charged, context }),
            (None, Some(session)) => SessionAfterTurn::Session(session.clone()),
            (None, None) => SessionAfterTurn::Nothing,
        }
    }
}

impl RowTurnState {
    /// Takes a whole message.
    fn say(&mut self, text: String) {
        // What failed before was repeated, and worked.
        self.error = None;
        (self.text, self.is_growing) = (text, false);
        self.cut();
    }

    /// Takes a part of a message.
    fn grow(&mut self, part: &str) {
        if !self.is_growing {
            self.say(String::new());
        }
        self.text.push_str(part);
        self.is_growing = true;
        self.cut();
    }

    fn cut(&mut self) {
        if self.text.len() > TEXT_BYTES {
            let from = self.text.ceil_char_boundary(self.text.len() - TEXT_BYTES);
            self.text.drain(..from);
        }
    }
}

impl TurnListener for RowListener<'_> {
    fn read_output(&mut self, bytes: &[u8]) -> ShownOutput {
        let lines = self.lines.push(bytes, &[]);
        ShownOutput::Pieces(lines.iter().flat_map(|line| self.take(line)).collect())
    }

    fn spent(&self) -> Usage {
        self.spent_and_charged().0
    }

    fn standing(&self) -> TurnStatus {
        if self.state.is_done { TurnStatus::Done } else { TurnStatus::Working }
    }

    fn conclude(&mut self, closing: &TurnProcessEnd<'_>) -> AgentTurnOutcome {
        if let Some(line) = self.lines.finish(&[]) {
            self.take(&line);
        }
        self.read_usage_file();
        let end = self.end(closing);
        // The user must act on it now, not only at the end of the run.
        if let TurnEnd::Failed { what } = &end {
            self.state.remarks.push(what.clone());
        }
        let text = match (closing.outcome.ending, closing.cut) {
            (ExitReason::Stopped, Some(TurnCutReason::Budget)) => BUDGET_SPENT.to_owned(),
            (_, _) => self.state.text.clone(),
        };
        let remedy = self.remedy();
        let refusals = std::mem::take(&mut self.state.refused);
        AgentTurnOutcome {
            spoken: TurnReply { end, text, usage: self.state.usage.map(|_| self.spent()) },
            kept: self.kept(),
            refusals: refusals
                .into_iter()
                .map(|what| RefusedAction { what, remedy: remedy.clone() })
                .collect(),
            remarks: std::mem::take(&mut self.state.remarks),
        }
    }
}

impl RowListener<'_> {
    /// Returns the way to allow what was refused.
    fn remedy(&self) -> String {
        let name = &self.row.name;
        format!("allow it in its own settings, or set `mode = \"{ALL}\"` in [agents.{name}]")
    }
}

fn first(rules: &[EventRule], line: &Value) -> Option<String> {
    let texts = rules.iter().filter(|rule| rule.fits(line)).flat_map(|rule| rule.texts(line));
    texts.into_iter().find(|text| !text.is_empty())
}

/// Returns the texts of the rules that fit; `None` if there is nothing to read.
fn joined(rules: &[EventRule], line: &Value, between: &str) -> Option<String> {
    let texts = rules.iter().filter(|rule| rule.fits(line)).flat_map(|rule| rule.texts(line));
    let text = texts.collect::<Vec<_>>().join(between);
    let is_empty = if between.is_empty() { text.is_empty() } else { text.trim().is_empty() };
    (!is_empty).then_some(text)
}

fn usage(rules: &EventRules, part: &Value) -> Usage {
    let sum = |names: &[String]| {
        let numbers = names.iter().filter_map(|name| find(part, name).first()?.as_u64());
        numbers.fold(0_u64, u64::saturating_add)
    };
    let cost = rules.cost.as_ref().and_then(|path| find(part, path).first()?.as_f64());
    Usage {
        input_tokens: sum(&rules.input),
        output_tokens: sum(&rules.output),
        cost: cost.and_then(Usd::from_dollars).unwrap_or_default(),
    }
}

/// Returns the path of the file with the usage, in which `{id}` and `*` are
/// still open.
fn usage_file(row: &AgentRow, turn: &TurnInput<'_>) -> Option<PathBuf> {
    let pattern = row.in_use().usage_file.as_deref()?;
    if pattern == "{usage_file}" {
        return Some(turn.usage_file.to_owned());
    }
    let rest = pattern.strip_prefix("{folder}/")?;
    let variable = |name: &str| {
        let found = turn.env.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| PathBuf::from(value))
    };
    let home = variable("HOME").unwrap_or_default();
    let folder = row.home_folder(&home, &variable)?;
    Some(folder.join(Path::new(rest)))
}

fn failed(what: &str) -> TurnEnd {
    TurnEnd::Failed { what: what.to_owned() }
}
