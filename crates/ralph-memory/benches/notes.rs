//! Measures the notebook on generated conversations: what the benchmark runs.
//!
//! `notes ENTRIES FOLDER` imports them in parts, as the command line
//! does, and asks questions whose answers are known. It prints one JSON object
//! with processor times in milliseconds, sizes in bytes and shares of answers.
//! `notes flips` flips bits of a log at 1,000 places and rebuilds after each.

use std::error::Error;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use ralph_core::Timestamp;
use ralph_memory::event::{EventContext, NoteContent, NoteKind, NoteScope};
use ralph_memory::{NoteSelection, Notebook, SearchQuery, StoredNote, note_id};
use ralph_testkit::conversations::{self, SyntheticQuestion, SyntheticTurn, TURNS};
use rustix::time::{ClockId, clock_gettime};

/// How many questions are asked.
const QUESTIONS: usize = 300;

/// Hits that are looked at.
const HITS: usize = 10;

/// Sessions of a part of 20,000 turns.
const SESSIONS: usize = 1000;

/// When everything was recorded: a time takes six bytes in our days.
const NOW: i64 = 1_790_000_000_000;

/// How many notes there are, if nobody says.
const USUAL: &str = "100000";

const SEED: u64 = 7;

/// How many bits are flipped.
const FLIPS: usize = 1_000;

fn main() -> ExitCode {
    // `cargo bench` adds a word of its own.
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let done = match args.as_slice() {
        [] => measure_usual(),
        [flips] if flips == "flips" => flip_bits(),
        [entries, folder] => measure(entries, Path::new(folder)),
        _ => Err("usage: notes ENTRIES FOLDER | notes flips".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell when even this cannot be written.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

/// As many as the budgets are for, in a folder of their own.
fn measure_usual() -> Result<(), Box<dyn Error>> {
    measure(USUAL, tempfile::tempdir()?.path())
}

fn measure(entries: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    let sessions = entries.parse::<u32>()? / u32::try_from(TURNS)?;
    let notebook = Notebook::open(folder)?;
    let (text, import) = import(&notebook, sessions)?;
    let stats = notebook.stats()?;
    let questions: Vec<SyntheticQuestion> = conversations::questions(SEED, sessions)
        .step_by(usize::try_from(sessions)? * 3 / QUESTIONS + 1)
        .collect();
    let (mut search, mut opened) = (Vec::new(), Vec::new());
    let mut answers = Vec::new();
    for question in &questions {
        let start = cpu();
        let share = answered(&notebook, question)?;
        search.push(cpu().saturating_sub(start));
        let start = cpu();
        answered(&Notebook::open(folder)?, question)?;
        opened.push(cpu().saturating_sub(start));
        answers.push(share);
    }
    let start = cpu();
    notebook.rebuild()?;
    let rebuild = cpu().saturating_sub(start);
    let line = serde_json::json!({
        "notes": notebook.count()?,
        "import_ms": millis(import),
        "rebuild_ms": millis(rebuild),
        "text": text,
        "log": stats.log_bytes,
        "database": stats.database_bytes,
        "rebuilt": notebook.stats()?.database_bytes,
        "search": [quantile(&mut search, 50), quantile(&mut search, 99)],
        "opened": [quantile(&mut opened, 50), quantile(&mut opened, 99)],
        "recall": mean(&answers),
    });
    Ok(writeln!(io::stdout(), "{line}")?)
}

/// Flips a bit of a log with 3,000 notes and rebuilds, 1,000 times over: nothing
/// may be lost that either file had.
fn flip_bits() -> Result<(), Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    let notebook = Notebook::open(home.path())?;
    let turns = (0..150).flat_map(|number| conversations::session(SEED, number).turns);
    let notes: Vec<NoteContent> = turns.take(3_000).map(note).collect();
    notebook.import(notes, &EventContext::default(), Timestamp::from_millis(NOW))?;
    let all = || -> Result<Vec<StoredNote>, Box<dyn Error>> {
        let mut all = notebook.list(&NoteSelection::default())?;
        all.sort_by(|one, other| one.note.id.cmp(&other.note.id));
        Ok(all)
    };
    let (before, folder) = (all()?, home.path().join("memory"));
    let (mut random, mut damaged) = (SEED, 0);
    for place in 0..FLIPS {
        let mut logs = Vec::new();
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                fs::remove_dir_all(&path)?;
            } else if path.to_string_lossy().contains(".jsonl") {
                logs.push(path);
            }
        }
        logs.sort();
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = usize::try_from(random >> 33)?;
        let path = logs.get(drawn % logs.len().max(1)).ok_or("there is no log")?;
        let mut bytes = fs::read(path)?;
        let bit = drawn % (8 * bytes.len().max(1));
        bytes.get_mut(bit / 8).map(|byte| *byte ^= 1 << (bit % 8)).ok_or("the log is empty")?;
        fs::write(path, bytes)?;
        let salvage = notebook.rebuild()?;
        damaged += usize::from(salvage.damaged > 0);
        if !salvage.is_whole() || all()? != before {
            return Err(
                format!("flip {place}, bit {bit} of {}: {salvage:?}", path.display()).into()
            );
        }
    }
    Ok(writeln!(
        io::stdout(),
        "{FLIPS} flips, {damaged} with damage, {} notes, none lost",
        before.len()
    )?)
}

/// Imports sessions; says how long their text is and how long it took.
fn import(notebook: &Notebook, sessions: u32) -> Result<(usize, Duration), Box<dyn Error>> {
    let (mut text, mut import) = (0, Duration::ZERO);
    for first in (0..sessions).step_by(SESSIONS) {
        let end = sessions.min(first + u32::try_from(SESSIONS)?);
        let turns = (first..end).flat_map(|number| conversations::session(SEED, number).turns);
        // Made beforehand, so that their making is not measured.
        let notes: Vec<NoteContent> = turns.map(note).collect();
        text += notes.iter().map(|note| note.text.len()).sum::<usize>();
        let start = cpu();
        notebook.import(notes, &EventContext::default(), Timestamp::from_millis(NOW))?;
        import += cpu().saturating_sub(start);
    }
    let start = cpu();
    notebook.tidy()?;
    Ok((text, import + cpu().saturating_sub(start)))
}

/// Which share of the turns that answer a question is among the first hits.
#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn answered(notebook: &Notebook, question: &SyntheticQuestion) -> Result<f64, Box<dyn Error>> {
    let query = SearchQuery { text: question.text.clone(), limit: HITS, ..SearchQuery::default() };
    let found = notebook.search(&query)?;
    let names = || found.iter().filter_map(|found| found.known.note.external_id.as_ref());
    let right = question.turns.iter().filter(|turn| names().any(|name| name == *turn)).count();
    Ok(right as f64 / question.turns.len() as f64)
}

fn note(turn: SyntheticTurn) -> NoteContent {
    let (kind, id) = (NoteKind::of("turn"), note_id(&turn.id));
    NoteContent {
        prev: turn.prev,
        next: turn.next,
        group: Some(turn.group),
        external_id: Some(turn.id),
        ..NoteContent::new(id, kind, NoteScope::Project, turn.text)
    }
}

/// The processor time of this process so far.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

fn quantile(times: &mut [Duration], percent: usize) -> f64 {
    times.sort_unstable();
    let at = (times.len() * percent).div_ceil(100).saturating_sub(1);
    millis(times.get(at).copied().unwrap_or_default())
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn mean(shares: &[f64]) -> f64 {
    shares.iter().sum::<f64>() / shares.len().max(1) as f64
}
