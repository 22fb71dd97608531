//! Changes of tests and checks that the user accepted during a run.

use std::fs;
use std::io::Write;
use std::path::Path;

use ralph_core::Run;
use ralph_tamper::TamperRules;

use crate::app::App;
use crate::undo::relative;
use crate::user_error::UserError;

/// The name of the list in the run's folder.
const FILE: &str = "allowed";

/// Returns the accepted paths, oldest first.
pub fn load(folder: &Path) -> Vec<String> {
    let text = ralph_files::read_own_text(folder.join(FILE)).unwrap_or_default();
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Accepts more paths and returns those that are new.
pub fn add(folder: &Path, paths: &[String]) -> std::io::Result<Vec<String>> {
    fs::create_dir_all(folder)?;
    let path = folder.join(FILE);
    let mut file = ralph_files::append_own(path)?;
    let known = load(folder);
    let mut new: Vec<String> = Vec::new();
    for path in paths {
        if !known.contains(path) && !new.contains(path) {
            new.push(path.clone());
        }
    }
    let lines = new.iter().flat_map(|path| [path, "\n"]).collect::<String>();
    // One write, so that two calls at once do not mix their lines.
    file.write_all(lines.as_bytes())?;
    Ok(new)
}

/// Replaces the list, whatever is in its place.
pub(crate) fn replace(folder: &Path, paths: &[String]) -> std::io::Result<()> {
    let lines = paths.iter().flat_map(|path| [path, "\n"]).collect::<String>();
    ralph_files::write_own(folder.join(FILE), lines)
}

/// Accepts changes at these paths. Returns them relative to the root, and those that are new.
pub fn accept(
    app: &App,
    run: &Run,
    paths: &[String],
) -> Result<(Vec<String>, Vec<String>), UserError> {
    let paths = paths.iter().map(|path| inside(app, path)).collect::<Result<Vec<_>, _>>()?;
    rule(&paths)?;
    let folder = app.home.join("runs").join(run.id.as_str());
    let new = add(&folder, &paths)?;
    Ok((paths, new))
}

/// Makes the rules that allow these paths.
pub fn rule(paths: &[String]) -> Result<TamperRules, UserError> {
    TamperRules::new(&[], paths).map_err(|error| UserError::usage(error.to_string()))
}

/// Returns true if a place, `file:line` or a test, is allowed.
pub fn covers(rules: &TamperRules, place: &str) -> bool {
    let file = place.rsplit_once(':').filter(|(_, line)| line.parse::<u32>().is_ok());
    rules.allows(place) || file.is_some_and(|(file, _)| rules.allows(file))
}

/// Returns true if a held change of the run is at one of these paths. A held change is
/// recorded as its place and what was done there.
pub fn is_held(app: &App, run: &Run, paths: &[String]) -> Result<bool, UserError> {
    let paths = paths.iter().map(|path| inside(app, path)).collect::<Result<Vec<_>, _>>()?;
    let rules = rule(&paths)?;
    let place = |held: &str| held.split(' ').next().unwrap_or_default().to_owned();
    let is_there = |held: &String| {
        covers(&rules, &place(held)) || paths.iter().any(|path| held.starts_with(path.as_str()))
    };
    Ok(run.progress.held.iter().any(is_there))
}

/// Returns the path relative to the project's root. Patterns are already relative to it.
fn inside(app: &App, path: &str) -> Result<String, UserError> {
    if path.contains(['*', '?', '[', '!', '\n']) {
        return if path.contains('\n') {
            Err(UserError::usage("a path with a line break cannot be allowed")
                .in_korean("줄바꿈이 있는 경로는 허용할 수 없습니다", None))
        } else {
            Ok(path.to_owned())
        };
    }
    let found = match relative(app, &[Path::new(path).to_owned()]) {
        // Settings and programs outside the project can be held, too.
        Err(_) if Path::new(path).is_absolute() => return Ok(path.to_owned()),
        found => found?,
    };
    let parts = found.iter().flat_map(|path| path.iter().map(|part| part.to_string_lossy()));
    Ok(parts.collect::<Vec<_>>().join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed_is_kept_once() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["tests/a.rs".to_owned(), "b".to_owned()];
        assert_eq!(add(folder.path(), &paths).unwrap(), paths);
        assert!(add(folder.path(), &paths[..1]).unwrap().is_empty());
        assert_eq!(load(folder.path()), paths);
        assert!(load(&folder.path().join("missing")).is_empty());
    }
}
