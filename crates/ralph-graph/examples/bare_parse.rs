//! Parses the Python files of a folder and discards the result. The benchmark
//! compares a full index with it.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rayon::prelude::*;
use tree_sitter::Parser;

fn main() -> ExitCode {
    let Some(root) = std::env::args_os().nth(1) else {
        // If even this write fails, there is no one to report it to.
        let _ = writeln!(io::stderr(), "usage: bare_parse ROOT");
        return ExitCode::FAILURE;
    };
    let _ = writeln!(io::stdout(), "{} files parsed", parse(Path::new(&root)));
    ExitCode::SUCCESS
}

fn parse(root: &Path) -> usize {
    let files: Vec<PathBuf> = ignore::Walk::new(root)
        .flatten()
        .map(ignore::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|end| end == "py"))
        .collect();
    let parse = |parser: &mut Parser, path: &PathBuf| -> Option<u32> {
        let tree = parser.parse(fs::read(path).ok()?, None)?;
        Some(tree.root_node().child_count())
    };
    files.par_iter().map_init(parser, parse).flatten().count()
}

fn parser() -> Parser {
    let mut parser = Parser::new();
    // A parser without a grammar parses nothing, and the count says so.
    let _ = parser.set_language(&tree_sitter_python::LANGUAGE.into());
    parser
}
