use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use super::*;
use crate::Host;

type ServerFiles = BTreeMap<PathBuf, String>;

fn servers(host: &str) -> ToolServerList {
    Host::find(host).unwrap().servers
}

fn folder(files: &[(&str, &str)]) -> ServerFiles {
    files.iter().map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect()
}

fn apply(folder: &mut ServerFiles, plan: InstallPlan) {
    for change in plan.changes {
        match change.after {
            Some(text) => folder.insert(change.path, text),
            None => folder.remove(&change.path),
        };
    }
}

fn install(host: &str, folder: &mut ServerFiles, program: &str) -> InstallPlan {
    let read = |path: &Path| Ok(folder.get(path).cloned());
    let plan = servers(host).plan_install(&read, SettingsScope::Project, program).unwrap();
    apply(folder, plan.clone());
    plan
}

fn uninstall(host: &str, folder: &mut ServerFiles) -> InstallPlan {
    let read = |path: &Path| Ok(folder.get(path).cloned());
    let plan = servers(host).plan_uninstall(&read, SettingsScope::Project).unwrap();
    apply(folder, plan.clone());
    plan
}

fn found(host: &str, folder: &ServerFiles) -> Option<RegisteredServer> {
    let read = |path: &Path| Ok(folder.get(path).cloned());
    servers(host).find(&read, SettingsScope::Project).unwrap()
}

#[test]
fn where_there_was_no_file_there_is_none_afterwards() {
    for (host, path, entry) in [
        (
            "claude",
            ".mcp.json",
            json!({ "mcpServers": { "ralph": {
            "command": "ralph", "args": ["mcp"] } } }),
        ),
        (
            "opencode",
            "opencode.json",
            json!({ "$schema": "https://opencode.ai/config.json", "mcp": { "ralph": {
            "type": "local", "command": ["ralph", "mcp"], "enabled": true } } }),
        ),
    ] {
        let mut files = ServerFiles::new();
        install(host, &mut files, "ralph");
        let text = &files[Path::new(path)];
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), entry);
        assert_eq!(install(host, &mut files, "ralph"), InstallPlan::default());
        let words = ["ralph", "mcp"].map(str::to_owned).to_vec();
        assert_eq!(found(host, &files), Some(RegisteredServer { path: path.into(), words }));
        uninstall(host, &mut files);
        assert_eq!(files, ServerFiles::new());
    }
}

#[test]
fn every_byte_of_a_list_in_any_layout_comes_back() {
    let texts = [
        "{}",
        "{ }\n",
        "{\n}\n",
        "{\"mcpServers\":{}}",
        "{\"mcpServers\": { }, \"a\": 1}",
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"x\": { \"command\": \"x\" }\r\n\t}\r\n}\r\n",
        "{\n    \"mcpServers\": {\n    }\n}",
        "{ \"mcpServers\" : {\"x\":{\"command\":\"é\"} } }",
        "\n{\n  \"other\": [\n    1\n  ]\n}",
    ];
    for text in texts {
        let mut files = folder(&[(".mcp.json", text)]);
        install("claude", &mut files, "/a b/ralph");
        let installed = files[Path::new(".mcp.json")].clone();
        let value: Value = serde_json::from_str(&installed).unwrap();
        assert_eq!(value["mcpServers"]["ralph"]["command"], "/a b/ralph", "{installed}");
        install("claude", &mut files, "ralph");
        assert_eq!(found("claude", &files).unwrap().words[0], "ralph");
        uninstall("claude", &mut files);
        assert_eq!(files, folder(&[(".mcp.json", text)]), "{installed}");
    }
}

#[test]
fn comments_and_commas_at_the_end_stay_where_they_are() {
    let texts = [
        "{\n  // \"mcp\": {}\n  \"model\": \"a/b\", // mine\n  /* } */\n}\n",
        "{ // first\n  \"mcp\": {\n    // none yet, \"ralph\": 1\n  },\n}\n",
        "{\n  \"mcp\": {\n    \"x\": { \"url\": \"http://a\", }, // last\n  }, /* , */\n}",
        "{\"a\":1,}",
        "/* all */ {}",
    ];
    for text in texts {
        let mut files = folder(&[("opencode.jsonc", text)]);
        install("opencode", &mut files, "ralph");
        let installed = files[Path::new("opencode.jsonc")].clone();
        assert!(found("opencode", &files).is_some(), "{installed}");
        for comment in text.lines().filter_map(|line| line.split_once("//")) {
            assert!(installed.contains(comment.1), "{installed}");
        }
        uninstall("opencode", &mut files);
        assert_eq!(files, folder(&[("opencode.jsonc", text)]), "{installed}");
    }
}

