//! The command line of bubblewrap for a policy.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::access::{PathAccess, PathRules};
use crate::policy::{NetworkRule, SandboxPolicy};

/// The kind of a path at the start of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathKind {
    Folder,
    File,
    Missing,
}

impl PathKind {
    /// Returns the kind of a path. Links are not followed: their targets have
    /// rules of their own.
    pub(crate) fn of(path: &Path) -> Self {
        match std::fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => Self::Folder,
            Ok(found) if !found.is_symlink() => Self::File,
            Ok(_) | Err(_) => Self::Missing,
        }
    }
}

/// The options of every sandbox. A user namespace is always made, so that a
/// program of root has no rights over the system either.
const ALWAYS: &[&str] = &[
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-cgroup-try",
    "--die-with-parent",
    "--cap-drop",
    "ALL",
];

/// Returns the options before the program. `copies` holds, for each file that
/// is copied, its copy.
pub(crate) fn options(
    policy: &SandboxPolicy,
    copies: &BTreeMap<PathBuf, PathBuf>,
    kind: &dyn Fn(&Path) -> PathKind,
) -> Vec<OsString> {
    let mut options: Vec<OsString> = ALWAYS.iter().map(Into::into).collect();
    if policy.network != NetworkRule::On {
        options.push("--unshare-net".into());
    }
    let mut sealed: Vec<PathBuf> = Vec::new();
    for (path, access) in policy.rules.iter() {
        let kind = kind(path);
        if kind == PathKind::Missing {
            continue;
        }
        match access {
            PathAccess::Read => bind(&mut options, "--ro-bind", path, path),
            PathAccess::Write => bind(&mut options, "--bind", path, path),
            PathAccess::Copy => {
                let copy = copies.get(path);
                let (how, from) = copy.map_or(("--ro-bind", path), |copy| ("--bind", copy));
                bind(&mut options, how, from, path);
            }
            PathAccess::Hidden if kind == PathKind::File => {
                bind(&mut options, "--ro-bind", Path::new("/dev/null"), path);
            }
            PathAccess::Hidden => {
                options.extend(["--tmpfs".into(), path.into()]);
                sealed.push(path.to_owned());
            }
            PathAccess::Private => options.extend(["--tmpfs".into(), path.into()]),
        }
        if path == Path::new("/") {
            options.extend(["--dev", "/dev", "--proc", "/proc"].map(OsString::from));
        }
    }
    // Folders in which nothing can be seen must not look writable either. They
    // are closed once all that is mounted below them has its place.
    for path in sealed {
        options.extend(["--remount-ro".into(), path.into()]);
    }
    options
}

fn bind(options: &mut Vec<OsString>, how: &str, from: &Path, to: &Path) {
    options.extend([how.into(), from.into(), to.into()]);
}

/// Returns the options that only try whether bubblewrap works here.
pub(crate) fn trial(network: NetworkRule) -> Vec<OsString> {
    let mut rules = PathRules::default();
    rules.set(Path::new("/"), PathAccess::Read);
    let (state, git_settings, absent) = (Vec::new(), Vec::new(), Vec::new());
    let policy = SandboxPolicy { rules, network, state, git_settings, absent };
    options(&policy, &BTreeMap::new(), &|_| PathKind::Folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::PolicyFacts;

    fn line(facts: &PolicyFacts) -> String {
        let policy = SandboxPolicy::new(facts);
        let kind = |path: &Path| match path.extension() {
            Some(end) if end == "gone" => PathKind::Missing,
            Some(end) if end == "sock" => PathKind::File,
            Some(_) | None => PathKind::Folder,
        };
        let words = options(&policy, &BTreeMap::new(), &kind);
        words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn folders_are_mounted_before_what_is_below_them() {
        let line = line(&PolicyFacts {
            root: "/tmp/w".into(),
            sockets: vec!["/srv/a.sock".into(), "/srv/b.gone".into()],
            state: vec!["/tmp/w/state".into()],
            ..PolicyFacts::default()
        });
        let at = |part: &str| line.find(part).unwrap_or_else(|| panic!("{part} in {line}"));
        assert!(at("--ro-bind / / --dev /dev --proc /proc") < at("--tmpfs /tmp "));
        assert!(at("--tmpfs /tmp ") < at("--bind /tmp/w /tmp/w"));
        assert!(at("--bind /tmp/w /tmp/w") < at("--tmpfs /tmp/w/state"));
        assert!(at("--tmpfs /tmp/w/state") < at("--remount-ro /tmp/w/state"));
        assert!(line.contains("--ro-bind /dev/null /srv/a.sock"));
        assert!(!line.contains("b.gone") && !line.contains("--unshare-net"));
        assert!(!line.contains("--remount-ro /tmp "));
    }

    #[test]
    fn without_network_there_is_a_namespace_of_its_own() {
        for network in [NetworkRule::Off, NetworkRule::Hosts(vec!["a.b".into()])] {
            let facts = PolicyFacts { root: "/w".into(), network, ..PolicyFacts::default() };
            assert!(line(&facts).contains("--unshare-net"));
        }
    }
}
