//! A client for language servers: diagnostics of files while they change.
//!
//! A [`ServerPool`] starts the servers that fit the files it is asked about, keeps
//! them warm, and says for each what it found or why that is unknown. Servers
//! that push diagnostics and servers that are asked for them are both
//! supported; either way an answer counts once it has settled. Findings carry
//! the fingerprints of the command-line tool where the tool is the same.
//!
//! Every server runs under the supervisor, so none outlives us.

mod answers;
pub(crate) mod choice;
mod documents;
mod findings;
mod framing;
mod gate;
#[cfg(unix)]
mod helper;
mod pool;
mod process;
pub(crate) mod servers;
mod session;
mod uri;
mod wire;

pub use gate::LspGate;
#[cfg(unix)]
pub use helper::{LspHelper, ask_helper};
pub use pool::{ServerPool, ServerReport, ServerVerdict};
pub use servers::{LanguageServer, ServerCondition, ServerLanguage, ServerQuirk, known};

/// The reason why a server gives no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum ServerFailure {
    /// The supervisor could not do its work.
    #[error("it cannot be started: {0}")]
    NotStarted(String),
    /// The process is gone.
    #[error("it ended: {0}")]
    Ended(String),
    /// Its output is not the protocol.
    #[error("it does not speak the protocol: {0}")]
    Broken(String),
    /// It was killed because it took too much memory.
    #[error("it was killed because it used {used} MiB of memory; {ceiling} MiB are allowed")]
    Memory {
        /// The memory it had in use, in mebibytes.
        used: u64,
        /// The memory it may use, in mebibytes.
        ceiling: u64,
    },
    /// It answered with an error.
    #[error("it refused {method}: {message}")]
    Refused {
        /// The method of the request.
        method: &'static str,
        /// The server's error message.
        message: String,
    },
    /// The time was over before it answered.
    #[error("no answer after {waited_ms} ms: {what}")]
    Slow {
        /// The time spent waiting for it, in milliseconds.
        waited_ms: u128,
        /// The work it was doing, or the answer that was missing.
        what: String,
    },
}

impl ServerFailure {
    /// True if the server cannot be asked again.
    fn is_over(&self) -> bool {
        match self {
            Self::NotStarted(_) | Self::Ended(_) | Self::Broken(_) | Self::Memory { .. } => true,
            Self::Refused { method, .. } => *method == "initialize",
            Self::Slow { .. } => false,
        }
    }
}
