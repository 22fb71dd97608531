//! Files that were given another name, recognised by their contents.
//!
//! Moving a file is not writing its contents. A file that is gone and one that is new are the same
//! if more than half of their text is, as in git; a copy is not, as its lines are now there twice.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::security::EarlierContents;

/// More files are not compared with each other line by line; those that are
/// the same to the byte are found whatever their number.
const MOST_COMPARED: usize = 200;

/// The lines of a file, with the number of bytes that each stands for.
type LineByteCounts<'a> = HashMap<&'a [u8], usize>;

/// The files of `new` that had another name before, with that.
pub(super) fn moved(
    root: &Path,
    before: &EarlierContents,
    new: &[PathBuf],
) -> HashMap<PathBuf, PathBuf> {
    let is_gone = |path: &Path| fs::symlink_metadata(root.join(path)).is_err();
    let mut names = HashMap::new();
    if new.is_empty() {
        return names;
    }
    let kept = before.iter().filter_map(|(path, contents)| Some((path, contents.as_ref()?)));
    let mut gone: Vec<(&PathBuf, &Vec<u8>)> =
        kept.filter(|(path, contents)| !contents.is_empty() && is_gone(path)).collect();
    if gone.is_empty() {
        return names;
    }
    let mut open: Vec<(&PathBuf, Vec<u8>)> = Vec::new();
    for path in new {
        let Ok(present) = ralph_files::read(root.join(path)) else { continue };
        match gone.iter().position(|(_, contents)| **contents == present) {
            Some(at) => {
                names.insert(path.clone(), gone.remove(at).0.clone());
            }
            None => open.push((path, present)),
        }
    }
    if gone.len() <= MOST_COMPARED && open.len() <= MOST_COMPARED {
        names.extend(alike(&gone, &open));
    }
    names
}

/// Pairs of files, the most alike first; each is in one of them at most.
fn alike(gone: &[(&PathBuf, &Vec<u8>)], new: &[(&PathBuf, Vec<u8>)]) -> HashMap<PathBuf, PathBuf> {
    let old: Vec<LineByteCounts<'_>> = gone.iter().map(|(_, contents)| lines(contents)).collect();
    let mut pairs = Vec::new();
    for (to, (_, present)) in new.iter().enumerate() {
        let present_lines = lines(present);
        for (from, (_, contents)) in gone.iter().enumerate() {
            let (small, large) =
                (contents.len().min(present.len()), contents.len().max(present.len()));
            // What differs by more than half in size does so in text.
            if small * 2 < large {
                continue;
            }
            let shared = shared(&old[from], &present_lines);
            if shared * 2 > large {
                pairs.push((shared * 1000 / large, from, to));
            }
        }
    }
    pairs.sort_by_key(|(share, from, to)| (std::cmp::Reverse(*share), *from, *to));
    let (mut used, mut names) = (vec![false; gone.len()], HashMap::new());
    for (_, from, to) in pairs {
        if !used[from] && !names.contains_key(new[to].0) {
            used[from] = true;
            names.insert(new[to].0.clone(), gone[from].0.clone());
        }
    }
    names
}

fn lines(contents: &[u8]) -> LineByteCounts<'_> {
    let mut lines = LineByteCounts::new();
    for line in contents.split_inclusive(|byte| *byte == b'\n') {
        *lines.entry(line).or_default() += line.len();
    }
    lines
}

/// Returns the number of bytes that two files have in common.
fn shared(one: &LineByteCounts<'_>, other: &LineByteCounts<'_>) -> usize {
    let (fewer, more) = if one.len() < other.len() { (one, other) } else { (other, one) };
    fewer.iter().map(|(line, size)| more.get(line).map_or(0, |has| *has.min(size))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(from: u32, to: u32) -> String {
        (from..to).map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat()
    }

    #[track_caller]
    fn check(before: &[(&str, &str)], present: &[(&str, &str)], want: &[(&str, &str)]) {
        let root = tempfile::tempdir().unwrap();
        for (path, contents) in present {
            fs::write(root.path().join(path), contents).unwrap();
        }
        let before: EarlierContents = before
            .iter()
            .map(|(path, text)| (path.into(), Some(text.as_bytes().to_vec())))
            .collect();
        let new: Vec<PathBuf> = present
            .iter()
            .map(|(path, _)| PathBuf::from(path))
            .filter(|path| !before.contains_key(path))
            .collect();
        let want = want.iter().map(|(to, from)| (PathBuf::from(to), PathBuf::from(from))).collect();
        assert_eq!(moved(root.path(), &before, &new), want);
    }

    #[test]
    fn a_file_is_known_by_more_than_half_of_its_text() {
        let (old, kin, other) = (text(0, 10), text(4, 14), text(6, 16));
        check(&[("a", &old)], &[("b", &old)], &[("b", "a")]);
        check(&[("a", &old)], &[("b", &kin)], &[("b", "a")]);
        check(&[("a", &old)], &[("b", &other)], &[]);
        check(&[("a", &old)], &[("b", &text(0, 30))], &[]);
        check(&[("a", "")], &[("b", "")], &[]);
    }

    #[test]
    fn a_copy_is_not_the_file() {
        let old = text(0, 10);
        check(&[("a", &old)], &[("a", &old), ("b", &old)], &[]);
    }

    #[test]
    fn each_file_has_one_new_name_and_the_most_alike_gets_it() {
        let (old, near, far) = (text(0, 10), text(1, 11), text(4, 14));
        check(&[("a", &old)], &[("b", &far), ("c", &near)], &[("c", "a")]);
        check(&[("a", &old)], &[("b", &near), ("c", &old)], &[("c", "a")]);
        let both = [("b", "x"), ("c", "a")];
        check(&[("a", &old), ("x", &far)], &[("b", &far), ("c", &near)], &both);
    }
}
