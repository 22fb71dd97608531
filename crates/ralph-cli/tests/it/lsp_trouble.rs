//! Language servers that die, hang, grow or are not there, and the command
//! that asks them.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use ralph_checks::lsp::{LanguageServer, ServerVerdict};
use ralph_testkit::{TestProject, tool, tools_path};

use crate::lsp::{ask, pool, processes_in};
use crate::{git, plain};

/// Passes everything on to a real server, and kills it as soon as it hears of
/// a file: every time, or once when there is a file to remember that by.
const KILLER: &str = r#"
import os, signal, subprocess, sys
starts, once, server = sys.argv[1], sys.argv[2], sys.argv[3:]
before = os.path.exists(starts)
with open(starts, "a") as file:
    file.write("x")
child = subprocess.Popen(server, stdin=subprocess.PIPE)
seen = b""
while data := os.read(0, 65536):
    seen = (seen + data)[-100000:]
    if b"textDocument/didOpen" in seen and not (once == "once" and before):
        child.kill()
        child.wait()
        os.kill(os.getpid(), signal.SIGKILL)
    child.stdin.write(data)
    child.stdin.flush()
"#;

/// The real pyright, which the script above kills.
fn killed(project: &TestProject, times: &str) -> LanguageServer {
    let script = project.outside("killer.py");
    std::fs::write(&script, KILLER).unwrap();
    let words = [
        tool("python3"),
        script,
        project.outside("starts"),
        times.into(),
        tool("pyright-langserver"),
        "--stdio".into(),
    ];
    let words = words.map(|word| word.to_str().unwrap().to_owned());
    LanguageServer::configured("pyright", words.into(), &[".py".to_owned()], None)
}

/// A server that takes everything and says nothing.
fn silent(script: &str) -> LanguageServer {
    let words = ["sh".to_owned(), "-c".to_owned(), script.to_owned()];
    LanguageServer::configured("silent", words.into(), &[".x".to_owned()], None)
}

#[track_caller]
fn reason(verdict: ServerVerdict) -> String {
    match verdict {
        ServerVerdict::Unknown { reason } => reason,
        ServerVerdict::Ok => panic!("the server answered"),
    }
}

#[test]
fn a_server_killed_while_it_is_asked_is_unknown_and_answers_the_next_time() {
    let project = plain();
    project.file("a.py", "x: int = \"a\"\n");
    let mut pool = pool(&project);
    pool.add(killed(&project, "once"));
    let report = ask(&mut pool, "pyright", "a.py");
    assert_eq!(reason(report.verdict), "it ended: signal 9");
    assert!(report.reading.findings.is_empty());
    let report = ask(&mut pool, "pyright", "a.py");
    assert_eq!(report.verdict, ServerVerdict::Ok);
    assert_eq!(report.reading.counts.errors, 1);
}

#[test]
fn a_server_that_keeps_dying_is_started_three_times_and_no_more() {
    let project = plain();
    project.file("a.py", "x = 1\n");
    let mut pool = pool(&project);
    pool.add(killed(&project, "always"));
    for _ in 0..5 {
        let report = ask(&mut pool, "pyright", "a.py");
        assert_eq!(reason(report.verdict), "it ended: signal 9");
    }
    assert_eq!(project.kept("starts"), "xxx");
}

#[test]
fn a_server_that_needs_too_much_memory_is_killed_and_that_is_said() {
    let project = plain();
    project.file("a.x", "");
    let mut pool = pool(&project);
    pool.add(silent("cat > /dev/null"));
    pool.limit_memory(1);
    let reason = reason(ask(&mut pool, "silent", "a.x").verdict);
    assert!(reason.contains("killed because it used"), "{reason}");
    assert_eq!(processes_in(&project.root()), Vec::<PathBuf>::new());
}

#[test]
fn a_server_that_says_nothing_is_unknown_at_the_deadline_and_is_left_nowhere() {
    let project = plain();
    project.file("a.x", "");
    let mut pool = pool(&project);
    pool.add(silent("setsid cat > /dev/null & cat > /dev/null"));
    let files = [PathBuf::from("a.x")];
    let reports = pool.diagnostics(&files, Duration::from_millis(500));
    let reason = reason(reports[0].verdict.clone());
    assert!(reason.contains("it is still starting"), "{reason}");
    drop(pool);
    assert_eq!(processes_in(&project.root()), Vec::<PathBuf>::new());
}

