//! The entry that lets hosts start our tools, put in and taken out.

use std::fs;

use ralph_testkit::TestProject;
use serde_json::Value;

#[track_caller]
fn ralph(project: &TestProject, args: &[&str]) -> String {
    let said = project.ralph(args).output().exits(0);
    said.stdout + &said.stderr
}

#[test]
fn an_entry_among_others_is_proven_by_the_doctor_and_goes_without_a_trace() {
    let project = crate::git();
    let mine = "{\n\t\"mcpServers\": { \"x\": {\"command\": \"x\"} },\n\t\"more\": 1 }";
    project.file(".mcp.json", mine);
    ralph(&project, &["install", "claude-code"]);
    let list: Value = serde_json::from_str(&project.read(".mcp.json")).unwrap_or_default();
    let words = [&list["mcpServers"]["ralph"]["command"], &list["mcpServers"]["x"]["command"]];
    assert_eq!(words, [project.binary().to_str().unwrap_or_default(), "x"]);
    let said = project.ralph(&["doctor"]).output().stdout;
    let tools = "tools: loop_start, loop_status, loop_stop, check_run, memory_search,";
    assert!(said.contains(tools), "{said}");
    assert!(ralph(&project, &["install", "claude-code"]).contains("nothing to change."));
    ralph(&project, &["install", "claude-code", "--no-tools"]);
    assert_eq!(project.read(".mcp.json"), mine, "only the tools are gone");
    ralph(&project, &["install", "claude-code"]);
    ralph(&project, &["uninstall", "claude-code"]);
    assert_eq!(project.read(".mcp.json"), mine);
}

#[test]
fn a_server_that_is_gone_is_broken_and_one_that_is_not_there_a_remark() {
    let project = crate::git();
    ralph(&project, &["install", "claude-code"]);
    let binary = project.binary().to_str().unwrap_or_default().to_owned();
    project.file(".mcp.json", project.read(".mcp.json").replace(&binary, "/gone/ralph"));
    let said = project.ralph(&["doctor"]).output().exits(1).stdout;
    assert!(said.contains("tools: `/gone/ralph` is not there"), "{said}");
    fs::remove_file(project.root().join(".mcp.json")).unwrap_or_default();
    let said = project.ralph(&["doctor"]).output().exits(0).stdout;
    assert!(said.contains("tools: agents are given none"), "{said}");
}

#[test]
fn comments_in_the_users_own_configuration_survive() {
    let project = crate::git();
    let folder = project.outside("config/opencode");
    let mine = "{\n  // mine\n  \"model\": \"a/b\", /* ok, */\n  \"mcp\": {}, // none\n}\n";
    let _ = fs::create_dir_all(&folder);
    let _ = fs::write(folder.join("opencode.jsonc"), mine);
    ralph(&project, &["install", "opencode", "--user"]);
    let text = fs::read_to_string(folder.join("opencode.jsonc")).unwrap_or_default();
    assert!(text.contains("\"mcp\": {\"ralph\":{") && text.contains("}, // none\n"), "{text}");
    let said = project.ralph(&["doctor"]).output().stdout;
    assert!(said.contains("tools: loop_start,"), "{said}");
    ralph(&project, &["uninstall", "opencode", "--user"]);
    assert_eq!(fs::read_to_string(folder.join("opencode.jsonc")).unwrap_or_default(), mine);
}

#[test]
fn a_list_that_cannot_be_read_keeps_everything_else_from_being_changed() {
    let project = crate::git();
    project.file(".mcp.json", "{\n  // mine\n}\n");
    let before = project.everything();
    for verb in ["install", "uninstall"] {
        let said = project.ralph(&[verb, "claude-code"]).output().exits(2).stderr;
        assert!(said.contains(".mcp.json: line 2, column 3"), "{said}");
    }
    assert_eq!(project.everything(), before);
}

#[test]
fn a_project_that_holds_nothing_else_is_not_removed() {
    let project = crate::plain();
    ralph(&project, &["install", "claude-code"]);
    ralph(&project, &["uninstall", "claude-code"]);
    assert!(project.root().is_dir());
    assert!(!project.root().join(".mcp.json").exists());
}

#[test]
fn where_the_client_keeps_the_list_to_itself_the_user_is_told_what_to_do() {
    let project = crate::git();
    let said = ralph(&project, &["install", "claude-code", "--user"]);
    assert!(said.contains("mcp add --scope user ralph -- ralph mcp"), "{said}");
    assert!(!project.root().join(".mcp.json").exists());
}
