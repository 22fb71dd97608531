//! The driver loop, the handling of host events, and the event stream.
//!
//! The engine connects the pure decisions of `ralph-core` to processes, files
//! and the store. Surfaces receive its [`events`].
//!
//! # As a library
//!
//! [`run`] drives an agent, [`hook`] answers the events of a host, [`check`] runs the gates
//! alone and [`tool`] has what agents may ask for. Each needs an [`app::App`], the context
//! of one project. Programs run below a supervisor: this very program, called with
//! `__supervise`.
//!
//! ```standalone_crate
//! use std::fs;
//! use std::process::ExitCode;
//! use std::time::Duration;
//!
//! use ralph_agents::host::HOSTS;
//! use ralph_core::run::Task;
//! use ralph_core::state::RunState;
//! use ralph_engine::app::App;
//! use ralph_engine::check::{CacheUse, CheckQueueMode, CheckRequest, CheckScanScope, run_checks};
//! use ralph_engine::clock::InterruptSignal;
//! use ralph_engine::events::{RunStart, SilentSink};
//! use ralph_engine::hook::{self, HookInvocation, SessionCommands, SlashPrompt, TypedTask};
//! use ralph_engine::run::{self, PreparedRun, RunChecks, RunSurface};
//! use ralph_engine::{RunLedger, UserError, sandbox, tool};
//!
//! /// A surface in whose sessions nothing can be typed.
//! struct NoCommands;
//!
//! impl SessionCommands for NoCommands {
//!     fn parse(&self, _: &str, _: &dyn Fn(&str) -> bool) -> Option<SlashPrompt> {
//!         None
//!     }
//!
//!     fn task(&self, text: &str, _: &dyn Fn(&str) -> bool) -> Result<TypedTask, UserError> {
//!         Err(UserError::usage(format!("`{text}` cannot be typed here")))
//!     }
//! }
//!
//! fn drive(app: &App) -> Result<(), UserError> {
//!     // A project's file names commands, so its user must accept it.
//!     app.accept_once(&app.project_file()?);
//!
//!     // Nothing is done yet, so the gate fails.
//!     let request = CheckRequest {
//!         memory: CacheUse::Ignored,
//!         scan: CheckScanScope::All,
//!         turn: CheckQueueMode::Ignored,
//!         interrupt: InterruptSignal::default(),
//!     };
//!     let checked = run_checks(app, app.layers()?, &request, &mut SilentSink)?;
//!     assert!(checked.reports.iter().all(|report| report.blocks()));
//!
//!     // The agent does the work, and the gate proves it.
//!     let settings = app.settings(&app.layers()?)?;
//!     let agent = run::agent(app, &settings, None)?;
//!     let checks = RunChecks::new(app, settings)?;
//!     let sandboxes = sandbox::of_run(app, &*agent, &checks.settings)?;
//!     let ready = PreparedRun { agent, checks, begin: RunStart::New, answer: None, sandboxes };
//!     let (ledger, _) = RunLedger::open(&app.home)?;
//!     let task = Task { text: "write done.txt".to_owned(), ..Task::default() };
//!     let started = run::start(app, &ledger, task, &ready)?;
//!     let surface = RunSurface {
//!         sink: &mut SilentSink,
//!         interrupt: InterruptSignal::default(),
//!         supervisor: App::supervisor(),
//!     };
//!     let ended = run::drive(app, ledger, ready, started.run, surface)?;
//!     assert!(matches!(ended.state, RunState::Success(_)), "{:?}", ended.state);
//!     assert_eq!(tool::run_facts(app, None)?.len(), 1);
//!
//!     // A session without a loop does not concern us.
//!     let call = HookInvocation {
//!         host: &HOSTS[0],
//!         cap: None,
//!         timeout: Duration::from_secs(60),
//!         arm: None,
//!         heard: app.now(),
//!         caller: 0,
//!         commands: &NoCommands,
//!         print: |text| assert!(text.is_empty(), "{text}"),
//!     };
//!     hook::answer(&call, br#"{"hook_event_name": "Stop", "session_id": "s-1"}"#.to_vec());
//!     Ok(())
//! }
//!
//! fn main() -> ExitCode {
//!     if std::env::args().nth(1).as_deref() == Some("__supervise") {
//!         return ralph_proc::supervisor_main();
//!     }
//!     let folder = tempfile::tempdir().expect("a folder");
//!     let project = folder.path().join("project");
//!     fs::create_dir(&project).expect("a project");
//!     let settings = r#"
//!         [run]
//!         agent_cmd = ["sh", "-c", "echo yes > done.txt; echo '<promise>DONE</promise>'"]
//!         criteria = ["custom:test -s done.txt"]
//!     "#;
//!     fs::write(project.join("ralph.toml"), settings).expect("settings");
//!     let home = folder.path().join("state").into_os_string();
//!     let env = std::env::vars_os().chain([("RALPH_HOME".into(), home)]).collect();
//!     let app = App::at(&project, env).expect("the project");
//!     match drive(&app) {
//!         Ok(()) => ExitCode::SUCCESS,
//!         Err(error) => panic!("{error}"),
//!     }
//! }
//! ```
//!
//! # The driver and hosted loops
//!
//! [`Driver::drive`] starts the agent itself. [`host`] is the driver without its
//! first half: the host takes the turns, and the same gates, snapshots, records
//! and `decide` judge them.
//!
//! - Most events of a host concern no run. A folder in the state home shows that
//!   without opening the store, which keeps a hook cheap.
//! - A turn is stored before the host hears that it goes on. An event is answered
//!   only if the run did not change since the process started, so of several
//!   processes one answers.
//! - A hook starts a gate if it has time for what the gate took before. A gate
//!   without a result is unknown; `ralph check --wait` runs it, and the next hook
//!   uses its pass.
//! - After an edit, linters and warm language servers look at the written files
//!   for two seconds at most (`host/looks.rs`). A look decides nothing.
//! - A loop with a new session for each turn stores the actions that the host has
//!   to carry out before it asks for the first (`host/moving.rs`). The old session
//!   is deleted only after the new one has answered.
//!
//! # Evidence that the agent cannot bend
//!
//! - The driver believes its memory: run, baseline and policy are never read back.
//!   The files that judge the run are read before a turn and restored after it
//!   ([`seal`]). A key for signatures would say no more than that memory.
//! - Reading sources cannot tell a bent test from a better one; running it can.
//!   Before a run with changed tests is accepted, `driver/original.rs` runs the
//!   gate with the tests of the start over the present code, and compares test by
//!   test. Two controls follow (`driver/original/control.rs`), because code can
//!   notice the overlay.
//! - Programs, settings and modules outside the snapshots are compared with the
//!   start only when a run would be accepted (`driver/surroundings.rs`).
//! - Changes that the user makes while a run rests or checks run are not the
//!   agent's.
//!
//! # Notes
//!
//! [`recall`] finds what an agent is shown: notes in one thread, code and commits
//! in another, fused by rank. The result depends only on its inputs, and what
//! changes least comes first. What a judged turn teaches (`driver/outcomes.rs`) is
//! written after the turn is stored. Trouble with the memory never stops a run.

