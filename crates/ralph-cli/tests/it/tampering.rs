//! Tests and checks that an agent made weaker.

use serde_json::Value;

use crate::{git, plain};
use ralph_testkit::{TestProject, TurnHold};

const TEST: &str = "def test_total():\n    assert total([1, 2]) == 3\n    assert total([]) == 0\n";

/// A project whose gate passes whatever the agent does to the test.
fn laid_out(project: TestProject, agent: &str) -> TestProject {
    project.file("tests/test_total.py", TEST);
    project.agent(&format!(
        "cat > $OUTSIDE/prompt-$RALPH_ITERATION\n{agent}\necho '<promise>DONE</promise>'"
    ));
    project
}

const CUT: &str = "sed -i '/== 0/d' tests/test_total.py";

fn weakened(events: &[Value]) -> Vec<String> {
    let places = events.iter().filter_map(|event| event["weakened"].as_array().cloned());
    places.flatten().map(|one| format!("{}: {}", one["place"], one["what"])).collect()
}

#[test]
fn a_run_that_cut_an_assertion_does_not_succeed_and_names_the_place() {
    for project in [plain(), git()] {
        let project = laid_out(project, CUT);
        let output = project.run_json("fix it", &["--criteria", "custom:true"]);
        let output = output.ends("waiting/human", 2);
        let told = weakened(&output.events_of("iteration_ended"));
        assert!(told[0].contains("tests/test_total.py:"), "{told:?}");
        assert!(told[0].contains("assertion removed from `test_total`"), "{told:?}");
        let prompt = project.kept("prompt-2");
        assert!(prompt.contains("Not done yet: tests or checks were changed."), "{prompt}");
        let report = project.ralph(&["report"]).output().exits(0).stdout;
        assert!(report.contains("assertion removed from `test_total`"), "{report}");
    }
}

#[test]
fn a_start_that_the_agent_replaced_in_git_is_not_believed() {
    let cut = format!(
        "old=$(git hash-object -w tests/test_total.py); {CUT}\n\
         git replace -f $old $(git hash-object -w tests/test_total.py)"
    );
    let project = laid_out(git(), &cut);
    let more = ["--criteria", "custom:true", "--max-iterations", "1"];
    let output = project.run_json("fix it", &more).exits(1);
    let told = weakened(&output.events_of("iteration_ended"));
    assert!(told[0].contains("assertion removed from `test_total`"), "{told:?}");
}

#[test]
fn what_the_agent_tells_git_neither_hides_its_work_nor_runs() {
    let filter = "cp tests/test_total.py .git/orig\n\
         git config filter.x.clean \"touch $OUTSIDE/ran; cat .git/orig\"\n\
         echo 'tests/test_total.py filter=x' >> .git/info/attributes";
    let exclude = "git rm -q --cached tests/test_total.py; echo 'tests/' >> .git/info/exclude";
    let elsewhere = "git rm -q --cached tests/test_total.py; echo 'tests/' > .git/mine\n\
         git config core.excludesFile $PWD/.git/mine";
    let ignored = "git rm -q --cached tests/test_total.py; echo 'tests/' >> .gitignore";
    for planted in [filter, exclude, elsewhere, ignored] {
        let project = laid_out(git(), &format!("{planted}\n{CUT}"));
        project.run_git(&["add", "-A"]);
        let more = ["--criteria", "custom:true", "--max-iterations", "1"];
        let output = project.run_json("fix it", &more).exits(1);
        let told = weakened(&output.events_of("iteration_ended"));
        assert!(told[0].contains("assertion removed from `test_total`"), "{planted}: {told:?}");
        assert!(!project.outside("ran").exists());
    }
}

#[test]
fn what_is_allowed_while_a_run_waits_is_not_held_against_it() {
    let project = laid_out(plain(), &format!("[ $RALPH_ITERATION = 1 ] && {CUT}"));
    let _ = project.run_json("fix it", &["--criteria", "custom:true"]).ends("waiting/human", 2);
    let allow = |more: &[&str]| project.ralph(&[&["allow"], more].concat()).output();
    let listed = allow(&[]).exits(0).stdout;
    assert!(listed.contains("tests/test_total.py"), "{listed}");
    let said = allow(&["other.py"]).exits(0).stdout;
    assert!(said.contains("nothing there is held so far"), "{said}");
    let said = allow(&["tests/test_total.py"]).exits(0).stdout;
    assert!(said.contains("changes of tests/test_total.py are accepted."), "{said}");
    let again = allow(&["./tests/../tests/test_total.py"]).exits(0).stdout;
    assert!(again.contains("were accepted before"), "{again}");
    let resumed = project.ralph(&["resume", "--json"]).output().exits(0);
    assert_eq!(resumed.ended()["status"], "success");
    let late = allow(&["tests/test_total.py"]).exits(1).stderr;
    assert!(late.contains("has ended") && late.contains("ralph run"), "{late}");
}

