use std::fs::Metadata;
use std::time::{SystemTime, UNIX_EPOCH};

/// Nanoseconds above the tick of clocks with fractions of a second; coarser
/// ones show no fractions.
const FINE_TICK: i128 = 10_000_000;

/// The coarsest tick in use (FAT).
const COARSE_TICK: i128 = 2_000_000_000;

/// Metadata of a file. Two equal ones mean the same contents, unless the file
/// changed twice within one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStat {
    pub(crate) size: u64,
    /// Nanoseconds since 1970.
    pub(crate) modified: i128,
    /// Time of the last change of contents or metadata, in the same unit. It
    /// reveals edits that reset the modification time. 0 if unknown.
    pub(crate) changed: i128,
    /// 0 if unknown.
    pub(crate) inode: u64,
}

impl FileStat {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().map_or(0, nanos);
        let (changed, inode) = change_and_inode(metadata);
        Self { size: metadata.len(), modified, changed, inode }
    }

    #[cfg(unix)]
    pub(crate) fn of_raw(raw: &rustix::fs::Stat) -> Self {
        let nanos = |whole, part| i128::from(whole) * 1_000_000_000 + part;
        Self {
            size: u64::try_from(raw.st_size).unwrap_or(0),
            modified: nanos(raw.st_mtime, i128::from(raw.st_mtime_nsec)),
            changed: nanos(raw.st_ctime, i128::from(raw.st_ctime_nsec)),
            inode: raw.st_ino,
        }
    }

    /// Returns true if the file certainly has not changed since `time`. Always
    /// false where the file system has no change time.
    pub(crate) fn is_older_than(&self, time: SystemTime) -> bool {
        let is_fine = self.changed % 1_000_000_000 != 0;
        is_fine && self.modified.max(self.changed) + FINE_TICK < nanos(time)
    }

    /// Like [`Self::is_at_rest`], for any file system's clock.
    pub(crate) fn is_settled(&self, time: SystemTime) -> bool {
        self.is_at_rest(ScanStart { time, clock: FileClock::Unknown })
    }

    /// Returns true if the last change is so long before `now` that a later
    /// edit cannot fall into the same tick of the file system's clock.
    pub(crate) fn is_at_rest(&self, now: ScanStart) -> bool {
        let is_fine = self.changed % 1_000_000_000 != 0;
        let tick = match now.clock {
            FileClock::Own if is_fine => FINE_TICK,
            FileClock::Own | FileClock::Unknown => COARSE_TICK,
        };
        self.modified.max(self.changed) + tick < nanos(now.time)
    }
}

/// Start time of a scan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScanStart {
    /// By the clock that stamps our own files.
    pub(crate) time: SystemTime,
    pub(crate) clock: FileClock,
}

/// The clock that stamps the files of a work tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileClock {
    /// The clock of this machine, which also stamps our own files.
    Own,
    /// Maybe another one, which may be slow.
    Unknown,
}

/// Metadata of a folder. Two equal ones mean the same names in it, unless it
/// changed twice within one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FolderStat {
    stat: FileStat,
    /// Differs when something is mounted there.
    device: u64,
}

impl FolderStat {
    /// Returns `None` where a folder's times do not show all changes in it.
    pub(crate) fn of(metadata: &Metadata) -> Option<Self> {
        let stat = FileStat::of(metadata);
        (stat.changed != 0).then(|| Self { stat, device: device(metadata) })
    }

    /// Like [`FileStat::is_at_rest`].
    pub(crate) fn is_at_rest(&self, now: ScanStart) -> bool {
        self.stat.is_at_rest(now)
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

#[cfg(unix)]
fn device(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::dev(metadata)
}

#[cfg(not(unix))]
fn device(_metadata: &Metadata) -> u64 {
    0
}

#[cfg(not(unix))]
fn change_and_inode(_metadata: &Metadata) -> (i128, u64) {
    (0, 0)
}
