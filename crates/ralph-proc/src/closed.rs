/// Closes the memory of this process to others of the same user; whether that
/// was done. Only on Linux it can be.
///
/// It cannot be traced from then on, nor does it leave a core file. What it
/// starts is as open as any other process.
pub fn close_memory() -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        set_dumpable_behavior(DumpableBehavior::NotDumpable).is_ok()
    }
    #[cfg(not(target_os = "linux"))]
    false
}
