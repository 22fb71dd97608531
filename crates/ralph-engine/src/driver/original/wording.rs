//! Messages about tests of the start.

use std::collections::BTreeMap;

use ralph_core::evidence::{GateReport, OldCodeFailure, WeakenedCheck};
use ralph_core::finding::{FindingLevel, test_name};
use ralph_core::locale::Locale;
use ralph_core::original::OriginalFailureReason;
use ralph_core::preserve::{BaselineTests, own_name};
use ralph_tamper::RestoredContents;

use super::{StartSuiteResult, TrialStage, is_of_file};

/// Maximum number of files that are named.
const NAMED_FILES: usize = 3;

/// The changed test files that are judged.
pub(super) struct TrialWording<'a> {
    material: &'a BTreeMap<String, RestoredContents>,
    locale: Locale,
}

impl<'a> TrialWording<'a> {
    pub(super) fn new(material: &'a BTreeMap<String, RestoredContents>, locale: Locale) -> Self {
        Self { material, locale }
    }

    pub(super) fn announced(&self) -> &'static str {
        self.locale.say(
            "Tests were changed or added, so the tests of the start are run on the present code.",
            "테스트가 바뀌거나 추가되었으므로 시작 시점의 테스트를 현재 코드에서 실행합니다.",
        )
    }

    /// Returns the files, as far as there is room.
    pub(super) fn places(&self) -> String {
        let named: Vec<&str> = self.material.keys().take(NAMED_FILES).map(String::as_str).collect();
        let more = self.material.len().saturating_sub(NAMED_FILES);
        match more {
            0 => named.join(", "),
            _ => self.locale.say(
                format!("{} and {more} more", named.join(", ")),
                format!("{} 외 {more}개", named.join(", ")),
            ),
        }
    }

    pub(super) fn not_possible(&self, reason: &str) -> String {
        self.locale.say(
            format!("the tests of the start could not be run on the present code: {reason}"),
            format!("시작 시점의 테스트를 현재 코드에서 실행할 수 없었습니다: {reason}"),
        )
    }

    pub(super) fn all_pass(&self, heard: &StartSuiteResult) -> String {
        match (self.locale, heard.is_whole, heard.passing) {
            (Locale::En, true, _) => "the tests of the start pass on the present code".to_owned(),
            (Locale::En, false, 1) => "the test of the start passes on the present code".to_owned(),
            (Locale::En, false, passing) => {
                format!("all {passing} tests of the start pass on the present code")
            }
            (Locale::Ko, true, _) => "시작 시점의 테스트가 현재 코드에서 통과합니다".to_owned(),
            (Locale::Ko, false, passing) => {
                format!("시작 시점의 테스트 {passing}개가 모두 현재 코드에서 통과합니다")
            }
        }
    }

    /// Returns the findings against the run, except for tests that the user
    /// accepted.
    pub(super) fn held(
        &self,
        heard: &StartSuiteResult,
        allows: impl Fn(&str) -> bool,
    ) -> Vec<WeakenedCheck> {
        let objections = heard.objections.iter().filter(|one| !allows(&one.id));
        if heard.is_whole {
            return objections.flat_map(|one| self.held_files(&one.id)).collect();
        }
        let mut held: Vec<WeakenedCheck> = Vec::new();
        let mut not_run: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for one in objections {
            let (place, name) = (self.place_of(&one.id), test_name(&one.id));
            let what = match (self.locale, one.reason) {
                (_, OriginalFailureReason::CannotRun) => {
                    not_run.entry(place).or_default().push(name);
                    continue;
                }
                (Locale::En, OriginalFailureReason::OnlyChanged) => format!(
                    "`{name}` passes only because it was changed; as it was at the start it still \
                     fails"
                ),
                (Locale::En, OriginalFailureReason::OnlyRemoved) => format!(
                    "`{name}` failed at the start and is gone; as it was then it still fails"
                ),
                (Locale::Ko, OriginalFailureReason::OnlyRemoved) => format!(
                    "시작할 때 실패한 `{name}`이(가) 사라졌습니다. 시작 시점의 테스트로는 아직 실패합니다"
                ),
                (Locale::En, OriginalFailureReason::NewBehaviour) => format!(
                    "`{name}` was changed together with the code; as it was at the start it passed \
                     then and fails now"
                ),
                (Locale::Ko, OriginalFailureReason::OnlyChanged) => format!(
                    "`{name}`은(는) 테스트가 바뀌었기 때문에 통과합니다. 시작 시점의 테스트로는 아직 실패합니다"
                ),
                (Locale::Ko, OriginalFailureReason::NewBehaviour) => format!(
                    "`{name}`은(는) 코드와 함께 바뀌었습니다. 시작 시점의 테스트로는 그때 통과했지만 지금은 \
                     실패합니다"
                ),
            };
            held.push(WeakenedCheck { place, what });
        }
        let reason = heard.why_not_run.as_deref();
        held.extend(
            not_run
                .into_iter()
                .map(|(place, ids)| WeakenedCheck { place, what: self.cannot_run(&ids, reason) }),
        );
        held
    }

    /// Returns the message for a test whose result depends on where it runs.
    pub(super) fn unlike(&self, id: &str) -> String {
        self.locale.say(
            format!(
                "`{id}` gives another result when ralph runs it in a copy of the same files, so \
                 that the tests of the start prove nothing there"
            ),
            format!(
                "`{id}`은(는) 같은 파일의 사본에서 실행하면 결과가 다르므로, 그곳에서 실행한 시작 \
                 시점의 테스트는 아무것도 증명하지 않습니다"
            ),
        )
    }

    /// Returns the message for tests that no longer detect a failure of the
    /// start.
    pub(super) fn forgotten(&self) -> &'static str {
        self.locale.say(
            "changed, and the present tests also pass on the code of the start: what failed \
             then is no longer tested",
            "바뀌었으며, 현재 테스트는 시작 시점의 코드에서도 통과합니다. 그때 실패한 것을 더 \
             이상 검사하지 않습니다",
        )
    }

    /// Returns a finding for every changed file, because a suite that names no
    /// tests does not tell which of them matters.
    fn held_files(&self, suite: &str) -> Vec<WeakenedCheck> {
        let what = self.locale.say(
            format!("changed, and `{suite}` fails with the tests as they were at the start"),
            format!("바뀌었으며, 시작 시점의 테스트로는 `{suite}` 이(가) 실패합니다"),
        );
        let held = |path: &String| WeakenedCheck { place: path.clone(), what: what.clone() };
        self.material.keys().map(held).collect()
    }

    fn cannot_run(&self, ids: &[&str], reason: Option<&str>) -> String {
        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        match (self.locale, ids) {
            (Locale::En, [id]) => {
                format!("`{id}`, as it was at the start, cannot run against the new code{reason}")
            }
            (Locale::En, _) => {
                format!("{} tests of the start cannot run against the new code{reason}", ids.len())
            }
            (Locale::Ko, _) => {
                format!(
                    "시작 시점의 테스트 {}개를 새 코드에서 실행할 수 없습니다{reason}",
                    ids.len()
                )
            }
        }
    }

    /// Returns the file that a person would look into.
    pub(super) fn place_of(&self, id: &str) -> String {
        let named = self.material.keys().find(|path| is_of_file(id, path));
        let name = own_name(id);
        let holds = |restored: &RestoredContents| match restored {
            RestoredContents::Contents(bytes) => String::from_utf8_lossy(bytes).contains(name),
            RestoredContents::Absent => false,
        };
        let holding =
            || self.material.iter().find(|(_, restored)| holds(restored)).map(|(path, _)| path);
        let only = || self.material.keys().next().filter(|_| self.material.len() == 1);
        let named = named.or_else(holding).or_else(only).cloned();
        named.unwrap_or_else(|| test_name(id).to_owned())
    }
}

