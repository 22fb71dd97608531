//! Runs are stored whole and found again, and runs with gates exclude each
//! other.

use ralph_core::circle::Circle;
use ralph_core::claim::{ClaimRules, MatchMode};
use ralph_core::locale::Locale;
use ralph_core::policy::{
    ContextMode, Criterion, GateCommand, GateImportance, GateSpec, OldSession, Trust,
};
use ralph_core::run::Owner;
use ralph_core::state::{PauseReason, Proof, RunFailure, WaitReason};
use ralph_core::{Policy, Run, RunId, RunState};

use crate::{bare_run, open, sample};
use ralph_store::{RunQuery, RunStateFilter, SqliteStore, StoreError};

#[track_caller]
fn check_survives(store: &SqliteStore, run: &Run) {
    store.create_run(run).unwrap();
    assert_eq!(store.run(&run.id).unwrap().as_ref(), Some(run));
}

fn ids(runs: &[Run]) -> Vec<RunId> {
    runs.iter().map(|run| run.id.clone()).collect()
}

fn named(bits: &[u32]) -> Vec<RunId> {
    bits.iter().map(|&bits| RunId::from_bits(bits)).collect()
}

/// A run is read as it was written, with everything and with the least.
#[test]
fn every_field_of_a_run_survives() {
    let store = open();
    check_survives(&store, &sample::run(1));
    check_survives(&store, &bare_run(2));
    let owner = Some(Owner::Session(sample::session_id("ses_1")));
    check_survives(&store, &Run { owner, ..sample::run(3) });
    assert_eq!(store.run(&RunId::from_bits(4)).unwrap(), None);
}

/// Every state is read as it was written.
#[test]
fn every_state_survives() {
    let store = open();
    let waits = [
        WaitReason::Limit { until: sample::at(-5) },
        WaitReason::Human { question: "which \"one\"?".to_owned() },
        WaitReason::Child,
        WaitReason::Host,
    ];
    let pauses =
        [PauseReason::Asked, PauseReason::Interrupted, PauseReason::Aborted, PauseReason::Capped];
    let failures = [
        RunFailure::MaxIterations,
        RunFailure::MaxDuration,
        RunFailure::NoProgress,
        RunFailure::Circular(None),
        RunFailure::Circular(Some(Circle { from: 3, to: 5 })),
        RunFailure::Budget,
        RunFailure::MaxRestarts,
        RunFailure::AgentError { what: "it's gone".to_owned() },
        RunFailure::FolderGone { folder: "/project/.git".to_owned() },
    ];
    let states = [RunState::Running, RunState::Stopped]
        .into_iter()
        .chain(waits.map(RunState::Waiting))
        .chain(pauses.map(RunState::Paused))
        .chain([Proof::Verified, Proof::Claimed].map(RunState::Success))
        .chain(failures.map(RunState::Failed));
    for (bits, state) in (1..).zip(states) {
        check_survives(&store, &Run { state, ..sample::run(bits) });
    }
}

/// Every choice that a policy offers is read as it was written.
#[test]
fn every_choice_of_a_policy_survives() {
    let store = open();
    let promise = Policy::promise;
    let mut policies = vec![promise()];
    for trust in [Trust::Claim, Trust::Evidence] {
        policies.push(Policy { trust, ..promise() });
    }
    for context in
        [ContextMode::Auto, ContextMode::Same, ContextMode::Summarize, ContextMode::Fresh]
    {
        policies.push(Policy { context, ..promise() });
    }
    for fate in [OldSession::Delete, OldSession::Keep] {
        policies.push(Policy { old_session: Some(fate), ..promise() });
    }
    for locale in [Locale::En, Locale::Ko] {
        policies.push(Policy { locale, ..promise() });
    }
    for mode in [MatchMode::Tag, MatchMode::Word, MatchMode::Contains] {
        let claim = ClaimRules { promise: None, mode, markers: Vec::new() };
        policies.push(Policy { claim, ..promise() });
    }
    for need in [GateImportance::Required, GateImportance::Advisory] {
        let all = Criterion::NAMED.into_iter().chain([Criterion::Custom, Criterion::Judge]);
        let gate = |criterion| GateSpec {
            need,
            ..sample::gate(criterion, GateCommand::Argv(vec!["true".to_owned()]))
        };
        let gates = all.map(gate).collect();
        policies.push(Policy { gates, ..promise() });
    }
    for (bits, policy) in (1..).zip(policies) {
        check_survives(&store, &Run { policy, ..sample::run(bits) });
    }
}

