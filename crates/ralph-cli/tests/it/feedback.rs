//! What gates counted, and what agents and people are told about it.

use ralph_testkit::{CommandOutput, TestProject};
use serde_json::{Value, json};

use crate::{git, plain};

/// A compiler that reports the lines of the file `problems`.
const COMPILER: &str = "cat problems; ! grep -q error problems";

const PROBLEMS: &str = "src/a.c:3:1: error: no such name\n\
                        src/a.c:9:1: error: no such type\n\
                        src/b.c:4:2: error: wrong number\n\
                        src/b.c:7:2: warning: not used\n";

const KEEP_PROMPT: &str = "cat > $OUTSIDE/prompt-$RALPH_ITERATION";

/// A project with that compiler and an agent that does this in its turns.
fn laid_out(project: TestProject, turn: &str) -> TestProject {
    project.file("problems", PROBLEMS);
    project.script("compiler.sh", COMPILER);
    project.agent(&format!("{KEEP_PROMPT}\n{turn}"));
    project
}

const GATE: [&str; 2] = ["--criteria", "custom:./compiler.sh"];

/// The same as a diagnostic criterion.
const LINT: [&str; 2] = ["--criteria", "lint_clean"];

const LINT_SETTINGS: &str = "[gates.lint_clean]\ncommand = \"./compiler.sh\"\nformat = \"text\"\n";

/// Removes the first line that is left.
const MENDS: &str = "sed -i 1d problems; echo turn $RALPH_ITERATION";

fn run(project: &TestProject, more: &[&str]) -> CommandOutput {
    project.run_json("do it", &[&GATE, more].concat())
}

#[test]
fn every_iteration_shows_what_its_gates_counted() {
    let project = laid_out(git(), MENDS);
    let _ = run(&project, &[]).exits(0).ends("success/verified", 3);
    for command in ["status", "report"] {
        let shown = project.ralph(&[command, "--json"]).output().exits(0).json();
        let run = if command == "status" { &shown["runs"][0] } else { &shown };
        let first = &run["snapshots"][0]["diagnostics"];
        for (field, want) in [("errors", 2), ("warnings", 1), ("infos", 0), ("security", 0)] {
            assert_eq!(first[field], want, "{field} {first}");
        }
        assert!(first["timestamp"].as_str().unwrap().ends_with('Z'), "{first}");
        assert_eq!(first["tests"], Value::Null);
        let files: Vec<Value> = first["files"].as_array().unwrap().clone();
        let counts = |file: &Value| json!([file["file"], file["errors"], file["warnings"]]);
        let files: Vec<Value> = files.iter().map(counts).collect();
        assert_eq!(files, [json!(["src/b.c", 1, 1]), json!(["src/a.c", 1, 0])]);
        assert_eq!(run["snapshots"][2]["diagnostics"]["errors"], 0);
        assert_eq!(
            (&run["baseline"]["errors"], &run["improvement_percent"]),
            (&3.into(), &100.into())
        );
    }
    for command in ["status", "report"] {
        let shown = project.ralph(&[command]).output().exits(0).stdout;
        assert!(shown.contains("█▅▃▁ 3 → 0"), "{shown}");
    }
}

