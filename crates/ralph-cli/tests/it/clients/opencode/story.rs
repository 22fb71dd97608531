//! The short form of a person's afternoon: what everybody does first.

use std::path::Path;

use ralph_testkit::{
    MessagesServer, ModelScript, ModelTurn, OpenCodeClient, TestProject, isolated,
};

use super::stage::{DONE, GATE, until_run_is, writes};

#[test]
fn a_person_installs_starts_finishes_undoes_and_uninstalls() {
    isolated(|| {
        let project = TestProject::git(env!("CARGO_BIN_EXE_ralph"));
        project.file("a", "1\n").file(".git/info/exclude", "node_modules\npackage-lock.json\n");
        project.run_git(&["add", "-A"]);
        project.run_git(&["commit", "--quiet", "--message=start"]);
        let turns = [ModelTurn::says(DONE), writes(&project, "a", "b\n"), ModelTurn::says(DONE)];
        let api = MessagesServer::start(ModelScript::new(turns));
        let mut story = OpenCodeClient::story(&project, &api);
        // Wider, and the client draws a second column.
        story.terminal().resizes(110);
        story.runs("ralph install opencode --no-tools");
        story.starts("opencode", "Ask anything");
        story.enters(&format!("/ralph make a hold b {GATE}"), "Not done yet: custom-1 fails");
        until_run_is(&project, "success/verified");
        story.leaves_by("C-c");
        story.runs("ralph status");
        story.runs("ralph rollback");
        story.runs("ralph uninstall opencode");
        story.runs("git status --short");
        api.is_over();
        let kept = Path::new(env!("CARGO_MANIFEST_DIR"));
        story.is_as_kept(&kept.join("tests/it/clients/opencode/story.txt"));
    });
}
