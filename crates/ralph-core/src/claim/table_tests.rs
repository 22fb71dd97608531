use super::*;

const PROMISED: Claim = Claim::Made(ClaimKind::Promise);

fn rules(promise: &str, mode: MatchMode) -> ClaimRules {
    ClaimRules { promise: Promise::new(promise), mode, ..ClaimRules::default() }
}

/// Checks every text against `want` with the promise DONE.
#[track_caller]
fn check(mode: MatchMode, want: &Claim, texts: &[&str]) {
    for text in texts {
        assert_eq!(detect(text, &rules("DONE", mode)), *want, "{mode} {text:?}");
    }
}

#[track_caller]
fn tagged(want: &Claim, texts: &[&str]) {
    check(MatchMode::Tag, want, texts);
}

#[track_caller]
fn near(reason: NearMissReason, texts: &[&str]) {
    tagged(&Claim::NearMiss(reason), texts);
}

fn marked(marker: &str) -> Claim {
    Claim::Made(ClaimKind::Marker(marker.to_owned()))
}

#[test]
fn a_tag_that_ends_the_text_is_a_claim() {
    tagged(
        &PROMISED,
        &[
            "<promise>DONE</promise>",
            "All tests pass now and nothing is left. <promise>DONE</promise>",
            "All tests pass.\n\n<promise>DONE</promise>\n",
            "All tests pass <promise>DONE</promise>",
            "Everything works: <promise>DONE</promise>",
            "Done.<promise>DONE</promise>",
            "I have therefore said <promise>DONE</promise>",
            "- fixed a\n- fixed b\n\n<promise>DONE</promise>",
            "- <promise>DONE</promise>",
            "## <promise>DONE</promise>",
            "    <promise>DONE</promise>",
            "Final output: <promise>DONE</promise>",
            "No errors remain <promise>DONE</promise>",
            "✅ <promise>DONE</promise>",
            "<promise>DONE</promise>\n<promise>DONE</promise>",
        ],
    );
}

#[test]
fn case_and_white_space_of_a_tag_are_free() {
    tagged(
        &PROMISED,
        &[
            "<PROMISE>done</Promise>",
            "<promise> DONE </promise>",
            "<promise>\nDONE\n</promise>",
            "<promise>\r\n  Done\t\r\n</promise>\r\n\r\n",
            "<promise>\u{a0}DONE\u{3000}</promise>",
        ],
    );
    tagged(&Claim::None, &["< promise >DONE</ promise >", "<promise>DO NE</promise2>"]);
}

#[test]
fn terminal_codes_and_invisible_characters_do_not_hide_a_tag() {
    tagged(
        &PROMISED,
        &[
            "\x1b[1m<promise>DONE</promise>\x1b[0m",
            "<promise>\x1b[32mDONE\x1b[39m</promise>\x1b[K",
            "\u{feff}<promise>DO\u{200b}NE</promise>\u{200b}",
            "<promise>DONE</promise>\x1b]0;ready\x07",
            "<promise>DONE</promise>\0",
        ],
    );
}

#[test]
fn emphasis_and_one_full_stop_may_follow_a_tag() {
    tagged(
        &PROMISED,
        &[
            "**<promise>DONE</promise>**",
            "_<promise>DONE</promise>_",
            "***<promise>DONE</promise>***!",
            "<promise>DONE</promise>.",
            "<promise>DONE</promise>!",
            "<promise>DONE</promise>。",
            "**All is well.** <promise>DONE</promise>",
        ],
    );
}

#[test]
fn a_tag_with_more_text_after_it_is_a_near_miss() {
    near(
        NearMissReason::MoreTextFollows,
        &[
            "<promise>DONE</promise> and that was it",
            "<promise>DONE</promise> but one test does not pass yet.",
            "It works.\n<promise>DONE</promise> if you agree, I stop here",
            "<promise>DONE</promise>\n\nI will write the summary now.",
            "<promise>DONE</promise>?",
            "<promise>DONE</promise>...",
            "(<promise>DONE</promise>)",
            "~~<promise>DONE</promise>~~",
            "<promise>DONE</promise> 🎉",
            "<promise>DONE</promise>\n\n<promise>OTHER</promise>",
            "<promise>DONE</promise>\n\n```\nls\n```",
            "<!-- <promise>DONE</promise> -->",
        ],
    );
}

