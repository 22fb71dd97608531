//! Examples in the documentation of Rust code: they are tests, too.

use std::collections::BTreeMap;
use std::ops::Range;

/// The item that an example belongs to, and its number there.
type ExampleKey<'a> = (&'a str, usize);

/// The code of one version of a file with the examples of another, where both
/// document the same item.
pub(super) fn with_examples_of(code: &str, tests: &str) -> String {
    let own: Vec<&str> = code.split_inclusive('\n').collect();
    let theirs: Vec<&str> = tests.split_inclusive('\n').collect();
    let (here, there) = (examples(&own), examples(&theirs));
    let mut changed: Vec<(Range<usize>, &[&str])> = here
        .into_iter()
        .filter_map(|(key, lines)| Some((lines, &theirs[there.get(&key)?.clone()])))
        .filter(|(lines, other)| own[lines.clone()] != **other)
        .collect();
    changed.sort_by_key(|(lines, _)| lines.start);
    let (mut text, mut kept) = (String::new(), 0);
    for (lines, other) in changed {
        text.push_str(&own[kept..lines.start].concat());
        text.push_str(&other.concat());
        kept = lines.end;
    }
    text.push_str(&own[kept..].concat());
    text
}

/// The lines of every example, its fences included.
fn examples<'a>(lines: &[&'a str]) -> BTreeMap<ExampleKey<'a>, Range<usize>> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut found, mut waiting) = (BTreeMap::new(), Vec::new());
    let mut opened = None;
    let mut add = |item: &'a str, blocks: &mut Vec<Range<usize>>| {
        for block in blocks.drain(..) {
            let number = numbers.entry(item).or_default();
            found.insert((item, *number), block);
            *number += 1;
        }
    };
    for (at, line) in lines.iter().enumerate() {
        let line = line.trim();
        let inner = line.strip_prefix("//!");
        match inner.or_else(|| line.strip_prefix("///")) {
            Some(text) if text.trim_start().starts_with("```") => match opened.take() {
                Some(start) => waiting.push(start..at + 1),
                None => opened = Some(at),
            },
            Some(_) => {}
            None => {
                opened = None;
                if !line.is_empty() && !line.starts_with("#[") && !line.starts_with("//") {
                    add(head(line), &mut waiting);
                }
            }
        }
        if inner.is_some() {
            add("", &mut waiting);
        }
    }
    found
}

/// `pub fn name` of an item.
fn head(line: &str) -> &str {
    line.split(['(', '{', '<', ';', '=', ':']).next().unwrap_or(line).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "//! ```\n//! assert!(a::one());\n//! ```\n\n/// Rounds up.\n///\n/// ```\n\
                         /// assert_eq!(a::up(61), 2);\n/// ```\n#[must_use]\npub fn up(x: u32) -> u32 {\n    \
                         x / 60\n}\n\n/// ```\n/// a::down(1);\n/// ```\npub fn down(x: u32) {}\n";

    #[test]
    fn the_present_code_gets_the_examples_of_the_start() {
        let bent = START.replace("61), 2", "61), 1").replace("a::one()", "true");
        let bent = bent.replace("x / 60", "x / 6");
        assert_eq!(with_examples_of(&bent, START), START.replace("x / 60", "x / 6"));
        let silenced = START.replacen("/// ```\n/// assert", "/// ```ignore\n/// assert", 1);
        assert_eq!(with_examples_of(&silenced, START), START);
    }

    #[test]
    fn examples_follow_the_item_that_they_belong_to() {
        let (first, second) = START.split_at(START.find("/// Rounds").unwrap());
        let (up, down) = second.split_at(second.find("\n/// ```\n/// a::down").unwrap());
        let moved = format!("{first}{down}\n{up}").replace("61), 2", "61), 1");
        assert!(with_examples_of(&moved, START).contains("a::up(61), 2"));
        let renamed = START.replace("fn up", "fn round").replace("a::up(61), 2", "a::round(61), 2");
        assert_eq!(with_examples_of(&renamed, START), renamed);
    }
}
