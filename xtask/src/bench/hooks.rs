//! Hooks, which hosts wait for at every event, against the cheapest process.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::commands::time;
use super::samples::{Samples, millis};
use super::{BenchRow, Budget};
use crate::failure::TaskFailure;
use crate::stress::stage::{ScenarioFolder, StressProject};

/// Number of measured rounds, after some rounds to warm up.
const ROUNDS: usize = 200;
const WARM_UP: usize = 10;

/// Most time of an event that does not concern us, as a multiple of `true`. The
/// shortest times are compared, since other work disturbs them least.
const MOST_IDLE: f64 = 2.5;

/// Most time of an event that is recorded, or that ends a turn without gates.
const MOST_BUSY: f64 = 4.0;

/// Most time beyond `git status` for the end of a turn whose gates are known to pass,
/// in milliseconds.
const MOST_BEYOND_STATUS: f64 = 6.0;

/// Most time of a turn with a long transcript, as a multiple.
const MOST_FOR_TRANSCRIPT: f64 = 1.1;

/// Instructions, in millions, as valgrind counts them.
const MOST_IDLE_INSTRUCTIONS: f64 = 1.5;
const MOST_BUSY_INSTRUCTIONS: f64 = 2.5;

/// Files of the repository whose gates are known to pass.
const FILES: usize = 5000;

pub(super) fn measure(binary: &Path) -> Result<Vec<BenchRow>, TaskFailure> {
    let mut rows = against_true(binary)?;
    rows.extend(of_sessions(binary)?);
    rows.extend(of_a_plugin(binary)?);
    rows.extend(against_status(binary)?);
    rows.extend(with_transcripts(binary)?);
    rows.extend(instructions(binary)?);
    Ok(rows)
}

/// A project with a session that has a loop, and one that has none.
struct HookProject<'a> {
    project: StressProject<'a>,
    payloads: PathBuf,
}

impl<'a> HookProject<'a> {
    fn new(stage: &'a ScenarioFolder, name: &str) -> Result<Self, TaskFailure> {
        let project = stage.git_project(name)?;
        let payloads = stage.path(&format!("{name}-payloads"));
        fs::create_dir_all(&payloads).map_err(|error| TaskFailure::io(&payloads, &error))?;
        Ok(Self { project, payloads })
    }

    fn arm(&self, flags: &str) -> Result<(), TaskFailure> {
        let prompt = format!(
            "/ralph work --max-iterations 100000 --max-duration 10h --stagnation-limit 100000 {flags}"
        );
        let facts = json!({ "hook_event_name": "UserPromptSubmit", "prompt": prompt });
        time(self.hook("one", &facts)?).map(drop)
    }

