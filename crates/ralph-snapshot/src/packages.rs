//! Installed packages: folders with loaded code that is not part of the tree.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use ralph_core::Timestamp;

use crate::stat::FileStat;

/// The folder for installed packages of JavaScript.
const NODE: &str = "node_modules";

/// Files beside installed packages of Python and PHP.
const MARKS: [&str; 2] = ["pyvenv.cfg", "autoload.php"];

/// Files in installed packages that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedPackages {
    /// The folder of the packages, relative to the root.
    pub folder: PathBuf,
    /// The files, relative to the root.
    pub files: Vec<PathBuf>,
    /// Lock files of its packages, relative to the root.
    pub locks: Vec<PathBuf>,
}

/// Finds code in installed packages that changed after a moment. Programs
/// cannot set the time that is compared.
pub(crate) fn changed_since(root: &Path, moment: Timestamp) -> Vec<ChangedPackages> {
    let mut folders = Vec::new();
    find_packages(root, root, &mut folders);
    let changed = folders.into_iter().filter_map(|folder| {
        let files = changed_files(root, &folder, moment);
        let locks = locks_of(root, &folder);
        (!files.is_empty()).then_some(ChangedPackages { folder, files, locks })
    });
    changed.collect()
}

/// Adds the folders of installed packages, also ignored ones.
fn find_packages(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if entry.file_name() == ".git" || !(kind.is_dir() || kind.is_symlink()) {
            continue;
        }
        // Packages may also be reached by a link.
        if is_packages(&path) {
            found.extend(path.strip_prefix(root).ok().map(Path::to_owned));
        } else if kind.is_dir() {
            find_packages(root, &path, found);
        }
    }
}

/// Returns true if packages are installed into a folder.
fn is_packages(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == NODE)
        || MARKS.iter().any(|mark| folder.join(mark).is_file())
}

/// Returns true if a file of this name marks a folder of installed packages.
pub(crate) fn is_package_mark(name: &OsStr) -> bool {
    MARKS.iter().any(|mark| name == *mark)
}

/// Returns code in a folder of packages that changed after a moment, and links
/// to code. If a link points outside the project, its target is searched, too.
fn changed_files(root: &Path, folder: &Path, moment: Timestamp) -> Vec<PathBuf> {
    let folder = root.join(folder);
    let is_changed = |found: fs::Metadata| found.is_symlink() && is_changed_since(&found, moment);
    let mut files = code_changed_since(&folder, moment);
    files.extend(fs::symlink_metadata(&folder).is_ok_and(is_changed).then(|| folder.clone()));
    for (link, target) in links_out(root, &folder) {
        let below = code_changed_since(&target, moment).into_iter();
        files.extend(below.filter_map(|path| Some(link.join(path.strip_prefix(&target).ok()?))));
    }
    files.iter().filter_map(|path| Some(path.strip_prefix(root).ok()?.to_owned())).collect()
}

/// Returns the links below a folder to writable folders outside the project,
/// with their targets.
fn links_out(root: &Path, folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut builder = WalkBuilder::new(folder);
    builder.standard_filters(false).follow_links(false);
    let links = builder.build().flatten().filter(ignore::DirEntry::path_is_symlink);
    let out = links.filter_map(|item| {
        let target = fs::canonicalize(item.path()).ok()?;
        let is_out = !target.starts_with(root) && !root.starts_with(&target);
        (is_out && target.is_dir() && can_change(&target)).then(|| (item.into_path(), target))
    });
    out.collect()
}

/// Returns the code below a folder that changed after a moment, and new links
/// to folders. Compiled Python and caches are skipped.
pub fn code_changed_since(folder: &Path, moment: Timestamp) -> Vec<PathBuf> {
    let mut builder = WalkBuilder::new(folder);
    builder.standard_filters(false).follow_links(false);
    builder.filter_entry(|item| {
        let name = item.file_name().to_string_lossy();
        // Caches of tools are in hidden folders, or are compiled again.
        let is_cache = name == "__pycache__"
            || (name.starts_with('.') && !matches!(&*name, ".bin" | ".pnpm" | ".store"));
        item.depth() == 0 || !is_cache
    });
    let files = builder.build().flatten().filter(|item| {
        // A link to a folder adds all the code in it.
        is_code(item.path()) || (item.depth() > 0 && item.path_is_symlink())
    });
    let files = files.filter(|item| {
        fs::symlink_metadata(item.path())
            .is_ok_and(|found| !found.is_dir() && is_changed_since(&found, moment))
    });
    files.map(ignore::DirEntry::into_path).collect()
}

