//! `ralph rollback` is killed at random moments, and meets a full disk. A second call
//! must always reach the exact state, and it must be undoable.

mod deeds;
mod full_disk;
mod picture;

use std::path::PathBuf;
use std::time::Duration;

use self::picture::Picture;
use super::dice::Dice;
use super::stage::{Left, Project, Stage};
use crate::failure::Failure;

/// Number of killed rollbacks, in a sample and in full.
const KILLS: [u32; 2] = [5, 50];

/// One call in this many runs to its end.
const SPARED: u64 = 5;

#[derive(Default)]
struct Count {
    copies: u32,
    /// Kills of rollbacks, and of their undoing.
    kills: u32,
    undo_kills: u32,
}

pub(super) fn run(stage: &Stage, dice: &mut Dice) -> Result<String, Failure> {
    let mut told = Vec::new();
    for (name, project) in [("git", stage.git_project("git")?), ("plain", stage.project("plain")?)]
    {
        let count = Play::new(stage, project, dice)?.to_the_end(dice)?;
        let Count { copies, kills, undo_kills } = count;
        told.push(format!("{name}: {kills} kills, {undo_kills} of --undo, {copies} copies"));
    }
    told.push(full_disk::run(stage)?);
    Ok(told.join("; "))
}

/// A finished run, and the state before and after it.
struct Play<'a> {
    stage: &'a Stage,
    project: Project<'a>,
    start: Picture,
    end: Picture,
}

impl<'a> Play<'a> {
    fn new(stage: &'a Stage, project: Project<'a>, dice: &mut Dice) -> Result<Self, Failure> {
        deeds::begin(&project, dice)?;
        project.script("agent.sh", &deeds::agent(dice))?;
        let start = Picture::take(&project)?;
        let args = ["run", "work", "--agent-cmd", "./agent.sh", "--max-iterations", "2"];
        project.ralph(&args)?.expect_code(1)?;
        let end = Picture::take(&project)?;
        if end == start {
            return Err(Failure::Failed("the run changed nothing".to_owned()));
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

    fn to_the_end(&self, dice: &mut Dice) -> Result<Count, Failure> {
        let span = self.project.ralph(&["rollback"])?.expect_code(0)?.elapsed;
        self.expect(&self.start, "after a rollback that nobody killed")?;
        let undo_span = self.project.ralph(&["rollback", "--undo"])?.expect_code(0)?.elapsed;
        self.expect(&self.end, "after undoing it")?;
        let mut count = Count::default();
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

    fn expect(&self, want: &Picture, when: &str) -> Result<(), Failure> {
        Picture::take(&self.project)?.expect(want, when)
    }

    /// Restores the project as the run left it from a copy.
    fn renew(&self) -> Result<(), Failure> {
        self.stage.expect_nobody_left()?;
        for folder in self.folders() {
            std::fs::remove_dir_all(&folder).map_err(|error| Failure::io(&folder, &error))?;
            copy(&self.project, &kept(&folder), &folder)?;
        }
        Ok(())
    }

    /// Kills and repeats until a call ends by itself; counts the kills.
    fn roll_back(&self, span: Duration, dice: &mut Dice) -> Result<u32, Failure> {
        let mut kills = 0;
        while self.is_killed(&["rollback"], span, dice)? {
            kills += 1;
        }
        Ok(kills)
    }

    /// Does the same for `--undo`. Once the undo is complete, another call would undo it.
    fn undo(&self, span: Duration, dice: &mut Dice) -> Result<u32, Failure> {
        let mut kills = 0;
        while self.is_killed(&["rollback", "--undo"], span, dice)? {
            kills += 1;
            self.stage.expect_nobody_left()?;
            if Picture::take(&self.project)? == self.end {
                break;
            }
        }
        Ok(kills)
    }

    fn is_killed(&self, args: &[&str], span: Duration, dice: &mut Dice) -> Result<bool, Failure> {
        let process = self.project.start(args)?;
        let (moment, spared) = (dice.moment_in(span), dice.below(SPARED) == 0);
        // In half of the cases the next call meets processes of the killed one.
        let hurried = dice.below(2) == 0;
        let left =
            if spared { Left::Ended(process.wait()?) } else { process.kill_after(moment)? };
        match left {
            Left::Ended(finished) => finished.expect_code(0).map(|_| false),
            Left::Killed => {
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
    project: &Project<'_>,
    from: &std::path::Path,
    to: &std::path::Path,
) -> Result<(), Failure> {
    let mut cp = project.program("cp");
    // The project's own folder may be missing at the moment.
    cp.current_dir("/").args(["-a", "--no-target-directory"]).arg(from).arg(to);
    project.spawn(cp)?.wait()?.expect_code(0).map(drop)
}
