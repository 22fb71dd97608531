//! Commands that read: they tell everything and write nothing.

use ralph_testkit::{CommandOutput, TestProject};
use serde_json::{Value, json};

use crate::control::status;
use crate::{git, plain};

/// A project in which one gated run failed after two turns.
fn failed() -> TestProject {
    let project = git();
    project.file("count.txt", "0\n");
    project.agent(
        "echo $RALPH_ITERATION > count.txt\n\
         echo '{\"input_tokens\":10,\"output_tokens\":5,\"cost_usd\":0.25}' > \"$RALPH_USAGE_FILE\"\n\
         echo 'All is well. <promise>DONE</promise>'",
    );
    project.script("gate.sh", "echo 'expected 7, got' $(cat count.txt)\nexit 1");
    let more = ["--criteria", "custom:./gate.sh", "--max-iterations", "2"];
    let more = [&more[..], &["--description", "seven", "--target", "count.txt"]].concat();
    let _ = project.run_json("make it seven", &more).exits(1).ends("failed/max_iterations", 2);
    project
}

fn ralph(project: &TestProject, args: &[&str]) -> CommandOutput {
    project.ralph(args).output()
}

#[track_caller]
fn is_moment(value: &Value) {
    let text = value.as_str().unwrap_or_default();
    assert!(text.len() == 24 && text.contains('T') && text.ends_with('Z'), "{text}");
}

#[test]
fn status_json_has_every_field_of_the_contract() {
    let project = failed();
    let list = ralph(&project, &["status", "--json"]).exits(0).json();
    assert_eq!(list["schema"], 1);
    let run = &list["runs"][0];
    assert!(run["id"].as_str().unwrap().starts_with("run-"));
    for (field, want) in [
        ("session_id", Value::Null),
        ("task", "make it seven".into()),
        ("description", "seven".into()),
        ("status", "failed".into()),
        ("reason", "max_iterations".into()),
        ("active", false.into()),
        ("iteration", 2.into()),
        ("max_iterations", 2.into()),
        ("no_progress_count", 1.into()),
        ("completion_promise", "DONE".into()),
        ("target_files", json!(["count.txt"])),
        ("final_status", "failed".into()),
        ("completion_reason", "max_iterations".into()),
        ("last_output", "All is well. <promise>DONE</promise>\n".into()),
        ("best_iteration", 1.into()),
        ("usage", json!({ "input_tokens": 20, "output_tokens": 10, "cost_usd": 0.5 })),
    ] {
        assert_eq!(run.get(field), Some(&want), "{field}");
    }
    for field in ["started_at", "updated_at", "last_iteration_at", "ended_at"] {
        is_moment(&run[field]);
    }
    let criterion = &run["criteria"][0];
    assert_eq!(
        (&criterion["name"], &criterion["criterion"]),
        (&"custom-1".into(), &"custom".into())
    );
    assert_eq!(
        (&criterion["command"], &criterion["required"]),
        (&"./gate.sh".into(), &true.into())
    );
    snapshots_are_complete(run);
}

#[track_caller]
fn snapshots_are_complete(run: &Value) {
    assert_eq!(run["snapshots"].as_array().map(Vec::len), Some(2));
    for (index, number) in [1, 2].into_iter().enumerate() {
        let snapshot = &run["snapshots"][index];
        assert_eq!(snapshot["iteration"], number);
        assert_eq!(
            (&snapshot["turn"], &snapshot["claim"]),
            (&"finished".into(), &"promise".into())
        );
        assert!(snapshot["failing"].as_u64() > Some(0) && snapshot["tree"].is_string());
        is_moment(&snapshot["timestamp"]);
        let gate = &snapshot["gates"][0];
        assert_eq!((&gate["verdict"], &gate["cached"]), (&"fail".into(), &false.into()));
        assert_eq!(gate["tail"], format!("expected 7, got {number}\n"));
    }
}

#[test]
fn the_fields_of_a_run_are_there_before_they_have_a_value() {
    let project = git();
    let _ = ralph(&project, &["start", "do it", "--session", "ses_1"]).exits(0);
    let run = status(&project);
    for field in ["reason", "ended_at", "final_status", "completion_reason", "last_output"] {
        assert_eq!(run.get(field), Some(&Value::Null), "{field}");
    }
    for field in ["last_iteration_at", "description", "waiting_until", "question", "error"] {
        assert_eq!(run.get(field), Some(&Value::Null), "{field}");
    }
    assert_eq!((&run["snapshots"], &run["criteria"]), (&json!([]), &json!([])));
}

#[test]
fn where_nothing_ever_ran_reading_says_so_and_writes_nothing() {
    for project in [plain(), git()] {
        let before = project.everything();
        for args in [["status"].as_slice(), &["runs"]] {
            assert_eq!(ralph(&project, args).exits(0).stdout, "There is no run here.\n");
            let json = ralph(&project, &[args, &["--json"]].concat()).exits(0).json();
            assert_eq!(json, json!({ "schema": 1, "runs": [] }));
        }
        let _ = ralph(&project, &["config"]).exits(0);
        let report = ralph(&project, &["report"]).exits(1);
        assert!(report.stderr.contains("There is no run here."), "{}", report.stderr);
        assert_eq!(project.everything(), before);
    }
}

