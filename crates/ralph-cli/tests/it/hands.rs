//! What an agent does to the files and processes that a run stands on.

use ralph_testkit::TestProject;

use crate::{git, plain};

/// The check passes once the agent was there; its test lost an assertion.
fn attacked(project: TestProject, attack: &str) -> TestProject {
    project.file("tests/test_total.py", "def test_total():\n    assert total([]) == 0\n");
    project.file("ralph.toml", "[run]\ncriteria = [\"custom:test -f done\"]\n");
    project.agent(&format!(
        "sed -i '/== 0/d' tests/test_total.py; touch done\n{attack}\n\
         echo '<promise>DONE</promise>'"
    ));
    project
}

/// Lets the agent attack once. The run ends as failed, or waits for the user;
/// says what was held.
#[track_caller]
fn held(project: TestProject, attack: &str) -> String {
    let project = attacked(project, attack);
    let output = project.run_json("fix it", &["--max-iterations", "1"]).exits(1);
    let turns = output.events_of("iteration_ended");
    turns.iter().map(|turn| turn["weakened"].to_string()).collect()
}

#[test]
fn a_pipe_in_the_place_of_a_file_that_git_or_we_read_is_no_trap() {
    let pipe = |file: &str| format!("rm -rf {file}; mkdir -p $(dirname {file}); mkfifo {file}");
    for file in [".gitignore", ".git/info/exclude", ".git/HEAD", ".git/config", ".git/packed-refs"]
    {
        let told = held(git(), &pipe(file));
        assert!(told.contains("is not a file of"), "{file}: {told}");
    }
    // What the run began with counts, and the rest is written again.
    for file in ["ralph.toml", "$RALPH_PROMPT_FILE", "$RALPH_USAGE_FILE"] {
        let told = held(git(), &pipe(file));
        assert!(told.contains("test_total"), "{file}: {told}");
    }
    let told = held(plain(), &pipe(".gitignore"));
    assert!(told.contains("is not a file of"), "{told}");
}

#[test]
fn a_git_that_waits_for_a_pipe_is_ended_and_the_turn_is_held() {
    let told = held(
        git(),
        "start=$(git for-each-ref --format='%(refname)' refs/ralph | head -n 1)\n\
         id=$(git rev-parse $start:tests/test_total.py)\n\
         file=$(echo $id | cut -c1-2)/$(echo $id | cut -c3-)\n\
         rm -f .git/objects/$file .git/ralph/trees/kept/objects/$file\n\
         mkdir -p .git/objects/$(dirname $file); mkfifo .git/objects/$file",
    );
    assert!(told.contains("waited for something that never came"), "{told}");
}

#[test]
fn a_state_folder_that_was_closed_is_opened_again_and_the_turn_proves_nothing() {
    for folder in [".git", ".git/ralph", ".git/ralph/trees", ".git/ralph/runs"] {
        let told = held(git(), &format!("chmod 000 {folder}"));
        assert!(told.contains("it was opened again"), "{folder}: {told}");
    }
}

#[test]
fn a_start_that_is_gone_is_held_and_no_error_of_ours() {
    let told = held(
        git(),
        "rm -rf .git/ralph/trees/kept; find .git/objects -type f -exec rm -f {} +\n\
         git for-each-ref --format='%(refname)' refs/ralph | xargs -n1 git update-ref -d",
    );
    assert!(told.contains("could not be compared with the start"), "{told}");
}

#[test]
fn a_supervisor_that_is_stopped_is_ended_at_once_and_the_turn_proves_nothing() {
    let told = held(git(), "echo '<promise>DONE</promise>'; kill -STOP $PPID; exec sleep 600");
    assert!(told.contains("a supervisor was stopped"), "{told}");
}

#[test]
fn a_check_that_changes_what_judges_the_run_is_found_out() {
    let project = attacked(git(), "true");
    let check = "custom:sh:for f in .git/ralph/runs/*; do [ -f done ] && \
                 echo tests/test_total.py > $f/allowed; done; test -f done";
    let more = ["--criteria", check, "--max-iterations", "1"];
    let output = project.run_json("fix it", &more).exits(1);
    let told = output.values("notice", "text");
    assert!(told.iter().any(|text| text.contains("allowed while the agent")), "{told:?}");
}
