//! Loops under the hands of a person, and a `ralph` that does not answer.

use std::fs;
use std::time::{Duration, Instant};

use ralph_testkit::{Hold, Script, Turn, isolated};

use crate::clients::opencode::stage::{DONE, Stage};

#[test]
fn commands_during_a_turn_are_answered_beside_it_and_lose_no_promise() {
    isolated(|| {
        let stage = Stage::saying([]);
        let hold = Hold::new(&stage.project, "turn");
        stage.api.then(Script::new([
            Turn::says(DONE).held(&hold),
            Turn::says("It is running."),
            Turn::says("No such command."),
        ]));
        let client = stage.start();
        let session = client.session("work");
        client.submits(&session, "ralph", "go round and round");
        hold.is_begun();
        client.submits(&session, "ralph", "resume");
        client.until_toast("nothing to resume");
        client.submits(&session, "ralph", "report");
        client.until_toast("go round and round");
        hold.release();
        client.until_toast("done after");
        stage.is("success/claimed", 1);
    });
}

#[test]
fn a_ralph_that_hangs_holds_up_no_message() {
    isolated(|| {
        let stage = Stage::saying([]);
        stage.api.then(Script::new([Turn::says("Hello."), Turn::says("Hello again.")]));
        let plugin = ".opencode/plugins/ralph.ts";
        let slow = stage.project.outside("slow.sh");
        fs::write(&slow, "#!/bin/sh\nexec sleep 600\n").unwrap();
        #[cfg(unix)]
        fs::set_permissions(&slow, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let text = stage.project.read(plugin);
        let line = text.lines().find(|line| line.starts_with("const COMMAND")).unwrap();
        let call = format!("const COMMAND = [{:?}]", slow.to_str().unwrap());
        stage.project.file(plugin, text.replace(line, &call));
        let client = stage.start();
        let session = client.session("talk");
        let since = Instant::now();
        client.says(&session, "hello");
        client.until_toast("goes on without it: no answer within 5 s");
        assert!(since.elapsed() < Duration::from_secs(20), "{:?}", since.elapsed());
        stage.api.until_asked(1);
        client.says(&session, "hello again");
        stage.api.until_asked(2);
        stage.api.is_over();
        assert_eq!(client.toasts("goes on without it"), 1);
    });
}
