use std::fs::Metadata;
use std::time::{SystemTime, UNIX_EPOCH};

/// What the file system tells of a file without reading it. Two equal ones
/// mean the same contents, unless the file changed twice within one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) size: u64,
    /// Nanoseconds since 1970.
    pub(crate) modified: i128,
    /// When contents or metadata changed, in the same unit; it tells of edits
    /// whose author set the modification time back. 0 where unknown.
    pub(crate) changed: i128,
    /// 0 where unknown.
    pub(crate) inode: u64,
}

impl Stat {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().map_or(0, nanos);
        let (changed, inode) = change_and_inode(metadata);
        Self { size: metadata.len(), modified, changed, inode }
    }

    /// Whether the file is known not to have changed since `time`. Where the
    /// change of metadata has no time, nothing is known.
    pub(crate) fn is_older_than(&self, time: SystemTime) -> bool {
        // A hundredth of a second is more than a tick of the clocks that
        // count in parts of a second; the coarser ones show no parts.
        let is_fine = self.changed % 1_000_000_000 != 0;
        is_fine && self.modified.max(self.changed) + 10_000_000 < nanos(time)
    }

    /// Whether the file was at rest for so long before `now` that a later
    /// edit cannot fall into the same tick of the file system's clock.
    pub(crate) fn is_settled(&self, now: SystemTime) -> bool {
        // Two seconds is the coarsest tick in use (FAT).
        self.modified.max(self.changed) + 2_000_000_000 < nanos(now)
    }
}

fn nanos(time: SystemTime) -> i128 {
    let whole = |part: u128| i128::try_from(part).unwrap_or(i128::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => whole(after.as_nanos()),
        Err(before) => -whole(before.duration().as_nanos()),
    }
}

#[cfg(unix)]
fn change_and_inode(metadata: &Metadata) -> (i128, u64) {
    use std::os::unix::fs::MetadataExt;
    let changed = i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec());
    (changed, metadata.ino())
}

#[cfg(not(unix))]
fn change_and_inode(_metadata: &Metadata) -> (i128, u64) {
    (0, 0)
}
