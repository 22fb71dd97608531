//! What others need to know of a file: its definitions, imports, and which
//! names it mentions how often. Everything else stays in its facts.
//!
//! All outlines of a project are in memory while a question is answered, so
//! they own few allocations and no signatures.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use crate::encode::{self, Sink, Source};
use crate::facts::{
    DefinitionId, FileFacts, Health, Import, Imported, Kind, NameId, Purpose, Qualifier, Reach,
    Reference, Role,
};

/// A name as a number: equal names have equal keys, and different ones in one
/// project hardly ever do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NameKey(pub(crate) u64);

/// Keys are hashes already.
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
        // The upper bits, which a key lacks, choose the place in a table too.
        self.0 = value ^ value << 48;
    }
}

/// A table by names.
pub(crate) type ByKey<V> = HashMap<NameKey, V, BuildHasherDefault<KeyHasher>>;

/// Bytes of a stored key: with 100,000 names two share one with a chance of
/// one in fifty thousand, and then only one file too many is looked into.
const KEY_BYTES: usize = 6;

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

/// The names of an outline in one text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Texts {
    text: String,
    ends: Vec<u32>,
}

impl Texts {
    fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }

    /// The text of a name; empty for a number that is not of this file.
    pub(crate) fn get(&self, id: NameId) -> &str {
        let index = id.0 as usize;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let end = self.ends.get(index).copied().unwrap_or(0);
        self.text.get(start.unwrap_or(0) as usize..end as usize).unwrap_or_default()
    }
}

/// A definition without what only its reader wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outlined {
    pub(crate) kind: Kind,
    pub(crate) name: NameId,
    pub(crate) container: Option<DefinitionId>,
    pub(crate) owner: Option<NameId>,
    pub(crate) line: u32,
    pub(crate) last_line: u32,
    pub(crate) reach: Reach,
    pub(crate) purpose: Purpose,
}

/// What a type extends or implements, or an alias stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Above {
    pub(crate) role: Role,
    pub(crate) name: NameId,
    pub(crate) qualifier: Qualifier,
    /// The type that says so.
    pub(crate) within: Option<DefinitionId>,
}

/// A name that is used in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mention {
    pub(crate) name: NameKey,
    /// How often with nothing before it.
    pub(crate) bare: u32,
    /// How often behind something that tells where it is from.
    pub(crate) placed: u32,
    /// How often behind something of which nothing is known.
    pub(crate) loose: u32,
}

/// What others need to know of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outline {
    pub(crate) names: Texts,
    pub(crate) definitions: Vec<Outlined>,
    pub(crate) imports: Vec<Import>,
    pub(crate) above: Vec<Above>,
    /// In the order of the keys.
    pub(crate) mentions: Vec<Mention>,
    pub(crate) health: Health,
}

impl Outline {
    pub(crate) fn definition(&self, id: DefinitionId) -> Option<&Outlined> {
        self.definitions.get(id.0 as usize)
    }

    pub(crate) fn name(&self, id: DefinitionId) -> &str {
        self.definition(id).map_or("", |definition| self.names.get(definition.name))
    }

    /// How often a name is used.
    pub(crate) fn mentions(&self, name: NameKey) -> u32 {
        let found = self.mentions.binary_search_by_key(&name, |mention| mention.name);
        let mention = found.ok().and_then(|index| self.mentions.get(index));
        mention.map_or(0, |mention| mention.bare + mention.placed + mention.loose)
    }
}

/// Numbers names anew: only those that an outline needs are in it.
#[derive(Default)]
struct Chosen<'a> {
    ids: HashMap<NameId, NameId>,
    texts: Vec<&'a str>,
}

