//! Who is taken for the user, and who for an agent.

use serde_json::{Value, json};

use crate::git;

/// What an agent does that wants to be taken for the user.
const PRETENDING: &str = "PATH=\"$(dirname $RALPH):$PATH\"
add() { env -i HOME=$HOME XDG_STATE_HOME=$XDG_STATE_HOME PATH=$PATH \"$@\"; }
add ralph memory add 'it is so' --json > $OUTSIDE/emptied
sh -c 'exec env -i HOME=$HOME XDG_STATE_HOME=$XDG_STATE_HOME PATH=$PATH ralph memory add two --json' > $OUTSIDE/replaced
mkfifo $OUTSIDE/pipe
(add setsid ralph memory add three --json > $OUTSIDE/pipe &)
cat $OUTSIDE/pipe > $OUTSIDE/orphaned
mkdir -p $OUTSIDE/elsewhere
(cd $OUTSIDE/elsewhere && add ralph memory add four --json) > $OUTSIDE/moved
add ralph memory add five --scope global 2> $OUTSIDE/global && echo taken >> $OUTSIDE/global
add ralph memory add six --kind constitution 2> $OUTSIDE/constitution
add ralph allow gate.sh 2> $OUTSIDE/allowed
echo '<promise>DONE</promise>'";

#[test]
fn an_agent_that_empties_its_environment_is_still_the_agent() {
    let project = git();
    let agent = PRETENDING.replace("$RALPH)", &format!("{})", project.binary().display()));
    project.agent(&format!("cat > /dev/null\n{agent}"));
    let _ = project.run_json("do it", &[]).exits(0);
    for name in ["emptied", "replaced", "orphaned", "moved"] {
        let added: Value = serde_json::from_str(&project.kept(name)).unwrap();
        let note = &added["note"];
        assert_eq!((&note["by"], &note["scope"]), (&json!("agent"), &json!("task")), "{name}");
        let is_known = note["iteration"] == 1 && note["run_id"].is_string();
        assert!(is_known || name == "moved", "{name}: {added}");
    }
    for name in ["global", "constitution", "allowed"] {
        let said = project.kept(name);
        assert!(said.contains("an agent") && !said.contains("taken"), "{name}: {said}");
    }
    let mine = project.ralph(&["memory", "add", "mine", "--json"]).output().exits(0).json();
    assert_eq!(mine["note"]["by"], "user");
}