#[test]
fn nothing_is_allowed_while_the_agent_is_at_work() {
    let project = plain();
    let hold = TurnHold::new(&project, "turn-2");
    let agent = format!(
        "if [ $RALPH_ITERATION = 2 ]; then\n{}\nelse\n{CUT}\n{FOLDER}\n\
         echo tests/test_total.py >> $folder/allowed\nfi",
        hold.script("")
    );
    let project = laid_out(project, &agent);
    let mut running = project.run_call("fix it", &["--criteria", "custom:true"]).start();
    running.until_held();
    let said = project.ralph(&["allow", "tests/test_total.py"]).output().exits(1).stderr;
    assert!(said.contains("is at work") && said.contains("ralph pause"), "{said}");
    hold.release();
    let output = running.finish().ends("waiting/human", 2);
    let told = output.values("notice", "text");
    assert!(told.iter().any(|text| text.contains("allowed while the agent")), "{told:?}");
    assert!(!project.ralph(&["allow"]).output().exits(0).stdout.is_empty());
}

#[test]
fn an_agent_cannot_accept_what_is_held_against_its_own_run() {
    let agent = format!("{CUT}\n$RALPH allow tests/test_total.py 2> $OUTSIDE/said");
    let project = laid_out(git(), &agent);
    let more = ["--criteria", "custom:true", "--max-iterations", "1"];
    let call = project.run_call("fix it", &more).env("RALPH", env!("CARGO_BIN_EXE_ralph"));
    let _ = call.output().ends("failed/max_iterations", 1);
    let said = project.kept("said");
    assert!(said.contains("an agent cannot call `ralph allow tests/test_total.py`"), "{said}");
}

#[test]
fn test_changes_may_be_allowed_from_the_start() {
    let flag = ["--criteria", "custom:true", "--allow-test-changes"];
    let project = laid_out(plain(), CUT);
    let _ = project.run_json("fix it", &flag).ends("success/claimed", 1);
    let report = project.ralph(&["report"]).output().exits(0).stdout;
    assert!(report.contains("assertion removed from `test_total`"), "{report}");
    assert!(report.contains("(accepted)"), "{report}");
    let project = laid_out(plain(), CUT);
    project.file("ralph.toml", "[run]\nallow_changes = [\"tests/**\"]\n");
    let _ = project.run_json("fix it", &flag[..2]).ends("success/claimed", 1);
}

#[test]
fn a_test_inside_a_source_is_a_test_and_may_be_allowed_like_one() {
    const SOURCE: &str = "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(super::add(1, 2), 3);\n        assert_eq!(super::add(2, 2), 4);\n    }\n}\n";
    let cut = "sed -i '/(2, 2)/d' src/lib.rs";
    let project = laid_out(plain(), cut);
    project.file("src/lib.rs", SOURCE);
    let held = ["--criteria", "custom:true", "--max-iterations", "1"];
    let output = project.run_json("fix it", &held).ends("failed/max_iterations", 1);
    let told = weakened(&output.events_of("iteration_ended"));
    assert!(told[0].contains("assertion removed from `tests::adds`"), "{told:?}");
    let project = laid_out(plain(), cut);
    project.file("src/lib.rs", SOURCE);
    let allowed = ["--criteria", "custom:true", "--allow-test-changes"];
    let _ = project.run_json("fix it", &allowed).ends("success/claimed", 1);
}

#[test]
fn tests_that_no_longer_run_may_be_given_up() {
    let tap = "custom:sh:cat tests.tap";
    let agent = "printf '1..1\\nok 1 - stays\\n' > tests.tap";
    for (more, end) in [
        (&["--max-iterations", "1"][..], "failed/max_iterations"),
        (&["--allow-test-changes"][..], "success/claimed"),
    ] {
        let project = laid_out(plain(), agent);
        project.file("ralph.toml", "[gates.custom]\nformat = \"tap\"\n");
        project.file("tests.tap", "1..2\nok 1 - goes\nok 2 - stays\n");
        let args: Vec<&str> = ["--criteria", tap].iter().chain(more).copied().collect();
        let _ = project.run_json("fix it", &args).ends(end, 1);
    }
}

