//! Tells whether the timestamps of a file system are reliable.

use std::fs::File;
use std::path::Path;

use crate::stat::FileClock;

/// Returns the clock that stamps files in these folders. On a known local file
/// system, adding and removing a name changes the times of its folder; network
/// and user file systems need not do so.
pub(crate) fn clock_of(folders: [&Path; 2]) -> FileClock {
    let is_known = |folder: &Path| File::open(folder).is_ok_and(|folder| is_known(&folder));
    if folders.into_iter().all(is_known) { FileClock::Own } else { FileClock::Unknown }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_known(root: &File) -> bool {
    const EXT: i128 = 0xef53;
    const XFS: i128 = 0x5846_5342;
    const BTRFS: i128 = 0x9123_683e;
    const BCACHEFS: i128 = 0xca45_1a4e;
    const F2FS: i128 = 0xf2f5_2010;
    const ZFS: i128 = 0x2fc1_2fc1;
    const TMPFS: i128 = 0x0102_1994;
    const OVERLAY: i128 = 0x794c_7630;
    let known = [EXT, XFS, BTRFS, BCACHEFS, F2FS, ZFS, TMPFS, OVERLAY];
    rustix::fs::fstatfs(root).is_ok_and(|found| known.contains(&i128::from(found.f_type)))
}

#[cfg(target_vendor = "apple")]
fn is_known(root: &File) -> bool {
    let is_named = |found: rustix::fs::StatFs| {
        let name = found.f_fstypename.iter().map(|byte| i32::from(*byte));
        name.take_while(|byte| *byte != 0).eq(b"apfs".iter().map(|byte| i32::from(*byte)))
    };
    rustix::fs::fstatfs(root).is_ok_and(is_named)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn is_known(_root: &File) -> bool {
    false
}