    /// Makes the call of a hook with these facts.
    fn hook(&self, session: &str, facts: &Value) -> Result<Command, TaskFailure> {
        let mut payload = facts.clone();
        payload["session_id"] = session.into();
        payload["cwd"] = "/".into();
        let mut hook = self.call("claude-code", &payload)?;
        hook.env("CLAUDE_PROJECT_DIR", self.project.path(""));
        hook.env("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "0");
        Ok(hook)
    }

    /// Makes the call of a plugin that reports an event with these facts.
    fn told(&self, session: &str, kind: &str, facts: &Value) -> Result<Command, TaskFailure> {
        let mut payload = facts.clone();
        payload["v"] = 1.into();
        payload["type"] = kind.into();
        payload["session"] = session.into();
        payload["directory"] = self.project.path("").to_string_lossy().into();
        self.call("opencode", &payload)
    }

    fn call(&self, agent: &str, payload: &Value) -> Result<Command, TaskFailure> {
        let path = self.payloads.join("payload.json");
        fs::write(&path, payload.to_string()).map_err(|error| TaskFailure::io(&path, &error))?;
        let payload = File::open(&path).map_err(|error| TaskFailure::io(&path, &error))?;
        let mut hook = self.project.command(&["hook", "--agent", agent, "--timeout", "3600"]);
        hook.stdin(Stdio::from(payload));
        Ok(hook)
    }
}

fn stop(round: usize) -> Value {
    json!({
        "hook_event_name": "Stop", "stop_hook_active": true, "background_tasks": [],
        "last_assistant_message": format!("I looked at part {round} and go on."),
    })
}

/// A file that no tool checks.
const PLAIN: (&str, &str) = ("notes.txt", "Nothing to see.\n");

/// A file that rules check, with two findings.
const CODE: (&str, &str) =
    ("code.py", "import hashlib\n\n\ndef f(x):\n    return hashlib.new(x)\n");

/// Writes a file of the project and returns the event of its edit.
fn edited(site: &HookProject<'_>, (name, text): (&str, &str)) -> Result<Value, TaskFailure> {
    let path = site.project.path(name);
    fs::write(&path, text).map_err(|error| TaskFailure::io(&path, &error))?;
    Ok(json!({
        "hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_use_id": "t",
        "tool_input": { "file_path": path, "old_string": "a", "new_string": "b" },
        "tool_response": { "filePath": path },
    }))
}

fn against_true(binary: &Path) -> Result<Vec<BenchRow>, TaskFailure> {
    let stage = ScenarioFolder::new(binary)?;
    let site = HookProject::new(&stage, "claimed")?;
    let (mut nothing, mut idle, mut records, mut looks, mut ends) = Default::default();
    time(site.project.command(&["memory", "add", "part 7 needs the work of part 3"]))?;
    site.arm("")?;
    for round in 0..WARM_UP + ROUNDS {
        keep(&mut nothing, round, time(site.project.program("true"))?);
        keep(&mut idle, round, time(site.hook("another", &stop(round))?)?);
        // Both are in a session whose agent used no tool since, so no file changed.
        keep(&mut ends, round, time(site.hook("one", &stop(round))?)?);
    }
    let (plain_file, code) = (edited(&site, PLAIN)?, edited(&site, CODE)?);
    for round in 0..WARM_UP + ROUNDS {
        keep(&mut nothing, round, time(site.project.program("true"))?);
        keep(&mut records, round, time(site.hook("one", &plain_file)?)?);
        keep(&mut looks, round, time(site.hook("one", &code)?)?);
    }
    let row = |name: &str, samples: &Samples, most| {
        let measured = samples.least().as_secs_f64() / nothing.least().as_secs_f64();
        compared(name, samples, Budget { measured, most, unit: "times true" })
    };
    Ok(vec![
        plain("true", &nothing),
        row("hook without a loop", &idle, MOST_IDLE),
        row("hook that records a tool", &records, MOST_BUSY),
        plain("hook that looks at an edited file", &looks),
        row("hook at the end of a turn, no gate", &ends, MOST_BUSY),
    ])
}

/// Measures the recording of sessions without a loop, in a project with a memory and in
/// one without.
fn of_sessions(binary: &Path) -> Result<Vec<BenchRow>, TaskFailure> {
    let stage = ScenarioFolder::new(binary)?;
    let (site, bare) =
        (HookProject::new(&stage, "remembered")?, HookProject::new(&stage, "forgotten")?);
    time(site.project.command(&["memory", "add", "tests run with make"]))?;
    let (edit, edit_bare) = (edited(&site, PLAIN)?, edited(&bare, PLAIN)?);
    let (mut nothing, mut tool, mut end, mut none) = Default::default();
    for round in 0..WARM_UP + ROUNDS {
        keep(&mut nothing, round, time(site.project.program("true"))?);
        keep(&mut tool, round, time(site.hook("one", &edit)?)?);
        keep(&mut end, round, time(site.hook("one", &stop(round))?)?);
        keep(&mut none, round, time(bare.hook("one", &edit_bare)?)?);
    }
    let row = |name: &str, samples: &Samples, most| {
        let measured = samples.least().as_secs_f64() / nothing.least().as_secs_f64();
        compared(name, samples, Budget { measured, most, unit: "times true" })
    };
    Ok(vec![
        row("hook that keeps a tool of a session", &tool, MOST_BUSY),
        row("hook that keeps the end of a turn", &end, MOST_BUSY),
        row("hook about a tool, nothing remembered", &none, MOST_IDLE),
    ])
}

/// Measures the events of a plugin, against the cheapest process.
fn of_a_plugin(binary: &Path) -> Result<Vec<BenchRow>, TaskFailure> {
    let stage = ScenarioFolder::new(binary)?;
    let site = HookProject::new(&stage, "told")?;
    let words = "work --max-iterations 100000 --max-duration 10h --stagnation-limit 100000";
    let armed = json!({ "command": "ralph", "arguments": words });
    time(site.told("one", "command.execute.before", &armed)?)?;
    let idle = |round: usize| {
        let (id, text) = (format!("msg_{round}"), format!("I looked at part {round} and go on."));
        json!({ "message": { "id": id, "text": text, "summary": false } })
    };
    let tool = json!({ "tool": "bash", "call": "call", "args": { "command": "true" } });
    let (mut nothing, mut none, mut records, mut ends) = Default::default();
    for round in 0..WARM_UP + ROUNDS {
        keep(&mut nothing, round, time(site.project.program("true"))?);
        keep(&mut none, round, time(site.told("another", "session.idle", &idle(round))?)?);
        keep(&mut ends, round, time(site.told("one", "session.idle", &idle(round))?)?);
    }
    for round in 0..WARM_UP + ROUNDS {
        keep(&mut nothing, round, time(site.project.program("true"))?);
        keep(&mut records, round, time(site.told("one", "tool.execute.after", &tool)?)?);
    }
    let row = |name: &str, samples: &Samples| {
        let measured = samples.least().as_secs_f64() / nothing.least().as_secs_f64();
        compared(name, samples, Budget { measured, most: MOST_BUSY, unit: "times true" })
    };
    Ok(vec![
        row("plugin's event without a loop", &none),
        row("plugin's event about a tool", &records),
        row("plugin's event at the end of a turn, no gate", &ends),
    ])
}

fn against_status(binary: &Path) -> Result<Vec<BenchRow>, TaskFailure> {
    let stage = ScenarioFolder::new(binary)?;
    let site = HookProject::new(&stage, "gated")?;
    for number in 0..FILES {
        let path = site.project.path(&format!("folder-{}/file-{number}.txt", number % 100));
        let folder = path.parent().unwrap_or(&path);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, format!("{number}\n")))
            .map_err(|error| TaskFailure::io(&path, &error))?;
    }
    site.project.git(&["add", "-A"])?;
    site.project.git(&["commit", "-qm", "files"])?;
    site.arm("--criteria custom:true")?;
    let (mut status, mut ends) = Default::default();
    for round in 0..WARM_UP + ROUNDS / 4 {
        let mut git = site.project.program("git");
        git.args(["status", "--porcelain"]);
        keep(&mut status, round, time(git)?);
        keep(&mut ends, round, time(site.hook("one", &stop(round))?)?);
    }
    let beyond = ends.median().saturating_sub(status.median()).as_secs_f64() * 1000.0;
    let budget =
        Budget { measured: beyond, most: MOST_BEYOND_STATUS, unit: "ms beyond git status" };
    Ok(vec![
        plain("git status, 5k files", &status),
        compared("hook at the end of a turn, gates known", &ends, budget),
    ])
}

