//! Decides whether the settings of a project count: only if the user has accepted them.
//!
//! A settings file names commands, and cloning a project must not execute them. What the user
//! accepted is kept in the user's state, by the hash of the settings: another comment or order
//! asks nothing. The file is read once for the decision and for its use, so a file that is
//! exchanged in between does not count.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use ralph_config::SettingsSource;
use ralph_core::RunId;
use ralph_files::LogFailure as _;

use super::App;
use crate::settings_copy;
use crate::user_error::UserError;

/// The variable with folders whose projects count, separated as in `PATH`.
const FOLDERS: &str = "RALPH_TRUSTED_FOLDERS";

/// The folder of the records in the user's state.
const RECORDS: &str = "trust";

/// Most contents of a file that stay accepted.
const MOST_ACCEPTED: usize = 50;

/// The settings file of a project, as it was read once.
#[derive(Debug)]
pub struct ProjectFile {
    /// Its content.
    pub source: SettingsSource,
    digest: String,
}

/// The standing of a project's file with the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileStanding {
    /// It sets nothing.
    Empty,
    /// The user has accepted it.
    Accepted,
    /// The user has accepted another content of it.
    Changed,
    /// The user has accepted no content of it.
    New,
}

impl FileStanding {
    /// Returns true if the settings of the file count.
    pub fn counts(self) -> bool {
        matches!(self, Self::Empty | Self::Accepted)
    }

    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Accepted => "accepted",
            Self::Changed => "changed",
            Self::New => "new",
        }
    }
}

impl ProjectFile {
    /// Reads a file; one that does not exist sets nothing.
    pub fn read(path: &Path) -> Result<Self, UserError> {
        Self::new(SettingsSource::read(path)?)
    }

    fn new(source: SettingsSource) -> Result<Self, UserError> {
        let text =
            serde_json::to_string(source.table()).map_err(|error| UserError::internal(&error))?;
        let digest = blake3::hash(text.as_bytes()).to_hex().to_string();
        Ok(Self { source, digest })
    }

    /// Returns a line for each setting. A value cannot end its line or hide a part of it.
    pub fn lines(&self) -> Vec<String> {
        let values = self.source.values().into_iter();
        let lines = values.map(|(path, value)| {
            let value = serde_json::to_string(&value).unwrap_or_default();
            format!("{} = {}", visible(&path), visible(&value))
        });
        lines.collect()
    }

    fn not_accepted(&self, standing: FileStanding) -> UserError {
        let path = self.source.path().display();
        let (english, korean) = match standing {
            FileStanding::Changed => (
                format!("{path} has changed since you accepted it"),
                format!("{path} 이(가) 수락한 뒤에 바뀌었습니다"),
            ),
            FileStanding::New | FileStanding::Empty | FileStanding::Accepted => (
                format!("{path} names commands and rules that you have not accepted"),
                format!("{path} 에 아직 수락하지 않은 명령과 규칙이 있습니다"),
            ),
        };
        UserError::usage(english)
            .with_hint(
                "`ralph trust` in a terminal shows them and accepts them; `--trust-project` \
                 accepts them for one command",
            )
            .in_korean(
                korean,
                Some(
                    "터미널에서 `ralph trust` 로 내용을 보고 수락하세요. `--trust-project` 는 명령 한 번에만 수락합니다",
                ),
            )
    }
}

impl App {
    /// Reads the project's settings file.
    pub fn project_file(&self) -> Result<ProjectFile, UserError> {
        ProjectFile::read(&self.project_config())
    }

    /// Returns the standing of a file of this project with the user.
    pub fn standing_of(&self, file: &ProjectFile) -> FileStanding {
        if file.source.values().is_empty() {
            return FileStanding::Empty;
        }
        let record = self.record();
        if self.is_accepted_here(file) || record.iter().flatten().any(|one| *one == file.digest) {
            return FileStanding::Accepted;
        }
        match record {
            Some(accepted) if accepted.is_empty() => FileStanding::New,
            Some(_) => FileStanding::Changed,
            None if self.is_older_than_trust() => FileStanding::Accepted,
            None => FileStanding::New,
        }
    }

    /// Returns an error unless the settings of this file count.
    pub(super) fn ensure_accepted(&self, file: &ProjectFile) -> Result<(), UserError> {
        let standing = self.standing_of(file);
        if !standing.counts() {
            return Err(file.not_accepted(standing));
        }
        if standing == FileStanding::Accepted && !self.is_accepted_here(file) {
            // A project that predates the question: its present content counts from now on.
            if self.record().is_none() {
                self.accept(file).or_log("recording that a project's settings count");
            }
        }
        Ok(())
    }

    /// Tells in a line that the settings of the project do not count; `None` if they do.
    pub fn left_out(&self) -> Option<String> {
        let path = self.project_config();
        let file = path.exists().then(|| ProjectFile::read(&path).ok()).flatten()?;
        let standing = self.standing_of(&file);
        (!standing.counts()).then(|| file.not_accepted(standing).line_in(self.chosen_locale()))
    }

    /// Accepts this content of the file, until the user takes it back.
    pub fn accept(&self, file: &ProjectFile) -> Result<(), UserError> {
        let mut accepted = self.record().unwrap_or_default();
        accepted.retain(|known| *known != file.digest);
        accepted.push(file.digest.clone());
        accepted.drain(..accepted.len().saturating_sub(MOST_ACCEPTED));
        self.write_record(&accepted)
    }

    /// Accepts the project's file with the text that was just written for the user.
    pub fn accept_own_text(&self, text: &str) -> Result<(), UserError> {
        let source = SettingsSource::parse(&self.project_config(), text.to_owned())?;
        let file = ProjectFile::new(source)?;
        if self.standing_of(&file).counts() { Ok(()) } else { self.accept(&file) }
    }

