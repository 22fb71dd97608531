//! The visible part of a text: no terminal codes, no invisible characters.

use std::str::Chars;

/// Removes escape sequences, control and zero-width characters.
///
/// Every kind of line break becomes `\n`; tabs stay. Other white space is left
/// alone, so paragraphs and indentation survive.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(needs_care) {
        out.push_str(&rest[..at]);
        let mut chars = rest[at..].chars();
        match chars.next() {
            Some('\x1b') => skip_escape(&mut chars),
            Some('\u{9b}') => skip_control_sequence(&mut chars),
            Some('\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}') => skip_control_string(&mut chars),
            Some('\r') if chars.as_str().starts_with('\n') => {}
            Some('\r' | '\x0b' | '\x0c' | '\u{85}' | '\u{2028}' | '\u{2029}') => out.push('\n'),
            Some(_) | None => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out
}

fn needs_care(c: char) -> bool {
    match c {
        '\n' | '\t' | ' '..='~' => false,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' => true,
        other => other.is_control(),
    }
}

/// Skips the rest of an escape sequence; an unfinished one swallows no other.
fn skip_escape(chars: &mut Chars<'_>) {
    match chars.clone().next() {
        Some('[') => {
            chars.next();
            skip_control_sequence(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            chars.next();
            skip_control_string(chars);
        }
        Some(_) | None => {
            skip_while(chars, |c| matches!(c, ' '..='/'));
            skip_one(chars, |c| matches!(c, '0'..='~'));
        }
    }
}

fn skip_control_sequence(chars: &mut Chars<'_>) {
    skip_while(chars, |c| matches!(c, '0'..='?'));
    skip_while(chars, |c| matches!(c, ' '..='/'));
    skip_one(chars, |c| matches!(c, '@'..='~'));
}

/// Skips to the string's terminator, but never past a line break: a string
/// left open must not hide the rest of the message.
fn skip_control_string(chars: &mut Chars<'_>) {
    skip_while(chars, |c| !matches!(c, '\x07' | '\x1b' | '\u{9c}' | '\n' | '\r'));
    if chars.as_str().starts_with("\x1b\\") {
        chars.nth(1);
    } else {
        skip_one(chars, |c| matches!(c, '\x07' | '\u{9c}'));
    }
}

fn skip_while(chars: &mut Chars<'_>, skipped: impl Fn(char) -> bool) {
    let rest = chars.as_str();
    *chars = rest.trim_start_matches(skipped).chars();
}

fn skip_one(chars: &mut Chars<'_>, skipped: impl Fn(char) -> bool) {
    if chars.clone().next().is_some_and(skipped) {
        chars.next();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        assert_eq!(plain(text), want, "{text:?}");
    }

    #[test]
    fn terminal_codes_leave_no_trace() {
        check("\x1b[1;32mgreen\x1b[0m", "green");
        check("\u{9b}31mred", "red");
        check("\x1b]0;title\x07text", "text");
        check("\x1b]8;;https://e.x/\x1b\\link\x1b]8;;\x1b\\", "link");
        check("\x1b(Bplain\x1b7", "plain");
        check("\x1bPdcs\x1b\\x", "x");
    }

    #[test]
    fn an_unfinished_code_hides_nothing_after_its_line() {
        check("a\x1b", "a");
        check("a\x1b[31", "a");
        check("a\x1b[\x1b[0mb", "ab");
        check("\x1b]0;title\nbody", "\nbody");
        check("\x1b]0;title\x1b[1mbody", "body");
    }

    #[test]
    fn every_line_break_becomes_one_newline() {
        check("a\r\nb\rc\u{2028}d\x0ce\u{85}f", "a\nb\nc\nd\ne\nf");
    }

    #[test]
    fn invisible_characters_go_and_letters_stay() {
        check("\u{feff}D\u{200b}O\u{2060}NE\0\x08", "DONE");
        check("완료\u{200d} é 🎉\tx", "완료 é 🎉\tx");
    }
}
