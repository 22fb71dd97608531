//! The guide with the real client: what it shows is what happens.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use ralph_testkit::{
    ClaudeClient, MessagesServer, ModelScript, ModelTurn, TestProject, golden, isolated,
};
use serde_json::json;

use super::stage::{DONE, notes};

/// The crate of the guide: its test fails in line 12.
const SOURCE: &str = "pub fn add(left: u64, right: u64) -> u64 {
    left - right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_works() {
        let result = add(4, 2);
        assert_eq!(result, 6);
    }
}
";

fn adder() -> TestProject {
    let project = TestProject::git(env!("CARGO_BIN_EXE_ralph"));
    let manifest = "[package]\nname = \"adder\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    project.file("Cargo.toml", manifest).file("src/lib.rs", SOURCE).file(".gitignore", "target\n");
    project.run_git(&["add", "-A"]);
    project.run_git(&["commit", "--quiet", "--message=start"]);
    project
}

/// Where the compiler of this machine is.
fn compiler() -> Vec<(&'static str, OsString)> {
    let home = PathBuf::from(env::var_os("HOME").unwrap_or_default());
    let folders = [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")];
    let folders = folders.map(|(name, folder)| {
        (name, env::var_os(name).unwrap_or_else(|| home.join(folder).into()))
    });
    let toolchain = env::var_os("RUSTUP_TOOLCHAIN").map(|value| ("RUSTUP_TOOLCHAIN", value));
    folders.into_iter().chain(toolchain).collect()
}

fn mends(project: &TestProject) -> ModelTurn {
    let edit = json!({
        "file_path": project.root().join("src/lib.rs"),
        "old_string": "left - right",
        "new_string": "left + right",
    });
    ModelTurn::uses("Edit", &edit)
}

/// The text of the guide, without what is another one each time.
fn guide() -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/claude-code.md");
    std::fs::read_to_string(path).unwrap().lines().map(golden::plain).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_first_loop_goes_as_the_guide_tells_it() {
    isolated(|| {
        let (project, guide) = (adder(), guide());
        let api = MessagesServer::start(ModelScript::new([]));
        let claude = ClaudeClient::new(&project, &api);
        let _ = claude.ralph(&["install", "claude-code"]).output().exits(0);
        // An edit is possible only of what was read.
        let reads =
            ModelTurn::uses("Read", &json!({ "file_path": project.root().join("src/lib.rs") }));
        api.then(ModelScript::new([
            ModelTurn::says(DONE),
            reads,
            mends(&project),
            ModelTurn::says(DONE),
        ]));
        let typed = "/ralph fix the failing test --criteria test_pass";
        assert!(guide.contains(&format!("\n{typed}\n")), "the guide begins another loop");
        let said = claude.print(typed).envs(compiler()).output().exits(0);
        let notes = golden::plain(&notes(&said));
        for told in ["ralph: loop started", "ralph: done after 2 turns"] {
            let line = guide.lines().find(|line| line.starts_with(told)).unwrap();
            assert!(notes.contains(line), "{line}\nis not in\n{notes}");
        }
        let heard = api.main()[1].news();
        let block = guide.split("````\n").nth(1).unwrap();
        for line in block.lines() {
            assert!(heard.contains(line), "`{line}` is not in\n{heard}");
        }
        api.is_over();
    });
}

#[test]
fn the_calls_of_the_guide_that_need_the_client_work() {
    isolated(|| {
        let (project, guide) = (adder(), guide());
        let plugins = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../plugins");
        std::os::unix::fs::symlink(plugins, project.root().join("plugins")).unwrap();
        let api = MessagesServer::start(ModelScript::new([]));
        let claude = ClaudeClient::new(&project, &api);
        let has = |line: &str| assert!(guide.contains(&format!("\n$ {line}\n")), "{line}");
        has("claude --plugin-dir plugins/claude-code");
        let help = claude.print("/ralph:ralph help").args(["--plugin-dir", "plugins/claude-code"]);
        assert!(help.output().exits(0).stdout.contains("work on the task until it is proven done"));
        has("ralph run \"fix the failing test\" --agent claude --criteria test_pass");
        let reads =
            ModelTurn::uses("Read", &json!({ "file_path": project.root().join("src/lib.rs") }));
        api.then(ModelScript::new([
            ModelTurn::says("not yet"),
            reads,
            mends(&project),
            ModelTurn::says(DONE),
        ]));
        let run = ["run", "fix the failing test", "--agent", "claude", "--criteria", "test_pass"];
        let failed =
            claude.ralph(&run).envs(compiler()).args(["--max-iterations", "1"]).output().exits(1);
        assert!(failed.stdout.contains("1 test still fails"), "{}", failed.stdout);
        let _ = claude.ralph(&run).envs(compiler()).output().exits(0);
        api.is_over();
    });
}
