//! The driver is killed at random moments; `ralph resume` must always finish.

use std::fs;
use std::time::Duration;

use serde_json::Value;

use super::dice::SplitMixRng;
use super::stage::{KillOutcome, MeasuredProcess, ScenarioFolder, StressProject};
use crate::failure::TaskFailure;

/// Number of kills, in a sample and in full.
const KILLS: [u32; 2] = [8, 100];

/// One process in this many runs to its end.
const SPARED: u64 = 4;

/// One kill in this many comes in the first moments, when a run is recorded or taken over.
const EARLY: u64 = 4;
const FIRST_MOMENTS: Duration = Duration::from_millis(10);

/// Leaves a process with its own session behind in every turn.
const AGENT: &str = r#"setsid sleep 60 >/dev/null 2>&1 &
echo "$RALPH_ITERATION" >>"$HOME/turns"
step=$(cat step 2>/dev/null || echo 0)
step=$((step + 1))
echo "$step" >step.new && mv step.new step
echo "step $step""#;

const GATE: &str = r#"test "$(cat step)" -ge 20"#;

const RULES: [&str; 11] = [
    "--agent-cmd",
    "./agent.sh",
    "--criteria",
    "custom:./gate.sh",
    "--max-iterations",
    "200",
    "--stagnation-limit",
    "100",
    "--max-restarts",
    "200",
    "--json",
];

#[derive(Default)]
struct KillCounts {
    runs: u32,
    kills: u32,
    /// Runs that were killed before they were recorded.
    unrecorded: u32,
    turns: usize,
    /// Turns whose driver was killed.
    lost: usize,
}

pub(super) fn run(stage: &ScenarioFolder, dice: &mut SplitMixRng) -> Result<String, TaskFailure> {
    let projects = [stage.git_project("git")?, stage.project("plain")?];
    let mut spans = Vec::new();
    for project in &projects {
        project.script("agent.sh", AGENT)?;
        project.script("gate.sh", GATE)?;
        spans.push(begin(project, "undisturbed")?.wait()?.expect_code(0)?.elapsed);
        check(project, "undisturbed")?;
    }
    let [sample, full] = KILLS;
    let kills = stage.amount(sample, full);
    let mut count = KillCounts::default();
    while count.kills < kills {
        for (project, span) in projects.iter().zip(&spans) {
            count.runs += 1;
            let task = format!("task {}", count.runs);
            let play = KillTrial { stage, project, task: &task, span: *span };
            play.to_the_end(dice, &mut count)?;
            let (turns, lost) = check(project, &task)?;
            count.turns += turns;
            count.lost += lost;
        }
    }
    Ok(format!(
        "{} kills in {} runs ({} before one was on record), {} of {} turns lost, all finished",
        count.kills, count.runs, count.unrecorded, count.lost, count.turns
    ))
}

/// Starts a run from scratch.
fn begin(project: &StressProject<'_>, task: &str) -> Result<MeasuredProcess, TaskFailure> {
    for file in [project.path("step"), project.in_home("turns")] {
        // The file may not exist yet.
        let _ = fs::remove_file(file);
    }
    let mut args = vec!["run", task];
    args.extend(RULES);
    project.start(&args)
}

struct KillTrial<'a> {
    stage: &'a ScenarioFolder,
    project: &'a StressProject<'a>,
    task: &'a str,
    /// The time of a run that is not killed.
    span: Duration,
}

impl KillTrial<'_> {
    /// Kills and resumes until the run has ended.
    fn to_the_end(
        &self,
        dice: &mut SplitMixRng,
        count: &mut KillCounts,
    ) -> Result<(), TaskFailure> {
        let mut process = begin(self.project, self.task)?;
        loop {
            let early = dice.below(EARLY) == 0;
            let moment = dice.moment_in(if early { FIRST_MOMENTS } else { self.span });
            let spared = dice.below(SPARED) == 0;
            // In half of the cases the next driver starts while the old tree is dying.
            let hurried = dice.below(2) == 0;
            if spared {
                process.wait()?.expect_code(0)?;
                return Ok(());
            }
            if let KillOutcome::Ended(finished) = process.kill_after(moment)? {
                finished.expect_code(0)?;
                return Ok(());
            }
            count.kills += 1;
            if !hurried {
                self.stage.expect_nobody_left()?;
            }
            process = match find(self.project, self.task)? {
                Some(run) if run["status"] == "success" => return Ok(()),
                Some(run) => {
                    let id = run["id"].as_str().unwrap_or_default();
                    self.project.start(&["resume", id, "--json"])?
                }
                None => {
                    count.unrecorded += 1;
                    begin(self.project, self.task)?
                }
            };
        }
    }
}

/// Returns the run with this task, if it is recorded.
fn find(project: &StressProject<'_>, task: &str) -> Result<Option<Value>, TaskFailure> {
    let list = project.json(&["runs", "--json", "--limit", "3"])?;
    let runs = list["runs"].as_array().cloned().unwrap_or_default();
    Ok(runs.into_iter().find(|run| run["task"] == task))
}

/// Checks the record of a finished run; counts its turns, and the lost ones.
fn check(project: &StressProject<'_>, task: &str) -> Result<(usize, usize), TaskFailure> {
    let run = find(project, task)?;
    let run = run.ok_or_else(|| TaskFailure::Failed(format!("`{task}` is not on record")))?;
    let id = run["id"].as_str().unwrap_or_default();
    let wrong = |what: String| TaskFailure::Failed(format!("{id} ({task}): {what}"));
    let report = project.json(&["report", id, "--json"])?;
    if report["status"] != "success" {
        return Err(wrong(format!("ended as {}", report["status"])));
    }
    let turns = report["snapshots"].as_array().cloned().unwrap_or_default();
    let numbers: Vec<u64> = turns.iter().filter_map(|turn| turn["iteration"].as_u64()).collect();
    if !(1..).zip(&numbers).all(|(want, number)| want == *number) {
        return Err(wrong(format!("the recorded iterations are {numbers:?}")));
    }
    let taken = fs::read_to_string(project.in_home("turns")).unwrap_or_default();
    if !is_rising(&taken) {
        return Err(wrong(format!("the agent was given the iterations {taken:?}")));
    }
    project.expect_sound_store()?;
    let lost = turns.iter().filter(|turn| turn["decision"] == "interrupted").count();
    Ok((numbers.len(), lost))
}

/// Returns true if every number is greater than the one before.
fn is_rising(lines: &str) -> bool {
    let numbers: Vec<u64> = lines.lines().filter_map(|line| line.parse().ok()).collect();
    numbers.is_sorted_by(|before, after| before < after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_that_is_taken_twice_is_noticed() {
        assert!(is_rising("1\n2\n4\n"));
        assert!(!is_rising("1\n2\n2\n"));
        assert!(!is_rising("1\n3\n2\n"));
    }
}
