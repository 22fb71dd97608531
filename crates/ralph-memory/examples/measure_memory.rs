//! Measures memory on generated conversations: what the benchmark runs.
//!
//! `measure_memory ENTRIES FOLDER` prints one JSON object with processor times
//! in milliseconds and sizes in bytes.

use std::error::Error;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use ralph_memory::synthetic::{self, TURNS};
use ralph_memory::{Memory, Query};
use rustix::time::{ClockId, clock_gettime};

/// How many questions are asked.
const QUESTIONS: usize = 300;

const SEED: u64 = 7;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.as_slice() {
        [entries, folder] => measure(entries, Path::new(folder)),
        _ => Err("usage: measure_memory ENTRIES FOLDER".into()),
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

fn measure(entries: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    let sessions = entries.parse::<u32>()? / u32::try_from(TURNS)?;
    let memory = Memory::open(folder)?;
    // Made beforehand, so that their making is not measured.
    let mut text = 0;
    let mut import = Duration::ZERO;
    for first in (0..sessions).step_by(5000) {
        let made: Vec<_> = (first..sessions.min(first + 5000))
            .flat_map(|number| synthetic::session(SEED, number).turns)
            .collect();
        text += made.iter().map(|entry| entry.text.len()).sum::<usize>();
        let start = cpu();
        memory.import(made)?;
        import += cpu().saturating_sub(start);
    }
    let start = cpu();
    memory.tidy()?;
    let tidy = cpu().saturating_sub(start);
    let size = std::fs::metadata(memory.path())?.len();
    let questions = synthetic::questions(SEED, sessions)
        .step_by(usize::try_from(sessions)? * 3 / QUESTIONS + 1);
    let (mut warm, mut cold) = (Vec::new(), Vec::new());
    for question in questions {
        let query = Query { text: question.text, limit: 10, ..Query::default() };
        let start = cpu();
        memory.search(&query)?;
        warm.push(cpu().saturating_sub(start));
        let start = cpu();
        Memory::open(folder)?.search(&query)?;
        cold.push(cpu().saturating_sub(start));
    }
    let entries = memory.count()?;
    writeln!(
        io::stdout(),
        "{{\"entries\": {entries}, \"import_ms\": {}, \"tidy_ms\": {}, \"text\": {text}, \
         \"size\": {size}, \"search\": [{}, {}], \"opened\": [{}, {}]}}",
        millis(import),
        millis(tidy),
        quantile(&mut warm, 50),
        quantile(&mut warm, 99),
        quantile(&mut cold, 50),
        quantile(&mut cold, 99),
    )?;
    Ok(())
}

fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
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
