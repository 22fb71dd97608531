//! Detects changes of installed packages. Neither a tree nor a test of the
//! start shows them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ralph_core::Run;
use ralph_core::evidence::{Evidence, TestEdit, WeakenedCheck};
use ralph_core::locale::Locale;
use ralph_core::policy::RuleEdition;
use ralph_snapshot::ChangedPackages;
use ralph_tamper::is_startup_module;

use super::surroundings::OutsideWatch;
use super::tampering::FileVersions;
use crate::error::EngineError;
use crate::locks;

/// The package changes that a changed lock file permits.
enum PermittedPackages {
    /// None: no lock file changed in its meaning.
    Nothing,
    /// The packages with these names, and modules that come with them.
    Packages(BTreeSet<String>),
    /// All: its entries cannot be read.
    All,
}

impl OutsideWatch<'_, '_> {
    /// Adds changes of installed packages to the evidence. A change is held if
    /// there is a lock file that does not permit it, and reported otherwise. A
    /// file that Python loads by itself is held in any case.
    pub(crate) fn look_at_packages(
        &self,
        run: &Run,
        evidence: &mut Evidence,
    ) -> Result<(), EngineError> {
        if run.policy.edition == RuleEdition::First {
            return Ok(());
        }
        let found = self.context.tree.packages_changed_since(self.moment_of_start(run));
        if found.is_empty() {
            return Ok(());
        }
        let (rules, then) = (self.rules(run)?, self.surroundings());
        let present = evidence.tree.as_ref();
        let changes = present.and_then(|now| self.both_versions(run, now).ok()).unwrap_or_default();
        for packages in found {
            let freed = self.freed(&packages, &changes);
            // Files in the tree are judged like other files.
            let is_tracked = |file: &PathBuf| {
                *file != packages.folder && changes.iter().any(|change| change.is_at(file))
            };
            let is_users = |file: &PathBuf| {
                then.as_ref()
                    .is_some_and(|then| then.is_of_rest(&self.context.places.root.join(file)))
            };
            let files = packages.files.iter();
            let untracked: Vec<&PathBuf> =
                files.filter(|file| !is_tracked(file) && !is_users(file)).collect();
            let is_free = |file: &PathBuf| freed.includes(&packages.folder, file);
            let is_startup = |file: &PathBuf| is_startup_module(&file.to_string_lossy());
            // No installation adds files that Python loads before all others.
            let is_held = |file: &&&PathBuf| {
                is_startup(file)
                    || (!is_free(file)
                        && (!packages.locks.is_empty() || self.is_loaded_by_itself(file)))
            };
            let first = untracked.iter().find(|file| is_startup(file));
            let first = first.or_else(|| untracked.iter().find(is_held));
            let Some(shown) = first.or_else(|| untracked.first()) else { continue };
            let place = shown.to_string_lossy().into_owned();
            let what = wording(packages.files.len(), run.policy.locale);
            if rules.allows(&place) || first.is_none() {
                evidence.edited.push(TestEdit { place, what });
            } else {
                evidence.weakened.push(WeakenedCheck { place, what });
            }
        }
        Ok(())
    }

    /// Returns true if Python or pytest load a file by themselves.
    fn is_loaded_by_itself(&self, file: &Path) -> bool {
        let has = |told: fn(&str) -> bool| {
            ralph_files::read_text(self.context.places.root.join(file))
                .is_ok_and(|text| told(&text))
        };
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("txt") => has(|text| text.contains("pytest11")),
            Some("pth") => has(|text| text.lines().any(|line| line.starts_with("import"))),
            _ => false,
        }
    }

    /// Returns the changes that the lock files of packages permit.
    fn freed(&self, packages: &ChangedPackages, changes: &[FileVersions]) -> PermittedPackages {
        let is_lock = |change: &&FileVersions| packages.locks.iter().any(|lock| change.is_at(lock));
        let mut names = BTreeSet::new();
        for lock in changes.iter().filter(is_lock) {
            let Some((old, new)) = lock.texts() else { return PermittedPackages::All };
            names.extend(locks::changed_packages(old, new));
        }
        if names.is_empty() {
            return PermittedPackages::Nothing;
        }
        let sites: BTreeSet<&Path> =
            packages.files.iter().filter_map(|file| site_of(file)).collect();
        for site in sites {
            names.extend(modules_of(&self.context.places.root.join(site), &names));
        }
        PermittedPackages::Packages(names)
    }
}

impl PermittedPackages {
    fn includes(&self, folder: &Path, file: &Path) -> bool {
        match self {
            Self::All => true,
            Self::Nothing => false,
            // The folder itself is not a package.
            Self::Packages(_) if folder == file => false,
            Self::Packages(names) => {
                let below = file.strip_prefix(folder).unwrap_or(file);
                locks::package_of(folder, below).is_none_or(|name| names.contains(&name))
            }
        }
    }
}

/// Returns the folder with Python's packages that contains a file.
fn site_of(file: &Path) -> Option<&Path> {
    file.ancestors().find(|folder| folder.ends_with("site-packages"))
}

/// Returns the modules that only distributions with these names installed, by
/// their lists of files.
fn modules_of(site: &Path, names: &BTreeSet<String>) -> BTreeSet<String> {
    let (mut own, mut others) = (BTreeSet::new(), BTreeSet::new());
    for entry in fs::read_dir(site).into_iter().flatten().flatten() {
        let Ok(list) = ralph_files::read_text(entry.path().join("RECORD")) else { continue };
        let name =
            locks::package_of(Path::new(""), &Path::new("site-packages").join(entry.file_name()));
        let is_own = name.is_some_and(|name| names.contains(&name));
        let modules = if is_own { &mut own } else { &mut others };
        let tops = list.lines().filter_map(|line| line.split(['/', ',', '.']).next());
        modules.extend(tops.filter(|top| !top.is_empty()).map(locks::plain));
    }
    own.difference(&others).cloned().collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_frees_the_modules_that_it_alone_brought() {
        let site = tempfile::tempdir().unwrap();
        for (name, list) in [
            ("PyYAML-6.0.dist-info", "yaml/__init__.py,x,1\n_yaml.so,x,1\n_pytest/runner.py,x,1\n"),
            ("pytest-9.0.dist-info", "_pytest/runner.py,x,1\n"),
        ] {
            fs::create_dir(site.path().join(name)).unwrap();
            fs::write(site.path().join(name).join("RECORD"), list).unwrap();
        }
        let names = BTreeSet::from(["pyyaml".to_owned()]);
        let found = modules_of(site.path(), &names);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["-yaml", "yaml"]);
    }
}
