//! The part of a file's outline that ranking needs: the names it offers to
//! other files, and the foreign names it uses.
//!
//! A map weighs every definition of a project and shows few of them. So this
//! part of an outline is read from its bytes when needed, and the rest is not
//! decoded.

use crate::encode::{FactDecoder, FactEncoder};
use crate::exports;
use crate::facts::{DefinitionId, DefinitionKind, FileFacts, SourceDefinition, SymbolVisibility};
use crate::outline::{Mention, NameKey};
use crate::resolve::is_type;

/// Length of a stored key in bytes. With 100,000 names, two share a key with a
/// chance of one in fifty thousand; the only effect is one more file to check.
const KEY_BYTES: usize = 6;

/// A definition that other files may mean by its name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MentionCandidate {
    pub(crate) name: NameKey,
    pub(crate) id: DefinitionId,
    /// True if it is only found after a qualifier.
    pub(crate) is_member: bool,
    /// Weight of a mention, from any file.
    pub(crate) weight: f32,
}

/// The part of a file's outline that ranking needs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RankingSketch<'a> {
    /// Number of definitions in the file.
    pub(crate) definitions: usize,
    mentions: &'a [u8],
    offers: &'a [u8],
}

/// Bits that describe an offer.
mod flag {
    pub(super) const MEMBER: u8 = 1;
    pub(super) const HIDDEN: u8 = 2;
    pub(super) const WORDED: u8 = 4;
    pub(super) const TEST: u8 = 8;
    pub(super) const MINOR: u8 = 16;
}

impl<'a> RankingSketch<'a> {
    /// Reads the output of [`encode`]; malformed bytes offer nothing.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let mut source = FactDecoder::new(bytes);
        let mut take = || {
            let definitions = usize::try_from(source.number()?).ok()?;
            let length = source.count()?;
            let mentions = source.raw(length)?;
            let length = source.count()?;
            Some(Self { definitions, mentions, offers: source.raw(length)? })
        };
        take().unwrap_or_default()
    }

    /// Returns the names that the file uses and does not offer itself, by their
    /// keys.
    pub(crate) fn mentions(self) -> impl Iterator<Item = Mention> + use<'a> {
        let mut source = FactDecoder::new(self.mentions);
        std::iter::from_fn(move || take_mention(&mut source))
    }

    /// Returns the file's offers, in the order of the text.
    pub(crate) fn offers(self) -> impl Iterator<Item = MentionCandidate> + use<'a> {
        let mut source = FactDecoder::new(self.offers);
        let mut next = 0_u32;
        std::iter::from_fn(move || {
            let name = take_key(&mut source)?;
            let flags = source.byte()?;
            let id = next.checked_add(source.small()?)?;
            next = id.checked_add(1)?;
            let is_member = flags & flag::MEMBER != 0;
            let known = (id as usize) < self.definitions;
            known.then(|| MentionCandidate {
                name,
                id: DefinitionId(id),
                is_member,
                weight: weight(flags),
            })
        })
    }
}

fn weight(flags: u8) -> f32 {
    let parts = [(flag::HIDDEN, 0.1), (flag::WORDED, 3.0), (flag::TEST, 0.1), (flag::MINOR, 0.3)];
    let parts = parts.into_iter().filter(|(bit, _)| flags & bit != 0);
    parts.fold(1.0, |weight, (_, factor)| weight * factor)
}

/// Encodes the sketch of a file. `keys` has the keys of all its names, and
/// `used` its mentions of other files' names.
pub(crate) fn encode(facts: &FileFacts, keys: &[NameKey], used: &[Mention]) -> Vec<u8> {
    let mut offers = FactEncoder::with_room(8 * facts.definitions.len());
    let mut own = Vec::with_capacity(facts.definitions.len());
    let mut next = 0;
    for (id, definition) in (0_u32..).zip(&facts.definitions) {
        let Some(key) = keys.get(definition.name.0 as usize) else { continue };
        let Some(flags) = flags(facts, definition) else { continue };
        own.push(*key);
        put_key(&mut offers, *key);
        offers.byte(flags);
        offers.small(id - next);
        next = id + 1;
    }
    own.sort_unstable();
    let mut mentions = FactEncoder::default();
    // A file that defines a name means its own.
    for mention in used.iter().filter(|mention| own.binary_search(&mention.name).is_err()) {
        put_mention(&mut mentions, mention);
    }
    let mut sink = FactEncoder::default();
    sink.count(facts.definitions.len());
    for part in [mentions.done(), offers.done()] {
        sink.count(part.len());
        sink.raw(&part);
    }
    sink.done()
}

/// Returns the flags of a definition; `None` if other files cannot mean it.
fn flags(facts: &FileFacts, definition: &SourceDefinition) -> Option<u8> {
    let container = definition.container.and_then(|id| facts.definitions.get(id.0 as usize));
    let in_type = container.is_some_and(|container| is_type(container.kind));
    let is_hidden = container.is_some_and(|it| it.kind != DefinitionKind::Module) && !in_type;
    let is_seen = match definition.reach {
        SymbolVisibility::Nowhere | SymbolVisibility::File => false,
        SymbolVisibility::Inside | SymbolVisibility::Crate | SymbolVisibility::Project => true,
    };
    if !is_seen || is_hidden {
        return None;
    }
    let name = facts.names.text(definition.name);
    let has_words = name.contains('_') || name.bytes().any(|byte| byte.is_ascii_uppercase());
    let is_minor = definition.reach == SymbolVisibility::Inside
        || matches!(
            definition.kind,
            DefinitionKind::Field
                | DefinitionKind::Variable
                | DefinitionKind::Variant
                | DefinitionKind::Module
        );
    let owner = definition.owner.map(|owner| facts.names.text(owner));
    let is_owned = owner.is_some_and(|owner| !exports::is_file(owner));
    let all = [
        (flag::MEMBER, is_owned || in_type),
        (flag::HIDDEN, name.starts_with('_')),
        (flag::WORDED, name.len() >= 8 && has_words),
        (flag::TEST, definition.purpose.is_test()),
        (flag::MINOR, is_minor),
    ];
    Some(all.into_iter().filter(|(_, holds)| *holds).fold(0, |flags, (bit, _)| flags | bit))
}

