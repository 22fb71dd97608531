//! That a file comes back as it was, and that nothing foreign is touched.

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::hooks::rows::{ALL, CLAUDE, CODEX, COPILOT, CURSOR, DROID, GEMINI, QWEN};

fn install(text: Option<&str>, wanted: &HookOptions) -> Result<String, JsonTextError> {
    super::install(&CLAUDE, text, wanted)
}

fn uninstall(text: &str) -> Result<HookRemoval, JsonTextError> {
    super::uninstall(&CLAUDE, text)
}

fn inspect(text: &str) -> Result<HookSettings, JsonTextError> {
    super::inspect(&CLAUDE, text)
}

fn wanted() -> HookOptions {
    HookOptions {
        program: "/opt/my tools/ralph".to_owned(),
        cap: 200,
        arm: None,
        looks_before_edits: false,
        stop_timeout: Duration::from_millis(900_500),
        prompt_timeout: Duration::from_mins(5),
    }
}

/// The same where loops begin with errors.
fn on_errors() -> HookOptions {
    HookOptions { arm: Some("on-errors".to_owned()), looks_before_edits: true, ..wanted() }
}

#[track_caller]
fn installed(text: &str) -> String {
    install(Some(text), &wanted()).unwrap()
}

/// The events that we are told about, in the order of the file.
fn heard(text: &str) -> Vec<String> {
    inspect(text).unwrap().ours.into_iter().map(|hook| hook.event).collect()
}

