//! Wraps and cuts lines to fit a terminal.

use ralph_core::wording::columns;

/// Wraps every line of a text between words to fit this many columns.
///
/// Continued lines are indented a little more. A word that is wider than the terminal
/// stays whole. Colours take no space.
pub(crate) fn wrapped(text: &str, wide: usize) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| wrapped_line(line, wide)).collect();
    lines.join("\n")
}

fn wrapped_line(line: &str, wide: usize) -> String {
    if visible_columns(line) <= wide {
        return line.to_owned();
    }
    let margin = line.len() - line.trim_start_matches(' ').len();
    let indent = " ".repeat((margin + 2).min(wide / 2));
    let (mut out, mut used) = (line[..margin].to_owned(), margin);
    let mut gap = String::new();
    let mut is_first = true;
    for word in line[margin..].split(' ') {
        if word.is_empty() && !is_first {
            gap.push(' ');
            continue;
        }
        let room = columns(&gap) + visible_columns(word);
        if !is_first && used + room > wide {
            out.push('\n');
            out.push_str(&indent);
            used = indent.len() + visible_columns(word);
        } else {
            out.push_str(&gap);
            used += room;
        }
        out.push_str(word);
        " ".clone_into(&mut gap);
        is_first = false;
    }
    out
}

/// Counts the columns of a text on a terminal, without its colours.
pub(crate) fn visible_columns(text: &str) -> usize {
    let mut parts = text.split('\x1b');
    let first = parts.next().map_or(0, columns);
    let rest = parts.map(|part| part.split_once('m').map_or(0, |(_, shown)| columns(shown)));
    first + rest.sum::<usize>()
}

/// Cuts a text to a number of columns.
pub(crate) fn fit(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += columns(c.encode_utf8(&mut [0; 4]));
        if used > most {
            break;
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_never_within() {
        let text = "The agent will tamper with the tests.\nshort";
        let want = "The agent will\n  tamper with\n  the tests.\nshort";
        assert_eq!(wrapped(text, 15), want);
        assert_eq!(wrapped("/a/path/of/its/own and more", 10), "/a/path/of/its/own\n  and more");
        assert_eq!(wrapped(text, 80), text);
    }

    #[test]
    fn an_indented_line_stays_indented() {
        assert_eq!(wrapped("    one two three", 12), "    one two\n      three");
        assert_eq!(wrapped("a  b  cc", 6), "a  b\n  cc", "a row of a table");
    }

    #[test]
    fn colours_take_no_room_and_wide_letters_take_two() {
        let red = "\x1b[31m✗\x1b[0m no";
        assert_eq!((visible_columns(red), wrapped(red, 4)), (4, red.to_owned()));
        assert_eq!(wrapped("가나다 라마", 9), "가나다\n  라마");
        assert_eq!((fit("가나다", 5), fit("abc", 2)), ("가나".to_owned(), "ab".to_owned()));
    }
}
