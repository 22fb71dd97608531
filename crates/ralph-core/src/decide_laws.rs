//! Laws that hold for every behaviour of agents, gates and clocks.

use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use std::collections::BTreeSet;

use super::*;
use crate::evidence::{GateFault, TurnTimeout, Verdict, WeakenedCheck};
use crate::finding::FindingLevel;
use crate::ids::{Approach, TreeId};
use crate::locale::Locale;
use crate::policy::{GateSpec, RunLimits};
use crate::question;
use crate::run::Baseline;
use crate::samples::{self, CLAIM, START, advance};
use crate::usage::{Usage, Usd};
use crate::wording::{self, NextPrompt};

const GATES: [&str; 3] = ["tests", "lint", "types"];

/// Texts without a promise: plain words, punctuation and the bare word.
fn unclaiming_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9 .,?!가-힣\\n]{0,40}",
        Just("same reply".to_owned()),
        Just("Shall I go on?".to_owned()),
        Just("DONE".to_owned()),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![3 => unclaiming_text(), 1 => Just(CLAIM.to_owned())]
}

fn moment() -> impl Strategy<Value = Timestamp> {
    (-1_000_000..100_000_000_i64).prop_map(|offset| Timestamp::from_millis(START + offset))
}

fn turn_end() -> impl Strategy<Value = TurnEnd> {
    prop_oneof![
        6 => Just(TurnEnd::Finished),
        1 => Just(TurnEnd::UserAbort),
        1 => option::of(moment()).prop_map(|until| TurnEnd::ProviderLimit { until }),
        1 => Just(TurnEnd::HumanAsked { question: "May I?".to_owned() }),
        1 => Just(TurnEnd::ChildrenRunning),
        2 => broken_turn(),
        1 => Just(TurnEnd::WorkTreeGone { folder: "/project/.git".to_owned() }),
    ]
}

fn broken_turn() -> impl Strategy<Value = TurnEnd> {
    prop_oneof![
        Just(TurnEnd::Failed { what: "exit code 1".to_owned() }),
        (0..5000_u64).prop_map(|s| TurnEnd::TimedOut(TurnTimeout::Idle(Duration::from_secs(s)))),
        (0..5000_u64).prop_map(|s| TurnEnd::TimedOut(TurnTimeout::Wall(Duration::from_secs(s)))),
    ]
}

fn bad_verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        any::<i32>().prop_map(|code| Verdict::Fail(GateFault::Exit(code))),
        Just(Verdict::Fail(GateFault::Timeout(Duration::from_secs(9)))),
        Just(Verdict::Unknown { reason: "no such program".to_owned() }),
    ]
}

fn need() -> impl Strategy<Value = GateImportance> {
    prop_oneof![3 => Just(GateImportance::Required), 1 => Just(GateImportance::Advisory)]
}

fn fingerprints() -> impl Strategy<Value = BTreeSet<String>> {
    btree_set("t[0-9]", 0..5)
}

/// Reports for some of the gates, in any state.
fn reports() -> impl Strategy<Value = Vec<GateReport>> {
    let verdict = prop_oneof![2 => Just(Verdict::Pass), 1 => bad_verdict()];
    let report = (prop::sample::select(&GATES[..]), need(), verdict, fingerprints());
    let report = report.prop_map(|(name, need, verdict, failing)| {
        let failing = if verdict == Verdict::Pass { BTreeSet::new() } else { failing };
        GateReport { need, failing, ..samples::report(name, verdict) }
    });
    vec(report, 0..4)
}

fn weakened() -> impl Strategy<Value = Vec<WeakenedCheck>> {
    let one = WeakenedCheck { place: "a:1".to_owned(), what: "test removed".to_owned() };
    prop_oneof![4 => Just(Vec::new()), 1 => Just(vec![one])]
}

fn usage() -> impl Strategy<Value = Usage> {
    (0..500_u64, 0..500_u64, 0..500_u64).prop_map(|(input_tokens, output_tokens, micros)| Usage {
        input_tokens,
        output_tokens,
        cost: Usd::from_micros(micros),
    })
}

