//! The part of a file's facts that other files need: its definitions, its
//! imports, and how often it mentions each name.
//!
//! All outlines of a project are in memory while a question is answered, so
//! they have few allocations and no signatures.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use crate::encode::{self, FactDecoder, FactEncoder};
use crate::facts::{
    CodePurpose, DefinitionId, DefinitionKind, FileFacts, Import, ImportedNames, NameId, NameList,
    Qualifier, Reference, ReferenceRole, SymbolVisibility,
};
use crate::family::LanguageFamily;
use crate::sketch::{self, RankingSketch};
use crate::times::{self, UseCounts};

/// A name as a number. Equal names have equal keys; different names in one
/// project hardly ever do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NameKey(pub(crate) u64);

/// Passes keys through, because they are hashes already.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        // Hash tables also use the upper bits, which keys lack.
        self.0 = value ^ value << 48;
    }
}

/// A hash map keyed by names.
pub(crate) type ByKey<V> = HashMap<NameKey, V, BuildHasherDefault<KeyHasher>>;

impl NameKey {
    pub(crate) fn of(name: &str) -> Self {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in name.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        hash ^= hash >> 32;
        Self(hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16)
    }
}

/// A definition, reduced to the fields that other files need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutlineEntry {
    pub(crate) kind: DefinitionKind,
    pub(crate) name: NameId,
    pub(crate) container: Option<DefinitionId>,
    pub(crate) owner: Option<NameId>,
    pub(crate) line: u32,
    pub(crate) last_line: u32,
    pub(crate) reach: SymbolVisibility,
    pub(crate) purpose: CodePurpose,
}

/// A type that another one extends or implements, or that an alias means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SupertypeLink {
    pub(crate) role: ReferenceRole,
    pub(crate) name: NameId,
    pub(crate) qualifier: Qualifier,
    /// The type that extends it, or the alias.
    pub(crate) within: Option<DefinitionId>,
}

/// A name that is used in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mention {
    pub(crate) name: NameKey,
    /// Number of uses without a qualifier.
    pub(crate) bare: u32,
    /// Number of uses after a qualifier that tells where the name is from.
    pub(crate) placed: u32,
    /// Number of uses after an unknown qualifier.
    pub(crate) loose: u32,
}

/// The facts of a file that other files need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CodeOutline {
    pub(crate) names: NameList,
    pub(crate) definitions: Vec<OutlineEntry>,
    pub(crate) imports: Vec<Import>,
    pub(crate) above: Vec<SupertypeLink>,
    /// The types of variables, in the order of the definitions.
    pub(crate) types: Vec<(DefinitionId, NameId)>,
    /// In the order of the keys.
    pub(crate) mentions: Vec<Mention>,
}

/// An outline as it is stored. It is decoded when more than its sketch is
/// needed, which for most files never happens.
#[derive(Debug, Clone)]
pub(crate) struct EncodedOutline {
    bytes: Box<[u8]>,
    outline: OnceCell<CodeOutline>,
}

impl EncodedOutline {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self { bytes: bytes.into(), outline: OnceCell::new() }
    }

    /// Returns the part that ranking needs.
    pub(crate) fn sketch(&self) -> RankingSketch<'_> {
        let mut source = FactDecoder::new(&self.bytes);
        let sketch = encode::take_health(&mut source).and_then(|_| take_part(&mut source));
        RankingSketch::new(sketch.unwrap_or_default())
    }

    /// Returns all its names, in the order of their numbers.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let mut source = FactDecoder::new(&self.bytes);
        let mut skip = || {
            encode::take_health(&mut source)?;
            take_part(&mut source)?;
            source.count()
        };
        let count = skip().unwrap_or(0);
        (0..count).map_while(move |_| source.text())
    }

    /// Returns the decoded outline; empty if the bytes are malformed.
    pub(crate) fn unfold(&self) -> &CodeOutline {
        self.outline.get_or_init(|| decode(&self.bytes).unwrap_or_default())
    }
}

impl CodeOutline {
    pub(crate) fn definition(&self, id: DefinitionId) -> Option<&OutlineEntry> {
        self.definitions.get(id.0 as usize)
    }

    pub(crate) fn name(&self, id: DefinitionId) -> &str {
        self.definition(id).map_or("", |definition| self.names.text(definition.name))
    }