fn sorted(mut events: Vec<String>) -> Vec<String> {
    events.sort();
    events
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Installing and uninstalling changes nothing, and installing twice is the
/// same as once.
#[track_caller]
fn check_round_trip(text: &str) {
    for wanted in [wanted(), on_errors()] {
        let with = install(Some(text), &wanted).unwrap();
        let events = events(&CLAUDE, &wanted).map(str::to_owned).collect();
        assert_eq!(sorted(heard(&with)), sorted(events), "{with}");
        assert_eq!(install(Some(&with), &wanted).as_ref(), Ok(&with), "twice: {text}");
        assert_eq!(uninstall(&with), Ok(HookRemoval::Text(text.to_owned())), "with: {with}");
    }
    let changed = install(Some(&install(Some(text), &on_errors()).unwrap()), &wanted());
    assert_eq!(changed.unwrap(), installed(text), "from one way to begin to the other: {text}");
}

#[test]
fn a_new_file_has_every_hook_in_exec_form_with_seconds() {
    let text = install(None, &wanted()).unwrap();
    assert!(
        text.starts_with(
            "{\n  \"env\": {\n    \"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP\": \"200\"\n  },\n"
        )
    );
    assert!(text.ends_with("}\n"));
    let settings = json(&text);
    for event in usual_events(&CLAUDE) {
        let group = &settings["hooks"][event][0];
        let entry = &group["hooks"][0];
        let timeout = match event {
            "Stop" => 901,
            "UserPromptSubmit" => 300,
            "SessionEnd" => 30,
            _ => 10,
        };
        assert_eq!(entry["type"], "command");
        assert_eq!(entry["command"], "/opt/my tools/ralph");
        assert_eq!(entry["timeout"], timeout, "{event}");
        let args: Vec<&str> =
            entry["args"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let timeout = format!("--timeout={timeout}");
        assert_eq!(args[..4], ["hook", "--agent", "claude-code", timeout.as_str()]);
        assert_eq!(args.get(4).copied(), (event == "Stop").then_some("--cap=200"));
        let matcher = (event == "PostToolUse").then_some("Write|Edit|MultiEdit|NotebookEdit");
        assert_eq!(group["matcher"].as_str(), matcher);
    }
    assert_eq!(settings["hooks"].as_object().unwrap().len(), usual_events(&CLAUDE).len());
}

#[test]
fn a_file_that_was_not_there_goes_with_us_unless_somebody_else_uses_it() {
    let text = install(None, &wanted()).unwrap();
    assert_eq!(uninstall(&text), Ok(HookRemoval::File));
    assert_eq!(uninstall(&json(&text).to_string()), Ok(HookRemoval::File), "in any layout");
    let again = install(Some(&text), &on_errors()).unwrap();
    assert_eq!(uninstall(&again), Ok(HookRemoval::File), "after another installation");
    let used = text.replacen("{\n", "{\n  \"model\": \"x\",\n", 1);
    let left = HookRemoval::Text("{\n  \"model\": \"x\"\n}\n".to_owned());
    assert_eq!(uninstall(&used), Ok(left));
    let blank = install(Some(" \n"), &wanted()).unwrap();
    assert_eq!(uninstall(&blank), Ok(HookRemoval::Text(" \n".to_owned())));
}

#[test]
fn only_loops_that_begin_with_errors_are_asked_before_edits() {
    assert!(!heard(&installed("{}")).contains(&"PreToolUse".to_owned()));
    let settings = json(&install(None, &on_errors()).unwrap());
    let group = &settings["hooks"]["PreToolUse"][0];
    assert_eq!(group["matcher"], "Write|Edit|MultiEdit|NotebookEdit");
    assert_eq!(group["hooks"][0]["timeout"], 901, "as long as the gates may take");
}

#[test]
fn every_layout_comes_back_byte_for_byte() {
    for text in [
        "{}",
        "{}\n",
        "{ }",
        "{\n}\n",
        "{\r\n}\r\n",
        "\n  {\t}  \n",
        r#"{"a":1}"#,
        r#"{ "a" : 1 , "b":[ ] }"#,
        r#"{"hooks":{}}"#,
        r#"{"hooks":{},"env":{ }}"#,
        "{\n  \"hooks\": {\n  },\n  \"env\": {}\n}\n",
        "{\n\t\"permissions\": {\n\t\t\"allow\": [\"Bash(ls)\"]\n\t}\n}",
        "{\n    \"model\": \"x\",\n\n    \"n\": 1.0E+2\n}\n",
        "{\r\n  \"a\": \"b\\r\\n\"\r\n}\r\n",
        "{\"a\": 1,\n \"b\": 2}",
        "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}",
        "{\n  \"hooks\": {\n    \"Stop\": [ ], \"Foo\": []\n  }\n}",
        "{\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}\n}",
        "{\n  \"hooks\": {\"Stop\": [{\n    \"hooks\": []\n  }]}\n}",
        r#"{"a":1,"a":2,"hooks":{"Stop":[]},"hooks":{"Stop":[],"Stop":[ ]},"env":{"A":"1"},"env":{}}"#,
        r#"{"\u0068ooks":{"Stop":[]},"\ud83d\ude00":1}"#,
        r#"{"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"200"}}"#,
    ] {
        check_round_trip(text);
    }
}

#[test]
fn the_layout_of_the_file_is_followed() {
    let tabs = installed("{\n\t\"a\": 1\n}\n");
    assert!(tabs.contains("\n\t\"hooks\": {\n\t\t\"SessionStart\": [\n\t\t\t{\n"), "{tabs}");
    let four = installed("{\n    \"a\": 1\n}\n");
    assert!(four.contains("\n    \"hooks\": {\n        \"SessionStart\": [\n"), "{four}");
    let windows = installed("{\r\n  \"a\": 1\r\n}\r\n");
    assert_eq!(windows.matches('\n').count(), windows.matches("\r\n").count());
    let line = installed(r#"{"a": 1, "b": 2}"#);
    assert!(!line.contains('\n') && line.starts_with(r#"{"a": 1, "b": 2, "env": {"#), "{line}");
}

#[test]
fn foreign_content_is_only_added_to() {
    let text = r#"{"permissions":{"deny":["Read(.env)"]},"env":{"A":"b"},
        "hooks":{"Stop":[{"matcher":"","hooks":[{"type":"command","command":"notify"}]}],
        "Notification":[{"hooks":[{"type":"command","command":"beep"}]}]}}"#;
    let (before, after) = (json(text), json(&installed(text)));
    assert_eq!(after["permissions"], before["permissions"]);
    assert_eq!(after["env"]["A"], "b");
    assert_eq!(after["hooks"]["Notification"], before["hooks"]["Notification"]);
    assert_eq!(after["hooks"]["Stop"][0], before["hooks"]["Stop"][0]);
    assert_eq!(after["hooks"]["Stop"].as_array().unwrap().len(), 2);
    check_round_trip(text);
}

#[test]
fn a_cap_of_the_user_stays_and_ours_follows_the_installation() {
    let own = r#"{"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"12"}}"#;
    let with = installed(own);
    assert_eq!(inspect(&with).unwrap().cap.as_deref(), Some("12"));
    check_round_trip(own);

    let first = installed("{}\n");
    let second = install(Some(&first), &HookOptions { cap: 0, ..wanted() }).unwrap();
    assert_eq!(inspect(&second).unwrap().cap.as_deref(), Some("0"));
    assert_eq!(uninstall(&second), Ok(HookRemoval::Text("{}\n".to_owned())));
    assert_eq!(inspect(&second).unwrap().own_cap.as_deref(), Some("0"));
    assert_eq!(inspect(&with).unwrap().own_cap, None);

    let changed = first.replace("_CAP\": \"200\"", "_CAP\": \"50\"");
    let HookRemoval::Text(left) = uninstall(&changed).unwrap() else { panic!("{changed}") };
    assert_eq!(inspect(&left).unwrap().cap.as_deref(), Some("50"));
    let again = install(Some(&changed), &wanted()).unwrap();
    assert_eq!(inspect(&again).unwrap().cap.as_deref(), Some("50"));
}

#[test]
fn entries_of_older_versions_are_replaced() {
    let old = r#"{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          { "type": "command", "command": "notify" },
          { "type": "command", "command": "\"/old/bin/ralph\" hook --agent claude-code", "timeout": 30000 }
        ]
      },
      { "hooks": [{ "type": "command", "command": "/older/ralph", "args": ["hook", "--agent", "claude-code"] }] }
    ],
    "PreToolUse": [{ "hooks": [{ "type": "command", "command": "/old/ralph", "args": ["hook", "--agent", "claude-code"] }] }]
  }
}
"#;
    let found = inspect(&installed(old)).unwrap();
    assert_eq!(found.ours.len(), usual_events(&CLAUDE).len());
    assert!(found.ours.iter().all(|hook| hook.command == "/opt/my tools/ralph"));
    assert_eq!(found.foreign_stops.len(), 1);
    let want = r#"{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          { "type": "command", "command": "notify" }
        ]
      }
    ]
  }
}
"#;
    assert_eq!(uninstall(old), Ok(HookRemoval::Text(want.to_owned())));
}

