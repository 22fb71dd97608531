//! The supervisor on its own, for the tests of this crate and for trying it by
//! hand.
//!
//! Without arguments it is the supervisor, or the helper for overlays if the
//! first argument says so. With other arguments it runs them as a program under
//! itself, passes the output on, and prints the ending and how many processes
//! escaped.

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use ralph_proc::{
    LostPrograms, OVERLAY_WORD, OutputStream, ProgramLaunch, ProgramLimits, ProgramWatcher,
    Supervisor, WatcherDecision, adopt_strays, end_strays, overlay_main, supervisor_main,
};

struct OutputForwarder;

impl ProgramWatcher for OutputForwarder {
    fn output(&mut self, stream: OutputStream, bytes: &[u8]) {
        // Output that nothing reads is lost.
        let _ = match stream {
            OutputStream::Stdout => {
                io::stdout().write_all(bytes).and_then(|()| io::stdout().flush())
            }
            OutputStream::Stderr => io::stderr().write_all(bytes),
        };
    }

    fn tick(&mut self) -> WatcherDecision {
        WatcherDecision::GoOn
    }
}

fn main() -> ExitCode {
    let mut args = env::args_os().skip(1);
    let Some(program) = args.next() else { return supervisor_main() };
    if program == OVERLAY_WORD {
        return overlay_main(args);
    }
    match run(program, args.collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The exit code tells it, too.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(
    program: std::ffi::OsString,
    args: Vec<std::ffi::OsString>,
) -> Result<(), Box<dyn std::error::Error>> {
    let dir = env::current_dir()?;
    let launch = ProgramLaunch {
        program,
        args,
        dir,
        env: env::vars_os().collect(),
        stdin: None,
        streams: ralph_proc::StreamMerging::default(),
    };
    let limits = ProgramLimits { wall: None, idle: None, grace: Duration::from_secs(1) };
    let supervisor = Supervisor::new(env::current_exe()?, []);
    adopt_strays();
    let outcome = supervisor.run(&launch, &limits, &mut OutputForwarder)?;
    let LostPrograms { escaped, stopped } = end_strays();
    let (ending, elapsed) = (outcome.ending, outcome.elapsed);
    let lost = format!("{escaped} escaped, {stopped} stopped");
    writeln!(io::stderr(), "{ending:?} after {elapsed:?}, {lost}")?;
    Ok(())
}
