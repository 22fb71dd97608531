//! The files of a host: reads, shows and replaces them, with a copy of the old.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ralph_agents::install::{InstallChange, InstallPlan};
use similar::TextDiff;

use crate::UserError;
use crate::app::App;

/// Number of lines shown around a difference.
const CONTEXT: usize = 2;

/// The byte order mark that some editors write. Hosts skip it.
const MARK: &str = "\u{feff}";

/// Reads a file without its byte order mark; `None` if it does not exist.
pub(crate) fn read(folder: &Path, path: &Path) -> io::Result<Option<String>> {
    match ralph_files::read_text(folder.join(path)) {
        Ok(text) => Ok(Some(text.strip_prefix(MARK).map(str::to_owned).unwrap_or(text))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(io::Error::new(error.kind(), "not UTF-8"))
        }
        Err(error) => Err(error),
    }
}

/// Renders the changes as a patch.
pub(super) fn patch(folder: &Path, plan: &InstallPlan) -> String {
    let changes = plan.changes.iter();
    changes.map(|change| difference(&folder.join(&change.path), change)).collect()
}

fn difference(path: &Path, change: &InstallChange) -> String {
    let name = |text: &Option<String>| match text {
        Some(_) => path.display().to_string(),
        None => "/dev/null".to_owned(),
    };
    // Line endings stay in the file, but are not shown.
    let plain = |text: &Option<String>| text.as_deref().unwrap_or_default().replace('\r', "");
    let (before, after) = (plain(&change.before), plain(&change.after));
    TextDiff::from_lines(&before, &after)
        .unified_diff()
        .context_radius(CONTEXT)
        .header(&name(&change.before), &name(&change.after))
        .to_string()
}

/// Changes the files, if all of them can be changed.
pub(super) fn change(
    app: &App,
    plans: &[(PathBuf, InstallPlan)],
    said: &mut dyn FnMut(String),
) -> Result<(), UserError> {
    let changes = plans.iter().flat_map(|(folder, plan)| {
        plan.changes.iter().map(move |change| (folder.as_path(), change))
    });
    for (folder, change) in changes.clone() {
        refuse_protected(&folder.join(&change.path))?;
    }
    for (folder, change) in changes {
        let path = folder.join(&change.path);
        let failed = |error: io::Error| UserError::refused(format!("{}: {error}", path.display()));
        let mark = if has_mark(&path) { MARK } else { "" };
        let kept = change.before.as_ref().map(|text| keep(app, &path, &format!("{mark}{text}")));
        let kept = kept.transpose()?;
        let kept = kept.map(|kept| format!(" (before: {})", kept.display())).unwrap_or_default();
        if let Some(text) = &change.after {
            // A symbolic link of the user's stays one.
            let target = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
            replace(&target, &format!("{mark}{text}")).map_err(failed)?;
            said(format!("Wrote {}{kept}.", path.display()));
        } else {
            fs::remove_file(&path).map_err(failed)?;
            if folder != app.project.root {
                remove_empty(&path, folder);
            }
            said(format!("Removed {}{kept}.", path.display()));
        }
    }
    Ok(())
}

/// Returns true if a file begins with a byte order mark, which stays.
fn has_mark(path: &Path) -> bool {
    ralph_files::read(path).is_ok_and(|bytes| bytes.starts_with(MARK.as_bytes()))
}

/// Returns an error for a read-only file, although it could be replaced.
fn refuse_protected(path: &Path) -> Result<(), UserError> {
    let shown = path.display();
    let Ok(found) = fs::metadata(path) else {
        return match fs::read_link(path) {
            Ok(target) => {
                let target = target.display();
                Err(UserError::refused(format!(
                    "{shown} is a link to {target}, which is not there"
                ))
                .in_korean(
                    format!("{shown} 은(는) 없는 {target} 을(를) 가리키는 링크입니다"),
                    None,
                ))
            }
            Err(_) => Ok(()),
        };
    };
    if found.permissions().readonly() {
        return Err(UserError::refused(format!("{shown} is read-only"))
            .with_hint("nothing was changed; make the file writable and try again")
            .in_korean(
                format!("{shown} 은(는) 읽기 전용입니다"),
                Some("바뀐 것은 없습니다. 파일을 쓸 수 있게 하고 다시 실행하세요"),
            ));
    }
    Ok(())
}

/// Removes the empty folders of a deleted file, up to the host's own. They were there
/// only for our files.
fn remove_empty(path: &Path, folder: &Path) {
    let parents = path.ancestors().skip(1).take_while(|parent| parent.starts_with(folder));
    for parent in parents {
        if fs::remove_dir(parent).is_err() {
            return;
        }
    }
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mode = fs::metadata(path).map(|found| found.permissions()).ok();
    let file = tempfile::NamedTempFile::new_in(folder)?;
    fs::write(file.path(), text)?;
    match mode {
        Some(mode) => fs::set_permissions(file.path(), mode)?,
        None => share(file.path())?,
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Makes a new file readable for others, unlike a temporary one.
fn share(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
    #[cfg(not(unix))]
    // Other systems have no modes.
    let _ = path;
    Ok(())
}

/// Saves a copy of a file before it is changed. Only the user may read it, since
/// settings may hold keys.
fn keep(app: &App, path: &Path, text: &str) -> Result<PathBuf, UserError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = app.home.join("replaced");
    fs::create_dir_all(&folder)?;
    let kept = folder.join(format!("{}-{name}", app.now().as_millis()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&kept)?.write_all(text.as_bytes())?;
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_shows_what_changes_and_a_little_around_it() {
        let before = Some("{\r\n  \"a\": 1,\r\n  \"b\": 2,\r\n  \"c\": 3,\r\n  \"d\": 4\r\n}\r\n");
        let after = before.map(|text| text.replace("4\r\n", "4,\r\n  \"e\": 5\r\n"));
        let change =
            InstallChange { path: "s.json".into(), before: before.map(str::to_owned), after };
        let want = "--- s.json\n+++ s.json\n@@ -3,4 +3,5 @@\n   \"b\": 2,\n   \"c\": 3,\n\
                    -  \"d\": 4\n+  \"d\": 4,\n+  \"e\": 5\n }\n";
        assert_eq!(difference(Path::new("s.json"), &change), want);
    }

    #[test]
    fn a_file_that_comes_or_goes_is_compared_with_nothing() {
        let path = Path::new("a");
        let comes = InstallChange { path: "a".into(), before: None, after: Some("x\n".to_owned()) };
        assert_eq!(difference(path, &comes), "--- /dev/null\n+++ a\n@@ -0,0 +1 @@\n+x\n");
        let goes = InstallChange { path: "a".into(), before: Some("x\n".to_owned()), after: None };
        assert_eq!(difference(path, &goes), "--- a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
    }
}