fn evidence() -> impl Strategy<Value = Evidence> {
    let tree = option::of("[A-D]").prop_map(|tree| tree.map(TreeId::new));
    let approach = vec("[a-f]", 0..3)
        .prop_map(|hunks| Approach::new(hunks.iter().map(|name| samples::hunk(name))));
    let parts =
        (turn_end(), text(), reports(), tree, approach, weakened(), option::of(usage()), moment());
    parts.prop_map(|(turn, text, gates, tree, approach, weakened, usage, now)| Evidence {
        turn,
        text,
        gates,
        tree,
        approach,
        weakened,
        edited: Vec::new(),
        flaky: BTreeSet::new(),
        broken: BTreeSet::new(),
        weakened_state: None,
        biting: Vec::new(),
        forgets_failure: false,
        accepts_changes: false,
        aside: Duration::ZERO,
        usage,
        now,
    })
}

fn limits() -> impl Strategy<Value = RunLimits> {
    let counts = (1..20_u32, 1..100_000_u64, 0..6_u32, 0..6_u32);
    let amounts = (option::of(1..5000_u64), option::of(1..5000_u64), 0..100_000_u64);
    (counts, amounts).prop_map(|((iterations, seconds, stalled, restarts), amounts)| RunLimits {
        iterations,
        duration: Duration::from_secs(seconds),
        stalled,
        restarts,
        tokens: amounts.0,
        cost: amounts.1.map(Usd::from_micros),
        waiting: Duration::from_secs(amounts.2),
    })
}

fn specs() -> impl Strategy<Value = Vec<GateSpec>> {
    vec(option::of(need()), GATES.len()).prop_map(|needs| {
        let gates = GATES.iter().zip(needs);
        gates.filter_map(|(name, need)| Some(samples::gate(name, need?))).collect()
    })
}

fn policy() -> impl Strategy<Value = Policy> {
    let trust = prop_oneof![Just(Trust::Claim), Just(Trust::Evidence)];
    (trust, limits(), specs()).prop_map(|(trust, limits, gates)| Policy {
        trust,
        limits,
        gates,
        ..Policy::promise()
    })
}

fn baseline() -> impl Strategy<Value = Option<Baseline>> {
    let red = prop::sample::subsequence(&GATES[..], 0..=GATES.len());
    option::of((red, fingerprints()).prop_map(|(red, failing)| Baseline {
        tree: Some(TreeId::new("A")),
        red: samples::set(&red),
        failing,
        ..Baseline::default()
    }))
}

/// A run in the middle of its life, after a few turns of any kind.
fn run() -> impl Strategy<Value = Run> {
    let past = vec(evidence(), 0..6);
    (policy(), baseline(), past, 0..30_u32, 0..8_u32, 0..50_000_u64).prop_map(
        |(policy, baseline, past, iteration, restarts, waited)| {
            let mut run = samples::run(&policy);
            if let Some(start) = &baseline {
                run.progress = Progress::from_baseline(start.failing.clone(), start.tree.clone());
            }
            run.baseline = baseline;
            for evidence in &past {
                advance(&mut run, evidence);
            }
            let waited = Duration::from_secs(waited);
            Run { iteration, restarts, waited, ..run }
        },
    )
}

fn completes(run: &Run, evidence: &Evidence) -> bool {
    matches!(decide(run, &run.policy, evidence).decision, Decision::Complete(_))
}

fn trusting(run: Run, trust: Trust) -> Run {
    Run { policy: Policy { trust, ..run.policy }, ..run }
}

/// A green run and a turn after which all its gates pass.
fn all_green(run: Run, evidence: Evidence) -> (Run, Evidence) {
    let gates = run
        .policy
        .gates
        .iter()
        .map(|gate| GateReport { need: gate.need, ..samples::report(&gate.name, Verdict::Pass) });
    let evidence = Evidence { gates: gates.collect(), ..evidence };
    (Run { baseline: Some(Baseline::default()), ..run }, evidence)
}

