//! Data collected while a file is walked.

use super::symbols::Symbol;
use super::tree::At;
use crate::facts::{Kind, Purpose, Reach, Role};

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
pub(crate) struct Def {
    pub(crate) kind: Kind,
    pub(crate) name: Symbol,
    pub(crate) container: Option<usize>,
    pub(crate) owner: Option<Symbol>,
    pub(crate) signature: Box<str>,
    pub(crate) doc: Option<Box<str>>,
    pub(crate) bytes: ByteRange,
    pub(crate) name_bytes: ByteRange,
    pub(crate) reach: Reach,
    pub(crate) purpose: Purpose,
    pub(crate) standing: Standing,
}

/// Tells whether a definition stays if there is a better one of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It stays.
    Full,
    /// It is only a declaration: it is dropped if the file has it with a body.
    Announced,
}

/// The part before a used name.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Before {
    Nothing,
    /// An expression.
    Node(At),
    Itself,
    Parent,
    Path(Symbol),
    OfType(Symbol),
    Unknown,
}

/// A use of a name, perhaps of a local variable.
#[derive(Debug)]
pub(crate) struct Use {
    pub(crate) name: Symbol,
    pub(crate) role: Role,
    pub(crate) before: Before,
    pub(crate) within: Option<usize>,
    pub(crate) bytes: ByteRange,
}

/// The meaning of a name inside a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// A variable.
    Plain,
    /// A variable of a known type.
    Typed(Symbol),
    /// The object that a method is called on.
    Itself,
    /// Not a local variable: a nested function, an import.
    Outside,
}

/// A name that is bound in a part of the file.
#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) name: Symbol,
    pub(crate) from: u32,
    pub(crate) until: u32,
    pub(crate) what: Bound,
}

/// The names that an import makes known, while its file is read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Brings {
    Module(Option<Symbol>),
    Name(Symbol, Symbol),
    Everything,
}

/// An import while its file is read.
#[derive(Debug)]
pub(crate) struct Bring {
    pub(crate) module: Symbol,
    pub(crate) brings: Brings,
    pub(crate) passed_on: bool,
    pub(crate) within: Option<usize>,
    pub(crate) bytes: ByteRange,
}

/// A part of the file in which names are bound.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope {
    pub(crate) at: At,
    pub(crate) after: At,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) extent: Extent,
}

/// The kind of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Function,
    Block,
}

/// The innermost context of the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Here {
    /// Outside all functions and types.
    Outside,
    /// A type, with the index of its definition.
    Type(usize),
    /// A function, or a part of the file in which names are local.
    Function,
}

/// The range of a definition in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The first byte with decorators.
    pub(crate) start: u32,
    /// The first byte without them.
    pub(crate) head: u32,
    /// The first byte of the body.
    pub(crate) body: u32,
    /// The byte after the last.
    pub(crate) end: u32,
}

impl Place {
    /// Returns the bytes from the body to the end.
    pub(crate) fn body_bytes(self) -> ByteRange {
        ByteRange { start: self.body, end: self.end }
    }
}

/// Ways to name members of a type inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Members {
    /// With the object before them: `self.a`.
    Named,
    /// Also without it: `a`.
    Bare,
}

/// Tells whether the walk descends into a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Into,
    Over,
}

/// Returns true if a definition of this kind can have members.
pub(crate) fn is_type(kind: Kind) -> bool {
    match kind {
        Kind::Class | Kind::Struct | Kind::Union | Kind::Enum | Kind::Interface => true,
        Kind::Module
        | Kind::Variant
        | Kind::Alias
        | Kind::Function
        | Kind::Method
        | Kind::Field
        | Kind::Constant
        | Kind::Variable
        | Kind::Macro => false,
    }
}
