//! The error of a command.

pub(crate) use ralph_engine::UserError as CliError;
