//! Lets a program see other files than those that are there.
//!
//! An [`Overlay`] is a folder with some of its files replaced or hidden. A
//! program that is started in it finds them at the usual paths, and what it
//! writes there is gone when it ends: not a byte of the folder changes. This
//! takes a mount of its own, which on Linux every user may make in a namespace
//! of its own, if the system allows. Elsewhere it is not possible.

#[cfg(target_os = "linux")]
mod mounting;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde::{Deserialize, Serialize};

use crate::launch::Launch;

/// What the program's own arguments follow, on the command line of the helper.
pub const OVERLAY_WORD: &str = "__overlay";

/// How the helper ends when the program could not be started in the overlay.
const NOT_POSSIBLE: u8 = 125;

/// A folder with some of its files replaced or hidden.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlay {
    /// The folder.
    pub root: PathBuf,
    /// What differs in it. No path comes twice, and none lies below another.
    pub files: Vec<OverlayFile>,
    /// Other folders in which nothing that is written may last.
    pub others: Vec<PathBuf>,
    /// Paths below the folder that need not be copied where the folder has to
    /// be: the program sees them as they are and cannot write to them.
    pub fixed: Vec<PathBuf>,
}

/// One path of an overlay, relative to its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlayFile {
    /// Where.
    pub path: PathBuf,
    /// What is seen there.
    pub seen: OverlaySight,
}

/// What is seen at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OverlaySight {
    /// A file with these contents.
    File(Vec<u8>),
    /// The same, and it can be executed.
    Program(Vec<u8>),
    /// Nothing.
    Nothing,
}

/// How a folder is laid over with other files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OverlayWay {
    /// By the file system of that name.
    #[default]
    Layers,
    /// By a copy of the folder, bound over it.
    Copy,
}

/// The overlay on its way to the helper: one line of JSON, and behind it the
/// contents of the files, one after the other.
#[derive(Serialize, Deserialize)]
struct OverlayHeader {
    way: OverlayWay,
    root: OsString,
    others: Vec<OsString>,
    fixed: Vec<OsString>,
    files: Vec<(OsString, OverlayKind)>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum OverlayKind {
    File(u64),
    Program(u64),
    Nothing,
}

impl Overlay {
    /// Writes down what the helper needs to know, in a folder of its own that
    /// must not lie below the overlay's.
    pub(crate) fn write(&self, way: OverlayWay, folder: &Path) -> io::Result<PathBuf> {
        let names = |paths: &[PathBuf]| paths.iter().map(|path| path.clone().into()).collect();
        let kind = |file: &OverlayFile| match &file.seen {
            OverlaySight::File(contents) => OverlayKind::File(contents.len() as u64),
            OverlaySight::Program(contents) => OverlayKind::Program(contents.len() as u64),
            OverlaySight::Nothing => OverlayKind::Nothing,
        };
        let header = OverlayHeader {
            way,
            root: self.root.clone().into(),
            others: names(&self.others),
            fixed: names(&self.fixed),
            files: self.files.iter().map(|file| (file.path.clone().into(), kind(file))).collect(),
        };
        let path = folder.join("overlay");
        let mut file = File::create(&path)?;
        serde_json::to_writer(&mut file, &header)?;
        file.write_all(b"\n")?;
        for one in &self.files {
            match &one.seen {
                OverlaySight::File(contents) | OverlaySight::Program(contents) => {
                    file.write_all(contents)?;
                }
                OverlaySight::Nothing => {}
            }
        }
        Ok(path)
    }

    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "there are no overlays here"))]
    fn read(path: &Path) -> io::Result<(Self, OverlayWay)> {
        let mut file = BufReader::new(File::open(path)?);
        let mut line = Vec::new();
        file.read_until(b'\n', &mut line)?;
        let header: OverlayHeader = serde_json::from_slice(&line)?;
        let paths = |names: Vec<OsString>| names.into_iter().map(PathBuf::from).collect();
        let mut contents = |size: u64| {
            let mut bytes = Vec::new();
            Read::take(&mut file, size).read_to_end(&mut bytes).map(|_| bytes)
        };
        let mut files = Vec::new();
        for (path, kind) in header.files {
            let seen = match kind {
                OverlayKind::File(size) => OverlaySight::File(contents(size)?),
                OverlayKind::Program(size) => OverlaySight::Program(contents(size)?),
                OverlayKind::Nothing => OverlaySight::Nothing,
            };
            files.push(OverlayFile { path: path.into(), seen });
        }
        let root = header.root.into();
        let (others, fixed) = (paths(header.others), paths(header.fixed));
        Ok((Self { root, files, others, fixed }, header.way))
    }
}