impl TrialStage {
    /// Returns the remark after the name of a gate.
    pub(super) fn remark(self, locale: Locale) -> &'static str {
        match (self, locale) {
            (Self::TestsOfStart, Locale::En) => " with the tests of the start",
            (Self::CodeOfStart, Locale::En) => " on the code of the start",
            (Self::Start, Locale::En) => " as it was at the start",
            (Self::Present, Locale::En) => " as it is, once more",
            (Self::Present, Locale::Ko) => " (현재 파일, 다시)",
            (Self::TestsOfStart, Locale::Ko) => " (시작 시점의 테스트)",
            (Self::CodeOfStart, Locale::Ko) => " (시작 시점의 코드)",
            (Self::Start, Locale::Ko) => " (시작 시점의 파일)",
        }
    }
}

/// Returns the message for a test file that cannot be restored.
pub(super) fn cannot_restore(locale: Locale) -> &'static str {
    locale.say(
        "changed, and as it was at the start, a link or a large file, it cannot be put back",
        "바뀌었으며, 시작 시점에는 링크나 큰 파일이어서 되돌려 실행할 수 없습니다",
    )
}

/// Returns the message for what a test proves.
pub(super) fn bite(bite: OldCodeFailure, locale: Locale) -> &'static str {
    match bite {
        OldCodeFailure::OldBehaviour => locale.say(
            "it passes now and fails on the code of the start",
            "지금은 통과하고 시작 시점의 코드에서는 실패합니다",
        ),
        OldCodeFailure::NeedsNewCode => locale.say(
            "it is new, passes now, and needs the new code",
            "새 테스트이며, 새 코드가 있어야 실행되고 통과합니다",
        ),
    }
}

/// Returns the reason why a suite did not run tests of the start: a file that
/// does not load, or the first error.
pub(super) fn why_not_run(report: &GateReport, then: &BaselineTests) -> Option<String> {
    let tests = report.reading.tests.iter().flat_map(|tests| &tests.failures);
    let is_new = |id: &String| !then.passed.contains(id) && !then.failed.contains(id);
    let failure = tests.filter(|(id, _)| is_new(id)).map(|(_, one)| (&one.place, &one.message));
    let errors = report.reading.findings.iter().filter(|found| found.level == FindingLevel::Error);
    let error = errors.map(|found| (&found.place, &found.message));
    let (place, message) = failure.chain(error).next()?;
    let message = message.lines().find(|line| !line.trim().is_empty())?.trim();
    Some(format!("{}: {message}", place.display()))
}

/// Returns the message for a pass on files on which the gate failed before.
pub(super) fn luck(locale: Locale) -> &'static str {
    locale.say(
        "passes now and failed on the same files in the turn before",
        "지금은 통과하지만 이전 턴에서는 같은 파일로 실패했습니다",
    )
}