#[test]
fn a_tag_in_code_is_a_near_miss() {
    near(
        NearMissReason::InCode,
        &[
            "```\n<promise>DONE</promise>\n```",
            "```\n<promise>DONE</promise>",
            "```text\nx\n\n<promise>DONE</promise>\n```\n",
            "~~~\n<promise>DONE</promise>\n~~~",
            "````\n```\n<promise>DONE</promise>",
            "~~~\n```\n~~~~ \n```sh\n<promise>DONE</promise>",
            "1. ```sh\n   <promise>DONE</promise>\n   ```",
            "``` <promise>DONE</promise>",
            "`<promise>DONE</promise>`",
            "`<promise>DONE</promise>`.",
            "**`<promise>DONE</promise>`**",
            "``<promise>DONE</promise>``",
            "`<promise>DONE</promise>",
            "`echo <promise>DONE</promise> `",
            "I will say `<promise>DONE</promise>`",
        ],
    );
}

#[test]
fn code_elsewhere_does_not_spoil_a_tag() {
    tagged(
        &PROMISED,
        &[
            "```\nls\n```\n<promise>DONE</promise>",
            "- ```sh\n  ls\n  ```\n\n<promise>DONE</promise>",
            "`cargo test` passes <promise>DONE</promise>",
            "a lone ` mark <promise>DONE</promise>",
            "I fixed the `if` and `not` paths <promise>DONE</promise>",
            "```inline``` and then <promise>DONE</promise>",
        ],
    );
}

#[test]
fn a_quoted_tag_is_a_near_miss() {
    near(
        NearMissReason::Quoted,
        &[
            "> <promise>DONE</promise>",
            "> All is well. <promise>DONE</promise>",
            "- > <promise>DONE</promise>",
            "\"<promise>DONE</promise>\"",
            "'<promise>DONE</promise>'.",
            "“<promise>DONE</promise>”",
            "‘<promise>DONE</promise>’",
            "「<promise>DONE</promise>」",
            "«<promise>DONE</promise>»",
            "**\"<promise>DONE</promise>\"**",
            "The task says \"finish with <promise>DONE</promise>\"",
        ],
    );
    tagged(
        &PROMISED,
        &["The test prints \"ok\" <promise>DONE</promise>", "\"Ok.\"<promise>DONE</promise>"],
    );
}

#[test]
fn a_negated_tag_is_a_near_miss() {
    near(
        NearMissReason::Negated,
        &[
            "I am NOT outputting <promise>DONE</promise>",
            "I can't say <promise>DONE</promise>",
            "I won’t say <promise>DONE</promise>.",
            "Never say <promise>DONE</promise>",
            "I cannot output <promise>DONE</promise>",
            "This is not the time for:\n<promise>DONE</promise>",
            "아직 <promise>DONE</promise>",
            "완료하지 못했습니다: <promise>DONE</promise>",
            "완료되지 않았으므로 <promise>DONE</promise>",
            "안 끝났습니다 <promise>DONE</promise>",
            "출력할 수 없습니다: <promise>DONE</promise>",
        ],
    );
}

#[test]
fn a_planned_or_conditional_tag_is_a_near_miss() {
    near(
        NearMissReason::Conditional,
        &[
            "I will output <promise>DONE</promise>",
            "I'll output <promise>DONE</promise>",
            "When finished I'd say <promise>DONE</promise>",
            "Once all is green: <promise>DONE</promise>",
            "Work on until you can say <promise>DONE</promise>",
            "If all is well, <promise>DONE</promise>",
            "Unless something breaks, <promise>DONE</promise>",
            "Run the tests before <promise>DONE</promise>",
            "I am going to say <promise>DONE</promise>",
            "완료되면 <promise>DONE</promise>",
            "모두 끝났을 때 <promise>DONE</promise>",
            "곧 출력하겠습니다: <promise>DONE</promise>",
            "만약 통과한다면 <promise>DONE</promise>",
            "완료 후에 출력: <promise>DONE</promise>",
            "출력할 예정입니다 <promise>DONE</promise>",
        ],
    );
}

#[test]
fn an_echoed_instruction_is_a_near_miss() {
    near(
        NearMissReason::Conditional,
        &[
            "When FULLY complete, output: <promise>DONE</promise>",
            "Fix it. When FULLY complete, output:\n\n<promise>DONE</promise>",
            "**When complete, output exactly:**\n<promise>DONE</promise>",
            "output: <promise>DONE</promise>",
            "Then output exactly this: <promise>DONE</promise>",
            "작업이 완료되면 다음을 출력하세요:\n<promise>DONE</promise>",
        ],
    );
}

