//! Commits since a start, and commits that were reverted.

use std::collections::BTreeSet;

use crate::error::TreeError;
use crate::work_tree::WorkTree;

/// Maximum number of commits returned: the latest.
const MOST_COMMITS: &str = "--max-count=100";

/// Number of commits searched for reverts.
const MOST_REVERTS: &str = "--max-count=200";

/// Line that git writes into the message of a revert.
const REVERTS: &str = "This reverts commit ";

impl WorkTree {
    /// Returns the commits of the present branch that `head` did not have, the
    /// latest first. `None` means a repository without any commit. Outside git
    /// there are none.
    pub fn commits_since(&self, head: Option<&str>) -> Result<Vec<String>, TreeError> {
        let (Some(git), Some(now)) = (self.git(), self.head()?) else { return Ok(Vec::new()) };
        if head == Some(now.as_str()) {
            return Ok(Vec::new());
        }
        let range = head.map_or_else(|| now.clone(), |head| format!("{head}..{now}"));
        let listed = git.users("rev-list").args([MOST_COMMITS, range.as_str(), "--"]).feed(&[])?;
        if !listed.status.success() {
            // The old head was deleted from the repository.
            return Ok(Vec::new());
        }
        Ok(String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect())
    }

    /// Returns the commits that later ones of the present branch revert, unless
    /// the revert was itself reverted. Outside git there are none.
    pub fn reverted(&self) -> Result<BTreeSet<String>, TreeError> {
        let (Some(git), Some(_)) = (self.git(), self.head()?) else { return Ok(BTreeSet::new()) };
        let grep = format!("--grep=^{REVERTS}");
        let args = [MOST_REVERTS, "--topo-order", "-z", "--format=%H%n%B", &grep];
        let log = git.users("log").args(args).read()?;
        let log = String::from_utf8_lossy(&log);
        let mut reverted = BTreeSet::new();
        // The latest comes first, so a revert is seen before the commit that it
        // reverts.
        for commit in log.split('\0') {
            let (hash, message) = commit.split_once('\n').unwrap_or((commit, ""));
            if !reverted.contains(hash) {
                reverted.extend(named(message));
            }
        }
        Ok(reverted)
    }
}

/// Returns the commits that a message says it reverts.
fn named(message: &str) -> impl Iterator<Item = String> {
    let named = message.lines().filter_map(|line| line.strip_prefix(REVERTS));
    let hash = |rest: &str| {
        let end = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len());
        rest[..end].to_owned()
    };
    named.map(hash).filter(|hash| hash.len() >= 40)
}

#[cfg(test)]
mod tests {
    use crate::scratch::ScratchTree;

    #[test]
    fn commits_and_what_takes_them_back_are_told() {
        let scratch = ScratchTree::git();
        scratch.write("a", "1");
        scratch.commit();
        let tree = scratch.open();
        let start = tree.head().unwrap();
        assert!(tree.commits_since(start.as_deref()).unwrap().is_empty());
        scratch.write("a", "2");
        scratch.commit();
        let commits = tree.commits_since(start.as_deref()).unwrap();
        assert_eq!(commits, [tree.head().unwrap().unwrap()]);
        assert_eq!(tree.commits_since(None).unwrap().len(), 2);
        assert!(tree.reverted().unwrap().is_empty());
        scratch.run(&["revert", "--no-edit", "HEAD"]);
        assert_eq!(tree.reverted().unwrap().into_iter().collect::<Vec<_>>(), commits);
    }

    #[test]
    fn what_was_taken_back_and_done_again_is_not_taken_back() {
        let scratch = ScratchTree::git();
        scratch.write("a", "1");
        scratch.commit();
        scratch.write("a", "2");
        scratch.commit();
        let tree = scratch.open();
        let work = tree.head().unwrap().unwrap();
        let reverted = || tree.reverted().unwrap();
        scratch.run(&["revert", "--no-edit", "HEAD"]);
        let first = tree.head().unwrap().unwrap();
        scratch.run(&["revert", "--no-edit", "HEAD"]);
        let second = tree.head().unwrap().unwrap();
        assert_eq!(reverted().into_iter().collect::<Vec<_>>(), [first]);
        scratch.run(&["revert", "--no-edit", "HEAD"]);
        assert_eq!(reverted(), [work.clone(), second].into());
        scratch.run(&["revert", "--no-edit", "HEAD"]);
        assert!(!reverted().contains(&work));
        scratch.run(&["revert", "--no-edit", &work]);
        assert!(reverted().contains(&work));
    }

    #[test]
    fn outside_git_and_before_the_first_commit_there_is_nothing_to_tell() {
        for scratch in [ScratchTree::plain(), ScratchTree::git()] {
            scratch.write("a", "1");
            let tree = scratch.open();
            assert!(tree.commits_since(None).unwrap().is_empty());
            assert!(tree.reverted().unwrap().is_empty());
        }
        let scratch = ScratchTree::git();
        scratch.write("a", "1");
        scratch.commit();
        let unknown = "0".repeat(40);
        assert!(scratch.open().commits_since(Some(&unknown)).unwrap().is_empty());
    }
}
