//! The stored form of a policy.

use std::time::Duration;

use ralph_core::Policy;
use ralph_core::claim::{ClaimRules, Marker, MatchMode, Promise};
use ralph_core::finding::FindingLevel;
use ralph_core::format::OutputFormat;
use ralph_core::locale::Locale;
use ralph_core::policy::{
    AddedTests, AllowedChanges, ContextMode, Criterion, GateCommand, GateImportance, GateSpec,
    OldSession, OriginalTests, PassCondition, RuleEdition, RunLimits, TestRules, Trust, TurnLimits,
};
use ralph_core::usage::Usd;
use serde::{Deserialize, Serialize};

use super::reading::LevelRow;
use super::{decode, encode, twin, unfit};
use crate::error::StoreError;

const WHAT: &str = "the policy of a run";

twin!(TrustRow of Trust { Claim, Evidence });
twin!(ContextRow of ContextMode { Auto, Same, Summarize, Fresh });
twin!(OldSessionRow of OldSession { Delete, Keep });
twin!(LocaleRow of Locale { En, Ko });
twin!(ModeRow of MatchMode { Tag, Word, Contains });
twin!(RuleEditionRow of RuleEdition { First, Second });
twin!(OriginalTestsRow of OriginalTests { Hold, Report, Off });
twin!(AddedTestsRow of AddedTests { Expect, Ignore });
twin!(BarRow of PassCondition { Clean, NoErrors, NoWorse });
twin!(NeedRow of GateImportance { Required, Advisory });
twin!(CriterionRow of Criterion { TestPass, BuildSuccess, LintClean, TypeCheck, Diagnostics, Security, Memory, Custom, Judge });

#[derive(Deserialize, Serialize)]
struct PolicyRow {
    claim: ClaimRow,
    trust: TrustRow,
    limits: LimitsRow,
    turns: TurnsRow,
    gates: Vec<GateRow>,
    zero: Vec<LevelRow>,
    allowed_paths: Vec<String>,
    allow_tests: bool,
    /// Missing in rows of earlier versions.
    #[serde(default)]
    known_failures: bool,
    /// Missing in rows of earlier versions.
    #[serde(default)]
    original_tests: OriginalTestsRow,
    /// Missing in rows of earlier versions.
    #[serde(default)]
    added_tests: AddedTestsRow,
    /// Missing in rows of earlier versions.
    #[serde(default)]
    edition: RuleEditionRow,
    context: ContextRow,
    /// Missing in rows of earlier versions.
    #[serde(default)]
    old_session: Option<OldSessionRow>,
    locale: LocaleRow,
}

#[derive(Deserialize, Serialize)]
struct ClaimRow {
    promise: Option<String>,
    mode: ModeRow,
    markers: Vec<String>,
}

#[derive(Deserialize, Serialize)]
struct LimitsRow {
    iterations: u32,
    duration: Duration,
    stalled: u32,
    restarts: u32,
    tokens: Option<u64>,
    cost_micros: Option<u64>,
    waiting: Duration,
}

#[derive(Deserialize, Serialize)]
struct TurnsRow {
    idle: Duration,
    wall: Duration,
    grace: Duration,
}

