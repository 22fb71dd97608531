//! Who is taken for the user, and who for an agent.

use serde_json::{Value, json};

use crate::{git, hooks};

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

#[test]
fn what_runs_in_a_shell_below_a_host_is_its_agent() {
    let project = git();
    let _ = project.ralph(&["memory", "add", "mine"]).output().exits(0);
    let session = hooks::Session::new(&project, "s-1");
    let _ = session.prompt("fix it");
    let add = "\"$0\" memory add 'of the agent' --json; exit $?";
    let shell = project.program("sh").args(["-c", add]).args([project.binary()]);
    let note = shell.output().exits(0).json()["note"].clone();
    assert_eq!((&note["by"], &note["session_id"]), (&json!("agent"), &json!("s-1")), "{note}");
}
