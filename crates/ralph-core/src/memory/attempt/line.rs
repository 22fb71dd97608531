//! Reduces a line of code to the parts that are compared.

/// The treatment of numbers and quoted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LiteralHandling {
    /// They are kept.
    Kept,
    /// They are replaced by a mark.
    Dropped,
}

/// Prefixes of a comment.
const COMMENTS: [&str; 5] = ["//", "#", "--", "* ", "/*"];

/// Prefixes that only look like a comment.
const NO_COMMENTS: [&str; 6] = ["#[", "#!", "#include", "#define", "#if", "#end"];

/// Hashes a text; `None` for an empty one.
pub(super) fn digest(text: &str) -> Option<u64> {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, fold);
    (!text.is_empty()).then_some(hash)
}

/// Removes layout and comments from a line.
pub(super) fn skeleton(line: &str, literals: LiteralHandling) -> String {
    let mut kept = String::with_capacity(line.len());
    let mut rest = line.trim();
    if is_comment(rest) {
        return kept;
    }
    while let Some(c) = rest.chars().next() {
        if rest.starts_with(" //") || rest.starts_with(" # ") || rest.starts_with("  #") {
            break;
        }
        let skipped =
            if literals == LiteralHandling::Dropped { literal(rest, &kept) } else { None };
        if let Some((mark, length)) = skipped {
            kept.push(mark);
            rest = &rest[length..];
            continue;
        }
        if !c.is_whitespace() {
            kept.push(c);
        }
        rest = &rest[c.len_utf8()..];
    }
    kept
}

fn is_comment(line: &str) -> bool {
    let begins = |marks: &[&str]| marks.iter().any(|mark| line.starts_with(mark));
    begins(&COMMENTS) && !begins(&NO_COMMENTS)
}

/// Returns the mark for a literal at the start of `text`, and the literal's length.
fn literal(text: &str, before: &str) -> Option<(char, usize)> {
    let first = text.chars().next()?;
    if matches!(first, '"' | '\'' | '`') {
        let end = text[1..].find(first)?;
        return Some(('"', end + 2));
    }
    let follows_word = before.ends_with(|last: char| last.is_alphanumeric() || last == '_');
    if first.is_ascii_digit() && !follows_word {
        let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_');
        return Some(('0', end.unwrap_or(text.len())));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_and_comments_do_not_count() {
        for (line, want) in [
            ("  a = f( x )  # why", "a=f(x)"),
            ("x();  // why", "x();"),
            ("# only a comment", ""),
            ("#[derive(Debug)]", "#[derive(Debug)]"),
            ("", ""),
        ] {
            assert_eq!(skeleton(line, LiteralHandling::Kept), want, "{line}");
        }
    }

    #[test]
    fn numbers_and_quoted_text_can_be_left_out() {
        assert_eq!(skeleton("retry(3, 'now') + x2", LiteralHandling::Dropped), "retry(0,\")+x2");
        assert_eq!(skeleton("it's", LiteralHandling::Dropped), "it's");
    }
}
