//! Lists the names that each file defines.

use crate::code::KnownCode;

impl KnownCode<'_> {
    /// Returns each file with the names that it defines, in the order of the
    /// paths.
    pub fn names(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        self.project.ids().map(|file| {
            let definitions = self.project.definitions(file);
            let names = definitions.map(|(at, _)| self.project.name(at)).collect();
            (self.project.file(file).path.as_str(), names)
        })
    }
}
