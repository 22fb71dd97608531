//! Landlock, and the helper process that applies it before it becomes the program.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde::{Deserialize, Serialize};

use crate::access::{PathAccess, PathRules};
use crate::bridge;

/// The first argument of the helper.
pub const SANDBOX_WORD: &str = "__sandbox";

/// The helper confines itself and becomes the program.
pub(crate) const CONFINE: &str = "confine";

/// The helper offers the proxy outside as a port, and starts the program.
pub(crate) const BRIDGE: &str = "bridge";

/// The helper does nothing.
pub(crate) const NOTHING: &str = "nothing";

/// The helper tries to break every guarantee of the sandbox.
pub(crate) const TRY: &str = "try";

/// Exit code if the program could not be confined.
const NOT_CONFINED: u8 = 126;

/// The limits that the helper sets itself.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ConfinePlan {
    /// The access to paths; `None` if namespaces limit it.
    pub(crate) rules: Option<PathRules>,
    /// TCP connections are refused.
    pub(crate) without_tcp: bool,
}

impl ConfinePlan {
    /// Returns the words of the helper before the program.
    pub(crate) fn words(&self, exe: &Path) -> Vec<OsString> {
        let plan = serde_json::to_string(self).unwrap_or_default();
        vec![exe.into(), SANDBOX_WORD.into(), CONFINE.into(), plan.into()]
    }
}

/// Runs as the helper: its arguments are those after [`SANDBOX_WORD`]. The
/// process must have no other thread.
pub fn sandbox_main(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let word = args.next().unwrap_or_default();
    if word == NOTHING {
        return ExitCode::SUCCESS;
    }
    let given = args.next();
    #[cfg(target_os = "linux")]
    if word == TRY {
        let targets = given.as_ref().and_then(|given| given.to_str()).unwrap_or_default();
        return crate::trial::attack(targets);
    }
    let (Some(given), Some(program)) = (given, args.next()) else {
        return refuse("nothing to start");
    };
    let mut program = Command::new(program);
    program.args(args);
    if word == BRIDGE {
        return bridge::run(Path::new(&given), program);
    }
    let plan = given.to_str().and_then(|text| serde_json::from_str(text).ok());
    let Some(plan) = plan else { return refuse("the plan cannot be read") };
    if let Err(reason) = apply(&plan) {
        return refuse(&reason);
    }
    become_program(&mut program)
}

fn refuse(reason: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "ralph: cannot enter the sandbox: {reason}");
    ExitCode::from(NOT_CONFINED)
}

#[cfg(unix)]
fn become_program(program: &mut Command) -> ExitCode {
    use std::os::unix::process::CommandExt;
    let error = program.exec();
    let name = program.get_program().display();
    let _ = writeln!(std::io::stderr(), "ralph: cannot start {name}: {error}");
    ExitCode::from(if error.kind() == std::io::ErrorKind::NotFound { 127 } else { 126 })
}

#[cfg(not(unix))]
fn become_program(_program: &mut Command) -> ExitCode {
    refuse("this system has no sandbox")
}

/// The rights that landlock gives to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathGrant {
    /// Names can be listed, from here downwards.
    List,
    /// Everything can be read and executed.
    Read,
    /// Everything can be changed too.
    Write,
}

/// Files of devices that programs write to.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
];

/// Returns what landlock must grant. `list` returns the entries of a folder
/// that are no links.
///
/// A right holds for everything below a path. So a folder with something hidden
/// in it is granted entry by entry, and only its names as a whole.
pub(crate) fn grants(
    rules: &PathRules,
    list: &dyn Fn(&Path) -> Vec<PathBuf>,
) -> Vec<(PathBuf, PathGrant)> {
    let mut rules = rules.clone();
    // Disks are devices too. Deeper rules and the list below open what is needed.
    rules.set(Path::new("/dev"), PathAccess::Hidden);
    let mut all = vec![(PathBuf::from("/"), PathGrant::List)];
    all.extend(DEVICES.iter().map(|device| (PathBuf::from(device), PathGrant::Write)));
    for (path, access) in rules.iter() {
        match access {
            // Landlock cannot put a copy in its place.
            PathAccess::Write | PathAccess::Copy => {
                all.push((path.to_owned(), PathGrant::Write));
            }
            PathAccess::Read => grant_reading(&rules, path, list, &mut all),
            PathAccess::Hidden | PathAccess::Private => {}
        }
    }
    all
}

fn grant_reading(
    rules: &PathRules,
    path: &Path,
    list: &dyn Fn(&Path) -> Vec<PathBuf>,
    all: &mut Vec<(PathBuf, PathGrant)>,
) {
    let is_closed = |(_, access): (&Path, PathAccess)| access < PathAccess::Read;
    let is_replaced = |(_, access): (&Path, PathAccess)| access == PathAccess::Private;
    let mut below = rules.below(path);
    if !below.any(|rule| is_closed(rule) || is_replaced(rule)) {
        all.push((path.to_owned(), PathGrant::Read));
        return;
    }
    for entry in list(path) {
        let has_own_rule = rules.iter().any(|(known, _)| known == entry);
        if !has_own_rule {
            grant_reading(rules, &entry, list, all);
        }
    }
}

