//! A shell script, as far as its plain commands can be told without a shell.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

/// Words that stand before a command and are none.
const KEYWORDS: [&str; 6] = ["then", "do", "else", "{", "(", "@"];

/// The commands after `||` that turn the failure of the command before into success.
const FORGIVES: [&str; 3] = ["true", ":", "exit 0"];

/// The maximum number of times that variables are replaced in a line.
const DEPTH: usize = 4;

/// The plain values of variables that a text sets.
#[derive(Debug, Default)]
pub(super) struct ScriptVariables(BTreeMap<String, String>);

/// The commands of a script, word by word, without the variables that are set
/// for them. Commands that may fail, or have to, are left out.
pub(super) fn simple_commands(script: &str, variables: &ScriptVariables) -> Vec<Vec<String>> {
    let script = script.replace("\\\n", " ");
    let mut found = Vec::new();
    for line in script.lines() {
        let line = variables.put_into(line);
        let parts = split(&line);
        for (index, (text, operator)) in parts.iter().enumerate() {
            let next = parts.get(index + 1).map_or("", |(next, _)| next.trim());
            let is_forgiven = *operator == "||" && FORGIVES.contains(&next);
            if is_forgiven || (index > 0 && parts[index - 1].1 == "||") {
                continue;
            }
            found.extend(command(text));
        }
    }
    found
}

/// The words of one command; `None` if it proves nothing when it passes.
fn command(text: &str) -> Option<Vec<String>> {
    // A leading minus lets a recipe of make fail.
    let text = text.trim().trim_start_matches(['@', '+']);
    if text.is_empty() || text.starts_with(['-', '!']) {
        return None;
    }
    let words = ralph_proc::split_words(text).ok()?;
    let skipped = |word: &String| KEYWORDS.contains(&word.as_str()) || is_assignment(word);
    let words: Vec<String> = words.into_iter().skip_while(skipped).collect();
    let first = words.first()?;
    let forgiven = words.iter().any(|word| word == "--exit-zero");
    let condition = ["if", "while", "[", "[[", "test", "export", "echo"].contains(&first.as_str());
    (!forgiven && !condition).then_some(words)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
}

/// A line in parts, each with the operator behind it. Comments are left out.
pub(in crate::detect) fn split(line: &str) -> Vec<(String, &'static str)> {
    let (mut parts, mut part, mut quote) = (Vec::new(), String::new(), None);
    let mut rest = line.chars().peekable();
    while let Some(next) = rest.next() {
        match (quote, next) {
            (None, '\'' | '"') => quote = Some(next),
            (Some(open), _) if open == next => quote = None,
            (None, '#') if part.is_empty() || part.ends_with(char::is_whitespace) => break,
            (None, '&' | '|' | ';') => {
                let operator = match (next, rest.peek()) {
                    ('&', Some('&')) => "&&",
                    ('|', Some('|')) => "||",
                    ('|', _) => "|",
                    // `2>&1` is no end of a command.
                    ('&', _) if part.ends_with('>') => "",
                    (_, _) => ";",
                };
                if operator.len() == 2 {
                    rest.next();
                }
                if operator.is_empty() {
                    part.push(next);
                } else {
                    parts.push((std::mem::take(&mut part), operator));
                }
                continue;
            }
            (_, _) => {}
        }
        part.push(next);
    }
    parts.push((part, ""));
    parts
}

impl ScriptVariables {
    /// Those that are set on lines of their own. The first value counts: later
    /// ones are mostly for special cases.
    pub(super) fn of(text: &str) -> Self {
        let mut variables = BTreeMap::new();
        for line in text.lines() {
            let line = line.trim();
            let line = line.strip_prefix("export ").unwrap_or(line);
            let Some((name, value)) = line.split_once('=') else { continue };
            let name = name.trim_end_matches([':', '?', '+']).trim();
            let value = value.trim().trim_matches(['"', '\'']);
            let is_list =
                value.contains(['&', '|', ';', '`', '<', '>']) || value.contains("$(shell");
            if is_name(name) && !is_list {
                variables.entry(name.to_owned()).or_insert_with(|| value.to_owned());
            }
        }
        Self(variables)
    }

    /// A line with the values of variables in place of their names.
    fn put_into(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for _ in 0..DEPTH {
            let next = self.put_once(&line);
            if next == line {
                break;
            }
            line = next;
        }
        line
    }

    fn put_once(&self, line: &str) -> String {
        let mut out = String::new();
        let mut rest = line.chars().peekable();
        while let Some(next) = rest.next() {
            if next != '$' {
                out.push(next);
                continue;
            }
            let written = variable(&mut rest);
            let name = written.trim_matches(['{', '}', '(', ')']);
            if let Some(value) = self.0.get(name) {
                out.push_str(value);
            } else {
                out.push('$');
                out.push_str(&written);
            }
        }
        out
    }
}

/// The name of a variable as it is written, with what is around it.
fn variable(rest: &mut Peekable<Chars<'_>>) -> String {
    let mut written = String::new();
    let close = match rest.peek() {
        Some('{') => Some('}'),
        Some('(') => Some(')'),
        _ => None,
    };
    written.extend(close.and_then(|_| rest.next()));
    while let Some(next) = rest.next_if(|it| is_name(&it.to_string())) {
        written.push(next);
    }
    if close.is_some() {
        written.extend(rest.next_if(|it| Some(*it) == close));
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(script: &str, want: &[&str]) {
        let found: Vec<String> = simple_commands(script, &ScriptVariables::of(script))
            .iter()
            .map(|words| words.join(" "))
            .collect();
        assert_eq!(found, want, "{script}");
    }

    #[test]
    fn commands_are_told_from_what_stands_around_them() {
        check(
            "A=1 B=x pytest -q && mypy src # all\nruff check .; ls",
            &["pytest -q", "mypy src", "ruff check .", "ls"],
        );
        check("if [ -d venv ]; then make test; fi", &["make test", "fi"]);
        check("\t@go test ./... \\\n  -v", &["go test ./... -v"]);
        check("eslint 'a && b' 2>&1", &["eslint a && b 2>&1"]);
    }

    #[test]
    fn commands_that_may_fail_prove_nothing() {
        check("mypy . || true\n! bats failing\n-rm -f x\nflake8 --exit-zero\npytest", &["pytest"]);
        check("cmake .. || (rm -rf x && cmake ..)", &["cmake ..", "cmake ..)"]);
    }

    #[test]
    fn variables_of_the_same_text_are_put_in() {
        check(
            "export PREFIX=\"\"\nPREFIX=venv/bin/\nFILES=\"a b\"\n${PREFIX}mypy $FILES",
            &["mypy a b"],
        );
        check(
            "v=~/x\npython=$(v)/bin/python\n$(python) -m unittest",
            &["~/x/bin/python -m unittest"],
        );
        check("A=$A\n$A x $AB ${{ matrix.y }}", &["$A x $AB ${{ matrix.y }}"]);
    }
}
