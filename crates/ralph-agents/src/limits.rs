//! Recognises provider limits at the end of an agent's output.
//!
//! A turn that talks about rate limits did not necessarily hit one. So the
//! words count only where a client prints them: in the last lines of a failed
//! process, or as its whole output.

use std::sync::LazyLock;
use std::time::Duration;

use jiff::civil;
use jiff::tz::TimeZone;
use ralph_core::time::Timestamp;
use ralph_proc::ExitReason;
use regex::{Regex, RegexBuilder};

/// Number of last lines in which a failed process may name its limit.
const FAILED_LINES: usize = 10;

/// Maximum number of lines of a reply that only reports a limit.
const BARE_LINES: usize = 3;

/// Maximum column at which the words of a limit may begin on stdout: after "API
/// Error: " and the like, but not at the end of a sentence.
const LEAD: usize = 20;

/// Added to a time that a provider names, since its clock may differ.
const MARGIN: Duration = Duration::from_secs(2);

/// The output of a process, as input of the search for limits.
#[derive(Clone, Copy, Debug)]
pub struct LimitSearchText<'a> {
    /// The final text.
    pub text: &'a str,
    /// The end of the error stream.
    pub stderr: &'a str,
    /// The ending of the process.
    pub ending: ExitReason,
}

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitHit {
    /// Time at which the provider accepts work again, if it named one.
    pub until: Option<Timestamp>,
}

/// The patterns that recognise limits.
#[derive(Clone, Debug)]
pub struct LimitPatterns {
    /// The user's own; `None` for the defaults.
    own: Option<Vec<Regex>>,
}

/// Compiled when the first turn ends: compiling takes longer than most
/// commands, and most run no turn.
static KNOWN: LazyLock<Vec<Regex>> = LazyLock::new(compile_known);

/// A pattern that is not a regular expression.
#[derive(Debug, thiserror::Error)]
#[error("limit pattern `{pattern}` is not a regular expression")]
pub struct BadPattern {
    /// The pattern.
    pub pattern: String,
    source: regex::Error,
}

impl LimitPatterns {
    /// Known messages of providers and clients.
    pub const DEFAULT: [&'static str; 10] = [
        r"hit your (\w+ ){0,3}limit",
        r"(usage|rate|session|weekly|request|spend|spending) limit (reached|exceeded|hit)",
        r"(reached|exceeded) (your|the) (\w+ ){0,3}(limit|quota)",
        r"limit will reset",
        r"rate[ -]limited",
        r"too many requests",
        r"\b429\b.{0,40}(rate|limit|quota|requests)",
        r"(quota|resource).{0,10}exhausted",
        r"exceeded your current quota",
        r"overloaded_error",
    ];

    /// Returns [`LimitPatterns::DEFAULT`].
    pub fn known() -> Self {
        Self { own: None }
    }

    /// Compiles the patterns; they ignore case.
    pub fn new<S: AsRef<str>>(patterns: &[S]) -> Result<Self, BadPattern> {
        let compile = |pattern: &S| {
            let pattern = pattern.as_ref();
            compile(pattern).map_err(|source| BadPattern { pattern: pattern.to_owned(), source })
        };
        Ok(Self { own: Some(patterns.iter().map(compile).collect::<Result<_, _>>()?) })
    }

    /// Returns the limit that ended the turn, if any.
    pub fn find(&self, said: &LimitSearchText<'_>, now: Timestamp) -> Option<LimitHit> {
        let (spoken, errors) = match said.ending {
            ExitReason::Exited(0) => (bare_reply(said.text), Vec::new()),
            ExitReason::Exited(_) => {
                (last_lines(said.text, BARE_LINES), last_lines(said.stderr, FAILED_LINES))
            }
            // Our own timeouts and stops are not limits of the provider.
            ExitReason::Signaled(_)
            | ExitReason::WallTimeout
            | ExitReason::IdleTimeout
            | ExitReason::Stopped => {
                return None;
            }
        };
        let patterns = self.own.as_ref().unwrap_or_else(|| &KNOWN);
        let begins = |line: &&str| {
            patterns.iter().filter_map(|known| known.find(line)).any(|at| at.start() <= LEAD)
        };
        let holds = |line: &&str| patterns.iter().any(|known| known.is_match(line));
        let hit = spoken.iter().any(begins) || errors.iter().any(holds);
        let mut lines = spoken.iter().chain(&errors);
        hit.then(|| LimitHit { until: lines.find_map(|line| reset_time(line, now)) })
    }
}

pub(crate) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).case_insensitive(true).build()
}