#[test]
fn what_looks_like_ours_but_is_not_stays() {
    for entry in [
        r#"{"type":"command","command":"ralph","args":["hook","--agent","other"]}"#,
        r#"{"type":"command","command":"ralph","args":["status","--agent","claude-code"]}"#,
        r#"{"type":"command","command":"echo ralph hook"}"#,
        r#"{"type":"prompt","prompt":"ralph hook --agent claude-code"}"#,
        r#""ralph hook --agent claude-code""#,
    ] {
        let text = format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{entry}]}}]}}}}"#);
        assert_eq!(uninstall(&text), Ok(HookRemoval::Nothing), "{entry}");
        check_round_trip(&text);
    }
}

#[test]
fn an_installation_survives_a_new_layout() {
    for text in ["{\n}\n", r#"{"hooks":{"Stop":[]},"env":{}}"#, r#"{"model":"x"}"#] {
        let reordered = json(&installed(text)).to_string();
        let HookRemoval::Text(left) = uninstall(&reordered).unwrap() else { panic!("{text}") };
        assert_eq!(json(&left), json(text), "{left}");
    }
}

#[test]
fn settings_without_us_are_not_changed_by_uninstalling() {
    assert_eq!(uninstall("{}"), Ok(HookRemoval::Nothing));
    assert_eq!(uninstall(r#"{"hooks":[],"env":3}"#), Ok(HookRemoval::Nothing));
}

#[track_caller]
fn check_refused(text: &str, message: &str) {
    assert_eq!(install(Some(text), &wanted()).unwrap_err().to_string(), message);
}

#[test]
fn what_is_not_json_is_refused_with_its_place() {
    check_refused(
        "{\n  // mine\n  \"a\": 1\n}",
        "line 2, column 3: a comment, which JSON does not have",
    );
    check_refused("{\"a\": 1} /* x */", "line 1, column 10: a comment, which JSON does not have");
    check_refused("{\n  \"a\": 1,\n}", "line 2, column 9: trailing commas are not allowed");
    check_refused("{\"a\": ", "line 1, column 7: expected value after colon in object property");
    check_refused(
        r#"{"a": "\ud800"}"#,
        "line 1, column 8: invalid unicode escape sequence. 'd800 (unpaired high surrogate)' \
         is not a valid UTF8 character",
    );
    assert!(uninstall("{").is_err() && inspect("nonsense").is_err());
}

#[test]
fn what_has_another_form_is_refused_with_its_place() {
    check_refused("[]", "line 1, column 1: `.` is an array, not an object");
    check_refused("{\n  \"hooks\": []\n}", "line 2, column 12: `hooks` is an array, not an object");
    check_refused("{\"hooks\": null}", "line 1, column 11: `hooks` is null, not an object");
    check_refused("{\"env\": \"A=b\"}", "line 1, column 9: `env` is a text, not an object");
    check_refused(
        "{\"hooks\": {\n\"Stop\": {}}}",
        "line 2, column 9: `hooks.Stop` is an object, not an array",
    );
    // Events without hooks of ours may have any form.
    check_round_trip(r#"{"hooks":{"Odd":{},"Notification":7}}"#);
    assert!(install(Some(r#"{"hooks":{"PreToolUse":7}}"#), &wanted()).is_ok());
}

#[test]
fn a_look_at_settings_tells_what_could_be_in_our_way() {
    let found = inspect(
        r#"{"disableAllHooks":true,"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":3},
            "enabledPlugins":{"ralph-loop@official":true,"ralph-wiggum@x":false,"lint@x":true,
            "ralph@tools":true},
            "hooks":{"Stop":[{"hooks":[{"type":"prompt","prompt":"done?"},
            {"type":"command","command":"loop.sh","timeout":2.5}]}]}}"#,
    )
    .unwrap();
    assert!(found.is_disabled);
    assert_eq!(found.cap.as_deref(), Some("3"));
    assert_eq!(found.loop_plugins, ["ralph-loop@official"]);
    assert_eq!(found.own_plugins, ["ralph@tools"]);
    let stops: Vec<(&str, Option<f64>)> =
        found.foreign_stops.iter().map(|hook| (hook.command.as_str(), hook.timeout)).collect();
    assert_eq!(stops, [("", None), ("loop.sh", Some(2.5))]);
    assert_eq!(found.ours, []);
    assert_eq!(inspect("{}"), Ok(HookSettings::default()));
}

#[test]
fn how_loops_begin_is_said_to_every_hook() {
    let found = inspect(&install(None, &on_errors()).unwrap()).unwrap();
    assert!(found.ours.iter().all(|hook| hook.arm() == Some("on-errors")));
}

/// JSON as people, editors and programs write it: any white space anywhere.
fn spaces() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        2 => Just(" ".to_owned()),
        3 => "\n {0,6}",
        1 => "\r\n\t{0,2}",
        1 => "[ \t\r\n]{0,4}",
    ]
}

fn object(
    members: impl Strategy<Value = (String, String)> + 'static,
    most: usize,
) -> impl Strategy<Value = String> {
    let member = (spaces(), members, spaces(), spaces(), spaces())
        .prop_map(|(a, (key, value), b, c, d)| format!("{a}\"{key}\"{b}:{c}{value}{d}"));
    (prop::collection::vec(member, 0..=most), spaces()).prop_map(|(members, space)| {
        let inner = if members.is_empty() { space } else { members.join(",") };
        format!("{{{inner}}}")
    })
}

fn array(items: impl Strategy<Value = String> + 'static) -> impl Strategy<Value = String> {
    let item = (spaces(), items, spaces()).prop_map(|(a, item, b)| format!("{a}{item}{b}"));
    (prop::collection::vec(item, 0..3), spaces()).prop_map(|(items, space)| {
        let inner = if items.is_empty() { space } else { items.join(",") };
        format!("[{inner}]")
    })
}

fn scalars() -> impl Strategy<Value = String> {
    let known = [
        "1",
        "-0.50",
        "1E+2",
        "true",
        "null",
        r#""}]\"\\""#,
        r#""한글\u00e9\ud83d\ude00""#,
        "\"a,b\"",
    ];
    prop::sample::select(known.to_vec()).prop_map(str::to_owned)
}

fn boxed(
    key: &'static str,
    value: impl Strategy<Value = String> + 'static,
) -> BoxedStrategy<(String, String)> {
    value.prop_map(move |value| (key.to_owned(), value)).boxed()
}

fn foreign(values: BoxedStrategy<String>) -> BoxedStrategy<(String, String)> {
    let keys = prop::sample::select(vec!["a", "b\\n", "model", "\\u00e9", "matcher", "timeout"]);
    (keys.prop_map(str::to_owned), values).boxed()
}

/// Settings of a host, as users may have written them.
fn settings(dialect: &'static HookDialect) -> BoxedStrategy<String> {
    let form = &dialect.settings;
    let command = prop::sample::select(vec![r#""notify""#, r#""ralph status""#]);
    let entry = prop_oneof![
        boxed("command", command.prop_map(str::to_owned)),
        boxed("args", array(scalars())),
        foreign(scalars().boxed()),
    ];
    let entry = object(entry, 3).boxed();
    let entries = boxed("hooks", array(entry.clone()));
    let group = object(prop_oneof![3 => entries, 1 => foreign(scalars().boxed())], 2).boxed();
    let hook = if form.is_flat() { entry } else { group };
    let names: Vec<&str> = events(dialect, &on_errors()).chain(["Odd"]).collect();
    let event = (prop::sample::select(names), array(hook));
    let event = event.prop_map(|(name, hooks)| (name.to_owned(), hooks)).boxed();
    let cap = prop::sample::select(vec!["\"200\"", "\"3\"", "7"]).prop_map(str::to_owned);
    let cap = boxed(form.cap.map_or("cap", |cap| cap.key), cap);
    let env = object(prop_oneof![cap.clone(), foreign(scalars().boxed())], 2).boxed();
    let cap = match form.cap.and_then(|cap| cap.object) {
        Some(name) => boxed(name, env),
        None => cap,
    };
    let hooks = match form.list {
        Some(list) => boxed(list, object(event, 3)),
        None => event,
    };
    let nested = object(foreign(array(scalars()).boxed()), 3).boxed();
    let version = boxed("version", prop::sample::select(vec!["1", "2"]).prop_map(str::to_owned));
    let member = prop_oneof![hooks, cap, version, foreign(nested), foreign(scalars().boxed())];
    let text = (spaces(), object(member, 4), spaces());
    text.prop_map(|(a, root, b)| format!("{a}{root}{b}")).boxed()
}

/// Every host with JSON settings, and settings of it.
fn any_settings() -> impl Strategy<Value = (&'static HookDialect, String)> {
    let with_json: Vec<&'static HookDialect> =
        ALL.iter().copied().filter(|it| it.settings.shape != HookShape::Toml).collect();
    prop::sample::select(with_json)
        .prop_flat_map(|it| settings(it).prop_map(move |text| (it, text)))
}

#[test]
fn a_file_that_was_not_there_goes_with_us_in_every_dialect() {
    for dialect in ALL.iter().filter(|dialect| dialect.settings.shape != HookShape::Toml) {
        let text = super::install(dialect, None, &on_errors()).unwrap();
        let names = super::inspect(dialect, &text).unwrap().ours.into_iter().map(|it| it.event);
        let all: Vec<String> = events(dialect, &on_errors()).map(str::to_owned).collect();
        assert_eq!(names.collect::<Vec<_>>(), all, "{text}");
        assert_eq!(super::uninstall(dialect, &text), Ok(HookRemoval::File), "{text}");
    }
}

#[test]
fn each_layout_is_the_one_of_its_host() {
    let at = |dialect: &HookDialect, pointer: &str| {
        json(&super::install(dialect, None, &wanted()).unwrap()).pointer(pointer).cloned()
    };
    let line = |name: &str| format!("'/opt/my tools/ralph' hook --agent {name} --timeout=10");
    assert_eq!(at(&CODEX, "/hooks/PostToolUse/0/hooks/0/command"), Some(line("codex").into()));
    assert_eq!(at(&CODEX, "/hooks/Interrupt/0/hooks/0/timeout"), Some(3.into()));
    assert_eq!(at(&GEMINI, "/hooks/AfterTool/0/hooks/0/timeout"), Some(10_000.into()));
    assert_eq!(at(&QWEN, "/stopHookBlockingCap"), Some(100.into()));
    assert_eq!(at(&DROID, "/Stop/0/hooks/0/timeout"), Some(901.into()));
    assert_eq!(at(&COPILOT, "/version"), Some(1.into()));
    assert_eq!(at(&COPILOT, "/hooks/PostToolUse/0/command"), Some(line("copilot").into()));
    assert_eq!(at(&COPILOT, "/hooks/Stop/0/timeoutSec"), Some(901.into()));
    assert_eq!(at(&CURSOR, "/hooks/stop/0/loop_limit"), Some(200.into()));
    let text = super::install(&CURSOR, None, &wanted()).unwrap();
    let found = super::inspect(&CURSOR, &text).unwrap();
    assert_eq!((found.cap.as_deref(), found.own_cap.as_deref()), (Some("200"), Some("200")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_settings_come_back_byte_for_byte(text in settings(&CLAUDE)) {
        prop_assert!(serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok(), "{}", text);
        check_round_trip(&text);
    }

    #[test]
    fn any_settings_of_any_host_come_back_byte_for_byte((dialect, text) in any_settings()) {
        let with = super::install(dialect, Some(&text), &on_errors()).unwrap();
        let again = super::install(dialect, Some(&with), &on_errors()).unwrap();
        prop_assert_eq!(&again, &with);
        let left = super::uninstall(dialect, &with);
        prop_assert_eq!(left, Ok(HookRemoval::Text(text)), "{}", with);
    }

    #[test]
    fn any_text_at_all_does_no_harm(text in "[\\[\\]{}:,\"a-z\\\\ \n1/]{0,60}") {
        let _ = (uninstall(&text), inspect(&text), install(Some(&text), &wanted()));
    }
}
