//! How often the rules decide as a careful engineer would.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::fn_params_excessive_bools,
    reason = "a set that cannot be read fails the test; the scores are there to be seen"
)]

use std::collections::BTreeMap;
use std::fs;

use ralph_core::memory::attempt::{self, AttemptResult, RepetitionKind, TaskAttempt};
use ralph_core::memory::notes::orders;
use ralph_memory::relation::{NoteRelation, relate};
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
fn no_pair_of_notes_is_replaced_or_merged_wrongly() {
    for pair in lines("relations") {
        let text = |name: &str| pair[name].as_str().unwrap();
        let got = match relate(text("old"), text("new")) {
            NoteRelation::Same => "same",
            NoteRelation::Replaces(_) => "replaces",
            NoteRelation::Apart => continue,
        };
        assert_eq!(got, text("is"), "{} | {}", text("old"), text("new"));
    }
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
                RepetitionKind::Exact => "exact",
                RepetitionKind::Repeat => "repeat",
                RepetitionKind::Oscillation => "oscillation",
                RepetitionKind::Symptom => "symptom",
            };
            return (Some(name), Some(number));
        }
        earlier.push(now);
    }
    (None, None)
}

fn attempt_of(value: &Value) -> TaskAttempt {
    let list = |name: &str| -> Vec<&str> {
        value[name].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect()
    };
    let failed = |failure| AttemptResult::Failed(attempt::signature(failure));
    let text = |name: &str| value[name].as_str();
    let ending = text("failure").map_or(AttemptResult::Passed, failed);
    let approach = text("approach").map(str::to_owned);
    let base = TaskAttempt::new(text("tree").map(str::to_owned), approach, ending);
    base.change(value["file"].as_str().unwrap_or(""), &list("added"), &list("removed"))
}

#[test]
fn orders_in_notes_are_flagged() {
    let mut score = Score::default();
    for case in lines("injections") {
        let text = case["text"].as_str().unwrap();
        let flag = case["flag"].as_bool().unwrap();
        let is_right = orders(text).is_empty() != flag;
        score.add(if flag { "order" } else { "harmless" }, is_right);
        if !is_right {
            println!("flag {flag}: {text:?} -> {:?}", orders(text));
        }
    }
    score.print();
    // The fence and the label do the work; what is held back beside must be worth
    // reading. Texts that only run something harmful speak to nobody.
    assert!(score.share("order") >= 0.88);
    assert!(score.share("harmless") >= 0.98);
}
