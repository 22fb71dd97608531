use proptest::prelude::*;

use super::*;

const MODES: [MatchMode; 3] = [MatchMode::Tag, MatchMode::Word, MatchMode::Contains];

fn rules(promise: &str, mode: MatchMode) -> ClaimRules {
    ClaimRules { promise: Promise::new(promise), mode, ..ClaimRules::default() }
}

/// Text made of the pieces that matter here, far denser than random letters.
fn dense_text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<promise>",
        "</promise>",
        "DONE",
        "done",
        "<ralph:done />",
        "`",
        "```",
        "~~~",
        "\n",
        " ",
        "> ",
        "\"",
        "“",
        "」",
        "**",
        "_",
        ".",
        "!",
        "?",
        ":",
        "not",
        "will",
        "아직",
        "때",
        "\x1b[1m",
        "\x1b]0;",
        "\x07",
        "\x1b",
        "\u{200b}",
        "\r\n",
        "é",
        "🎉",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// White space and complete terminal codes, as they may surround a message.
fn padding() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        " ",
        "\n",
        "\t",
        "\r\n",
        "\u{feff}",
        "\x1b[0m",
        "\x1b[1;32m",
        "\x1b]0;t\x07",
        "\x1b]8;;\x1b\\",
    ]);
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_and_promise_are_read_without_a_panic(text: String, promise: String) {
        for mode in MODES {
            detect(&text, &rules(&promise, mode));
        }
    }

    #[test]
    fn dense_text_is_read_without_a_panic(text in dense_text(), promise in dense_text()) {
        for mode in MODES {
            detect(&text, &rules(&promise, mode));
        }
    }

    #[test]
    fn without_promise_and_marker_nothing_is_claimed(text in dense_text()) {
        let text = text.replace("<ralph:done />", "").replace("DONE", "").replace("done", "");
        for mode in MODES {
            prop_assert!(!matches!(detect(&text, &rules("DONE", mode)), Claim::Made(_)));
        }
    }

    #[test]
    fn a_bare_word_never_claims_in_tag_mode(text in dense_text(), any: String) {
        for text in [text, any] {
            let bare = text.replace("<promise>", "").replace("<ralph:done />", "") + " DONE";
            let claim = detect(&bare, &rules("DONE", MatchMode::Tag));
            prop_assert!(!matches!(claim, Claim::Made(_)), "{claim:?}");
        }
    }

    #[test]
    fn padding_never_changes_the_answer(
        text in dense_text(),
        before in padding(),
        after in padding(),
    ) {
        let padded = format!("{before}{text}{after}");
        for mode in MODES {
            let rules = rules("DONE", mode);
            prop_assert_eq!(detect(&padded, &rules), detect(&text, &rules));
        }
    }

    #[test]
    fn any_promise_claimed_plainly_is_detected(promise in prop_oneof![any::<String>(), dense_text()]) {
        let Some(cleaned) = Promise::new(&promise) else { return Ok(()) };
        for mode in MODES {
            let said = match mode {
                MatchMode::Tag => cleaned.tag(),
                MatchMode::Word | MatchMode::Contains => cleaned.to_string(),
            };
            let claim = detect(&format!("All is well.\n\n{said}\n"), &rules(&promise, mode));
            prop_assert_eq!(claim, Claim::Made(ClaimKind::Promise));
        }
    }

    #[test]
    fn a_tag_in_a_fence_never_claims(
        prose in "[a-z .\n]{0,60}",
        fence in "`{3,5}|~{3,5}",
        code in "[a-z <>/\n]{0,40}",
        is_closed: bool,
    ) {
        let end = if is_closed { fence.as_str() } else { "" };
        let text = format!("{prose}\n{fence}\n{code}\n<promise>DONE</promise>\n{end}");
        for mode in [MatchMode::Tag, MatchMode::Word] {
            let claim = detect(&text, &rules("DONE", mode));
            prop_assert_eq!(claim, Claim::NearMiss(NearMissReason::InCode));
        }
    }
}
