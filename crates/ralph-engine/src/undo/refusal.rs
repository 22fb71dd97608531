//! The error for files that several runs changed at the same time.

use std::path::PathBuf;

use super::SharedFiles;
use crate::UserError;
use crate::texts;
use ralph_core::Run;

/// Number of files of a run that are listed.
const NAMED: usize = 20;

/// Makes the error for shared files.
pub fn refused(run: &Run, shared: &[SharedFiles]) -> UserError {
    let list: String = shared.iter().map(rows).collect();
    let hint = "`--force` takes them back, with what the other run did there; `--path PATH` \
                takes back other files only";
    UserError::refused(format!("{} shares files with a run at the same time:{list}", run.id))
        .with_hint(hint)
        .in_korean(
            format!("{} 은(는) 같은 시간에 진행된 루프와 파일을 공유합니다:{list}", run.id),
            Some(
                "`--force` 는 다른 루프의 변경까지 되돌립니다. `--path 경로` 로 다른 파일만 \
                 되돌릴 수 있습니다",
            ),
        )
}

fn rows(shared: &SharedFiles) -> String {
    let name = |path: &PathBuf| format!("\n  {} ({})", texts::path(path), shared.run);
    let named: String = shared.paths.iter().take(NAMED).map(name).collect();
    match shared.paths.len().checked_sub(NAMED) {
        Some(more @ 1..) => format!("{named}\n  … +{more} ({})", shared.run),
        Some(0) | None => named,
    }
}
