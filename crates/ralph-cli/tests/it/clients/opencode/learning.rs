//! What one session learns is shown to the next, and earns its trust there.

use ralph_testkit::{ModelScript, ModelTurn, isolated};
use serde_json::json;

use crate::clients::opencode::stage::{DONE, Stage};

/// A check that fails until the file `fixed` is there.
const CHECK: &str = "echo 1..1\n[ -e fixed ] && echo 'ok 1 - adds two numbers' && exit\n\
                     echo 'not ok 1 - adds two numbers'\nexit 1";

fn touches() -> ModelTurn {
    ModelTurn::uses("bash", &json!({ "command": "touch fixed", "description": "touch" }))
}

#[test]
fn a_failure_of_one_session_is_shown_in_the_next_and_cited() {
    isolated(|| {
        let stage = Stage::saying([ModelTurn::says(DONE), touches(), ModelTurn::says(DONE)]);
        stage.project.script("check.sh", CHECK);
        let client = stage.start();
        let first = client.session("first");
        client.command(&first, "ralph", "mend it --criteria custom:./check.sh");
        client.until_toast("custom-1 passes");
        stage.is("success/verified", 2);
        let list = ["memory", "list", "--kind", "gotcha", "--json"];
        let list = stage.project.ralph(&list).output().exits(0).json();
        let id = list["notes"][0]["id"].as_str().unwrap_or_else(|| panic!("{list}")).to_owned();

        std::fs::remove_file(stage.project.root().join("fixed")).unwrap();
        let cites = format!("As [{id}] says, the file was missing. {DONE}");
        stage.api.then(ModelScript::new([touches(), ModelTurn::says(&cites)]));
        let second = client.session("second");
        let task = "why does it fail to add two numbers? --criteria custom:./check.sh";
        client.command(&second, "ralph", task);
        stage.until_task("add two numbers", "success/verified");
        let shown = stage.heard(4);
        assert!(shown.contains("<ralph-notes>") && shown.contains(&format!("[{id}]")), "{shown}");
        let why = stage.project.ralph(&["memory", "why", &id, "--json"]).output().exits(0).json();
        assert_eq!((&why["counts"]["cited"], &why["label"]), (&1.into(), &"verified".into()));
    });
}
