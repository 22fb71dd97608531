//! The bodies of the tools that agents get through their client. A server of tools adds
//! their arguments and descriptions.

mod loops;
mod status;

pub use loops::{
    known_session, own_run, refuse_driven, start_loop, stop_resting, stricter_settings,
};
pub use status::{RunFacts, run_facts, run_list};