#[test]
fn new_tests_are_welcome_and_other_edits_are_reported() {
    let agent = "printf 'def test_more():\\n    assert total([4]) == 4\\n' >> tests/test_total.py\n\
                 sed -i 's/test_total()/test_sum()/' tests/test_total.py";
    let project = laid_out(plain(), agent);
    let output = project.run_json("fix it", &["--criteria", "custom:true"]);
    let output = output.ends("success/claimed", 1);
    let events = output.events_of("iteration_ended");
    assert_eq!(weakened(&events), Vec::<String>::new());
    let edited = events[0]["edited"][0]["what"].as_str().unwrap_or_default().to_owned();
    assert!(edited.contains("renamed"), "{events:?}");
}

#[test]
fn the_script_of_a_gate_is_not_the_agents_to_change() {
    let project = plain();
    project.script("check.sh", "exit 1");
    project.agent("echo 'exit 0' > check.sh\necho '<promise>DONE</promise>'");
    let output = project.run_json("fix it", &["--criteria", "custom:sh check.sh"]);
    let output = output.ends("waiting/human", 2);
    let told = weakened(&output.events_of("iteration_ended"));
    assert!(told[0].contains("check.sh") && told[0].contains("script of a gate"), "{told:?}");
}

#[test]
fn what_the_user_did_while_the_run_rested_is_not_the_agents() {
    let project = laid_out(git(), "echo x >> work.txt");
    // The first run never ends by itself: the promise is not what is awaited.
    let more = ["--criteria", "custom:test -f done", "--max-iterations", "1"];
    let _ = project.run_json("fix it", &more).ends("failed/max_iterations", 1);
    project.file("tests/test_total.py", TEST.replace("    assert total([]) == 0\n", ""));
    project.file("done", "");
    let output = project.run_json("go on", &["--criteria", "custom:test -f done"]);
    let _ = output.ends("success/claimed", 1);
}

/// A project whose test was pushed without its last line, which the user
/// wrote just now.
fn with_a_line_to_push(agent: &str) -> TestProject {
    let project = laid_out(git(), agent);
    project.file("tests/test_total.py", TEST.replace("    assert total([]) == 0\n", ""));
    project.run_git(&["add", "-A"]);
    project.run_git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "pushed"]);
    project.run_git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    project.file("tests/test_total.py", TEST);
    project
}

#[test]
fn going_back_to_the_last_commit_is_not_pulling() {
    let project = with_a_line_to_push("git checkout -q HEAD -- tests");
    let more = ["--criteria", "custom:true", "--max-iterations", "1"];
    let output = project.run_json("fix it", &more).ends("failed/max_iterations", 1);
    let told = weakened(&output.events_of("iteration_ended"));
    assert!(told[0].contains("assertion removed from `test_total`"), "{told:?}");
}

/// Makes git and us forget the start, as far as an agent can.
const FORGET: &str = "rm -rf .git/refs/ralph .git/packed-refs .git/ralph/trees/kept/runs\n\
     git -c gc.reflogExpire=now reflog expire --expire=now --all\n\
     git gc -q --prune=now";

#[test]
fn a_start_that_the_agent_made_git_forget_is_compared_all_the_same() {
    let project = laid_out(git(), &format!("{CUT}\n{FORGET}"));
    let more = ["--criteria", "custom:true", "--max-iterations", "1"];
    let output = project.run_json("fix it", &more).exits(1);
    let told = weakened(&output.events_of("iteration_ended"));
    assert!(told[0].contains("assertion removed from `test_total`"), "{told:?}");
    let project = laid_out(git(), &format!("{CUT}\nrm -rf .git/refs/ralph; git gc -q --prune=now"));
    let _ = project.run_json("fix it", &more).exits(1);
    let _ = project.ralph(&["rollback"]).output().exits(0);
    assert_eq!(project.read("tests/test_total.py"), TEST);
}

#[test]
fn a_start_that_cannot_be_read_is_no_pass() {
    let spoil = "old=$(git hash-object tests/test_total.py)\n\
         file=.git/objects/$(echo $old | cut -c1-2)/$(echo $old | cut -c3-)\n\
         chmod u+w $file; echo x > $file";
    let project = laid_out(git(), &format!("{spoil}\n{CUT}"));
    let more = ["--criteria", "custom:true", "--max-iterations", "1"];
    let output = project.run_json("fix it", &more).exits(1);
    let told = weakened(&output.events_of("iteration_ended"));
    assert!(told[0].contains("could not be compared"), "{told:?}");
    let report = project.ralph(&["report"]).output().exits(0).stdout;
    assert!(report.contains("could not be compared"), "{report}");
}

