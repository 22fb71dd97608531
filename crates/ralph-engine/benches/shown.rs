//! Measures the time of finding the notes for an agent: the program of the
//! benchmark.
//!
//! `shown NOTES FOLDER` prints one JSON object with processor times of the
//! whole process in milliseconds, the opening of the notebook included.

use std::error::Error;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use ralph_core::Timestamp;
use ralph_core::locale::Locale;
use ralph_core::memory::hydration::USUAL_TOKENS;
use ralph_engine::recall::{NoteRecall, NoteRequest};
use ralph_memory::event::{
    EventActor, EventContext, LogEvent, LogEventKind, NoteContent, NoteKind, NoteScope, WorkPhase,
};
use ralph_memory::{LockPatience, Notebook, anchor, note_id};
use ralph_testkit::conversations::{self, TURNS};
use rustix::time::{ClockId, clock_gettime};

/// Number of tasks.
const TASKS: usize = 100;

/// Number of notes per note about a file.
const PER_FILE: usize = 10;

const FILES: usize = 50;

/// Default number of notes.
const USUAL: &str = "100000";

const SEED: u64 = 7;

fn main() -> ExitCode {
    // `cargo bench` adds a word of its own.
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let done = match args.as_slice() {
        [] => measure_usual(),
        [notes, folder] => measure(notes, Path::new(folder)),
        _ => Err("usage: shown NOTES FOLDER".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // An error here cannot be reported any more.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

/// As many notes as the budgets are for, in a folder of their own.
fn measure_usual() -> Result<(), Box<dyn Error>> {
    measure(USUAL, tempfile::tempdir()?.path())
}

fn measure(notes: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    let sessions = notes.parse::<u32>()? / u32::try_from(TURNS)?;
    let (home, root) = (folder.join("home"), folder.join("root"));
    fs::create_dir_all(&home)?;
    fs::create_dir_all(&root)?;
    let others: Vec<String> = (0..500).map(|at| format!("fn other_{at}() {{}}\n")).collect();
    let code = others.concat();
    let write = |last: &str| {
        let code = format!("fn one() {{}}\n{code}{last}");
        (0..FILES).try_for_each(|file| fs::write(root.join(name(file)), &code))
    };
    write("")?;
    let notebook = Notebook::open(&home)?;
    let texts = conversations::turns(SEED, sessions).map(|entry| entry.text);
    let events = texts.enumerate().map(|(place, text)| event(place, text, &root));
    notebook.write(&events.collect::<Result<Vec<_>, _>>()?)?;
    notebook.rebuild()?;
    // All files have changed since, so that symbols must be searched.
    write("fn last() {}\n")?;
    drop(notebook);
    let user_home = folder.join("user");
    let (tokens, locale, patience) = (USUAL_TOKENS, Locale::En, LockPatience::Short);
    let recall = NoteRecall { home, user_home, root, tokens, locale, patience };
    let now = Timestamp::from_millis(0);
    let questions = conversations::questions(SEED, sessions)
        .step_by(usize::try_from(sessions)? * 3 / TASKS + 1);
    let (mut times, mut shown) = (Vec::new(), 0);
    for (place, question) in questions.enumerate() {
        let task = Some(format!("{} {}", question.text, name(place % FILES)));
        let wanted = NoteRequest { task, ..NoteRequest::new(WorkPhase::Think) };
        let start = cpu();
        let found = recall.recall(&wanted, now)?;
        times.push(cpu().saturating_sub(start));
        shown += found.shown.map_or(0, |shown| shown.notes.len());
    }
    let tasks = times.len();
    let line = serde_json::json!({
        "recall": [quantile(&mut times, 50), quantile(&mut times, 99)],
        "tasks": tasks,
        "shown": shown,
    });
    Ok(writeln!(io::stdout(), "{line}")?)
}

fn name(file: usize) -> String {
    format!("file_{file}.rs")
}

/// A note of some kind, every tenth about a file.
fn event(place: usize, text: String, root: &Path) -> io::Result<LogEvent> {
    let kinds = [NoteKind::Skill, NoteKind::Gotcha, NoteKind::Fact, NoteKind::Failure];
    let kind = kinds.get(place % 7).cloned().unwrap_or(NoteKind::Discovery);
    let id = note_id(&place.to_string());
    let mut note = NoteContent::new(id, kind, NoteScope::Project, text);
    if place.is_multiple_of(PER_FILE) {
        let file = name(place / PER_FILE % FILES);
        note.anchors.push(anchor::drop_at(root, &file, Some("one"))?);
        note.files.push(file);
    }
    let what = LogEventKind::Noted(Box::new(note));
    Ok(LogEvent { at: 0, place: EventContext::default(), actor: EventActor::Agent, what })
}

/// The processor time of all threads of this process.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

fn quantile(times: &mut [Duration], percent: usize) -> f64 {
    times.sort_unstable();
    let at = (times.len() * percent).div_ceil(100).saturating_sub(1);
    times.get(at).copied().unwrap_or_default().as_secs_f64() * 1000.0
}
