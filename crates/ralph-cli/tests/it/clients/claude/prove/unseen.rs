//! Without a loop the model sees what it would see without us.

use ralph_testkit::{ClientRequest, ModelScript, ModelTurn, isolated};
use serde_json::{Value, json};

use crate::clients::claude::stage::{Stage, standing};

/// Two sessions in one project, the second with what `install` puts there.
/// What the model is sent must not differ.
#[track_caller]
fn check(install: impl FnOnce(&Stage)) {
    let stage = Stage::bare(ModelScript::new([]));
    // The model is told of files that are not committed.
    stage.project.file(".git/info/exclude", ".claude\n");
    stage.project.run_git(&["rm", "-r", "--cached", "--quiet", ".claude"]);
    stage.project.run_git(&["commit", "--quiet", "--message=leave the settings out"]);
    std::fs::remove_dir_all(stage.project.root().join(".claude")).unwrap();
    let without = conversation(&stage);
    install(&stage);
    let with = conversation(&stage);
    assert_eq!((without.len(), with.len()), (4, 4));
    for (without, with) in without.iter().zip(&with) {
        assert_eq!(with, without);
    }
    assert_eq!(standing(&stage.run()), "none");
}

/// A session with text, a command and an edit, as the model was sent it.
fn conversation(stage: &Stage) -> Vec<String> {
    let before = stage.api.main().len();
    stage.project.file("a", "1\n");
    let path = stage.project.root().join("a");
    stage.api.then(ModelScript::new([
        ModelTurn::runs("cat a"),
        ModelTurn::uses(
            "Edit",
            &json!({ "file_path": path, "old_string": "1", "new_string": "2" }),
        ),
        ModelTurn::runs("exit 3"),
        ModelTurn::says("That is it."),
    ]));
    let _ = stage.session("change the number").output().exits(0);
    stage.api.main().iter().skip(before).map(neutral).collect()
}

/// The body of a request without what is new in every session.
fn neutral(asked: &ClientRequest) -> String {
    let mut body = asked.request.body.clone();
    body["metadata"] = Value::Null;
    let mut names = 0;
    let mut text = body.to_string().replace(&asked.session(), "SESSION");
    // The names of tool uses are numbers that only grow.
    for message in body["messages"].as_array().into_iter().flatten() {
        for block in message["content"].as_array().into_iter().flatten() {
            if let Some(id) = block["id"].as_str() {
                names += 1;
                text = text.replace(id, &format!("USE-{names}"));
            }
        }
    }
    text
}

#[test]
fn hooks_without_a_loop_change_nothing_that_the_model_sees() {
    isolated(|| check(|stage| stage.hooks(stage.project.binary(), &json!({}))));
}

#[test]
fn an_installation_without_a_loop_and_tools_changes_nothing_that_the_model_sees() {
    isolated(|| {
        check(|stage| {
            let install = ["install", "claude-code", "--no-tools"];
            let _ = stage.project.ralph(&install).output().exits(0);
        });
    });
}
