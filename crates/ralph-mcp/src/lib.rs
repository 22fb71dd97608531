//! A server of the Model Context Protocol on standard input and output.
//!
//! This crate speaks the protocol and keeps the limits; what the tools do is
//! given to it as a list of [`Tool`]s, each a synchronous function. A call runs
//! on a thread of its own and is told when nobody waits for it any more.

mod bounded;
mod lines;
mod server;
mod slim;
mod tool;
mod transport;

pub use bounded::MOST_ANSWER;
pub use lines::MOST_MESSAGE;
pub use server::{About, ServeError, serve};
pub use tool::{Answer, Call, Company, Effect, Refusal, Spec, Tool};
