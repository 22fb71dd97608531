//! The real tools that tests need.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Returns a search path on which the real tools come first.
///
/// `cargo xtask test` sets it; otherwise it is where `cargo xtask tools`
/// installed them. Without them the test fails, since a skipped test proves
/// nothing.
#[track_caller]
pub fn tools_path() -> OsString {
    if let Some(path) = env::var_os("RALPH_TOOLS_PATH").filter(|path| !path.is_empty()) {
        return path;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools.path");
    let path = fs::read_to_string(file).unwrap_or_default();
    assert!(!path.is_empty(), "this test needs real tools: run `cargo xtask tools` first");
    path.into()
}

/// Returns the path of a tool.
#[track_caller]
pub fn tool(name: &str) -> PathBuf {
    let path = tools_path();
    let mut found = env::split_paths(&path).map(|folder| folder.join(name));
    found.find(|file| file.is_file()).unwrap_or_else(|| {
        panic!("`{name}` is not installed: run `cargo xtask tools`, which says what is missing")
    })
}