pub mod affected;
pub mod agents;
pub mod allowed;
pub mod app;
pub mod caller;
pub mod capture;
pub mod check;
pub mod clock;
pub mod code;
pub mod command_log;
pub mod commits;
pub mod debug_log;
pub mod demo;
pub mod doctor;
mod driver;
mod error;
pub mod events;
pub mod folder_guard;
pub mod history;
pub mod hook;
pub mod host;
pub mod init;
pub mod install;
pub mod invariants;
pub mod landed;
mod ledger;
pub mod likely;
mod locks;
pub mod loops;
pub mod lsp_helper;
pub mod note_lines;
pub mod owner;
mod programs;
mod python;
pub mod recall;
pub mod report;
pub mod retention;
pub mod rights;
mod ruby;
pub mod run;
pub mod sandbox;
pub mod sandboxed_host;
pub mod seal;
pub mod sessions;
pub mod settings_copy;
mod stamps;
mod steps;
pub mod stop;
mod surroundings;
#[cfg(test)]
mod temporary_store;
pub mod texts;
pub mod tool;
pub mod undo;
mod user_error;
pub mod wire;

pub use driver::turn::turn_log;
pub use driver::{
    CheckSet, Driver, EvidenceGatherer, MemoryUse, RunContext, RunPlaces, TurnInputs,
    log_changes_of, log_end_of,
};
pub use error::EngineError;
pub use ledger::RunLedger;
pub use user_error::{ErrorKind, UserError};
