//! How often the rules decide as a careful engineer would, on sets that were
//! written without knowing the rules, but for the part called plain.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::fn_params_excessive_bools,
    reason = "a set that cannot be read fails the test; the scores are there to be seen"
)]

use std::collections::BTreeMap;
use std::fs;

use ralph_core::memory::attempt::{self, Attempt, Ending, Round};
use ralph_core::memory::notes::orders;
use ralph_core::memory::{Relation, relate};
use serde_json::Value;

fn lines(name: &str) -> Vec<Value> {
    let path = format!("{}/../../tests/memory/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Right answers and all answers, by part.
#[derive(Default)]
struct Score(BTreeMap<String, (u32, u32)>);

impl Score {
    fn add(&mut self, part: &str, is_right: bool) {
        let (right, all) = self.0.entry(part.to_owned()).or_default();
        *right += u32::from(is_right);
        *all += 1;
    }

    fn print(&self) {
        for (name, (right, all)) in &self.0 {
            println!("{name:<24} {right:>3} of {all:>3}");
        }
    }

    /// The share of right answers of a part.
    fn share(&self, part: &str) -> f64 {
        let (right, all) = self.0[part];
        f64::from(right) / f64::from(all)
    }
}

#[test]
fn notes_are_related_as_an_engineer_would() {
    let mut score = Score::default();
    for pair in lines("relations") {
        let text = |name: &str| pair[name].as_str().unwrap();
        let got = match relate(text("old"), text("new")) {
            Relation::Same => "same",
            Relation::Replaces(_) => "replaces",
            Relation::Apart => "apart",
        };
        let is_right = got == text("is");
        for part in [text("split"), "all"] {
            score.add(part, is_right);
            score.add(&format!("{part} said {got}"), is_right);
        }
        score.add(&format!("{} {}", text("split"), text("kind")), is_right);
        if !is_right && !text("split").starts_with("held") {
            println!("{} not {got}: {} | {}", text("is"), text("old"), text("new"));
        }
    }
    score.print();
    // The aim is 0.97 on pairs that nobody had in sight who wrote the rules.
    assert!(score.share("dev") >= 0.97);
    assert!(score.share("own") >= 0.90);
    assert!(score.share("held") >= 0.85);
    // Short notes in plain words, by the hand that wrote the rules and mostly
    // after them: 55 of the 61 that were set aside were right before use.
    assert!(score.share("plain") >= 0.97);
    // What is merged or replaced wrongly is lost, what stays twice is not.
    assert!(score.share("dev said replaces") >= 0.97);
    assert!(score.share("dev said same") >= 0.97);
    assert!(score.share("held said replaces") >= 0.90);
    assert!(score.share("held said same") >= 0.88);
    // Asked before they were read, 0.84 of these were right.
    assert!(score.share("own2") >= 0.97);
    assert!(score.share("own2 said replaces") >= 0.97);
    assert!(score.share("own2 said same") >= 0.97);
    // Asked before they were read, 0.907 of these were right.
    assert!(score.share("held2") >= 0.98);
    // By the hand that wrote the rules; each part was asked before it was used.
    assert!(score.share("own3") >= 0.96);
    assert!(score.share("own3 similar") >= 0.98);
    // Asked before they were read, 0.853 of these were right: what was wrong
    // was kept twice, but for three.
    assert!(score.share("held3") >= 0.93);
    assert!(score.share("held3 said replaces") >= 0.97);
    assert!(score.share("held3 said same") >= 0.93);
    assert!(score.share("held3 similar") >= 0.97);
}

#[test]
fn circles_are_noticed_and_what_only_looks_like_one_is_not() {
    let mut score = Score::default();
    for case in lines("circles") {
        let (got, at) = first_circle(case["attempts"].as_array().unwrap());
        let is_right = got == case["circle"].as_str() && at == case["at"].as_u64();
        score.add("all", is_right);
        score.add(case["circle"].as_str().unwrap_or("none"), is_right);
        if !is_right {
            println!(
                "{}: {} at {}, not {got:?} at {at:?}",
                case["name"], case["circle"], case["at"]
            );
        }
    }
    score.print();
    assert!(score.share("all") >= 0.97);
    assert!(score.share("exact") >= 1.0, "an exact circle was missed");
    assert!(score.share("none") >= 0.98, "false alarms");
}

fn first_circle(attempts: &[Value]) -> (Option<&'static str>, Option<u64>) {
    let mut earlier = Vec::new();
    for (number, value) in (0..).zip(attempts) {
        let now = attempt_of(value);
        if let Some(circle) = attempt::notice(&earlier, &now) {
            let name = match circle.round {
                Round::Exact => "exact",
                Round::Repeat => "repeat",
                Round::Oscillation => "oscillation",
                Round::Symptom => "symptom",
            };
            return (Some(name), Some(number));
        }
        earlier.push(now);
    }
    (None, None)
}

fn attempt_of(value: &Value) -> Attempt {
    let list = |name: &str| -> Vec<&str> {
        value[name].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect()
    };
    let failed = |failure| Ending::Failed(attempt::signature(failure));
    let text = |name: &str| value[name].as_str();
    let ending = text("failure").map_or(Ending::Passed, failed);
    let approach = text("approach").map(str::to_owned);
    let base = Attempt::new(text("tree").map(str::to_owned), approach, ending);
    base.change(value["file"].as_str().unwrap_or(""), &list("added"), &list("removed"))
}

#[test]
fn orders_in_notes_are_flagged() {
    let mut score = Score::default();
    for case in lines("injections") {
        let text = case["text"].as_str().unwrap();
        let flag = case["flag"].as_bool().unwrap();
        let split = case["split"].as_str().unwrap();
        let is_right = orders(text).is_empty() != flag;
        score.add(split, is_right);
        score.add(&format!("{split} {}", if flag { "order" } else { "harmless" }), is_right);
        if !is_right && !split.starts_with("held") {
            println!("flag {flag}: {text:?} -> {:?}", orders(text));
        }
    }
    score.print();
    // The aim is 0.97 on texts that nobody had in sight who wrote the rules.
    assert!(score.share("dev") >= 0.97);
    assert!(score.share("held") >= 0.80);
    assert!(score.share("own2 order") >= 0.99);
    assert!(score.share("own2 harmless") >= 0.99);
    assert!(score.share("held2 order") >= 0.99);
    assert!(score.share("held2 harmless") >= 0.95);
    assert!(score.share("own3 order") >= 0.99);
    assert!(score.share("own3 harmless") >= 0.93);
    // Asked before they were read: 32 of 35 orders, 24 of 25 harmless texts.
    assert!(score.share("held3 order") >= 0.99);
    assert!(score.share("held3 harmless") >= 0.99);
    assert!(score.share("plain order") >= 0.99);
    assert!(score.share("plain harmless") >= 0.95);
}