/// Returns the files below a folder that Python compiled after a moment, in any
/// package.
pub fn byte_code_changed_since(folder: &Path, moment: Timestamp) -> Vec<PathBuf> {
    let mut builder = WalkBuilder::new(folder);
    builder.standard_filters(false).follow_links(false);
    builder.filter_entry(|item| !matches!(item.file_name().to_str(), Some(".git" | NODE)));
    let files = builder.build().flatten().filter(|item| {
        item.path().extension().is_some_and(|extension| extension == "pyc")
            && item.metadata().is_ok_and(|found| is_changed_since(&found, moment))
    });
    files.map(ignore::DirEntry::into_path).collect()
}

/// Returns true if a file, or a link to one, changed after a moment. Programs
/// cannot set the time that is compared.
pub fn is_changed_since(file: &fs::Metadata, moment: Timestamp) -> bool {
    let moment = moment.as_millis().saturating_mul(1_000_000);
    i64::try_from(FileStat::of(file).changed).is_ok_and(|at| at > moment)
}

/// Returns true if the user, and so the agent, can put files into a folder: it
/// is writable, or its owner can make it so.
pub fn can_change(folder: &Path) -> bool {
    #[cfg(unix)]
    let is_own = fs::metadata(folder).is_ok_and(|found| {
        std::os::unix::fs::MetadataExt::uid(&found) == rustix::process::geteuid().as_raw()
    });
    #[cfg(unix)]
    return is_own || rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok();
    #[cfg(not(unix))]
    folder.is_dir()
}

/// Returns true if a program may load code from a file.
fn is_code(path: &Path) -> bool {
    const CODE: [&str; 13] =
        ["js", "cjs", "mjs", "ts", "json", "node", "py", "pth", "so", "php", "rb", "wasm", "jsx"];
    let is_program = path.parent().is_some_and(|folder| {
        folder.file_name().is_some_and(|name| name == ".bin" || name == "bin")
    });
    let extension = path.extension().and_then(|extension| extension.to_str());
    // Lists the plugins that test runners load.
    is_program
        || path.ends_with("entry_points.txt")
        || extension.is_some_and(|extension| CODE.contains(&extension))
}

/// Returns the lock files beside a folder, or in the root.
fn locks_of(root: &Path, folder: &Path) -> Vec<PathBuf> {
    const NAMES: [&str; 10] = [
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "bun.lockb",
        "uv.lock",
        "poetry.lock",
        "Pipfile.lock",
        "composer.lock",
    ];
    let beside = folder.parent().unwrap_or(Path::new(""));
    let mut found: Vec<PathBuf> = [beside, Path::new("")]
        .iter()
        .flat_map(|folder| NAMES.iter().map(|name| folder.join(name)))
        .filter(|path| root.join(path).is_file())
        .collect();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }

    #[test]
    fn code_that_changed_in_installed_packages_is_found_and_caches_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in [
            "web/node_modules/a/index.js",
            "web/node_modules/.bin/jest",
            "web/node_modules/.cache/b.js",
            "web/node_modules/a/README.md",
            "web/package-lock.json",
            "build/out.js",
        ] {
            write(root, path);
        }
        let found = changed_since(root, Timestamp::from_millis(1));
        let mut files = found[0].files.clone();
        files.sort();
        let want = ["web/node_modules/.bin/jest", "web/node_modules/a/index.js"];
        assert_eq!(files, want.map(PathBuf::from));
        assert_eq!(found[0].locks, [PathBuf::from("web/package-lock.json")]);
        assert_eq!(found.len(), 1);
        let later = Timestamp::from_millis(i64::MAX / 2_000_000);
        assert_eq!(changed_since(root, later), []);
    }
}
