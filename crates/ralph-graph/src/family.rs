//! Groups of languages with the same rules for names.

use crate::facts::DefinitionKind;

/// A group of languages that resolve names by the same rules and may use each
/// other's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum LanguageFamily {
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

pub(crate) const ALL: [LanguageFamily; 10] = [
    LanguageFamily::Python,
    LanguageFamily::Rust,
    LanguageFamily::Script,
    LanguageFamily::Go,
    LanguageFamily::Java,
    LanguageFamily::CSharp,
    LanguageFamily::Php,
    LanguageFamily::Ruby,
    LanguageFamily::C,
    LanguageFamily::Shell,
];

impl LanguageFamily {
    pub(crate) fn code(self) -> u8 {
        self as u8
    }

    pub(crate) fn of_code(code: u8) -> Option<Self> {
        ALL.get(usize::from(code)).copied()
    }

    /// Returns true if members of a type are found by their bare name inside
    /// it.
    pub(crate) fn has_implied_self(self) -> bool {
        match self {
            Self::Java | Self::CSharp | Self::Ruby | Self::C => true,
            Self::Python | Self::Rust | Self::Script | Self::Go | Self::Php | Self::Shell => false,
        }
    }

    /// Returns true if importing a whole file also brings all that the file
    /// itself imports that way.
    pub(crate) fn follows_imports(self) -> bool {
        matches!(self, Self::C | Self::Ruby | Self::Shell)
    }

    /// Returns true if a definition of this kind may be written in several
    /// parts.
    pub(crate) fn can_reopen(self, kind: DefinitionKind) -> bool {
        match self {
            Self::CSharp => matches!(
                kind,
                DefinitionKind::Class | DefinitionKind::Struct | DefinitionKind::Interface
            ),
            Self::Ruby => matches!(kind, DefinitionKind::Class | DefinitionKind::Module),
            Self::C => kind == DefinitionKind::Module,
            Self::Python
            | Self::Rust
            | Self::Script
            | Self::Go
            | Self::Java
            | Self::Php
            | Self::Shell => false,
        }
    }

    /// Returns true if calls never refer to fields, and uses without a call
    /// never to methods.
    pub(crate) fn tells_methods_from_fields(self) -> bool {
        match self {
            Self::Rust | Self::Php => true,
            // In Java, components of records are called.
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

    /// Returns true if a name that is neither defined nor imported may still
    /// come from another file, and no rule says which.
    pub(crate) fn has_global_names(self) -> bool {
        match self {
            Self::Ruby | Self::C | Self::Php | Self::Shell => true,
            Self::Python | Self::Rust | Self::Script | Self::Go | Self::Java | Self::CSharp => {
                false
            }
        }
    }

    /// Returns true if a name of another file is only known by an import.
    pub(crate) fn needs_imports(self) -> bool {
        matches!(self, Self::Python | Self::Script | Self::Rust)
    }

    /// Returns true if a namespace in the file names the whole file, rather
    /// than a scope that is entered by its name.
    pub(crate) fn has_file_namespaces(self) -> bool {
        match self {
            Self::Go | Self::Java | Self::CSharp | Self::Php => true,
            Self::Python | Self::Rust | Self::Script | Self::Ruby | Self::C | Self::Shell => false,
        }
    }
}