fn put_key(sink: &mut FactEncoder, key: NameKey) {
    sink.raw(key.0.to_le_bytes().get(..KEY_BYTES).unwrap_or_default());
}

fn take_key(source: &mut FactDecoder<'_>) -> Option<NameKey> {
    let mut key = [0; 8];
    key.get_mut(..KEY_BYTES)?.copy_from_slice(source.raw(KEY_BYTES)?);
    Some(NameKey(u64::from_le_bytes(key)))
}

/// Writes a mention.
pub(crate) fn put_mention(sink: &mut FactEncoder, mention: &Mention) {
    put_key(sink, mention.name);
    for count in [mention.bare, mention.placed, mention.loose] {
        sink.small(count);
    }
}

/// Reads the output of [`put_mention`].
pub(crate) fn take_mention(source: &mut FactDecoder<'_>) -> Option<Mention> {
    let name = take_key(source)?;
    let (bare, placed, loose) = (source.small()?, source.small()?, source.small()?);
    Some(Mention { name, bare, placed, loose })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::LanguageFamily;
    use crate::language::SourceLanguage;
    use crate::outline::EncodedOutline;
    use crate::read::SourceReader;

    const SOURCE: &str = "\
from elsewhere import other

class BaseStore:
    limit = 1

    def save(self):
        return other(self.limit)

def _hidden():
    def inside():
        pass
    return BaseStore().save(), other.more()
";

    fn folded() -> EncodedOutline {
        let facts = SourceReader::new().read(SourceLanguage::Python, SOURCE.as_bytes()).unwrap();
        EncodedOutline::new(&crate::outline::encode(LanguageFamily::Python, &facts))
    }

    #[test]
    fn a_file_offers_what_others_can_mean_by_name() {
        let folded = folded();
        let name = |offer: &MentionCandidate| folded.unfold().name(offer.id).to_owned();
        let offers: Vec<(String, bool)> =
            folded.sketch().offers().map(|offer| (name(&offer), offer.is_member)).collect();
        let want = [("BaseStore", false), ("limit", true), ("save", true), ("_hidden", false)];
        assert_eq!(offers, want.map(|(name, is_member)| (name.to_owned(), is_member)));
        assert_eq!(folded.sketch().definitions, folded.unfold().definitions.len());
        for offer in folded.sketch().offers() {
            assert_eq!(offer.name, NameKey::of(&name(&offer)));
        }
    }

    #[test]
    fn a_long_name_of_words_counts_more_and_a_hidden_or_minor_one_less() {
        let folded = folded();
        let weights: Vec<f32> = folded.sketch().offers().map(|offer| offer.weight).collect();
        assert_eq!(weights, [3.0, 0.3, 1.0, 0.1]);
    }

    #[test]
    fn names_that_the_file_offers_itself_are_no_mentions() {
        let folded = folded();
        let mut found: Vec<NameKey> = folded.sketch().mentions().map(|it| it.name).collect();
        let mut want = vec![NameKey::of("other"), NameKey::of("more")];
        found.sort_unstable();
        want.sort_unstable();
        assert_eq!(found, want);
    }

    #[track_caller]
    fn check_mentions(
        language: SourceLanguage,
        family: LanguageFamily,
        source: &str,
        want: &[&str],
    ) {
        let facts = SourceReader::new().read(language, source.as_bytes()).unwrap();
        let folded = EncodedOutline::new(&crate::outline::encode(family, &facts));
        let mut found: Vec<NameKey> = folded.sketch().mentions().map(|it| it.name).collect();
        let mut want: Vec<NameKey> = want.iter().copied().map(NameKey::of).collect();
        found.sort_unstable();
        want.sort_unstable();
        assert_eq!(found, want);
    }

    #[test]
    fn what_no_import_brings_is_not_of_another_file() {
        let source = "from a import one\n\none(two, enumerate(three))\n";
        check_mentions(SourceLanguage::Python, LanguageFamily::Python, source, &["one"]);
        let source = "from a import enumerate\nfrom b import *\n\nenumerate(two, len(three))\n";
        let want = ["enumerate", "two", "three"];
        check_mentions(SourceLanguage::Python, LanguageFamily::Python, source, &want);
        let source = "use super::*;\nfn f(x: Two) -> Result<u8> {\n    Ok(g(x))\n}\n";
        check_mentions(SourceLanguage::Rust, LanguageFamily::Rust, source, &["Two", "g"]);
        let source = "package a\n\nfunc f() { g() }\n";
        check_mentions(SourceLanguage::Go, LanguageFamily::Go, source, &["g"]);
    }

    #[test]
    fn methods_that_a_language_brings_along_are_of_no_file() {
        let source = "def f(a, b: str):\n    a.startswith(b)\n    b.startswith(a)\n    a.shine()\n";
        check_mentions(SourceLanguage::Python, LanguageFamily::Python, source, &["shine"]);
    }

    #[test]
    fn bytes_that_make_no_sense_offer_nothing() {
        for bytes in [&[][..], &[255; 40], &[1, 0, 9, 1, 2, 3, 4, 5, 6, 0, 7, 0]] {
            let sketch = RankingSketch::new(bytes);
            assert_eq!((sketch.mentions().count(), sketch.offers().count()), (0, 0));
        }
    }
}
