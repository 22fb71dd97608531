//! Examples in the documentation of Python code: `doctest` runs them.

use std::collections::BTreeMap;
use std::ops::Range;

use ast_grep_language::SupportLang;

use crate::tree::{FlatNodeId, FlatSyntaxTree};

/// The prompt with which an example begins.
pub(super) const PROMPT: &str = ">>>";

/// The code of one version of a file with the documentation of another, where
/// both document the same definition and one of them with examples. `None` if
/// one of them cannot be parsed.
pub(super) fn with_docstrings_of(code: &str, tests: &str) -> Option<String> {
    let (own, theirs) = (docstrings(code)?, docstrings(tests)?);
    let mut changed: Vec<(Range<usize>, &str)> = own
        .into_iter()
        .filter_map(|(name, place)| Some((place, tests.get(theirs.get(&name)?.clone())?)))
        .filter(|(place, other)| {
            let text = &code[place.clone()];
            text != *other && (text.contains(PROMPT) || other.contains(PROMPT))
        })
        .collect();
    changed.sort_by_key(|(place, _)| place.start);
    let (mut text, mut kept) = (String::new(), 0);
    for (place, other) in changed {
        text.push_str(code.get(kept..place.start)?);
        text.push_str(other);
        kept = place.end;
    }
    text.push_str(code.get(kept..)?);
    Some(text)
}

/// Returns the range of each definition's documentation, by its full name; that of the module has
/// none.
fn docstrings(text: &str) -> Option<BTreeMap<String, Range<usize>>> {
    let tree = FlatSyntaxTree::parse(text, SupportLang::Python).filter(|tree| !tree.broken)?;
    let mut found = BTreeMap::new();
    let mut open = vec![(0, String::new())];
    while let Some((body, name)) = open.pop() {
        found.extend(docstring(&tree, body).map(|place| (name.clone(), place)));
        for item in tree.children(body) {
            let inner = tree.child(item, &["class_definition", "function_definition"]);
            let definition =
                if tree.kind(item) == "decorated_definition" { inner } else { Some(item) };
            let Some(definition) = definition else { continue };
            let own = tree.child(definition, &["identifier"]);
            if let Some((own, body)) = own.zip(tree.child(definition, &["block"])) {
                open.push((body, format!("{name}.{}", tree.text(own))));
            }
        }
    }
    Some(found)
}

/// The text that a body begins with.
fn docstring(tree: &FlatSyntaxTree<'_>, body: FlatNodeId) -> Option<Range<usize>> {
    let first = tree.children(body).find(|item| !tree.is_comment(*item))?;
    let text =
        tree.child(first, &["string"]).filter(|_| tree.kind(first) == "expression_statement")?;
    Some(tree.start(text)..tree.end(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "\"\"\"Sums.\n\n>>> add(1, 1)\n2\n\"\"\"\n\n\ndef add(a, b):\n    return a - b\n\n\n\
                         class Sum:\n    @property\n    def total(self):\n        \"\"\"All.\n\n        \
                         >>> Sum().total\n        0\n        \"\"\"\n        return 1\n";

    #[test]
    fn the_present_code_gets_the_examples_of_the_start() {
        let bent = START.replace("1)\n2", "1)\n0").replace("total\n        0", "total\n        1");
        let bent = bent.replace("return 1", "return 3");
        let judged = with_docstrings_of(&bent, START).unwrap();
        assert_eq!(judged, START.replace("return 1", "return 3"));
    }

    #[test]
    fn documentation_without_examples_and_of_new_code_stays() {
        let start = "def f():\n    \"\"\"Old.\"\"\"\n";
        let now =
            "def f():\n    \"\"\"New.\"\"\"\n\n\ndef g():\n    \"\"\"\n    >>> g()\n    \"\"\"\n";
        assert_eq!(with_docstrings_of(now, start).unwrap(), now);
        assert_eq!(with_docstrings_of("def f(:\n", start), None);
    }
}