fn with_transcripts(binary: &Path) -> Result<Vec<BenchRow>, TaskFailure> {
    let stage = ScenarioFolder::new(binary)?;
    // A session has one transcript, and each has a project.
    let (brief, talkative) =
        (HookProject::new(&stage, "brief")?, HookProject::new(&stage, "talkative")?);
    brief.arm("")?;
    talkative.arm("")?;
    let line = json!({ "type": "user", "message": { "content": "x".repeat(10_000) } }).to_string();
    let write = |name: &str, lines: usize| -> Result<PathBuf, TaskFailure> {
        let path = stage.path(name);
        let said = json!({ "type": "assistant", "message": { "content": "I go on." } });
        let text = format!("{}{said}\n", format!("{line}\n").repeat(lines));
        fs::write(&path, text).map_err(|error| TaskFailure::io(&path, &error))?;
        Ok(path)
    };
    let (short, long) = (write("short.jsonl", 1)?, write("long.jsonl", 10_000)?);
    let (mut little, mut much) = Default::default();
    for round in 0..WARM_UP + ROUNDS {
        let both = [(&brief, &short, &mut little), (&talkative, &long, &mut much)];
        for (site, path, samples) in both {
            let mut facts = stop(round);
            // Without the last words the transcript has to be read.
            facts["last_assistant_message"] = Value::Null;
            facts["transcript_path"] = path.to_string_lossy().into_owned().into();
            keep(samples, round, time(site.hook("one", &facts)?)?);
        }
    }
    let measured = much.least().as_secs_f64() / little.least().as_secs_f64();
    let budget = Budget { measured, most: MOST_FOR_TRANSCRIPT, unit: "times 10 KB" };
    Ok(vec![
        plain("hook with a transcript of 10 KB", &little),
        compared("hook with a transcript of 100 MB", &much, budget),
    ])
}

