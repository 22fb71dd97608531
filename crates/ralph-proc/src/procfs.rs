//! Readers of `/proc`.

use std::collections::HashMap;
use std::fs;

/// The fields of `/proc/<pid>/stat` that we use.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ProcessStat {
    pub(crate) parent: i32,
    pub(crate) session: i32,
    /// True if it was stopped, by a signal or by a tracer.
    pub(crate) is_stopped: bool,
    /// True if it ended and its parent has not asked for its exit code yet.
    pub(crate) is_ended: bool,
    /// In clock ticks since the machine started.
    pub(crate) start_time: u64,
}

impl ProcessStat {
    pub(crate) fn of(pid: i32) -> Option<Self> {
        let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
        Self::parse(&String::from_utf8_lossy(&text))
    }

    /// Parses the line. The second field is the program's name in parentheses.
    /// The name may contain spaces and parentheses, so counting starts after
    /// the last one.
    fn parse(text: &str) -> Option<Self> {
        let (_, fields) = text.rsplit_once(')')?;
        let mut fields = fields.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let session = fields.nth(1)?.parse().ok()?;
        let start_time = fields.nth(15)?.parse().ok()?;
        let (is_stopped, is_ended) = (matches!(state, "T" | "t"), matches!(state, "Z" | "X"));
        Some(Self { parent, session, is_stopped, is_ended, start_time })
    }
}

/// Returns all processes we can see, in no order.
pub(crate) fn pids() -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Returns the children of a process. The kernel lists them by thread; if it
/// does not, all processes are searched.
pub(crate) fn children(parent: i32) -> Vec<i32> {
    let listed = || {
        let mut found = Vec::new();
        for thread in fs::read_dir(format!("/proc/{parent}/task")).ok()? {
            let list = fs::read_to_string(thread.ok()?.path().join("children")).ok()?;
            found.extend(list.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
        }
        Some(found)
    };
    listed().unwrap_or_else(|| {
        let below = descendants(parent).into_iter().filter(|(_, above)| *above == parent);
        below.map(|(pid, _)| pid).collect()
    })
}

/// Returns every process below `root`, as pairs of pid and parent.
///
/// A process that loses its parent meanwhile may be missed, so callers look
/// again until the kernel or a second look confirms that none is left.
pub(crate) fn descendants(root: i32) -> Vec<(i32, i32)> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for pid in pids() {
        if let Some(stat) = ProcessStat::of(pid) {
            children.entry(stat.parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            found.push((child, parent));
            parents.push(child);
        }
    }
    found
}

/// Returns true if the process was started with `entry` (`NAME=value`) in its
/// environment. A process of another user, or one that ended, has none.
pub(crate) fn has_in_environment(pid: i32, entry: &str) -> bool {
    fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|one| one == entry.as_bytes()))
}

/// Returns the resident memory of a process, in bytes.
pub(crate) fn resident_memory(pid: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_name_with_spaces_and_parentheses_does_not_confuse_the_fields() {
        let text = "42 (a) b (c) S 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 11 12 13";
        let found = ProcessStat {
            parent: 7,
            session: 42,
            is_stopped: false,
            is_ended: false,
            start_time: 98765,
        };
        assert_eq!(ProcessStat::parse(text), Some(found));
        let stopped =
            |state: &str| ProcessStat::parse(&text.replace(" S ", state)).unwrap().is_stopped;
        assert!(stopped(" T ") && stopped(" t ") && !stopped(" R "));
        assert_eq!(ProcessStat::parse("42 (a) S 7"), None);
        assert_eq!(ProcessStat::parse(""), None);
    }

    #[test]
    fn a_child_is_found_below_its_parent() {
        let me = i32::try_from(std::process::id()).unwrap();
        let mut child = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .env("RALPH_PROC_MARK", "x1")
            .spawn()
            .unwrap();
        // While a program starts, its environment may not be there.
        let mut byte = [0];
        std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"x").unwrap();
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut byte).unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        assert!(descendants(me).contains(&(pid, me)) && children(me).contains(&pid));
        assert!(has_in_environment(pid, "RALPH_PROC_MARK=x1"));
        assert!(!has_in_environment(pid, "RALPH_PROC_MARK=x"));
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(ProcessStat::of(pid), None);
    }
}
