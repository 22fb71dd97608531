use super::*;

#[test]
fn names_are_told_from_words_by_how_they_are_written() {
    let found = named(
        "In src/auth/login.rs, `Session::open` and save_user() call checkName. See https://a.example/x.py \
         and `run`; config.toml의 `max_size`를 and `cargo test --lib`. The User is e.g. fine.",
    );
    assert_eq!(found.files, ["src/auth/login.rs", "config.toml"]);
    assert_eq!(found.symbols, ["open", "save_user", "checkName", "run", "max_size"]);
    assert_eq!(named("just plain words, nothing else."), MentionedNames::default());
}

#[test]
fn a_file_is_known_by_its_ending_whatever_its_name_and_whatever_follows() {
    for (task, want) in [
        ("저장소.py를 고쳐라", "저장소.py"),
        ("store.py를 고쳐라", "store.py"),
        ("fix größe.py, please", "größe.py"),
        ("see app.py:12", "app.py"),
        ("edit ./src/index.d.ts.", "src/index.d.ts"),
        ("what about (a/b.test.js)?", "a/b.test.js"),
    ] {
        assert_eq!(named(task).files, [want], "{task}");
    }
    for task in ["read main.rs.bak", "see https://a.example/x.py", "a .py file", "c.c_d"] {
        assert_eq!(named(task).files, [] as [&str; 0], "{task}");
    }
    let found = named("fix store.py#Store.save and test_app.py::test_login");
    assert_eq!(found.files, ["store.py", "test_app.py"]);
    assert_eq!(found.symbols, ["save", "test_login"]);
}

#[test]
fn of_a_pasted_log_the_first_names_are_kept() {
    let lines: Vec<String> =
        (0..200_000).map(|line| format!("src/f{line}.rs call_{line}()")).collect();
    let found = named(&lines.join("\n"));
    assert_eq!(found.files.len(), 100);
    assert_eq!(found.symbols.len(), 100);
    assert_eq!(found.files[0], "src/f0.rs");
}

#[test]
fn what_is_missing_is_searched_for_before_a_person_is_asked() {
    let task = named("fix the crash in `open` and `close`");
    let missing = vec!["open".to_owned(), "close".to_owned()];
    assert_eq!(Sufficiency::of(&task, None), Sufficiency::ExpandSearch { missing });
    let asked = Sufficiency::of(&task, Some(&["open".to_owned()]));
    let question = "`open` is not in the code. If it is not to be new, what is meant?";
    assert_eq!(asked.question(Locale::En).as_deref(), Some(question));
    assert!(asked.question(Locale::Ko).is_some_and(|it| it.starts_with("`open` 을(를)")));
}

#[test]
fn nobody_is_asked_about_what_a_task_does_not_name() {
    for known in [None, Some(&[] as &[String])] {
        let found = Sufficiency::of(&named("Add a dark theme"), known);
        assert_eq!((found.question(Locale::En), found), (None, Sufficiency::Ready));
    }
    assert_eq!(Sufficiency::of(&named("fix `open`"), Some(&[])), Sufficiency::Ready);
}