proptest! {
    #[test]
    fn under_claim_nothing_completes_without_a_claim(
        run in run(), evidence in evidence(), text in unclaiming_text(),
    ) {
        let evidence = Evidence { text, ..evidence };
        prop_assert!(!completes(&trusting(run, Trust::Claim), &evidence));
    }

    #[test]
    fn under_evidence_a_required_gate_that_does_not_pass_rules_completion_out(
        run in run(), evidence in evidence(), claims in any::<bool>(),
        verdict in option::of(bad_verdict()), which in any::<prop::sample::Index>(),
    ) {
        let mut run = trusting(run, Trust::Evidence);
        run.policy.gates.push(samples::gate("needed", GateImportance::Required));
        // A failure that disappears on the same files may be luck.
        run.progress.last_tree = None;
        let (run, mut evidence) = all_green(run, evidence);
        let run = Run { baseline: Some(Baseline { red: samples::set(&["needed"]), ..Baseline::default() }), ..run };
        evidence.weakened.clear();
        evidence.turn = TurnEnd::Finished;
        if claims {
            evidence.text = CLAIM.to_owned();
        }
        prop_assert!(completes(&run, &evidence), "with all gates green it is complete");
        let required: Vec<usize> = evidence.gates.iter().enumerate()
            .filter(|(_, gate)| gate.need == GateImportance::Required).map(|(index, _)| index).collect();
        let spoilt = *which.get(&required);
        match verdict {
            Some(verdict) => evidence.gates[spoilt].verdict = verdict,
            None => drop(evidence.gates.remove(spoilt)),
        }
        prop_assert!(!completes(&run, &evidence));
    }

    #[test]
    fn green_from_the_start_and_no_claim_is_not_complete(
        run in run(), evidence in evidence(), text in unclaiming_text(),
    ) {
        let (run, evidence) = all_green(run, Evidence { text, ..evidence });
        prop_assert!(!completes(&run, &evidence));
    }

    #[test]
    fn a_gate_that_fails_instead_of_passing_never_completes_a_run(
        run in run(), evidence in evidence(),
        verdict in bad_verdict(), which in any::<prop::sample::Index>(),
    ) {
        prop_assume!(!evidence.gates.is_empty());
        let mut worse = evidence.clone();
        let index = which.index(worse.gates.len());
        worse.gates[index].verdict = verdict;
        prop_assert!(completes(&run, &evidence) || !completes(&run, &worse));
    }

    #[test]
    fn a_weakened_check_is_never_proof(run in run(), evidence in evidence()) {
        let evidence = evidence.weakening();
        let decision = decide(&run, &run.policy, &evidence).decision;
        prop_assert_ne!(decision, Decision::Complete(Proof::Verified));
    }

    #[test]
    fn limits_always_bind(run in run(), evidence in evidence()) {
        let limits = &run.policy.limits;
        let usage = run.usage + evidence.usage.unwrap_or_default();
        let reached = run.iteration >= limits.iterations
            || run.worked(evidence.now) >= limits.duration
            || limits.tokens.is_some_and(|most| usage.tokens() >= most)
            || limits.cost.is_some_and(|most| usage.cost >= most)
            || run.restarts > limits.restarts
            || (is_restart(&evidence.turn) && run.restarts == limits.restarts);
        let decision = decide(&run, &run.policy, &evidence).decision;
        prop_assert!(!reached || !matches!(decision, Decision::Continue(_)), "{:?}", decision);
    }

    #[test]
    fn the_same_turn_is_always_judged_the_same(run in run(), evidence in evidence()) {
        let first = decide(&run, &run.policy, &evidence);
        prop_assert_eq!(first, decide(&run.clone(), &run.policy.clone(), &evidence.clone()));
    }

    #[test]
    fn a_claim_in_a_broken_turn_never_completes_under_claim(
        run in run(), evidence in evidence(), turn in broken_turn(),
    ) {
        let evidence = Evidence { turn, text: CLAIM.to_owned(), ..evidence };
        prop_assert!(!completes(&trusting(run, Trust::Claim), &evidence));
    }

    #[test]
    fn what_people_and_tools_wrote_is_never_expanded(
        run in run(), task in placeholders(), feedback in placeholders(),
    ) {
        let mut run = trusting(run, Trust::Claim);
        run.task.text.clone_from(&task);
        prop_assert!(wording::first_prompt(&run).starts_with(&task));
        run.feedback.verdict = format!("!{feedback}");
        let own = NextPrompt::new(&run).with_template(Some("{{FEEDBACK}}|{{PROMPT}}")).render();
        prop_assert_eq!(own, format!("!{feedback}|{task}"));
        let prompt = NextPrompt::new(&run).render();
        prop_assert!(prompt.contains(&format!("\nOriginal task:\n{task}")), "{}", prompt);
        prop_assert!(prompt.contains(&format!("]\n\n!{feedback}\n\nIMPORTANT:")), "{}", prompt);
        let short = NextPrompt::new(&trusting(run, Trust::Evidence)).render();
        prop_assert!(short.ends_with(&format!("\nTask: {task}")), "{}", short);
    }
}

