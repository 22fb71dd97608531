//! Agents and gates in a sandbox.

mod escapes;
mod hosts;
mod prove;
mod world;

use ralph_testkit::TestProject;

use world::EscapeWorld;

/// A project whose agent does this and says that it is done.
fn project(agent: &str) -> TestProject {
    let project = TestProject::git(env!("CARGO_BIN_EXE_ralph"));
    project.file("a", "1\n").agent(&format!("{agent}\necho '<promise>DONE</promise>'"));
    project.run_git(&["add", "-A"]);
    project.run_git(&["commit", "--quiet", "--message=start"]);
    project
}

const GATED: [&str; 2] = ["--criteria", "custom:grep -q b a"];

#[test]
fn an_agent_in_a_sandbox_works_in_its_work_tree_only() {
    let project = project(
        "echo b > a; echo x > \"$OUTSIDE/leak\"; ls .git/ralph/*.db | wc -l > state\n\
         cat \"$RALPH_PROMPT_FILE\" > prompt; echo x > \"$TMPDIR/mine\" && echo ok > temporary\n\
         git add a && git commit -q -m work\n\
         echo '{\"cost_usd\": 1.5}' > \"$RALPH_USAGE_FILE\"",
    );
    let ran = project.run_json("write b", &[&GATED[..], &["--sandbox=require"]].concat());
    let ran = ran.exits(0).ends("success/verified", 1);
    assert_eq!(project.kept("leak"), "");
    assert_eq!(project.read("state"), "0\n");
    assert!(project.read("prompt").contains("write b"));
    assert_eq!(project.read("temporary"), "ok\n");
    assert_eq!(ran.ended()["cost"]["cost_usd"], 1.5, "{}", ran.stdout);
    assert!(ran.stderr.contains("sandbox: bubblewrap"), "{}", ran.stderr);
    assert_eq!(project.run_git(&["log", "-1", "--format=%s"]), "work");
}

#[test]
fn gates_are_in_the_sandbox_too_and_their_scripts_are_fixed() {
    let project = project("echo b > a; echo 'exit 0' > check.sh");
    project.script("check.sh", "echo x > \"$OUTSIDE/leak\"\ngrep -q b a");
    let ran = project.run_json(
        "write b",
        &["--criteria", "custom:./check.sh", "--sandbox=require", "--max-iterations", "1"],
    );
    let _ = ran.exits(0).ends("success/verified", 1);
    assert!(project.read("check.sh").contains("grep -q b a"));
    assert_eq!(project.kept("leak"), "");
}

#[test]
fn what_cannot_be_enforced_is_said_and_a_required_sandbox_is_refused() {
    let landlock = |mode: &str| {
        let project = project("echo b > a");
        let call = project.run_call("write b", &[&GATED[..], &[mode]].concat());
        let ran = call.env("RALPH_SANDBOX_TECHNIQUE", "landlock").output();
        (project, ran)
    };
    let (project, ran) = landlock("--sandbox");
    let ran = ran.exits(0);
    let said = "it cannot deny access to ralph's state, changes of git's settings and hooks";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    let report = project.ralph(&["report"]).output().exits(0);
    assert!(report.stdout.contains(said), "{}", report.stdout);
    let report = project.ralph(&["report", "--json"]).output().exits(0).json();
    assert_eq!(report["sandboxes"][0]["technique"], "landlock", "{report}");

    let (project, ran) = landlock("--sandbox=require");
    let ran = ran.exits(1);
    assert!(ran.stderr.contains("a whole sandbox is required"), "{}", ran.stderr);
    assert_eq!(project.read("a"), "1\n");
    assert!(!project.ralph(&["runs"]).output().stdout.contains("run-"));
}

#[test]
fn language_servers_are_in_the_sandbox_too() {
    let project = project("");
    let settings = "[lsp.mine]\ncommand = \"./server.sh\"\nextensions = [\".x\"]\n";
    project.script("server.sh", "echo in > served; echo x > \"$OUTSIDE/leak\"");
    project.file("ralph.toml", settings).file("a.x", "1\n");
    for args in [&["--lsp", "a.x"][..], &["--criteria", "diagnostics", "--fresh"]] {
        let look = |more: &[&str]| project.ralph(&[&["check"], args, more].concat()).output();
        let _ = look(&["--sandbox=require"]);
        assert_eq!((project.read("served"), project.kept("leak")), ("in\n".into(), String::new()));
        let _ = look(&[]);
        assert_eq!(project.kept("leak"), "x\n");
        std::fs::remove_file(project.outside("leak")).unwrap();
        std::fs::remove_file(project.root().join("served")).unwrap();
    }
}

