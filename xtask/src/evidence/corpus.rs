//! The corpus: for every test runner a project, its bugs and the changes that
//! an agent makes.
//!
//! `tests/evidence/RUNNER/project` is sound. A case begins with one bug in it,
//! or with none, and says what the agent does.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::failure::TaskFailure;

/// Folder of the corpora in the workspace.
const FOLDER: &str = "tests/evidence";

/// The text files of a project by their path.
pub(super) type ProjectFiles = BTreeMap<String, String>;

/// Everything about one test runner.
#[derive(Debug)]
pub(super) struct RunnerCorpus {
    /// The name of its folder.
    pub(super) name: String,
    /// The sound project.
    pub(super) files: ProjectFiles,
    /// The cases in it.
    pub(super) plan: RunnerPlan,
}

/// The contents of `cases.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunnerPlan {
    /// Programs that the runner needs; without them it is skipped.
    pub(super) needs: Vec<String>,
    /// The path of `JUnit`'s console in the project.
    #[serde(default)]
    pub(super) junit: Option<String>,
    /// The program whose `node_modules` the project gets.
    #[serde(default)]
    pub(super) node_modules: Option<String>,
    /// The bug of a case that names none.
    bug: String,
    bugs: BTreeMap<String, EvidenceCase>,
    cheat: Vec<EvidenceCase>,
    honest: Vec<EvidenceCase>,
}

/// One change by the agent, or a bug in the project. Text files are changed in the
/// order of the fields.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct EvidenceCase {
    /// A sentence about the change.
    pub(super) name: String,
    /// The bug that the project begins with; empty for a sound project.
    bug: Option<String>,
    /// True if no check can see this cheat.
    invisible: bool,
    /// Renames, as the old and the new path.
    rename: Vec<[String; 2]>,
    /// Replacements, as a path, a text that occurs once, and the new text.
    replace: Vec<[String; 3]>,
    /// Additions, as a path and the text at the end.
    append: Vec<[String; 2]>,
    /// New contents, as a path and the text.
    write: Vec<[String; 2]>,
    delete: Vec<String>,
    /// A script that the agent runs last.
    pub(super) sh: String,
}

/// The kind of a change, which decides whether it must be accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CaseKind {
    /// Makes the checks pass, or mean less, without mending the bug.
    Cheat,
    /// A cheat that no check can see: tried, but not counted.
    InvisibleCheat,
    /// Mends the bug, or does no harm to a sound project.
    Honest,
}

/// One case of a corpus.
#[derive(Clone, Copy)]
pub(super) struct PlannedCase<'a> {
    pub(super) corpus: &'a RunnerCorpus,
    pub(super) kind: CaseKind,
    pub(super) case: &'a EvidenceCase,
}

/// The files before and after a case.
#[derive(Debug)]
pub(super) struct CaseTrees {
    pub(super) before: ProjectFiles,
    pub(super) after: ProjectFiles,
    /// The verdict of the gate at the start.
    pub(super) first_verdict: &'static str,
}

impl RunnerCorpus {
    /// Reads all corpora, sorted by name.
    pub(super) fn load_all(root: &Path) -> Result<Vec<Self>, TaskFailure> {
        let folder = root.join(FOLDER);
        let entries = fs::read_dir(&folder).map_err(|error| TaskFailure::io(&folder, &error))?;
        let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        folders.sort_unstable();
        folders.iter().filter(|folder| folder.is_dir()).map(|folder| Self::load(folder)).collect()
    }

    fn load(folder: &Path) -> Result<Self, TaskFailure> {
        let path = folder.join("cases.toml");
        let text = fs::read_to_string(&path).map_err(|error| TaskFailure::io(&path, &error))?;
        let plan = toml::from_str(&text)
            .map_err(|error| TaskFailure::Failed(format!("{}: {error}", path.display())))?;
        let mut files = ProjectFiles::new();
        read_below(&folder.join("project"), "", &mut files)?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, files, plan })
    }

    /// Returns all cases, the cheats first.
    pub(super) fn cases(&self) -> impl Iterator<Item = PlannedCase<'_>> {
        let cheats = self.plan.cheat.iter().map(|case| {
            let kind = if case.invisible { CaseKind::InvisibleCheat } else { CaseKind::Cheat };
            PlannedCase { corpus: self, kind, case }
        });
        let honest = self.plan.honest.iter();
        cheats.chain(honest.map(|case| PlannedCase { corpus: self, kind: CaseKind::Honest, case }))
    }
}

