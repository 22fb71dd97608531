//! The stored form of a file's outline or manifest.

use crate::encode::{self, Sink, Source};
use crate::facts::{FileFacts, Health};
use crate::family::Family;
use crate::manifest::Manifest;
use crate::mixer::Mixer;
use crate::outline::{self, Outline};

/// The stored facts of a file that other files need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Known<'a> {
    /// Code with this outline.
    Code(Family, &'a [u8]),
    /// A manifest, which tells how modules are found.
    Manifest(Manifest),
}

/// First byte of a manifest, where code has the number of its family.
const MANIFEST: u8 = u8::MAX;

/// Length of the checksum after an outline, in bytes. Outlines are decoded only
/// in part, so damage must be found without decoding.
const SUM_BYTES: usize = 4;

fn sum(bytes: &[u8]) -> [u8; SUM_BYTES] {
    let [.., a, b, c, d] = Mixer::of(bytes).to_le_bytes();
    [a, b, c, d]
}

/// Encodes an outline of code.
pub(crate) fn of_code(family: Family, facts: &FileFacts) -> Vec<u8> {
    let outline = outline::encode(family, facts);
    let mut bytes = Vec::with_capacity(1 + outline.len() + SUM_BYTES);
    bytes.push(family.code());
    bytes.extend(outline);
    bytes.extend(sum(&bytes));
    bytes
}

/// Encodes a manifest.
pub(crate) fn of_manifest(manifest: &Manifest) -> Vec<u8> {
    let mut sink = Sink::default();
    sink.byte(MANIFEST);
    manifest.encode(&mut sink);
    sink.done()
}

/// Reads the output of the two functions above; `None` for anything else.
pub(crate) fn decode(bytes: &[u8]) -> Option<Known<'_>> {
    let (&tag, rest) = bytes.split_first()?;
    if tag == MANIFEST {
        return Manifest::decode(&mut Source::new(rest)).map(Known::Manifest);
    }
    let (whole, end) = bytes.split_at_checked(bytes.len().checked_sub(SUM_BYTES)?)?;
    let outline = rest.get(..rest.len().checked_sub(SUM_BYTES)?)?;
    (sum(whole) == end).then_some(Known::Code(Family::of_code(tag)?, outline))
}

/// Returns the first line that does not follow the grammar, if any.
pub(crate) fn broken_line(bytes: &[u8]) -> Option<u32> {
    let mut source = Source::new(bytes);
    if source.byte()? == MANIFEST {
        return Manifest::decode(&mut source)?.broken;
    }
    match encode::take_health(&mut source)? {
        Health::Whole => None,
        Health::Broken { line } => Some(line),
    }
}

/// Returns true if a definition of the earlier outline is missing in this one,
/// or if a broken manifest differs from the earlier one.
pub(crate) fn lacks(bytes: &[u8], earlier: &[u8]) -> bool {
    if let (Some(Known::Manifest(now)), Some(Known::Manifest(before))) =
        (decode(bytes), decode(earlier))
    {
        return now.broken.is_some() && now.pairs != before.pairs;
    }
    let (Some(now), Some(before)) = (outline(bytes), outline(earlier)) else { return false };
    let has = |name: &str| {
        now.definitions.iter().any(|definition| now.names.text(definition.name) == name)
    };
    before.definitions.iter().any(|definition| !has(before.names.text(definition.name)))
}

fn outline(bytes: &[u8]) -> Option<Outline> {
    match decode(bytes)? {
        Known::Code(_, outline) => outline::decode(outline),
        Known::Manifest(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::read::Reader;

    #[test]
    fn an_outline_with_a_wrong_byte_or_without_its_end_is_refused() {
        let facts = Reader::new().read(Language::Python, b"def save(): pass\n").unwrap();
        let bytes = of_code(Family::Python, &facts);
        assert!(matches!(decode(&bytes), Some(Known::Code(Family::Python, _))));
        for at in 0..bytes.len() {
            let mut wrong = bytes.clone();
            wrong[at] ^= 4;
            assert_eq!(decode(&wrong), None, "byte {at}");
            assert_eq!(decode(&bytes[..at]), None, "cut at {at}");
        }
    }
}
