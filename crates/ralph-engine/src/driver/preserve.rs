//! Stores the tests that ran at the start, and compares later turns with them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

use ralph_core::evidence::{Evidence, GateReport, WeakenedCheck};
use ralph_core::finding::{TestResults, test_name};
use ralph_core::locale::Locale;
use ralph_core::preserve::{self, BaselineTests, FewerTests, LostTestReport, TestLoss};
use serde::{Deserialize, Serialize};

use super::turn;
use crate::error::EngineError;

/// The name of the list in the run's folder.
const FILE: &str = "tests-at-start.json";

/// Maximum number of lost tests that are named.
const NAMED: usize = 20;

/// The stored tests of one gate.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum StartRow {
    Now {
        passed: BTreeSet<String>,
        failed: BTreeSet<String>,
        skipped: BTreeSet<String>,
        ran: u64,
        #[serde(default)]
        printed: u64,
    },
    /// The row of an earlier version: the tests that passed, and the others.
    /// Its run ends under the rules of that version.
    Before(BTreeSet<String>, BTreeSet<String>),
}

impl From<BaselineTests> for StartRow {
    fn from(start: BaselineTests) -> Self {
        let BaselineTests { passed, failed, skipped, ran, printed } = start;
        Self::Now { passed, failed, skipped, ran, printed }
    }
}

impl From<StartRow> for BaselineTests {
    fn from(row: StartRow) -> Self {
        match row {
            StartRow::Now { passed, failed, skipped, ran, printed } => {
                Self { passed, failed, skipped, ran, printed }
            }
            StartRow::Before(passed, others) => Self { passed, skipped: others, ..Self::default() },
        }
    }
}

/// Stores the tests that ran, gate by gate.
pub(crate) fn remember(folder: &Path, gates: &[GateReport]) -> Result<(), EngineError> {
    let tests = gates.iter().filter_map(|gate| Some((&*gate.name, gate.reading.tests.as_ref()?)));
    let rows: BTreeMap<&str, StartRow> =
        tests.map(|(name, tests)| (name, preserve::start(tests).into())).collect();
    if rows.is_empty() {
        return Ok(());
    }
    save(folder, &rows)
}

/// Adds the tests of a gate that had no result before the first turn.
pub(crate) fn add(folder: &Path, gate: &str, tests: &TestResults) -> Result<(), EngineError> {
    let known = load(folder);
    let mut rows: BTreeMap<&str, StartRow> =
        known.iter().map(|(name, start)| (name.as_str(), start.clone().into())).collect();
    rows.insert(gate, preserve::start(tests).into());
    save(folder, &rows)
}

fn save(folder: &Path, rows: &BTreeMap<&str, StartRow>) -> Result<(), EngineError> {
    let path = folder.join(FILE);
    let written = turn::make_private_folder(folder)
        .and_then(|()| ralph_files::create_own(&path))
        .and_then(|mut file| file.write_all(&serde_json::to_vec(rows)?));
    written.map_err(|source| EngineError::Write { path, source })
}

/// Returns the tests that ran at the start, gate by gate; none if unknown.
pub(crate) fn load(folder: &Path) -> BTreeMap<String, BaselineTests> {
    let Ok(text) = ralph_files::read_own(folder.join(FILE)) else { return BTreeMap::new() };
    let rows: BTreeMap<String, StartRow> = serde_json::from_slice(&text).unwrap_or_default();
    rows.into_iter().map(|(name, row)| (name, row.into())).collect()
}

/// Adds to the evidence the tests that passed at the start and fail now, and
/// those that no longer run.
pub(crate) fn compare(folder: &Path, locale: Locale, evidence: &mut Evidence) {
    compare_but(&[], folder, locale, evidence);
}

