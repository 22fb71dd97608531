//! Keeps runs out of folders that nobody means: `/`, the home folder, and
//! folders that are too large to be copied.

use std::fs;
use std::path::Path;

use ralph_snapshot::FolderSize;

use crate::app::App;
use crate::config::FolderChoice;
use crate::error::CliError;

/// What a folder without git may hold: a run copies it.
const MOST: FolderSize = FolderSize { files: 100_000, bytes: 4 << 30 };

/// Refuses to start a run in a folder that is likely the wrong one.
pub(crate) fn refuse_unfit(app: &App, choice: FolderChoice) -> Result<(), CliError> {
    let root = &app.project.root;
    let home = app.variable("HOME").and_then(|home| fs::canonicalize(home).ok());
    match choice {
        FolderChoice::Project if root.parent().is_none() => Err(unfit(
            "this is the root of the file system, and a run keeps a copy of every file in it",
            "여기는 파일 시스템의 루트이고, 실행은 그 안의 모든 파일을 복사해 둡니다",
        )),
        FolderChoice::Project if home.as_deref() == Some(root) => Err(unfit(
            "this is your home folder, and a run keeps a copy of every file in it",
            "여기는 홈 폴더이고, 실행은 그 안의 모든 파일을 복사해 둡니다",
        )),
        FolderChoice::Project if app.project.git.is_none() => refuse_large(root),
        FolderChoice::Any | FolderChoice::Project => Ok(()),
    }
}

fn refuse_large(root: &Path) -> Result<(), CliError> {
    if MOST.is_exceeded_in(root) {
        let most = format!(
            "this folder is not in git and has more than {} files or {} GiB, and a run copies it",
            MOST.files,
            MOST.bytes >> 30
        );
        let korean = "이 폴더는 git 저장소가 아니고, 복사하기에는 파일이 너무 많거나 큽니다";
        let korean_hint = "`git init`을 하고 생성된 파일을 무시하거나 `--any-folder`를 붙이세요";
        return Err(CliError::usage(most)
            .with_hint(
                "run `git init` and ignore what is generated, or add `--any-folder` to copy it all",
            )
            .in_korean(korean, Some(korean_hint)));
    }
    Ok(())
}

fn unfit(what: &str, korean: &str) -> CliError {
    let korean_hint = "프로젝트 폴더로 이동하거나 `--any-folder`를 붙이세요";
    CliError::usage(what)
        .with_hint("change to a project folder, or add `--any-folder`")
        .in_korean(korean, Some(korean_hint))
}
