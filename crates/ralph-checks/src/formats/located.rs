//! Places in plain text: `file:line:column` and `file(line,column)`.

/// A line of text that begins with a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LocatedLine<'a> {
    /// As printed; it looks like a path.
    pub(super) file: &'a str,
    /// From 1.
    pub(super) line: u32,
    /// As printed.
    pub(super) column: Option<u32>,
    /// The text after the last number or bracket.
    pub(super) rest: &'a str,
}

/// `file:line`, `file:line:column` or `file:line:column:line:column`.
pub(super) fn colons(text: &str) -> Option<LocatedLine<'_>> {
    let at = before_digit(b':', text)?;
    let file = Some(&text[..at]).filter(|file| is_path(file))?;
    let (line, mut rest) = digits(&text[at + 1..])?;
    let mut column = None;
    // The third and fourth number say where it ends.
    for _ in 0..3 {
        let Some((number, after)) = rest.strip_prefix(':').and_then(digits) else { break };
        column = column.or(Some(number));
        rest = after;
    }
    Some(LocatedLine { file, line, column, rest })
}

/// `file(line)` or `file(line,column)`.
pub(super) fn brackets(text: &str) -> Option<LocatedLine<'_>> {
    let at = before_digit(b'(', text)?;
    let file = Some(&text[..at]).filter(|file| is_path(file))?;
    let (line, mut rest) = digits(&text[at + 1..])?;
    let mut column = None;
    for _ in 0..3 {
        let Some((number, after)) = rest.strip_prefix(',').and_then(digits) else { break };
        column = column.or(Some(number));
        rest = after;
    }
    Some(LocatedLine { file, line, column, rest: rest.strip_prefix(')')? })
}

/// True if a place could be in the text at all.
pub(super) fn has_place(text: &str) -> bool {
    let bytes = text.as_bytes();
    // An error without a file has none.
    bytes.starts_with(b"error TS")
        || memchr::memchr2_iter(b':', b'(', bytes)
            .any(|at| bytes.get(at + 1).is_some_and(u8::is_ascii_digit))
}

/// The first place of `mark` that is followed by a digit.
fn before_digit(mark: u8, text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(mark, bytes).find(|at| bytes.get(at + 1).is_some_and(u8::is_ascii_digit))
}

/// A number at the beginning, and the text after it.
pub(super) fn digits(text: &str) -> Option<(u32, &str)> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    // No file has more lines than nine digits can count.
    if end > 9 {
        return None;
    }
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// True if a text is certainly the path of a source file: not a host with its port, a time, a URL,
/// an image with its tag or the words of a sentence.
pub(super) fn is_path(text: &str) -> bool {
    if text.is_empty() || text.len() > 1024 || text.starts_with(' ') || text.ends_with(' ') {
        return false;
    }
    let bytes = text.as_bytes();
    let drive = matches!(bytes, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    let anchored =
        drive || text.starts_with('/') || text.starts_with("./") || text.starts_with("../");
    let inner = if drive { &bytes[2..] } else { bytes };
    let strange = |byte: &u8| match byte {
        b':' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'|' | b'*' | b'?' => true,
        b' ' => !anchored,
        byte => byte.is_ascii_control(),
    };
    if inner.iter().any(strange) {
        return false;
    }
    let (name, nested) = match text.rfind(['/', '\\']) {
        Some(at) => (&text[at + 1..], true),
        None => (text, false),
    };
    if NAMES.contains(&name) {
        return true;
    }
    match extension(name) {
        Some(extension) if is_source(extension) => true,
        Some(extension) => nested && is_word(extension),
        None => false,
    }
}

/// Returns the text after the last dot of a name, unless nothing stands before the dot.
pub(super) fn extension(file: &str) -> Option<&str> {
    let name = file.rsplit(['/', '\\']).next()?;
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension)
}

