//! Everything that a rollback must restore or must not touch.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::failure::TaskFailure;
use crate::stress::stage::StressProject;

/// The files of a project and the answers of git.
#[derive(PartialEq, Eq)]
pub(super) struct ProjectPicture {
    files: BTreeMap<PathBuf, PictureEntry>,
    git: BTreeMap<&'static str, String>,
}

#[derive(PartialEq, Eq)]
enum PictureEntry {
    Folder,
    File { mode: u32, contents: Vec<u8> },
    Link(PathBuf),
}

/// Questions to git whose answers a rollback must not change.
const QUESTIONS: [(&str, &[&str]); 5] = [
    ("the index", &["ls-files", "--stage", "-z"]),
    ("HEAD", &["rev-parse", "HEAD"]),
    ("the branch", &["symbolic-ref", "HEAD"]),
    ("the references", &["for-each-ref", "--exclude=refs/ralph"]),
    ("the stash", &["stash", "list"]),
];

impl ProjectPicture {
    /// Takes a picture of the project.
    pub(super) fn take(project: &StressProject<'_>) -> Result<Self, TaskFailure> {
        let root = project.path("");
        let mut picture = Self { files: BTreeMap::new(), git: BTreeMap::new() };
        picture.add_folder(&root, Path::new(""))?;
        if root.join(".git").exists() {
            for (name, args) in QUESTIONS {
                let mut git = project.program("git");
                git.arg("--no-optional-locks").args(args);
                let answer = project.spawn(git)?.wait()?.expect_code(0)?.stdout;
                picture.git.insert(name, answer);
            }
        }
        Ok(picture)
    }

    fn add_folder(&mut self, root: &Path, folder: &Path) -> Result<(), TaskFailure> {
        let absolute = root.join(folder);
        let wrong = |error| TaskFailure::io(&absolute, &error);
        for found in fs::read_dir(&absolute).map_err(wrong)? {
            let found = found.map_err(wrong)?;
            let (path, kind) = (folder.join(found.file_name()), found.file_type().map_err(wrong)?);
            if path == Path::new(".git") {
                continue;
            }
            let entry = if kind.is_dir() {
                self.add_folder(root, &path)?;
                PictureEntry::Folder
            } else if kind.is_symlink() {
                PictureEntry::Link(fs::read_link(found.path()).map_err(wrong)?)
            } else {
                let mode = found.metadata().map_err(wrong)?.permissions().mode();
                PictureEntry::File { mode, contents: fs::read(found.path()).map_err(wrong)? }
            };
            self.files.insert(path, entry);
        }
        Ok(())
    }

    /// Describes the paths at which two pictures differ.
    fn differences(&self, other: &Self) -> Vec<String> {
        let paths: BTreeSet<_> = self.files.keys().chain(other.files.keys()).collect();
        let differs = |path: &&&PathBuf| self.files.get(**path) != other.files.get(**path);
        let show = |path: &PathBuf| {
            let side = |picture: &Self| picture.files.get(path).map_or("nothing".into(), shown);
            format!("{}: {} and not {}", path.display(), side(self), side(other))
        };
        let files = paths.iter().filter(differs).map(|path| show(path));
        let git = self.git.iter().filter(|(name, answer)| other.git.get(*name) != Some(answer));
        files.chain(git.map(|(name, _)| format!("{name} of git"))).collect()
    }

    /// Returns an error that names the differences from `want`.
    pub(super) fn expect(&self, want: &Self, when: &str) -> Result<(), TaskFailure> {
        let found = self.differences(want);
        if found.is_empty() {
            return Ok(());
        }
        let first: Vec<_> = found.iter().take(5).map(String::as_str).collect();
        let count = found.len();
        Err(TaskFailure::Failed(format!(
            "{when}, {count} things differ:\n  {}",
            first.join("\n  ")
        )))
    }

    /// Returns an error that names a file that is in neither picture, and so is lost.
    pub(super) fn expect_between(&self, one: &Self, other: &Self) -> Result<(), TaskFailure> {
        let folders =
            |entry: Option<&PictureEntry>| matches!(entry, Some(PictureEntry::Folder) | None);
        let pictures = [one, other, self];
        let paths: BTreeSet<_> = pictures.iter().flat_map(|picture| picture.files.keys()).collect();
        let lost = paths.into_iter().find(|path| {
            let now = self.files.get(*path);
            let known = [one, other].map(|picture| picture.files.get(*path));
            // A folder may be gone before its replacement is there.
            let on_the_way = folders(now) && known.into_iter().any(folders);
            !known.contains(&now) && !on_the_way
        });
        match lost {
            Some(path) => {
                let now = self.files.get(path).map_or("nothing".into(), shown);
                Err(TaskFailure::Failed(format!("{} is lost: there is {now}", path.display())))
            }
            None => Ok(()),
        }
    }
}

fn shown(entry: &PictureEntry) -> String {
    match entry {
        PictureEntry::Folder => "a folder".to_owned(),
        PictureEntry::File { mode, contents } => {
            format!("a file of {} bytes, mode {:o}", contents.len(), mode & 0o7777)
        }
        PictureEntry::Link(target) => format!("a link to {}", target.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stress::stage::ScenarioFolder;

    #[test]
    fn a_changed_mode_a_new_link_and_a_lost_file_are_told_apart() {
        let stage = ScenarioFolder::new(Path::new("/bin/true")).unwrap();
        let project = stage.project("a").unwrap();
        fs::write(project.path("kept"), "one").unwrap();
        fs::write(project.path("lost"), "two").unwrap();
        let before = ProjectPicture::take(&project).unwrap();
        before.expect(&ProjectPicture::take(&project).unwrap(), "at once").unwrap();

        fs::set_permissions(project.path("kept"), fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink("kept", project.path("link")).unwrap();
        let after = ProjectPicture::take(&project).unwrap();
        let told = after.expect(&before, "later").unwrap_err().to_string();
        assert!(told.starts_with("later, 2 things differ"), "{told}");
        after.expect_between(&before, &after).unwrap();

        fs::write(project.path("lost"), "tw").unwrap();
        let torn = ProjectPicture::take(&project).unwrap().expect_between(&before, &after);
        assert_eq!(
            torn.unwrap_err().to_string(),
            "lost is lost: there is a file of 2 bytes, mode 644"
        );
    }
}
