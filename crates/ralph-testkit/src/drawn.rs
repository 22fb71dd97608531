//! Replays terminal output to find text that was on the screen, even briefly.
//!
//! A program draws only changes, so its output is not plain text. This follows
//! the cursor as far as full-screen programs need it.

/// The number of characters that fit on a screen.
#[derive(Clone, Copy)]
pub(crate) struct ScreenSize {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

/// A screen, row by row; the second half of a wide character is `None`.
struct Screen {
    rows: Vec<Vec<Option<char>>>,
    row: usize,
    column: usize,
}

/// Returns true if a text was ever in a row of a screen of this size.
pub(crate) fn was_shown(drawn: &[u8], size: ScreenSize, text: &str) -> bool {
    let Some(last) = text.chars().next_back() else { return true };
    let (mut screen, drawn) = (Screen::new(size), String::from_utf8_lossy(drawn));
    let mut rest = drawn.chars();
    loop {
        let row = screen.row;
        let drawn = screen.step(&mut rest);
        // The end of the text may be there already, so a row is also checked
        // when the cursor leaves it.
        let is_left = screen.row != row || drawn.is_none();
        if (is_left || drawn == Some(last)) && screen.line(row).contains(text) {
            return true;
        }
        if drawn.is_none() {
            return false;
        }
    }
}

/// Returns the last matching screen after this many bytes, just before it
/// changed; `None` if none matched. It may have been wiped since.
pub(crate) fn screen_like(
    drawn: &[u8],
    since: usize,
    size: ScreenSize,
    wanted: impl Fn(&str) -> bool,
) -> Option<String> {
    /// Number of characters drawn between two checks.
    const STEPS: usize = 500;
    let (before, after) = drawn.split_at(since.min(drawn.len()));
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let mut screen = Screen::new(size);
    let mut rest = before.chars();
    while screen.step(&mut rest).is_some() {}
    let (mut rest, mut steps, mut found) = (after.chars(), 0, None);
    while screen.step(&mut rest).is_some() {
        steps += 1;
        if steps % STEPS != 0 && !rest.as_str().is_empty() {
            continue;
        }
        let shown = screen.text();
        match (wanted(&shown), &found) {
            (true, _) => found = Some(shown),
            (false, Some(_)) => break,
            (false, None) => {}
        }
    }
    found
}

impl Screen {
    fn new(ScreenSize { columns, rows }: ScreenSize) -> Self {
        Self { rows: vec![vec![Some(' '); columns]; rows], row: 0, column: 0 }
    }

    /// Draws the next character, or executes it; `None` at the end.
    fn step(&mut self, rest: &mut std::str::Chars<'_>) -> Option<char> {
        let c = rest.next()?;
        match c {
            '\u{1b}' => self.obey(rest),
            '\r' => self.column = 0,
            '\n' => self.row = (self.row + 1).min(self.rows.len() - 1),
            '\u{8}' => self.column = self.column.saturating_sub(1),
            c if c.is_control() => {}
            c => self.put(c),
        }
        Some(c)
    }

    fn text(&self) -> String {
        let lines = self.rows.iter().map(|row| row.iter().flatten().collect::<String>());
        lines.map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    fn put(&mut self, c: char) {
        let width = if is_wide(c) { 2 } else { 1 };
        let cells = self.rows[self.row].iter_mut().skip(self.column).take(width);
        for (cell, half) in cells.zip([Some(c), None]) {
            *cell = half;
        }
        self.column += width;
    }

    fn line(&self, row: usize) -> String {
        self.rows[row].iter().flatten().collect()
    }

    /// Executes an escape sequence, as far as it moves the cursor or wipes
    /// something.
    fn obey(&mut self, rest: &mut std::str::Chars<'_>) {
        match rest.next() {
            Some('[') => {}
            // Titles, answers and similar sequences end with a bell or an
            // escape.
            Some(']' | 'P' | '_' | '^') => {
                let is_end = |c: &char| matches!(c, '\u{7}' | '\u{1b}');
                if rest.find(is_end) == Some('\u{1b}') {
                    rest.next();
                }
                return;
            }
            Some(_) | None => return,
        }
        let mut words = String::new();
        let Some(verb) = rest.find(|c| {
            let is_verb = ('@'..='~').contains(c);
            if !is_verb {
                words.push(*c);
            }
            is_verb
        }) else {
            return;
        };
        let number = |at: usize| words.split(';').nth(at)?.parse::<usize>().ok();
        let first = number(0).unwrap_or(1).max(1);
        let (height, width) = (self.rows.len(), self.rows[0].len());
        match verb {
            'H' | 'f' => {
                self.row = first - 1;
                self.column = number(1).unwrap_or(1).max(1) - 1;
            }
            'A' => self.row = self.row.saturating_sub(first),
            'B' => self.row += first,
            'C' => self.column += first,
            'D' => self.column = self.column.saturating_sub(first),
            'G' => self.column = first - 1,
            'd' => self.row = first - 1,
            'J' => self.rows = vec![vec![Some(' '); width]; height],
            'K' => self.rows[self.row].iter_mut().skip(self.column).for_each(|c| *c = Some(' ')),
            _ => {}
        }
        self.row = self.row.min(height - 1);
        self.column = self.column.min(width - 1);
    }
}

fn is_wide(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}'
        | '\u{1f300}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: ScreenSize = ScreenSize { columns: 20, rows: 5 };

    fn shows(drawn: &str, text: &str) -> bool {
        was_shown(drawn.as_bytes(), SMALL, text)
    }

    #[test]
    fn what_was_shown_is_found_although_it_was_wiped() {
        assert!(shows("\u{1b}[2;3Hhello \u{1b}[1mworld\u{1b}[0m\u{1b}[2J", "hello world"));
        assert!(!shows("hello\r\nworld", "hello world"));
        assert!(!shows("\u{1b}]0;hello\u{7}world", "hello"));
    }

    #[test]
    fn a_screen_that_is_gone_is_found_as_a_whole_unless_it_was_there_before() {
        let box_of = "\u{1b}[2;3Hdone after\u{1b}[3;3H2 turns";
        let drawn = format!("{box_of}{}\u{1b}[2J{}", "\u{1b}[1m".repeat(500), ".".repeat(600));
        let is_done = |screen: &str| screen.contains("done");
        let found = screen_like(drawn.as_bytes(), 0, SMALL, is_done);
        assert_eq!(found.as_deref(), Some("\n  done after\n  2 turns\n\n\n"));
        assert_eq!(screen_like(drawn.as_bytes(), drawn.len() - 9, SMALL, is_done), None);
    }

    #[test]
    fn what_was_there_already_and_is_skipped_counts() {
        assert!(shows("\u{1b}[1;1H가 나\u{1b}[1;1H다\u{1b}[1;4H라", "다 라"));
        assert!(shows("a b\u{1b}[1;1Hc\u{1b}[Cd", "c d"));
        let end = "go on\u{1b}[1;1Hcom\u{1b}[2;1Hx\u{1b}[1;1Hgone";
        assert!(shows(end, "comon") && !shows(end, "come"));
    }
}
