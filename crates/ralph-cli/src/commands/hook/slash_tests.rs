use proptest::prelude::*;
use ralph_core::locale::Locale;
use ralph_engine::hook::{help, is_ours};

use super::*;

/// Files that are there.
fn exists(word: &str) -> bool {
    ["test_calc.py", "src/services/", "한글.rs", "a"].contains(&word)
}

fn parse(prompt: &str) -> Option<SlashPrompt> {
    super::parse(prompt, &exists)
}

fn read(text: &str) -> Result<LoopRequest, CliError> {
    LoopRequest::read(text, &exists)
}

fn task(text: &str) -> String {
    read(text).unwrap().task.text
}

/// Describes a prompt: the task of a loop, or a command with its words.
fn meant(prompt: &str) -> String {
    match parse(prompt) {
        Some(SlashPrompt::Arm(task)) => format!("task: {task}"),
        Some(SlashPrompt::Call(call)) => format!("call: {}", call.words.join(" ")),
        Some(SlashPrompt::Resume(words)) => {
            format!("resume: {} {}", words.run.unwrap_or_default(), words.takeover)
        }
        Some(SlashPrompt::Help) => "help".to_owned(),
        Some(SlashPrompt::Unclear(word, _)) => format!("unclear: {word}"),
        Some(SlashPrompt::Misfit(command, word)) => format!("misfit: {command} {word}"),
        None => "none".to_owned(),
    }
}

#[test]
fn only_our_own_commands_are_understood() {
    assert_eq!(meant("/ralph fix it"), "task: fix it");
    assert_eq!(meant("  /ralph:ralph fix it"), "task: fix it");
    assert_eq!(meant("/ralph\nfix it"), "task: fix it");
    for other in ["fix it", "/ralphie fix", "say /ralph", "/help", "", "/"] {
        assert_eq!(meant(other), "none", "{other}");
        assert!(!is_ours(other), "{other}");
    }
}

#[test]
fn a_command_is_one_only_if_all_of_it_is() {
    for (typed, expected) in [
        ("stop", "call: stop"),
        ("stop run-00ab", "call: stop run-00ab"),
        ("stop --all", "call: stop --all"),
        ("--cancel", "call: stop"),
        ("status", "call: status"),
        ("status --json", "call: status --json"),
        ("pause", "call: pause"),
        ("report", "call: report"),
        ("report run-0000abcd --md", "call: report run-0000abcd --md"),
        ("runs", "call: runs"),
        ("runs --limit 3", "call: runs --limit 3"),
        ("check", "call: check"),
        ("check --criteria test_pass", "call: check --criteria test_pass"),
        ("allow", "call: allow"),
        ("allow test_calc.py", "call: allow test_calc.py"),
        ("diff", "call: diff"),
        ("diff start..best", "call: diff start..best"),
        ("rollback --dry-run", "call: rollback --dry-run"),
        ("doctor", "call: doctor"),
        ("install claude-code", "task: install claude-code"),
        ("resume", "resume:  false"),
        ("resume run-1 --takeover", "resume: run-1 true"),
        ("", "help"),
        ("help", "help"),
        ("--help", "help"),
    ] {
        assert_eq!(meant(&format!("/ralph {typed}")), expected, "{typed}");
    }
    assert_eq!(meant("/cancel-ralph"), "call: stop");
    assert_eq!(meant("/ralph:cancel-ralph"), "call: stop");
    assert_eq!(meant("/cancel-ralph run-00ab"), "call: stop run-00ab");
    assert_eq!(meant("/cancel-ralph now please"), "call: stop");
}

#[test]
fn a_task_may_begin_with_the_name_of_a_command() {
    for task in [
        "stop the server from leaking",
        "resume upload support",
        "resume run-time checks",
        "help text is wrong",
        "status of the build is red",
        "check that the login works",
        "report errors to the user",
        "runs must be listed newest first",
        "allow guests to log in",
        "diff view is empty",
        "pause the video",
        "rollback of payments fails",
        "memory leaks in the parser",
        "code review of calc.py",
        "run the tests",
        "config file is ignored",
        "make it stop",
        "\"stop\" the leak",
    ] {
        assert_eq!(meant(&format!("/ralph {task}")), format!("task: {task}"));
    }
    assert_eq!(meant("/ralph start fix it"), "task: fix it");
    assert_eq!(meant("/ralph start stop"), "task: stop");
}

