//! An agent leaves 200 processes behind, each in its own session.

use std::fs;

use super::stage::ScenarioFolder;
use crate::failure::TaskFailure;

const CHILDREN: usize = 200;

/// The children ignore signals, and the agent waits until all of them run.
const AGENT: &str = r#"number=0
while [ "$number" -lt 200 ]; do
  setsid sh -c 'trap "" TERM HUP INT; echo x >>"$HOME/born"; sleep 300; sleep 300' \
    >/dev/null 2>&1 &
  number=$((number + 1))
done
while [ "$(wc -l <"$HOME/born")" -lt 200 ]; do sleep 0.05; done
echo '<promise>DONE</promise>'"#;

pub(super) fn run(stage: &ScenarioFolder) -> Result<String, TaskFailure> {
    let project = stage.project("runaways")?;
    project.script("agent.sh", AGENT)?;
    let args = ["run", "leave", "--agent-cmd", "./agent.sh", "--max-iterations", "1", "--json"];
    let finished = project.ralph(&args)?.expect_code(0)?;
    // It is checked immediately: the turn must not end before the whole tree is gone.
    let living = stage.living();
    if !living.is_empty() {
        return Err(TaskFailure::Failed(format!("{} processes outlived their turn", living.len())));
    }
    let born = fs::read_to_string(project.in_home("born")).unwrap_or_default().lines().count();
    if born != CHILDREN {
        return Err(TaskFailure::Failed(format!("{born} of {CHILDREN} children were born")));
    }
    Ok(format!("{born} runaway children, none alive after {} ms", finished.elapsed.as_millis()))
}
