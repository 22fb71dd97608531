//! A server of the Model Context Protocol on standard input and output.
//!
//! This crate implements the protocol and its limits. The tools are passed in
//! as a list of [`ServerTool`]s, each a synchronous function. A call runs on a thread
//! of its own and learns when the client no longer waits for it.

mod bounded;
mod lines;
mod server;
mod slim;
mod tool;
mod transport;

pub use bounded::MOST_ANSWER;
pub use lines::MOST_MESSAGE;
pub use server::{ServeError, ServerDescription, serve};
pub use tool::{
    CallConcurrency, CallEffect, ServerTool, ToolAnswer, ToolCall, ToolCallError, ToolSpec,
};
