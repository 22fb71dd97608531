//! Loops under the hands of a person: what is typed while the agent works, Esc,
//! and what follows.

use ralph_testkit::{ModelScript, ModelTurn, Signal, TurnHold, isolated};

use crate::clients::claude::stage::{DONE, GATE, Stage, notes, standing, until_queued};

const MODE: &str = "--dangerously-skip-permissions";

#[test]
fn what_is_typed_during_a_turn_acts_at_its_end_and_a_question_waits() {
    isolated(|| {
        let stage = Stage::saying([]);
        let [looking, ending] =
            ["looking", "ending"].map(|name| TurnHold::new(&stage.project, name));
        stage.api.then(ModelScript::new([
            ModelTurn::says("I look around.").held(&looking),
            ModelTurn::says("I go round.").held(&ending),
            ModelTurn::says("Two ways are possible. Which one do you want?"),
            ModelTurn::says("I take the first one."),
        ]));
        let claude = stage.claude();
        let terminal = claude.terminal(&[MODE]);
        terminal.until_shows("bypass permissions on");
        terminal.types("/ralph go round and round ").presses("Enter");
        looking.is_begun();
        terminal.types("/ralph status ").presses("Enter");
        until_queued(&terminal, &stage.project, "/ralph status");
        looking.release();
        // The second turn is at work, and the screen says where the loop stands.
        ending.is_begun();
        terminal.until_has_shown("go round and round");
        terminal.types("/cancel-ralph ").presses("Enter");
        until_queued(&terminal, &stage.project, "/cancel-ralph");
        ending.release();
        terminal.until_shows("a command in the session");
        stage.is("stopped", 2).asked(2);
        terminal.types(&format!("/ralph choose a way {GATE} ")).presses("Enter");
        terminal.until_shows("Which one do you want?");
        terminal.until_shows("Send a message to go on");
        stage.is("waiting/human", 1).asked(3);
        terminal.types("/exit").presses("Enter").until_ended();
    });
}

#[test]
fn a_loop_that_was_interrupted_is_replaced_or_rests_whatever_follows() {
    isolated(|| {
        let stage = Stage::saying([]);
        let holds = ["first", "second"].map(|name| TurnHold::new(&stage.project, name));
        let [first, second] = &holds;
        stage.api.then(ModelScript::new([
            ModelTurn::runs(&first.script("")),
            ModelTurn::runs(&second.script("")),
            ModelTurn::says("Hello to you."),
            ModelTurn::says("Hello again."),
        ]));
        let claude = stage.claude();
        let terminal = claude.terminal(&[MODE]);
        terminal.until_shows("bypass permissions on");
        terminal.types("/ralph do this ").presses("Enter");
        first.is_begun();
        terminal.presses("Escape").until_shows("Interrupted");
        first.is_over();
        terminal.types("/ralph do that instead ").presses("Enter").until_shows("It replaces run-");
        second.is_begun();
        stage.is("running", 1);
        terminal.presses("Escape").until_shows("Interrupted");
        second.is_over();
        terminal.types("/clear").presses("Enter").until_shows("/ralph resume");
        terminal.types("hello").presses("Enter").until_shows("Hello to you.");
        stage.is("paused/aborted", 1).asked(3);
        terminal.types("/exit").presses("Enter").until_ended();
        let again = stage.session("hello").args(["--continue"]).output().exits(0);
        assert_eq!(again.result()["result"], "Hello again.");
        stage.is("paused/aborted", 1).asked(4);
    });
}

#[test]
fn a_client_that_was_killed_is_noticed_and_its_loop_is_in_nobodys_way() {
    isolated(|| {
        let stage = Stage::saying([]);
        let hold = TurnHold::new(&stage.project, "turn");
        stage.api.then(ModelScript::new([ModelTurn::says("Never heard.").held(&hold)]));
        let running = stage.session("/ralph go round and round").start();
        hold.is_begun();
        running.signal(Signal::Kill);
        let _ = running.finish();
        hold.release();
        let status = stage.project.ralph(&["status"]).output().exits(0).stdout;
        assert!(status.contains("its client is gone"), "{status}");
        let left = stage.run()["id"].as_str().unwrap().to_owned();
        stage.api.then(ModelScript::new([ModelTurn::says(DONE)]));
        let said = stage.session("/ralph start anew").output().exits(0);
        let notes = notes(&said);
        assert!(notes.contains(&format!("The client of {left} is gone")), "{notes}");
        let runs = stage.project.ralph(&["runs", "--json"]).output().exits(0).json();
        let standings = runs["runs"].as_array().unwrap().iter().map(standing);
        let standings: Vec<String> = standings.collect();
        assert_eq!(standings, ["success/claimed", "paused/interrupted"]);
    });
}

#[test]
fn an_agent_in_plan_mode_is_not_pushed_on() {
    isolated(|| {
        let stage = Stage::saying([ModelTurn::says("Here is my plan.")]);
        let planning = stage.claude().careful("/ralph go round and round");
        let said = planning.args(["--permission-mode", "plan"]).output().exits(0);
        assert!(notes(&said).contains("plan mode"), "{}", notes(&said));
        stage.is("waiting/human", 1).asked(1);
    });
}

#[test]
fn the_user_reads_that_the_checks_pass_already() {
    isolated(|| {
        let stage = Stage::saying([ModelTurn::says(DONE)]);
        let prompt = "/ralph tidy up --criteria \"custom:grep -q 1 a\"";
        let said = stage.session(prompt).output().exits(0);
        assert!(said.stdout.contains("The checks pass already"), "{}", said.stdout);
        stage.is("success/claimed", 1);
    });
}
