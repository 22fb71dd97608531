use proptest::prelude::*;

use super::*;

fn task(text: &str) -> String {
    Wanted::read(text).unwrap().task.text
}

fn arm(text: &str) -> Slash {
    Slash::Arm(text.to_owned())
}

#[test]
fn only_our_own_commands_are_understood() {
    assert_eq!(parse("/ralph fix it"), Some(arm("fix it")));
    assert_eq!(parse("  /ralph:ralph fix it"), Some(arm("fix it")));
    assert_eq!(parse("/ralph\nfix it"), Some(arm("fix it")));
    for other in ["fix it", "/ralphie fix", "say /ralph", "/help", "", "/"] {
        assert_eq!(parse(other), None, "{other}");
    }
}

#[test]
fn a_verb_is_one_only_in_the_first_place() {
    assert_eq!(parse("/ralph stop"), Some(Slash::Verb(Verb::Stop, Vec::new())));
    assert_eq!(parse("/cancel-ralph"), Some(Slash::Verb(Verb::Stop, Vec::new())));
    assert_eq!(parse("/ralph --cancel"), Some(Slash::Verb(Verb::Stop, Vec::new())));
    assert_eq!(parse("/ralph"), Some(Slash::Verb(Verb::Help, Vec::new())));
    assert_eq!(parse("/ralph start fix it"), Some(arm("fix it")));
    assert_eq!(parse("/ralph make it stop"), Some(arm("make it stop")));
    assert_eq!(parse("/ralph \"stop\" the leak"), Some(arm("\"stop\" the leak")));
    let resume = Slash::Verb(Verb::Resume, vec!["run-1".to_owned()]);
    assert_eq!(parse("/ralph resume run-1"), Some(resume));
}

#[test]
fn a_misspelt_verb_begins_no_loop_and_the_verb_is_named() {
    let meant = |text: &str| match parse(&format!("/ralph {text}")) {
        Some(Slash::Unclear(word, verb)) => {
            let error = unclear(&word, verb).to_string();
            assert!(error.contains(&format!("`/ralph \"{word} …\"`")), "{error}");
            verb.map(str::to_owned)
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
        assert_eq!(parse(&format!("/ralph {typed}")), Some(arm(typed)), "{typed}");
    }
    assert_eq!(parse("/ralph start stauts"), Some(arm("stauts")));
    assert_eq!(parse("/ralph fix"), Some(arm("fix")));
}

#[test]
fn a_task_stays_as_it_was_typed() {
    for text in [
        "fix the user's login, don't touch O'Brien's code",
        "run $(rm -rf /) and `touch x` and ${HOME} \\ %PATH%",
        "첫째 줄\n  둘째 줄: \"인용\" 포함\n",
        "a <b> & | ; > c",
        "use -x and - and -- here",
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
        let wanted = Wanted::read(text).unwrap();
        assert_eq!(wanted.task.text, "fix it", "{text}");
        let shown = format!("{:?}", wanted.policy);
        assert!(shown.contains("Some(\"FERTIG\")") && shown.contains("Some(\"3\")"), "{shown}");
    }
    let two_words = Wanted::read("fix it --promise=\"ALL DONE\"").unwrap();
    assert!(format!("{:?}", two_words.policy).contains("ALL DONE"));
    for text in [
        r#"fix it --criteria custom:sh:"grep -q b a""#,
        r#"--criteria="custom:sh:grep -q b a" fix it"#,
        "fix --criteria 'custom:sh:grep -q b a' it",
    ] {
        let wanted = Wanted::read(text).unwrap();
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
    let error = Wanted::read("fix it --max 3").unwrap_err().to_string();
    assert!(error.contains("--max") && error.contains("quotes"), "{error}");
    let error = Wanted::read("--zero-errors").unwrap_err().to_string();
    assert!(error.contains("task is empty"), "{error}");
}

#[test]
fn a_path_behind_an_at_sign_is_a_target_and_stays_in_the_task() {
    let wanted = Wanted::read("clean up @src/services/ and @한글.rs").unwrap();
    assert_eq!(wanted.task.targets, ["src/services/", "한글.rs"]);
    assert_eq!(wanted.task.text, "clean up @src/services/ and @한글.rs");
    assert!(Wanted::read("write to a@b.example and @ me").unwrap().task.targets.is_empty());
}

#[test]
fn the_help_names_every_verb_and_flag() {
    let help = help();
    for word in ["/ralph status", "rollback", "--max-iterations", "--criteria", "/cancel-ralph"] {
        assert!(help.contains(word), "{word}: {help}");
    }
}

proptest! {
    #[test]
    fn whatever_is_typed_is_a_task_or_an_error(text in "\\PC{0,80}") {
        if let Some(Slash::Arm(rest)) = parse(&format!("/ralph {text}")) {
            let _ = Wanted::read(&rest);
        }
    }

    #[test]
    fn words_without_a_dash_in_front_are_kept(text in "[^\\-\\s\"'`“][^\\s\"'`“]{0,10}( [^\\-\\s\"'`“][^\\s\"'`“]{0,10}){0,6}") {
        prop_assert_eq!(task(&text), text);
    }
}
