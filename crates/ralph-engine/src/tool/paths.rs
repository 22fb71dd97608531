//! The paths of files as agents write them.

use std::path::{Component, Path, PathBuf};

/// Returns a path relative to the root, as notes and the index have it. Agents also
/// write `./a.py` and absolute paths. Paths elsewhere are not changed.
pub(super) fn within(root: &Path, file: &str) -> String {
    inside(root, file).unwrap_or_else(|| file.to_owned())
}

/// Returns a path of the project relative to the root, even if no file is there; `None`
/// elsewhere.
pub(super) fn inside(root: &Path, file: &str) -> Option<String> {
    let whole = plain(&root.join(file));
    let inside = whole.strip_prefix(root).map(Path::to_owned).ok();
    // The root has its real path, but the agent may have used a link.
    let inside = inside.or_else(|| {
        let above = whole.ancestors().find(|above| above.exists())?;
        let rest = whole.strip_prefix(above).ok()?;
        let real = above.canonicalize().ok()?.join(rest);
        Some(real.strip_prefix(root).ok()?.to_owned())
    });
    let named = inside.as_deref().and_then(Path::to_str).filter(|name| !name.is_empty());
    named.map(|name| name.replace('\\', "/"))
}

/// Rewrites the path in `path/file.py:Store.save` relative to the root. A name without
/// a file is not changed.
pub(super) fn symbol_within(root: &Path, symbol: &str) -> String {
    match symbol.split_once(':') {
        Some((file, rest)) if file.contains('/') && !rest.starts_with(':') => {
            format!("{}:{rest}", within(root, file))
        }
        Some(_) | None => symbol.to_owned(),
    }
}

/// Returns a path without `.` and `..`, judged by its text alone.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_name_however_it_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let absolute = root.join("src/a.py");
        for said in ["src/a.py", "./src/a.py", "src/../src/a.py", absolute.to_str().unwrap()] {
            assert_eq!(within(&root, said), "src/a.py");
        }
        assert_eq!(within(&root, "../b.py"), "../b.py");
        assert_eq!(within(&root, "/etc/hosts"), "/etc/hosts");
        let outside = ["../b.py", "/etc/hosts", "src/../../b.py", ""];
        assert_eq!(outside.map(|file| inside(&root, file)), [const { None }; 4]);
    }

    #[test]
    fn a_definition_is_known_by_its_file_however_that_is_said() {
        let root = Path::new("/project");
        for (said, want) in [
            ("/project/src/a.py:12:5", "src/a.py:12:5"),
            ("./a.py:Store.save", "a.py:Store.save"),
            ("store::save", "store::save"),
            ("src/a.rs::save", "src/a.rs::save"),
            ("Store.save", "Store.save"),
        ] {
            assert_eq!(symbol_within(root, said), want);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_the_project_names_the_same_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("real");
        std::fs::create_dir(&root).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&root, &link).unwrap();
        assert_eq!(within(&root, link.join("new/a.py").to_str().unwrap()), "new/a.py");
    }
}
