use super::super::notes::{CLOSING, OPENING};
use super::*;

const ONE: &str = "m0123456789ab";
const OTHER: &str = "mzyxwvtsrqpnm";

#[track_caller]
fn check(text: &str, want: &[&str]) {
    assert_eq!(cited(text), want, "{text}");
}

/// Checks sentences in which `[A]` and `[B]` stand for names.
#[track_caller]
fn check_all(sentences: &[&str], want: &[&str]) {
    for sentence in sentences {
        let text = sentence.replace("[A]", &format!("[{ONE}]"));
        check(&text.replace("[B]", &format!("[{OTHER}]")), want);
    }
}

#[test]
fn names_in_brackets_are_cited() {
    check(&format!("I rebuilt the cache first [{ONE}]."), &[ONE]);
    check(&format!("as [{OTHER}, {ONE}] say"), &[OTHER, ONE]);
    check(&format!("[`{ONE}`] 에 따라 [{ONE}]"), &[ONE]);
    check(&format!("[{ONE}][{OTHER}]에 따라"), &[ONE, OTHER]);
    check(&format!("see [the list[{ONE}]"), &[ONE]);
    check(&format!("see [{ONE}, mfoo]"), &[ONE]);
    check(&format!("[m0123, {ONE}] 참고"), &[ONE]);
}

#[test]
fn what_is_only_spoken_of_is_not_cited() {
    check(&format!("Noted {ONE} (gotcha, task)."), &[]);
    check(&format!("`ralph memory show {ONE}`"), &[]);
    check(&format!("[memory {ONE}] [see, {ONE}]"), &[]);
    check(&format!("b.py:2 no prints [ralph-memory {ONE}/no-print]"), &[]);
    check(&format!("[{ONE}"), &[]);
}

#[test]
fn what_is_part_of_another_word_is_not_cited() {
    check(&format!("[x{ONE}] [{ONE}0] [_{ONE}]"), &[]);
    check("in turn 7 of them, moreover", &[]);
}

#[test]
fn repeating_what_was_shown_cites_nothing() {
    check(&format!("{OPENING}\n- [{ONE}] x\n{CLOSING} ok [{OTHER}]"), &[OTHER]);
}

#[test]
fn whoever_calls_a_note_wrong_does_not_rely_on_it() {
    let sentences = [
        "Note [A] is wrong.",
        "[A] is outdated",
        "The note [A] is clearly out of date: the port moved.",
        "[A] isn't true any more, so I left it.",
        "[A] is **not correct** here.",
        "[A] seems to be stale.",
        "[A] no longer holds.",
        "[A] does not apply to this branch.",
        "[A] doesn't match the code.",
        "[A] was incorrect, the cache is rebuilt anyway.",
        "[A] about the port is wrong.",
        "[A], which says to use make, is wrong.",
        "[A] (use make) is obsolete.",
        "[A] says to use make, but it no longer works.",
        "I read [A] and it's wrong.",
        "[A] should be ignored.",
        "[A] can be disregarded.",
        "I think the advice in [A] turned out wrong.",
        "According to the code, [A] is inaccurate.",
        "- [A] (outdated)",
        "[A]: wrong",
        "I did not\nfollow [A].",
        "[A] was no help.",
        "[A] is of no use here.",
        "Neither [A] nor anything else applied.",
        "Neither the manual nor [A] helped.",
        "Neither [A] nor [B] was right.",
    ];
    check_all(&sentences, &[]);
}

#[test]
fn whoever_passes_a_note_over_does_not_rely_on_it() {
    let sentences = [
        "I ignored [A].",
        "Ignoring the note [A], I used port 9090.",
        "Ignore [A] and [B].",
        "Contrary to [A], the tests run in parallel.",
        "Despite what [A] says, the order matters.",
        "In spite of [A] I kept the lock.",
        "Unlike [A] says, the cache is per user.",
        "I used the socket instead of [A].",
        "I disagree with [A].",
        "Without following [A], I rebuilt it.",
        "The outdated note [A] should go.",
        "Outdated: [A], [B]",
        "It is no longer true what [A] says.",
        "It did not help, ignoring [A].",
    ];
    check_all(&sentences, &[]);
}

