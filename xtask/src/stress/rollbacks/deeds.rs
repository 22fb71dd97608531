//! A project with some hundred files, and an agent that changes all of it.

use std::fmt::Write;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::failure::TaskFailure;
use crate::stress::dice::SplitMixRng;
use crate::stress::stage::StressProject;

/// Number of files at the start, without links.
pub(super) const FILES: u32 = 300;

const FOLDERS: u32 = 12;
const LINKS: u32 = 12;
const NEW_FILES: u32 = 60;

/// Writes the files. In git most are committed, some of those are changed again, and
/// some changes are staged.
pub(super) fn begin(
    project: &StressProject<'_>,
    dice: &mut SplitMixRng,
) -> Result<(), TaskFailure> {
    let root = project.path("");
    let wrong = |error| TaskFailure::io(&root, &error);
    for number in 0..FILES {
        write(&root.join(name(number)), &text(number, dice), mode(number)).map_err(wrong)?;
    }
    for number in 0..LINKS {
        symlink(format!("../{}", name(number)), root.join(link(number))).map_err(wrong)?;
    }
    fs::create_dir_all(root.join("empty/deep")).map_err(wrong)?;
    write(&root.join(".gitignore"), "*.log\n", 0o644).map_err(wrong)?;
    write(&root.join("hidden.log"), "not in any snapshot\n", 0o644).map_err(wrong)?;
    if !root.join(".git").exists() {
        return Ok(());
    }
    project.git(&["add", "--", "src/d0", "src/d1", "src/d2", "src/d3", "src/d4", "src/d5"])?;
    project.git(&["commit", "--quiet", "--message=half of the files"])?;
    project.git(&["add", "--", "src/d6"])?;
    for number in (0..FILES).step_by(17) {
        write(&root.join(name(number)), "changed before the run\n", 0o644).map_err(wrong)?;
    }
    project.git(&["add", "--", "src/d3"])
}

/// Makes the agent's two turns: every file may be changed, in any way.
pub(super) fn agent(dice: &mut SplitMixRng) -> String {
    let mut turns = [String::new(), String::new()];
    for number in 0..FILES {
        let turn = usize::from(dice.below(2) == 0);
        let _ = writeln!(turns[turn], "{}", deed(number, dice));
    }
    for number in 0..LINKS / 2 {
        let _ = writeln!(turns[0], "ln -sfn elsewhere '{}'", link(number));
    }
    let _ = writeln!(turns[1], "rm '{0}'; echo 'no link' >'{0}'", link(LINKS - 1));
    for number in 0..NEW_FILES {
        let folder = format!("new/n{}", number % 5);
        let turn = usize::from(dice.below(2) == 0);
        let line = format!("mkdir -p {folder}; echo {number} >'{folder}/new {number}'");
        let _ = writeln!(turns[turn], "{line}");
    }
    turns[0].push_str("echo 'in the empty folder' >empty/deep/file\n");
    // A file replaces a whole folder, once nothing else happens there.
    turns[1].push_str("rm -r src/d11; echo 'no folder' >src/d11\n");
    let [first, second] = turns;
    format!("case $RALPH_ITERATION in\n1)\n{first};;\n2)\n{second};;\nesac\ntrue")
}

fn deed(number: u32, dice: &mut SplitMixRng) -> String {
    let file = name(number);
    match dice.below(10) {
        0 | 1 => format!("echo 'a line of the run' >>'{file}'"),
        2 => format!("echo 'all new' >'{file}'"),
        3 => format!("rm '{file}'"),
        4 => format!("mv '{file}' '{file}.moved'"),
        5 => format!("mkdir -p moved/m{0}; mv '{file}' moved/m{0}/", number % 7),
        6 if mode(number) == 0o755 => format!("chmod 644 '{file}'"),
        6 => format!("chmod 755 '{file}'"),
        7 => format!("ln -sf 'somewhere/{number}' '{file}'"),
        8 => format!("rm '{file}'; mkdir '{file}'; echo inner >'{file}/inner'"),
        _ => String::new(),
    }
}

fn name(number: u32) -> String {
    let folder = number % FOLDERS;
    match number % 29 {
        0 => format!("src/d{folder}/with a space {number}"),
        1 => format!("src/d{folder}/이름 {number}\nin two lines"),
        _ => format!("src/d{folder}/file{number}.txt"),
    }
}

fn link(number: u32) -> String {
    format!("src/link{number}")
}

fn mode(number: u32) -> u32 {
    // Files that were changed before the run are plain files again.
    if number.is_multiple_of(5) && !number.is_multiple_of(17) { 0o755 } else { 0o644 }
}

fn text(number: u32, dice: &mut SplitMixRng) -> String {
    let lines = dice.below(200);
    (0..lines).fold(format!("file {number}\n"), |mut text, line| {
        let _ = writeln!(text, "line {line}: {}", dice.below(u64::MAX));
        text
    })
}

fn write(path: &Path, text: &str, mode: u32) -> std::io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, text)?;
    fs::set_permissions(path, Permissions::from_mode(mode))
}