#[test]
fn a_program_of_a_gate_that_was_planted_or_shadowed_holds_the_run() {
    let project = git();
    let early = project.outside("early");
    std::fs::create_dir_all(&early).unwrap();
    let path = format!("{}:{}", early.display(), std::env::var("PATH").unwrap());
    let plant = "printf '#!/bin/sh\\n' > $OUTSIDE/early/test; chmod +x $OUTSIDE/early/test";
    let shadow = "mkdir pytest; touch pytest/__init__.py";
    for (agent, criterion, place) in [
        (plant, "custom:test -f done", "early/test"),
        (shadow, "custom:sh:true python3 -m pytest", "pytest"),
    ] {
        let project = laid_out(git(), &agent.replace("$OUTSIDE/early", &early.to_string_lossy()));
        let more = ["--criteria", criterion, "--max-iterations", "1"];
        let output = project.run_call("fix it", &more).env("PATH", &path).output().exits(1);
        let told = weakened(&output.events_of("iteration_ended"));
        assert!(told.iter().any(|one| one.contains(place)), "{told:?}");
        let report = project.ralph(&["report"]).output().exits(0).stdout;
        assert!(report.contains("which a check"), "{report}");
    }
}

#[test]
fn what_escapes_a_killed_supervisor_is_ended_and_the_turn_proves_nothing() {
    let agent = "touch done\n(setsid env -i sh -c 'echo $$ > '$OUTSIDE'/pid; exec sleep 600' &)\n\
                 while [ ! -s $OUTSIDE/pid ]; do :; done\nkill -9 $PPID";
    let project = laid_out(git(), agent);
    let more = ["--criteria", "custom:test -f done", "--max-iterations", "1"];
    let output = project.run_json("fix it", &more).exits(1);
    assert!(!ralph_testkit::is_alive(project.kept("pid").trim()));
    let told = weakened(&output.events_of("iteration_ended"));
    assert!(told.iter().any(|one| one.contains("escaped")), "{told:?}");
    let report = project.ralph(&["report"]).output().exits(0).stdout;
    assert!(report.contains("escaped"), "{report}");
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Finds the folder of the run in the agent's own turn.
const FOLDER: &str = "folder=$(dirname $RALPH_PROMPT_FILE)";

#[test]
fn a_pipe_in_the_place_of_a_file_that_judges_the_run_is_no_trap() {
    for file in ["tests-at-start.json", "head-at-start", "programs-at-start.json", "allowed"] {
        let agent = format!("{FOLDER}\nrm -f $folder/{file}; mkfifo $folder/{file}; touch done");
        let project = laid_out(git(), &agent);
        let more = ["--criteria", "custom:test -f done", "--max-iterations", "1"];
        let output = project.run_json("fix it", &more);
        assert!(output.code.is_some(), "{file}: {}", output.stderr);
    }
}

#[test]
fn what_a_run_is_judged_by_is_put_right_when_the_agent_changes_it() {
    let agent = format!(
        "{FOLDER}\nprintf '1..1\\nok 1 - stays\\n' > tests.tap\n\
         echo '{{}}' > $folder/tests-at-start.json"
    );
    let project = laid_out(git(), &agent);
    project.file("ralph.toml", "[gates.custom]\nformat = \"tap\"\n");
    project.file("tests.tap", "1..2\nok 1 - goes\nok 2 - stays\n");
    let more = ["--criteria", "custom:sh:cat tests.tap", "--max-iterations", "1"];
    let output = project.run_json("fix it", &more).exits(1);
    let told = weakened(&output.events_of("iteration_ended"));
    assert!(told.iter().any(|one| one.contains("tests-at-start.json")), "{told:?}");
    assert!(told.iter().any(|one| one.contains("goes")), "{told:?}");
    assert_eq!(output.ended()["sealed"], !is_root());
}

#[test]
fn a_run_that_one_process_drove_from_its_start_is_sealed() {
    let project = laid_out(git(), "touch done");
    let more = ["--criteria", "custom:test -f done"];
    let output = project.run_json("fix it", &more).ends("success/verified", 1);
    // Root can read every memory.
    let why = if is_root() { Value::from("open_memory") } else { Value::Null };
    let told = |found: &Value| {
        assert_eq!((&found["sealed"], &found["unsealed_because"]), (&(!is_root()).into(), &why));
    };
    told(&output.ended());
    told(&project.ralph(&["report", "--json"]).output().exits(0).json());
}