#[test]
fn a_note_is_called_wrong_and_passed_over_in_korean() {
    let sentences = [
        "노트 [A]는 틀렸다.",
        "[A] 노트는 틀렸습니다.",
        "[A]는 더 이상 맞지 않는다.",
        "[A]은 코드와 맞지 않습니다.",
        "[A]는 오래된 내용이라 쓰지 않았다.",
        "[A]를 무시하고 진행했다.",
        "[A] 기록을 따르지 않았다.",
        "[A]와 달리 포트는 9090이다.",
        "[A]에도 불구하고 실패했다.",
        "오래된 노트 [A]",
        "[A]는 포트가 8080이라고 하지만 사실이 아니다.",
        "[A] 무시함",
        "[A]: 무시함.",
        "[A] 해당 없음",
        "[A]는 도움이 되지 않았다.",
        "[A]는 내용이 틀렸다.",
        "[A]는 버전이 바뀌어서 더 이상 맞지 않는다.",
        "[A]를 완전히 무시했다.",
        "[A]와 [B]는 틀렸다.",
        "[A], [B]는 틀렸다.",
        "[A] 및 [B]를 무시하고 진행했다.",
    ];
    check_all(&sentences, &[]);
}

#[test]
fn a_reason_for_changing_what_is_wrong_is_cited() {
    let sentences = [
        "Per [A], I fixed the wrong constant.",
        "As [A] says, the cache is stale.",
        "As [A] says, this is wrong.",
        "The cache was stale, so I rebuilt it [A].",
        "The constant was wrong [A].",
        "[A] was right that the timeout is wrong.",
        "[A] says it is wrong to mock the clock.",
        "[A] is not wrong.",
        "I did not retry, following [A].",
        "No retries, following [A]",
        "Without the help of the note [A] I could not have fixed it.",
        "Neither [A] nor the test is wrong.",
        "I ignored neither [A] nor the manual.",
        "I did not ignore [A].",
        "I ignored the warning, as [A] says.",
        "Following [A], I found that the index is outdated.",
        "According to [A], the old setting does not apply.",
        "Because of [A] I removed the false positive.",
        "[A]: clear the stale lock first",
        "The code contradicted [A], so I changed it.",
        "I relied on [A], which was right, though the log was misleading.",
        "The expected value was wrong.\n[A] shows the right one.",
        "The test is wrong. I followed [A]. The rest is outdated.",
        "[A]에 따라 틀린 값을 고쳤다.",
        "[A] 덕분에 오래된 캐시를 지웠다.",
        "[A]대로 무시 목록에 추가했다.",
        "[A]는 맞았고 테스트가 틀렸다.",
        "[A]를 따라 mock을 쓰지 않았다.",
        "[A]를 보고 캐시를 쓰지 않았다.",
        "[A]가 설명한 대로 lint 경고를 무시했다.",
        "[A]가 말한 대로 잘못된 내용을 고쳤다.",
        "[A]가 지적한 틀린 내용을 고쳤다.",
        "[A]는 유용했고 테스트가 틀렸다.",
        "[A]는 유용했지만 테스트가 틀렸다.",
        "[A]는 틀리지 않았다.",
        "[A]를 무시하지 않았다.",
        "[A]는 무시하면 안 된다.",
        "[A]를 무시할 수 없다.",
        "[A] 무시 목록에 추가했다.",
        "캐시가 오래된 것이라 지웠다 [A].",
    ];
    check_all(&sentences, &[ONE]);
}

#[test]
fn of_several_notes_only_the_wrong_one_is_no_reason() {
    let sentences = [
        "[A] is wrong, so I followed [B].",
        "I followed [B] because [A] is wrong.",
        "I used [B] instead of [A].",
        "Ignoring [A], I did as [B] says.",
        "I looked at [A] and [B]. Then [A] proved wrong.",
        "[A]는 틀렸고 [B]에 따라 고쳤다.",
        "[B]는 캐시를 지우라고 했고 [A]는 틀렸다.",
        "[A]와 달리 [B]는 맞았다.",
        "[A] 대신 [B]를 따랐다.",
    ];
    check_all(&sentences, &[OTHER]);
}

#[test]
fn many_words_behind_a_name_take_linear_time() {
    let text = format!("[{ONE}] {}", "be ".repeat(20_000));
    check(&text, &[ONE]);
    let text = format!("[{ONE}]는 캐시를 지운다 ").repeat(2_000);
    check(&text, &[ONE]);
}