/// A second run with the same id is refused and the first stays.
#[test]
fn a_run_id_is_used_once() {
    let store = open();
    let run = sample::run(1);
    store.create_run(&run).unwrap();
    let second = Run { worktree: "/other".to_owned(), ..run.clone() };
    let refused = store.create_run(&second);
    assert!(matches!(refused, Err(StoreError::RunExists { run: id }) if id == run.id));
    assert_eq!(store.run(&run.id).unwrap(), Some(run));
}

fn active(store: &SqliteStore, worktree: &str) -> Vec<RunId> {
    let worktree = Some(worktree.to_owned());
    ids(&store.runs(&RunQuery { worktree, which: RunStateFilter::Active, limit: 10 }).unwrap())
}

/// A second active run with gates is refused; a paused one is accepted.
#[test]
fn a_work_tree_has_one_active_run_that_gates_judge() {
    let store = open();
    let here = "/here".to_owned();
    let first = Run { worktree: here.clone(), ..sample::run(1) };
    store.create_run(&first).unwrap();

    let second = Run {
        worktree: here.clone(),
        state: RunState::Waiting(WaitReason::Host),
        ..sample::run(2)
    };
    let refused = store.create_run(&second);
    assert!(matches!(refused, Err(StoreError::WorktreeBusy { run }) if run == first.id));
    assert_eq!(store.run(&second.id).unwrap(), None);

    let paused = Run { state: RunState::Paused(PauseReason::Asked), ..second };
    store.create_run(&paused).unwrap();
    store.create_run(&sample::run(3)).unwrap();
    assert_eq!(active(&store, &here), named(&[1]));
    assert_eq!(active(&store, "/nowhere"), named(&[]));
}

/// Runs without gates exclude only other runs of their own session.
#[test]
fn every_session_may_have_a_run_that_the_claim_judges() {
    let store = open();
    let here = "/here".to_owned();
    let claimed = |bits, session| Run {
        worktree: here.clone(),
        owner: Some(Owner::Session(sample::session_id(session))),
        policy: Policy::promise(),
        ..sample::run(bits)
    };
    store.create_run(&Run { worktree: here.clone(), ..sample::run(1) }).unwrap();
    store.create_run(&claimed(2, "ses_2")).unwrap();
    store.create_run(&claimed(3, "ses_3")).unwrap();
    let memory = sample::gate(Criterion::Memory, GateCommand::Argv(vec!["true".to_owned()]));
    let policy = Policy { gates: vec![memory], ..Policy::promise() };
    store.create_run(&Run { policy, ..claimed(4, "ses_4") }).unwrap();
    assert_eq!(active(&store, &here), named(&[4, 3, 2, 1]));

    let second = store.create_run(&claimed(5, "ses_3"));
    assert!(matches!(second, Err(StoreError::SessionBusy { run }) if run == RunId::from_bits(3)));
    store
        .create_run(&Run { state: RunState::Paused(PauseReason::Asked), ..claimed(6, "ses_3") })
        .unwrap();
    store.create_run(&Run { worktree: "/there".to_owned(), ..claimed(7, "ses_3") }).unwrap();
    assert_eq!(active(&store, &here), named(&[4, 3, 2, 1]));
}