#[test]
fn what_is_no_server_is_unknown_with_its_own_words() {
    let project = plain();
    project.file("a.x", "");
    let mut pool = pool(&project);
    for (script, want) in [
        ("echo usage: x; echo; cat", "it does not speak the protocol"),
        ("echo no such option >&2; exit 3", "it ended: exit code 3, no such option"),
    ] {
        pool.add(silent(script));
        let reason = reason(ask(&mut pool, "silent", "a.x").verdict);
        assert!(reason.contains(want), "{reason}");
    }
}

#[test]
fn a_file_whose_servers_are_not_installed_is_unknown() {
    let project = plain();
    project.file("a.py", "").file("b.txt", "");
    let call = project.ralph(&["check", "--lsp", "a.py", "b.txt", "--json"]);
    let output = call.env("PATH", "/nowhere").output().exits(1).json();
    let gates = output["gates"].as_array().unwrap();
    assert_eq!(gates.len(), 1, "{output}");
    assert_eq!(gates[0]["name"], ".py");
    assert_eq!(gates[0]["verdict"], "unknown");
    assert_eq!(gates[0]["detail"], "unknown: not installed: pyright-langserver, ruff");
}

#[test]
fn changed_files_are_looked_at_and_others_are_not() {
    let project = git();
    project.file("old.py", "import os\n").file("kept.py", "x = 1\n");
    project.run_git(&["add", "."]);
    project.run_git(&["commit", "--quiet", "-m", "first"]);
    project.file("kept.py", "import sys\n").file("new dir/ü.py", "import re\n");
    project.file(
        "ralph.toml",
        "[lsp.pyright]\ncommand = \"sh -c 'exit 5'\"\nextensions = [\".py\"]\n",
    );
    let look = |args: &[&str]| {
        let args = [&["check", "--lsp"], args].concat();
        project.ralph(&args).env("PATH", tools_path()).output()
    };
    let output = look(&["--json"]).exits(1).json();
    let gates = output["gates"].as_array().unwrap();
    let named = |name: &str| gates.iter().find(|gate| gate["name"] == name).unwrap();
    let findings = named("ruff")["findings"].as_array().unwrap();
    let files: Vec<_> = findings.iter().map(|found| found["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["kept.py", "new dir/ü.py"]);
    // One that cannot answer does not hide what the other found.
    assert_eq!(named("pyright")["verdict"], "unknown");

    let shown = look(&["kept.py"]).exits(1).stdout;
    assert!(shown.contains("[ruff F401]"), "{shown}");
    assert!(shown.contains("it ended: exit code 5"), "{shown}");
    project.file("kept.py", "x = 1\n");
    let _ = look(&["kept.py"]).exits(0);
}

#[test]
fn a_look_without_git_needs_the_files() {
    let project = plain();
    let output = project.ralph(&["check", "--lsp"]).output().exits(2);
    assert!(output.stderr.contains("the project is not in git"), "{}", output.stderr);
    let output = project.ralph(&["check", "--lsp", "nothing.py"]).output().exits(2);
    assert!(output.stderr.contains("nothing.py"), "{}", output.stderr);
    project.file("ralph.toml", "[lsp.x]\ncommand = \"x\"\n").file("a.x", "");
    let output = project.ralph(&["check", "--lsp", "a.x"]).output().exits(2);
    assert!(output.stderr.contains("`lsp.x` has no `extensions`"), "{}", output.stderr);
}

#[test]
fn servers_die_with_a_ralph_that_is_killed() {
    let project = plain();
    let pipe = project.outside("lifeline");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let server = "command = [\"sh\", \"-c\", \"setsid cat 9>$OUTSIDE/lifeline\"]\n";
    project.file("ralph.toml", format!("[lsp.silent]\n{server}extensions = [\"x\"]\n"));
    project.file("a.x", "");
    // What a killed ralph leaves in the temporary folder goes with the project.
    let call = project.ralph(&["check", "--lsp", "a.x"]).env("TMPDIR", project.outside(""));
    let mut ralph = call.spawn();
    // Opens when the server has it open too, and ends when nobody has.
    let mut lifeline = File::open(&pipe).unwrap();
    ralph.kill().unwrap();
    ralph.wait().unwrap();
    let mut rest = String::new();
    lifeline.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}