/// True if it could be an extension: short, and not the end of a version.
fn is_word(extension: &str) -> bool {
    extension.len() <= 10
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Source files without an extension.
const NAMES: &[&str] = &[
    "BUILD",
    "Dockerfile",
    "GNUmakefile",
    "Gemfile",
    "Jenkinsfile",
    "Justfile",
    "Makefile",
    "Rakefile",
    "justfile",
    "makefile",
];

fn is_source(extension: &str) -> bool {
    SOURCES.binary_search(&extension).is_ok()
        || (extension.len() <= 10
            && SOURCES.binary_search(&extension.to_ascii_lowercase().as_str()).is_ok())
}

/// Extensions of source files, in order.
#[rustfmt::skip]
const SOURCES: &[&str] = &[
    "adb", "ads", "asm", "astro", "awk", "bash", "bat", "bzl", "c", "cc", "cfg", "cjs", "clj",
    "cmake", "cpp", "cs", "csproj", "css", "cts", "cu", "cxx", "d", "dart", "el", "elm", "erl",
    "ex", "exs", "f90", "fs", "fsx", "go", "gradle", "graphql", "groovy", "h", "hcl", "hh", "hpp",
    "hrl", "hs", "htm", "html", "hxx", "inc", "ini", "ipp", "ipynb", "java", "jl", "js", "json",
    "json5", "jsonc", "jsx", "ksh", "kt", "kts", "less", "lhs", "lisp", "lua", "m", "md", "mjs",
    "mk", "ml", "mli", "mm", "mod", "mts", "nim", "nix", "pas", "php", "phtml", "pl", "pm",
    "proto", "ps1", "py", "pyi", "pyx", "r", "rake", "rb", "rs", "rst", "s", "sass", "scala",
    "scm", "scss", "sh", "sol", "sql", "sv", "svelte", "swift", "tcl", "tex", "tf", "toml", "tpp",
    "ts", "tsx", "txt", "v", "vb", "vhd", "vue", "wat", "xml", "yaml", "yml", "zig", "zsh",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_what_resembles_them() {
        for path in [
            "a.c",
            "src/a.rs",
            "./a.py",
            "../b/c.ts",
            "/x/my dir/a.c",
            "C:\\x\\a.cs",
            "c:/x/a.h",
            "app/[id]/(group)/page.tsx",
            "+page.svelte",
            "Makefile",
            "x/Dockerfile",
            "x/a.strange",
            "a.test.js",
            "A.R",
            "äöü.py",
        ] {
            assert!(is_path(path), "{path}");
        }
        for other in [
            "",
            "12",
            "2024-01-01T10",
            "10.0.0.1",
            "localhost",
            "example.com",
            "api.example.io",
            "http://x/a.js",
            "docker.io/library/node",
            "see a.c",
            "In file included from a.c",
            "error: a.c",
            "at f (/x/a.js",
            " a.c",
            "a.c ",
            "x/1.2.3",
            "\"a.c\"",
            "thread 'x' a.rs",
            "v1.2",
            ".bashrc",
            "a.",
            "foo.bar",
        ] {
            assert!(!is_path(other), "{other}");
        }
    }

    #[test]
    fn known_extensions_are_in_order_and_their_case_does_not_matter() {
        assert!(SOURCES.is_sorted());
        assert!(is_source("PY") && is_source("f90") && !is_source("com"));
    }

    #[test]
    fn places_are_read_with_one_to_four_numbers() {
        let at = |line, column, rest| Some(LocatedLine { file: "a.py", line, column, rest });
        assert_eq!(colons("a.py:3: x"), at(3, None, ": x"));
        assert_eq!(colons("a.py:3:5: x"), at(3, Some(5), ": x"));
        assert_eq!(colons("a.py:3:5:4:9: x"), at(3, Some(5), ": x"));
        assert_eq!(brackets("a.py(3): x"), at(3, None, ": x"));
        assert_eq!(brackets("a.py(3,5,4,9): x"), at(3, Some(5), ": x"));
        assert_eq!(colons("a.py:12345678901: x"), None);
        assert_eq!(brackets("a.py(3,5: x"), None);
        assert_eq!(colons("a.py: x"), None);
    }
}
