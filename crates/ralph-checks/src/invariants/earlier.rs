//! What rules found before anybody changed a file.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use ralph_core::finding::{Counts, Finding, Reading};

use super::moved;
use crate::formats::Collector;
use crate::security::{Before, Pack};

/// A line that a rule found, wherever it stands by now.
type Line = (Option<String>, String);

/// Takes out of a reading what was there before, as often as it was, under
/// whatever name. A line that was written anew is one of the change.
pub(super) fn forgive(pack: &Pack, before: &Before, (root, reading): (&Path, &mut Reading)) {
    let mut forgiven = Counts::default();
    for (path, earlier) in origins(before, root, reading) {
        let Some(contents) = before.get(&earlier) else { continue };
        let is_here = |found: &Finding| Path::new(&found.place.file) == path.as_path();
        let Ok(present) = fs::read_to_string(root.join(&path)) else { continue };
        let mut known = found_before(pack, &earlier, (root, &String::from_utf8_lossy(contents)));
        reading.findings.retain(|found| {
            let left = known.get_mut(&line(found, &present)).filter(|left| **left > 0);
            match left.filter(|_| is_here(found)) {
                Some(left) => {
                    *left -= 1;
                    forgiven.add(found.level, 1);
                    false
                }
                None => true,
            }
        });
    }
    reading.counts = reading.counts.without(forgiven);
}

/// The files in which something was found and that were there before, with the
/// names they had.
fn origins(before: &Before, root: &Path, reading: &Reading) -> Vec<(PathBuf, PathBuf)> {
    let found: BTreeSet<&str> =
        reading.findings.iter().map(|found| found.place.file.as_str()).collect();
    let (known, new): (Vec<PathBuf>, Vec<PathBuf>) =
        found.into_iter().map(PathBuf::from).partition(|path| before.contains_key(path));
    let moved = moved::moved(root, before, &new);
    known.into_iter().map(|path| (path.clone(), path)).chain(moved).collect()
}

/// Stands for what files were before.
pub(super) fn digest(before: &Before) -> String {
    let mut hasher = blake3::Hasher::new();
    for (path, contents) in before {
        hasher.update(path.as_os_str().as_encoded_bytes()).update(b"\0");
        hasher.update(blake3::hash(contents).as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

fn found_before(pack: &Pack, path: &Path, (root, text): (&Path, &str)) -> HashMap<Line, usize> {
    let mut out = Collector::new(root, "");
    pack.scan_file(path, text, &mut out);
    let mut known = HashMap::new();
    for found in out.finish().findings {
        *known.entry(line(&found, text)).or_default() += 1;
    }
    known
}

fn line(found: &Finding, text: &str) -> Line {
    let number = found.place.line.map_or(0, |line| line as usize);
    let line = text.lines().nth(number.saturating_sub(1)).unwrap_or_default();
    (found.rule.clone(), line.trim().to_owned())
}
