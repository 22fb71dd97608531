//! Data collected while a file is walked.

use super::symbols::InternedName;
use super::tree::NodeIndex;
use crate::facts::{CodePurpose, DefinitionKind, ReferenceRole, SymbolVisibility};

/// A part of a text, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByteRange {
    /// The first byte.
    pub(crate) start: u32,
    /// The byte after the last.
    pub(crate) end: u32,
}

impl ByteRange {
    /// Returns the part without the first and the last byte.
    pub(crate) fn inside_quotes(self) -> Self {
        Self { start: self.start + 1, end: self.end - 1 }
    }
}

/// A definition while its file is read.
#[derive(Debug)]
pub(crate) struct RawDefinition {
    pub(crate) kind: DefinitionKind,
    pub(crate) name: InternedName,
    pub(crate) container: Option<usize>,
    pub(crate) owner: Option<InternedName>,
    pub(crate) signature: Box<str>,
    pub(crate) doc: Option<Box<str>>,
    pub(crate) bytes: ByteRange,
    pub(crate) name_bytes: ByteRange,
    pub(crate) reach: SymbolVisibility,
    pub(crate) purpose: CodePurpose,
    pub(crate) standing: DefinitionStatus,
}

/// Tells whether a definition stays if there is a better one of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefinitionStatus {
    /// It stays.
    Full,
    /// It is only a declaration: it is dropped if the file has it with a body.
    Announced,
}

/// The part before a used name.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RawQualifier {
    Nothing,
    /// An expression.
    Node(NodeIndex),
    Itself,
    Parent,
    Path(InternedName),
    OfType(InternedName),
    Unknown,
}

/// A use of a name, perhaps of a local variable.
#[derive(Debug)]
pub(crate) struct RawUse {
    pub(crate) name: InternedName,
    pub(crate) role: ReferenceRole,
    pub(crate) before: RawQualifier,
    pub(crate) within: Option<usize>,
    pub(crate) bytes: ByteRange,
}

/// The meaning of a name inside a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BindingKind {
    /// A variable.
    Plain,
    /// A variable of a known type.
    Typed(InternedName),
    /// The object that a method is called on.
    Itself,
    /// Not a local variable: a nested function, an import.
    Outside,
}

/// A name that is bound in a part of the file.
#[derive(Debug)]
pub(crate) struct LocalBinding {
    pub(crate) name: InternedName,
    pub(crate) from: u32,
    pub(crate) until: u32,
    pub(crate) what: BindingKind,
}

/// The names that an import makes known, while its file is read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RawImportNames {
    Module(Option<InternedName>),
    Name(InternedName, InternedName),
    Everything,
}

/// An import while its file is read.
#[derive(Debug)]
pub(crate) struct RawImport {
    pub(crate) module: InternedName,
    pub(crate) brings: RawImportNames,
    pub(crate) passed_on: bool,
    pub(crate) within: Option<usize>,
    pub(crate) bytes: ByteRange,
}

/// A part of the file in which names are bound.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BindingScope {
    pub(crate) at: NodeIndex,
    pub(crate) after: NodeIndex,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) extent: ScopeKind,
}

/// The kind of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    Function,
    Block,
}

/// The innermost context of the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkContext {
    /// Outside all functions and types.
    Outside,
    /// A type, with the index of its definition.
    Type(usize),
    /// A function, or a part of the file in which names are local.
    Function,
}

/// The range of a definition in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DefinitionRange {
    /// The first byte with decorators.
    pub(crate) start: u32,
    /// The first byte without them.
    pub(crate) head: u32,
    /// The first byte of the body.
    pub(crate) body: u32,
    /// The byte after the last.
    pub(crate) end: u32,
}

impl DefinitionRange {
    /// Returns the bytes from the body to the end.
    pub(crate) fn body_bytes(self) -> ByteRange {
        ByteRange { start: self.body, end: self.end }
    }
}

/// Ways to name members of a type inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemberNaming {
    /// With the object before them: `self.a`.
    Named,
    /// Also without it: `a`.
    Bare,
}

/// Tells whether the walk descends into a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkStep {
    Into,
    Over,
}

/// Returns true if a definition of this kind can have members.
pub(crate) fn is_type(kind: DefinitionKind) -> bool {
    matches!(
        kind,
        DefinitionKind::Class
            | DefinitionKind::Struct
            | DefinitionKind::Union
            | DefinitionKind::Enum
            | DefinitionKind::Interface
    )
}
