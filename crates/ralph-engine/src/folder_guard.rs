//! Keeps commands out of unlikely folders: `/`, the home folder and, for runs, folders
//! that are too large to copy.

use std::fs;
use std::path::Path;

use ralph_config::FolderChoice;
use ralph_snapshot::FolderSize;

use crate::app::App;
use crate::user_error::UserError;

/// Largest folder without git that a run copies.
const MOST: FolderSize = FolderSize { files: 100_000, bytes: 4 << 30 };

/// A folder that is rarely a project.
#[derive(Clone, Copy)]
enum UnlikelyFolder {
    Root,
    Home,
}

impl UnlikelyFolder {
    /// Tells which of these the project's folder is, if any.
    fn of(app: &App) -> Option<Self> {
        let root = &app.project.root;
        let home = app.variable("HOME").and_then(|home| fs::canonicalize(home).ok());
        match home {
            _ if root.parent().is_none() => Some(Self::Root),
            Some(home) if home == *root => Some(Self::Home),
            _ => None,
        }
    }

    /// Returns its name in both languages.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Root => ("the root of the file system", "파일 시스템의 루트"),
            Self::Home => ("your home folder", "홈 폴더"),
        }
    }
}

/// Returns an error for a run in a folder that is probably wrong.
pub fn refuse_unfit(app: &App, choice: FolderChoice) -> Result<(), UserError> {
    match (choice, UnlikelyFolder::of(app)) {
        (FolderChoice::Project, Some(folder)) => {
            let (name, korean) = folder.names();
            let korean_hint = "프로젝트 폴더로 이동하거나 `--any-folder`를 붙이세요";
            let what = format!("this is {name}, and a run keeps a copy of every file in it");
            let korean = format!("여기는 {korean}이고, 실행은 그 안의 모든 파일을 복사해 둡니다");
            Err(UserError::usage(what)
                .with_hint("change to a project folder, or add `--any-folder`")
                .in_korean(korean, Some(korean_hint)))
        }
        (FolderChoice::Project, None) if app.project.git.is_none() => {
            refuse_large(&app.project.root)
        }
        (FolderChoice::Any, _) | (FolderChoice::Project, None) => Ok(()),
    }
}

/// Returns an error if a command would read all of `/` or the home folder. A folder in
/// git or with a `ralph.toml` is fine.
pub fn refuse_no_project(app: &App) -> Result<(), UserError> {
    let is_meant = app.project.git.is_some() || app.project.root.join("ralph.toml").exists();
    let Some(folder) = UnlikelyFolder::of(app).filter(|_| !is_meant) else { return Ok(()) };
    let (name, korean) = folder.names();
    Err(UserError::usage(format!("this is {name}, not a project"))
        .with_hint("change to a project folder; if this is one, create a `ralph.toml` here")
        .in_korean(
            format!("여기는 {korean}이며 프로젝트가 아닙니다"),
            Some("프로젝트 폴더로 이동하세요. 여기가 프로젝트라면 `ralph.toml`을 만드세요"),
        ))
}

fn refuse_large(root: &Path) -> Result<(), UserError> {
    if MOST.is_exceeded_in(root) {
        let most = format!(
            "this folder is not in git and has more than {} files or {} GiB, and a run copies it",
            MOST.files,
            MOST.bytes >> 30
        );
        let korean = "이 폴더는 git 저장소가 아니고, 복사하기에는 파일이 너무 많거나 큽니다";
        let korean_hint = "`git init`을 하고 생성된 파일을 무시하거나 `--any-folder`를 붙이세요";
        return Err(UserError::usage(most)
            .with_hint(
                "run `git init` and ignore what is generated, or add `--any-folder` to copy it all",
            )
            .in_korean(korean, Some(korean_hint)));
    }
    Ok(())
}
