//! Lets checks ask the code graph for the tests in a file.

use std::path::Path;

use ralph_graph::cases::{self, NamedTestCase};
use ralph_tamper::{KnownTest, TestCatalog};

/// Parses the given file; no index is needed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SyntaxTestFinder;

impl TestCatalog for SyntaxTestFinder {
    fn tests_in(&self, path: &str, contents: &[u8]) -> Option<Vec<KnownTest>> {
        let cases = cases::in_file(Path::new(path), contents)?;
        Some(
            cases
                .into_iter()
                .map(|NamedTestCase { name, line }| KnownTest { name, line })
                .collect(),
        )
    }
}

#[cfg(test)]
#[path = "known_tests_tests.rs"]
mod tests;
