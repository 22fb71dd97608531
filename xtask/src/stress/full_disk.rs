//! The state's disk is full: a clear error, no panic, no lost file of the work tree,
//! and the run continues once there is space.

use std::fs;
use std::path::Path;

use super::disk::{MountedDisk, expect_clear_error};
use super::stage::{ScenarioFolder, StressProject};
use crate::failure::TaskFailure;

/// Prints data that does not compress, so that the logs fill the disk, and works.
const AGENT: &str = r#"head -c 60000 /dev/urandom | od -An -v -tx1
echo "$RALPH_ITERATION" >>notes
test -e finish && echo '<promise>DONE</promise>'
true"#;

pub(super) fn run(stage: &ScenarioFolder) -> Result<String, TaskFailure> {
    let disk = stage.path("disk");
    let Some(mounted) = MountedDisk::mount(&disk, 4096)? else {
        return Ok("skipped: only root may mount a small disk".to_owned());
    };
    let project = stage.project("project")?.with_variable("RALPH_HOME", disk.clone());
    project.script("agent.sh", AGENT)?;
    let args = ["run", "fill", "--agent-cmd", "./agent.sh", "--max-iterations", "500"];
    expect_clear_error(&project.ralph(&args)?.expect_code(3)?)?;
    let turns = expect_notes(&project)?;

    // Records can be read even if nothing can be written.
    project.ralph(&["status"])?.expect_code(0)?;
    remove_logs(&disk);
    fs::write(project.path("finish"), "").map_err(|error| TaskFailure::io(&disk, &error))?;
    project.ralph(&["resume"])?.expect_code(0)?;
    let all = expect_notes(&project)?;
    project.expect_sound_store()?;
    drop(mounted);
    Ok(format!(
        "full after {turns} turns: exit 3, nothing lost; {} more once there was room",
        all - turns
    ))
}

/// Checks that every turn left its line, in order.
fn expect_notes(project: &StressProject<'_>) -> Result<usize, TaskFailure> {
    let path = project.path("notes");
    let notes = fs::read_to_string(&path).map_err(|error| TaskFailure::io(&path, &error))?;
    let numbers: Vec<usize> = notes.lines().filter_map(|line| line.parse().ok()).collect();
    if numbers.is_empty() || !numbers.is_sorted_by(|before, after| before < after) {
        return Err(TaskFailure::Failed(format!("the turns left {notes:?}")));
    }
    Ok(numbers.len())
}

/// Makes space: removes the logs of turns.
fn remove_logs(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            remove_logs(&path);
        } else if path.to_string_lossy().ends_with(".log.gz") {
            let _ = fs::remove_file(path);
        }
    }
}
