//! `ralph hook`: the command that hosts call for each event of a session.
//!
//! Whatever goes wrong here, the host continues as if we were not there: the exit code
//! is 0 and stdout holds one JSON object or nothing.

mod slash;

use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use ralph_agents::Host;
use ralph_config::ArmingMoment;
use ralph_core::Timestamp;
use ralph_engine::clock::{SystemClock, TimeSource};
use ralph_engine::hook::{self, HookInvocation};

use crate::error::CliError;
#[cfg(unix)]
use ralph_engine::hook::door;

/// Most bytes of a payload that are read. Hosts send whole files.
const MOST_PAYLOAD: u64 = 512 * 1024 * 1024;

/// Longest time of a hook if its installation does not say.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Answer an event of a host; payload on stdin, answer on stdout
///
/// Hosts call this; `ralph install` tells them to. It always exits with 0.
#[derive(clap::Args, Debug)]
pub(crate) struct HookArgs {
    /// Host whose hook format to use
    #[arg(long, value_name = "NAME", value_parser = crate::commands::install::names())]
    agent: String,
    /// Seconds after which the host would end this process
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// When loops begin, unless the settings say so
    #[arg(long, value_name = "WHEN")]
    arm: Option<String>,
}

/// Answers a call without the command line's parser. Most calls do not concern us and
/// must cost almost nothing.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    let heard = SystemClock.now();
    #[cfg(unix)]
    if let Some(socket) = std::env::var_os(door::VARIABLE)
        && door::pass_out(&socket, &args).is_ok()
    {
        return ExitCode::SUCCESS;
    }
    if let Some(call) = read(args, heard) {
        // The host reads our streams, so a panic is not printed.
        std::panic::set_hook(Box::new(|_| {}));
        // A panic must not reach the host.
        let _ = std::panic::catch_unwind(|| answer(&call));
    }
    ExitCode::SUCCESS
}

/// Returns the error that a line would cause if it were typed in a session. Every path
/// is assumed to exist.
pub(crate) fn fault_of(line: &str) -> Option<CliError> {
    slash::fault_of(line)
}

/// Answers a call that went through the command line's parser.
pub(crate) fn run(args: &HookArgs) -> u8 {
    let words = ["--agent".to_owned(), args.agent.clone()].into_iter();
    let timeout = args.timeout.map(|seconds| format!("--timeout={seconds}"));
    let arm = args.arm.as_ref().map(|arm| format!("--arm={arm}"));
    main(words.chain(timeout).chain(arm).map(OsString::from).collect());
    0
}

fn read(args: Vec<OsString>, heard: Timestamp) -> Option<HookInvocation<'static>> {
    let (mut name, mut timeout, mut arm, mut cap) = (None, TIMEOUT, None, None);
    let words: Vec<String> = args.into_iter().filter_map(|word| word.into_string().ok()).collect();
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (word, words.next()),
        };
        match (flag, value) {
            ("--agent", Some(value)) => name = Some(value),
            ("--timeout", Some(value)) => {
                timeout = value.parse().map_or(timeout, Duration::from_secs);
            }
            ("--cap", Some(value)) => cap = value.parse().ok(),
            ("--arm", Some(value)) => arm = ArmingMoment::parse(value),
            // Marks of the installation, and flags of later versions.
            (_, _) => {}
        }
    }
    let host = Host::find(name?)?;
    let caller = host.process(|name| std::env::var(name).ok()).unwrap_or_else(caller);
    Some(HookInvocation {
        host,
        timeout,
        cap,
        arm,
        heard,
        caller,
        commands: &slash::TypedCommands,
        print,
    })
}

fn answer(call: &HookInvocation<'_>) {
    let mut payload = Vec::new();
    let read = std::io::stdin().lock().take(MOST_PAYLOAD).read_to_end(&mut payload);
    if read.is_ok() {
        hook::answer(call, payload);
    }
}

/// Returns the id of the parent process; 0 if it is not known.
fn caller() -> u32 {
    #[cfg(unix)]
    return std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    return 0;
}

/// Prints an answer as a whole; a host that hung up does not matter.
fn print(text: &str) {
    if !text.is_empty() {
        let mut out = std::io::stdout().lock();
        // A host that reads no answer goes on without it.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}