/// The launch of the same program by the helper `exe`, in an overlay that was
/// written to `plan`.
pub(crate) fn wrap(exe: &Path, launch: &Launch, plan: PathBuf) -> Launch {
    let mut args: Vec<OsString> = vec![OVERLAY_WORD.into(), plan.into(), launch.program.clone()];
    args.extend(launch.args.iter().cloned());
    Launch { program: exe.into(), args, ..launch.clone() }
}

/// What every reason begins with that lies in the system and not in the files.
const NO_MEANS: &str = "the system does not let us";

/// Whether an overlay is not possible because of the system, not because of
/// the files that it is to show.
pub fn is_lack_of_means(reason: &str) -> bool {
    reason.starts_with(NO_MEANS)
}

/// Is the helper: lays over, and becomes the program. Without a program it only
/// finds out whether it could lay over.
///
/// Its arguments are a file as a supervisor wrote it, the program, and
/// the program's arguments. No other thread may be there.
pub fn overlay_main(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(plan) = args.next() else {
        let _ = writeln!(io::stderr(), "ralph: there is no overlay");
        return ExitCode::from(NOT_POSSIBLE);
    };
    let program = args.next().map(|program| {
        let mut program = Command::new(program);
        program.args(args);
        program
    });
    match become_program(Path::new(&plan), program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            let _ = writeln!(io::stderr(), "{reason}");
            ExitCode::from(NOT_POSSIBLE)
        }
    }
}

/// Returns only without a program, or if that is not possible, with the reason.
#[cfg(target_os = "linux")]
fn become_program(plan: &Path, program: Option<Command>) -> Result<(), String> {
    use std::os::unix::process::CommandExt;
    let read = Overlay::read(plan).map_err(|error| format!("{}: {error}", plan.display()));
    let mounted = read.and_then(|(overlay, way)| {
        let scratch = plan.parent().unwrap_or(Path::new("/"));
        let _ = std::fs::remove_file(plan);
        mounting::lay_over(&overlay, way, scratch)
    });
    mounted?;
    let Some(mut program) = program else { return Ok(()) };
    let error = program.exec();
    Err(format!("cannot start {}: {error}", program.get_program().display()))
}

#[cfg(not(target_os = "linux"))]
fn become_program(_plan: &Path, _program: Option<Command>) -> Result<(), String> {
    Err(format!("{NO_MEANS} lay files over others"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overlay_survives_the_way_to_the_helper() {
        let folder = tempfile::tempdir().unwrap();
        let file = |path: &str, seen| OverlayFile { path: path.into(), seen };
        let overlay = Overlay {
            root: "/a b".into(),
            files: vec![
                file("tests/a.py", OverlaySight::File(b"one\n\0two".to_vec())),
                file("new.py", OverlaySight::Nothing),
                file("run.sh", OverlaySight::Program(b"#!/bin/sh\n".to_vec())),
            ],
            others: vec!["/b,c:d".into()],
            fixed: vec!["node_modules".into()],
        };
        let path = overlay.write(OverlayWay::Copy, folder.path()).unwrap();
        assert_eq!(Overlay::read(&path).unwrap(), (overlay, OverlayWay::Copy));
    }
}
