/// Closes the memory of this process to other processes of the same user.
/// Returns true if that worked: only on Linux, and not for root, who may read
/// all memory.
///
/// The process cannot be traced from then on and leaves no core file. Its
/// children are as open as any other process.
pub fn close_memory() -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, geteuid, set_dumpable_behavior};
        let is_closed = set_dumpable_behavior(DumpableBehavior::NotDumpable).is_ok();
        is_closed && !geteuid().is_root()
    }
    #[cfg(not(target_os = "linux"))]
    false
}
