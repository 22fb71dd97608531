//! Code by its parts: paths, commands and identifiers are often named by a
//! part of them.

use super::synonyms::key;
use super::words::{Class, Word};

/// Endings of file names, which people leave out.
pub(super) const EXTENSIONS: &str = "rs ts js tsx jsx py go rb java kt json toml yaml yml md txt sh sql proto tf lock ini cfg conf env csv html css xml c h cpp cs php ex gradle";

/// The parts that code is made of.
pub(super) fn parts(word: &Word) -> Vec<String> {
    if word.class != Class::Code {
        return Vec::new();
    }
    let is_between = |c: char| !(c.is_alphanumeric() || c == '_');
    let text = extension(word).and_then(|end| word.text.strip_suffix(end)).unwrap_or(&word.text);
    let found = text.split(is_between).map(|part| part.trim_matches('_'));
    found.filter(|part| !part.is_empty()).map(short).collect()
}

/// Whether two pieces of code have something in common, and each something of
/// its own: `app.ini` and `app.toml`, `make lint` and `make test`.
pub(super) fn are_rivals(a: &Word, b: &Word) -> bool {
    let (one, other) = (parts(a), parts(b));
    let differs = |one: &[String], other: &[String]| one.iter().any(|part| !other.contains(part));
    let ends = (extension(a), extension(b));
    let are_files = ends.0.is_some() && ends.1.is_some();
    let other_end = are_files && !a.text.ends_with(&b.text) && !b.text.ends_with(&a.text);
    // `.env` and `.env.example` are two files.
    let goes_on = |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.starts_with('.'));
    if goes_on(&a.text, &b.text) || goes_on(&b.text, &a.text) {
        return !b.text.contains('/') && a.text.starts_with('.');
    }
    let is_turned = one != other && one.len() > 2 && one.iter().rev().eq(&other);
    one.iter().any(|part| other.contains(part))
        && (is_turned || other_end || differs(&one, &other) && differs(&other, &one))
}

/// Whether it is the name of a file, a path or a name of its own.
pub(super) fn is_file(word: &Word) -> bool {
    extension(word).is_some() || word.text.contains('/') || word.text.starts_with(['_', '.'])
}

/// Whether two pieces of code have a part in common.
pub(super) fn are_related(a: &Word, b: &Word) -> bool {
    let other = parts(b);
    parts(a).iter().any(|part| other.contains(part))
}

/// The ending of a file name.
pub(super) fn extension(word: &Word) -> Option<&str> {
    let (name, end) = word.text.rsplit_once('.')?;
    let is_known = EXTENSIONS.split(' ').any(|one| one == end);
    (word.class == Class::Code && !name.is_empty() && is_known).then_some(end)
}

fn short(part: &str) -> String {
    if part == "i" { key("install") } else { key(part) }
}
