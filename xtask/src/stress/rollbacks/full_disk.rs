//! The disk is full during a snapshot and during a rollback: a clear error, no loss,
//! and it completes once there is space.

use std::fs;
use std::io::Read;

use super::picture::ProjectPicture;
use crate::failure::TaskFailure;
use crate::stress::disk::{MountedDisk, expect_clear_error};
use crate::stress::stage::{ScenarioFolder, StressProject};

/// Bytes of each large file; they are random, so that they do not compress.
const LARGE: u64 = 256 * 1024;

/// Number of large files at the start.
const FILES: u32 = 10;

/// Size of the disk: space for all files three times.
const DISK_KIB: u32 = 10 * 1024;

/// Free space in the attempts, in bytes.
const ROOM: [usize; 2] = [0, 700 * 1024];

/// Deletes most of the large files, so that there is space to fill.
const AGENT: &str = r#"echo turn >>"$HOME/turns"
rm -f large0 large1 large2 large3 large4 large5 large6
mv large7 renamed; echo more >>large8; ln -sf elsewhere link; echo new >new"#;

const RUN: [&str; 6] = ["run", "work", "--agent-cmd", "./agent.sh", "--max-iterations", "1"];

/// The place of a project's state.
#[derive(Clone, Copy)]
enum StateLocation {
    OnTheDisk,
    Beside,
}

pub(super) fn run(stage: &ScenarioFolder) -> Result<String, TaskFailure> {
    let mut played = 0;
    for place in [StateLocation::OnTheDisk, StateLocation::Beside] {
        for kind in ["git", "plain"] {
            let name = match place {
                StateLocation::OnTheDisk => format!("disk{played}"),
                StateLocation::Beside => format!("disk{played}-beside"),
            };
            let Some(disk) = MountedDisk::mount(&stage.path(&name), DISK_KIB)? else {
                return Ok("no full disk: only root may mount one".to_owned());
            };
            let wrong =
                |failure: TaskFailure| TaskFailure::Failed(format!("{kind} on {name}: {failure}"));
            let project = project(stage, &format!("{name}/{kind}"), place).map_err(wrong)?;
            play(&project, &disk, place).map_err(wrong)?;
            played += 1;
        }
    }
    Ok(format!("full disk: {played} times an error and then all"))
}

fn project<'a>(
    stage: &'a ScenarioFolder,
    name: &str,
    place: StateLocation,
) -> Result<StressProject<'a>, TaskFailure> {
    let is_git = name.ends_with("git");
    let project = if is_git { stage.git_project(name)? } else { stage.project(name)? };
    let project = match place {
        StateLocation::OnTheDisk => project,
        StateLocation::Beside => {
            let beside = stage.path(&format!("{}-state", name.replace('/', "-")));
            project.with_variable("RALPH_HOME", beside)
        }
    };
    project.script("agent.sh", AGENT)?;
    for number in 0..FILES {
        let path = project.path(&format!("large{number}"));
        random(LARGE)
            .and_then(|bytes| fs::write(&path, bytes))
            .map_err(|error| TaskFailure::io(&path, &error))?;
    }
    Ok(project)
}

fn random(count: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open("/dev/urandom")?.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn play(
    project: &StressProject<'_>,
    disk: &MountedDisk,
    kept_in: StateLocation,
) -> Result<(), TaskFailure> {
    let start = ProjectPicture::take(project)?;
    match kept_in {
        // Outside git the snapshots are beside the disk as well.
        StateLocation::Beside if !project.path(".git").exists() => {
            project.ralph(&RUN)?.expect_code(1)?;
        }
        StateLocation::Beside | StateLocation::OnTheDisk => snapshot(project, disk, &start)?,
    }
    let end = ProjectPicture::take(project)?;
    for room in ROOM {
        disk.fill(room)?;
        expect_clear_error(&project.ralph(&["rollback"])?.expect_code(3)?)?;
        ProjectPicture::take(project)?.expect_between(&start, &end)?;
        disk.make_room()?;
        project.ralph(&["rollback"])?.expect_code(0)?;
        ProjectPicture::take(project)?.expect(&start, "rolled back once there was room")?;
        project.ralph(&["rollback", "--undo"])?.expect_code(0)?;
        ProjectPicture::take(project)?.expect(&end, "undone")?;
    }
    Ok(())
}

/// Checks that without a snapshot of the start the agent gets no turn.
fn snapshot(
    project: &StressProject<'_>,
    disk: &MountedDisk,
    start: &ProjectPicture,
) -> Result<(), TaskFailure> {
    disk.fill(ROOM[1])?;
    expect_clear_error(&project.ralph(&RUN)?.expect_code(3)?)?;
    let turns = project.in_home("turns");
    if turns.exists() {
        return Err(TaskFailure::Failed("the agent was let loose without a way back".to_owned()));
    }
    ProjectPicture::take(project)?.expect(start, "after the snapshot that found no room")?;
    disk.make_room()?;
    project.ralph(&["resume"])?.expect_code(1)?;
    fs::metadata(&turns).map(drop).map_err(|error| TaskFailure::io(&turns, &error))
}
