//! Programs that run inside something, while their supervisor stays outside.

use std::fmt::Debug;
use std::path::Path;

use crate::launch::ProgramLaunch;

/// Starts programs inside a sandbox.
pub trait Enclosure: Debug + Send + Sync {
    /// Returns the launch that starts the same program inside.
    fn enclose(&self, launch: &ProgramLaunch) -> ProgramLaunch;

    /// Clears up after a program. It has ended with all its descendants.
    fn leave(&self);

    /// Returns a folder for temporary files that programs inside and we can
    /// both write to.
    fn scratch(&self) -> &Path;

    /// Returns true if the process that starts waits for the program instead of
    /// becoming it. It must then outlive the program.
    fn has_monitor(&self) -> bool;
}
