use std::fmt::{self, Display, Write as _};

use freight_core::Region;

pub struct Line {
    pub zone: Region,
    pub cents: u64,
}

impl Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}\t{}.{:02}", self.zone, self.cents / 100, self.cents % 100)
    }
}

pub struct Table<'a> {
    currency: &'a str,
    lines: Vec<Line>,
}

impl<'a> Table<'a> {
    pub fn new(currency: &'a str) -> Self {
        Self { currency, lines: Vec::new() }
    }

    pub fn push(&mut self, line: Line) {
        self.lines.push(line);
    }

    fn render(&self) -> String {
        let mut text = format!("in {}\n", self.currency);
        for line in &self.lines {
            let _ = writeln!(text, "{line}");
        }
        text
    }
}

pub fn print(table: &Table<'_>) {
    print!("{}", table.render());
}
