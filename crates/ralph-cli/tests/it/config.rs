//! Settings, the first file, completions, and the demo.

use ralph_testkit::TestProject;
use serde_json::Value;

use crate::control::status;
use crate::projects::tools::Tools;
use crate::{git, plain};

/// `ralph config --json` of a project.
#[track_caller]
fn settings(project: &TestProject) -> Value {
    project.ralph(&["config", "--json"]).output().exits(0).json()["settings"].clone()
}

#[test]
fn defaults_are_those_of_the_reference() {
    let project = git();
    project.agent("echo '<promise>DONE</promise>'");
    let _ = project.run_json("do it", &[]).exits(0);
    let bare = status(&project);
    assert_eq!(
        (&bare["max_iterations"], &bare["max_duration_seconds"]),
        (&100.into(), &14400.into())
    );
    assert_eq!((&bare["completion_promise"], &bare["match"]), (&"DONE".into(), &"tag".into()));
    assert_eq!(bare["trust"], "claim");

    let _ = project.run_json("do it", &["--criteria", "custom:true"]).exits(0);
    let gated = status(&project);
    assert_eq!(
        (&gated["max_iterations"], &gated["max_duration_seconds"]),
        (&10.into(), &1800.into())
    );
    assert_eq!(gated["trust"], "evidence");

    let home = project.outside("elsewhere");
    let args = ["run", "do it", "--agent-cmd", "./agent.sh"];
    let _ = project.ralph(&args).env("RALPH_HOME", &home).output().exits(0);
    assert!(home.is_dir());
}

#[test]
fn every_setting_is_shown_with_its_origin_and_later_ones_win() {
    let project = plain();
    let user = project.outside("config/ralph");
    std::fs::create_dir_all(&user).unwrap();
    let text = "[run]\nmax_iterations = 5\nmax_duration = \"1h\"\nmax_tokens = 9\n";
    std::fs::write(user.join("config.toml"), text).unwrap();
    project.file("ralph.toml", "[run]\npromise = \"OK\"\nmax_iterations = 6\nmax_tokens = 10\n");
    let call = project.ralph(&["config", "--json"]).env("RALPH_MAX_TOKENS", "11");
    let settings = call.output().exits(0).json()["settings"].clone();
    for (key, value, origin) in [
        ("run.max_duration", Value::from("1h"), "config.toml:3"),
        ("run.promise", "OK".into(), "ralph.toml:2"),
        ("run.max_iterations", 6.into(), "ralph.toml:3"),
        ("run.max_tokens", 11.into(), "RALPH_MAX_TOKENS"),
    ] {
        assert_eq!(settings[key]["value"], value);
        let found = settings[key]["origin"].as_str().unwrap();
        assert!(found.ends_with(origin), "{key} is from {found}");
    }
    assert_eq!(settings["run.match"]["origin"], "default");

    let table = project.ralph(&["config"]).env("RALPH_MAX_TOKENS", "11").output().exits(0).stdout;
    let line = table.lines().find(|line| line.starts_with("run.max_tokens")).unwrap();
    assert!(line.contains("11") && line.ends_with("RALPH_MAX_TOKENS"), "{line}");
}

#[test]
fn a_flag_outranks_variable_and_file() {
    let project = plain();
    project.agent("echo '<promise>DONE</promise>'");
    project.file("ralph.toml", "[run]\nmax_iterations = 6\nagent_cmd = \"./agent.sh\"\n");
    let max = |args: &[&str]| {
        let run = [&["run", "do it"], args].concat();
        let _ = project.ralph(&run).env("RALPH_MAX_ITERATIONS", "7").output().exits(0);
        status(&project)["max_iterations"].clone()
    };
    assert_eq!(max(&[]), 7);
    assert_eq!(max(&["--max-iterations", "8"]), 8);
}

#[test]
fn the_schema_names_every_setting() {
    let project = plain();
    let schema = project.ralph(&["config", "--schema"]).output().exits(0).json();
    assert_eq!(schema["additionalProperties"], false);
    for key in settings(&project).as_object().unwrap().keys() {
        let mut node = &schema;
        for part in key.split('.') {
            node = &node["properties"][part];
        }
        assert!(node["description"].is_string(), "{key}");
    }
}

#[test]
fn every_shell_gets_its_completions() {
    let project = plain();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = project.ralph(&["completions", shell]).output().exits(0);
        assert!(output.stdout.contains("max-iterations"), "{shell}");
        assert!(!output.stdout.contains("__supervise"), "{shell}");
    }
    let unknown = project.ralph(&["completions", "tcsh"]).output().exits(2);
    assert!(unknown.stderr.contains("tcsh") && unknown.stderr.contains("zsh"));
}