#[test]
fn the_agent_is_told_counts_changes_and_places() {
    let project = laid_out(plain(), MENDS);
    project.file("ralph.toml", LINT_SETTINGS);
    let _ = project.run_json("do it", &LINT).exits(0);
    let told = project.kept("prompt-2");
    for part in [
        "Ralph Loop: CONTINUE | Iteration: 2/10 \
         | Current: 2 error(s), 1 warning(s), 0 security issue(s) \
         | Progress: 33% improvement | Next: Fix 2 remaining error(s)\n",
        "\nsrc/a.c:9 no such type [",
        "\nsrc/b.c:4 wrong number [",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
}

#[test]
fn without_a_diagnostic_criterion_one_short_line_says_where_it_stands() {
    let project = laid_out(plain(), MENDS);
    let ended = run(&project, &[]).exits(0).ended();
    let told = project.kept("prompt-2");
    let head = "[ralph, turn 2 of 10] Not done yet: custom-1 fails (2 problems, 1 fixed).\n\n";
    assert!(told.starts_with(head), "{told}");
    assert!(ended["message"].as_str().unwrap().starts_with("Ralph Loop: COMPLETE - "), "{ended}");
    assert!(!told.contains("not used"), "{told}");
    assert!(!told.contains("Ralph Loop:") && told.ends_with("\nTask: do it"), "{told}");
}

#[test]
fn a_completed_run_says_how_far_it_came() {
    for (locale, told, want) in [
        (
            "en",
            "Done after 3 turns: custom-1 passes (3 errors fixed).",
            "Total improvement: 100% | Initial: 3 errors, 1 warning | Final: 0 errors, 1 warning",
        ),
        (
            "ko",
            "3턴 만에 완료했습니다: custom-1 통과 (오류 3건 해결).",
            "총 개선: 100% | 시작: 오류 3건, 경고 1건 | 최종: 오류 0건, 경고 1건",
        ),
    ] {
        let project = laid_out(plain(), MENDS);
        project.file("ralph.toml", LINT_SETTINGS);
        let args = ["run", "do it", "--agent-cmd", "./agent.sh", "--locale", locale];
        let said = project.ralph(&[&args[..], &GATE].concat()).output().exits(0).stdout;
        assert!(said.contains(told) && !said.contains("Ralph Loop"), "{said}");
        let project = laid_out(plain(), MENDS);
        let ended = run(&project, &["--locale", locale]).exits(0).ended();
        let message = ended["message"].as_str().unwrap();
        assert!(
            message.starts_with("Ralph Loop: COMPLETE - ") && message.contains(want),
            "{message}"
        );
    }
}

#[test]
fn whoever_improves_every_second_iteration_is_never_stopped() {
    let turn = format!("[ $((RALPH_ITERATION % 2)) = 0 ] || {{ echo reading; exit; }}\n{MENDS}");
    let project = laid_out(git(), &turn);
    let _ = run(&project, &["--stagnation-limit", "3"]).exits(0).ends("success/verified", 6);
}

/// Puts one word into a file in odd iterations and another in even ones.
const TO_AND_FRO: &str = "[ $((RALPH_ITERATION % 2)) = 0 ] && word=even || word=odd\n\
                          echo $word > flag; echo turn $RALPH_ITERATION";

#[test]
fn undoing_and_redoing_the_same_is_no_progress_though_the_files_never_return() {
    let turn = format!("{TO_AND_FRO}; echo $RALPH_ITERATION > count");
    for project in [git(), plain()] {
        let project = laid_out(project, &turn);
        let _ = run(&project, &[]).exits(1).ends("failed/no_progress", 5);
    }
}

#[test]
fn a_circle_is_named_with_its_iterations() {
    for project in [git(), plain()] {
        let project = laid_out(project, TO_AND_FRO);
        project.file("flag", "start");
        let output = run(&project, &[]).exits(1).ends("failed/circular", 5);
        assert_eq!(output.ended()["circle"], json!({ "from": 3, "to": 5 }));
        let told = project.kept("prompt-4");
        let words = "turn 3 returned to the state of turn 1 (1 → 2 → 3)";
        assert!(told.contains(words), "{told}");

        let report = project.ralph(&["report"]).output().exits(0).stdout;
        let words = "turn 5 returned to the state of turn 3 (3 → 4 → 5).";
        assert!(report.contains(words) && report.contains("back to #3"), "{report}");
        let report = project.ralph(&["report", "--json"]).output().exits(0).json();
        assert_eq!(report["circle"], json!({ "from": 3, "to": 5 }));
        assert_eq!(report["snapshots"][4]["returned_to"], 3);
    }
}

#[test]
fn the_best_iteration_is_the_one_with_the_best_score() {
    let turn = "case $RALPH_ITERATION in\n\
                1) echo 'a.c:1:1: warning: w' >> problems;;\n\
                2) sed -i 1,2d problems;;\n\
                3) echo 'c.c:1:1: error: new' >> problems;;\n\
                esac\necho turn $RALPH_ITERATION";
    let project = laid_out(git(), turn);
    let _ = run(&project, &["--max-iterations", "3"]).exits(1);
    let list = project.ralph(&["snapshots", "--json"]).output().exits(0).json();
    assert_eq!(list["best_iteration"], 2);
    let score = &list["snapshots"][2]["score"];
    assert_eq!((&score["errors"], &score["warnings"]), (&1.into(), &2.into()), "{score}");
    let shown = project.ralph(&["snapshots"]).output().exits(0).stdout;
    let best = shown.lines().find(|line| line.contains("best")).unwrap();
    assert!(best.starts_with('2') && best.contains("1 error, 2 warnings"), "{shown}");
}

#[test]
fn a_check_that_fails_for_a_remark_alone_names_it_to_the_agent_and_to_the_user() {
    let project = plain();
    let remark = "a.sh:3:6: note: Double quote to prevent globbing [SC2086]";
    project.script("lint.sh", &format!("echo '{remark}'; exit 1"));
    project.agent(&format!("{KEEP_PROMPT}\necho turn $RALPH_ITERATION >> work"));
    let gate = ["--criteria", "lint_clean", "--max-iterations", "2"];
    project.file("ralph.toml", "[gates.lint_clean]\ncommand = \"./lint.sh\"\n");
    let _ = project.run_json("do it", &gate).exits(1);
    let prompt = project.kept("prompt-2");
    assert!(prompt.contains("Double quote to prevent globbing"), "{prompt}");
    let report = project.ralph(&["report"]).output().exits(0).stdout;
    assert!(report.contains("Double quote to prevent globbing"), "{report}");
}