#[expect(clippy::expect_used, reason = "patterns are constants and the tests compile each of them")]
fn compile_known() -> Vec<Regex> {
    let compiled = LimitPatterns::DEFAULT.iter().map(|pattern| compile(pattern));
    compiled.collect::<Result<_, _>>().expect("a constant pattern compiles")
}

fn last_lines(text: &str, most: usize) -> Vec<&str> {
    text.lines().rev().map(str::trim).filter(|line| !line.is_empty()).take(most).collect()
}

/// Returns the lines of a short message; none for other replies. A reply with a
/// tag is addressed to ralph and is not the provider's.
fn bare_reply(text: &str) -> Vec<&str> {
    let lines = last_lines(text, BARE_LINES + 1);
    let plain = |line: &&str| line.len() <= 200 && !line.contains(['`', '"', '“', '<']);
    if lines.len() <= BARE_LINES && lines.iter().all(plain) { lines } else { Vec::new() }
}

/// Returns the time in a message at which work is accepted again.
pub(crate) fn moment_named(text: &str, now: Timestamp) -> Option<Timestamp> {
    text.lines().find_map(|line| reset_time(line, now))
}

/// Parses the time in a line: an epoch, a date, a span, or a time of day.
fn reset_time(line: &str, now: Timestamp) -> Option<Timestamp> {
    let exact = epoch(line).or_else(|| date(line)).or_else(|| span(line, now));
    exact.or_else(|| time_of_day(line, now)).map(|at| at.plus(MARGIN))
}

fn capture<const N: usize>(pattern: &str, line: &str) -> Option<[String; N]> {
    let found = compile(pattern).ok()?.captures(line)?;
    Some(std::array::from_fn(|index| {
        found.get(index + 1).map(|part| part.as_str().to_owned()).unwrap_or_default()
    }))
}

fn epoch(line: &str) -> Option<Timestamp> {
    let [digits] = capture(r"\|\s*(1\d{9}(?:\d{3})?)\b", line)?;
    let number: i64 = digits.parse().ok()?;
    Some(Timestamp::from_millis(if digits.len() == 13 { number } else { number * 1000 }))
}

fn date(line: &str) -> Option<Timestamp> {
    let [text] =
        capture(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))", line)?;
    let at: jiff::Timestamp = text.parse().ok()?;
    Some(Timestamp::from_millis(at.as_millisecond()))
}

/// Parses "try again in 1h 20m", "retry after 30 seconds", "retry-after: 30".
fn span(line: &str, now: Timestamp) -> Option<Timestamp> {
    let [text] = capture(
        r"(?:\bin|after|retry-after:?)\s+((?:~|about\s+)?\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)?\b(?:\s*,?\s*(?:and\s+)?\d+\s*(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b)*)",
        line,
    )?;
    let part = Regex::new(r"(?i)(\d+(?:\.\d+)?)\s*([a-z]*)").ok()?;
    let mut total = Duration::ZERO;
    for found in part.captures_iter(&text) {
        let number: f64 = found.get(1)?.as_str().parse().ok()?;
        let unit = match found.get(2).map_or("", |unit| unit.as_str()).to_ascii_lowercase().as_str()
        {
            "ms" | "millisecond" | "milliseconds" => 0.001,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
            "d" | "day" | "days" => 86400.0,
            _ => 1.0,
        };
        total = total.saturating_add(Duration::try_from_secs_f64(number * unit).ok()?);
    }
    Some(now.plus(total))
}

/// Parses "resets at 3pm", "resets 15:30 (UTC)" as the next such time.
fn time_of_day(line: &str, now: Timestamp) -> Option<Timestamp> {
    let [hour, minute, half, zone] = capture(
        r"(?:reset\w*|again|until|available)\D{0,20}?\b(\d{1,2})(?::(\d\d))?\s*(am|pm)?\s*(?:\(?([a-z]+(?:/[a-z_]+)?)\)?)?",
        line,
    )?;
    if minute.is_empty() && half.is_empty() {
        return None;
    }
    let mut hour: i8 = hour.parse().ok()?;
    match half.to_ascii_lowercase().as_str() {
        "pm" if hour < 12 => hour += 12,
        "am" if hour == 12 => hour = 0,
        _ => {}
    }
    let time = civil::Time::new(hour, minute.parse().unwrap_or(0), 0, 0).ok()?;
    let zone = if zone.is_empty() { None } else { TimeZone::get(&zone).ok() };
    let zone = zone.unwrap_or_else(TimeZone::system);
    let present = jiff::Timestamp::from_millisecond(now.as_millis()).ok()?.to_zoned(zone);
    let mut at = present.with().time(time).build().ok()?;
    if at <= present {
        at = at.tomorrow().ok()?.with().time(time).build().ok()?;
    }
    Some(Timestamp::from_millis(at.timestamp().as_millisecond()))
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
