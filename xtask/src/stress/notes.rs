//! Twenty processes write and search notes at once, hooks capture sessions, and
//! collections delete old sessions. Meanwhile the index is damaged. Nothing else may be
//! lost, no process may see an error, and no hook may wait.

mod beside;
mod old;

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use self::beside::CaptureStats;
use self::old::OldSessionWriter;
use super::stage::{ScenarioFolder, StressProject};
use crate::failure::TaskFailure;

/// Number of processes at once.
const CROWD: u64 = 20;

/// Number of hosts whose hooks capture sessions.
const HOSTS: u64 = 2;

/// Seconds in a sample and in full.
const SECONDS: [u64; 2] = [4, 60];

/// Number of times that the index is damaged.
const DAMAGES: u32 = 3;

/// The bytes that overwrite the middle of the index.
const RUBBISH: [u8; 8192] = [0xA5; 8192];

pub(super) fn run(stage: &ScenarioFolder) -> Result<String, TaskFailure> {
    let project = stage.git_project("notes")?;
    project.ralph(&["memory", "add", "the first note"])?.expect_code(0)?;
    let [sample, full] = SECONDS;
    let end = Instant::now() + Duration::from_secs(stage.amount(sample, full));
    let index = find(&stage.path("notes"))
        .ok_or_else(|| TaskFailure::Failed("there is no index of notes".to_owned()))?;
    let over = AtomicBool::new(false);
    let (tally, beside) = (Mutex::new(WorkerTally::default()), Mutex::new(CaptureStats::default()));
    let damage =
        thread::scope(|threads| {
            let (project, over, tally, beside) = (&project, &over, &tally, &beside);
            let index = &index;
            let mut workers: Vec<_> = (0..CROWD)
                .map(|worker| threads.spawn(move || work(project, worker, over, tally)))
                .collect();
            workers.extend((0..HOSTS).map(|host| {
                threads.spawn(move || beside::host((stage, project), host, over, beside))
            }));
            let old = OldSessionWriter::new(index);
            workers.push(threads.spawn(move || beside::collect((project, old), over, beside)));
            let damage = do_damage(project, index, end);
            over.store(true, Ordering::Relaxed);
            for worker in workers {
                let ended = worker.join();
                ended.map_err(|_| TaskFailure::Failed("a worker fell over".to_owned()))??;
            }
            damage
        });
    let damages = damage?;
    let mut tally = tally.into_inner().unwrap_or_default();
    let mut beside = beside.into_inner().unwrap_or_default();
    beside::finish(&project, OldSessionWriter::new(&index), &mut beside)?;
    for _ in 0..2 {
        expect_all(&project, tally.written + 1)?;
        beside::expect_sessions(&project, beside.sessions)?;
        project.ralph(&["memory", "rebuild"])?.expect_code(0)?;
    }
    Ok(format!(
        "{} notes and {} searches, {CROWD} at a time, index damaged {damages} times, {} sessions in \
         {HOSTS} hosts, {} collections, {} of them killed, {} of {} old sessions said to be gone; \
         write {}, search {}, \
         capture {}, no work {}",
        tally.written,
        tally.searching.len(),
        beside.sessions,
        beside.collections,
        beside.killed,
        beside.let_go,
        beside.old,
        percentiles(&mut tally.writing),
        percentiles(&mut tally.searching),
        percentiles(&mut beside.captures),
        percentiles(&mut beside.idle),
    ))
}

/// The counts and times of all workers.
#[derive(Default)]
struct WorkerTally {
    written: usize,
    writing: Vec<Duration>,
    searching: Vec<Duration>,
}

fn work(
    project: &StressProject<'_>,
    worker: u64,
    over: &AtomicBool,
    tally: &Mutex<WorkerTally>,
) -> Result<(), TaskFailure> {
    for number in 0_u32.. {
        if over.load(Ordering::Relaxed) {
            break;
        }
        let text = format!("worker{worker} noticed thing{number} in module{}", number % 7);
        let began = Instant::now();
        project.ralph(&["memory", "add", &text])?.expect_code(0)?;
        let written = began.elapsed();
        let began = Instant::now();
        let query = format!("worker{worker} thing{number}");
        // A similar note may have replaced it by then.
        let search = ["memory", "search", &query, "--retired", "--limit", "1", "--json"];
        let found = project.json(&search)?;
        let searched = began.elapsed();
        if found["results"][0]["text"] != text.as_str() {
            return Err(TaskFailure::Failed(format!(
                "`{text}` was written and not found: {found}"
            )));
        }
        let Ok(mut tally) = tally.lock() else { break };
        tally.written += 1;
        tally.writing.push(written);
        tally.searching.push(searched);
    }
    Ok(())
}

/// Damages the index several times until the end; returns how often.
fn do_damage(project: &StressProject<'_>, index: &Path, end: Instant) -> Result<u32, TaskFailure> {
    let began = Instant::now();
    let span = end.saturating_duration_since(began);
    let mut damages = 0;
    for part in 1..=DAMAGES {
        until(began + span * part / (DAMAGES + 1));
        // Another process may be rebuilding it at this moment.
        if spoil(index).is_ok() {
            damages += 1;
        }
    }
    until(end);
    // The last damage may not have been noticed yet.
    project.ralph(&["memory", "stats"])?.expect_code(0)?;
    Ok(damages)
}

#[expect(clippy::disallowed_methods, reason = "the damage comes at its time, whatever others do")]
fn until(moment: Instant) {
    thread::sleep(moment.saturating_duration_since(Instant::now()));
}

fn spoil(index: &Path) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(index)?;
    let middle = file.metadata()?.len() / 2;
    file.seek(SeekFrom::Start(middle))?;
    file.write_all(&RUBBISH)
}

/// Finds the index anywhere below a folder.
fn find(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut folders = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        if path.file_name().is_some_and(|name| name == "memory.1.db") {
            return Some(path);
        }
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders.iter().find_map(|folder| find(folder))
}

fn expect_all(project: &StressProject<'_>, want: usize) -> Result<(), TaskFailure> {
    let stats = project.json(&["memory", "stats", "--json"])?;
    let damaged = stats["damaged"].as_array().map_or(0, Vec::len);
    if stats["notes"].as_u64() == u64::try_from(want).ok() && damaged == 0 {
        return Ok(());
    }
    Err(TaskFailure::Failed(format!("{want} notes were written, and there are {stats}")))
}

fn percentiles(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let at = |percent: usize| {
        let place = (times.len() * percent / 100).min(times.len().saturating_sub(1));
        times.get(place).copied().unwrap_or_default().as_secs_f64() * 1000.0
    };
    format!("p50 {:.1} p99 {:.1} ms", at(50), at(99))
}
