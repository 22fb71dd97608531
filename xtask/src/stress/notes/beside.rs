//! The work beside the writers: hooks that capture sessions, and collections that must
//! not delete what they captured.

use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::old::{self, OldSessionWriter};
use crate::failure::TaskFailure;
use crate::stress::stage::{KillOutcome, MeasuredExit, ScenarioFolder, StressProject};

/// Time by which each collection is killed later than the one before, and number of
/// steps until it starts again.
const STEP: Duration = Duration::from_millis(3);
const STEPS: u32 = 100;

/// The counts, and the time of each capture.
#[derive(Default)]
pub(super) struct CaptureStats {
    pub(super) sessions: usize,
    pub(super) captures: Vec<Duration>,
    /// Times of calls that did nothing, for comparison.
    pub(super) idle: Vec<Duration>,
    pub(super) collections: u32,
    /// Number of collections that were killed.
    pub(super) killed: u32,
    /// Number of old sessions, and how many of them collections reported as deleted.
    pub(super) old: u32,
    pub(super) let_go: u64,
}

/// Plays a host that starts sessions and uses a tool in each.
pub(super) fn host(
    (stage, project): (&ScenarioFolder, &StressProject<'_>),
    host: u64,
    over: &AtomicBool,
    beside: &Mutex<CaptureStats>,
) -> Result<(), TaskFailure> {
    let payload = stage.path(&format!("payload-{host}.json"));
    let tell = |session: &str, mut facts: Value| -> Result<Duration, TaskFailure> {
        facts["session_id"] = session.into();
        facts["cwd"] = "/".into();
        fs::write(&payload, facts.to_string())
            .map_err(|error| TaskFailure::io(&payload, &error))?;
        let input = File::open(&payload).map_err(|error| TaskFailure::io(&payload, &error))?;
        let mut hook = project.command(&["hook", "--agent", "claude-code", "--timeout", "3600"]);
        hook.env("CLAUDE_PROJECT_DIR", project.path("")).stdin(input);
        time(hook)
    };
    for number in 0_u32.. {
        if over.load(Ordering::Relaxed) {
            break;
        }
        let session = format!("host{host}-session{number}");
        tell(&session, json!({ "hook_event_name": "SessionStart", "source": "startup" }))?;
        let file = project.path(&format!("file{number}.txt"));
        let used = json!({
            "hook_event_name": "PostToolUse", "tool_name": "Write", "tool_use_id": "t",
            "tool_input": { "file_path": file, "content": "x" },
            "tool_response": { "type": "create", "filePath": file },
        });
        let took = tell(&session, used)?;
        let idle = time(project.command(&["--version"]))?;
        let Ok(mut beside) = beside.lock() else { break };
        beside.sessions += 1;
        beside.captures.push(took);
        beside.idle.push(idle);
    }
    Ok(())
}

/// Returns the time of a call, which must succeed.
fn time(mut call: Command) -> Result<Duration, TaskFailure> {
    let began = Instant::now();
    let ended = call.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let took = began.elapsed();
    match ended {
        Ok(status) if status.success() => Ok(took),
        Ok(status) => Err(TaskFailure::Failed(format!("{call:?} ended with {status}"))),
        Err(error) => Err(TaskFailure::Failed(format!("{call:?} did not start: {error}"))),
    }
}

/// Collects repeatedly with almost no space. Today's captures must stay, and the old
/// sessions added before each collection must go. Every second collection is killed,
/// each time a little later.
pub(super) fn collect(
    (project, mut old): (&StressProject<'_>, OldSessionWriter),
    over: &AtomicBool,
    beside: &Mutex<CaptureStats>,
) -> Result<(), TaskFailure> {
    for number in 0_u32.. {
        if over.load(Ordering::Relaxed) {
            break;
        }
        old.hand_in()?;
        let collection = project.spawn(collection(project))?;
        let left = if number % 2 == 0 {
            KillOutcome::Ended(collection.wait()?)
        } else {
            collection.kill_after(STEP * (number % STEPS))?
        };
        let Ok(mut beside) = beside.lock() else { break };
        beside.collections += 1;
        beside.old = old.handed_in;
        match left {
            KillOutcome::Ended(done) => beside.let_go += let_go(done)?,
            KillOutcome::Killed => beside.killed += 1,
        }
    }
    Ok(())
}

fn collection(project: &StressProject<'_>) -> Command {
    let mut command = project.command(&["gc", "--json"]);
    command.env("RALPH_MEMORY_SIZE", "1B");
    command
}

/// Returns the number of sessions that a collection deleted.
fn let_go(done: MeasuredExit) -> Result<u64, TaskFailure> {
    let done = done.expect_code(0)?;
    let said: Value = serde_json::from_str(&done.stdout).unwrap_or_default();
    let sessions = said["sessions"].as_u64();
    sessions.ok_or_else(|| TaskFailure::Failed(format!("a collection said {}", done.stdout)))
}

/// Deletes what killed collections left, and checks that no old session is known.
///
/// Earlier collections are no proof: one that finds a damaged index starts again with
/// nothing to delete. Now that none is disturbed, it must report everything as deleted.
pub(super) fn finish(
    project: &StressProject<'_>,
    mut old: OldSessionWriter,
    beside: &mut CaptureStats,
) -> Result<(), TaskFailure> {
    let collect = || let_go(project.spawn(collection(project))?.wait()?);
    beside.let_go += collect()?;
    old.hand_in()?;
    let (handed_in, gone) = (old.handed_in, collect()?);
    if beside.old > 0 && gone == u64::from(handed_in) {
        return Ok(());
    }
    Err(TaskFailure::Failed(format!("of {handed_in} old sessions {gone} were let go of")))
}

/// Checks that every new session is known, and no old one.
pub(super) fn expect_sessions(project: &StressProject<'_>, want: usize) -> Result<(), TaskFailure> {
    let list = project.json(&["sessions", "--all", "--json"])?;
    let sessions = list["sessions"].as_array().cloned().unwrap_or_default();
    let old = sessions.iter().filter(|session| old::is_one(session)).count();
    if old == 0 && sessions.len() == want {
        return Ok(());
    }
    let found = sessions.len();
    Err(TaskFailure::Failed(format!(
        "{want} sessions began, and {found} are known, {old} of them old"
    )))
}
