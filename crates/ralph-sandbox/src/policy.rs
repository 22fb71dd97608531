//! The rules of one sandbox.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::access::{PathAccess, PathRules};
use crate::places;

/// Folders of the system in which programs keep sockets of others.
const RUNTIME: &[&str] = &["/run", "/var/run"];

/// Temporary folders that all programs share.
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp"];

/// Parts of a repository that git executes or obeys.
const GIT_SETTINGS: &[&str] = &["config", "config.worktree", "hooks"];

/// Parts of a repository that hold our state.
const GIT_STATE: &[&str] = &["ralph", "refs/ralph", "logs/refs/ralph"];

/// Files that redirect a repository. They exist in a linked work tree only.
const GIT_LINKS: &[&str] = &["commondir", "gitdir"];

/// The network that a program has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum NetworkRule {
    /// All of it.
    #[default]
    On,
    /// None.
    Off,
    /// These hosts, through a proxy of ours.
    Hosts(Vec<String>),
}

/// What a policy is made from.
#[derive(Clone, Debug, Default)]
pub struct PolicyFacts {
    /// The work tree.
    pub root: PathBuf,
    /// The repository's own folder and the one that work trees share.
    pub git: Option<(PathBuf, PathBuf)>,
    /// Repositories of submodules.
    pub modules: Vec<PathBuf>,
    /// The home folder.
    pub home: Option<PathBuf>,
    /// Folders with our state.
    pub state: Vec<PathBuf>,
    /// Folders of programs, which stay readable wherever they are.
    pub programs: Vec<PathBuf>,
    /// Sockets of other programs.
    pub sockets: Vec<PathBuf>,
    /// Places that the agent and the tools must write to.
    pub open: Vec<PathBuf>,
    /// Settings that the agent writes to and that others obey: it gets copies.
    pub copied: Vec<PathBuf>,
    /// Parts of these that others execute or obey, and scripts of checks.
    pub fixed: Vec<PathBuf>,
    /// Places that the user closes, opens for reading, and for writing.
    pub hide: Vec<PathBuf>,
    /// See `hide`.
    pub read: Vec<PathBuf>,
    /// See `hide`.
    pub write: Vec<PathBuf>,
    /// Files of ours that the program is given, with the access to them.
    pub given: Vec<(PathBuf, PathAccess)>,
    /// The network.
    pub network: NetworkRule,
}

/// Everything that a program in a sandbox may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxPolicy {
    /// The access to each path.
    pub rules: PathRules,
    /// The network.
    pub network: NetworkRule,
    /// Folders with our state, which are hidden.
    pub state: Vec<PathBuf>,
    /// Settings and hooks of git, which are read-only.
    pub git_settings: Vec<PathBuf>,
    /// Files that are removed afterwards if they did not exist before.
    pub absent: Vec<PathBuf>,
}

impl SandboxPolicy {
    /// Makes the policy.
    pub fn new(facts: &PolicyFacts) -> Self {
        let mut rules = PathRules::default();
        rules.set(Path::new("/"), PathAccess::Read);
        set_all(&mut rules, RUNTIME, PathAccess::Hidden);
        set_all(&mut rules, TEMPORARY, PathAccess::Private);
        for folder in &facts.programs {
            if rules.of(folder) != PathAccess::Read {
                rules.set(folder, PathAccess::Read);
            }
        }
        set_all(&mut rules, &facts.sockets, PathAccess::Hidden);
        if let Some(home) = &facts.home {
            set_all(&mut rules, &places::secret_places(home), PathAccess::Hidden);
        }
        rules.set(&facts.root, PathAccess::Write);
        let (git_settings, absent) = add_git(&mut rules, facts);
        set_all(&mut rules, &facts.open, PathAccess::Write);
        set_all(&mut rules, &facts.copied, PathAccess::Copy);
        set_all(&mut rules, &facts.fixed, PathAccess::Read);
        set_all(&mut rules, &facts.hide, PathAccess::Hidden);
        set_all(&mut rules, &facts.read, PathAccess::Read);
        set_all(&mut rules, &facts.write, PathAccess::Write);
        let mut state = facts.state.clone();
        if let Some((_, common)) = &facts.git {
            state.extend(GIT_STATE.iter().map(|part| common.join(part)));
        }
        set_all(&mut rules, &state, PathAccess::Hidden);
        for (path, access) in &facts.given {
            rules.set(path, *access);
        }
        Self { rules, network: facts.network.clone(), state, git_settings, absent }
    }
}

