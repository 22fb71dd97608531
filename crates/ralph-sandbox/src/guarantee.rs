//! What a sandbox guarantees.

use crate::access::PathAccess;
use crate::means::SandboxMeans;
use crate::policy::{NetworkRule, SandboxPolicy};

/// One guarantee of a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SandboxGuarantee {
    /// Files outside the open places are not written.
    Writes,
    /// Hidden files are not read.
    Secrets,
    /// Our state and the snapshots of the start are hidden.
    State,
    /// Settings and hooks of git are not changed.
    GitSettings,
    /// Read-only files inside writable folders are not changed.
    FixedFiles,
    /// The mode and times of files outside are not changed.
    Attributes,
    /// Names in hidden folders are not listed.
    Names,
    /// Processes outside are not traced.
    Tracing,
    /// Processes outside get no signals.
    Signals,
    /// The command lines of processes outside are not seen.
    Processes,
    /// Sockets of other programs in the file system are not reached.
    Sockets,
    /// Abstract sockets of other programs are not reached.
    AbstractSockets,
    /// Memory, queues and semaphores of other programs are not shared.
    SharedMemory,
    /// The network is limited as asked.
    Network,
}

impl SandboxGuarantee {
    /// All guarantees.
    pub const ALL: [Self; 14] = [
        Self::Writes,
        Self::Secrets,
        Self::State,
        Self::GitSettings,
        Self::FixedFiles,
        Self::Attributes,
        Self::Names,
        Self::Tracing,
        Self::Signals,
        Self::Processes,
        Self::Sockets,
        Self::AbstractSockets,
        Self::SharedMemory,
        Self::Network,
    ];

    /// Returns the name in JSON and in the documentation.
    pub fn name(self) -> &'static str {
        match self {
            Self::Writes => "writes",
            Self::Secrets => "secrets",
            Self::State => "state",
            Self::GitSettings => "git_settings",
            Self::FixedFiles => "fixed_files",
            Self::Attributes => "attributes",
            Self::Names => "names",
            Self::Tracing => "tracing",
            Self::Signals => "signals",
            Self::Processes => "processes",
            Self::Sockets => "sockets",
            Self::AbstractSockets => "abstract_sockets",
            Self::SharedMemory => "shared_memory",
            Self::Network => "network",
        }
    }
}

impl SandboxMeans {
    /// Returns the guarantees of this policy that this machine cannot keep.
    pub fn lacks(&self, policy: &SandboxPolicy) -> Vec<SandboxGuarantee> {
        let lacks = |guarantee: &SandboxGuarantee| !self.keeps(*guarantee, policy);
        SandboxGuarantee::ALL.into_iter().filter(lacks).collect()
    }

    fn keeps(&self, guarantee: SandboxGuarantee, policy: &SandboxPolicy) -> bool {
        let asks_nothing =
            guarantee == SandboxGuarantee::Network && policy.network == NetworkRule::On;
        if asks_nothing {
            return true;
        }
        if self.bubblewrap.is_some() {
            let has_network = policy.network == NetworkRule::On;
            return guarantee != SandboxGuarantee::AbstractSockets
                || !has_network
                || self.landlock >= 6;
        }
        match guarantee {
            SandboxGuarantee::Writes | SandboxGuarantee::Secrets => self.landlock >= 3,
            // The administrator may read the memory of every process.
            SandboxGuarantee::Tracing => self.landlock >= 3 && !self.is_root,
            SandboxGuarantee::State => {
                self.landlock >= 3 && !policy.state.iter().any(|path| is_inside_open(policy, path))
            }
            SandboxGuarantee::GitSettings => {
                let mut settings = policy.git_settings.iter();
                self.landlock >= 3 && !settings.any(|path| is_inside_open(policy, path))
            }
            SandboxGuarantee::FixedFiles => {
                let ours = |path| {
                    policy.git_settings.iter().chain(&policy.state).any(|known| known == path)
                };
                let mut rules = policy.rules.iter();
                self.landlock >= 3
                    && !rules.any(|(path, access)| {
                        let is_closed = access < PathAccess::Write && is_inside_open(policy, path);
                        access == PathAccess::Copy || is_closed && !ours(path)
                    })
            }
            SandboxGuarantee::Signals | SandboxGuarantee::AbstractSockets => self.landlock >= 6,
            SandboxGuarantee::Sockets => self.landlock >= 9,
            SandboxGuarantee::Attributes
            | SandboxGuarantee::Names
            | SandboxGuarantee::Processes
            | SandboxGuarantee::SharedMemory
            | SandboxGuarantee::Network => false,
        }
    }
}

