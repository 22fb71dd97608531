//! Encodes facts compactly as bytes, the format of everything in the index.
//!
//! Numbers take as many bytes as they need. Positions are stored as distances
//! from the previous one. Malformed bytes give `None`, never a panic; the
//! caller then reads the file again.

use crate::facts::{
    CodePurpose, DefinitionId, DefinitionKind, FileFacts, Import, ImportedNames, NameId, NameList,
    ParseHealth, Qualifier, Reference, ReferenceRole, SourceDefinition, SourceSpan,
    SymbolVisibility,
};

/// Writes numbers and texts.
#[derive(Debug, Default)]
pub(crate) struct FactEncoder {
    bytes: Vec<u8>,
}

impl FactEncoder {
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

/// Reads what a [`FactEncoder`] wrote.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FactDecoder<'a> {
    bytes: &'a [u8],
}

impl<'a> FactDecoder<'a> {
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
struct LastPosition {
    start: u32,
    line: u32,
}

/// Encodes the facts of one file.
pub(crate) fn facts(facts: &FileFacts) -> Vec<u8> {
    let things = facts.names.len() + facts.references.len() + facts.imports.len();
    let mut sink = FactEncoder::with_room(12 * things + 80 * facts.definitions.len());
    sink.count(facts.names.len());
    for (_, text) in facts.names.iter() {
        sink.text(text);
    }
    sink.optional(broken_line(facts.health));
    let mut last = LastPosition::default();
    sink.count(facts.definitions.len());
    for definition in &facts.definitions {
        put_definition(&mut sink, definition, &mut last);
    }
    last = LastPosition::default();
    sink.count(facts.references.len());
    for reference in &facts.references {
        sink.byte(role_code(reference.role) << 4 | qualifier_code(reference.qualifier));
        put_qualifier(&mut sink, reference.qualifier);
        sink.small(reference.name.0);
        sink.optional(reference.within.map(|id| id.0));
        put_span(&mut sink, reference.span, &mut last);
    }
    last = LastPosition::default();
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
    let mut source = FactDecoder::new(bytes);
    let mut names = NameList::default();
    let count = source.count()?;
    names.reserve(count);
    for _ in 0..count {
        names.push(source.text()?);
    }
    let health = health(source.optional()?);
    let mut last = LastPosition::default();
    let count = source.count()?;
    let mut definitions = Vec::with_capacity(count);
    for _ in 0..count {
        definitions.push(take_definition(&mut source, &mut last)?);
    }
    last = LastPosition::default();
    let count = source.count()?;
    let mut references = Vec::with_capacity(count);
    for _ in 0..count {
        references.push(take_reference(&mut source, &mut last)?);
    }
    last = LastPosition::default();
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
pub(crate) fn take_types(source: &mut FactDecoder<'_>) -> Option<Vec<(DefinitionId, NameId)>> {
    let count = source.count()?;
    let mut types = Vec::with_capacity(count);
    for _ in 0..count {
        types.push((DefinitionId(source.small()?), NameId(source.small()?)));
    }
    Some(types)
}

/// Returns true if each container precedes its contents. Otherwise a chain of
/// containers might never end.
fn containers_precede(definitions: &[SourceDefinition]) -> bool {
    let container = |definition: &SourceDefinition| definition.container.map(|id| id.0 as usize);
    definitions
        .iter()
        .enumerate()
        .all(|(index, definition)| container(definition).is_none_or(|above| above < index))
}

fn put_definition(sink: &mut FactEncoder, definition: &SourceDefinition, last: &mut LastPosition) {
    sink.byte(kind_code(definition.kind));
    let test = u8::from(definition.purpose.is_test()) << 3;
    let case = u8::from(definition.purpose == CodePurpose::Case) << 4;
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

fn take_definition(
    source: &mut FactDecoder<'_>,
    last: &mut LastPosition,
) -> Option<SourceDefinition> {
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
        0 => CodePurpose::Code,
        8 => CodePurpose::Test,
        _ => CodePurpose::Case,
    };
    Some(SourceDefinition {
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

fn take_reference(source: &mut FactDecoder<'_>, last: &mut LastPosition) -> Option<Reference> {
    let code = source.byte()?;
    let role = role(code >> 4)?;
    let qualifier = take_qualifier(source, code & 0xf)?;
    let name = NameId(source.small()?);
    let within = source.optional()?.map(DefinitionId);
    let span = take_span(source, last)?;
    Some(Reference { role, name, qualifier, within, span })
}

fn put_span(sink: &mut FactEncoder, span: SourceSpan, last: &mut LastPosition) {
    sink.signed(i64::from(span.start) - i64::from(last.start));
    sink.signed(i64::from(span.end) - i64::from(span.start));
    sink.signed(i64::from(span.line) - i64::from(last.line));
    sink.small(span.column);
    sink.signed(i64::from(span.last_line) - i64::from(span.line));
    *last = LastPosition { start: span.start, line: span.line };
}

fn take_span(source: &mut FactDecoder<'_>, last: &mut LastPosition) -> Option<SourceSpan> {
    let mut beyond = |base: u32| u32::try_from(source.signed()?.checked_add(i64::from(base))?).ok();
    let start = beyond(last.start)?;
    let end = beyond(start)?;
    let line = beyond(last.line)?;
    let column = source.small()?;
    let last_line = u32::try_from(source.signed()?.checked_add(i64::from(line))?).ok()?;
    *last = LastPosition { start, line };
    Some(SourceSpan { start, end, line, column, last_line })
}

/// Writes an import without its position.
pub(crate) fn put_import(sink: &mut FactEncoder, import: &Import) {
    let code = match import.imported {
        ImportedNames::Module { .. } => 0,
        ImportedNames::Name { .. } => 1,
        ImportedNames::Everything => 2,
    };
    sink.byte(code | u8::from(import.passed_on) << 2);
    sink.small(import.module.0);
    match import.imported {
        ImportedNames::Module { local } => sink.optional(local.map(|id| id.0)),
        ImportedNames::Name { name, local } => {
            sink.small(name.0);
            sink.small(local.0);
        }
        ImportedNames::Everything => {}
    }
    sink.optional(import.within.map(|id| id.0));
}

/// Reads the output of [`put_import`]; its position is zero.
pub(crate) fn take_import(source: &mut FactDecoder<'_>) -> Option<Import> {
    let code = source.byte()?;
    let module = NameId(source.small()?);
    let imported = match code & 3 {
        0 => ImportedNames::Module { local: source.optional()?.map(NameId) },
        1 => ImportedNames::Name { name: NameId(source.small()?), local: NameId(source.small()?) },
        2 => ImportedNames::Everything,
        _ => return None,
    };
    let within = source.optional()?.map(DefinitionId);
    let span = SourceSpan { start: 0, end: 0, line: 0, column: 0, last_line: 0 };
    Some(Import { module, imported, passed_on: code & 4 == 4, within, span })
}

fn broken_line(health: ParseHealth) -> Option<u32> {
    match health {
        ParseHealth::Whole => None,
        ParseHealth::Broken { line } => Some(line),
    }
}

fn health(line: Option<u32>) -> ParseHealth {
    line.map_or(ParseHealth::Whole, |line| ParseHealth::Broken { line })
}

pub(crate) fn put_health(sink: &mut FactEncoder, value: ParseHealth) {
    sink.optional(broken_line(value));
}

pub(crate) fn take_health(source: &mut FactDecoder<'_>) -> Option<ParseHealth> {
    source.optional().map(health)
}

const KINDS: [DefinitionKind; 14] = [
    DefinitionKind::Module,
    DefinitionKind::Class,
    DefinitionKind::Struct,
    DefinitionKind::Union,
    DefinitionKind::Enum,
    DefinitionKind::Variant,
    DefinitionKind::Interface,
    DefinitionKind::Alias,
    DefinitionKind::Function,
    DefinitionKind::Method,
    DefinitionKind::Field,
    DefinitionKind::Constant,
    DefinitionKind::Variable,
    DefinitionKind::Macro,
];

const REACHES: [SymbolVisibility; 5] = [
    SymbolVisibility::Nowhere,
    SymbolVisibility::File,
    SymbolVisibility::Inside,
    SymbolVisibility::Crate,
    SymbolVisibility::Project,
];

const ROLES: [ReferenceRole; 6] = [
    ReferenceRole::Call,
    ReferenceRole::Type,
    ReferenceRole::Extends,
    ReferenceRole::Implements,
    ReferenceRole::Applies,
    ReferenceRole::Value,
];

pub(crate) fn kind_code(kind: DefinitionKind) -> u8 {
    kind as u8
}

pub(crate) fn kind(code: u8) -> Option<DefinitionKind> {
    KINDS.get(usize::from(code)).copied()
}

/// Returns a number of three bits.
pub(crate) fn reach_code(reach: SymbolVisibility) -> u8 {
    reach as u8
}

pub(crate) fn reach(code: u8) -> Option<SymbolVisibility> {
    REACHES.get(usize::from(code)).copied()
}

pub(crate) fn role_code(role: ReferenceRole) -> u8 {
    role as u8
}

pub(crate) fn role(code: u8) -> Option<ReferenceRole> {
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

pub(crate) fn put_qualifier(sink: &mut FactEncoder, qualifier: Qualifier) {
    match qualifier {
        Qualifier::Path(name) | Qualifier::OfType(name) => sink.small(name.0),
        Qualifier::None | Qualifier::Itself | Qualifier::Parent | Qualifier::Unknown => {}
    }
}

pub(crate) fn take_qualifier(source: &mut FactDecoder<'_>, code: u8) -> Option<Qualifier> {
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
