//! What one file says, without looking at any other.

use std::collections::hash_map::Entry;

use crate::mixer::{Mixer, Table};

/// The number of a name in the [`Names`] of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub u32);

/// The number of a definition in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefinitionId(pub u32);

/// Every name of a file, once: all in one text, because there are many.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    text: String,
    ends: Vec<u32>,
}

impl Names {
    /// Adds a name that is not there yet, and gives it the next number.
    pub(crate) fn push(&mut self, name: &str) -> NameId {
        let id = NameId(u32::try_from(self.ends.len()).unwrap_or(u32::MAX));
        self.text.push_str(name);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        id
    }

    /// Makes room for so many names.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.ends.reserve(count);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of a name; empty for a number that is not of this file.
    pub fn text(&self, id: NameId) -> &str {
        let index = id.0 as usize;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let end = self.ends.get(index).copied().unwrap_or(0);
        self.text.get(start.unwrap_or(0) as usize..end as usize).unwrap_or_default()
    }

    /// All names in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (NameId, &str)> {
        let count = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        (0..count).map(NameId).map(|id| (id, self.text(id)))
    }
}

/// Gives names their numbers.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    pub(crate) names: Names,
    /// By their hashes, or by the next number that was free.
    known: Table<u64, NameId>,
}

impl Interner {
    /// The number of a name, which is new if it was not seen before.
    pub(crate) fn intern(&mut self, text: &str) -> NameId {
        let mut place = Mixer::of(text.as_bytes());
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

/// A place in a file: bytes from the start, lines and columns from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
    /// The line of the first byte.
    pub line: u32,
    /// The column of the first byte, counted in bytes.
    pub column: u32,
    /// The line of the last byte.
    pub last_line: u32,
}

/// What kind of thing is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
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

/// A thing with a name that other code can refer to. Parameters and local
/// variables are not among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// What it is.
    pub kind: Kind,
    /// Its own name, without what it is in.
    pub name: NameId,
    /// The definition that encloses it in the text.
    pub container: Option<DefinitionId>,
    /// The type it belongs to where that does not enclose it in the text: the
    /// receiver of a Go method, the type of a Rust `impl`, `A` of `A::f` in C++.
    pub owner: Option<NameId>,
    /// The first line of what it looks like, without its body, on one line.
    pub signature: Box<str>,
    /// The first line of its documentation.
    pub doc: Option<Box<str>>,
    /// All of it, with its decorators and its body, without its documentation.
    pub span: Span,
    /// Where its name is.
    pub name_span: Span,
    /// Whether it is seen outside its file by the language's rules.
    pub reach: Reach,
    /// Whether it is a test or a part of one.
    pub purpose: Purpose,
}

/// From where a definition can be referred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// From nowhere: its name is only told, like the title of a test.
    Nowhere,
    /// Only from its own file, by the rules of the language.
    File,
    /// Only from its own file and from the files of modules inside of it.
    Inside,
    /// Only from its own crate.
    Crate,
    /// From elsewhere too, or nobody can tell.
    Project,
}

/// What a definition is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// The product.
    Code,
    /// What exists for tests only: a suite, a fixture, a part of a test.
    Test,
    /// A test case: it says itself that it is one that is run.
    Case,
}

impl Purpose {
    /// Whether it is a test or serves tests.
    pub const fn is_test(self) -> bool {
        match self {
            Self::Code => false,
            Self::Test | Self::Case => true,
        }
    }

    /// What that makes of what is inside.
    pub(crate) const fn inside(self) -> Self {
        match self {
            Self::Code => Self::Code,
            Self::Test | Self::Case => Self::Test,
        }
    }
}

/// How a name is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// It is called or constructed.
    Call,
    /// It stands for a type.
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

/// What stands before a name: `a.b.` in `a.b.f()`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Qualifier {
    /// Nothing.
    None,
    /// The object itself: `self`, `this`, `Self::`, a Go receiver.
    Itself,
    /// What the enclosing type extends: `super`, `base`, `parent::`.
    Parent,
    /// A name or a path as written, `a.b` or `a::b`, without spaces.
    Path(NameId),
    /// A value whose type the file says: a parameter or field with a type, a
    /// variable that was just constructed. The type is a path as written.
    OfType(NameId),
    /// An expression whose type cannot be told from the text.
    Unknown,
}

/// A use of a name. Uses of parameters and local variables are left out, also
/// where such a one hides a definition of the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// How it is used.
    pub role: Role,
    /// The name.
    pub name: NameId,
    /// What stands before it.
    pub qualifier: Qualifier,
    /// The innermost definition it is in.
    pub within: Option<DefinitionId>,
    /// Where the name is.
    pub span: Span,
}

/// What an import makes known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Imported {
    /// The module itself, under a name of its own or the one given.
    Module {
        /// The name it is known by in the file, if it is.
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
    /// What it makes known.
    pub imported: Imported,
    /// Whether others that import this file get it too.
    pub passed_on: bool,
    /// The definition it is in, for imports inside functions or modules.
    pub within: Option<DefinitionId>,
    /// Where it is.
    pub span: Span,
}

/// Whether the whole file could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Health {
    /// All of it follows the grammar.
    Whole,
    /// Some of it does not, or lies too deep; what could be read around it is here.
    Broken {
        /// The line of the first place that does not.
        line: u32,
    },
}

/// What one file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFacts {
    /// The names that the rest refers to.
    pub names: Names,
    /// In the order of the text, so a container precedes its contents.
    pub definitions: Vec<Definition>,
    /// In the order of the text.
    pub references: Vec<Reference>,
    /// In the order of the text.
    pub imports: Vec<Import>,
    /// The types of variables outside functions, and of the first thing that
    /// functions give, where the text says them: paths as written, with `()`
    /// behind what was called to get the value. In the order of the definitions.
    pub types: Vec<(DefinitionId, NameId)>,
    /// Types of other files that say in this one what they implement: where
    /// that is written, and their names.
    pub implementors: Vec<(u32, NameId)>,
    /// Whether the whole file could be read.
    pub health: Health,
}

impl FileFacts {
    /// The type of another file for which a reference says what it implements.
    pub(crate) fn implementor(&self, reference: &Reference) -> Option<&str> {
        let starts_there = |(start, _): &&(u32, NameId)| *start == reference.span.start;
        let (_, name) = self.implementors.iter().find(starts_there)?;
        Some(self.names.text(*name))
    }
}
