//! The lines at the bottom of a terminal that are redrawn.

use crate::wrap::{fit, visible_columns};

/// Lines that are drawn and will be removed again.
#[derive(Debug, Default)]
pub(crate) struct LiveRegion {
    /// The width of each line, in columns.
    drawn: Vec<usize>,
}

impl LiveRegion {
    /// Returns the bytes that remove the lines, on a terminal of this width. On a
    /// narrower one a line takes several rows.
    pub(crate) fn wipe(&mut self, wide: usize) -> String {
        let rows: usize = self.drawn.drain(..).map(|one| one.div_ceil(wide.max(1)).max(1)).sum();
        // It goes row by row, since some terminals save a screen that is cleared at once.
        match rows {
            0 => String::new(),
            _ => format!("\r\x1b[2K{}", "\x1b[1A\x1b[2K".repeat(rows - 1)),
        }
    }

    /// Returns the bytes that draw these lines in place of the earlier ones.
    ///
    /// Each line is cut to the width and then coloured by `paint`.
    pub(crate) fn draw(
        &mut self,
        lines: &[String],
        wide: usize,
        paint: impl Fn(usize, &str) -> String,
    ) -> String {
        let mut bytes = self.wipe(wide);
        let cut = lines.iter().map(|line| fit(line.trim_end(), wide.saturating_sub(1).max(20)));
        let cut: Vec<String> = cut.collect();
        let painted: Vec<String> =
            cut.iter().enumerate().map(|(index, line)| paint(index, line)).collect();
        bytes.push_str(&painted.join("\n"));
        self.drawn = cut.iter().map(|line| visible_columns(line)).collect();
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn what_was_drawn_is_taken_away_line_by_line() {
        let mut region = LiveRegion::default();
        assert_eq!(region.wipe(80), "");
        assert_eq!(region.draw(&lines(&["a", "b"]), 80, |_, line| line.to_owned()), "a\nb");
        let again = region.draw(&lines(&["c"]), 80, |_, line| line.to_owned());
        assert_eq!(again, "\r\x1b[2K\x1b[1A\x1b[2Kc");
        assert_eq!((region.wipe(80), region.wipe(80)), ("\r\x1b[2K".to_owned(), String::new()));
    }

    #[test]
    fn a_terminal_that_became_narrower_keeps_nothing() {
        let mut region = LiveRegion::default();
        region.draw(&lines(&[&"x".repeat(70), "y"]), 80, |_, line| line.to_owned());
        // 70 columns are two rows of 40, so the cursor goes up by two.
        assert_eq!(region.wipe(40), "\r\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K");
    }

    #[test]
    fn a_line_is_cut_before_it_is_painted() {
        let mut region = LiveRegion::default();
        let dim = |index: usize, line: &str| format!("<{index}>{line}");
        let drawn = region.draw(&lines(&[&"x".repeat(90)]), 80, dim);
        assert_eq!(drawn, format!("<0>{}", "x".repeat(79)));
    }
}
