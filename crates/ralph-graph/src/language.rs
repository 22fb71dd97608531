//! Tells the language of a file.

use std::fmt;
use std::path::Path;

/// A supported language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceLanguage {
    /// Python, stubs too.
    #[cfg(feature = "lang-python")]
    Python,
    /// Rust.
    #[cfg(feature = "lang-rust")]
    Rust,
    /// TypeScript.
    #[cfg(feature = "lang-typescript")]
    TypeScript,
    /// TypeScript with elements in it.
    #[cfg(feature = "lang-typescript")]
    Tsx,
    /// JavaScript, with or without elements in it.
    #[cfg(feature = "lang-javascript")]
    JavaScript,
    /// Go.
    #[cfg(feature = "lang-go")]
    Go,
    /// Java.
    #[cfg(feature = "lang-java")]
    Java,
    /// C.
    #[cfg(feature = "lang-c")]
    C,
    /// C++, and headers that could be either.
    #[cfg(feature = "lang-cpp")]
    Cpp,
    /// Ruby.
    #[cfg(feature = "lang-ruby")]
    Ruby,
    /// PHP.
    #[cfg(feature = "lang-php")]
    Php,
    /// C#.
    #[cfg(feature = "lang-csharp")]
    CSharp,
    /// Bash and other shells like it.
    #[cfg(feature = "lang-bash")]
    Bash,
}

impl SourceLanguage {
    /// Returns the language of a file by its name, else by its first bytes: a
    /// script by its `#!` line, a header by its contents.
    pub fn of(path: &Path, first_bytes: &[u8]) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension {
            // If only one of C and C++ is compiled in, it reads all headers.
            Some("h") => {
                let (likely, other) =
                    if says_cpp(first_bytes) { ("hpp", "c") } else { ("c", "hpp") };
                Self::by_extension(likely).or_else(|| Self::by_extension(other))
            }
            Some(extension) => Self::by_extension(extension).or_else(|| Self::by_name(name)),
            None => Self::by_name(name).or_else(|| Self::by_interpreter(first_bytes)),
        }
    }

    fn by_extension(extension: &str) -> Option<Self> {
        match extension {
            #[cfg(feature = "lang-python")]
            "py" | "pyi" | "pyw" => Some(Self::Python),
            #[cfg(feature = "lang-rust")]
            "rs" => Some(Self::Rust),
            #[cfg(feature = "lang-typescript")]
            "ts" | "mts" | "cts" => Some(Self::TypeScript),
            #[cfg(feature = "lang-typescript")]
            "tsx" => Some(Self::Tsx),
            #[cfg(feature = "lang-javascript")]
            "js" | "mjs" | "cjs" | "jsx" => Some(Self::JavaScript),
            #[cfg(feature = "lang-go")]
            "go" => Some(Self::Go),
            #[cfg(feature = "lang-java")]
            "java" => Some(Self::Java),
            #[cfg(feature = "lang-c")]
            "c" => Some(Self::C),
            #[cfg(feature = "lang-cpp")]
            "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "ipp" | "inl" | "tpp" => {
                Some(Self::Cpp)
            }
            #[cfg(feature = "lang-ruby")]
            "rb" | "rake" | "gemspec" | "ru" => Some(Self::Ruby),
            #[cfg(feature = "lang-php")]
            "php" | "phtml" => Some(Self::Php),
            #[cfg(feature = "lang-csharp")]
            "cs" => Some(Self::CSharp),
            #[cfg(feature = "lang-bash")]
            "sh" | "bash" | "bats" => Some(Self::Bash),
            _ => None,
        }
    }

    fn by_name(name: &str) -> Option<Self> {
        match name {
            #[cfg(feature = "lang-ruby")]
            "Rakefile" | "Gemfile" | "Vagrantfile" | "Podfile" | "Fastfile" => Some(Self::Ruby),
            #[cfg(feature = "lang-bash")]
            ".bashrc" | ".bash_profile" | ".profile" | "PKGBUILD" => Some(Self::Bash),
            _ => None,
        }
    }

    fn by_interpreter(first_bytes: &[u8]) -> Option<Self> {
        let line = first_bytes.strip_prefix(b"#!")?;
        let line = line.split(|byte| *byte == b'\n').next()?;
        let line = std::str::from_utf8(line).ok()?;
        let program = line.split_ascii_whitespace().find_map(|word| {
            let word = word.rsplit('/').next().unwrap_or(word);
            (word != "env" && !word.starts_with('-') && !word.contains('=')).then_some(word)
        })?;
        match program.trim_end_matches(|part: char| part.is_ascii_digit() || part == '.') {
            #[cfg(feature = "lang-python")]
            "python" | "pypy" => Some(Self::Python),
            #[cfg(feature = "lang-javascript")]
            "node" | "bun" => Some(Self::JavaScript),
            #[cfg(feature = "lang-typescript")]
            "deno" | "ts-node" | "tsx" => Some(Self::TypeScript),
            #[cfg(feature = "lang-ruby")]
            "ruby" => Some(Self::Ruby),
            #[cfg(feature = "lang-php")]
            "php" => Some(Self::Php),
            #[cfg(feature = "lang-bash")]
            "bash" | "sh" | "dash" | "ksh" | "zsh" | "bats" => Some(Self::Bash),
            _ => None,
        }
    }

    /// Returns its usual name.
    pub fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "lang-python")]
            Self::Python => "Python",
            #[cfg(feature = "lang-rust")]
            Self::Rust => "Rust",
            #[cfg(feature = "lang-typescript")]
            Self::TypeScript => "TypeScript",
            #[cfg(feature = "lang-typescript")]
            Self::Tsx => "TSX",
            #[cfg(feature = "lang-javascript")]
            Self::JavaScript => "JavaScript",
            #[cfg(feature = "lang-go")]
            Self::Go => "Go",
            #[cfg(feature = "lang-java")]
            Self::Java => "Java",
            #[cfg(feature = "lang-c")]
            Self::C => "C",
            #[cfg(feature = "lang-cpp")]
            Self::Cpp => "C++",
            #[cfg(feature = "lang-ruby")]
            Self::Ruby => "Ruby",
            #[cfg(feature = "lang-php")]
            Self::Php => "PHP",
            #[cfg(feature = "lang-csharp")]
            Self::CSharp => "C#",
            #[cfg(feature = "lang-bash")]
            Self::Bash => "Bash",
        }
    }
}

