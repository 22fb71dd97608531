/// Closes the memory of this process to others of the same user; whether that
/// was done. Only on Linux it can be, and not for root, to whom all is open.
///
/// It cannot be traced from then on, nor does it leave a core file. What it
/// starts is as open as any other process.
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