#[test]
fn a_hedge_in_another_sentence_does_not_spoil_a_tag() {
    tagged(
        &PROMISED,
        &[
            "If you run it, all is green.\n\n<promise>DONE</promise>",
            "I did not touch the API. <promise>DONE</promise>",
            "It will not fail again\n<promise>DONE</promise>",
            "Should it fail? It can't! <promise>DONE</promise>",
            "더 이상 실패하지 않습니다. <promise>DONE</promise>",
            "남은 오류가 없습니다 <promise>DONE</promise>",
            "모든 테스트가 통과했습니다.\n\n<promise>DONE</promise>",
            "수정하면서 테스트도 추가했습니다: <promise>DONE</promise>",
        ],
    );
}

#[test]
fn talking_about_the_tag_is_nothing_at_all() {
    tagged(
        &Claim::None,
        &[
            "",
            "   \n",
            "Still working on the parser.",
            "I will output <promise>DONE</promise> later. Next comes the parser.",
            "I am NOT outputting `<promise>DONE</promise>` since 3 tests fail.",
            "The task says \"<promise>DONE</promise>\" ends it. On to step two.",
            "<promise>DONE</promise>를 출력하겠습니다. 다음 단계로 갑니다.",
            "I am not outputting a completion promise",
            "All is done.",
            "<promise>",
            "</promise>",
            "promise DONE promise",
        ],
    );
}

#[test]
fn the_bare_word_is_a_near_miss_in_tag_mode() {
    near(
        NearMissReason::BareWord,
        &["DONE", "All tests pass. DONE", "**DONE**", "DONE!", "<promise>DONE", "Status: DONE\n"],
    );
    tagged(
        &Claim::None,
        &["done", "UNDONE", "NOT_DONE", "I am not DONE", "DONE with step one, on to two"],
    );
}

#[test]
fn another_word_in_the_tag_is_named() {
    near(
        NearMissReason::WrongWord("FINISHED".to_owned()),
        &["<promise>FINISHED</promise>", "<PROMISE>FINISHED</PROMISE>"],
    );
    near(NearMissReason::WrongWord("NOT DONE".to_owned()), &["<promise> NOT\nDONE </promise>."]);
    near(NearMissReason::WrongWord(String::new()), &["<promise></promise>"]);
    near(NearMissReason::WrongWord("DONE!".to_owned()), &["<promise>DONE!</promise>"]);
    tagged(
        &Claim::None,
        &["`<promise>FINISHED</promise>`", "I will say <promise>FINISHED</promise>"],
    );
}

#[test]
fn a_promise_may_hold_any_characters() {
    for promise in [
        "(.*)+$",
        "[a-z]",
        "a|b",
        "ALL TESTS PASS",
        "완료 했음",
        "ÄÖÜ",
        "</promise>",
        "\"x\"",
        "🎉",
        "?",
        "C++",
        "> a",
    ] {
        let tag = format!("ok\n<promise>{promise}</promise>");
        assert_eq!(detect(&tag, &rules(promise, MatchMode::Tag)), PROMISED, "{promise}");
        assert_ne!(
            detect("<promise>abc</promise>", &rules(promise, MatchMode::Tag)),
            PROMISED,
            "{promise}"
        );
    }
    let wrapped = "<promise>all\n tests  pass</promise>";
    assert_eq!(detect(wrapped, &rules("ALL TESTS PASS", MatchMode::Tag)), PROMISED);
    assert_eq!(detect("<promise>äöü</promise>", &rules("ÄÖÜ", MatchMode::Tag)), PROMISED);
}

#[test]
fn a_word_that_ends_the_last_line_is_a_claim_in_word_mode() {
    check(
        MatchMode::Word,
        &PROMISED,
        &[
            "DONE",
            "All tests pass.\nDONE\n",
            "Status: DONE.",
            "**DONE**",
            "__DONE__!",
            "(DONE)",
            "[DONE]",
            "# DONE",
            "I am DONE",
            "\x1b[32mDONE\x1b[0m",
            "모두 끝났습니다. DONE",
            "<promise>done</promise>",
            "<promise>DONE</promise>\n\nSummary written. DONE",
        ],
    );
    check(
        MatchMode::Word,
        &Claim::None,
        &["done", "All is done.", "UNDONE", "DONE_2", "DONE\n\nOn to step two"],
    );
}

