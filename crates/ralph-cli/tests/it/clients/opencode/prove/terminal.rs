//! Loops as a person sees them in the terminal.

use ralph_testkit::{ModelScript, ModelTurn, OpenCodeClient, Terminal, TurnHold, isolated};

use crate::clients::opencode::stage::{DONE, GATE, Stage, writes};

/// Types a line and sends it, once the client has drawn its end: what is sent
/// earlier may be taken for a part of it.
#[track_caller]
fn enters(screen: &Terminal<'_>, line: &str) {
    let end: String = line.chars().rev().take(8).collect();
    let end: String = end.chars().rev().collect();
    screen.types(line).until_shows(&end).presses("Enter");
}

#[test]
fn a_loop_that_is_typed_runs_to_its_end_and_the_next_one_is_cancelled() {
    isolated(|| {
        let stage = Stage::saying([]);
        let held = TurnHold::new(&stage.project, "turn");
        stage.api.then(ModelScript::new([
            ModelTurn::says("I looked around."),
            writes(&stage.project, "a", "b\n"),
            ModelTurn::says(DONE),
            ModelTurn::says("Too late.").held(&held),
            ModelTurn::says("It was cancelled."),
        ]));
        let screen = OpenCodeClient::terminal(&stage.project, &stage.api);
        screen.until_shows("Ask anything");
        enters(&screen, &format!("/ralph \"make a hold b\" {GATE}"));
        // How long its last words are depends on how long it took.
        stage.until("success/verified");
        stage.is("success/verified", 2);
        assert!(stage.heard(1).starts_with("make a hold b\n\n"), "{}", stage.heard(1));
        enters(&screen, "/ralph another task");
        held.is_begun();
        stage.is("running", 1);
        // A command without a word behind it is completed first.
        enters(&screen, "/cancel-ralph");
        screen.presses("Enter");
        stage.until("stopped");
        stage.is("stopped", 1);
        held.release();
        screen.until_shows("It was cancelled.");
        stage.api.is_over();
    });
}

#[test]
fn in_korean_the_limit_ends_a_loop_on_the_screen_and_an_abort_pauses() {
    isolated(|| {
        let stage = Stage::saying([]);
        stage.project.file("ralph.toml", "[run]\nlocale = \"ko\"\nmatch = \"word\"\n");
        let held = TurnHold::new(&stage.project, "turn");
        stage.api.then(ModelScript::new([
            ModelTurn::says("하나"),
            ModelTurn::says("둘"),
            ModelTurn::says("Never said.").held(&held),
            ModelTurn::says("Hello."),
        ]));
        let screen = OpenCodeClient::terminal(&stage.project, &stage.api);
        screen.until_shows("Ask anything");
        enters(&screen, "/ralph 파서를 고쳐 줘 --max-iterations 2");
        screen.until_has_shown("최대 재시도 횟수에 도달했습니다");
        stage.is("failed/max_iterations", 2);
        enters(&screen, "/ralph 다시 해 줘");
        held.is_begun();
        screen.presses("Escape").until_shows("again to interrupt").presses("Escape");
        stage.until("paused/aborted");
        stage.is("paused/aborted", 1);
        held.release();
        enters(&screen, "are you there?");
        screen.until_shows("Hello.");
        assert_eq!(stage.heard(4).lines().last(), Some("are you there?"), "nothing was injected");
        stage.api.is_over();
    });
}