    /// Returns the type of a variable, or of a function's result, as written.
    pub(crate) fn type_of(&self, id: DefinitionId) -> Option<&str> {
        let found = self.types.binary_search_by_key(&id, |(variable, _)| *variable).ok()?;
        self.types.get(found).map(|(_, of)| self.names.text(*of))
    }

    /// Returns how often a name is used.
    pub(crate) fn mentions(&self, name: NameKey) -> u32 {
        let found = self.mentions.binary_search_by_key(&name, |mention| mention.name);
        let mention = found.ok().and_then(|index| self.mentions.get(index));
        mention.map_or(0, |mention| mention.bare + mention.placed + mention.loose)
    }
}

/// Renumbers names: only those that an outline needs are in it.
struct NameRenumberer<'a> {
    /// New numbers, by the numbers in the facts.
    ids: Vec<Option<NameId>>,
    texts: Vec<&'a str>,
}

impl<'a> NameRenumberer<'a> {
    fn choose(&mut self, facts: &'a FileFacts, id: NameId) -> NameId {
        let next = NameId(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        let Some(known) = self.ids.get_mut(id.0 as usize) else {
            self.texts.push("");
            return next;
        };
        *known.get_or_insert_with(|| {
            self.texts.push(facts.names.text(id));
            next
        })
    }

    fn qualifier(&mut self, facts: &'a FileFacts, qualifier: Qualifier) -> Qualifier {
        match qualifier {
            Qualifier::Path(name) => Qualifier::Path(self.choose(facts, name)),
            Qualifier::OfType(name) => Qualifier::OfType(self.choose(facts, name)),
            Qualifier::None | Qualifier::Itself | Qualifier::Parent | Qualifier::Unknown => {
                qualifier
            }
        }
    }

    fn imported(&mut self, facts: &'a FileFacts, imported: ImportedNames) -> ImportedNames {
        match imported {
            ImportedNames::Module { local } => {
                ImportedNames::Module { local: local.map(|id| self.choose(facts, id)) }
            }
            ImportedNames::Name { name, local } => ImportedNames::Name {
                name: self.choose(facts, name),
                local: self.choose(facts, local),
            },
            ImportedNames::Everything => ImportedNames::Everything,
        }
    }
}

/// Encodes the outline of a file's facts.
pub(crate) fn encode(family: LanguageFamily, facts: &FileFacts) -> Vec<u8> {
    let mut chosen = NameRenumberer { ids: vec![None; facts.names.len()], texts: Vec::new() };
    let mut body = FactEncoder::with_room(8 * (facts.definitions.len() + facts.names.len()) + 64);
    body.count(facts.definitions.len());
    let mut last_line = 0;
    for definition in &facts.definitions {
        let reach = encode::reach_code(definition.reach) << 4;
        let purpose = u8::from(definition.purpose.is_test()) << 7;
        body.byte(encode::kind_code(definition.kind) | reach | purpose);
        body.small(chosen.choose(facts, definition.name).0);
        body.optional(definition.container.map(|id| id.0));
        body.optional(definition.owner.map(|id| chosen.choose(facts, id).0));
        let line = definition.name_span.line;
        body.signed(i64::from(line) - last_line);
        body.signed(i64::from(definition.span.last_line) - i64::from(line));
        last_line = i64::from(line);
    }
    body.count(facts.imports.len());
    for import in &facts.imports {
        let module = chosen.choose(facts, import.module);
        let imported = chosen.imported(facts, import.imported);
        encode::put_import(&mut body, &Import { module, imported, ..*import });
    }
    put_above(&mut body, facts, &mut chosen);
    body.count(facts.types.len());
    for (id, of) in &facts.types {
        body.small(id.0);
        body.small(chosen.choose(facts, *of).0);
    }
    let keys: Vec<NameKey> = facts.names.iter().map(|(_, text)| NameKey::of(text)).collect();
    let times = times::of(family, facts, &keys);
    let mentions = mentions(&keys, &times);
    body.count(mentions.len());
    for mention in &mentions {
        sketch::put_mention(&mut body, mention);
    }
    let body = body.done();
    let sketch = sketch::encode(facts, &keys, &times::meant(family, facts, &keys, &times));
    let mut sink = FactEncoder::with_room(body.len() + sketch.len() + 16 * chosen.texts.len());
    encode::put_health(&mut sink, facts.health);
    sink.count(sketch.len());
    sink.raw(&sketch);
    sink.count(chosen.texts.len());
    for text in chosen.texts {
        sink.text(text);
    }
    sink.raw(&body);
    sink.done()
}

fn put_above<'a>(body: &mut FactEncoder, facts: &'a FileFacts, chosen: &mut NameRenumberer<'a>) {
    let mut aliases = HashSet::new();
    let mut is_above = |reference: &&Reference| match reference.role {
        ReferenceRole::Extends | ReferenceRole::Implements => true,
        // The first type that an alias names is its target.
        ReferenceRole::Type => reference.within.is_some_and(|within| {
            let definition = facts.definitions.get(within.0 as usize);
            definition.is_some_and(|it| it.kind == DefinitionKind::Alias) && aliases.insert(within)
        }),
        ReferenceRole::Call | ReferenceRole::Applies | ReferenceRole::Value => false,
    };
    let above: Vec<_> = facts.references.iter().filter(|it| is_above(it)).collect();
    body.count(above.len());
    for reference in above {
        let qualifier = chosen.qualifier(facts, reference.qualifier);
        body.byte(encode::role_code(reference.role) << 4 | encode::qualifier_code(qualifier));
        encode::put_qualifier(body, qualifier);
        body.small(chosen.choose(facts, reference.name).0);
        body.optional(reference.within.map(|id| id.0));
    }
}

