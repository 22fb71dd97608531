//! The short form of a person's afternoon: what everybody does first.

use std::path::Path;

use ralph_testkit::{ClaudeClient, MessagesServer, ModelScript, ModelTurn, TestProject, isolated};

use super::stage::{DONE, GATE, writes};

#[test]
fn a_person_installs_starts_finishes_undoes_and_uninstalls() {
    isolated(|| {
        let project = TestProject::git(env!("CARGO_BIN_EXE_ralph"));
        project.file("a", "1\n").run_git(&["add", "-A"]);
        project.run_git(&["commit", "--quiet", "--message=start"]);
        let turns = [ModelTurn::says(DONE), writes(&project, "a", "b\n"), ModelTurn::says(DONE)];
        let api = MessagesServer::start(ModelScript::new(turns));
        let claude = ClaudeClient::new(&project, &api);
        let mut story = claude.story();
        story.runs("ralph install claude-code --no-tools");
        story.starts("claude --dangerously-skip-permissions", "bypass permissions on");
        story.enters(&format!("/ralph make a hold b {GATE}"), "done after 2 turns");
        story.enters("/ralph status", "success (verified)");
        story.leaves("/exit");
        story.runs("ralph rollback");
        story.runs("ralph uninstall claude-code");
        story.runs("git status --short");
        api.is_over();
        let kept = Path::new(env!("CARGO_MANIFEST_DIR"));
        story.is_as_kept(&kept.join("tests/it/clients/claude/story.txt"));
    });
}
