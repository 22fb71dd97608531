//! What one session learns is shown to the next, and earns its trust there.

use ralph_testkit::{ModelScript, ModelTurn, isolated};

use crate::clients::claude::stage::{DONE, Stage};

/// A check that fails until the file `fixed` is there.
const CHECK: &str = "echo 1..1\n[ -e fixed ] && echo 'ok 1 - adds two numbers' && exit\n\
                     echo 'not ok 1 - adds two numbers'\nexit 1";

#[test]
fn a_failure_of_one_session_is_shown_in_the_next_and_cited() {
    isolated(|| {
        let stage = Stage::saying([
            ModelTurn::says(DONE),
            ModelTurn::runs("touch fixed"),
            ModelTurn::says(DONE),
        ]);
        stage.project.script("check.sh", CHECK);
        let _ = stage.session("/ralph mend it --criteria custom:./check.sh").output().exits(0);
        stage.is("success/verified", 2).asked(3);
        let list = ["memory", "list", "--kind", "gotcha", "--json"];
        let list = stage.project.ralph(&list).output().exits(0).json();
        let id = list["notes"][0]["id"].as_str().unwrap_or_else(|| panic!("{list}")).to_owned();

        std::fs::remove_file(stage.project.root().join("fixed")).unwrap();
        let cites = format!("As [{id}] says, the file was missing. {DONE}");
        stage.api.then(ModelScript::new([ModelTurn::runs("touch fixed"), ModelTurn::says(&cites)]));
        let prompt = "/ralph why does it fail to add two numbers? --criteria custom:./check.sh";
        let _ = stage.session(prompt).output().exits(0);
        stage.is("success/verified", 1).asked(5);
        let shown = stage.heard(4);
        assert!(shown.contains("<ralph-notes>") && shown.contains(&format!("[{id}]")), "{shown}");
        let why = stage.project.ralph(&["memory", "why", &id, "--json"]).output().exits(0).json();
        assert_eq!((&why["counts"]["cited"], &why["label"]), (&1.into(), &"verified".into()));
    });
}
