//! Sockets of other programs in the file system.

use std::path::PathBuf;

/// Returns the paths of the sockets in `/proc/net/unix`.
///
/// A read-only mount does not keep a program from connecting to a socket, so
/// each must be hidden.
pub(crate) fn listed(table: &str) -> Vec<PathBuf> {
    let paths = table.lines().skip(1).filter_map(|line| {
        let at = line.find(" /")?;
        Some(PathBuf::from(&line[at + 1..]))
    });
    let mut paths: Vec<PathBuf> = paths.collect();
    paths.sort();
    paths.dedup();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_with_a_path_are_found_and_abstract_ones_are_not() {
        let table = "Num       RefCount Protocol Flags    Type St Inode Path\n\
             0000000000000000: 00000002 00000000 00010000 0001 01 21512 /run/docker.sock\n\
             0000000000000000: 00000003 00000000 00000000 0001 03 21513\n\
             0000000000000000: 00000002 00000000 00010000 0001 01 21514 @/tmp/dbus-1\n\
             0000000000000000: 00000003 00000000 00000000 0001 03 21515 /run/docker.sock\n\
             0000000000000000: 00000002 00000000 00010000 0001 01 21516 /h/me/a b/agent.sock\n";
        let want = [PathBuf::from("/h/me/a b/agent.sock"), PathBuf::from("/run/docker.sock")];
        assert_eq!(listed(table), want);
    }
}
