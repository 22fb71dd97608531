//! What is kept under the key of some contents.

use crate::encode::{self, Sink, Source};
use crate::facts::{FileFacts, Health};
use crate::family::Family;
use crate::manifest::Manifest;
use crate::outline::{self, Outline};

/// What others need to know of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Known {
    /// It is code.
    Code(Family, Outline),
    /// It says how modules are found.
    Manifest(Manifest),
}

/// Stands before a manifest, where code has the number of its family.
const MANIFEST: u8 = u8::MAX;

/// The bytes of an outline of code.
pub(crate) fn of_code(family: Family, facts: &FileFacts) -> Vec<u8> {
    let mut sink = Sink::default();
    sink.byte(family.code());
    sink.raw(&outline::encode(facts));
    sink.done()
}

/// The bytes of a manifest.
pub(crate) fn of_manifest(manifest: &Manifest) -> Vec<u8> {
    let mut sink = Sink::default();
    sink.byte(MANIFEST);
    manifest.encode(&mut sink);
    sink.done()
}

/// What the two functions above wrote; `None` for anything else.
pub(crate) fn decode(bytes: &[u8]) -> Option<Known> {
    let (&tag, rest) = bytes.split_first()?;
    if tag == MANIFEST {
        return Manifest::decode(&mut Source::new(rest)).map(Known::Manifest);
    }
    Some(Known::Code(Family::of_code(tag)?, outline::decode(rest)?))
}

/// The first line that does not follow the grammar, if there is one.
pub(crate) fn broken_line(bytes: &[u8]) -> Option<u32> {
    let mut source = Source::new(bytes);
    if source.byte()? == MANIFEST {
        return None;
    }
    match encode::take_health(&mut source)? {
        Health::Whole => None,
        Health::Broken { line } => Some(line),
    }
}

/// Whether a definition of the earlier outline has no counterpart.
pub(crate) fn lacks(bytes: &[u8], earlier: &[u8]) -> bool {
    let (Some(Known::Code(_, now)), Some(Known::Code(_, before))) =
        (decode(bytes), decode(earlier))
    else {
        return false;
    };
    let has = |name: &str| {
        now.definitions.iter().any(|definition| now.names.get(definition.name) == name)
    };
    before.definitions.iter().any(|definition| !has(before.names.get(definition.name)))
}
