//! Gates of a caller with limited time: which of them are started,
//! when they are stopped, and how long each of them takes.
//!
//! A configured timeout says when a gate hangs, not how long it takes. So a
//! gate is started if there is time for what it took before, and tried if
//! nobody knows. One that was not run to its end has no result.

use std::ops::Deref;
use std::time::{Duration, Instant};

use ralph_checks::{AffectedTest, Gate, Site};
use ralph_core::Timestamp;
use ralph_core::evidence::{GateReport, Verdict};
use ralph_core::locale::Locale;
use ralph_core::policy::GateSpec;
use ralph_core::wording::{self, GateAttempt};
use ralph_store::RunStore;

/// The time that has to be left for a gate that was never measured.
const FIRST_TRY: Duration = Duration::from_secs(2);

/// How long such a gate is tried. Nobody should wait longer for a hook that may
/// come to nothing: `ralph check --wait` measures the gate.
const MOST_TRIED: Duration = Duration::from_secs(10);

/// A difference between two measurements that says nothing.
const SLACK: Duration = Duration::from_millis(250);

/// How long gates may take, and in which language they say that it was too long.
#[derive(Clone, Copy)]
pub(super) struct TimeLimit {
    /// When they have to be done; `None` if they may take their time.
    pub(super) until: Option<Instant>,
    pub(super) locale: Locale,
}

impl TimeLimit {
    /// The same gates, which keep to the limit.
    pub(super) fn bind<'g>(
        self,
        gates: &[&'g dyn Gate],
        store: &dyn RunStore,
    ) -> Vec<Box<dyn Gate + 'g>> {
        let bound = |gate: &&'g dyn Gate| -> Box<dyn Gate + 'g> {
            let took = self.until.and_then(|_| measured(store, gate.spec()));
            Box::new(TimedGate { gate: *gate, limit: self, took, need: needed(took) })
        };
        gates.iter().map(bound).collect()
    }
}

/// When a gate is stopped that was never measured.
fn end_of_try(until: Instant, now: Instant) -> Instant {
    until.min(now + MOST_TRIED)
}

/// A gate that is run if there is time for it, and stopped when that is over.
struct TimedGate<G> {
    gate: G,
    limit: TimeLimit,
    /// How long it took before.
    took: Option<Duration>,
    /// The time that has to be left for it.
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

    fn run(&self, site: &Site<'_>, stop: &mut dyn FnMut() -> bool) -> GateReport {
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

/// The time that has to be left for a gate that took so long.
fn needed(took: Option<Duration>) -> Duration {
    took.map_or(FIRST_TRY, |took| took + took / 4 + SLACK)
}

/// Keeps how long gates took. Without that they are tried once more, so
/// nothing is lost if it cannot be kept.
pub(crate) fn remember<'a>(
    store: &dyn RunStore,
    executed: impl Iterator<Item = (&'a GateSpec, &'a GateReport)>,
    now: Timestamp,
) {
    for (spec, report) in executed.filter(|(spec, _)| !spec.is_judge()) {
        if let Some(took) = news(measured(store, spec), report) {
            let _ = store.remember_time(&name(spec), took, now);
        }
    }
}

/// How long a gate takes, as far as is known. A judge is asked anyhow: nobody
/// else can ask it.
fn measured(store: &dyn RunStore, spec: &GateSpec) -> Option<Duration> {
    if spec.is_judge() { None } else { store.time(&name(spec)).ok().flatten() }
}

/// What a report says about how long its gate takes; `None` if that is known.
/// Only a pass tells it all: a gate that fails may end early, one that was
/// stopped would have taken longer.
fn news(known: Option<Duration>, report: &GateReport) -> Option<Duration> {
    if report.cached || report.elapsed.is_zero() {
        return None;
    }
    let least = if report.passed() { Duration::ZERO } else { known.unwrap_or_default() };
    let took = report.elapsed.max(least);
    let differs = |known: Duration| took.abs_diff(known) > known / 4 + SLACK;
    known.is_none_or(differs).then_some(took)
}

/// What a gate's time is kept by: unlike its key the same for all files.
fn name(GateSpec { name, command, dir, .. }: &GateSpec) -> String {
    // The debug form holds every field of each.
    format!("{:?}", (name, command, dir))
}

#[cfg(test)]
#[path = "timing_tests.rs"]
mod tests;
