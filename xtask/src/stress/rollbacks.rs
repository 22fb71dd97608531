//! `ralph rollback` is killed at random moments, and meets a full disk. A second call
//! must always reach the exact state, and it must be undoable.

mod deeds;
mod full_disk;
mod picture;

use std::path::PathBuf;
use std::time::Duration;

use self::picture::ProjectPicture;
use super::dice::SplitMixRng;
use super::stage::{KillOutcome, ScenarioFolder, StressProject};
use crate::failure::TaskFailure;

/// Number of killed rollbacks, in a sample and in full.
const KILLS: [u32; 2] = [5, 50];

/// One call in this many runs to its end.
const SPARED: u64 = 5;

#[derive(Default)]
struct RollbackCounts {
    copies: u32,
    /// Kills of rollbacks, and of their undoing.
    kills: u32,
    undo_kills: u32,
}

pub(super) fn run(stage: &ScenarioFolder, dice: &mut SplitMixRng) -> Result<String, TaskFailure> {
    let mut told = Vec::new();
    for (name, project) in [("git", stage.git_project("git")?), ("plain", stage.project("plain")?)]
    {
        let count = RollbackTrial::new(stage, project, dice)?.to_the_end(dice)?;
        let RollbackCounts { copies, kills, undo_kills } = count;
        told.push(format!("{name}: {kills} kills, {undo_kills} of --undo, {copies} copies"));
    }
    told.push(full_disk::run(stage)?);
    Ok(told.join("; "))
}

/// A finished run, and the state before and after it.
struct RollbackTrial<'a> {
    stage: &'a ScenarioFolder,
    project: StressProject<'a>,
    start: ProjectPicture,
    end: ProjectPicture,
}

impl<'a> RollbackTrial<'a> {
    fn new(
        stage: &'a ScenarioFolder,
        project: StressProject<'a>,
        dice: &mut SplitMixRng,
    ) -> Result<Self, TaskFailure> {
        deeds::begin(&project, dice)?;
        project.script("agent.sh", &deeds::agent(dice))?;
        let start = ProjectPicture::take(&project)?;
        let args = ["run", "work", "--agent-cmd", "./agent.sh", "--max-iterations", "2"];
        project.ralph(&args)?.expect_code(1)?;
        let end = ProjectPicture::take(&project)?;
        if end == start {
            return Err(TaskFailure::Failed("the run changed nothing".to_owned()));
        }
        let play = Self { stage, project, start, end };
        for folder in play.folders() {
            copy(&play.project, &folder, &kept(&folder))?;
        }
        Ok(play)
    }

    /// Returns the folders of the project: its files and its state.
    fn folders(&self) -> [PathBuf; 2] {
        [self.project.path(""), self.project.in_home("")]
    }

    fn to_the_end(&self, dice: &mut SplitMixRng) -> Result<RollbackCounts, TaskFailure> {
        let span = self.project.ralph(&["rollback"])?.expect_code(0)?.elapsed;
        self.expect(&self.start, "after a rollback that nobody killed")?;
        let undo_span = self.project.ralph(&["rollback", "--undo"])?.expect_code(0)?.elapsed;
        self.expect(&self.end, "after undoing it")?;
        let mut count = RollbackCounts::default();
        let [sample, full] = KILLS;
        let kills = self.stage.amount(sample, full);
        while count.kills < kills {
            self.renew()?;
            count.copies += 1;
            count.kills += self.roll_back(span, dice)?;
            self.expect(&self.start, &format!("copy {}: rolled back", count.copies))?;
            count.undo_kills += self.undo(undo_span, dice)?;
            self.expect(&self.end, &format!("copy {}: undone", count.copies))?;
        }
        Ok(count)
    }

    fn expect(&self, want: &ProjectPicture, when: &str) -> Result<(), TaskFailure> {
        ProjectPicture::take(&self.project)?.expect(want, when)
    }

    /// Restores the project as the run left it from a copy.
    fn renew(&self) -> Result<(), TaskFailure> {
        self.stage.expect_nobody_left()?;
        for folder in self.folders() {
            std::fs::remove_dir_all(&folder).map_err(|error| TaskFailure::io(&folder, &error))?;
            copy(&self.project, &kept(&folder), &folder)?;
        }
        Ok(())
    }

    /// Kills and repeats until a call ends by itself; counts the kills.
    fn roll_back(&self, span: Duration, dice: &mut SplitMixRng) -> Result<u32, TaskFailure> {
        let mut kills = 0;
        while self.is_killed(&["rollback"], span, dice)? {
            kills += 1;
        }
        Ok(kills)
    }

    /// Does the same for `--undo`. Once the undo is complete, another call would undo it.
    fn undo(&self, span: Duration, dice: &mut SplitMixRng) -> Result<u32, TaskFailure> {
        let mut kills = 0;
        while self.is_killed(&["rollback", "--undo"], span, dice)? {
            kills += 1;
            self.stage.expect_nobody_left()?;
            if ProjectPicture::take(&self.project)? == self.end {
                break;
            }
        }
        Ok(kills)
    }

    fn is_killed(
        &self,
        args: &[&str],
        span: Duration,
        dice: &mut SplitMixRng,
    ) -> Result<bool, TaskFailure> {
        let process = self.project.start(args)?;
        let (moment, spared) = (dice.moment_in(span), dice.below(SPARED) == 0);
        // In half of the cases the next call meets processes of the killed one.
        let hurried = dice.below(2) == 0;
        let left = if spared {
            KillOutcome::Ended(process.wait()?)
        } else {
            process.kill_after(moment)?
        };
        match left {
            KillOutcome::Ended(finished) => finished.expect_code(0).map(|_| false),
            KillOutcome::Killed => {
                if !hurried {
                    self.stage.expect_nobody_left()?;
                }
                Ok(true)
            }
        }
    }
}

/// Returns the path of the copy of a folder.
fn kept(folder: &std::path::Path) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    folder.with_file_name(format!("{name}-kept"))
}

/// Copies a folder with all that `cp` preserves; the copy must not exist.
fn copy(
    project: &StressProject<'_>,
    from: &std::path::Path,
    to: &std::path::Path,
) -> Result<(), TaskFailure> {
    let mut cp = project.program("cp");
    // The project's own folder may be missing at the moment.
    cp.current_dir("/").args(["-a", "--no-target-directory"]).arg(from).arg(to);
    project.spawn(cp)?.wait()?.expect_code(0).map(drop)
}