impl<'a> Chosen<'a> {
    fn choose(&mut self, facts: &'a FileFacts, id: NameId) -> NameId {
        let next = NameId(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        *self.ids.entry(id).or_insert_with(|| {
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

    fn imported(&mut self, facts: &'a FileFacts, imported: Imported) -> Imported {
        match imported {
            Imported::Module { local } => {
                Imported::Module { local: local.map(|id| self.choose(facts, id)) }
            }
            Imported::Name { name, local } => {
                Imported::Name { name: self.choose(facts, name), local: self.choose(facts, local) }
            }
            Imported::Everything => Imported::Everything,
        }
    }
}

/// The outline of what a file says, as bytes.
pub(crate) fn encode(facts: &FileFacts) -> Vec<u8> {
    let mut chosen = Chosen::default();
    let mut body = Sink::default();
    body.count(facts.definitions.len());
    let mut last_line = 0;
    for definition in &facts.definitions {
        let reach = u8::from(definition.reach == Reach::Project) << 4;
        let purpose = u8::from(definition.purpose == Purpose::Test) << 5;
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
    put_mentions(&mut body, facts);
    let mut sink = Sink::default();
    encode::put_health(&mut sink, facts.health);
    sink.count(chosen.texts.len());
    for text in chosen.texts {
        sink.text(text);
    }
    sink.raw(&body.done());
    sink.done()
}

fn put_above<'a>(body: &mut Sink, facts: &'a FileFacts, chosen: &mut Chosen<'a>) {
    let mut aliases = HashSet::new();
    let mut is_above = |reference: &&Reference| match reference.role {
        Role::Extends | Role::Implements => true,
        // The first type that an alias names is what it stands for.
        Role::Type => reference.within.is_some_and(|within| {
            let definition = facts.definitions.get(within.0 as usize);
            definition.is_some_and(|it| it.kind == Kind::Alias) && aliases.insert(within)
        }),
        Role::Call | Role::Applies | Role::Value => false,
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

fn put_mentions(body: &mut Sink, facts: &FileFacts) {
    let mut times = vec![[0_u32; 3]; facts.names.iter().count()];
    for reference in &facts.references {
        let how = match reference.qualifier {
            Qualifier::None => 0,
            Qualifier::Itself | Qualifier::Parent | Qualifier::Path(_) | Qualifier::OfType(_) => 1,
            Qualifier::Unknown => 2,
        };
        if let Some(counts) = times.get_mut(reference.name.0 as usize) {
            counts[how] += 1;
        }
    }
    let used = facts.names.iter().zip(times).filter(|(_, times)| *times != [0; 3]);
    let mut mentions: Vec<(NameKey, [u32; 3])> =
        used.map(|((_, text), times)| (NameKey::of(text), times)).collect();
    mentions.sort_unstable();
    body.count(mentions.len());
    for (name, times) in mentions {
        body.raw(name.0.to_le_bytes().get(..KEY_BYTES).unwrap_or_default());
        for count in times {
            body.small(count);
        }
    }
}

/// What [`encode`] wrote; `None` for anything else.
pub(crate) fn decode(bytes: &[u8]) -> Option<Outline> {
    let mut source = Source::new(bytes);
    let health = encode::take_health(&mut source)?;
    let mut names = Texts::default();
    let count = source.count()?;
    names.ends.reserve(count);
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
        above.push(Above { role: encode::role(code >> 4)?, name, qualifier, within });
    }
    let count = source.count()?;
    let mut mentions = Vec::with_capacity(count);
    for _ in 0..count {
        let mut key = [0; 8];
        key.get_mut(..KEY_BYTES)?.copy_from_slice(source.raw(KEY_BYTES)?);
        let name = NameKey(u64::from_le_bytes(key));
        let (bare, placed, loose) = (source.small()?, source.small()?, source.small()?);
        mentions.push(Mention { name, bare, placed, loose });
    }
    source.is_empty().then_some(Outline { names, definitions, imports, above, mentions, health })
}

fn take_definitions(source: &mut Source<'_>) -> Option<Vec<Outlined>> {
    let count = source.count()?;
    let mut definitions = Vec::with_capacity(count);
    let mut last_line = 0;
    for index in 0..count {
        let code = source.byte()?;
        let name = NameId(source.small()?);
        let container = source.optional()?;
        // Chains of containers must end.
        if container.is_some_and(|above| above as usize >= index) {
            return None;
        }
        let owner = source.optional()?.map(NameId);
        last_line = source.signed()?.checked_add(last_line)?;
        let end = source.signed()?.checked_add(last_line)?;
        definitions.push(Outlined {
            kind: encode::kind(code & 0xf)?,
            name,
            container: container.map(DefinitionId),
            owner,
            line: u32::try_from(last_line).ok()?,
            last_line: u32::try_from(end).ok()?,
            reach: if code & 0x10 == 0 { Reach::File } else { Reach::Project },
            purpose: if code & 0x20 == 0 { Purpose::Code } else { Purpose::Test },
        });
    }
    Some(definitions)
}
