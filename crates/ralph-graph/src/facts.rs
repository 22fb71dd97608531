//! The facts of one file, found without looking at any other.

use std::collections::hash_map::Entry;

use crate::mixer::{FastHashMap, FastHasher};

/// The number of a name in the [`NameList`] of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub u32);

/// The number of a definition in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefinitionId(pub u32);

/// All names of a file, each once, in one text to save memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameList {
    text: String,
    ends: Vec<u32>,
}

impl NameList {
    /// Adds a new name and returns its number.
    pub(crate) fn push(&mut self, name: &str) -> NameId {
        let id = NameId(u32::try_from(self.ends.len()).unwrap_or(u32::MAX));
        self.text.push_str(name);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        id
    }

    /// Reserves room for this many names.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.ends.reserve(count);
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the text of a name; empty for an unknown number.
    pub fn text(&self, id: NameId) -> &str {
        let index = id.0 as usize;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let end = self.ends.get(index).copied().unwrap_or(0);
        self.text.get(start.unwrap_or(0) as usize..end as usize).unwrap_or_default()
    }

    /// Returns all names in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (NameId, &str)> {
        let count = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        (0..count).map(NameId).map(|id| (id, self.text(id)))
    }
}

/// Assigns numbers to names.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    pub(crate) names: NameList,
    /// Keyed by hash, or by the next free number after it.
    known: FastHashMap<u64, NameId>,
}

impl Interner {
    /// Returns the number of a name, a new one if the name is new.
    pub(crate) fn intern(&mut self, text: &str) -> NameId {
        let mut place = FastHasher::of(text.as_bytes());
        loop {
            match self.known.entry(place) {
                Entry::Vacant(free) => return *free.insert(self.names.push(text)),
                Entry::Occupied(known) if self.names.text(*known.get()) == text => {
                    return *known.get();
                }
                Entry::Occupied(_) => place = place.wrapping_add(1),
            }
        }
    }
}

/// A range in a file: bytes from the start, lines and columns from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceSpan {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    /// The line of the first byte.
    pub line: u32,
    /// The column of the first byte, counted in bytes.
    pub column: u32,
    /// The line of the last byte.
    pub last_line: u32,
}

/// The kind of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DefinitionKind {
    /// A module, package clause or namespace written out in the file.
    Module,
    /// A class.
    Class,
    /// A struct or record.
    Struct,
    /// A union.
    Union,
    /// An enumeration.
    Enum,
    /// One of the values of an enumeration.
    Variant,
    /// An interface, trait or protocol.
    Interface,
    /// A name for another type.
    Alias,
    /// A function that belongs to no type.
    Function,
    /// A function that belongs to a type; constructors too.
    Method,
    /// A field, property or attribute of a type.
    Field,
    /// A value that does not change, outside functions.
    Constant,
    /// A variable outside functions.
    Variable,
    /// A macro.
    Macro,
}

/// A named thing that other code can refer to, except parameters and local
/// variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceDefinition {
    /// The kind of definition.
    pub kind: DefinitionKind,
    /// Its own name, without those around it.
    pub name: NameId,
    /// The definition that encloses it in the text.
    pub container: Option<DefinitionId>,
    /// The type it belongs to if that does not enclose it in the text: the
    /// receiver of a Go method, the type of a Rust `impl`, `A` of `A::f` in
    /// C++.
    pub owner: Option<NameId>,
    /// The first line of its declaration, without its body, on one line.
    pub signature: Box<str>,
    /// The first line of its documentation.
    pub doc: Option<Box<str>>,
    /// Its whole text, with decorators and body, without documentation.
    pub span: SourceSpan,
    /// The range of its name.
    pub name_span: SourceSpan,
    /// The code that can see it, by the rules of the language.
    pub reach: SymbolVisibility,
    /// Tells whether it is a test or a part of one.
    pub purpose: CodePurpose,
}

/// The code that can refer to a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolVisibility {
    /// None: the name is only a label, like the title of a test.
    Nowhere,
    /// Its own file, by the rules of the language.
    File,
    /// Its own file and the files of modules inside it.
    Inside,
    /// Its own crate.
    Crate,
    /// Other files too, or it is unknown.
    Project,
}

