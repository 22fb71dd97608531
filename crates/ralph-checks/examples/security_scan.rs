//! Scans a folder, or only parses it: what the benchmark measures.
//!
//! `security_scan scan ROOT [RULES]` applies the rules in a folder, or those
//! that come with the program; `security_scan parse ROOT` reads and parses the
//! same files and does nothing with them. Both print one line; with
//! `SECURITY_SCAN_LIST` set, a scan lists its findings before.

use std::error::Error;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ast_grep_core::Language as _;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_language::SupportLang;
use ralph_checks::security::{RulePack, ScanScope};
use rayon::prelude::*;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args.as_slice() {
        ["scan", root] => scan(Path::new(root), &RulePack::builtin()),
        ["scan", root, rules] => RulePack::only_user_rules(&[PathBuf::from(rules)])
            .map_err(Into::into)
            .and_then(|pack| scan(Path::new(root), &pack)),
        ["parse", root] => parse(Path::new(root)),
        _ => Err("usage: security_scan scan ROOT [RULES] | parse ROOT".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell when even this cannot be written.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn scan(root: &Path, pack: &RulePack) -> Result<(), Box<dyn Error>> {
    let root = fs::canonicalize(root)?;
    let scan = pack.scan(&root, &ScanScope::All);
    let mut out = io::stdout().lock();
    if std::env::var_os("SECURITY_SCAN_LIST").is_some() {
        for finding in &scan.reading.findings {
            let rule = finding.rule.as_deref().unwrap_or_default();
            writeln!(out, "{} {rule}", finding.place.display())?;
        }
    }
    let counts = scan.reading.counts;
    writeln!(out, "{} findings in {} files", counts.security + counts.infos, scan.files.scanned)?;
    Ok(())
}

fn parse(root: &Path) -> Result<(), Box<dyn Error>> {
    let files = ignore::Walk::new(root)
        .flatten()
        .filter_map(|entry| Some((SupportLang::from_path(entry.path())?, entry.into_path())));
    let files: Vec<_> = files.collect();
    let parsed = files
        .par_iter()
        .filter_map(|(language, path)| {
            StrDoc::try_new(&fs::read_to_string(path).ok()?, *language).ok()
        })
        .count();
    writeln!(io::stdout(), "{parsed} files parsed")?;
    Ok(())
}
