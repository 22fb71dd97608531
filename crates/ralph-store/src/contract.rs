//! The rules that every [`RunStore`] keeps, as functions that panic if it
//! breaks one.
//!
//! Each takes a function that opens a new, empty store. The macro
//! `run_store_contract` makes a test of each of them.

#![expect(clippy::unwrap_used, reason = "a contract is kept or the test panics")]

pub mod owners;
pub mod records;
pub mod runs;
pub mod sample;
pub mod steps;

use crate::RunStore;

/// Opens a new, empty store.
pub type StoreOpener<'a> = &'a dyn Fn() -> Box<dyn RunStore>;

/// Makes one test of each rule of the contract.
///
/// `$with` is a function that gets a rule and calls it with an [`StoreOpener`].
#[macro_export]
#[doc(hidden)]
macro_rules! run_store_contract {
    ($with:path) => {
        $crate::run_store_contract! { @each $with;
            runs: every_field_of_a_run_survives,
            runs: every_state_survives,
            runs: every_choice_of_a_policy_survives,
            runs: a_run_id_is_used_once,
            runs: a_work_tree_has_one_active_run_that_gates_judge,
            runs: every_session_may_have_a_run_that_the_claim_judges,
            runs: runs_are_listed_newest_first,
            runs: runs_are_found_by_how_they_stand,
            runs: run_ids_are_completed,
            runs: a_session_finds_its_newest_open_run,
            steps: a_step_is_written_as_a_whole,
            steps: a_step_from_an_old_version_writes_nothing,
            steps: an_iteration_is_decided_once,
            steps: an_unknown_run_cannot_be_saved,
            steps: a_paused_run_does_not_wake_beside_an_active_one,
            owners: a_takeover_makes_the_old_owner_stale,
            owners: a_takeover_drops_what_the_old_owner_was_asked,
            owners: a_takeover_from_an_old_epoch_changes_nothing,
            owners: a_session_cannot_take_over_a_second_active_run,
            owners: a_heartbeat_tells_what_was_asked,
            owners: a_heartbeat_is_kept_and_never_turned_back,
            owners: a_stop_is_not_weakened_by_a_pause,
            owners: an_ended_run_cannot_be_asked_for_anything,
            owners: an_unknown_run_has_no_owner,
            records: every_field_of_an_iteration_survives,
            records: the_last_iterations_come_oldest_first,
            records: events_keep_their_order,
            records: events_are_found_by_run_and_session,
            records: a_pass_counts_for_its_gate_and_tree_only,
            records: a_pass_that_is_forgotten_counts_no_more,
            records: the_time_of_a_gate_is_the_last_one_kept,
            records: a_sound_store_passes_its_own_check,
        }
    };
    (@each $with:path; $($topic:ident: $rule:ident),+ $(,)?) => {
        $(
            #[test]
            fn $rule() {
                $with($crate::contract::$topic::$rule);
            }
        )+
    };
}
