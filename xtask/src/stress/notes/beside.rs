//! What goes on beside those who write notes: hooks that capture sessions, and
//! collections that let go of what they captured.

use std::fs::{self, File};
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::failure::Failure;
use crate::stress::stage::{Project, Stage};

/// What came of it, with how long each capture took.
#[derive(Default)]
pub(super) struct Beside {
    pub(super) sessions: usize,
    pub(super) captures: Vec<Duration>,
    pub(super) collections: usize,
    /// Bytes that collections let go of.
    pub(super) freed: u64,
}

/// A host that begins one session after the other and uses a tool in each.
pub(super) fn host(
    (stage, project): (&Stage, &Project<'_>),
    host: u64,
    over: &AtomicBool,
    beside: &Mutex<Beside>,
) -> Result<(), Failure> {
    let payload = stage.path(&format!("payload-{host}.json"));
    let tell = |session: &str, facts: Value| -> Result<Duration, Failure> {
        let mut facts = facts;
        facts["session_id"] = session.into();
        facts["cwd"] = "/".into();
        fs::write(&payload, facts.to_string()).map_err(|error| Failure::io(&payload, &error))?;
        let input = File::open(&payload).map_err(|error| Failure::io(&payload, &error))?;
        let mut hook = project.command(&["hook", "--agent", "claude-code", "--timeout", "3600"]);
        hook.env("CLAUDE_PROJECT_DIR", project.path("")).stdin(input);
        let began = Instant::now();
        let ended = hook.stdout(Stdio::null()).stderr(Stdio::null()).status();
        let took = began.elapsed();
        match ended {
            Ok(status) if status.success() => Ok(took),
            Ok(status) => Err(Failure::Failed(format!("a hook ended with {status}"))),
            Err(error) => Err(Failure::Failed(format!("a hook did not start: {error}"))),
        }
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
        let Ok(mut beside) = beside.lock() else { break };
        beside.sessions += 1;
        beside.captures.push(took);
    }
    Ok(())
}

/// Lets go of all that was captured but the beginnings of sessions, again and
/// again.
pub(super) fn collect(
    project: &Project<'_>,
    over: &AtomicBool,
    beside: &Mutex<Beside>,
) -> Result<(), Failure> {
    while !over.load(Ordering::Relaxed) {
        let mut command = project.command(&["gc", "--json"]);
        command.env("RALPH_MEMORY_SIZE", "1B");
        let done = project.spawn(command)?.wait()?.expect_code(0)?;
        let said: Value = serde_json::from_str(&done.stdout).unwrap_or_default();
        let Ok(mut beside) = beside.lock() else { break };
        beside.collections += 1;
        beside.freed += said["session_bytes"].as_u64().unwrap_or_default();
    }
    Ok(())
}

/// Every session that began is known, whatever was let go of.
pub(super) fn expect_sessions(project: &Project<'_>, want: usize) -> Result<(), Failure> {
    let list = project.json(&["sessions", "--all", "--json"])?;
    let found = list["sessions"].as_array().map_or(0, Vec::len);
    if found == want {
        return Ok(());
    }
    Err(Failure::Failed(format!("{want} sessions began, and {found} are known")))
}
