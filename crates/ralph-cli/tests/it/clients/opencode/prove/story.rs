//! One person, one afternoon: from the installation to its end.

use std::path::Path;

use ralph_testkit::{
    MessagesServer, ModelScript, ModelTurn, OpenCodeClient, TerminalSession, TestProject, TurnHold,
    isolated,
};

use crate::clients::opencode::stage::{DONE, GATE, writes};

const KEPT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/clients/opencode/prove/story.txt");

/// Types a command, waits until the model has repeated what ralph says, and
/// keeps that.
#[track_caller]
fn asks(story: &mut TerminalSession<'_>, line: &str, shows: &str, repeated: &str) {
    story.types(line).terminal().until_shows(repeated);
    story.sees(shows);
}

/// A project with one commit; what the client installs is ignored.
fn begun() -> TestProject {
    let project = TestProject::git(env!("CARGO_BIN_EXE_ralph"));
    project.file("a", "1\n").file(".git/info/exclude", "node_modules\npackage-lock.json\n");
    project.run_git(&["add", "a"]);
    project.run_git(&["commit", "--quiet", "--message=start", "a"]);
    project
}

#[test]
fn a_person_installs_works_interrupts_asks_finishes_undoes_and_uninstalls() {
    isolated(|| {
        let project = begun();
        let holds = ["looking", "working", "choosing"].map(|name| TurnHold::new(&project, name));
        let [looking, working, choosing] = &holds;
        let repeats = |number: u32| ModelTurn::says(&format!("So says ralph, {number}."));
        let api = MessagesServer::start(ModelScript::new([
            repeats(1),
            repeats(2),
            repeats(3),
            repeats(4),
            ModelTurn::says("I look around.").held(looking),
            repeats(5),
            ModelTurn::says("Never said.").held(working),
            ModelTurn::says("It is a file."),
            ModelTurn::says("I went on. Which way do you want?"),
            ModelTurn::says("The first one it is.").held(choosing),
            repeats(6),
            repeats(7),
            repeats(8),
            ModelTurn::says(DONE),
            writes(&project, "a", "b\n"),
            ModelTurn::says(DONE),
            repeats(9),
            repeats(10),
            repeats(11),
        ]));
        let mut story = OpenCodeClient::story(&project, &api);
        // Wider, and the client draws a second column.
        story.terminal().resizes(110);
        story.runs("ralph install opencode --dry-run --no-tools | head -2");
        story.runs("ralph install opencode --no-tools");
        story.runs("ralph doctor | grep --invert-match sandbox");
        story.starts("opencode", "Ask anything");
        asks(&mut story, "/ralph help", "/cancel-ralph", "So says ralph, 1.");
        asks(&mut story, "/ralph status", "no run here", "So says ralph, 2.");
        asks(&mut story, "/ralph stauts", "did you mean", "So says ralph, 3.");
        let unquoted = "/ralph fix it --criteria custom:python3 -m unittest -v";
        asks(&mut story, unquoted, "no flag of a loop", "So says ralph, 4.");
        story.types(&format!("/ralph go round and round {GATE}"));
        looking.is_begun();
        story.sees("loop started");
        story.types("/ralph status").terminal().until_shows("QUEUED");
        looking.release();
        working.is_begun();
        story.sees("task go round and round");
        story.sees("turn 2 of 10, 1 check fails.");
        story.terminal().presses("Escape").until_shows("again to interrupt");
        story.presses("Escape", "paused: the agent's turn was aborted");
        working.release();
        story.enters("what is a?", "It is a file.");
        // Whoever speaks before the client is at rest speaks during its answer.
        story.terminal().until(|screen| !screen.contains("esc interrupt"));
        story.enters("/ralph resume", "Loop run-");
        story.sees("waiting for you");
        story.types("the first one");
        choosing.is_begun();
        story.types("/ralph stop").terminal().until_shows("QUEUED");
        choosing.release();
        story.terminal().until_shows("So says ralph, 6.");
        story.sees("a command in the session ended the run");
        asks(&mut story, "/ralph diff", "No file differs", "So says ralph, 7.");
        asks(&mut story, "/ralph report", "asked you", "So says ralph, 8.");
        story.enters(&format!("/ralph make a hold b {GATE}"), "done after 2 turns");
        asks(&mut story, "/ralph status", "task make a hold b", "So says ralph, 9.");
        asks(&mut story, "/ralph runs", "stopped", "So says ralph, 10.");
        asks(&mut story, "/ralph diff", "diff --git", "So says ralph, 11.");
        story.leaves_by("C-c");
        story.runs("ralph report");
        story.runs("ralph rollback --dry-run");
        story.runs("ralph rollback");
        story.runs("ralph rollback --undo");
        story.runs("ralph uninstall opencode");
        story.runs("git status --short");
        assert!(story.steps() >= 30, "{}", story.steps());
        api.is_over();
        story.is_as_kept(Path::new(KEPT));
    });
}
