//! The stored form of a file's outline or manifest.

use crate::encode::{self, FactDecoder, FactEncoder};
use crate::facts::{FileFacts, ParseHealth};
use crate::family::LanguageFamily;
use crate::manifest::ProjectManifest;
use crate::mixer::FastHasher;
use crate::outline::{self, CodeOutline};

/// The stored facts of a file that other files need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StoredFileFacts<'a> {
    /// Code with this outline.
    Code(LanguageFamily, &'a [u8]),
    /// A manifest, which tells how modules are found.
    Manifest(ProjectManifest),
}

/// First byte of a manifest, where code has the number of its family.
const MANIFEST: u8 = u8::MAX;

/// Length of the checksum after an outline, in bytes. Outlines are decoded only
/// in part, so damage must be found without decoding.
const SUM_BYTES: usize = 4;

fn sum(bytes: &[u8]) -> [u8; SUM_BYTES] {
    let [.., a, b, c, d] = FastHasher::of(bytes).to_le_bytes();
    [a, b, c, d]
}

/// Encodes an outline of code.
pub(crate) fn of_code(family: LanguageFamily, facts: &FileFacts) -> Vec<u8> {
    let outline = outline::encode(family, facts);
    let mut bytes = Vec::with_capacity(1 + outline.len() + SUM_BYTES);
    bytes.push(family.code());
    bytes.extend(outline);
    bytes.extend(sum(&bytes));
    bytes
}

/// Encodes a manifest.
pub(crate) fn of_manifest(manifest: &ProjectManifest) -> Vec<u8> {
    let mut sink = FactEncoder::default();
    sink.byte(MANIFEST);
    manifest.encode(&mut sink);
    sink.done()
}

/// Reads the output of the two functions above; `None` for anything else.
pub(crate) fn decode(bytes: &[u8]) -> Option<StoredFileFacts<'_>> {
    let (&tag, rest) = bytes.split_first()?;
    if tag == MANIFEST {
        return ProjectManifest::decode(&mut FactDecoder::new(rest)).map(StoredFileFacts::Manifest);
    }
    let (whole, end) = bytes.split_at_checked(bytes.len().checked_sub(SUM_BYTES)?)?;
    let outline = rest.get(..rest.len().checked_sub(SUM_BYTES)?)?;
    (sum(whole) == end).then_some(StoredFileFacts::Code(LanguageFamily::of_code(tag)?, outline))
}

/// Returns the first line that does not follow the grammar, if any.
pub(crate) fn broken_line(bytes: &[u8]) -> Option<u32> {
    let mut source = FactDecoder::new(bytes);
    if source.byte()? == MANIFEST {
        return ProjectManifest::decode(&mut source)?.broken;
    }
    match encode::take_health(&mut source)? {
        ParseHealth::Whole => None,
        ParseHealth::Broken { line } => Some(line),
    }
}

/// Returns true if a definition of the earlier outline is missing in this one,
/// or if a broken manifest differs from the earlier one.
pub(crate) fn lacks(bytes: &[u8], earlier: &[u8]) -> bool {
    if let (Some(StoredFileFacts::Manifest(now)), Some(StoredFileFacts::Manifest(before))) =
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

fn outline(bytes: &[u8]) -> Option<CodeOutline> {
    match decode(bytes)? {
        StoredFileFacts::Code(_, outline) => outline::decode(outline),
        StoredFileFacts::Manifest(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::SourceLanguage;
    use crate::read::SourceReader;

    #[test]
    fn an_outline_with_a_wrong_byte_or_without_its_end_is_refused() {
        let facts =
            SourceReader::new().read(SourceLanguage::Python, b"def save(): pass\n").unwrap();
        let bytes = of_code(LanguageFamily::Python, &facts);
        assert!(matches!(decode(&bytes), Some(StoredFileFacts::Code(LanguageFamily::Python, _))));
        for at in 0..bytes.len() {
            let mut wrong = bytes.clone();
            wrong[at] ^= 4;
            assert_eq!(decode(&wrong), None, "byte {at}");
            assert_eq!(decode(&bytes[..at]), None, "cut at {at}");
        }
    }
}
