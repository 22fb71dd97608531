//! Runs gates for a caller with limited time: decides which of them to start,
//! when to stop them, and measures their durations.
//!
//! A configured timeout tells when a gate hangs, not how long it takes. So a
//! gate is started if there is time for its last duration, or tried if that is
//! unknown. A gate that did not run to its end has no result.

use std::ops::Deref;
use std::time::{Duration, Instant};

use ralph_checks::{AffectedTest, Gate, GateContext};
use ralph_core::Timestamp;
use ralph_core::evidence::{GateReport, Verdict};
use ralph_core::locale::Locale;
use ralph_core::policy::GateSpec;
use ralph_core::wording::{self, GateAttempt};
use ralph_files::LogFailure as _;
use ralph_store::SqliteStore;

/// Time that must be left for a gate that was never measured.
const FIRST_TRY: Duration = Duration::from_secs(2);

/// Longest try of such a gate. A hook may bring no result, so it should not
/// block longer: `ralph check --wait` measures the gate.
const MOST_TRIED: Duration = Duration::from_secs(10);

/// Difference between two measurements that does not count.
const SLACK: Duration = Duration::from_millis(250);

/// The time limit of gates, and the language of their messages about it.
#[derive(Clone, Copy)]
pub(super) struct TimeLimit {
    /// The end of the time; `None` for no limit.
    pub(super) until: Option<Instant>,
    pub(super) locale: Locale,
}

impl TimeLimit {
    /// Returns the same gates with the limit applied.
    pub(super) fn bind<'g>(
        self,
        gates: &[&'g dyn Gate],
        store: &SqliteStore,
    ) -> Vec<Box<dyn Gate + 'g>> {
        let bound = |gate: &&'g dyn Gate| -> Box<dyn Gate + 'g> {
            let took = self.until.and_then(|_| measured(store, gate.spec()));
            Box::new(TimedGate { gate: *gate, limit: self, took, need: needed(took) })
        };
        gates.iter().map(bound).collect()
    }
}

/// Returns the time at which a gate without a measured duration is stopped.
fn end_of_try(until: Instant, now: Instant) -> Instant {
    until.min(now + MOST_TRIED)
}

/// A gate that runs if there is time for it, and is stopped at the limit.
struct TimedGate<G> {
    gate: G,
    limit: TimeLimit,
    /// Its last duration.
    took: Option<Duration>,
    /// The time that must be left for it.
    need: Duration,
}

impl<G> TimedGate<G>
where
    G: Deref,
    G::Target: Gate,
{
    fn no_time(&self, attempt: GateAttempt) -> String {
        wording::no_time(attempt, self.gate.spec(), self.limit.locale)
    }
}

impl<G> Gate for TimedGate<G>
where
    G: Deref + Sync,
    G::Target: Gate,
{
    fn spec(&self) -> &GateSpec {
        self.gate.spec()
    }

    fn key(&self) -> String {
        self.gate.key()
    }

    fn run(&self, site: &GateContext<'_>, stop: &mut dyn FnMut() -> bool) -> GateReport {
        let Some(until) = self.limit.until else { return self.gate.run(site, stop) };
        if until.saturating_duration_since(Instant::now()) < self.need {
            return GateReport::unknown(self.spec(), self.no_time(GateAttempt::NotStarted));
        }
        let is_try = self.took.is_none() && !self.spec().is_judge();
        let until = if is_try { end_of_try(until, Instant::now()) } else { until };
        let mut is_over = false;
        let report = self.gate.run(site, &mut || {
            is_over |= Instant::now() >= until;
            is_over || stop()
        });
        if !is_over || report.has_result() {
            return report;
        }
        GateReport {
            verdict: Verdict::Unknown { reason: self.no_time(GateAttempt::Stopped) },
            ..report
        }
    }

    fn narrowed(&self, tests: &[AffectedTest]) -> Option<Box<dyn Gate>> {
        let gate = self.gate.narrowed(tests)?;
        if self.limit.until.is_none() {
            return Some(gate);
        }
        // The whole gate still has to run if these tests pass.
        let need = needed(Some(self.took?)) * 2;
        Some(Box::new(TimedGate { gate, limit: self.limit, took: self.took, need }))
    }
}

/// Returns the time that must be left for a gate with this duration.
fn needed(took: Option<Duration>) -> Duration {
    took.map_or(FIRST_TRY, |took| took + took / 4 + SLACK)
}

/// Stores the durations of gates. If that fails they are tried once more, so
/// nothing is lost.
pub(crate) fn remember<'a>(
    store: &SqliteStore,
    executed: impl Iterator<Item = (&'a GateSpec, &'a GateReport)>,
    now: Timestamp,
) {
    for (spec, report) in executed.filter(|(spec, _)| !spec.is_judge()) {
        if let Some(took) = news(measured(store, spec), report) {
            store.remember_time(&name(spec), took, now).or_log("storing the time of a gate");
        }
    }
}

/// Returns the duration of a gate, if known. A judge is always asked, since no
/// other process can do it.
fn measured(store: &SqliteStore, spec: &GateSpec) -> Option<Duration> {
    if spec.is_judge() { None } else { store.time(&name(spec)).ok().flatten() }
}

/// Returns a gate's new duration; `None` if the known one still holds. Only a
/// pass measures it fully: a failing gate may end early, a stopped one would
/// have taken longer.
fn news(known: Option<Duration>, report: &GateReport) -> Option<Duration> {
    if report.cached || report.elapsed.is_zero() {
        return None;
    }
    let least = if report.passed() { Duration::ZERO } else { known.unwrap_or_default() };
    let took = report.elapsed.max(least);
    let differs = |known: Duration| took.abs_diff(known) > known / 4 + SLACK;
    known.is_none_or(differs).then_some(took)
}

/// Returns the key of a gate's duration. Unlike the gate's key it is the same
/// for all files.
fn name(GateSpec { name, command, dir, .. }: &GateSpec) -> String {
    // The debug form contains every field of each.
    format!("{:?}", (name, command, dir))
}

#[cfg(test)]
#[path = "timing_tests.rs"]
mod tests;
