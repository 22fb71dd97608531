//! Reads and writes references of a repository without git, where each is a
//! file of its own.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Names of references with the objects they point to.
pub(crate) type ReferenceList = Vec<(String, String)>;

/// Returns the references below `prefix`, which ends with a slash; `None` if
/// git has to be asked.
///
/// Git packs references before it removes their files, so a reference without a
/// file is found in the packed ones.
pub(crate) fn list(common: &Path, prefix: &str) -> Option<ReferenceList> {
    if !are_files(common) {
        return None;
    }
    let mut found = ReferenceList::new();
    match fs::read_dir(common.join(prefix)) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(_) => return None,
        Ok(entries) => {
            for entry in entries {
                let name = entry.ok()?.file_name().into_string().ok()?;
                // A reference that is being written still has its old value.
                if !is_lock(&name) {
                    let reference = format!("{prefix}{name}");
                    let object = target(&common.join(&reference))?;
                    found.push((reference, object));
                }
            }
        }
    }
    (!is_packed(common, prefix)).then_some(found)
}

/// Sets `reference` to `object`, as `git update-ref` does; returns false if
/// only git can do it.
pub(crate) fn write(common: &Path, reference: &str, object: &str) -> bool {
    are_files(common) && replace(&common.join(reference), object).is_ok()
}

/// Returns true if `reference` certainly points to `object`; if false, git may
/// know more.
pub(crate) fn is_at(common: &Path, reference: &str, object: &str) -> bool {
    target(&common.join(reference)).is_some_and(|found| found == object)
}

fn replace(path: &Path, object: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut lock = path.to_owned().into_os_string();
    lock.push(".lock");
    let mut file = File::create_new(&lock)?;
    let written = file
        .write_all(object.as_bytes())
        .and_then(|()| file.write_all(b"\n"))
        .and_then(|()| fs::rename(&lock, path));
    if written.is_err() {
        // The lock is ours, and would block the next write.
        let _ = fs::remove_file(&lock);
    }
    written
}

/// Returns true if references are files. In repositories with a `reftable`
/// folder they are not.
fn are_files(common: &Path) -> bool {
    common.join("refs").is_dir() && !common.join("reftable").exists()
}

fn is_lock(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "lock")
}

/// Reads a reference; `None` if it points to another one or is invalid.
fn target(path: &Path) -> Option<String> {
    let text = String::from_utf8(ralph_files::read(path).ok()?).ok()?;
    let object = text.trim_end();
    let is_object = matches!(object.len(), 40 | 64)
        && object.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_object.then(|| object.to_owned())
}

fn is_packed(common: &Path, prefix: &str) -> bool {
    match ralph_files::read(common.join("packed-refs")) {
        Err(error) => error.kind() != ErrorKind::NotFound,
        Ok(packed) => memchr::memmem::find(&packed, prefix.as_bytes()).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::ScratchTree;

    const PREFIX: &str = "refs/ralph/run-1/";

    /// A repository, its common folder and one of its objects.
    fn repository() -> (ScratchTree, std::path::PathBuf, String) {
        let scratch = ScratchTree::committed(&[("a", "1")]);
        let head = scratch.run(&["rev-parse", "HEAD"]);
        let common = scratch.path(".git");
        (scratch, common, head.trim().to_owned())
    }

    #[test]
    fn git_finds_what_was_written_and_we_find_what_git_wrote() {
        let (scratch, common, head) = repository();
        assert!(write(&common, &format!("{PREFIX}start"), &head));
        assert!(write(&common, &format!("{PREFIX}start"), &head), "again");
        scratch.run(&["update-ref", &format!("{PREFIX}2"), &head]);
        let mut listed = list(&common, PREFIX).unwrap();
        listed.sort();
        let both = [format!("{PREFIX}2"), format!("{PREFIX}start")];
        assert_eq!(listed, both.map(|name| (name, head.clone())));
        let printed = scratch.run(&["for-each-ref", "--format=%(refname)", PREFIX]);
        assert_eq!(printed.lines().count(), 2);
        assert_eq!(list(&common, "refs/ralph/run-2/"), Some(Vec::new()));
    }

    #[test]
    fn packed_references_are_for_git_to_list() {
        let (scratch, common, head) = repository();
        assert!(write(&common, &format!("{PREFIX}start"), &head));
        scratch.run(&["pack-refs", "--all"]);
        assert_eq!(list(&common, PREFIX), None);
        assert!(list(&common, "refs/ralph/run-2/").is_some());
    }

    #[test]
    fn a_lock_of_another_is_left_alone() {
        let (_scratch, common, head) = repository();
        let reference = format!("{PREFIX}start");
        assert!(write(&common, &reference, &head));
        let lock = common.join(format!("{reference}.lock"));
        fs::write(&lock, "").unwrap();
        assert!(!write(&common, &reference, &head));
        assert!(lock.exists());
        assert_eq!(list(&common, PREFIX).unwrap().len(), 1);
    }

    #[test]
    fn what_is_no_plain_reference_is_for_git() {
        let (_scratch, common, head) = repository();
        assert!(write(&common, &format!("{PREFIX}start"), &head));
        fs::write(common.join(format!("{PREFIX}odd")), "ref: refs/heads/x\n").unwrap();
        assert_eq!(list(&common, PREFIX), None);
        fs::create_dir(common.join("reftable")).unwrap();
        assert!(!write(&common, &format!("{PREFIX}2"), &head));
    }
}
