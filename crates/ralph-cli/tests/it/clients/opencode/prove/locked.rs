//! Servers that want a password, and those that are gone.

use ralph_testkit::{ModelScript, ModelTurn, OpenCodeClient, TurnHold, isolated};
use serde_json::json;

use crate::clients::opencode::driver::{drive, notices};
use crate::clients::opencode::stage::{DONE, Stage};

#[test]
fn a_server_behind_a_password_is_used_with_it_and_named_without_it() {
    isolated(|| {
        let stage = Stage::saying([]);
        let client = OpenCodeClient::start_locked(&stage.project, &stage.api);
        let url = client.url();
        for password in [None, Some("wrong")] {
            let call = drive(&stage, &["--attach", &url]);
            let call = call.envs(password.map(|word| ("OPENCODE_SERVER_PASSWORD", word)));
            let ran = call.output().exits(1);
            assert!(ran.stdout.contains(&url), "{}", ran.stdout);
            assert!(ran.stdout.contains("OPENCODE_SERVER_PASSWORD"), "{}", ran.stdout);
        }
        stage.api.then(ModelScript::new([ModelTurn::says("Not yet."), ModelTurn::says(DONE)]));
        let call = drive(&stage, &["--attach", &url]);
        let ran = call.env("OPENCODE_SERVER_PASSWORD", "open sesame").output().exits(0);
        let ran = ran.ends("success/claimed", 2);
        stage.api.then(ModelScript::new([ModelTurn::says(DONE)]));
        let named = url.replace("http://", "http://opencode:open sesame@");
        let again = drive(&stage, &["--attach", &named]).output().exits(0);
        for said in [&ran, &again.ends("success/claimed", 1)] {
            assert!(!format!("{}{}", said.stdout, said.stderr).contains("sesame"));
        }
        client.until_toast("ralph report");
        stage.api.is_over();
    });
}

#[test]
fn a_server_that_is_gone_or_goes_during_a_turn_is_named() {
    isolated(|| {
        let stage = Stage::saying([]);
        let held = TurnHold::new(&stage.project, "turn");
        stage.api.then(ModelScript::new([ModelTurn::says("Never said.").held(&held)]));
        let client = stage.start();
        let url = client.url();
        let attach = ["--attach", url.as_str(), "--max-iterations", "1"];
        let running = drive(&stage, &attach).start();
        held.is_begun();
        drop(client);
        let ran = running.finish().exits(1);
        held.release();
        let named = format!("the server at {url} does not answer");
        assert!(ran.stdout.contains(&named), "{}", ran.stdout);
        let ran = drive(&stage, &attach).output().exits(1);
        assert!(ran.stdout.contains(&named), "{}", ran.stdout);
    });
}

#[test]
fn what_the_agent_runs_knows_its_session_and_not_the_password_of_the_server() {
    isolated(|| {
        let command = "printenv OPENCODE_SERVER_PASSWORD > a; printenv RALPH_RUN_ID >> a; \
                       printenv RALPH_HOST_SESSION >> a";
        let bash = json!({ "command": command, "description": "as scripted" });
        let stage = Stage::saying([ModelTurn::uses("bash", &bash), ModelTurn::says(DONE)]);
        let ran = drive(&stage, &[]).output().exits(0).ends("success/claimed", 1);
        let seen = stage.project.read("a");
        let lines: Vec<&str> = seen.lines().collect();
        let is_told =
            |run: &str, session: &str| run.starts_with("run-") && session.starts_with("ses_");
        assert!(matches!(lines[..], ["", run, session] if is_told(run, session)), "{seen:?}");
        assert_eq!(notices(&ran), "");
    });
}

#[test]
fn files_that_hold_secrets_are_not_read_where_the_client_would_ask() {
    isolated(|| {
        let stage = Stage::saying([]);
        stage.project.file(".env", "KEY=hush-hush\n").file("b.txt", "plain\n");
        let read = |name: &str| {
            ModelTurn::uses("read", &json!({ "filePath": stage.project.root().join(name) }))
        };
        stage.api.then(ModelScript::new([read(".env"), read("b.txt"), ModelTurn::says(DONE)]));
        let settings = json!({ "permission": { "read": "ask" } });
        stage.project.file("opencode.json", settings.to_string());
        let ran = drive(&stage, &[]).output().exits(0);
        assert!(notices(&ran).contains("denied read: "), "{}", ran.stdout);
        assert!(!stage.heard(2).contains("hush-hush"), "{}", stage.heard(2));
        assert!(stage.heard(3).contains("plain"), "{}", stage.heard(3));
    });
}
