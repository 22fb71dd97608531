//! A sandbox for agents and checks.
//!
//! [`SandboxPolicy`] says what a program may read, write and reach. It is plain
//! data and knows nothing of the system. [`SandboxMeans::probe`] finds out what
//! this machine can enforce: bubblewrap with namespaces, else landlock alone.
//! [`Sandbox`] brings both together and encloses the programs that a
//! [`Supervisor`](ralph_proc::Supervisor) starts. The supervisor itself stays
//! outside.
//!
//! # Details
//!
//! - [`PathRules`] gives each path an access; the deepest rule decides. Both
//!   renderers start from it (`bubblewrap.rs`, `confine.rs`).
//! - Landlock only adds rights from a folder downwards. So it cannot take away
//!   a part of a folder that may be written to. [`SandboxMeans::lacks`] lists
//!   the [`SandboxGuarantee`]s that this machine cannot keep.
//! - A list of allowed hosts needs a network namespace. A proxy (`proxy.rs`)
//!   listens outside on a socket in the file system, and a bridge inside
//!   (`bridge.rs`) offers it as a port.

mod access;
mod bridge;
mod bubblewrap;
mod confine;
mod guarantee;
mod hosts;
mod means;
mod places;
mod policy;
#[cfg(unix)]
mod proxy;
#[cfg(not(unix))]
#[path = "proxy_absent.rs"]
mod proxy;
mod sandbox;
mod sockets;
#[cfg(target_os = "linux")]
mod trial;

pub use access::{PathAccess, PathRule, PathRules};
pub use confine::{SANDBOX_WORD, sandbox_main};
pub use guarantee::SandboxGuarantee;
pub use hosts::{HostList, HostListError};
pub use means::SandboxMeans;
pub use places::{CACHE_NAMES, cache_folders, secret_places};
pub use policy::{NetworkRule, PolicyFacts, SandboxPolicy};
pub use sandbox::{Sandbox, SandboxError};
#[cfg(target_os = "linux")]
pub use trial::{TrialError, broken_guarantees};