#[test]
fn status_shows_a_run_in_a_few_lines() {
    let project = failed();
    let shown = ralph(&project, &["status"]).exits(0).stdout;
    for words in ["failed (no turns left)", "seven", "2 of 2", "custom-1", "./agent.sh"] {
        assert!(shown.contains(words), "no `{words}` in: {shown}");
    }
    let id = status(&project)["id"].as_str().unwrap().to_owned();
    let named = ralph(&project, &["status", &id[..8]]).exits(0).stdout;
    assert_eq!(named, shown);
    let _ = ralph(&project, &["status", "run-none"]).exits(2);
}

#[test]
fn runs_are_listed_newest_first() {
    let project = git();
    project.agent("echo '<promise>DONE</promise>'");
    for task in ["first", "second", "third"] {
        let _ = project.run_json(task, &[]).exits(0);
    }
    let table = ralph(&project, &["runs"]).exits(0).stdout;
    let rows: Vec<&str> =
        table.lines().skip(1).map(|row| row.rsplit("  ").next().unwrap()).collect();
    assert_eq!(rows, ["third", "second", "first"]);
    let json = ralph(&project, &["runs", "--json", "-n", "2"]).exits(0).json();
    let tasks: Value =
        json["runs"].as_array().unwrap().iter().map(|run| run["task"].clone()).collect();
    assert_eq!(tasks, json!(["third", "second"]));
    assert_eq!(json["runs"][0]["snapshots"], json!([]));
}

#[test]
fn a_report_says_why_with_every_gate_tree_cost_and_way_back() {
    let project = failed();
    let run = status(&project);
    let tree = run["tree"].as_str().unwrap();
    for args in [["report"].as_slice(), &["report", "--md"]] {
        let text = ralph(&project, args).exits(0).stdout;
        for words in [
            run["id"].as_str().unwrap(),
            "Stopped after 2 turns, the limit. 1 check still fails.",
            "make it seven",
            "custom-1",
            "./gate.sh",
            "expected 7, got 2",
            tree,
            "30 tokens",
            "$0.50",
            "ralph rollback run-",
        ] {
            assert!(text.contains(words), "no `{words}` in: {text}");
        }
    }
    let json = ralph(&project, &["report", "--json"]).exits(0).json();
    assert_eq!((&json["schema"], &json["id"]), (&1.into(), &run["id"]));
    assert_eq!(json["snapshots"], run["snapshots"]);
}

#[test]
fn the_way_back_of_a_report_leads_back() {
    let project = failed();
    let text = ralph(&project, &["report"]).exits(0).stdout;
    let line = text.lines().rev().find(|line| line.contains("ralph rollback")).unwrap();
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    assert_eq!(project.read("count.txt"), "2\n");
    let _ = ralph(&project, &words).exits(0);
    assert_eq!(project.read("count.txt"), "0\n");
}

#[test]
fn check_tells_by_its_exit_code_whether_the_gates_pass() {
    let project = plain();
    project.file("ralph.toml", "[run]\ncriteria = [\"test_pass\", \"custom:test -e done\"]\n\n[gates.test_pass]\nshell = \"echo ran; exit 0\"\n");
    let fails = ralph(&project, &["check"]).exits(1).stdout;
    assert!(fails.contains("test_pass") && fails.contains("custom-1"), "{fails}");
    let json = ralph(&project, &["check", "--json"]).exits(1).json();
    assert_eq!((&json["schema"], &json["passed"]), (&1.into(), &false.into()));
    let verdicts: Value =
        json["gates"].as_array().unwrap().iter().map(|gate| gate["verdict"].clone()).collect();
    assert_eq!(verdicts, json!(["pass", "fail"]));

    project.file("done", "");
    let json = ralph(&project, &["check", "--json"]).exits(0).json();
    assert_eq!(json["passed"], true);
    assert_eq!(json["gates"][0]["tail"], "ran\n");
}

#[test]
fn a_gate_that_passed_on_these_files_is_not_run_again_unless_asked() {
    for project in [plain(), git()] {
        let count = project.outside("count");
        let gate = format!("custom:sh:echo x >> {}", count.display());
        let runs = || std::fs::read_to_string(&count).unwrap_or_default().lines().count();
        let check = |more: &[&str]| {
            let args = [&["check", "--json", "--criteria", &gate], more].concat();
            ralph(&project, &args).exits(0).json()["gates"][0]["cached"].clone()
        };
        assert_eq!((check(&[]), runs()), (false.into(), 1));
        assert_eq!((check(&[]), runs()), (true.into(), 1));
        assert_eq!((check(&["--fresh"]), runs()), (false.into(), 2));
        project.file("changed.txt", "x");
        assert_eq!((check(&[]), runs()), (false.into(), 3));
    }
}

#[test]
fn check_without_a_gate_is_wrong_usage() {
    let project = plain();
    let output = ralph(&project, &["check"]).exits(2);
    assert!(output.stderr.contains("no gate") && output.stderr.contains("--criteria"));
}