/// Returns the names that a file uses, in the order of their keys.
fn mentions(keys: &[NameKey], times: &[UseCounts]) -> Vec<Mention> {
    let mention = |(name, times): (&NameKey, &UseCounts)| Mention {
        name: *name,
        bare: times.bare,
        placed: times.placed,
        loose: times.loose + times.foreign,
    };
    let used = keys.iter().zip(times).filter(|(_, times)| **times != UseCounts::default());
    let mut mentions: Vec<Mention> = used.map(mention).collect();
    mentions.sort_unstable_by_key(|it| (it.name, it.bare, it.placed, it.loose));
    mentions
}

/// Reads bytes that are preceded by their length.
fn take_part<'a>(source: &mut FactDecoder<'a>) -> Option<&'a [u8]> {
    let length = source.count()?;
    source.raw(length)
}

/// Reads the output of [`encode`]; `None` for anything else.
pub(crate) fn decode(bytes: &[u8]) -> Option<CodeOutline> {
    let mut source = FactDecoder::new(bytes);
    encode::take_health(&mut source)?;
    take_part(&mut source)?;
    let mut names = NameList::default();
    let count = source.count()?;
    names.reserve(count);
    for _ in 0..count {
        names.push(source.text()?);
    }
    let definitions = take_definitions(&mut source)?;
    let count = source.count()?;
    let mut imports = Vec::with_capacity(count);
    for _ in 0..count {
        imports.push(encode::take_import(&mut source)?);
    }
    let count = source.count()?;
    let mut above = Vec::with_capacity(count);
    for _ in 0..count {
        let code = source.byte()?;
        let qualifier = encode::take_qualifier(&mut source, code & 0xf)?;
        let name = NameId(source.small()?);
        let within = source.optional()?.map(DefinitionId);
        above.push(SupertypeLink { role: encode::role(code >> 4)?, name, qualifier, within });
    }
    let types = encode::take_types(&mut source)?;
    let count = source.count()?;
    let mut mentions = Vec::with_capacity(count);
    for _ in 0..count {
        mentions.push(sketch::take_mention(&mut source)?);
    }
    source.is_empty().then_some(CodeOutline { names, definitions, imports, above, types, mentions })
}

fn take_definitions(source: &mut FactDecoder<'_>) -> Option<Vec<OutlineEntry>> {
    let count = source.count()?;
    let mut definitions = Vec::with_capacity(count);
    let mut last_line = 0;
    for index in 0..count {
        let code = source.byte()?;
        let name = NameId(source.small()?);
        let container = source.optional()?;
        // Otherwise a chain of containers might never end.
        if container.is_some_and(|above| above as usize >= index) {
            return None;
        }
        let owner = source.optional()?.map(NameId);
        last_line = source.signed()?.checked_add(last_line)?;
        let end = source.signed()?.checked_add(last_line)?;
        definitions.push(OutlineEntry {
            kind: encode::kind(code & 0xf)?,
            name,
            container: container.map(DefinitionId),
            owner,
            line: u32::try_from(last_line).ok()?,
            last_line: u32::try_from(end).ok()?,
            reach: encode::reach(code >> 4 & 7)?,
            purpose: if code & 0x80 == 0 { CodePurpose::Code } else { CodePurpose::Test },
        });
    }
    Some(definitions)
}
