//! From an installation to a loop, and back to nothing.

use ralph_testkit::{ModelScript, ModelTurn, isolated};
use serde_json::{Value, json};

use crate::clients::claude::stage::{DONE, Stage, standing};

#[test]
fn an_installation_lets_a_loop_talk_as_long_as_it_likes_and_goes_without_a_trace() {
    isolated(|| {
        let turn = |n| {
            if n < 13 { ModelTurn::says(&format!("thought {n}")) } else { ModelTurn::says(DONE) }
        };
        let stage = Stage::bare(ModelScript::endless(turn));
        stage.settings(&json!({ "model": "opus", "permissions": { "allow": ["Read"] } }));
        std::fs::remove_dir_all(stage.project.root().join(".claude/commands")).unwrap();
        let before = stage.project.read(".claude/settings.json");
        let _ = stage.project.ralph(&["install", "claude-code"]).output().exits(0);
        let _ = stage.session("/ralph think twelve times --max-iterations 20").output().exits(0);
        stage.is("success/claimed", 13).asked(13);
        let _ = stage.project.ralph(&["uninstall", "claude-code"]).output().exits(0);
        assert_eq!(stage.project.read(".claude/settings.json"), before);
        assert!(!stage.project.root().join(".claude/commands/ralph.md").exists());
    });
}

#[test]
fn an_installation_that_is_repeated_makes_no_difference() {
    let stage = Stage::bare(ModelScript::new([]));
    let install = || stage.project.ralph(&["install", "claude-code", "--cap", "30"]).output();
    let _ = install().exits(0);
    let first = stage.project.read(".claude/settings.json");
    let _ = install().exits(0);
    assert_eq!(stage.project.read(".claude/settings.json"), first);
    let settings: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(settings["env"]["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"], "30");
}

#[test]
fn the_doctor_finds_the_client_and_proves_its_hooks() {
    isolated(|| {
        let stage = Stage::bare(ModelScript::new([]));
        let _ = stage.project.ralph(&["install", "claude-code", "--cap", "30"]).output().exits(0);
        // The real client is on the search path of this call alone.
        let found = stage.claude().ralph(&["doctor"]).output().exits(0);
        for fact in ["2.1.", "Stop", "30"] {
            assert!(found.stdout.contains(fact), "{fact}:\n{}", found.stdout);
        }
        assert_eq!(standing(&stage.run()), "none");
    });
}
