use super::*;

#[track_caller]
fn asked(text: &str, want: &str) {
    assert_eq!(asks(text).as_deref(), Some(want), "{text:?}");
}

#[track_caller]
fn not_asked(text: &str) {
    assert_eq!(asks(text), None, "{text:?}");
}

#[test]
fn an_english_question_at_the_end_is_asked() {
    asked("Should I use Postgres?", "Should I use Postgres?");
    asked("I read the code. Should I drop the table?", "Should I drop the table?");
    asked("Two ways exist.\n\nWhich one do you want?\n", "Which one do you want?");
    asked("Should I keep A? Or B?", "Should I keep A? Or B?");
    asked("Fixed one.\nShould I rename it to `main.rs`?", "Should I rename it to `main.rs`?");
    asked("**Shall I go on?**", "Shall I go on?");
    asked(
        "I can add tests (or would you rather not?)",
        "I can add tests (or would you rather not?)",
    );
    asked("What?!", "What?!");
    asked("Should I read https://example.com/a?", "Should I read https://example.com/a?");
    asked("```\nx\n```\nIs this the right file?", "Is this the right file?");
    asked("\x1b[1mShall I go on?\x1b[0m\r\n", "Shall I go on?");
    asked("1. Should I use A?\n2. Should I drop B?", "Should I drop B?");
}

#[test]
fn an_english_request_needs_no_question_mark() {
    asked("Please let me know how to go on.", "Please let me know how to go on.");
    asked("Read it all. Let me know which you prefer.", "Let me know which you prefer.");
    asked("Please confirm that I may delete it", "Please confirm that I may delete it");
    asked("Which option do you prefer", "Which option do you prefer");
    asked("If you want tests, let me know!", "If you want tests, let me know!");
    asked("I need your decision on the schema.", "I need your decision on the schema.");
    asked(
        "The key is missing, so please provide one.",
        "The key is missing, so please provide one.",
    );
}

#[test]
fn a_korean_question_or_request_is_asked() {
    asked("테이블을 삭제할까요", "테이블을 삭제할까요");
    asked("두 가지입니다. 어느 쪽을 원하시나요?", "어느 쪽을 원하시나요?");
    asked("원하는 방식을 알려주세요.", "원하는 방식을 알려주세요.");
    asked("원하는 방식을 알려 주세요", "원하는 방식을 알려 주세요");
    asked("아래에서 선택해 주세요:\n1. A\n2. B", "아래에서 선택해 주세요:\n1. A\n2. B");
    asked("이대로 진행해도 됩니까？", "이대로 진행해도 됩니까？");
    asked("계속할까요?\n- 예\n- 아니요", "계속할까요?\n- 예\n- 아니요");
}

#[test]
fn options_below_a_question_belong_to_it() {
    asked(
        "Done so far.\n\nWhich do you prefer?\n\n1. Keep it\n   as it is\n2. Drop it",
        "Which do you prefer?\n\n1. Keep it\n   as it is\n2. Drop it",
    );
    asked("Please choose:\n- A\n- B", "Please choose:\n- A\n- B");
}

#[test]
fn a_question_that_does_not_end_the_text_is_not_asked() {
    not_asked("Why did it fail? The lock was missing.");
    not_asked("Done. Any questions? No.");
    not_asked("Should I use A?\n\nI chose A and went on.");
    not_asked("왜 실패했을까요? 잠금이 없었습니다.");
    not_asked("Why did it fail?\n- The lock was missing\n- The retry hid it");
    not_asked("Should I use A?\n\n<promise>DONE</promise>");
}

#[test]
fn code_addresses_and_quotations_do_not_ask() {
    not_asked("The operator is `a ? b : c?`");
    not_asked("```\nreally?\n```");
    not_asked("```\nreally?");
    not_asked("~~~\nShould I go on?");
    not_asked("> Should I go on?");
    not_asked("The dialog now asks \"Are you sure?\"");
    not_asked("The dialog now asks “Are you sure?”");
    not_asked("화면에 「계속할까요?」");
    not_asked("See https://example.com/search?q=rust");
    not_asked("The endpoint is https://example.com/search?");
    not_asked("Added the text `please confirm`");
    not_asked("| is it ok? |");
}

#[test]
fn statements_and_courtesies_do_not_ask() {
    not_asked("");
    not_asked("?");
    not_asked("All tests pass.");
    not_asked("모두 완료했습니다.");
    not_asked("Is there anything else I can help with?");
    not_asked("Let me know if you have any questions.");
    not_asked("더 필요한 것이 있으신가요?");
    not_asked("The form asks users to please confirm the order.");
    not_asked("Please run the tests once more.");
    not_asked("서버를 실행해 주세요.");
    not_asked("I fixed which option do you see first.");
    not_asked("- item one\n- item two");
}

#[test]
fn a_long_question_is_cut_at_five_hundred_characters() {
    let long = format!("Should I {}?", "really ".repeat(200));
    let question = asks(&long).unwrap();
    assert_eq!(question.chars().count(), 500);
    assert!(question.starts_with("Should I really") && question.ends_with('…'));
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in proptest::prelude::any::<String>()) {
        let question = asks(&text);
        proptest::prop_assert!(question.is_none_or(|q| q.chars().count() <= 500));
    }

    #[test]
    fn text_made_of_marks_is_read_without_a_panic(text in "[ \n?.`>*\"'「」가a-]{0,40}") {
        asks(&text);
    }
}