#[derive(Deserialize, Serialize)]
struct GateRow {
    name: String,
    criterion: CriterionRow,
    command: CommandRow,
    dir: String,
    format: String,
    bar: BarRow,
    timeout: Duration,
    need: NeedRow,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum CommandRow {
    Argv(Vec<String>),
    Shell(String),
    Question(String),
}

impl Default for OriginalTestsRow {
    /// The behaviour of earlier versions.
    fn default() -> Self {
        Self::Off
    }
}

impl Default for AddedTestsRow {
    /// The behaviour of earlier versions.
    fn default() -> Self {
        Self::Ignore
    }
}

impl Default for RuleEditionRow {
    /// The rules of runs that earlier versions started.
    fn default() -> Self {
        Self::First
    }
}

/// Returns the JSON form of a policy.
pub(super) fn encode_policy(policy: &Policy) -> Result<String, StoreError> {
    let Policy {
        claim,
        trust,
        limits,
        turns,
        gates,
        zero,
        allowed,
        tests,
        edition,
        context,
        old_session,
        locale,
    } = policy.clone();
    let row = PolicyRow {
        claim: claim.into(),
        trust: trust.into(),
        limits: limits.into(),
        turns: TurnsRow { idle: turns.idle, wall: turns.wall, grace: turns.grace },
        gates: gates.into_iter().map(GateRow::from).collect(),
        zero: zero.into_iter().map(LevelRow::from).collect(),
        allowed_paths: allowed.paths,
        allow_tests: allowed.tests,
        known_failures: allowed.known_failures,
        original_tests: tests.original.into(),
        added_tests: tests.added.into(),
        edition: edition.into(),
        context: context.into(),
        old_session: old_session.map(OldSessionRow::from),
        locale: locale.into(),
    };
    encode(WHAT, &row)
}

/// Reads a policy from its JSON form.
pub(super) fn decode_policy(text: &str) -> Result<Policy, StoreError> {
    let PolicyRow {
        claim,
        trust,
        limits,
        turns,
        gates,
        zero,
        allowed_paths,
        allow_tests,
        known_failures,
        original_tests,
        added_tests,
        edition,
        context,
        old_session,
        locale,
    } = decode(WHAT, text)?;
    Ok(Policy {
        claim: claim.into_rules()?,
        trust: trust.into(),
        limits: limits.into(),
        turns: TurnLimits { idle: turns.idle, wall: turns.wall, grace: turns.grace },
        gates: gates.into_iter().map(GateSpec::from).collect(),
        zero: zero.into_iter().map(FindingLevel::from).collect(),
        allowed: AllowedChanges { paths: allowed_paths, tests: allow_tests, known_failures },
        tests: TestRules { original: original_tests.into(), added: added_tests.into() },
        edition: edition.into(),
        context: context.into(),
        old_session: old_session.map(OldSession::from),
        locale: locale.into(),
    })
}

impl From<ClaimRules> for ClaimRow {
    fn from(rules: ClaimRules) -> Self {
        let ClaimRules { promise, mode, markers } = rules;
        Self {
            promise: promise.map(|promise| promise.as_str().to_owned()),
            mode: mode.into(),
            markers: markers.iter().map(|marker| marker.as_str().to_owned()).collect(),
        }
    }
}

impl ClaimRow {
    fn into_rules(self) -> Result<ClaimRules, StoreError> {
        let promise = |text: String| Promise::new(&text).ok_or_else(|| unfit("a promise", &text));
        let marker = |text: String| Marker::new(&text).ok_or_else(|| unfit("a marker", &text));
        Ok(ClaimRules {
            promise: self.promise.map(promise).transpose()?,
            mode: self.mode.into(),
            markers: self.markers.into_iter().map(marker).collect::<Result<_, _>>()?,
        })
    }
}

impl From<RunLimits> for LimitsRow {
    fn from(limits: RunLimits) -> Self {
        let RunLimits { iterations, duration, stalled, restarts, tokens, cost, waiting } = limits;
        let cost_micros = cost.map(Usd::micros);
        Self { iterations, duration, stalled, restarts, tokens, cost_micros, waiting }
    }
}

impl From<LimitsRow> for RunLimits {
    fn from(row: LimitsRow) -> Self {
        let LimitsRow { iterations, duration, stalled, restarts, tokens, cost_micros, waiting } =
            row;
        let cost = cost_micros.map(Usd::from_micros);
        Self { iterations, duration, stalled, restarts, tokens, cost, waiting }
    }
}

impl From<GateSpec> for GateRow {
    fn from(gate: GateSpec) -> Self {
        let GateSpec { name, criterion, command, dir, format, bar, timeout, need } = gate;
        let command = match command {
            GateCommand::Argv(words) => CommandRow::Argv(words),
            GateCommand::Shell(script) => CommandRow::Shell(script),
            GateCommand::Question(criterion) => CommandRow::Question(criterion),
        };
        Self {
            name,
            criterion: criterion.into(),
            command,
            dir,
            format: format.name().to_owned(),
            bar: bar.into(),
            timeout,
            need: need.into(),
        }
    }
}

impl From<GateRow> for GateSpec {
    fn from(row: GateRow) -> Self {
        let GateRow { name, criterion, command, dir, format, bar, timeout, need } = row;
        let command = match command {
            CommandRow::Argv(words) => GateCommand::Argv(words),
            CommandRow::Shell(script) => GateCommand::Shell(script),
            CommandRow::Question(criterion) => GateCommand::Question(criterion),
        };
        Self {
            name,
            criterion: criterion.into(),
            command,
            dir,
            // This version does not know the format: the exit code still
            // counts.
            format: format.parse().unwrap_or(OutputFormat::Exit),
            bar: bar.into(),
            timeout,
            need: need.into(),
        }
    }
}
