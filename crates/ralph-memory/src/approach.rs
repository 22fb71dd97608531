//! Is a plan one that was tried before?
//!
//! Plans are sentences, so they are compared by their words, as search knows
//! them: stemmed, Korean without its particles, code by its parts. A plan about
//! other files is another plan, however it is worded.

use std::collections::BTreeSet;

use crate::analysis::TextAnalyzer;

/// From here on two plans about the same files are the same plan.
pub const SAME_PLAN: f64 = 0.6;

/// Words by which a clause tells what will not be done.
const REFUSALS: &[&str] = &["not", "never", "instead", "without", "rather", "avoid", "no"];

const KOREAN_REFUSALS: &[&str] = &["지 않", "지 말", "대신", "없이"];

/// How much two plans have in common, from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "plans have few words")]
pub fn plans_alike(one: &str, other: &str) -> f64 {
    let (one, other) = (gist(one), gist(other));
    let both = one.intersection(&other).count();
    let all = one.union(&other).count();
    if all == 0 { 0.0 } else { both as f64 / all as f64 }
}

fn gist(plan: &str) -> BTreeSet<String> {
    TextAnalyzer::default().terms(&without_refusals(plan)).into_iter().collect()
}

/// A plan without what it says will not be done; all of it if nothing is left.
fn without_refusals(plan: &str) -> String {
    let lower = plan.to_lowercase();
    let clauses = lower.split([',', ';', '.', '\n']).flat_map(|part| part.split(" but "));
    let refuses = |clause: &&str| {
        let is_english = clause.split_whitespace().any(|word| {
            let word = word.replace('’', "'");
            REFUSALS.contains(&word.as_str()) || word.ends_with("n't")
        });
        is_english || KOREAN_REFUSALS.iter().any(|word| clause.contains(word))
    };
    let done: Vec<&str> = clauses.filter(|clause| !refuses(clause)).collect();
    let done = done.join(", ");
    if done.trim_matches([' ', ',']).is_empty() { plan.to_owned() } else { done }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is_same(one: &str, other: &str) -> bool {
        plans_alike(one, other) >= SAME_PLAN
    }

    #[test]
    fn a_plan_in_other_forms_is_the_same_plan() {
        assert!(is_same("increase the timeout of the client", "increasing client timeouts"));
        assert!(is_same("Clear `CACHE` before loading", "clear `CACHE` before we load"));
        assert!(is_same("캐시를 먼저 비운다", "캐시를 먼저 비운다."));
    }

    #[test]
    fn a_plan_about_something_else_is_another() {
        assert!(!is_same("increase the timeout of the client", "retry the request with a delay"));
        assert!(!is_same("clear `CACHE` before loading", "clear `SESSIONS` after saving"));
        assert!(!is_same("", ""));
    }

    #[test]
    fn what_a_plan_will_not_do_is_no_part_of_it() {
        let tried = "multiply a and b in add";
        assert!(is_same(tried, "in add, multiply a and b"));
        assert!(!is_same(tried, "do not multiply a and b in add, but sum all of them up"));
        assert!(!is_same("add 에서 곱한다", "add 에서 곱하지 않고, 모두 더한다"));
        assert!(
            is_same("do not cache the sessions", "never cache sessions"),
            "nothing else is said"
        );
    }
}
