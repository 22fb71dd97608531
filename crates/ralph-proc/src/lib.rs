//! Child processes whose whole tree ends with the turn.
//!
//! [`Supervisor::run`] starts a program under a small supervisor process (our
//! own binary, executed again). It returns once the program ended and its
//! output was read. The supervisor is a child subreaper: it kills every process
//! that the program leaves behind, even a daemon in a session of its own. It
//! reads a control pipe from us, so our own death, by any signal, ends the tree
//! too.
//!
//! Tests prove this on Linux. On other Unix systems only the program's process
//! group is killed, on Windows only the program itself; both are untested.
//!
//! # Details
//!
//! - If the supervisor itself is killed, a token in the environment finds its
//!   children. The driver is a subreaper too: children without the token become
//!   its own, are known by their session, and are ended (`strays.rs`).
//! - The parent-death signal is not used: it needs unsafe code between `fork` and
//!   `exec`, and it would kill the supervisor before it could clean up.
//! - `overlay.rs` mounts other contents over a folder, in user and mount
//!   namespaces of a helper process. Writes go to a tmpfs, so nothing is left
//!   behind. Where overlays are refused, the helper binds a copy.

mod ancestry;
mod closed;
mod enclosure;
mod events;
mod feed;
mod find;
mod launch;
mod log;
mod overlay;
#[cfg(target_os = "linux")]
mod procfs;
mod random;
mod run;
mod strays;
mod supervise;
mod supervised;
mod tail;
mod tree;
mod turn;
mod waker;
mod wire;
mod words;

pub use ancestry::{Ancestor, ancestors};
pub use closed::close_memory;
pub use enclosure::Enclosure;
pub use feed::StdinPipe;
pub use find::find_program;
pub use launch::{
    ExitReason, OutputStream, ProgramLaunch, ProgramLimits, ProgramOutcome, ProgramWatcher,
    StreamMerging, TICK, WatcherDecision,
};
pub use log::{LineFilter, LogLimits, LogWriter, read_log};
pub use overlay::{
    FileOverlay, OVERLAY_WORD, OverlayContent, OverlayFile, OverlayMethod, is_lack_of_means,
    overlay_main,
};
pub use random::random_bits;
pub use run::{ProcError, Supervisor};
pub use strays::{LostPrograms, adopt_strays, end_strays};
pub use supervise::supervisor_main;
pub use tail::OutputTail;
pub use tree::{process_start_time, resident_memory};
pub use waker::Waker;
pub use wire::TOKEN_VARIABLE;
pub use words::{SplitError, split_words};
