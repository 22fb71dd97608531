//! Holds a run to the packages it began with: a change there is seen by no
//! tree and no test of the start.

use std::path::PathBuf;

use ralph_checks::tamper::is_startup_module;
use ralph_core::Run;
use ralph_core::evidence::{Edit, Evidence, Weakening};
use ralph_core::locale::Locale;
use ralph_core::policy::RuleEdition;
use ralph_snapshot::ChangedPackages;

use super::Driver;
use crate::error::EngineError;

impl Driver<'_> {
    /// Adds what was done to installed packages: held if a lock file says
    /// what belongs there and did not change, reported otherwise.
    pub(crate) fn look_at_packages(
        &self,
        run: &Run,
        evidence: &mut Evidence,
    ) -> Result<(), EngineError> {
        if run.policy.edition == RuleEdition::First {
            return Ok(());
        }
        let found = self.tree.packages_changed_since(self.moment_of_start(run));
        if found.is_empty() {
            return Ok(());
        }
        let (rules, then) = (self.rules(run)?, self.surroundings());
        let start = run.baseline.as_ref().and_then(|baseline| baseline.tree.as_ref());
        let changes = match start.zip(evidence.tree.as_ref()) {
            Some((start, present)) => self.tree.changes(start, present)?,
            None => Vec::new(),
        };
        let is_changed = |found: &ChangedPackages| {
            found.locks.iter().any(|lock| changes.iter().any(|change| change.path == *lock))
        };
        for packages in found {
            // What belongs to the tree is judged as files are.
            let is_tracked = |file: &PathBuf| changes.iter().any(|change| change.path == *file);
            let is_users = |file: &PathBuf| {
                then.as_ref().is_some_and(|then| then.is_of_rest(&self.root.join(file)))
            };
            let mut untracked =
                packages.files.iter().filter(|file| !is_tracked(file) && !is_users(file));
            let is_startup = |file: &&PathBuf| is_startup_module(&file.to_string_lossy());
            // No installation brings what Python loads before anything else.
            let startup = untracked.clone().find(is_startup);
            let Some(first) = startup.or_else(|| untracked.next()) else { continue };
            let place = first.to_string_lossy().into_owned();
            let what = wording(packages.files.len(), run.policy.locale);
            let is_harmless =
                startup.is_none() && (packages.locks.is_empty() || is_changed(&packages));
            if rules.allows(&place) || is_harmless {
                evidence.edited.push(Edit { place, what });
            } else {
                evidence.weakened.push(Weakening { place, what });
            }
        }
        Ok(())
    }
}

fn wording(files: usize, locale: Locale) -> String {
    match (locale, files) {
        (Locale::En, 1) => "an installed package was changed during the run".to_owned(),
        (Locale::En, _) => {
            format!("installed packages were changed during the run, in {files} files")
        }
        (Locale::Ko, _) => {
            format!("실행 중에 설치된 패키지가 바뀌었습니다 (파일 {files}개)")
        }
    }
}