/// Adds the rules of a repository. Returns its settings, and the files that
/// must not appear in it.
fn add_git(rules: &mut PathRules, facts: &PolicyFacts) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let Some((own, common)) = &facts.git else { return (Vec::new(), Vec::new()) };
    let is_linked = own != common;
    rules.set(common, PathAccess::Write);
    rules.set(own, PathAccess::Write);
    let mut settings = Vec::new();
    for repository in [own, common].into_iter().chain(&facts.modules) {
        settings.extend(GIT_SETTINGS.iter().map(|part| repository.join(part)));
    }
    let mut absent = vec![own.join("config.worktree"), common.join("config.worktree")];
    if is_linked {
        // The file that leads to the repository.
        settings.push(facts.root.join(".git"));
        settings.extend(GIT_LINKS.iter().map(|part| own.join(part)));
    }
    absent.extend(GIT_LINKS.iter().map(|part| common.join(part)));
    set_all(rules, &settings, PathAccess::Read);
    (settings, absent)
}

fn set_all(rules: &mut PathRules, paths: &[impl AsRef<Path>], access: PathAccess) {
    for path in paths {
        rules.set(path.as_ref(), access);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> PolicyFacts {
        PolicyFacts {
            root: "/h/me/work".into(),
            git: Some(("/h/me/work/.git".into(), "/h/me/work/.git".into())),
            home: Some("/h/me".into()),
            state: vec!["/h/me/.local/state/ralph".into()],
            programs: vec!["/usr/bin".into(), "/run/tools/bin".into()],
            sockets: vec!["/h/me/agent.sock".into()],
            open: vec!["/h/me/.npm".into(), "/h/me/.agent".into()],
            fixed: vec!["/h/me/.agent/settings.json".into()],
            ..PolicyFacts::default()
        }
    }

    #[track_caller]
    fn check(policy: &SandboxPolicy, path: &str, want: PathAccess) {
        assert_eq!(policy.rules.of(Path::new(path)), want, "{path}");
    }

    #[test]
    fn a_program_writes_to_the_work_tree_and_named_places_only() {
        let policy = SandboxPolicy::new(&facts());
        check(&policy, "/h/me/work/src/a.rs", PathAccess::Write);
        check(&policy, "/h/me/.npm/_cacache", PathAccess::Write);
        check(&policy, "/h/me/.agent/log", PathAccess::Write);
        check(&policy, "/h/me/.agent/settings.json", PathAccess::Read);
        check(&policy, "/h/me/.bashrc", PathAccess::Read);
        check(&policy, "/h/me/other/a.rs", PathAccess::Read);
        check(&policy, "/tmp/x", PathAccess::Private);
        check(&policy, "/run/docker.sock", PathAccess::Hidden);
        check(&policy, "/run/tools/bin/sh", PathAccess::Read);
        check(&policy, "/h/me/agent.sock", PathAccess::Hidden);
        check(&policy, "/h/me/.ssh/id_rsa", PathAccess::Hidden);
        check(&policy, "/h/me/.local/state/ralph/x.db", PathAccess::Hidden);
    }

    #[test]
    fn git_works_but_its_settings_and_our_state_stay_closed() {
        let policy = SandboxPolicy::new(&facts());
        check(&policy, "/h/me/work/.git/index", PathAccess::Write);
        check(&policy, "/h/me/work/.git/config", PathAccess::Read);
        check(&policy, "/h/me/work/.git/hooks/pre-commit", PathAccess::Read);
        check(&policy, "/h/me/work/.git/ralph/ralph.1.db", PathAccess::Hidden);
        check(&policy, "/h/me/work/.git/refs/ralph/run-1", PathAccess::Hidden);
        assert!(policy.absent.contains(&"/h/me/work/.git/commondir".into()));
    }

    #[test]
    fn a_linked_work_tree_cannot_be_led_to_another_repository() {
        let git = ("/h/me/main/.git/worktrees/w".into(), "/h/me/main/.git".into());
        let policy = SandboxPolicy::new(&PolicyFacts { git: Some(git), ..facts() });
        check(&policy, "/h/me/main/.git/objects/aa", PathAccess::Write);
        check(&policy, "/h/me/main/.git/worktrees/w/index", PathAccess::Write);
        check(&policy, "/h/me/main/.git/worktrees/w/commondir", PathAccess::Read);
        check(&policy, "/h/me/work/.git", PathAccess::Read);
        check(&policy, "/h/me/main/src", PathAccess::Read);
    }

    #[test]
    fn the_user_can_open_and_close_places_but_not_open_the_state() {
        let policy = SandboxPolicy::new(&PolicyFacts {
            write: vec!["/h/me/work/.git/hooks".into(), "/h/me/.local/state/ralph".into()],
            hide: vec!["/h/me/other".into()],
            read: vec!["/h/me/.ssh/known_hosts".into()],
            ..facts()
        });
        check(&policy, "/h/me/work/.git/hooks/x", PathAccess::Write);
        check(&policy, "/h/me/other/x", PathAccess::Hidden);
        check(&policy, "/h/me/.ssh/known_hosts", PathAccess::Read);
        check(&policy, "/h/me/.ssh/id_rsa", PathAccess::Hidden);
        check(&policy, "/h/me/.local/state/ralph/x", PathAccess::Hidden);
    }
}