/// Returns true if a folder above the path may be written to. Landlock then
/// cannot take the right away again.
fn is_inside_open(policy: &SandboxPolicy, path: &std::path::Path) -> bool {
    let is_open = |above| {
        policy.rules.iter().any(|(path, access)| path == above && access == PathAccess::Write)
    };
    path.ancestors().skip(1).any(is_open)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::PolicyFacts;

    fn landlock(landlock: u8) -> SandboxMeans {
        SandboxMeans { bubblewrap: None, landlock, is_root: false, refused: None }
    }

    fn bubblewrap(landlock: u8) -> SandboxMeans {
        SandboxMeans {
            bubblewrap: Some("/usr/bin/bwrap".into()),
            landlock,
            is_root: false,
            refused: None,
        }
    }

    fn policy(network: NetworkRule, git: Option<&str>) -> SandboxPolicy {
        let git = git.map(|git| (git.into(), git.into()));
        SandboxPolicy::new(&PolicyFacts {
            root: "/w".into(),
            git,
            state: vec!["/state".into()],
            network,
            ..PolicyFacts::default()
        })
    }

    fn names(means: &SandboxMeans, policy: &SandboxPolicy) -> Vec<&'static str> {
        means.lacks(policy).into_iter().map(SandboxGuarantee::name).collect()
    }

    #[test]
    fn bubblewrap_keeps_everything() {
        let full = bubblewrap(7);
        for network in [NetworkRule::On, NetworkRule::Off, NetworkRule::Hosts(vec!["a.b".into()])] {
            assert_eq!(names(&full, &policy(network, Some("/w/.git"))), [""; 0]);
        }
        assert_eq!(
            names(&bubblewrap(0), &policy(NetworkRule::On, Some("/w/.git"))),
            ["abstract_sockets"]
        );
        assert_eq!(names(&bubblewrap(0), &policy(NetworkRule::Off, Some("/w/.git"))), [""; 0]);
    }

    #[test]
    fn landlock_alone_says_what_it_lacks() {
        let never = ["attributes", "names", "processes", "sockets", "shared_memory"];
        assert_eq!(names(&landlock(7), &policy(NetworkRule::On, None)), never);
        let in_git = names(&landlock(7), &policy(NetworkRule::Off, Some("/w/.git")));
        for lacking in ["state", "git_settings", "network"].iter().chain(&never) {
            assert!(in_git.contains(lacking), "{lacking}");
        }
        assert!(!in_git.contains(&"writes") && !in_git.contains(&"fixed_files"));
        let old = names(&landlock(5), &policy(NetworkRule::On, None));
        assert!(old.contains(&"signals") && old.contains(&"abstract_sockets"));
    }

    #[test]
    fn landlock_does_not_keep_the_administrator_from_tracing() {
        let root = SandboxMeans { is_root: true, ..landlock(7) };
        assert!(names(&root, &policy(NetworkRule::On, None)).contains(&"tracing"));
    }

    #[test]
    fn without_means_nothing_is_kept() {
        let all = landlock(0).lacks(&policy(NetworkRule::Off, Some("/w/.git")));
        assert_eq!(all, SandboxGuarantee::ALL);
    }
}