#[test]
fn an_end_that_is_typed_behind_a_prompt_that_came_back_is_an_end() {
    let stop = meant("/cancel-ralph");
    for typed in
        ["fix it/cancel-ralph", "resume/cancel-ralph", "x --criteria test_pass /cancel-ralph"]
    {
        assert_eq!(meant(&format!("/ralph {typed}")), stop, "{typed}");
    }
    assert_eq!(meant("/ralph explain `/cancel-ralph`"), "task: explain `/cancel-ralph`");
}

#[test]
fn a_command_with_an_argument_that_does_not_fit_begins_no_loop() {
    for typed in ["diff 9", "report 3", "status run-zzz", "rollback run-zzzz", "allow nope.py"] {
        assert_eq!(meant(&format!("/ralph {typed}")), format!("misfit: {typed}"));
    }
    for task in ["stop it", "report the 3 slowest tests", "diff two files", "allow nope.py to run"]
    {
        assert_eq!(meant(&format!("/ralph {task}")), format!("task: {task}"));
    }
    assert!(!meant("/ralph undo").starts_with("task"), "{}", meant("/ralph undo"));
}

#[test]
fn a_misspelt_verb_begins_no_loop_and_the_verb_is_named() {
    let meant = |text: &str| match parse(&format!("/ralph {text}")) {
        Some(SlashPrompt::Unclear(word, verb)) => {
            let error = unclear(&word, verb.as_deref()).to_string();
            assert!(error.contains(&format!("`/ralph \"{word} …\"`")), "{error}");
            verb
        }
        other => panic!("{text}: {other:?}"),
    };
    for (typed, verb) in [
        ("stauts", "status"),
        ("Status", "status"),
        ("statsu --json", "status"),
        ("stp", "stop"),
        ("cancle", "cancel"),
        ("resmue run-0000abcd", "resume"),
        ("puase", "pause"),
        ("rollbak", "rollback"),
        ("strat", "start"),
    ] {
        assert_eq!(meant(typed).as_deref(), Some(verb), "{typed}");
    }
    for typed in ["--", "-x", "-v fix it", "-", "…", "---"] {
        assert_eq!(meant(typed), None, "{typed}");
    }
}

#[test]
fn a_task_may_begin_with_a_word_that_resembles_a_verb() {
    for typed in
        ["states of the parser need tests", "step over it", "\"stauts\"", "- fix it", "\"-x\""]
    {
        assert_eq!(meant(&format!("/ralph {typed}")), format!("task: {typed}"));
    }
    assert_eq!(meant("/ralph start stauts"), "task: stauts");
    assert_eq!(meant("/ralph fix"), "task: fix");
}

