//! A plain table: columns padded with spaces, numbers to the right.

/// Rows under a header, printed with aligned columns.
#[derive(Debug)]
pub(crate) struct TextTable {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

#[derive(Clone, Copy)]
enum Align {
    Left,
    Right,
}

impl TextTable {
    /// Makes an empty table; the header fixes the number of columns.
    pub(crate) fn new(header: &[&str]) -> Self {
        Self { header: header.iter().map(|&cell| cell.to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row. Missing cells are empty, cells beyond the header are dropped.
    pub(crate) fn row<Cell: Into<String>>(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut row: Vec<String> = cells.into_iter().map(Into::into).collect();
        row.resize(self.header.len(), String::new());
        self.rows.push(row);
    }

    /// Renders the table without a final line break.
    ///
    /// A column of numbers is aligned to the right, with its header. No line ends with
    /// white space.
    pub(crate) fn render(&self) -> String {
        let columns: Vec<(Align, usize)> =
            (0..self.header.len()).map(|column| self.shape(column)).collect();
        let lines: Vec<String> = std::iter::once(&self.header)
            .chain(&self.rows)
            .map(|row| render_row(row, &columns))
            .collect();
        lines.join("\n")
    }

    fn shape(&self, column: usize) -> (Align, usize) {
        let cells = || self.rows.iter().map(|row| row[column].as_str());
        let filled = cells().filter(|cell| !cell.is_empty()).count();
        let numbers = cells().filter(|cell| is_number(cell)).count();
        let align = if filled > 0 && filled == numbers { Align::Right } else { Align::Left };
        let width = cells()
            .chain([self.header[column].as_str()])
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0);
        (align, width)
    }
}

fn render_row(row: &[String], columns: &[(Align, usize)]) -> String {
    let cells: Vec<String> = row
        .iter()
        .zip(columns)
        .map(|(cell, &(align, width))| match align {
            Align::Left => format!("{cell:<width$}"),
            Align::Right => format!("{cell:>width$}"),
        })
        .collect();
    cells.join("  ").trim_end().to_owned()
}

fn is_number(cell: &str) -> bool {
    cell.strip_suffix('%').unwrap_or(cell).replace(',', "").parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_to_the_right_with_their_header() {
        let mut table = TextTable::new(&["step", "seconds"]);
        table.row(["fmt", "0.4"]);
        table.row(["clippy", "1,012.7"]);
        assert_eq!(table.render(), "step    seconds\nfmt         0.4\nclippy  1,012.7");
    }

    #[test]
    fn a_column_with_one_word_in_it_stays_left() {
        let mut table = TextTable::new(&["name", "p95", "note"]);
        table.row(["a", "10", "x"]);
        table.row(["bb", "none", ""]);
        assert_eq!(table.render(), "name  p95   note\na     10    x\nbb    none");
    }

    #[test]
    fn empty_cells_do_not_decide_the_alignment() {
        let mut table = TextTable::new(&["n", "count"]);
        table.row(["a", ""]);
        table.row(["b", "7"]);
        assert_eq!(table.render(), "n  count\na\nb      7");
    }

    #[test]
    fn a_table_without_rows_is_its_header() {
        assert_eq!(TextTable::new(&["name", "ms"]).render(), "name  ms");
    }

    #[test]
    fn short_rows_are_filled_and_long_ones_cut() {
        let mut table = TextTable::new(&["a", "b"]);
        table.row(["1"]);
        table.row(["2", "3", "4"]);
        assert_eq!(table.render(), "a  b\n1\n2  3");
    }

    #[test]
    fn width_counts_characters_and_not_bytes() {
        let mut table = TextTable::new(&["이름", "n"]);
        table.row(["é", "1"]);
        assert_eq!(table.render(), "이름  n\né   1");
    }
}