    /// Accepts this content of the file for this process and for the run that it starts.
    pub fn accept_once(&self, file: &ProjectFile) {
        // Only the first content counts.
        let _ = self.accepted_once.set(file.digest.clone());
    }

    /// Takes back whatever was accepted of this project.
    pub fn revoke(&self) -> Result<(), UserError> {
        self.write_record(&[])
    }

    /// Records the content that counts for a run that begins. Its copies count for it alone.
    pub(super) fn note_accepted(&self, run: &RunId) {
        // A variable counts where it is set. Kept with the run, it would count for processes of
        // the user, too, whoever set it.
        let file = self.project_file().ok().filter(|_| !self.is_in_trusted_folder());
        let file = file.filter(|file| self.standing_of(file).counts());
        let digest = file.map(|file| file.digest).unwrap_or_default();
        settings_copy::note_accepted(&self.run_folder(run), &digest)
            .or_log("recording the settings of a run");
        if self.record().is_none() {
            // From now on this project is no older than the question.
            self.write_record(&[]).or_log("recording that a project has no accepted settings");
        }
    }

    /// Returns true if this content counts without a record of the user.
    fn is_accepted_here(&self, file: &ProjectFile) -> bool {
        let is_of = |run: &PathBuf| settings_copy::accepted(run).as_ref() == Some(&file.digest);
        self.accepted_once.get() == Some(&file.digest)
            || self.fallback.folder.get().is_some_and(is_of)
            || self.driven_run().is_some_and(|run| is_of(&self.run_folder(&run)))
            || self.is_in_trusted_folder()
            // It can do no more than the program that called us, and our records are hidden.
            || crate::sandbox::is_inside(self)
    }

    /// Returns true if the user trusts a folder with this project.
    pub fn is_in_trusted_folder(&self) -> bool {
        let Some(folders) = self.env.get(OsStr::new(FOLDERS)) else { return false };
        std::env::split_paths(folders)
            .filter(|folder| folder.is_absolute())
            .filter_map(|folder| fs::canonicalize(folder).ok())
            .any(|folder| self.project.root.starts_with(folder))
    }

    /// Returns true if the user ran this project with a version that did not ask, and with none
    /// since. An older version left runs without a word about what was accepted.
    fn is_older_than_trust(&self) -> bool {
        let runs = fs::read_dir(self.home.join("runs")).into_iter().flatten().flatten();
        let mut runs = runs.map(|run| settings_copy::accepted(&run.path())).peekable();
        runs.peek().is_some() && runs.all(|accepted| accepted.is_none())
    }

    /// Returns the contents that the user accepted; `None` without a record.
    fn record(&self) -> Option<Vec<String>> {
        let text = ralph_files::read_own_text(self.record_path()?).ok()?;
        // The first line names the project, for people.
        Some(text.lines().skip(1).map(str::to_owned).collect())
    }

    fn write_record(&self, accepted: &[String]) -> Result<(), UserError> {
        let path = self.record_path().ok_or_else(|| {
            UserError::refused("there is no folder for the user's state")
                .with_hint("set `HOME` or `RALPH_HOME`, or use `--trust-project`")
                .in_korean(
                    "사용자 상태를 둘 폴더가 없습니다",
                    Some("`HOME` 이나 `RALPH_HOME` 을 지정하거나 `--trust-project` 를 쓰세요"),
                )
        })?;
        if let Some(folder) = path.parent() {
            ralph_files::make_private_folder(folder)?;
        }
        let mut text = format!("{}\n", visible(&self.trusted_place().to_string_lossy()));
        for digest in accepted {
            text.push_str(digest);
            text.push('\n');
        }
        Ok(ralph_files::write_own(path, text)?)
    }

    fn record_path(&self) -> Option<PathBuf> {
        let is_chosen = self.variable("RALPH_HOME").is_some_and(|value| !value.is_empty());
        let variable = |name: &str| self.env.get(OsStr::new(name)).cloned();
        if !is_chosen && ralph_snapshot::platform_state_dir(variable).is_none() {
            // The folder for temporary files belongs to all users.
            return None;
        }
        let place = self.trusted_place();
        let name = blake3::hash(place.as_os_str().as_encoded_bytes()).to_hex();
        Some(self.user_home().parent()?.join(RECORDS).join(name.get(..32)?))
    }

    /// Returns the folder that stands for the project: the repository, which its work trees
    /// share, else the root. A work tree that the repository does not know stands for itself.
    fn trusted_place(&self) -> PathBuf {
        let root = &self.project.root;
        let Some(git) = &self.project.git else { return root.clone() };
        let own = fs::canonicalize(root.join(".git")).ok();
        let is_main = git.dir == git.common && own.as_ref() == Some(&git.common);
        let known = || ralph_files::read_text(git.dir.join("gitdir")).ok();
        let is_linked = || {
            git.dir.starts_with(git.common.join("worktrees"))
                && known().is_some_and(|text| fs::canonicalize(text.trim()).ok() == own)
        };
        if is_main || is_linked() { git.common.clone() } else { root.clone() }
    }
}

/// Escapes what a terminal would not show as it is.
fn visible(text: &str) -> String {
    let is_plain = |one: char| {
        let one = one.to_string();
        one != "\n" && ralph_core::claim::plain(&one) == one
    };
    text.chars().fold(String::new(), |mut out, one| {
        if is_plain(one) {
            out.push(one);
        } else {
            out.extend(one.escape_unicode());
        }
        out
    })
}

#[cfg(test)]
#[path = "trust_tests.rs"]
mod tests;