#[test]
fn an_entry_that_was_moved_is_removed_from_where_it_is() {
    let ours = r#""ralph":{"command":"ralph","args":["mcp"]}"#;
    for (text, left) in [
        (format!("{{\"mcpServers\":{{\"x\":{{}},{ours}}}}}"), "{\"mcpServers\":{\"x\":{}}}"),
        (
            format!("{{\"mcpServers\":{{\"x\":{{}}, {ours}, \"y\":{{}}}}}}"),
            "{\"mcpServers\":{\"x\":{}, \"y\":{}}}",
        ),
        (format!("{{\"a\": 1, \"mcpServers\": {{ {ours} }} }}"), "{\"a\": 1 }"),
    ] {
        let mut files = folder(&[(".mcp.json", &text)]);
        uninstall("claude", &mut files);
        assert_eq!(files, folder(&[(".mcp.json", left)]));
    }
}

#[test]
fn an_entry_of_somebody_else_stays_though_it_has_our_name() {
    let text = r#"{"mcpServers":{"ralph":{"command":"npx","args":["ralph-loop"]}}}"#;
    let mut files = folder(&[(".mcp.json", text)]);
    assert_eq!(install("claude", &mut files, "ralph").left, [PathBuf::from(".mcp.json")]);
    assert_eq!(uninstall("claude", &mut files).left, [PathBuf::from(".mcp.json")]);
    assert_eq!(files, folder(&[(".mcp.json", text)]));
    assert_eq!(found("claude", &files), None);
}

#[test]
fn what_the_user_switched_off_stays_off() {
    let text =
        r#"{"mcp":{"ralph":{"type":"local","command":["/old/ralph","mcp"],"enabled":false}}}"#;
    let mut files = folder(&[("opencode.json", text)]);
    install("opencode", &mut files, "ralph");
    let value: Value = serde_json::from_str(&files[Path::new("opencode.json")]).unwrap();
    let entry = json!({ "type": "local", "command": ["ralph", "mcp"], "enabled": false });
    assert_eq!(value["mcp"]["ralph"], entry);
}

#[test]
fn of_two_files_the_one_with_our_entry_is_changed_else_the_one_there_is() {
    let mut files = folder(&[("opencode.jsonc", "{\n}")]);
    install("opencode", &mut files, "ralph");
    assert_eq!(found("opencode", &files).unwrap().path, Path::new("opencode.jsonc"));
    files.insert("opencode.json".into(), "{}".to_owned());
    assert_eq!(install("opencode", &mut files, "ralph"), InstallPlan::default());
    uninstall("opencode", &mut files);
    assert_eq!(files, folder(&[("opencode.json", "{}"), ("opencode.jsonc", "{\n}")]));
}

#[test]
fn a_file_that_cannot_be_read_is_named_with_the_place() {
    for (text, message) in [
        ("{\n  // mine\n}", ".mcp.json: line 2, column 3: a comment, which JSON does not have"),
        ("[]", ".mcp.json: line 1, column 1: `.` is an array, not an object"),
        (
            "{\"mcpServers\": 3}",
            ".mcp.json: line 1, column 16: `mcpServers` is a number, not an object",
        ),
    ] {
        let read = |_: &Path| Ok(Some(text.to_owned()));
        let error =
            servers("claude").plan_install(&read, SettingsScope::Project, "ralph").unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn where_the_host_alone_may_write_nothing_is_planned() {
    let read = |_: &Path| Ok(Some("{".to_owned()));
    let plan = servers("claude").plan_install(&read, SettingsScope::User, "ralph").unwrap();
    assert_eq!(plan, InstallPlan::default());
}
