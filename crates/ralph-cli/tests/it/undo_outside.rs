//! Files that changed while no agent was at work are not the agent's.

use ralph_testkit::{TestProject, TurnHold};

use crate::undo::{both, rollback};

/// Runs one turn of an agent that changes `edited` and `staged`, and edits
/// `edited` while the check of that turn is held.
fn edited_during_a_check(project: &TestProject) {
    let hold = TurnHold::new(project, "gate");
    let once = "[ -e $OUTSIDE/base ] || { : > $OUTSIDE/base; exit 1; }";
    project.script("gate.sh", &format!("{once}\n{}exit 1", hold.script("")));
    let more = ["--criteria", "custom:./gate.sh", "--max-iterations", "1"];
    let running = project.run_call("do it", &more).start();
    hold.is_begun();
    project.file("edited", "my work\n").file("untracked", "mine, too\n");
    hold.release();
    let _ = running.finish().exits(1);
}

#[test]
fn edits_while_a_check_runs_are_left_unless_forced() {
    for project in both("echo x | tee -a edited staged > new") {
        edited_during_a_check(&project);
        let output = rollback(&project, &[]).exits(1);
        for name in ["edited", "untracked"] {
            let said = format!("{name} (changed since by others; use --force)");
            assert!(output.stderr.contains(&said), "{}", output.stderr);
        }
        assert_eq!((&*project.read("edited"), &*project.read("staged")), ("my work\n", "newer\n"));
        assert_eq!(project.read("untracked"), "mine, too\n");
        assert!(!project.root().join("new").exists());
        let _ = rollback(&project, &["--force"]).exits(0);
        assert_eq!((&*project.read("edited"), &*project.read("untracked")), ("mine\n", "mine\n"));
    }
}

#[test]
fn a_person_at_a_terminal_is_asked_about_them() {
    for (answer, want) in [("n", "my work\n"), ("y", "mine\n")] {
        let [project, _] = both("echo x >> edited");
        edited_during_a_check(&project);
        let terminal = project.terminal(&format!("'{}' rollback", project.binary().display()));
        terminal.until_shows("Take them back as well? [y/N]");
        terminal.types(answer).presses("Enter");
        terminal.until_ended();
        assert_eq!(project.read("edited"), want, "{answer}");
    }
}

#[test]
fn edits_while_a_providers_limit_is_waited_for_are_left() {
    for project in both("true") {
        project.agent(
            "[ -e $OUTSIDE/once ] || {\n\
             : > $OUTSIDE/once; echo \"usage limit reached|$(($(date +%s) + 2))\" >&2; exit 1; }\n\
             echo x >> staged; echo '<promise>DONE</promise>'",
        );
        let mut running = project.run_call("do it", &[]).start();
        running.until(|event| event["type"] == "waiting");
        project.file("edited", "my work\n");
        let _ = running.finish().exits(0);
        let output = rollback(&project, &[]).exits(1);
        assert!(output.stderr.contains("edited (changed since by others"), "{}", output.stderr);
        assert_eq!((&*project.read("edited"), &*project.read("staged")), ("my work\n", "newer\n"));
    }
}
