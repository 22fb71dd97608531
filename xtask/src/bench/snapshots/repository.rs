//! Generated projects of a given size.

use std::fmt;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use crate::failure::TaskFailure;
use crate::stress::stage::StressProject;

/// Number of files that are changed together.
pub(super) const FEW: u32 = 100;

const ADDED: &str = "added";

/// A number of files: 25 in a folder, 20 such folders in a parent.
#[derive(Clone, Copy)]
pub(super) struct GeneratedFiles {
    pub(super) count: u32,
}

impl fmt::Display for GeneratedFiles {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}k files", self.count / 1000)
    }
}

impl GeneratedFiles {
    /// Commits the files, in one pack as after a clone, and checks them out.
    pub(super) fn commit(self, project: &StressProject<'_>) -> Result<(), TaskFailure> {
        let mut import = project.program("git");
        import.args(["fast-import", "--quiet", "--force"]).stdin(Stdio::piped());
        let wrong = |error| TaskFailure::Failed(format!("git fast-import: {error}"));
        let mut child = import.spawn().map_err(wrong)?;
        if let Some(stdin) = child.stdin.take() {
            self.stream(BufWriter::new(stdin)).map_err(wrong)?;
        }
        let status = child.wait().map_err(wrong)?;
        if !status.success() {
            return Err(TaskFailure::Failed(format!("git fast-import: {status}")));
        }
        project.git(&["reset", "--hard", "--quiet"])?;
        self.make_old(&project.path(""))
    }

    fn stream(self, mut out: impl Write) -> std::io::Result<()> {
        let committer = "committer Stage <stage@example.invalid> 1700000000 +0000";
        write!(out, "commit refs/heads/main\n{committer}\ndata 6\nbegin\n\n")?;
        for number in 0..self.count {
            let text = text(number, 0);
            write!(out, "M 100644 inline {}\ndata {}\n{text}\n", name(number), text.len())?;
        }
        out.flush()
    }

    /// Writes the files without git.
    pub(super) fn write(self, project: &StressProject<'_>) -> Result<(), TaskFailure> {
        let root = project.path("");
        for number in 0..self.count {
            write(&root.join(name(number)), &text(number, 0))?;
        }
        self.make_old(&root)
    }

    /// Makes the files older than the index. Git reads a file again that is as new as
    /// the index, which is rare in a real project.
    fn make_old(self, root: &Path) -> Result<(), TaskFailure> {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        for number in 0..self.count {
            let path = root.join(name(number));
            File::options()
                .write(true)
                .open(&path)
                .and_then(|file| file.set_modified(time))
                .map_err(|error| TaskFailure::io(&path, &error))?;
        }
        Ok(())
    }

    /// Changes this many files all over the project; returns their names.
    pub(super) fn change(
        self,
        project: &StressProject<'_>,
        round: u32,
        count: u32,
    ) -> Result<Vec<String>, TaskFailure> {
        let step = self.count / count;
        let chosen = (0..count).map(|index| index * step + round % step);
        chosen
            .map(|number| {
                let name = name(number);
                write(&project.path(&name), &text(number, round + 1))?;
                Ok(name)
            })
            .collect()
    }

    /// Changes files and adds new ones, 50 of each; removes those added before.
    pub(super) fn change_and_add(
        self,
        project: &StressProject<'_>,
        round: u32,
    ) -> Result<(), TaskFailure> {
        remove_added(project)?;
        self.change(project, round, FEW / 2)?;
        for number in 0..FEW / 2 {
            let name = format!("{ADDED}/round{round}/new{number}.rs");
            write(&project.path(&name), &text(number, round + 1))?;
        }
        Ok(())
    }
}

/// Removes the files that [`GeneratedFiles::change_and_add`] added.
pub(super) fn remove_added(project: &StressProject<'_>) -> Result<(), TaskFailure> {
    let folder = project.path(ADDED);
    match fs::remove_dir_all(&folder) {
        Err(error) if folder.exists() => Err(TaskFailure::io(&folder, &error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn name(number: u32) -> String {
    format!("part{}/folder{}/file{number}.rs", number / 500, number / 25 % 20)
}

fn text(number: u32, version: u32) -> String {
    let line = |line: u32| {
        format!("pub fn item_{number}_{line}() -> u32 {{\n    {}\n}}\n", number ^ line ^ version)
    };
    (0..3 + number % 20).map(line).collect()
}

fn write(path: &Path, text: &str) -> Result<(), TaskFailure> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| TaskFailure::io(path, &error))
}