#[test]
fn a_task_stays_as_it_was_typed() {
    for text in [
        "fix the user's login, don't touch O'Brien's code",
        "run $(rm /) and `touch x` and ${HOME} \\ %PATH%",
        "첫째 줄\n  둘째 줄: \"인용\" 포함\n",
        "a <b> & | ; > c",
        "use \"-x\" and - and -- and -1 here",
    ] {
        assert_eq!(task(text), text.trim());
    }
    assert_eq!(task("\"fix  the 'login'\""), "fix  the 'login'");
    assert_eq!(task("'say \"hi\"'"), "say \"hi\"");
    assert_eq!(task(r#""say \"hi\"""#), "say \"hi\"");
    assert_eq!(task("“fix it”"), "“fix it”");
    let long = "가나다 라 ".repeat(4000);
    assert_eq!(task(&long), long.trim());
}

#[test]
fn flags_are_taken_wherever_they_stand() {
    for text in [
        "fix it --max-iterations 3 --promise=FERTIG",
        "--max-iterations=3 --promise FERTIG fix it",
        "fix --promise \"FERTIG\" it --max-iterations '3'",
        "\"fix it\" --completion-promise=\"FERTIG\" --max-iterations=3",
    ] {
        let wanted = read(text).unwrap();
        assert_eq!(wanted.task.text, "fix it", "{text}");
        let shown = format!("{:?}", wanted.policy);
        assert!(shown.contains("Some(\"FERTIG\")") && shown.contains("Some(\"3\")"), "{shown}");
    }
    let two_words = read("fix it --promise=\"ALL DONE\"").unwrap();
    assert!(format!("{:?}", two_words.policy).contains("ALL DONE"));
    for text in [
        r#"fix it --criteria custom:sh:"grep -q b a""#,
        r#"--criteria="custom:sh:grep -q b a" fix it"#,
        "fix --criteria 'custom:sh:grep -q b a' it",
    ] {
        let wanted = read(text).unwrap();
        assert_eq!(wanted.task.text, "fix it", "{text}");
        let shown = format!("{:?}", wanted.policy);
        assert!(shown.contains(r#""custom:sh:grep -q b a""#), "{shown}");
    }
}

#[test]
fn a_flag_inside_a_quotation_is_a_part_of_the_task() {
    assert_eq!(task("\"explain --release\" --zero-errors"), "explain --release");
    assert_eq!(
        task("explain `cargo build --release` please"),
        "explain `cargo build --release` please"
    );
}

#[test]
fn an_unknown_flag_is_an_error_that_says_what_to_do() {
    let error = read("fix it --max 3").unwrap_err().to_string();
    assert!(error.contains("--max") && error.contains("quotes"), "{error}");
    let error = read("--zero-errors").unwrap_err().to_string();
    assert!(error.contains("task is empty"), "{error}");
    let error = read("fix it --force").unwrap_err().to_string();
    assert!(error.contains("--force") && !error.contains("similar"), "{error}");
    let error = read("fix it --max-iteration 3").unwrap_err().to_string();
    assert!(error.contains("'--max-iterations'"), "{error}");
}

#[test]
fn a_command_that_judges_goes_into_quotes() {
    for (typed, shown) in [
        (
            "fix it --criteria custom:python3 -m unittest -v",
            "--criteria \"custom:python3 -m unittest -v\"",
        ),
        (
            "--criteria=custom:pytest -q --max-iterations 3 fix it",
            "--criteria \"custom:pytest -q\"",
        ),
        ("fix the -v flag --zero-errors", "/ralph \"fix the -v flag\""),
    ] {
        let error = read(typed).unwrap_err().to_string();
        assert!(error.contains("is no flag") && error.ends_with(shown), "{typed}: {error}");
    }
    assert_eq!(task("\"fix the -v flag\" --zero-errors"), "fix the -v flag");
    assert_eq!(task("fix it --criteria \"custom:python3 -m unittest -v\""), "fix it");
}

#[test]
fn two_dashes_end_the_flags() {
    assert_eq!(task("-- --weird and -x"), "--weird and -x");
    assert_eq!(task("--zero-errors -- --weird"), "--weird");
    let error = read("--weird task").unwrap_err().to_string();
    assert!(!error.contains("-- --weird"), "{error}");
}

#[test]
fn a_path_behind_an_at_sign_is_a_target_and_stays_in_the_task() {
    let wanted = read("clean up @src/services/ and @한글.rs, please").unwrap();
    assert_eq!(wanted.task.targets, ["src/services/", "한글.rs"]);
    assert_eq!(wanted.task.text, "clean up @src/services/ and @한글.rs, please");
    let error = read("clean up @src/serivces").unwrap_err().to_string();
    assert!(error.contains("`@src/serivces` names no file"), "{error}");
    assert!(read("\"ask @alice\"").unwrap().task.targets.is_empty());
    assert!(read("write to a@b.example and @ me").unwrap().task.targets.is_empty());
}

#[test]
fn the_help_is_short_and_names_what_matters() {
    for locale in [Locale::En, Locale::Ko] {
        let help = help(locale);
        assert!(help.lines().count() <= 8, "{help}");
        let words = ["status", "report", "rollback", "--max-iterations", "--criteria"];
        for word in words.into_iter().chain(["/cancel-ralph", "pause | resume", "Esc"]) {
            assert!(help.contains(word), "{word}: {help}");
        }
    }
}

proptest! {
    #[test]
    fn whatever_is_typed_is_a_task_or_an_error(text in "\\PC{0,80}") {
        if let Some(SlashPrompt::Arm(rest)) = parse(&format!("/ralph {text}")) {
            let _ = read(&rest);
        }
    }

    #[test]
    fn words_without_a_dash_in_front_are_kept(text in "[^\\-@\\s\"'`“][^\\s\"'`“]{0,10}( [^\\-@\\s\"'`“][^\\s\"'`“]{0,10}){0,6}") {
        prop_assert_eq!(task(&text), text);
    }
}
