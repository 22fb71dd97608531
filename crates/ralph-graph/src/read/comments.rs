//! Extracts signatures and documentation of definitions from the text alone.

/// Kinds of comments that document the definition below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocCommentStyle {
    /// Lines with `#`.
    Hash,
    /// `///` and `/** */`.
    MarkedSlashes,
    /// Any comment with slashes.
    Slashes,
}

/// Maximum length of a signature or a line of documentation, in bytes.
const LONGEST: usize = 240;

/// Maximum number of lines searched above a definition.
const MOST_LINES: usize = 200;

/// Returns a signature on one line, without the opening of the body.
pub(crate) fn signature(text: &[u8]) -> Box<str> {
    let text = text.get(..text.len().min(LONGEST * 4)).unwrap_or_default();
    let text = String::from_utf8_lossy(text);
    // If a signature spans several lines, no space follows or precedes its
    // brackets.
    let wrapped = text.contains('\n');
    let mut line = String::with_capacity(text.len().min(LONGEST));
    for word in text.split_ascii_whitespace() {
        let close = wrapped && (line.ends_with(['(', '[']) || word.starts_with([')', ']', ',']));
        if !line.is_empty() && !close {
            line.push(' ');
        }
        if wrapped && word.starts_with([')', ']']) && line.ends_with(',') {
            line.pop();
        }
        line.push_str(word);
        if line.len() > LONGEST {
            break;
        }
    }
    let line = line.trim_end_matches("=>").trim_end_matches(['{', ':', '=', ' ', ';', ',']);
    shortened(line).into()
}

/// Returns the first line of a longer text.
pub(crate) fn first_line(text: &[u8]) -> &[u8] {
    let end = memchr::memchr2(b'\n', b'\r', text).unwrap_or(text.len());
    &text[..end]
}

fn shortened(line: &str) -> &str {
    if line.len() <= LONGEST {
        return line;
    }
    let end = (0..=LONGEST).rev().find(|end| line.is_char_boundary(*end));
    &line[..end.unwrap_or(0)]
}

/// Returns the first line of the comment directly above a byte.
pub(crate) fn above(source: &[u8], start: usize, comments: DocCommentStyle) -> Option<Box<str>> {
    let mut top = line_start(source, start);
    let bottom = top;
    for _ in 0..MOST_LINES {
        if top == 0 {
            break;
        }
        let line_start = line_start(source, top - 1);
        let line = source[line_start..top].trim_ascii();
        if comments.is_line(line) {
            top = line_start;
        } else if top == bottom && line.ends_with(b"*/") && comments != DocCommentStyle::Hash {
            let opening = memchr::memmem::rfind(&source[..top], b"/*")?;
            let marked = source[opening..top].starts_with(b"/**");
            if comments == DocCommentStyle::MarkedSlashes && !marked {
                return None;
            }
            let before = &source[self::line_start(source, opening)..opening];
            return before.trim_ascii().is_empty().then(|| first_said(&source[opening..top]))?;
        } else {
            break;
        }
    }
    first_said(&source[top..bottom])
}

impl DocCommentStyle {
    fn is_line(self, line: &[u8]) -> bool {
        let hash =
            || line.starts_with(b"#") && !line.starts_with(b"#!") && !line.starts_with(b"#[");
        match self {
            Self::Hash => hash(),
            Self::MarkedSlashes => line.starts_with(b"///") && !line.starts_with(b"////"),
            Self::Slashes => line.starts_with(b"//"),
        }
    }
}

fn line_start(source: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &source[..at]).map_or(0, |newline| newline + 1)
}

/// Returns the first line of a comment or string that has words.
pub(crate) fn first_said(text: &[u8]) -> Option<Box<str>> {
    for line in text.split(|byte| *byte == b'\n').take(MOST_LINES) {
        let line = String::from_utf8_lossy(line.get(..line.len().min(LONGEST * 4))?);
        let line =
            line.trim().trim_end_matches("*/").trim_start_matches(['/', '*', '#', '!']).trim();
        let line = without_tags(line);
        if line.chars().any(char::is_alphanumeric) {
            return Some(shortened(&line).into());
        }
    }
    None
}

/// Returns a line of XML documentation without its outer tags.
fn without_tags(line: &str) -> String {
    let mut line = line;
    for tag in ["<summary>", "</summary>", "<p>", "<para>", "</para>", "<remarks>"] {
        line = line.strip_prefix(tag).unwrap_or(line).trim();
        line = line.strip_suffix(tag).unwrap_or(line).trim();
    }
    line.to_owned()
}