#[test]
fn an_agent_that_judges_is_in_the_sandbox_too_and_changes_nothing() {
    let project = project("echo b > a");
    project.script(
        "client.sh",
        "cat > /dev/null; pwd > ~/.claude/where; echo x > \"$OUTSIDE/leak\"; echo x > \"$ROOT/leak\"\n\
         echo '{\"type\":\"result\",\"is_error\":false,\"result\":\"{\\\"success\\\": true, \\\"reason\\\": \\\"kind\\\"}\"}'",
    );
    let program = project.root().join("client.sh");
    let settings = format!("[judge]\nagent = \"claude\"\n[claude]\nprogram = {program:?}\n");
    project.file("ralph.toml", settings);
    let call = project.run_call("write b", &[&GATED[..], &["--judge", "kind"]].concat());
    let ran = call.args(["--sandbox=require"]).env("ROOT", project.root()).output().exits(0);
    let _ = ran.ends("success/verified", 1);
    assert_ne!(project.kept("home/.claude/where"), "");
    assert_eq!((project.kept("leak"), project.read("leak")), (String::new(), String::new()));
}

#[test]
fn a_run_that_began_in_a_sandbox_resumes_in_one() {
    let project = project(
        "echo b > a; echo x > \"$OUTSIDE/leak\"\ntest -e again || { touch again; kill $PPID; }",
    );
    let ran = project.run_json(
        "write b",
        &["--criteria", "custom:test -e never", "--sandbox", "--max-iterations", "1"],
    );
    assert_ne!(ran.code, Some(0), "{}", ran.stdout);
    let resumed = project.ralph(&["resume", "--json"]).output();
    assert_eq!(project.kept("leak"), "", "{}", resumed.stderr);
}

#[test]
fn a_check_in_a_sandbox_has_no_network_if_it_is_off() {
    let project = project("");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let gate = format!(
        "custom:python3 -c \"import socket; socket.create_connection(('127.0.0.1', {port}))\""
    );
    let check = |network: &str| {
        let args = ["check", "--fresh", "--sandbox=require", "--criteria", &gate];
        project.ralph(&args).env("RALPH_SANDBOX_NETWORK", network).output()
    };
    let _ = check("on").exits(0);
    let _ = check("off").exits(1);
}

#[test]
fn a_listed_host_is_reached_through_the_proxy_and_no_other() {
    let world = EscapeWorld::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answering = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut client, _) = listener.accept().unwrap();
        let mut head = [0; 512];
        let read = client.read(&mut head).unwrap();
        client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello").unwrap();
        String::from_utf8_lossy(&head[..read]).into_owned()
    });
    let fetch = |url: &str| {
        let script = format!(
            "unset NO_PROXY no_proxy; python3 -c \"import urllib.request as r; print(r.urlopen('{url}').read().decode())\""
        );
        let mut call = world.sandbox(&["--network", "hosts"], &script);
        call.env("RALPH_SANDBOX_HOSTS", format!("127.0.0.1:{port}")).output().unwrap()
    };
    let got = fetch(&format!("http://127.0.0.1:{port}/x"));
    assert_eq!(String::from_utf8_lossy(&got.stdout), "hello\n", "{got:?}");
    assert!(answering.join().unwrap().starts_with("GET /x HTTP/1.1\r\n"));
    let refused = fetch("http://127.0.0.1:9/");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("403"), "{refused:?}");
}

#[test]
fn the_first_escapes_of_the_corpus_are_denied() {
    let broken = EscapeWorld::new().broken(&[], |number| number % 6 == 0);
    assert_eq!(broken, [""; 0]);
}

#[test]
fn a_command_in_the_sandbox_keeps_its_exit_code_and_its_folder() {
    let world = EscapeWorld::new();
    let ended = world.sandbox(&[], "pwd; exit 7").output().unwrap();
    assert_eq!(ended.status.code(), Some(7), "{ended:?}");
    assert_eq!(String::from_utf8_lossy(&ended.stdout).trim(), world.work().to_str().unwrap());
}

#[test]
fn the_sandbox_of_a_project_is_shown() {
    let world = EscapeWorld::new();
    let shown = world.ralph(&["sandbox", "show", "--json"]).output().unwrap();
    let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["technique"], "bubblewrap", "{shown}");
    let access = |path: std::path::PathBuf| {
        let paths = shown["paths"].as_array().unwrap();
        let row = paths.iter().find(|row| row["path"] == path.to_str().unwrap());
        row.map_or("", |row| row["access"].as_str().unwrap()).to_owned()
    };
    assert_eq!(access(world.work()), "write");
    assert_eq!(access(world.home().join(".ssh")), "hidden");
    assert_eq!(access(world.work().join(".git/hooks")), "read");
}