/// The purpose of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodePurpose {
    /// Product code.
    Code,
    /// Code for tests only: a suite, a fixture, a part of a test.
    Test,
    /// A test case that a test runner runs.
    Case,
}

impl CodePurpose {
    /// Returns true if it is a test or serves tests.
    pub const fn is_test(self) -> bool {
        match self {
            Self::Code => false,
            Self::Test | Self::Case => true,
        }
    }

    /// Returns the purpose of definitions inside this one.
    pub(crate) const fn inside(self) -> Self {
        match self {
            Self::Code => Self::Code,
            Self::Test | Self::Case => Self::Test,
        }
    }
}

/// The way in which a name is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReferenceRole {
    /// It is called or constructed.
    Call,
    /// It names a type.
    Type,
    /// A type extends it: class to class, interface to interface.
    Extends,
    /// A type implements it.
    Implements,
    /// It is a macro that is expanded, or a decorator or attribute that is applied.
    Applies,
    /// It is read, written, or passed on.
    Value,
}

/// The part before a name: `a.b.` in `a.b.f()`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Qualifier {
    /// Nothing.
    None,
    /// The object itself: `self`, `this`, `Self::`, a Go receiver.
    Itself,
    /// The parent of the enclosing type: `super`, `base`, `parent::`.
    Parent,
    /// A name or a path as written, `a.b` or `a::b`, without spaces.
    Path(NameId),
    /// A value whose type the file states: a parameter or field with a type, a
    /// variable that was just constructed. The type is a path as written.
    OfType(NameId),
    /// An expression whose type the text does not tell.
    Unknown,
}

/// A use of a name. Parameters and local variables are left out, even if they
/// hide a definition of the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The way in which it is used.
    pub role: ReferenceRole,
    /// The name.
    pub name: NameId,
    /// The part before the name.
    pub qualifier: Qualifier,
    /// The innermost definition around it.
    pub within: Option<DefinitionId>,
    /// The range of the name.
    pub span: SourceSpan,
}

/// The names that an import makes known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ImportedNames {
    /// The module itself, under its own name or a given one.
    Module {
        /// Its name in the file, if it has one.
        local: Option<NameId>,
    },
    /// One name of the module.
    Name {
        /// Its name there.
        name: NameId,
        /// Its name here.
        local: NameId,
    },
    /// All names of the module, as `*` or an `#include` do.
    Everything,
}

/// A statement that makes names of another file known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The module or path as written: `.models`, `crate::a::b`, `./util`, `stdio.h`.
    pub module: NameId,
    /// The names that it makes known.
    pub imported: ImportedNames,
    /// True if files that import this one get it too.
    pub passed_on: bool,
    /// The definition around it, for imports inside functions or modules.
    pub within: Option<DefinitionId>,
    /// Its range.
    pub span: SourceSpan,
}

/// Tells whether the whole file follows its grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ParseHealth {
    /// All of it follows the grammar.
    Whole,
    /// Some of it does not, or is nested too deeply; the rest was read.
    Broken {
        /// The first line that does not.
        line: u32,
    },
}

/// The facts of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFacts {
    /// The names that the other fields refer to.
    pub names: NameList,
    /// In the order of the text, so a container precedes its contents.
    pub definitions: Vec<SourceDefinition>,
    /// In the order of the text.
    pub references: Vec<Reference>,
    /// In the order of the text.
    pub imports: Vec<Import>,
    /// The types of variables outside functions, and of the first value that
    /// functions return, if the text states them: paths as written, with `()`
    /// after something that is called to get the value. In the order of the
    /// definitions.
    pub types: Vec<(DefinitionId, NameId)>,
    /// Types of other files that are said here to implement something: the
    /// start byte of that statement, and their names.
    pub implementors: Vec<(u32, NameId)>,
    /// Tells whether the whole file follows its grammar.
    pub health: ParseHealth,
}

impl FileFacts {
    /// Returns the type of another file that this reference makes implement
    /// something.
    pub(crate) fn implementor(&self, reference: &Reference) -> Option<&str> {
        let starts_there = |(start, _): &&(u32, NameId)| *start == reference.span.start;
        let (_, name) = self.implementors.iter().find(starts_there)?;
        Some(self.names.text(*name))
    }
}
