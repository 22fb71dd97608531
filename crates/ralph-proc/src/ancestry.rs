//! The ancestors of this process.

use std::ffi::OsString;
use std::path::PathBuf;

/// An ancestor of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ancestor {
    /// Its id.
    pub pid: u32,
    /// Its start, as returned by
    /// [`process_start_time`](crate::process_start_time).
    pub started: u64,
}

/// Maximum number of ancestors. A loop would be an error of the system.
#[cfg(target_os = "linux")]
const HIGHEST: usize = 64;

/// Returns the ancestors of this process, the nearest first; none on systems
/// other than Linux. An orphan counts as a child of the process that adopted
/// it.
pub fn ancestors() -> Vec<Ancestor> {
    #[cfg(target_os = "linux")]
    {
        use crate::procfs::ProcessStat;

        let above =
            |pid: i32| ProcessStat::of(pid).map(|stat| stat.parent).filter(|parent| *parent > 0);
        let me = i32::try_from(std::process::id()).ok();
        let all = std::iter::successors(me.and_then(above), |pid| above(*pid)).take(HIGHEST);
        let named = all.filter_map(|pid| {
            let started = ProcessStat::of(pid)?.start_time;
            Some(Ancestor { pid: u32::try_from(pid).ok()?, started })
        });
        named.collect()
    }
    #[cfg(not(target_os = "linux"))]
    Vec::new()
}

impl Ancestor {
    /// Returns the environment it was started with; empty if unknown.
    pub fn environment(self) -> Vec<(OsString, OsString)> {
        #[cfg(target_os = "linux")]
        {
            use std::ffi::OsStr;
            use std::os::unix::ffi::OsStrExt;

            let text = std::fs::read(format!("/proc/{}/environ", self.pid)).unwrap_or_default();
            let pair = |entry: &[u8]| {
                let at = entry.iter().position(|byte| *byte == b'=')?;
                let text = |bytes| OsStr::from_bytes(bytes).to_owned();
                Some((text(&entry[..at]), text(&entry[at + 1..])))
            };
            text.split(|byte| *byte == 0).filter_map(pair).collect()
        }
        #[cfg(not(target_os = "linux"))]
        Vec::new()
    }

    /// Returns its working directory; `None` if unknown.
    pub fn folder(self) -> Option<PathBuf> {
        if cfg!(target_os = "linux") {
            std::fs::read_link(format!("/proc/{}/cwd", self.pid)).ok()
        } else {
            None
        }
    }

    /// Returns true if it runs a program of this name, by itself or as the
    /// script of an interpreter; `false` if unknown.
    pub fn is_program(self, name: &str) -> bool {
        if !cfg!(target_os = "linux") {
            return false;
        }
        let read = |file: &str| std::fs::read(format!("/proc/{}/{file}", self.pid));
        let line = read("cmdline").unwrap_or_default();
        let words = line.split(|byte| *byte == 0).take(2).map(<[u8]>::to_vec);
        let mut known = words.chain(read("comm")).map(|word| {
            let word = String::from_utf8_lossy(&word).trim().to_owned();
            std::path::Path::new(&word).file_stem().map(std::ffi::OsStr::to_owned)
        });
        known.any(|stem| stem.is_some_and(|stem| stem == name))
    }

    /// Returns its command line if it runs the program of this process; `None`
    /// if it runs another one, or if that is unknown.
    pub fn words_of_same_program(self) -> Option<Vec<OsString>> {
        #[cfg(target_os = "linux")]
        {
            use std::ffi::OsStr;
            use std::os::unix::ffi::OsStrExt;

            let program = |name: &str| std::fs::read_link(format!("/proc/{name}/exe")).ok();
            if program(&self.pid.to_string())? != program("self")? {
                return None;
            }
            let text = std::fs::read(format!("/proc/{}/cmdline", self.pid)).ok()?;
            let words = text.split(|byte| *byte == 0);
            Some(words.map(|word| OsStr::from_bytes(word).to_owned()).collect())
        }
        #[cfg(not(target_os = "linux"))]
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_ancestor_is_the_parent() {
        let parent = std::os::unix::process::parent_id();
        let all = ancestors();
        assert_eq!(all[0].pid, parent);
        assert_eq!(Some(all[0].started), crate::process_start_time(parent));
        assert!(all[0].environment().iter().any(|(name, _)| name == "PATH"));
        assert!(all[0].folder().is_some());
        assert_eq!(all[0].words_of_same_program(), None, "it is no test of this crate");
        let pid = std::process::id();
        let started = crate::process_start_time(pid).unwrap();
        let this = Ancestor { pid, started };
        assert!(this.words_of_same_program().is_some());
        let own = std::env::current_exe().unwrap();
        assert!(this.is_program(own.file_stem().unwrap().to_str().unwrap()));
        assert!(!this.is_program("sh"));
    }
}
