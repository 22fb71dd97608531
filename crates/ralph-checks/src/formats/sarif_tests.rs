use super::super::sampled::{reading, refuses_every_beginning, summaries};
use super::*;

/// Ruff puts its results before the tool.
const RUFF: &str = include_str!("../../tests/samples/sarif/ruff.sarif");

/// A log with one run: the given parts, and a tool with two rules.
fn log(parts: &str) -> String {
    format!(
        r#"{{"version":"2.1.0","runs":[{{"tool":{{"driver":{{"name":"Scanner","rules":[
        {{"id":"A","defaultConfiguration":{{"level":"error"}},
          "messageStrings":{{"default":{{"text":"no {{0}} in {{1}}, {{9}}"}}}}}},
        {{"id":"B","properties":{{"tags":["x"],"security-severity":"8.1"}}}},
        {{"id":"C","properties":{{"tags":["security"]}}}}]}}}},{parts}}}]}}"#
    )
}

fn result(fields: &str) -> String {
    log(&format!(r#""results":[{{"message":{{"text":"m"}},{fields}}}]"#))
}

fn at(uri: &str, base: &str) -> String {
    format!(
        r#""locations":[{{"physicalLocation":{{"artifactLocation":{{"uri":"{uri}"{base}}},
        "region":{{"startLine":3,"startColumn":2,"snippet":{{"text":"  x = 1\n"}}}}}}}}]"#
    )
}

#[test]
fn results_before_their_tool_are_found() {
    assert_eq!(
        summaries(read, RUFF),
        [
            "error ruff F401 py/a.py:1:8 `os` imported but unused",
            "error ruff F821 py/a.py:9:12 Undefined name `undefined_name`",
            "error ruff E711 py/a.py:20:20 Comparison to `None` should be `cond is None`",
            "error ruff invalid-syntax py/broken.py:1:7 Expected a parameter or the end of the parameter list",
            "error ruff invalid-syntax py/broken.py:1:8 Expected `)`, found newline",
        ]
    );
}

#[test]
fn the_level_is_that_of_the_result_or_of_its_rule() {
    #[track_caller]
    fn check(fields: &str, want: &[&str]) {
        let found = summaries(read, &result(fields));
        assert_eq!(found, want, "{fields}");
    }
    check(r#""ruleId":"A""#, &["error scanner A  m"]);
    check(r#""ruleIndex":0"#, &["error scanner A  m"]);
    check(r#""rule":{"id":"A/2"}"#, &["error scanner A/2  m"]);
    check(r#""ruleId":"A","level":"note""#, &["info scanner A  m"]);
    check(r#""ruleId":"unknown""#, &["warning scanner unknown  m"]);
    check(r#""ruleId":"A","level":"none""#, &[]);
    check(r#""ruleId":"A","kind":"pass""#, &[]);
    check(r#""ruleId":"A","kind":"review""#, &["info scanner A  m"]);
    check(r#""ruleId":"A","suppressions":[{"kind":"inSource"}]"#, &[]);
    check(r#""ruleId":"A","suppressions":[{"status":"rejected"}]"#, &["error scanner A  m"]);
    check(r#""ruleId":"A","baselineState":"absent""#, &[]);
}

#[test]
fn what_can_be_exploited_is_a_matter_of_security() {
    for fields in [
        r#""ruleId":"B","level":"error""#,
        r#""ruleId":"C""#,
        r#""ruleId":"A","properties":{"security-severity":5.5}"#,
    ] {
        let found = summaries(read, &result(fields));
        assert!(found[0].starts_with("security scanner"), "{found:?}");
    }
    let harmless = r#""ruleId":"A","properties":{"security-severity":"0.0"}"#;
    assert!(summaries(read, &result(harmless))[0].starts_with("error "));
}

#[test]
fn places_are_relative_to_the_root_whatever_their_base() {
    let bases = r#""originalUriBaseIds":{"ROOT":{"uri":"file:///project/"},
        "SRC":{"uri":"src/","uriBaseId":"ROOT"},"LOOP":{"uri":"x/","uriBaseId":"LOOP"}}"#;
    let artifacts = r#""artifacts":[{"location":{"uri":"listed.py"}}]"#;
    for (uri, base, file) in [
        ("file:///project/a%20b.py", "", "a b.py"),
        ("a.py", r#","uriBaseId":"ROOT""#, "a.py"),
        ("a.py", r#","uriBaseId":"SRC""#, "src/a.py"),
        ("a.py", r#","uriBaseId":"%SRCROOT%""#, "a.py"),
        ("100%.py", "", "100%.py"),
        ("file:///elsewhere/a.py", "", "/elsewhere/a.py"),
    ] {
        let results = format!(r#""results":[{{"message":{{"text":"m"}},{}}}]"#, at(uri, base));
        for parts in [format!("{results},{bases}"), format!("{bases},{results}")] {
            let found = summaries(read, &log(&parts));
            assert_eq!(found, [format!("warning scanner - {file}:3:2 m")]);
        }
    }
    let listed = at("", "").replace(r#""uri":"""#, r#""index":0"#);
    let parts = format!(r#""results":[{{"message":{{"text":"m"}},{listed}}}],{artifacts}"#);
    assert_eq!(summaries(read, &log(&parts)), ["warning scanner - listed.py:3:2 m"]);
    let looped = result(&at("a.py", r#","uriBaseId":"LOOP""#));
    assert_eq!(summaries(read, &looped).len(), 1);
}

#[test]
fn a_message_may_be_that_of_its_rule() {
    let parts =
        r#""results":[{"ruleId":"A","message":{"id":"default","arguments":["eval","{0}"]}}]"#;
    assert_eq!(summaries(read, &log(parts)), ["error scanner A  no eval in {0}, {9}"]);
}

#[test]
fn the_line_is_part_of_the_fingerprint() {
    let found = reading(read, result(&at("a.py", "")).as_bytes()).unwrap().findings;
    assert_eq!(found[0].fingerprint, "scanner - a.py: m @ x = #");
}

#[test]
fn what_went_wrong_in_the_tool_is_an_error() {
    let parts = r#""invocations":[{"executionSuccessful":false,"toolExecutionNotifications":[
        {"descriptor":{"id":"E1"},"level":"error","message":{"text":"cannot parse"}},
        {"level":"note","message":{"text":"took 3 s"}}]}]"#;
    assert_eq!(summaries(read, &log(parts)), ["error scanner E1  cannot parse"]);
}

#[test]
fn a_document_that_breaks_off_is_refused() {
    refuses_every_beginning(read, RUFF);
    for (text, what) in [
        ("{\"version\":\"2.1.0\"}", "there is no `runs`"),
        ("{\"runs\":[{\"results\":[]}]}", "there is a run without `tool`"),
    ] {
        let error = reading(read, text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}
