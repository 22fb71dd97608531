//! Encodes facts compactly as bytes, the format of everything in the index.
//!
//! Numbers take as many bytes as they need. Positions are stored as distances
//! from the previous one. Malformed bytes give `None`, never a panic; the
//! caller then reads the file again.

use crate::facts::{
    Definition, DefinitionId, FileFacts, Health, Import, Imported, Kind, NameId, Names, Purpose,
    Qualifier, Reach, Reference, Role, Span,
};

/// Writes numbers and texts.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    bytes: Vec<u8>,
}

impl Sink {
    /// Returns an empty one with room for about this many bytes.
    pub(crate) fn with_room(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes) }
    }

    pub(crate) fn byte(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(crate) fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push((value & 0x7f) as u8);
    }

    pub(crate) fn small(&mut self, value: u32) {
        self.number(u64::from(value));
    }

    pub(crate) fn count(&mut self, value: usize) {
        self.number(value as u64);
    }

    /// Writes a number that may be negative; numbers near zero take few bytes.
    pub(crate) fn signed(&mut self, value: i64) {
        self.number(((value << 1) ^ (value >> 63)).cast_unsigned());
    }

    /// Writes the number plus one; 0 means none.
    pub(crate) fn optional(&mut self, value: Option<u32>) {
        self.number(value.map_or(0, |value| u64::from(value) + 1));
    }

    pub(crate) fn text(&mut self, value: &str) {
        self.count(value.len());
        self.bytes.extend_from_slice(value.as_bytes());
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn done(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads what a [`Sink`] wrote.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    bytes: &'a [u8],
}

impl<'a> Source<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub(crate) fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// Reads the number of things that follow, each of at least one byte: a
    /// damaged number must not ask for more memory than there are bytes.
    pub(crate) fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.bytes.len()).then_some(count)
    }

    pub(crate) fn signed(&mut self) -> Option<i64> {
        let value = self.number()?;
        Some((value >> 1).cast_signed() ^ -((value & 1).cast_signed()))
    }

    #[expect(clippy::option_option, reason = "outside: no sense, inside: nothing was written")]
    pub(crate) fn optional(&mut self) -> Option<Option<u32>> {
        match self.number()? {
            0 => Some(None),
            value => Some(Some(u32::try_from(value - 1).ok()?)),
        }
    }

    pub(crate) fn raw(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let length = self.count()?;
        std::str::from_utf8(self.raw(length)?).ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// The previous position.
#[derive(Debug, Default, Clone, Copy)]
struct Last {
    start: u32,
    line: u32,
}

/// Encodes the facts of one file.
pub(crate) fn facts(facts: &FileFacts) -> Vec<u8> {
    let things = facts.names.len() + facts.references.len() + facts.imports.len();
    let mut sink = Sink::with_room(12 * things + 80 * facts.definitions.len());
    sink.count(facts.names.len());
    for (_, text) in facts.names.iter() {
        sink.text(text);
    }
    sink.optional(broken_line(facts.health));
    let mut last = Last::default();
    sink.count(facts.definitions.len());
    for definition in &facts.definitions {
        put_definition(&mut sink, definition, &mut last);
    }
    last = Last::default();
    sink.count(facts.references.len());
    for reference in &facts.references {
        sink.byte(role_code(reference.role) << 4 | qualifier_code(reference.qualifier));
        put_qualifier(&mut sink, reference.qualifier);
        sink.small(reference.name.0);
        sink.optional(reference.within.map(|id| id.0));
        put_span(&mut sink, reference.span, &mut last);
    }
    last = Last::default();
    sink.count(facts.imports.len());
    for import in &facts.imports {
        put_import(&mut sink, import);
        put_span(&mut sink, import.span, &mut last);
    }
    sink.count(facts.types.len());
    for (id, of) in &facts.types {
        sink.small(id.0);
        sink.small(of.0);
    }
    sink.count(facts.implementors.len());
    for (start, name) in &facts.implementors {
        sink.small(*start);
        sink.small(name.0);
    }
    sink.done()
}

/// Decodes the output of [`facts`]; `None` for anything else.
pub(crate) fn read_facts(bytes: &[u8]) -> Option<FileFacts> {
    let mut source = Source::new(bytes);
    let mut names = Names::default();
    let count = source.count()?;
    names.reserve(count);
    for _ in 0..count {
        names.push(source.text()?);
    }
    let health = health(source.optional()?);
    let mut last = Last::default();
    let count = source.count()?;
    let mut definitions = Vec::with_capacity(count);
    for _ in 0..count {
        definitions.push(take_definition(&mut source, &mut last)?);
    }
    last = Last::default();
    let count = source.count()?;
    let mut references = Vec::with_capacity(count);
    for _ in 0..count {
        references.push(take_reference(&mut source, &mut last)?);
    }
    last = Last::default();
    let count = source.count()?;
    let mut imports = Vec::with_capacity(count);
    for _ in 0..count {
        let mut import = take_import(&mut source)?;
        import.span = take_span(&mut source, &mut last)?;
        imports.push(import);
    }
    let types = take_types(&mut source)?;
    let count = source.count()?;
    let mut implementors = Vec::with_capacity(count);
    for _ in 0..count {
        implementors.push((source.small()?, NameId(source.small()?)));
    }
    let facts = FileFacts { names, definitions, references, imports, types, implementors, health };
    (source.is_empty() && containers_precede(&facts.definitions)).then_some(facts)
}

/// Reads definitions with the names of their types.
pub(crate) fn take_types(source: &mut Source<'_>) -> Option<Vec<(DefinitionId, NameId)>> {
    let count = source.count()?;
    let mut types = Vec::with_capacity(count);
    for _ in 0..count {
        types.push((DefinitionId(source.small()?), NameId(source.small()?)));
    }
    Some(types)
}

/// Returns true if each container precedes its contents. Otherwise a chain of
/// containers might never end.
fn containers_precede(definitions: &[Definition]) -> bool {
    let container = |definition: &Definition| definition.container.map(|id| id.0 as usize);
    definitions
        .iter()
        .enumerate()
        .all(|(index, definition)| container(definition).is_none_or(|above| above < index))
}

fn put_definition(sink: &mut Sink, definition: &Definition, last: &mut Last) {
    sink.byte(kind_code(definition.kind));
    let test = u8::from(definition.purpose.is_test()) << 3;
    let case = u8::from(definition.purpose == Purpose::Case) << 4;
    sink.byte(reach_code(definition.reach) | test | case);
    sink.small(definition.name.0);
    sink.optional(definition.container.map(|id| id.0));
    sink.optional(definition.owner.map(|id| id.0));
    sink.text(&definition.signature);
    sink.byte(u8::from(definition.doc.is_some()));
    if let Some(doc) = &definition.doc {
        sink.text(doc);
    }
    put_span(sink, definition.span, last);
    let mut inside = *last;
    put_span(sink, definition.name_span, &mut inside);
}

fn take_definition(source: &mut Source<'_>, last: &mut Last) -> Option<Definition> {
    let kind = kind(source.byte()?)?;
    let flags = source.byte()?;
    let name = NameId(source.small()?);
    let container = source.optional()?.map(DefinitionId);
    let owner = source.optional()?.map(NameId);
    let signature = source.text()?.into();
    let doc = if source.byte()? == 1 { Some(source.text()?.into()) } else { None };
    let span = take_span(source, last)?;
    let mut inside = *last;
    let name_span = take_span(source, &mut inside)?;
    let reach = reach(flags & 7)?;
    let purpose = match flags & 0x18 {
        0 => Purpose::Code,
        8 => Purpose::Test,
        _ => Purpose::Case,
    };
    Some(Definition {
        kind,
        name,
        container,
        owner,
        signature,
        doc,
        span,
        name_span,
        reach,
        purpose,
    })
}

fn take_reference(source: &mut Source<'_>, last: &mut Last) -> Option<Reference> {
    let code = source.byte()?;
    let role = role(code >> 4)?;
    let qualifier = take_qualifier(source, code & 0xf)?;
    let name = NameId(source.small()?);
    let within = source.optional()?.map(DefinitionId);
    let span = take_span(source, last)?;
    Some(Reference { role, name, qualifier, within, span })
}

fn put_span(sink: &mut Sink, span: Span, last: &mut Last) {
    sink.signed(i64::from(span.start) - i64::from(last.start));
    sink.signed(i64::from(span.end) - i64::from(span.start));
    sink.signed(i64::from(span.line) - i64::from(last.line));
    sink.small(span.column);
    sink.signed(i64::from(span.last_line) - i64::from(span.line));
    *last = Last { start: span.start, line: span.line };
}

fn take_span(source: &mut Source<'_>, last: &mut Last) -> Option<Span> {
    let mut beyond = |base: u32| u32::try_from(source.signed()?.checked_add(i64::from(base))?).ok();
    let start = beyond(last.start)?;
    let end = beyond(start)?;
    let line = beyond(last.line)?;
    let column = source.small()?;
    let last_line = u32::try_from(source.signed()?.checked_add(i64::from(line))?).ok()?;
    *last = Last { start, line };
    Some(Span { start, end, line, column, last_line })
}

/// Writes an import without its position.
pub(crate) fn put_import(sink: &mut Sink, import: &Import) {
    let code = match import.imported {
        Imported::Module { .. } => 0,
        Imported::Name { .. } => 1,
        Imported::Everything => 2,
    };
    sink.byte(code | u8::from(import.passed_on) << 2);
    sink.small(import.module.0);
    match import.imported {
        Imported::Module { local } => sink.optional(local.map(|id| id.0)),
        Imported::Name { name, local } => {
            sink.small(name.0);
            sink.small(local.0);
        }
        Imported::Everything => {}
    }
    sink.optional(import.within.map(|id| id.0));
}

/// Reads the output of [`put_import`]; its position is zero.
pub(crate) fn take_import(source: &mut Source<'_>) -> Option<Import> {
    let code = source.byte()?;
    let module = NameId(source.small()?);
    let imported = match code & 3 {
        0 => Imported::Module { local: source.optional()?.map(NameId) },
        1 => Imported::Name { name: NameId(source.small()?), local: NameId(source.small()?) },
        2 => Imported::Everything,
        _ => return None,
    };
    let within = source.optional()?.map(DefinitionId);
    let span = Span { start: 0, end: 0, line: 0, column: 0, last_line: 0 };
    Some(Import { module, imported, passed_on: code & 4 == 4, within, span })
}

fn broken_line(health: Health) -> Option<u32> {
    match health {
        Health::Whole => None,
        Health::Broken { line } => Some(line),
    }
}

fn health(line: Option<u32>) -> Health {
    line.map_or(Health::Whole, |line| Health::Broken { line })
}

pub(crate) fn put_health(sink: &mut Sink, value: Health) {
    sink.optional(broken_line(value));
}

pub(crate) fn take_health(source: &mut Source<'_>) -> Option<Health> {
    source.optional().map(health)
}

const KINDS: [Kind; 14] = [
    Kind::Module,
    Kind::Class,
    Kind::Struct,
    Kind::Union,
    Kind::Enum,
    Kind::Variant,
    Kind::Interface,
    Kind::Alias,
    Kind::Function,
    Kind::Method,
    Kind::Field,
    Kind::Constant,
    Kind::Variable,
    Kind::Macro,
];

const REACHES: [Reach; 5] =
    [Reach::Nowhere, Reach::File, Reach::Inside, Reach::Crate, Reach::Project];

const ROLES: [Role; 6] =
    [Role::Call, Role::Type, Role::Extends, Role::Implements, Role::Applies, Role::Value];

pub(crate) fn kind_code(kind: Kind) -> u8 {
    kind as u8
}

pub(crate) fn kind(code: u8) -> Option<Kind> {
    KINDS.get(usize::from(code)).copied()
}

/// Returns a number of three bits.
pub(crate) fn reach_code(reach: Reach) -> u8 {
    reach as u8
}

pub(crate) fn reach(code: u8) -> Option<Reach> {
    REACHES.get(usize::from(code)).copied()
}

pub(crate) fn role_code(role: Role) -> u8 {
    role as u8
}

pub(crate) fn role(code: u8) -> Option<Role> {
    ROLES.get(usize::from(code)).copied()
}

pub(crate) fn qualifier_code(qualifier: Qualifier) -> u8 {
    match qualifier {
        Qualifier::None => 0,
        Qualifier::Itself => 1,
        Qualifier::Parent => 2,
        Qualifier::Path(_) => 3,
        Qualifier::OfType(_) => 4,
        Qualifier::Unknown => 5,
    }
}

pub(crate) fn put_qualifier(sink: &mut Sink, qualifier: Qualifier) {
    match qualifier {
        Qualifier::Path(name) | Qualifier::OfType(name) => sink.small(name.0),
        Qualifier::None | Qualifier::Itself | Qualifier::Parent | Qualifier::Unknown => {}
    }
}

pub(crate) fn take_qualifier(source: &mut Source<'_>, code: u8) -> Option<Qualifier> {
    Some(match code {
        0 => Qualifier::None,
        1 => Qualifier::Itself,
        2 => Qualifier::Parent,
        3 => Qualifier::Path(NameId(source.small()?)),
        4 => Qualifier::OfType(NameId(source.small()?)),
        5 => Qualifier::Unknown,
        _ => return None,
    })
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;
