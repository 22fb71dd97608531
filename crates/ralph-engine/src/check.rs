//! Runs gates without a run, for `ralph check`.

mod project;
mod servers;
mod turn;

use std::collections::BTreeSet;
use std::path::PathBuf;

use ralph_checks::{AffectedTest, Gate, GateContext, GateWatcher, run_together};
use ralph_core::Timestamp;
use ralph_core::evidence::{GateReport, Verdict};
use ralph_snapshot::WorkTree;
use ralph_store::{GatePass, SqliteStore};

use crate::affected;
use crate::driver::{jobs, timing};
use crate::error::EngineError;
use crate::stamps::GateStamps;

pub use project::{
    CheckNote, CheckObserver, CheckQueueMode, CheckRequest, CheckResult, CheckScanScope, files,
    missing_need, run_checks,
};
pub use servers::look;
pub use turn::fall_back;

/// A rule for earlier passes on the same files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheUse {
    /// They count.
    Used,
    /// They do not count: every gate is executed.
    Ignored,
}

/// The store of passes, and the files they belong to.
pub struct PassCache<'a> {
    /// The store.
    pub store: &'a SqliteStore,
    /// The files.
    pub tree: &'a WorkTree,
    /// The rule for earlier passes.
    pub memory: CacheUse,
    /// The current time.
    pub now: Timestamp,
}

/// Runs `gates` and returns one report for each, in their order. Passes are
/// stored unless a gate changed the files it ran on. A gate with a failing test
/// among `first` is not run as a whole.
pub fn check(
    gates: &[Box<dyn Gate>],
    site: &GateContext<'_>,
    cache: &PassCache<'_>,
    first: &dyn Fn() -> Vec<AffectedTest>,
    watcher: &mut dyn GateWatcher,
) -> Result<Vec<GateReport>, EngineError> {
    let before = cache.tree.tree()?;
    let mut reports: Vec<Option<GateReport>> = vec![None; gates.len()];
    if cache.memory == CacheUse::Used {
        let stamps = GateStamps::new(cache.tree, site.root, site.env);
        for (report, gate) in reports.iter_mut().zip(gates) {
            let pass = cache.store.pass(&gate.key(), &before)?;
            let pass = pass.filter(|pass| pass.stamp == stamps.of(gate.spec()));
            *report = pass.map(|pass| GateReport::remembered(gate.spec(), pass.reading));
        }
    }
    let missing = |reports: &[Option<GateReport>]| -> Vec<usize> {
        (0..gates.len()).filter(|index| reports[*index].is_none()).collect()
    };
    let open = missing(&reports);
    if !open.is_empty() {
        let wanted: Vec<&dyn Gate> = open.iter().map(|index| &*gates[*index]).collect();
        for (at, report) in affected::failures(&wanted, &first(), site, watcher) {
            let print = affected::print(wanted[at].spec());
            reports[open[at]] = Some(report.of_affected(&BTreeSet::new(), &print));
        }
    }
    let missing = missing(&reports);
    let wanted: Vec<&dyn Gate> = missing.iter().map(|index| &*gates[*index]).collect();
    let executed = run_together(&wanted, site, jobs(), watcher);
    let specs = wanted.iter().map(|gate| gate.spec());
    timing::remember(cache.store, specs.zip(&executed), cache.now);
    let after = if missing.is_empty() { before.clone() } else { cache.tree.tree()? };
    let settled = !missing.is_empty() && after == before;
    if after != before {
        let changes = cache.tree.changes(&before, &after)?;
        let files: Vec<PathBuf> = changes.into_iter().map(|change| change.path).collect();
        watcher.changed(&files);
    }
    let stamps = GateStamps::new(cache.tree, site.root, site.env);
    for (index, report) in missing.into_iter().zip(executed) {
        let key = gates[index].key();
        if report.verdict != Verdict::Pass {
            cache.store.forget_pass(&key, &before)?;
        } else if settled {
            let (reading, stamp) = (report.reading.clone(), stamps.of(gates[index].spec()));
            cache.store.remember_pass(
                &key,
                &before,
                &GatePass { reading, stamp, at: cache.now },
            )?;
        }
        reports[index] = Some(report);
    }
    Ok(reports.into_iter().flatten().collect())
}