/// Counts instructions, if valgrind is installed.
fn instructions(binary: &Path) -> Result<Vec<BenchRow>, TaskFailure> {
    let stage = ScenarioFolder::new(binary)?;
    let site = HookProject::new(&stage, "counted")?;
    if time(version(&site)).is_err() {
        return Ok(Vec::new());
    }
    site.arm("")?;
    // The first of each writes files that later ones find.
    let edited = edited(&site, PLAIN)?;
    for facts in [stop(0), edited.clone(), stop(1)] {
        time(site.hook("one", &facts)?)?;
    }
    let counted = [
        ("hook without a loop", "another", stop(2), MOST_IDLE_INSTRUCTIONS),
        ("hook at the end of a turn, no gate", "one", stop(3), MOST_BUSY_INSTRUCTIONS),
        ("hook that records a tool", "one", edited, MOST_BUSY_INSTRUCTIONS),
    ];
    let rows = counted.into_iter().map(|(name, session, facts, most)| {
        let measured = count(&stage, &site, &site.hook(session, &facts)?)?;
        Ok(BenchRow::new(format!("instructions: {name}"), format!("{measured:.2} M"))
            .budget(measured, most, "million"))
    });
    rows.collect()
}

fn version(site: &HookProject<'_>) -> Command {
    let mut valgrind = site.project.program("valgrind");
    valgrind.arg("--version");
    valgrind
}

/// Counts the millions of instructions of a call.
fn count(
    stage: &ScenarioFolder,
    site: &HookProject<'_>,
    call: &Command,
) -> Result<f64, TaskFailure> {
    let out = stage.path("callgrind.out");
    let mut valgrind = site.project.program("valgrind");
    valgrind.args(["--tool=callgrind", "--error-exitcode=9"]);
    valgrind.arg(format!("--callgrind-out-file={}", out.display()));
    valgrind.arg(call.get_program()).args(call.get_args());
    for (name, value) in call.get_envs() {
        if let Some(value) = value {
            valgrind.env(name, value);
        }
    }
    let payload = site.payloads.join("payload.json");
    let payload = File::open(&payload).map_err(|error| TaskFailure::io(&payload, &error))?;
    valgrind.stdin(Stdio::from(payload));
    time(valgrind)?;
    let text = fs::read_to_string(&out).map_err(|error| TaskFailure::io(&out, &error))?;
    let total = text.lines().rev().find_map(|line| line.strip_prefix("totals: "));
    let total = total.and_then(|total| total.trim().parse::<f64>().ok());
    let total = total.ok_or_else(|| TaskFailure::Failed("valgrind counted nothing".to_owned()))?;
    Ok(total / 1e6)
}

fn keep(samples: &mut Samples, round: usize, time: Duration) {
    if round >= WARM_UP {
        samples.push(time);
    }
}

fn plain(name: &str, samples: &Samples) -> BenchRow {
    let (median, p95) = (millis(samples.median()), millis(samples.p95()));
    BenchRow::new(name.to_owned(), median).p95(p95)
}

fn compared(name: &str, samples: &Samples, budget: Budget) -> BenchRow {
    plain(name, samples).ratio(format!("{:.2}", budget.measured)).with_budget(Some(budget))
}