/// Runs are ordered by start time, then by creation.
#[test]
fn runs_are_listed_newest_first() {
    let store = open();
    for bits in [2, 9, 5] {
        store.create_run(&sample::run(bits)).unwrap();
    }
    let twin = Run { started_at: sample::at(9), ..sample::run(1) };
    store.create_run(&twin).unwrap();
    let query = |limit| RunQuery { worktree: None, which: RunStateFilter::All, limit };
    assert_eq!(ids(&store.runs(&query(10)).unwrap()), named(&[1, 9, 5, 2]));
    assert_eq!(ids(&store.runs(&query(2)).unwrap()), named(&[1, 9]));
    assert_eq!(ids(&store.runs(&query(0)).unwrap()), named(&[]));
}

/// A run that waits for a person is open but not active.
#[test]
fn runs_are_found_by_how_they_stand() {
    let store = open();
    let states = [
        RunState::Running,
        RunState::Waiting(WaitReason::Human { question: "?".to_owned() }),
        RunState::Paused(PauseReason::Interrupted),
        RunState::Success(Proof::Claimed),
        RunState::Stopped,
    ];
    for (bits, state) in (1..).zip(states) {
        let worktree = "/here".to_owned();
        store.create_run(&Run { state, worktree, ..sample::run(bits) }).unwrap();
    }
    store.create_run(&sample::run(6)).unwrap();
    let found = |worktree: Option<&str>, which| {
        let worktree = worktree.map(str::to_owned);
        ids(&store.runs(&RunQuery { worktree, which, limit: 10 }).unwrap())
    };
    assert_eq!(found(None, RunStateFilter::Active), named(&[6, 1]));
    assert_eq!(found(Some("/here"), RunStateFilter::Active), named(&[1]));
    assert_eq!(found(Some("/here"), RunStateFilter::Open), named(&[3, 2, 1]));
    assert_eq!(found(Some("/here"), RunStateFilter::Ended), named(&[5, 4]));
    assert_eq!(found(Some("/here"), RunStateFilter::All), named(&[5, 4, 3, 2, 1]));
    assert_eq!(found(Some("/her_"), RunStateFilter::All), named(&[]));
}

/// Only the beginning of an id is completed.
#[test]
fn run_ids_are_completed() {
    let store = open();
    for bits in [0x1a00_0002, 0x1a00_0001, 0x1b00_0000, 0x00ff_0000] {
        store.create_run(&bare_run(bits)).unwrap();
    }
    let found = |prefix: &str| store.run_ids(prefix).unwrap();
    assert_eq!(found("run-1a"), named(&[0x1a00_0001, 0x1a00_0002]));
    assert_eq!(found("1"), named(&[0x1a00_0001, 0x1a00_0002, 0x1b00_0000]));
    assert_eq!(found("run-00ff0000"), named(&[0x00ff_0000]));
    assert_eq!(found("").len(), 4);
    for stranger in ["ff", "1a%", "_", "run-run-1a", "1A", "run-1a0000011"] {
        assert_eq!(found(stranger), named(&[]), "{stranger}");
    }
    for bits in 0..12 {
        store.create_run(&bare_run(bits)).unwrap();
    }
    assert_eq!(found("0").len(), 10);
}

/// Ended runs and runs of other sessions are not found.
#[test]
fn a_session_finds_its_newest_open_run() {
    let store = open();
    let mine = sample::session_id("mine");
    let owned =
        |bits, state| Run { state, owner: Some(Owner::Session(mine.clone())), ..sample::run(bits) };
    assert_eq!(store.run_of_session(&mine).unwrap(), None);
    store.create_run(&owned(1, RunState::Running)).unwrap();
    store.create_run(&owned(2, RunState::Paused(PauseReason::Asked))).unwrap();
    store.create_run(&owned(3, RunState::Stopped)).unwrap();
    store.create_run(&sample::run(4)).unwrap();
    let found = store.run_of_session(&mine).unwrap();
    assert_eq!(found.map(|run| run.id), Some(RunId::from_bits(2)));
    assert_eq!(store.run_of_session(&sample::session_id("other")).unwrap(), None);
}