/// Returns true if a header contains something that only C++ has.
fn says_cpp(first_bytes: &[u8]) -> bool {
    let signs: [&[u8]; 7] =
        [b"namespace ", b"template", b"class ", b"::", b"public:", b"private:", b"constexpr "];
    let lines = first_bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut code = lines.filter(|line| {
        !line.starts_with(b"//") && !line.starts_with(b"*") && !line.starts_with(b"/*")
    });
    code.any(|line| signs.iter().any(|sign| memchr::memmem::find(line, sign).is_some()))
}

impl fmt::Display for SourceLanguage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(all(
    test,
    feature = "lang-python",
    feature = "lang-c",
    feature = "lang-cpp",
    feature = "lang-bash"
))]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, first_bytes: &str, want: Option<SourceLanguage>) {
        assert_eq!(SourceLanguage::of(Path::new(path), first_bytes.as_bytes()), want, "{path}");
    }

    #[test]
    fn a_file_is_known_by_its_extension() {
        check("a/b.py", "", Some(SourceLanguage::Python));
        check("a/b.hpp", "", Some(SourceLanguage::Cpp));
        check("a/b.txt", "", None);
        check("README", "", None);
    }

    #[test]
    fn a_script_is_known_by_its_interpreter() {
        check("bin/run", "#!/usr/bin/env python3.12\n", Some(SourceLanguage::Python));
        check("bin/run", "#!/usr/bin/env -S FOO=1 bash -e\n", Some(SourceLanguage::Bash));
        check("bin/run", "#!/bin/sh\n", Some(SourceLanguage::Bash));
        check("bin/run", "\x7fELF", None);
    }

    #[test]
    fn a_header_is_cpp_only_if_it_says_so() {
        check("a.h", "// a class of things\nint f(void);\n", Some(SourceLanguage::C));
        check("a.h", "namespace a {\n", Some(SourceLanguage::Cpp));
    }
}
