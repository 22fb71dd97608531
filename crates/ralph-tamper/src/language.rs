//! The languages whose tests are understood.

use ast_grep_language::SupportLang;

/// A language, told by the name of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileLanguage {
    /// Rust.
    Rust,
    /// Python.
    Python,
    /// JavaScript, with JSX.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// Go.
    Go,
    /// Java.
    Java,
    /// Kotlin.
    Kotlin,
    /// C.
    C,
    /// C++.
    Cpp,
    /// C#.
    CSharp,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Shell.
    Shell,
    /// Tests in shell, for bats.
    Bats,
}

impl FileLanguage {
    /// The language of a file, if it is one of them.
    pub fn of(path: &str) -> Option<Self> {
        let (_, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
        Some(match extension {
            "rs" => Self::Rust,
            "py" | "pyi" => Self::Python,
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "go" => Self::Go,
            "java" => Self::Java,
            "kt" | "kts" => Self::Kotlin,
            "c" => Self::C,
            "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" => Self::Cpp,
            "cs" => Self::CSharp,
            "rb" => Self::Ruby,
            "php" => Self::Php,
            "sh" | "bash" => Self::Shell,
            "bats" => Self::Bats,
            _ => return None,
        })
    }

    /// The grammar. Tests for bats are no shell until bats has rewritten
    /// them, so they have none.
    pub(super) fn grammar(self) -> Option<SupportLang> {
        Some(match self {
            Self::Rust => SupportLang::Rust,
            Self::Python => SupportLang::Python,
            Self::JavaScript => SupportLang::JavaScript,
            Self::TypeScript => SupportLang::TypeScript,
            Self::Tsx => SupportLang::Tsx,
            Self::Go => SupportLang::Go,
            Self::Java => SupportLang::Java,
            Self::Kotlin => SupportLang::Kotlin,
            Self::C => SupportLang::C,
            Self::Cpp => SupportLang::Cpp,
            Self::CSharp => SupportLang::CSharp,
            Self::Ruby => SupportLang::Ruby,
            Self::Php => SupportLang::Php,
            Self::Shell => SupportLang::Bash,
            Self::Bats => return None,
        })
    }

    /// True if errors in the tree mean a broken file. Macros make trees of sound C and C++ files
    /// look broken.
    pub(super) fn trusts_errors(self) -> bool {
        !matches!(self, Self::C | Self::Cpp)
    }

    /// True if a file of it is built before it runs.
    pub(super) fn is_compiled(self) -> bool {
        matches!(
            self,
            Self::Rust | Self::Java | Self::Kotlin | Self::CSharp | Self::Go | Self::C | Self::Cpp
        )
    }

    /// True if it is one of the forms of JavaScript.
    pub(super) fn is_script(self) -> bool {
        matches!(self, Self::JavaScript | Self::TypeScript | Self::Tsx)
    }
}
