//! An agent prints 100 MB in one turn. Memory and log must stay bounded, and its claim
//! at the end must be found.

use std::fs;
use std::path::Path;

use super::stage::{MeasuredExit, ScenarioFolder, StressProject};
use crate::failure::TaskFailure;

/// Size of every flood.
pub(crate) const FLOOD_BYTES: u32 = 100_000_000;

/// Most memory of the driver, in KiB.
pub(crate) const PEAK_KIB: u64 = 32 * 1024;

/// Largest compressed log of a turn.
const LOG_BYTES: u64 = 8 * 1024 * 1024;

/// Commands that print a flood, each with its name.
const FLOODS: [(&str, &str); 5] = [
    (
        "stdout",
        "yes 'src/main.rs:12:3: error[E0308]: mismatched types in a call of `parse`' | $cut",
    ),
    ("stderr", "yes 'warning: unused variable `value`, a note, and a path src/lib.rs' | $cut >&2"),
    ("one line", "$cut /dev/zero | tr '\\0' 'x'"),
    ("NULs", "$cut /dev/zero"),
    ("invalid UTF-8", "$cut /dev/urandom"),
];

pub(super) fn run(stage: &ScenarioFolder) -> Result<String, TaskFailure> {
    let bytes = stage.amount(FLOOD_BYTES / 20, FLOOD_BYTES);
    let mut peak_kib = 0;
    let mut log_bytes = 0;
    for (number, (name, flood)) in FLOODS.iter().enumerate() {
        let project = stage.project(&format!("flood{number}"))?;
        let wrong = |failure: TaskFailure| TaskFailure::Failed(format!("{name}: {failure}"));
        let finished = turn(&project, flood, bytes).map_err(wrong)?;
        peak_kib = peak_kib.max(finished.peak_kib);
        log_bytes = log_bytes.max(largest_log(&project.in_home("state")));
    }
    // The binary of the tests is larger.
    let most_kib = stage.amount(3 * PEAK_KIB, PEAK_KIB);
    if peak_kib > most_kib {
        return Err(TaskFailure::Failed(format!("the driver took {peak_kib} KiB of {most_kib}")));
    }
    if log_bytes == 0 || log_bytes > LOG_BYTES {
        return Err(TaskFailure::Failed(format!("a log has {log_bytes} bytes of {LOG_BYTES}")));
    }
    Ok(format!(
        "{} floods of {} MB; driver at most {:.1} MiB, log at most {:.1} MiB",
        FLOODS.len(),
        bytes / 1_000_000,
        mib(peak_kib),
        mib(log_bytes / 1024)
    ))
}

/// Runs one turn with the flood of `stdout`.
pub(crate) fn plain_turn(project: &StressProject<'_>) -> Result<MeasuredExit, TaskFailure> {
    turn(project, FLOODS[0].1, FLOOD_BYTES)
}

fn turn(project: &StressProject<'_>, flood: &str, bytes: u32) -> Result<MeasuredExit, TaskFailure> {
    let flood = flood.replace("$cut", &format!("head -c {bytes}"));
    let agent = format!("{flood}\nprintf '\\n<promise>DONE</promise>\\n'");
    project.script("agent.sh", &agent)?;
    let finished = project
        .ralph(&["run", "flood", "--agent-cmd", "./agent.sh", "--max-iterations", "1", "--json"])?
        .expect_code(0)?;
    if finished.stdout.contains(r#""reason":"claimed""#) {
        return Ok(finished);
    }
    Err(TaskFailure::Failed("the claim behind the flood was not found".to_owned()))
}

/// Returns the size of the largest `.log.gz` file below `folder`.
fn largest_log(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let sizes = entries.flatten().map(|entry| {
        let path = entry.path();
        if path.is_dir() {
            largest_log(&path)
        } else if path.to_string_lossy().ends_with(".log.gz") {
            entry.metadata().map_or(0, |facts| facts.len())
        } else {
            0
        }
    });
    sizes.max().unwrap_or(0)
}

#[expect(clippy::cast_precision_loss, reason = "shown with one digit after the point")]
pub(crate) fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}
