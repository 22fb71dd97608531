//! One person, one afternoon: from the installation to its end.

use std::path::Path;

use ralph_testkit::{
    ClaudeClient, MessagesServer, ModelScript, ModelTurn, TestProject, TurnHold, isolated,
};

use crate::clients::claude::stage::{DONE, GATE, until_queued, writes};

const CLIENT: &str = "claude --dangerously-skip-permissions";

#[test]
fn a_person_installs_works_interrupts_asks_finishes_undoes_and_uninstalls() {
    isolated(|| {
        let project = TestProject::git(env!("CARGO_BIN_EXE_ralph"));
        project.file("a", "1\n").run_git(&["add", "-A"]);
        project.run_git(&["commit", "--quiet", "--message=start"]);
        let holds = ["looking", "working", "pausing"].map(|name| TurnHold::new(&project, name));
        let [looking, working, pausing] = &holds;
        let api = MessagesServer::start(ModelScript::new([
            ModelTurn::says("I look around.").held(looking),
            ModelTurn::runs(&working.script("")),
            ModelTurn::says("It is a file."),
            ModelTurn::says("Two ways are possible. Which one do you want?"),
            ModelTurn::says("The first one it is.").held(pausing),
            ModelTurn::says(DONE),
            writes(&project, "a", "b\n"),
            ModelTurn::says(DONE),
        ]));
        let claude = ClaudeClient::new(&project, &api);
        let mut story = claude.story();
        story.runs("ralph install claude-code --dry-run --no-tools | head -2");
        story.runs("ralph install claude-code --no-tools");
        story.runs("ralph doctor | grep --invert-match sandbox");
        story.starts(CLIENT, "bypass permissions on");
        story.enters("/ralph help", "/cancel-ralph");
        story.enters("/ralph status", "no run here");
        story.enters("/ralph stauts", "did you mean");
        story.enters("/ralph fix it --criteria custom:python3 -m unittest -v", "quotes");
        story.types(&format!("/ralph go round and round {GATE}"));
        looking.is_begun();
        story.sees("loop started");
        story.types("/ralph status");
        until_queued(story.terminal(), &project, "/ralph status");
        looking.release();
        working.is_begun();
        story.sees("ralph: turn 2 of 10, 1 check fails.");
        story.presses("Escape", "Interrupted");
        working.is_over();
        story.enters("what is a?", "paused: the agent's turn was aborted");
        story.sees("It is a file.");
        story.enters("/ralph resume", "goes on in this session");
        story.sees("waiting for you");
        story.types("the first one");
        pausing.is_begun();
        story.types("/ralph pause");
        until_queued(story.terminal(), &project, "/ralph pause");
        pausing.release();
        story.sees("asked for it");
        story.enters("/cancel-ralph", "ended the run");
        story.enters("/ralph diff", "No file differs");
        story.enters("/ralph report", "asked you");
        story.enters(&format!("/ralph make a hold b {GATE}"), "done after 2 turns");
        story.enters("/ralph status", "success (verified)");
        story.enters("/ralph runs", "stopped");
        story.enters("/ralph diff", "diff --git");
        story.leaves("/exit");
        story.runs("ralph report");
        story.runs("ralph rollback --dry-run");
        story.runs("ralph rollback");
        story.runs("ralph rollback --undo");
        story.runs("ralph uninstall claude-code");
        story.runs("git status --short");
        assert!(story.steps() >= 30, "{}", story.steps());
        api.is_over();
        let kept =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/clients/claude/prove/story.txt");
        story.is_as_kept(&kept);
    });
}