/// A `PATH` on which there is a shell but no cargo, so that the demo plays
/// with its shell sample.
#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn shell_only(project: &TestProject) -> std::path::PathBuf {
    let bin = project.outside("bin");
    std::fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink("/bin/sh", bin.join("sh")).unwrap();
    bin
}

#[test]
fn the_demo_rejects_a_false_claim_and_then_succeeds() {
    let project = plain();
    let bin = shell_only(&project);
    let before = project.everything();
    let place = tempfile::tempdir().unwrap();
    let call = project.ralph(&["demo"]).env("PATH", &bin).env("TMPDIR", place.path());
    let output = call.output().exits(0);
    assert!(output.stderr.contains("says it is done → rejected"), "{}", output.stderr);
    assert!(output.stderr.contains("FAILED roman 27"), "{}", output.stderr);
    for said in [&output.stderr, &output.stdout] {
        assert_eq!(said.matches("held: check.sh").count(), 2, "{said}");
    }
    assert!(output.stdout.contains("custom-1 passes"), "{}", output.stdout);
    assert_eq!(project.everything(), before);
}

#[test]
fn the_demo_with_a_real_suite_holds_both_tricks_and_then_succeeds() {
    let project = plain();
    let tools = Tools::with(&["cargo"]);
    let place = tempfile::tempdir().unwrap();
    let call = project.ralph(&["demo"]).envs(tools.environment());
    let output = call.env("TMPDIR", place.path()).output().exits(0);
    let held = "passes only because it was changed";
    assert_eq!(output.stderr.matches(held).count(), 2, "{}", output.stderr);
    assert!(output.stdout.contains("success (verified)"), "{}", output.stdout);
    let name = "`four_and_nine_subtract` passes only";
    assert!(output.stdout.contains(name), "a test is called as cargo calls it: {}", output.stdout);
}

#[test]
fn the_demo_of_a_liar_fails_honestly() {
    let project = plain();
    let bin = shell_only(&project);
    let output = project.ralph(&["demo", "--liar", "--json"]).env("PATH", &bin).output();
    let _ = output.exits(1).ends("failed/no_progress", 3);
}

#[test]
fn what_the_demo_names_can_be_done() {
    let project = plain();
    let bin = shell_only(&project);
    let place = tempfile::tempdir().unwrap();
    let call = project.ralph(&["demo"]).env("PATH", &bin);
    let output = call.env("TMPDIR", place.path()).output().exits(0);
    let line = output.stdout.lines().find(|line| line.contains("cd ")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["cd", folder, "&&", "export", home] = words[..] else { panic!("{line}") };
    let (name, value) = home.split_once('=').unwrap();
    let named = output.stdout.lines().filter_map(|line| line.strip_prefix("  ralph "));
    let mut said = String::new();
    for call in named {
        let typed = call.split_once('#').map_or(call, |(typed, _)| typed);
        let words: Vec<&str> = typed.split_whitespace().collect();
        said += &project.ralph(&words).dir(folder).env(name, value).output().exits(0).stdout;
    }
    for part in
        ["success (verified)", "That assertion was wrong, so I took it out.", "Restored 1 file."]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_demo_for_programs_leaves_nothing_unless_asked() {
    let project = plain();
    let bin = shell_only(&project);
    for (flags, left) in [(&["--json"][..], 0), (&["--json", "--keep"], 1)] {
        let place = tempfile::tempdir().unwrap();
        let call = project.ralph(&[&["demo"], flags].concat()).env("PATH", &bin);
        let _ = call.env("TMPDIR", place.path()).output().exits(0);
        assert_eq!(place.path().read_dir().unwrap().count(), left, "{flags:?}");
    }
}

#[test]
fn the_demo_leaves_a_repository_around_it_alone() {
    let project = git();
    let bin = shell_only(&project);
    project.file("tmp/kept.txt", "x").run_git(&["add", "."]);
    project.run_git(&["commit", "--quiet", "-m", "first"]);
    let before = project.everything();
    let call = project.ralph(&["demo", "--rollback"]).env("PATH", &bin);
    let _ = call.env("TMPDIR", project.root().join("tmp")).output().exits(0);
    assert_eq!(project.everything(), before);
    assert_eq!(project.run_git(&["status", "--porcelain"]), "");
}