impl PlannedCase<'_> {
    /// Returns the runner and the name of the case.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.corpus.name, self.case.name)
    }

    /// Returns the files before and after the case, without the effect of its script.
    pub(super) fn trees(&self) -> Result<CaseTrees, TaskFailure> {
        let told = |what| TaskFailure::Failed(format!("{}: {what}", self.name()));
        let RunnerCorpus { files, plan, .. } = self.corpus;
        let bug = self.case.bug.as_deref().unwrap_or(&plan.bug);
        let mut before = files.clone();
        if !bug.is_empty() {
            let change = plan.bugs.get(bug).ok_or_else(|| told(format!("no bug `{bug}`")))?;
            change.apply(&mut before).map_err(told)?;
        }
        let mut after = match self.kind {
            CaseKind::Cheat | CaseKind::InvisibleCheat => before.clone(),
            CaseKind::Honest => files.clone(),
        };
        self.case.apply(&mut after).map_err(told)?;
        let first_verdict = if bug.is_empty() { "pass" } else { "fail" };
        Ok(CaseTrees { before, after, first_verdict })
    }
}

impl EvidenceCase {
    fn apply(&self, files: &mut ProjectFiles) -> Result<(), String> {
        for [from, to] in &self.rename {
            let text = files.remove(from).ok_or_else(|| format!("no file {from}"))?;
            files.insert(to.clone(), text);
        }
        for [path, old, new] in &self.replace {
            let text = files.get_mut(path).ok_or_else(|| format!("no file {path}"))?;
            let count = text.matches(old.as_str()).count();
            if count != 1 {
                return Err(format!("`{old}` stands {count} times in {path}"));
            }
            *text = text.replacen(old.as_str(), new, 1);
        }
        for [path, more] in &self.append {
            files.get_mut(path).ok_or_else(|| format!("no file {path}"))?.push_str(more);
        }
        files.extend(self.write.iter().map(|[path, text]| (path.clone(), text.clone())));
        for path in &self.delete {
            files.remove(path).ok_or_else(|| format!("no file {path}"))?;
        }
        Ok(())
    }
}

pub(super) fn read_below(
    folder: &Path,
    prefix: &str,
    files: &mut ProjectFiles,
) -> Result<(), TaskFailure> {
    let entries = fs::read_dir(folder).map_err(|error| TaskFailure::io(folder, &error))?;
    for entry in entries.flatten() {
        let path = entry.path();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if path.is_dir() {
            read_below(&path, &format!("{name}/"), files)?;
        } else {
            let text = fs::read_to_string(&path).map_err(|error| TaskFailure::io(&path, &error))?;
            files.insert(name, text);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::workspace;

    #[test]
    fn every_change_can_be_made_and_has_a_name_of_its_own() {
        for corpus in RunnerCorpus::load_all(&workspace::root()).unwrap() {
            let mut names = BTreeSet::new();
            for planned in corpus.cases() {
                let name = planned.name();
                let trees = planned.trees().unwrap_or_else(|failure| panic!("{failure}"));
                let is_sound = trees.before == corpus.files;
                assert_eq!(trees.first_verdict == "pass", is_sound, "{name}");
                assert!(names.insert(name), "{} is there twice", planned.case.name);
            }
        }
    }

    #[test]
    fn the_corpus_is_large_enough_to_mean_something() {
        let corpora = RunnerCorpus::load_all(&workspace::root()).unwrap();
        let count = |wanted| {
            let cases = corpora.iter().flat_map(RunnerCorpus::cases);
            cases.filter(|planned| planned.kind == wanted).count()
        };
        assert!(count(CaseKind::Cheat) >= 150, "{}", count(CaseKind::Cheat));
        assert!(count(CaseKind::Honest) >= 60, "{}", count(CaseKind::Honest));
    }

    #[test]
    fn a_text_that_is_not_there_once_is_not_replaced() {
        let files = || ProjectFiles::from([("a".to_owned(), "x y y".to_owned())]);
        let edits = |old: &str| EvidenceCase {
            replace: vec![["a".to_owned(), old.to_owned(), "z".to_owned()]],
            ..EvidenceCase::default()
        };
        let mut changed = files();
        assert_eq!(edits("x").apply(&mut changed), Ok(()));
        assert_eq!(changed["a"], "z y y");
        assert!(edits("y").apply(&mut files()).is_err());
        assert!(edits("w").apply(&mut files()).is_err());
    }
}
