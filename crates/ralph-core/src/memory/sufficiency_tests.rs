use super::*;

const FULL: Knowledge = Knowledge {
    files: Vec::new(),
    undefined: Vec::new(),
    has_check: true,
    has_looked_for_gotchas: true,
    rounds: 0,
};

fn known() -> Knowledge {
    Knowledge { files: vec!["src/lib.rs".to_owned()], ..FULL }
}

#[test]
fn the_kind_of_a_task_is_told_from_its_words() {
    for (task, want) in [
        ("Fix the login, it crashes on empty names", TaskKind::Fix),
        ("fix the failing tests", TaskKind::Fix),
        ("The total is wrong when the cart is empty", TaskKind::Fix),
        ("로그인 버그를 고쳐 주세요", TaskKind::Fix),
        ("Add a dark theme", TaskKind::Feature),
        ("다크 테마를 추가해 주세요", TaskKind::Feature),
        ("Implement the test command", TaskKind::Feature),
        ("Rename `Store` to `Shop`", TaskKind::Refactor),
        ("이 모듈을 리팩터링해 주세요", TaskKind::Refactor),
        ("Write tests for the parser", TaskKind::Test),
        ("파서에 대한 테스트를 작성해 주세요", TaskKind::Test),
        ("Update the README", TaskKind::Docs),
        ("설치 방법을 문서로 써 주세요", TaskKind::Docs),
        ("Where is the port configured?", TaskKind::Question),
        ("포트는 어디에서 설정하나요?", TaskKind::Question),
        ("Can you fix the login?", TaskKind::Fix),
        ("", TaskKind::Feature),
    ] {
        assert_eq!(TaskKind::of(task), want, "{task}");
    }
}

#[test]
fn names_are_told_from_words_by_how_they_are_written() {
    let found = named(
        "In src/auth/login.rs, `Session::open` and save_user() call checkName. See https://a.example/x.py \
         and `run`; config.toml의 `max_size`를 and `cargo test --lib`. The User is e.g. fine.",
    );
    assert_eq!(found.files, ["src/auth/login.rs", "config.toml"]);
    assert_eq!(found.symbols, ["open", "save_user", "checkName", "run", "max_size"]);
    assert_eq!(named("just plain words, nothing else."), Named::default());
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
fn a_task_whose_needs_are_known_can_begin() {
    assert_eq!(judge("fix the crash in `open`", &known(), Locale::En), Sufficiency::Ready);
    assert_eq!(
        judge("Where is it configured?", &Knowledge::default(), Locale::En),
        Sufficiency::Ready
    );
}

#[test]
fn what_is_missing_is_searched_for_before_a_person_is_asked() {
    let undefined = vec!["open".to_owned()];
    let first = Knowledge { undefined, ..FULL };
    let task = "fix the crash in `open`";
    let missing = vec![Slot::Files, Slot::Symbols];
    assert_eq!(
        judge(task, &first, Locale::En),
        Sufficiency::ExpandSearch { missing: missing.clone() }
    );
    let last = Knowledge { rounds: ROUNDS, ..first };
    let questions = vec![
        "Which files or parts of the code is this about?".to_owned(),
        "`open` is not in the code. What is meant?".to_owned(),
    ];
    assert_eq!(judge(task, &last, Locale::En), Sufficiency::RequestHuman { missing, questions });
}

#[test]
fn nobody_but_a_person_says_when_a_feature_is_done() {
    let asked = judge("Add a theme", &known(), Locale::Ko);
    let Sufficiency::RequestHuman { missing, questions } = asked else { panic!("{asked:?}") };
    assert_eq!(missing, [Slot::Criterion]);
    assert_eq!(questions, ["무엇이 되면 완료된 것인가요?"]);
    let said = judge("Add a theme that is used when the system is dark", &known(), Locale::En);
    assert_eq!(said, Sufficiency::Ready);
}

#[test]
fn a_new_name_is_not_missed() {
    let known = Knowledge { undefined: vec!["parse_span".to_owned()], ..known() };
    let task = "Add `parse_span`, which returns seconds";
    assert_eq!(judge(task, &known, Locale::En), Sufficiency::Ready);
}
