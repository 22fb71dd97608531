use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::path_bytes;

/// Paths of the work tree that are not part of a tree. A folder covers
/// everything below it.
#[derive(Clone, Debug)]
pub(crate) struct LeftOut {
    /// Our state folder, relative to the root, if it is inside.
    pub(crate) state: Option<PathBuf>,
    /// Relative to the root, no dots, never empty.
    paths: BTreeSet<PathBuf>,
}

impl LeftOut {
    pub(crate) fn new(state: Option<PathBuf>) -> Self {
        Self { state, paths: BTreeSet::new() }
    }

    /// Replaces the paths. Those outside of `root`, and `root` itself, are
    /// skipped.
    pub(crate) fn replace(
        &mut self,
        root: &Path,
        paths: impl IntoIterator<Item = impl AsRef<Path>>,
    ) {
        self.paths = paths.into_iter().filter_map(|path| relative(root, path.as_ref())).collect();
    }

    /// Returns all left-out paths except our state folder.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(PathBuf::as_path)
    }

    pub(crate) fn contains(&self, path: &Path) -> bool {
        let is_listed = |path: &Path| {
            self.paths.contains(path) || self.state.as_deref().is_some_and(|state| state == path)
        };
        path.ancestors().any(is_listed)
    }

    /// Returns all left-out paths as bytes with `prefix` before each.
    pub(crate) fn listed(&self, prefix: &[u8]) -> Vec<Vec<u8>> {
        let all = self.state.iter().chain(&self.paths);
        all.map(|path| [prefix, &path_bytes::to_bytes(path)].concat()).collect()
    }
}

/// Returns `path` relative to `root`, without dots; `None` if it is not below.
pub(crate) fn relative(root: &Path, path: &Path) -> Option<PathBuf> {
    let inside = if path.is_absolute() { path.strip_prefix(root).ok()? } else { path };
    let mut plain = PathBuf::new();
    for component in inside.components() {
        match component {
            Component::Normal(name) => plain.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!plain.as_os_str().is_empty()).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, want: Option<&str>) {
        assert_eq!(relative("/r".as_ref(), path.as_ref()), want.map(PathBuf::from), "{path}");
    }

    #[test]
    fn only_paths_below_the_root_are_left_out() {
        check("a/b", Some("a/b"));
        check("./a/../b/", Some("b"));
        check("/r/a", Some("a"));
        check("/elsewhere/a", None);
        check("../a", None);
        check(".", None);
        check("/r", None);
    }

    #[test]
    fn a_folder_stands_for_all_below_but_not_for_names_that_begin_like_it() {
        let mut left_out = LeftOut::new(Some("s".into()));
        left_out.replace("/r".as_ref(), ["out"]);
        for path in ["out", "out/deep/file", "s/index"] {
            assert!(left_out.contains(path.as_ref()), "{path}");
        }
        for path in ["output", "src/out", ""] {
            assert!(!left_out.contains(path.as_ref()), "{path}");
        }
    }
}