#[cfg(target_os = "linux")]
pub(crate) use linux::level;

#[cfg(target_os = "linux")]
use linux::apply;

#[cfg(not(target_os = "linux"))]
pub(crate) fn level() -> u8 {
    0
}

#[cfg(not(target_os = "linux"))]
fn apply(_plan: &ConfinePlan) -> Result<(), String> {
    Err("this system has no landlock".to_owned())
}

#[cfg(target_os = "linux")]
mod linux {
    use std::path::{Path, PathBuf};

    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
        RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
    };

    use super::{ConfinePlan, PathGrant, grants};

    /// Returns the version of landlock's interface, or one with the same
    /// rights; 0 without landlock.
    pub(crate) fn level() -> u8 {
        const LEVELS: [(u8, ABI); 7] = [
            (9, ABI::V9),
            (6, ABI::V6),
            (5, ABI::V5),
            (4, ABI::V4),
            (3, ABI::V3),
            (2, ABI::V2),
            (1, ABI::V1),
        ];
        let known = LEVELS.into_iter().find(|(_, abi)| is_supported(*abi).is_ok());
        known.map_or(0, |(level, _)| level)
    }

    fn is_supported(abi: ABI) -> Result<(), RulesetError> {
        let asked = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(abi))?;
        let asked = match AccessNet::from_all(abi) {
            net if net.is_empty() => asked,
            net => asked.handle_access(net)?,
        };
        let asked = match Scope::from_all(abi) {
            scope if scope.is_empty() => asked,
            scope => asked.scope(scope)?,
        };
        asked.create().map(|_| ())
    }

    /// Confines this process and its later children.
    pub(super) fn apply(plan: &ConfinePlan) -> Result<(), String> {
        match restrict(plan) {
            Ok(RulesetStatus::NotEnforced) if plan.rules.is_some() => {
                Err("the kernel has no landlock".to_owned())
            }
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn restrict(plan: &ConfinePlan) -> Result<RulesetStatus, RulesetError> {
        let all = AccessFs::from_all(ABI::V9);
        let mut ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .scope(Scope::from_all(ABI::V9))?;
        if plan.rules.is_some() {
            ruleset = ruleset.handle_access(all)?;
        }
        if plan.without_tcp {
            ruleset = ruleset.handle_access(AccessNet::from_all(ABI::V9))?;
        }
        let mut created = ruleset.create()?;
        let Some(rules) = &plan.rules else { return Ok(created.restrict_self()?.ruleset) };
        for (path, grant) in grants(rules, &entries) {
            let rights = match grant {
                PathGrant::List => AccessFs::ReadDir.into(),
                PathGrant::Read => AccessFs::Execute | AccessFs::ReadFile | AccessFs::ReadDir,
                PathGrant::Write => all,
            };
            // A path that is gone or closed needs no right.
            let Ok(place) = PathFd::new(&path) else { continue };
            let rights = if path.is_dir() { rights } else { rights & AccessFs::from_file(ABI::V9) };
            created = created.add_rule(PathBeneath::new(place, rights))?;
        }
        Ok(created.restrict_self()?.ruleset)
    }

    fn entries(folder: &Path) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let is_link =
            |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let entries = entries.filter_map(Result::ok).filter(|entry| !is_link(entry));
        entries.map(|entry| entry.path()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_something_hidden_is_granted_entry_by_entry() {
        let mut rules = PathRules::default();
        for (path, access) in [
            ("/", PathAccess::Read),
            ("/tmp", PathAccess::Private),
            ("/h/me/.ssh", PathAccess::Hidden),
            ("/h/me/work", PathAccess::Write),
            ("/h/me/work/.git/ralph", PathAccess::Hidden),
        ] {
            rules.set(Path::new(path), access);
        }
        let list = |folder: &Path| -> Vec<PathBuf> {
            let names: &[&str] = match folder.to_str().unwrap() {
                "/" => &["tmp", "h", "usr"],
                "/h" => &["me"],
                "/h/me" => &[".ssh", "work", "notes"],
                other => panic!("{other} is not looked at"),
            };
            names.iter().map(|name| folder.join(name)).collect()
        };
        let got = grants(&rules, &list);
        let has = |path: &str, grant| got.contains(&(path.into(), grant));
        assert!(has("/", PathGrant::List) && has("/usr", PathGrant::Read));
        assert!(has("/h/me/notes", PathGrant::Read) && has("/h/me/work", PathGrant::Write));
        assert!(has("/dev/null", PathGrant::Write));
        let closed = ["/", "/tmp", "/h", "/h/me", "/h/me/.ssh"];
        assert!(
            !closed.iter().any(|path| has(path, PathGrant::Read) || has(path, PathGrant::Write))
        );
    }

    #[test]
    fn a_plan_survives_the_way_to_the_helper() {
        let mut rules = PathRules::default();
        rules.set(Path::new("/a b"), PathAccess::Write);
        let plan = ConfinePlan { rules: Some(rules), without_tcp: true };
        let words = plan.words(Path::new("/ralph"));
        let read: ConfinePlan = serde_json::from_str(words[3].to_str().unwrap()).unwrap();
        assert_eq!(read, plan);
    }
}
