//! Files that gates create, and what agents do to them.

use ralph_testkit::TestProject;

use super::{CLAIM, TALK, script};
use crate::{git, plain};

/// Creates `gen.txt` when it is missing, and passes while it is good.
const GENERATES: &str = "custom:sh:[ -e gen.txt ] || echo good > gen.txt; grep -q good gen.txt";

/// A project in git and one outside, each with this agent.
fn both(agent: &str) -> [TestProject; 2] {
    [git(), plain()].map(|project| {
        project.agent(agent);
        project
    })
}

#[test]
fn a_gates_file_that_the_agent_spoiled_is_checked_again() {
    for spoil in [
        "echo bad > gen.txt",
        "ln -sf /dev/null gen.txt",
        "rm gen.txt; mkdir gen.txt; : > gen.txt/bad",
    ] {
        for project in both(&script(&[spoil, CLAIM])) {
            let more = ["--criteria", GENERATES, "--max-iterations", "1"];
            let output = project.run_json("do it", &more).exits(1);
            let output = output.ends("failed/max_iterations", 1);
            assert_eq!(output.values("iteration_ended", "failing"), ["1"], "{spoil}");
        }
    }
}

#[test]
fn a_gates_file_that_nobody_touched_is_not_checked_again() {
    for project in both(TALK) {
        let more = ["--criteria", GENERATES, "--max-iterations", "1"];
        let output = project.run_json("do it", &more).exits(1);
        let output = output.ends("failed/max_iterations", 1);
        let last = output.events_of("gate_finished").pop().unwrap();
        assert_eq!(last["gate"]["cached"], true, "{last}");
    }
}

#[test]
fn a_file_that_a_gate_creates_or_rewrites_is_no_progress() {
    for writes in ["[ -e gen.txt ] || echo once > gen.txt", "date +%N > gen.txt"] {
        for project in both(TALK) {
            let gate = format!("custom:sh:{writes}; false");
            let output = project.run_json("do it", &["--criteria", &gate]).exits(1);
            let _ = output.ends("failed/no_progress", 3);
        }
    }
}
