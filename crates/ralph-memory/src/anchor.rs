//! Places in the code that notes point at: how they are remembered, and what
//! became of them.

use std::path::{Component, Path};
use std::{fs, io};

use ralph_core::memory::label::Anchored;

use crate::event::Anchor;

/// Hexadecimal digits of a fingerprint.
const DIGITS: usize = 32;

/// What the contents of a file are remembered by.
pub fn fingerprint(contents: &[u8]) -> String {
    let hash = blake3::hash(contents).to_hex();
    hash.as_str().get(..DIGITS).unwrap_or_default().to_owned()
}

/// Points at a file below a root, and at a symbol in it, as they are now.
///
/// What is not there cannot be pointed at.
pub fn drop_at(root: &Path, file: &str, symbol: Option<&str>) -> io::Result<Anchor> {
    let contents = fs::read(inside(root, file).ok_or(io::ErrorKind::NotFound)?)?;
    let missing = symbol.filter(|symbol| !mentions(&contents, symbol));
    if missing.is_some() {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok(Anchor {
        file: file.to_owned(),
        hash: Some(fingerprint(&contents)),
        symbol: symbol.map(str::to_owned),
    })
}

/// What became of a place.
pub fn look(root: &Path, anchor: &Anchor) -> Anchored {
    let contents = inside(root, &anchor.file).and_then(|path| fs::read(path).ok());
    let Some(contents) = contents else { return Anchored::Gone };
    if anchor.symbol.as_deref().is_some_and(|symbol| !mentions(&contents, symbol)) {
        return Anchored::Gone;
    }
    match &anchor.hash {
        Some(hash) if *hash != fingerprint(&contents) => Anchored::Changed,
        Some(_) | None => Anchored::Same,
    }
}

/// The file, unless its path leads out of the root.
fn inside(root: &Path, file: &str) -> Option<std::path::PathBuf> {
    let path = Path::new(file);
    let stays = path.components().all(|part| matches!(part, Component::Normal(_)));
    stays.then(|| root.join(path))
}

/// Whether a text has the last part of a symbol's name as a word.
fn mentions(contents: &[u8], symbol: &str) -> bool {
    let name = symbol.rsplit(['.', ':', '#', '/']).next().unwrap_or(symbol).trim_end_matches("()");
    if name.is_empty() {
        return false;
    }
    let text = String::from_utf8_lossy(contents);
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !is_word(before) && !is_word(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_same_changed_or_gone() {
        let dir = tempfile::tempdir().unwrap();
        let write = |text: &str| fs::write(dir.path().join("a.rs"), text).unwrap();
        write("fn save() {}\n");
        let anchor = drop_at(dir.path(), "a.rs", Some("Store::save")).unwrap();
        assert_eq!(look(dir.path(), &anchor), Anchored::Same);
        write("fn save() { go() }\n");
        assert_eq!(look(dir.path(), &anchor), Anchored::Changed);
        write("fn save_all() {}\n");
        assert_eq!(look(dir.path(), &anchor), Anchored::Gone);
        fs::remove_file(dir.path().join("a.rs")).unwrap();
        assert_eq!(look(dir.path(), &anchor), Anchored::Gone);
    }

    #[test]
    fn nothing_outside_of_the_root_is_looked_at() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a"), "x").unwrap();
        fs::create_dir(dir.path().join("in")).unwrap();
        assert!(drop_at(&dir.path().join("in"), "../a", None).is_err());
        let absolute = dir.path().join("a").to_string_lossy().into_owned();
        assert!(drop_at(&dir.path().join("in"), &absolute, None).is_err());
    }
}
