//! Laws of all lines that people read: none is long, and every sentence has a verb.
//! Lines that the sources prescribe are exempt: those of DX-11, the template of
//! SC-5 and the one sentence of a limit.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::circle::Circle;
use crate::evidence::TestEdit;
use crate::policy::Policy;
use crate::run::Baseline;
use crate::samples;
use crate::state::{PauseReason, Proof, RunFailure, RunState, WaitReason};

/// The verbs of our sentences. A sentence with none of them has no verb, or needs a
/// simpler one.
const VERBS: &str = "is are was were has have cannot can may must does do ends ended end begins began \
    belongs goes go went going passes pass fails fail failed stops stopped stop done paused waiting \
    running shows undoes add adds type send writes said says counts changed became lifts accepts \
    rejected fix replaces lies lists gone try tries kept keep brought had press takes looks run \
    runs used intended put stands escaped counts find set start starts rely needs allowed started answered found begin";

fn has_verb(sentence: &str, locale: Locale) -> bool {
    match locale {
        Locale::En => {
            let words = sentence.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
            words.into_iter().any(|word| VERBS.split_whitespace().any(|verb| verb == word))
        }
        // A verb ends a clause in one of these.
        Locale::Ko => ["니다", "세요", "까"].iter().any(|ending| sentence.contains(ending)),
    }
}

/// The sentences of a text, without names of commands and text in brackets.
fn sentences(text: &str) -> Vec<String> {
    let plain: String = text.split('`').step_by(2).collect::<Vec<_>>().join("X");
    let (mut outside, mut depth) = (String::new(), 0_u32);
    for c in plain.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    let outside = outside.replace(". ", "\n").replace("? ", "\n");
    let parts = outside.lines().map(str::trim);
    parts.filter(|part| part.chars().any(char::is_alphabetic)).map(str::to_owned).collect()
}

/// All messages about this run to the user of a session or a run.
fn texts(run: &Run, words: &str) -> Vec<String> {
    let locale = run.policy.locale;
    let held = [WeakenedCheck { place: "t.py:6".to_owned(), what: "is skipped".to_owned() }];
    let edits = [TestEdit { place: "t.py:7".to_owned(), what: "5 became -1".to_owned() }];
    let evidence = samples::turn("").reporting(samples::tested(&["t0"], &[]));
    let mut texts = vec![
        run_sentence(run),
        host::armed(run),
        host::goes_on(run),
        host::rests(run),
        host::waits("2026-11-18 07:10:00 UTC", locale),
        host::ended(run, None),
        host::began_by_itself(run),
        host::looks_first(run),
        host::not_summarized(words, locale),
        host::not_moved(words, locale),
        host::refused_key(words, locale),
        told::replaces(run, locale),
        told::set_aside(run, locale),
        told::is_at_work(run),
        told::answered(locale).to_owned(),
        told::only_security_looks(locale).to_owned(),
        told::begins_in_every_session(locale).to_owned(),
        told::plan_mode(locale).to_owned(),
        told::provider_failed(words, run),
        told::session_gone(run),
        told::was_cut_off(run),
        hands::not_compared(words, locale),
        hands::program_replaced("pytest", locale),
        hands::program_shadowed("pytest", "/usr/bin", locale),
        hands::module_shadowed("pytest", locale),
        hands::setting_outside(locale).to_owned(),
        hands::path_program_replaced("sh", locale),
        hands::path_program_shadowed("sh", "/bin", locale),
        hands::code_outside(locale).to_owned(),
        hands::code_installed(locale).to_owned(),
        hands::byte_code_differs(locale).to_owned(),
        hands::byte_code_unknown(words, locale),
        hands::in_no_snapshot(locale).to_owned(),
        hands::escaped(2, locale),
        hands::stopped(locale),
        hands::put_right("allowed", locale),
        hands::allowed_in_turn("t.py", locale),
    ];
    texts.extend(told::passes_already(run));
    texts.extend(told::weakened(&held, locale));
    texts.extend(told::edited(&edits, &run.policy));
    texts.extend(weak_checks(run, &evidence));
    texts.extend(session_sentence(&run.state, locale).map(str::to_owned));
    texts
}

fn states(words: &str) -> Vec<RunState> {
    let question = words.to_owned();
    vec![
        RunState::Running,
        RunState::Waiting(WaitReason::Limit { until: samples::minute(7) }),
        RunState::Waiting(WaitReason::Human { question }),
        RunState::Waiting(WaitReason::Child),
        RunState::Waiting(WaitReason::Host),
        RunState::Paused(PauseReason::Asked),
        RunState::Paused(PauseReason::Interrupted),
        RunState::Paused(PauseReason::Aborted),
        RunState::Paused(PauseReason::Capped),
        RunState::Success(Proof::Verified),
        RunState::Success(Proof::Claimed),
        RunState::Failed(RunFailure::MaxIterations),
        RunState::Failed(RunFailure::MaxDuration),
        RunState::Failed(RunFailure::NoProgress),
        RunState::Failed(RunFailure::Circular(Some(Circle { from: 1, to: 3 }))),
        RunState::Failed(RunFailure::Budget),
        RunState::Failed(RunFailure::MaxRestarts),
        RunState::Failed(RunFailure::AgentError { what: words.to_owned() }),
        RunState::Failed(RunFailure::FolderGone { folder: words.to_owned() }),
        RunState::Stopped,
    ]
}

/// The sentences without a verb in all messages to people.
fn without_verb(words: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for policy in [samples::gated(), Policy::promise()] {
        for locale in [Locale::En, Locale::Ko] {
            for state in states(words) {
                let mut run = samples::run(&policy);
                run.policy.locale = locale;
                (run.iteration, run.state) = (2, state);
                run.baseline = Some(Baseline::default());
                for text in texts(&run, words) {
                    // Foreign text is exempt.
                    let ours = text.replace(words, "");
                    let sentences = sentences(&ours).into_iter();
                    found.extend(sentences.filter(|sentence| !has_verb(sentence, locale)));
                }
            }
        }
    }
    found
}

#[test]
fn every_sentence_for_people_has_a_verb() {
    assert_eq!(without_verb("which one is it"), BTreeSet::new());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn no_line_for_people_is_long_whatever_it_is_about(
        words in "[a-z가-힣 ]{0,600}", iteration in 0..1000_u32,
    ) {
        let mut run = samples::run(&samples::gated());
        run.iteration = iteration;
        for state in states(&words) {
            run.state = state;
            for text in texts(&run, &words) {
                prop_assert!(folded(&text).lines().all(|line| line.chars().count() <= LINE_CHARS));
            }
        }
    }

    #[test]
    fn folding_loses_nothing(text in "[a-z.;? \\n]{0,900}") {
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().concat();
        prop_assert_eq!(flat(&folded(&text)), flat(&text));
    }
}
