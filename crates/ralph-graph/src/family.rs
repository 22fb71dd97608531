//! Languages that find names by the same rules.

use crate::facts::Kind;

/// Languages that find names by the same rules, and may use each other's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Family {
    Python,
    Rust,
    /// `TypeScript` and `JavaScript`.
    Script,
    Go,
    Java,
    CSharp,
    Php,
    Ruby,
    /// C and C++.
    C,
    Shell,
}

pub(crate) const ALL: [Family; 10] = [
    Family::Python,
    Family::Rust,
    Family::Script,
    Family::Go,
    Family::Java,
    Family::CSharp,
    Family::Php,
    Family::Ruby,
    Family::C,
    Family::Shell,
];

impl Family {
    pub(crate) fn code(self) -> u8 {
        self as u8
    }

    pub(crate) fn of_code(code: u8) -> Option<Self> {
        ALL.get(usize::from(code)).copied()
    }

    /// Whether members of a type are found by their bare name inside it.
    pub(crate) fn has_implied_self(self) -> bool {
        match self {
            Self::Java | Self::CSharp | Self::Ruby | Self::C => true,
            Self::Python | Self::Rust | Self::Script | Self::Go | Self::Php | Self::Shell => false,
        }
    }

    /// Whether a file that is imported as a whole brings all that it imports
    /// so itself.
    pub(crate) fn follows_imports(self) -> bool {
        match self {
            Self::C | Self::Ruby | Self::Shell => true,
            Self::Python
            | Self::Rust
            | Self::Script
            | Self::Go
            | Self::Java
            | Self::CSharp
            | Self::Php => false,
        }
    }

    /// Whether what is of this kind may be written in several parts.
    pub(crate) fn can_reopen(self, kind: Kind) -> bool {
        match self {
            Self::CSharp => matches!(kind, Kind::Class | Kind::Struct | Kind::Interface),
            Self::Ruby => matches!(kind, Kind::Class | Kind::Module),
            Self::C => kind == Kind::Module,
            Self::Python
            | Self::Rust
            | Self::Script
            | Self::Go
            | Self::Java
            | Self::Php
            | Self::Shell => false,
        }
    }

    /// Whether a call never is one of a value that a field holds, and whatever
    /// is not called never a method.
    pub(crate) fn tells_methods_from_fields(self) -> bool {
        match self {
            Self::Rust | Self::Php => true,
            // Components of records are called in Java.
            Self::Java
            | Self::Python
            | Self::Script
            | Self::Go
            | Self::CSharp
            | Self::Ruby
            | Self::C
            | Self::Shell => false,
        }
    }

    /// Whether a name that is neither defined nor imported may still be one
    /// of another file: there is no rule that says which.
    pub(crate) fn has_global_names(self) -> bool {
        match self {
            Self::Ruby | Self::C | Self::Php | Self::Shell => true,
            Self::Python | Self::Rust | Self::Script | Self::Go | Self::Java | Self::CSharp => {
                false
            }
        }
    }

    /// Whether a name of another file is only known by an import.
    pub(crate) fn needs_imports(self) -> bool {
        match self {
            Self::Python | Self::Script | Self::Rust => true,
            Self::Go
            | Self::Java
            | Self::CSharp
            | Self::Php
            | Self::Ruby
            | Self::C
            | Self::Shell => false,
        }
    }

    /// Whether a namespace written in the file is a name for all of the file
    /// rather than a scope that is entered by its name.
    pub(crate) fn has_file_namespaces(self) -> bool {
        match self {
            Self::Go | Self::Java | Self::CSharp | Self::Php => true,
            Self::Python | Self::Rust | Self::Script | Self::Ruby | Self::C | Self::Shell => false,
        }
    }
}
