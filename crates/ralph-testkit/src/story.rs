//! Records the input and output of a terminal session, step by step, as text
//! beside the test.
//!
//! The whole screen of a client changes with its versions. A story records the
//! input, and of the screen only the paragraphs that a step waits for.

use std::fmt::Write;
use std::path::Path;

use crate::{Terminal, TestProject, golden, tools_path};

/// The shell prompt at the start of a story.
pub(crate) const PROMPT: &str = "$";

/// A user at a terminal, and the record of the session.
pub struct TerminalSession<'a> {
    terminal: Terminal<'a>,
    project: &'a TestProject,
    account: String,
    steps: usize,
}

impl<'a> TerminalSession<'a> {
    pub(crate) fn new(project: &'a TestProject, terminal: Terminal<'a>) -> Self {
        terminal.until(|screen| last_line(screen) == PROMPT);
        Self { terminal, project, account: String::new(), steps: 0 }
    }

    /// Types a line in the shell, and records all its output.
    #[track_caller]
    pub fn runs(&mut self, line: &str) -> &mut Self {
        self.terminal.types(line).presses("Enter");
        let typed = format!("{PROMPT} {line}");
        self.terminal.until(|_| {
            let screen = self.terminal.scrolled();
            last_line(&screen) == PROMPT && screen.lines().any(|shown| shown.trim_end() == typed)
        });
        let screen = self.terminal.scrolled();
        let printed: Vec<&str> = screen.lines().map(str::trim_end).collect();
        let start = printed.iter().rposition(|shown| *shown == typed).map_or(0, |at| at + 1);
        let printed = printed[start..].iter().copied().filter(|line| !line.is_empty());
        let printed: Vec<String> = printed.filter(|line| *line != PROMPT).map(Into::into).collect();
        self.keep(&typed, &printed);
        self
    }

    /// Types a line in the shell that starts a client, which then shows this.
    #[track_caller]
    pub fn starts(&mut self, line: &str, shows: &str) -> &mut Self {
        self.terminal.types(line).presses("Enter").until_shows(shows);
        self.keep(&format!("{PROMPT} {line}"), &[]);
        self
    }

    /// Types a line in the client, and records the paragraph with this text.
    #[track_caller]
    pub fn enters(&mut self, line: &str, shows: &str) -> &mut Self {
        self.sends(line);
        self.sees_after(&format!("> {line}"), shows)
    }

    /// Types a line in the client without waiting for a result.
    #[track_caller]
    pub fn types(&mut self, line: &str) -> &mut Self {
        self.sends(line);
        self.keep(&format!("> {line}"), &[]);
        self
    }

    #[track_caller]
    fn sends(&self, line: &str) {
        let end = line.char_indices().rev().nth(7).map_or(line, |(at, _)| &line[at..]);
        // A line sent before its end is drawn may be cut off. After a blank no
        // completion is proposed.
        self.terminal.types(line).until_shows(end).types(" ").presses("Enter");
    }

    /// Presses a key, and records the paragraph with this text.
    #[track_caller]
    pub fn presses(&mut self, key: &str, shows: &str) -> &mut Self {
        self.terminal.presses(key);
        self.sees_after(&format!("[{key}]"), shows)
    }

    /// Records the paragraph with this text, without any input.
    #[track_caller]
    pub fn sees(&mut self, shows: &str) -> &mut Self {
        self.sees_after("(waits)", shows)
    }

    #[track_caller]
    fn sees_after(&mut self, done: &str, shows: &str) -> &mut Self {
        let screen = self.terminal.until_was(|screen| flat(screen).contains(shows));
        let found = paragraph(&screen, shows);
        assert!(!found.is_empty(), "after {done} the screen does not show `{shows}`:\n{screen}");
        self.keep(done, &found);
        self
    }

    /// Returns the terminal.
    pub fn terminal(&self) -> &Terminal<'a> {
        &self.terminal
    }

    /// Exits a client by this line, back to the shell.
    #[track_caller]
    pub fn leaves(&mut self, line: &str) -> &mut Self {
        self.terminal.types(line).until_shows(line).presses("Enter");
        self.terminal.until(|screen| last_line(screen) == PROMPT);
        self.keep(&format!("> {line}"), &[]);
        self
    }

    /// Exits a client by this key, back to the shell.
    #[track_caller]
    pub fn leaves_by(&mut self, key: &str) -> &mut Self {
        self.terminal.presses(key);
        self.terminal.until(|screen| last_line(screen) == PROMPT);
        self.keep(&format!("[{key}]"), &[]);
        self
    }

    fn keep(&mut self, done: &str, shown: &[String]) {
        self.steps += 1;
        let _ = writeln!(self.account, "{:>2}. {}", self.steps, self.plain(done));
        for line in shown {
            let _ = writeln!(self.account, "    {}", self.plain(line));
        }
    }

    /// Replaces the parts of a text that differ between runs.
    fn plain(&self, text: &str) -> String {
        let root = self.project.root();
        let binary = self.project.binary().display().to_string();
        let mut text = text.replace(&root.display().to_string(), "PROJECT");
        for folder in std::env::split_paths(&tools_path()) {
            text = text.replace(&format!(" {}/", folder.display()), " TOOLS/");
        }
        golden::plain(&text.replace(&binary, "RALPH"))
    }

    /// Returns the number of steps.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Compares the record with the one in this file.
    #[track_caller]
    pub fn is_as_kept(&self, file: &Path) {
        golden::check(file, &self.account);
    }
}

/// Returns the last line that is not empty.
fn last_line(screen: &str) -> &str {
    screen.lines().map(str::trim_end).rfind(|line| !line.is_empty()).unwrap_or_default()
}

/// Returns a screen without its line breaks.
fn flat(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the lines of the last paragraph of a screen that has this text.
fn paragraph(screen: &str, text: &str) -> Vec<String> {
    let mut paragraphs = vec![Vec::new()];
    // Permanent parts of the screen come before a temporary box.
    for line in &panes(screen) {
        let line = bare(line);
        if (line.is_empty() || begins(line)) && paragraphs.last().is_some_and(|l| !l.is_empty()) {
            paragraphs.push(Vec::new());
        }
        if !line.is_empty()
            && let Some(last) = paragraphs.last_mut()
        {
            last.push(line);
        }
    }
    let has_text = |lines: &&Vec<&str>| flat(&lines.join(" ")).contains(text);
    let found = paragraphs.iter().rev().find(has_text);
    found.into_iter().flatten().map(|line| (*line).to_owned()).collect()
}

/// Returns the lines of a box over the right side of a screen, then those of
/// the screen.
fn panes(screen: &str) -> Vec<&str> {
    fn boxed(line: &str) -> Option<(&str, &str)> {
        let inner = line.trim_end().strip_suffix('┃')?;
        let at = inner.rfind('┃').filter(|at| *at > 0)?;
        Some((&line[..at], &line[at..]))
    }
    let split = screen.lines().map(|line| boxed(line).unwrap_or((line, "")));
    let (left, right): (Vec<&str>, Vec<&str>) = split.unzip();
    [right, vec![""], left].concat()
}

/// Returns true if a line is the first of a paragraph.
fn begins(line: &str) -> bool {
    line.starts_with(['●', '❯', '⎿', '╭', '─', '✻', '⏺'])
}

/// Returns a line without the frame around it.
fn bare(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || ('\u{2500}'..='\u{257f}').contains(&c))
}
