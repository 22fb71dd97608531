//! `use`, `include` and `require`.

use super::super::collected::{ByteRange, RawImportNames};
use super::super::names::{field as f, kind as k};
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;

pub(super) fn import(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let prefix =
        walk.child_of(at, k::NAMESPACE_NAME).map_or(b"".as_slice(), |prefix| walk.text(prefix));
    let group = walk.child(at, f::BODY).unwrap_or(at);
    let clauses: Vec<NodeIndex> = walk
        .children(group)
        .filter(|clause| walk.kind(*clause) == k::NAMESPACE_USE_CLAUSE)
        .collect();
    for clause in clauses {
        let alias = walk.child(clause, f::ALIAS);
        let path = walk
            .children(clause)
            .find(|path| matches!(walk.kind(*path), k::NAME | k::QUALIFIED_NAME));
        let Some(path) = path else { continue };
        let text = walk.text(path);
        let text = text.strip_prefix(b"\\").unwrap_or(text);
        let full = if prefix.is_empty() { text.to_vec() } else { [prefix, b"\\", text].concat() };
        let split = memchr::memrchr(b'\\', &full);
        let name_length = full.len() - split.map_or(0, |split| split + 1);
        let end = walk.bytes(path).end;
        let bytes = ByteRange { start: end - super::offset(name_length), end };
        let name = walk.symbols.intern(walk.slice(bytes.start, bytes.end));
        let local = alias.map_or(name, |alias| walk.symbol(alias));
        match split {
            Some(split) => {
                let module = walk.symbols.make(&full[..split]);
                walk.brings(clause, module, RawImportNames::Name(name, local)).bytes = bytes;
            }
            None => {
                walk.brings(clause, name, RawImportNames::Module(Some(local)));
            }
        }
    }
}

/// Reads an include: the file is the first string, whatever precedes it.
pub(super) fn include(walk: &mut SyntaxWalk<'_>, at: NodeIndex) {
    let mut inside = at..walk.after(at);
    let string = inside.find(|inside| matches!(walk.kind(*inside), k::STRING | k::ENCAPSED_STRING));
    let Some(string) = string else { return };
    let ByteRange { start, end } = walk.bytes(string);
    if end - start > 2 {
        let module = walk.symbols.intern(walk.slice(start + 1, end - 1));
        walk.brings(at, module, RawImportNames::Everything).passed_on = true;
    }
}