#[test]
fn a_word_is_held_to_the_same_exclusions_as_a_tag() {
    let near = |reason, texts: &[&str]| check(MatchMode::Word, &Claim::NearMiss(reason), texts);
    near(NearMissReason::MoreTextFollows, &["DONE with it", "DONE?", "DONE..."]);
    near(NearMissReason::InCode, &["`DONE`", "```\nDONE\n```", "```\nDONE"]);
    near(NearMissReason::Quoted, &["\"DONE\"", "> DONE", "“DONE”."]);
    near(NearMissReason::Negated, &["not DONE", "It isn't DONE.", "아직 DONE"]);
    near(
        NearMissReason::Conditional,
        &["I will say DONE", "When complete, output:\nDONE", "완료되면 DONE"],
    );
}

#[test]
fn contains_finds_the_whole_word_anywhere_and_asks_nothing_else() {
    check(
        MatchMode::Contains,
        &PROMISED,
        &[
            "DONE",
            "step DONE, going on",
            "not DONE",
            "`DONE`",
            "I will say \"DONE\" later\n\nx",
            "<promise>DONE</promise>",
            "> DONE\nmore",
        ],
    );
    check(
        MatchMode::Contains,
        &Claim::None,
        &["done", "UNDONE", "NOT_DONE", "DONE2", "DONE완료", ""],
    );
    assert_eq!(detect("이제 완료 입니다", &rules("완료", MatchMode::Contains)), PROMISED);
    assert_eq!(detect("이제 완료했습니다", &rules("완료", MatchMode::Contains)), Claim::None);
}

#[test]
fn markers_claim_in_every_mode() {
    for mode in [MatchMode::Tag, MatchMode::Word, MatchMode::Contains] {
        for marker in Marker::defaults() {
            let rules = rules("XYZZY", mode);
            let text = format!("All is well.\n{}", marker.as_str());
            assert_eq!(detect(&text, &rules), marked(marker.as_str()), "{mode}");
            assert_eq!(detect(&text.to_uppercase(), &rules), marked(marker.as_str()), "{mode}");
        }
        check(mode, &marked("<jikime:done />"), &["<jikime:done/>", "**<jikime:done\n/>**"]);
        check(mode, &marked("<ralph:done />"), &["Fixed it. <ralph:done />."]);
    }
}

#[test]
fn markers_follow_the_rules_of_tags() {
    near(NearMissReason::MoreTextFollows, &["<ralph:done /> and more"]);
    near(NearMissReason::InCode, &["`<ralph:done />`", "```\n<ralph:done />\n```"]);
    near(NearMissReason::Quoted, &["\"<ralph:done />\""]);
    near(NearMissReason::Conditional, &["I will say <ralph:done />"]);
    near(NearMissReason::Negated, &["not yet <ralph:done />"]);
    tagged(&Claim::None, &["I will say <ralph:done /> later. Now the parser."]);
    tagged(
        &marked("<ralph:done />"),
        &["<promise>DONE</promise>\n<ralph:done />", "<promise>NO</promise>\n<ralph:done />"],
    );
    tagged(&PROMISED, &["<ralph:done />\n<promise>DONE</promise>"]);
}

#[test]
fn an_empty_promise_is_disabled() {
    for promise in ["", "  \n", "\u{200b}", "\x1b[0m"] {
        assert_eq!(Promise::new(promise), None, "{promise:?}");
        assert_eq!(Marker::new(promise), None, "{promise:?}");
    }
    for mode in [MatchMode::Tag, MatchMode::Word, MatchMode::Contains] {
        for text in ["", "DONE", "<promise></promise>", "<promise>DONE</promise>", "anything"] {
            assert_eq!(detect(text, &rules("", mode)), Claim::None, "{mode} {text:?}");
        }
        assert_eq!(detect("<ralph:done/>", &rules("", mode)), marked("<ralph:done />"));
    }
}

#[test]
fn a_mode_reads_back_from_its_name() {
    for mode in [MatchMode::Tag, MatchMode::Word, MatchMode::Contains] {
        assert_eq!(mode.as_str().parse(), Ok(mode));
    }
    let error = "exact".parse::<MatchMode>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`exact` is not a match mode; expected `tag`, `word` or `contains`"
    );
}

#[test]
fn a_tag_far_before_the_end_is_no_longer_looked_at() {
    let text = format!("<promise>DONE</promise>{}", "\nmore".repeat(WINDOW));
    assert_eq!(detect(&text, &rules("DONE", MatchMode::Tag)), Claim::None);
}