/// A turn with some of a few findings and some of a few changes.
fn shuffle() -> impl Strategy<Value = Evidence> {
    let left = prop::sample::subsequence(vec!["f1", "f2", "f3", "f4", "f5"], 1..=5);
    let hunks = prop::sample::subsequence(vec!["h1", "h2", "h3"], 0..=3);
    (left, hunks).prop_map(|(left, hunks)| {
        samples::turn(samples::WORKING).failing_tests(&left).trying_all(hunks)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Each advance uses up something new: a finding fixed for the first
    /// time, a smaller number than ever, or a change never made.
    #[test]
    fn whoever_shuffles_the_same_findings_and_changes_is_stopped(
        limit in 1..5_u32, turns in vec(shuffle(), 1..30),
    ) {
        let mut policy = samples::gated();
        policy.limits = RunLimits { iterations: 10_000, stalled: limit, ..policy.limits };
        let mut run = samples::run_from(&policy, &["f1", "f2", "f3", "f4", "f5"]);
        let most = (5 + 5 + 3 + 1) * limit;
        for (number, evidence) in (1..=most).zip(turns.iter().cycle()) {
            // A tree of its own for each turn, so that no circle is seen.
            let evidence = evidence.clone().on_tree(&format!("T{number}"));
            if advance(&mut run, &evidence).decision == Decision::GiveUp(RunFailure::NoProgress) {
                return Ok(());
            }
        }
        prop_assert!(false, "still running after {} turns", most);
    }

    #[test]
    fn whoever_improves_before_the_limit_is_never_stopped(
        limit in 2..6_u32, pauses in vec(0..100_u32, 20), hunks in vec("[a-c]", 20),
    ) {
        let mut policy = samples::gated();
        policy.limits = RunLimits { iterations: 10_000, stalled: limit, ..policy.limits };
        let names: Vec<String> = (0..=pauses.len()).map(|number| format!("f{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut run = samples::run_from(&policy, &names);
        for (index, pause) in pauses.iter().enumerate() {
            let left = &names[index + 1..];
            for _ in 0..=(pause % limit) {
                let evidence = samples::turn(samples::WORKING).failing_tests(left);
                let decision = advance(&mut run, &evidence.trying(&hunks[index])).decision;
                prop_assert!(matches!(decision, Decision::Continue(_)), "{:?}", decision);
            }
        }
    }

    #[test]
    fn feedback_is_never_long(run in run(), evidence in evidence(), flood in 0..60_usize) {
        let names: Vec<String> =
            (0..flood).map(|number| format!("{number} {}", "long name ".repeat(20))).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let places: Vec<_> = names.iter().map(|name| (*name, FindingLevel::Error)).collect();
        let flooded = evidence
            .reporting(samples::tested(&[], &names))
            .reporting(samples::found(&places))
            .reporting(GateReport { tail: "noise\n".repeat(flood * 100), ..samples::report("x", Verdict::Fail(GateFault::Exit(1))) });
        let told = Feedback::gather(&run, &run.policy, &flooded, &Claim::None, &run.progress);
        for locale in [Locale::En, Locale::Ko] {
            let told = wording::sections(&told, &Policy { locale, ..run.policy.clone() });
            prop_assert!(told.text().chars().count() < 5500, "{}", told.text());
        }
    }

    /// Without the task, the findings and the agent's question.
    #[test]
    fn the_short_form_has_at_most_sixty_words(run in run(), evidence in evidence()) {
        let mut run = trusting(run, Trust::Evidence);
        if let Decision::Continue(told) = decide(&run, &run.policy, &evidence).decision {
            run.feedback = wording::sections(&told, &run.policy);
            run.task.text.clear();
            let text = NextPrompt::in_conversation(&run).render();
            let text = text.replacen(&run.feedback.findings, "", 1);
            let asked = question::asks(&evidence.text).unwrap_or_default();
            let own = text.replacen(&asked, "", 1);
            let own = own.strip_suffix("Task: ").unwrap();
            let words = own.split_whitespace().count();
            prop_assert!(words <= 60, "{} words: {}", words, own);
        }
    }
}

/// Text that tries to look like a template.
fn placeholders() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{{ITERATION}}".to_owned()),
        Just("{{PROMPT}}".to_owned()),
        Just("{{FEEDBACK}}".to_owned()),
        Just("{{SIGNAL}}".to_owned()),
        Just("{{".to_owned()),
        Just("}}".to_owned()),
        "(?s).{0,12}",
    ];
    vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_loop_ends_after_at_most_its_allowed_turns(
        policy in policy(), baseline in baseline(), turns in vec(evidence(), 40),
    ) {
        let most = policy.limits.iterations;
        let mut run = Run { baseline, ..samples::run(&policy) };
        for evidence in turns.iter().cycle().take(200) {
            prop_assert!(run.iteration <= most, "turn {} of {most} was begun", run.iteration);
            match advance(&mut run, evidence).decision {
                Decision::Continue(_) | Decision::Wait(WaitReason::Child | WaitReason::Host) => {}
                Decision::Wait(WaitReason::Limit { until }) => run.waited += until.since(evidence.now),
                Decision::Complete(_) | Decision::Pause(_) | Decision::GiveUp(_)
                | Decision::Wait(WaitReason::Human { .. }) => return Ok(()),
            }
        }
    }

    #[test]
    fn a_loop_that_nothing_else_ends_takes_exactly_its_allowed_turns(
        most in 1..30_u32, gates in specs(), turns in vec(evidence(), 40),
    ) {
        let limits = RunLimits { iterations: most, duration: Duration::MAX, ..RunLimits::for_claims() };
        let mut run = samples::run(&Policy { limits, gates, ..Policy::promise() });
        for (number, evidence) in turns.iter().enumerate() {
            let evidence = Evidence { text: format!("Step {number}."), ..evidence.clone() };
            let evidence = evidence.ending(TurnEnd::Finished).trying(&format!("a{number}"));
            // A tree of its own for each turn: always moving, never back.
            let evidence = evidence.on_tree(&format!("T{number}"));
            let begun = run.iteration;
            match advance(&mut run, &evidence).decision {
                Decision::Continue(_) => prop_assert!(begun < most),
                other @ (Decision::Complete(_)
                | Decision::Wait(_)
                | Decision::Pause(_)
                | Decision::GiveUp(_)) => {
                    prop_assert_eq!(other, Decision::GiveUp(RunFailure::MaxIterations));
                    prop_assert_eq!(begun, most);
                    return Ok(());
                }
            }
        }
        prop_assert!(false, "still running after {} turns", turns.len());
    }

    #[test]
    fn a_provider_that_never_lifts_its_limit_ends_the_run(
        policy in policy(), said in vec(option::of(moment()), 1..8),
    ) {
        let mut run = samples::run(&policy);
        let mut now = run.started_at;
        for until in said.iter().cycle().take(500) {
            let turn = TurnEnd::ProviderLimit { until: *until };
            let evidence = Evidence { now, ..samples::turn("").ending(turn) };
            match advance(&mut run, &evidence).decision {
                Decision::Wait(WaitReason::Limit { until }) => {
                    run.waited += until.since(now);
                    now = until;
                }
                Decision::GiveUp(RunFailure::AgentError { .. } | RunFailure::FolderGone { .. }) => {
                    return Ok(());
                }
                other @ (Decision::Continue(_) | Decision::Complete(_) | Decision::Wait(_)
                | Decision::Pause(_) | Decision::GiveUp(_)) => prop_assert!(false, "{:?}", other),
            }
        }
        prop_assert!(false, "still waiting after {:?}", run.waited);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2))]

    #[test]
    fn the_record_of_progress_stays_small_over_thousands_of_turns(
        turns in vec(evidence(), 50),
    ) {
        let mut progress = Progress::default();
        for (number, turn) in turns.iter().cycle().take(2000).enumerate() {
            let novel: Vec<String> = (0..5).map(|part| format!("{number}.{part}")).collect();
            let novel: Vec<&str> = novel.iter().map(String::as_str).collect();
            let turn = turn.clone().failing_tests(&novel).on_tree(novel[0]).trying_all(novel);
            progress = progress.after(&turn, 1, ProgressSignals::Gated);
            prop_assert!(progress.trees.len() <= 128 && progress.hunks.len() <= 4096);
            prop_assert!(progress.fixed.len() <= 4096 && progress.failing.len() <= 30);
        }
    }
}