/// Does the same without the gates in `judged`, which were judged in another
/// way.
pub(crate) fn compare_but(
    judged: &[String],
    folder: &Path,
    locale: Locale,
    evidence: &mut Evidence,
) {
    let mut then = load(folder);
    for gate in &evidence.gates {
        let Some(then) = then.remove(&gate.name) else { continue };
        let Some(now) = &gate.reading.tests else {
            // If a runner counted passing tests at the start and now passes
            // without output, it did not run.
            let counted = then.ran > then.failed.len() as u64;
            if gate.passed() && counted && !judged.contains(&gate.name) {
                let fewer = FewerTests { then: then.ran, now: 0 };
                let (place, what) = (gate.name.clone(), fall(fewer, locale));
                evidence.weakened.push(WeakenedCheck { place, what });
            }
            continue;
        };
        if gate.passed() && preserve::is_silent(&then, now) {
            let (place, what) = (gate.name.clone(), silence(locale).to_owned());
            evidence.weakened.push(WeakenedCheck { place, what });
        }
        if judged.contains(&gate.name) {
            continue;
        }
        let broken: BTreeSet<&str> = preserve::broken(&then, now).collect();
        let prints = gate.failing_tests().filter(|(id, _)| broken.contains(id));
        evidence.broken.extend(prints.map(|(_, print)| print.to_owned()));
        if !gate.passed() {
            // After a broken build, or with a runner that ends at the first
            // failure, tests are missing that the agent did not remove.
            continue;
        }
        let LostTestReport { tests, fewer } = preserve::losses(&then, now);
        let lost = tests.into_iter().take(NAMED);
        evidence.weakened.extend(lost.map(|lost| WeakenedCheck {
            place: test_name(&lost.id).to_owned(),
            what: loss(lost.loss, locale).to_owned(),
        }));
        let place = gate.name.clone();
        let fewer = fewer.map(|counts| WeakenedCheck { place, what: fall(counts, locale) });
        evidence.weakened.extend(fewer);
    }
}

fn loss(loss: TestLoss, locale: Locale) -> &'static str {
    match loss {
        TestLoss::PassedGone => locale.say(
            "the test passed at the start and no longer runs",
            "시작할 때 통과한 테스트가 더 이상 실행되지 않습니다",
        ),
        TestLoss::PassedSkipped => locale.say(
            "the test passed at the start and is skipped now",
            "시작할 때 통과한 테스트를 이제 건너뜁니다",
        ),
        TestLoss::FailedGone => locale.say(
            "the test failed at the start and no longer runs",
            "시작할 때 실패한 테스트가 더 이상 실행되지 않습니다",
        ),
        TestLoss::FailedSkipped => locale.say(
            "the test failed at the start and is skipped now",
            "시작할 때 실패한 테스트를 이제 건너뜁니다",
        ),
    }
}

fn silence(locale: Locale) -> &'static str {
    locale.say(
        "its report says that tests passed, but it no longer prints their number",
        "보고서에는 테스트가 통과했다고 하지만, 이제 테스트 수를 출력하지 않습니다",
    )
}

fn fall(FewerTests { then, now }: FewerTests, locale: Locale) -> String {
    locale.say(
        format!("{then} tests ran at the start, {now} run now"),
        format!("시작할 때는 테스트 {then}개가 실행됐지만 지금은 {now}개만 실행됩니다"),
    )
}

#[cfg(test)]
mod tests {
    use ralph_core::Timestamp;
    use ralph_core::evidence::{GateExtent, TurnEnd, Verdict};
    use ralph_core::finding::{TestCounts, TestState, ToolReport};
    use ralph_core::policy::GateImportance;

    use super::*;

    fn gate(states: &[(&str, TestState)]) -> GateReport {
        let states: BTreeMap<_, _> =
            states.iter().map(|(id, state)| ((*id).to_owned(), *state)).collect();
        let count = |wanted| states.values().filter(|state| **state == wanted).count() as u64;
        let counts = TestCounts {
            passed: count(TestState::Passed),
            failed: count(TestState::Failed),
            skipped: count(TestState::Skipped),
        };
        let tests = TestResults { states, counts, ..TestResults::default() };
        GateReport {
            name: "test_pass".to_owned(),
            need: GateImportance::Required,
            command: "make test".to_owned(),
            verdict: Verdict::Pass,
            failing: BTreeSet::new(),
            reading: ToolReport { tests: Some(tests), ..ToolReport::default() },
            tail: String::new(),
            elapsed: std::time::Duration::ZERO,
            cached: false,
            usage: None,
            extent: GateExtent::Whole,
        }
    }

    fn evidence(gates: Vec<GateReport>) -> Evidence {
        Evidence {
            turn: TurnEnd::Finished,
            text: String::new(),
            gates,
            tree: None,
            approach: None,
            weakened: Vec::new(),
            edited: Vec::new(),
            flaky: BTreeSet::new(),
            broken: BTreeSet::new(),
            weakened_state: None,
            biting: Vec::new(),
            forgets_failure: false,
            accepts_changes: false,
            aside: std::time::Duration::ZERO,
            usage: None,
            now: Timestamp::from_millis(0),
        }
    }

