//! Lets a program see other files than those on disk.
//!
//! An [`FileOverlay`] is a folder with some of its files replaced or hidden. A
//! program that is started in it finds them at the usual paths. Its writes are
//! gone when it ends: not a byte of the folder changes. This takes a private
//! mount, which every Linux user may make in a user namespace, if the system
//! allows. It is not possible on other systems.

#[cfg(target_os = "linux")]
mod mounting;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde::{Deserialize, Serialize};

use crate::launch::ProgramLaunch;

/// The argument of the helper that precedes the program's own arguments.
pub const OVERLAY_WORD: &str = "__overlay";

/// Exit code of the helper if the program could not be started in the overlay.
const NOT_POSSIBLE: u8 = 125;

/// A folder with some of its files replaced or hidden.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOverlay {
    /// The folder.
    pub root: PathBuf,
    /// The files that differ. No path comes twice, and none lies below another.
    pub files: Vec<OverlayFile>,
    /// Other folders in which no write may last.
    pub others: Vec<PathBuf>,
    /// Paths below the folder that are not copied if the folder has to be: the
    /// program sees the originals and cannot write to them.
    pub fixed: Vec<PathBuf>,
}

/// One path of an overlay, relative to its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlayFile {
    /// The path.
    pub path: PathBuf,
    /// The content that the program sees there.
    pub seen: OverlayContent,
}

/// The content that a program sees at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OverlayContent {
    /// A file with these contents.
    File(Vec<u8>),
    /// An executable file with these contents.
    Program(Vec<u8>),
    /// No file.
    Nothing,
}

/// The technique that lays files over a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OverlayMethod {
    /// An overlay file system.
    #[default]
    Layers,
    /// A copy of the folder, mounted over it.
    Copy,
}

/// The overlay as the helper reads it: one line of JSON, followed by the
/// contents of the files, one after the other.
#[derive(Serialize, Deserialize)]
struct OverlayHeader {
    way: OverlayMethod,
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

impl FileOverlay {
    /// Writes the overlay for the helper into `folder`, which must not lie
    /// below the overlay's.
    pub(crate) fn write(&self, way: OverlayMethod, folder: &Path) -> io::Result<PathBuf> {
        let names = |paths: &[PathBuf]| paths.iter().map(|path| path.clone().into()).collect();
        let kind = |file: &OverlayFile| match &file.seen {
            OverlayContent::File(contents) => OverlayKind::File(contents.len() as u64),
            OverlayContent::Program(contents) => OverlayKind::Program(contents.len() as u64),
            OverlayContent::Nothing => OverlayKind::Nothing,
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
                OverlayContent::File(contents) | OverlayContent::Program(contents) => {
                    file.write_all(contents)?;
                }
                OverlayContent::Nothing => {}
            }
        }
        Ok(path)
    }

    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "there are no overlays here"))]
    fn read(path: &Path) -> io::Result<(Self, OverlayMethod)> {
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
                OverlayKind::File(size) => OverlayContent::File(contents(size)?),
                OverlayKind::Program(size) => OverlayContent::Program(contents(size)?),
                OverlayKind::Nothing => OverlayContent::Nothing,
            };
            files.push(OverlayFile { path: path.into(), seen });
        }
        let root = header.root.into();
        let (others, fixed) = (paths(header.others), paths(header.fixed));
        Ok((Self { root, files, others, fixed }, header.way))
    }
}

/// Returns a launch of the same program by the helper `exe`, in the overlay
/// that was written to `plan`.
pub(crate) fn wrap(exe: &Path, launch: &ProgramLaunch, plan: PathBuf) -> ProgramLaunch {
    let mut args: Vec<OsString> = vec![OVERLAY_WORD.into(), plan.into(), launch.program.clone()];
    args.extend(launch.args.iter().cloned());
    ProgramLaunch { program: exe.into(), args, ..launch.clone() }
}

/// Beginning of every error that is due to the system and not to the files.
const NO_MEANS: &str = "the system does not let us";

/// Returns true if an overlay failed because of the system, not because of its
/// files.
pub fn is_lack_of_means(reason: &str) -> bool {
    reason.starts_with(NO_MEANS)
}

/// Runs as the helper: mounts the overlay and becomes the program. Without a
/// program it only checks that mounting works.
///
/// Its arguments are a file that a supervisor wrote, the program, and the
/// program's arguments. The process must have no other thread.
pub fn overlay_main(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(plan) = args.next() else {
        // The exit code tells it, too.
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
            // The exit code tells it, too.
            let _ = writeln!(io::stderr(), "{reason}");
            ExitCode::from(NOT_POSSIBLE)
        }
    }
}

/// Returns only without a program, or with the reason for a failure.
#[cfg(target_os = "linux")]
fn become_program(plan: &Path, program: Option<Command>) -> Result<(), String> {
    use std::os::unix::process::CommandExt;
    let read = FileOverlay::read(plan).map_err(|error| format!("{}: {error}", plan.display()));
    let mounted = read.and_then(|(overlay, way)| {
        let scratch = plan.parent().unwrap_or(Path::new("/"));
        // A plan that stays is in a folder that is removed.
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
        let overlay = FileOverlay {
            root: "/a b".into(),
            files: vec![
                file("tests/a.py", OverlayContent::File(b"one\n\0two".to_vec())),
                file("new.py", OverlayContent::Nothing),
                file("run.sh", OverlayContent::Program(b"#!/bin/sh\n".to_vec())),
            ],
            others: vec!["/b,c:d".into()],
            fixed: vec!["node_modules".into()],
        };
        let path = overlay.write(OverlayMethod::Copy, folder.path()).unwrap();
        assert_eq!(FileOverlay::read(&path).unwrap(), (overlay, OverlayMethod::Copy));
    }
}