    #[test]
    fn tests_of_the_start_must_still_run() {
        use TestState::{Failed, Passed, Skipped};
        let folder = tempfile::tempdir().unwrap();
        let start = gate(&[("a", Passed), ("b", Passed), ("c", Failed)]);
        remember(folder.path(), &[start]).unwrap();
        let mut evidence = evidence(vec![gate(&[("b", Skipped)])]);
        compare(folder.path(), Locale::En, &mut evidence);
        let places: Vec<&str> = evidence.weakened.iter().map(|found| &*found.place).collect();
        assert_eq!(places, ["c", "a", "b"]);
    }

    #[test]
    fn a_runner_that_passes_without_a_word_did_not_run() {
        use TestState::{Failed, Passed};
        let weakened = |start: GateReport| {
            let folder = tempfile::tempdir().unwrap();
            remember(folder.path(), &[start]).unwrap();
            let silent = GateReport { reading: ToolReport::default(), ..gate(&[]) };
            let mut evidence = evidence(vec![silent]);
            compare(folder.path(), Locale::En, &mut evidence);
            evidence.weakened.pop().map(|found| found.what)
        };
        let told = weakened(gate(&[("a", Passed), ("b", Failed)]));
        assert_eq!(told.as_deref(), Some("2 tests ran at the start, 0 run now"));
        // This one names only what fails.
        assert_eq!(weakened(gate(&[("b", Failed)])), None);
    }

    #[test]
    fn tests_that_a_broken_build_left_out_were_not_taken_away() {
        use TestState::{Failed, Passed};
        let folder = tempfile::tempdir().unwrap();
        remember(folder.path(), &[gate(&[("a", Passed), ("b", Passed)])]).unwrap();
        let verdict = Verdict::Fail(ralph_core::evidence::GateFault::Exit(2));
        let broken = GateReport { verdict, ..gate(&[("tests/b.py", Failed)]) };
        let mut evidence = evidence(vec![broken]);
        compare(folder.path(), Locale::En, &mut evidence);
        assert_eq!(evidence.weakened, []);
    }

    #[test]
    fn tests_that_passed_at_the_start_and_fail_now_are_known() {
        use TestState::{Failed, Passed};
        let folder = tempfile::tempdir().unwrap();
        let start = gate(&[("a", Passed), ("b", Passed), ("c", Failed)]);
        remember(folder.path(), &[start]).unwrap();
        let mut now = gate(&[("a", Passed), ("b", Failed), ("c", Failed)]);
        now.failing = ["test b", "test c"].map(str::to_owned).into();
        let mut evidence = evidence(vec![now]);
        compare(folder.path(), Locale::En, &mut evidence);
        assert_eq!(evidence.broken, BTreeSet::from(["test b".to_owned()]));
    }

    #[test]
    fn a_run_of_an_earlier_version_ends_under_its_rules() {
        use TestState::{Passed, Skipped};
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), r#"{"test_pass":[["a","b"],["c"]]}"#).unwrap();
        let mut evidence = evidence(vec![gate(&[("a", Passed), ("b", Skipped)])]);
        compare(folder.path(), Locale::En, &mut evidence);
        let places: Vec<&str> = evidence.weakened.iter().map(|found| &*found.place).collect();
        assert_eq!(places, ["b"]);
    }

    #[test]
    fn a_report_without_the_runners_own_words_is_held_if_it_had_them_at_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let printing = |printed| {
            let mut gate = gate(&[("a", TestState::Passed)]);
            gate.reading.tests.as_mut().unwrap().printed = printed;
            gate
        };
        let held = |printed| {
            let mut evidence = evidence(vec![printing(printed)]);
            // It counts where the tests of the start were heard, too.
            compare_but(&["test_pass".to_owned()], folder.path(), Locale::En, &mut evidence);
            evidence.weakened.len()
        };
        remember(folder.path(), &[printing(1)]).unwrap();
        assert_eq!((held(1), held(0)), (0, 1));
        remember(folder.path(), &[printing(0)]).unwrap();
        assert_eq!((held(1), held(0)), (0, 0));
    }

    #[test]
    fn without_a_list_nothing_is_held_against_a_turn() {
        let folder = tempfile::tempdir().unwrap();
        let mut evidence = evidence(vec![gate(&[])]);
        compare(folder.path(), Locale::En, &mut evidence);
        assert!(evidence.weakened.is_empty());
    }
}
