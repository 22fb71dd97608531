//! Asks the Ruby interpreter that checks run for its libraries.

use std::ffi::{OsStr, OsString};

use ralph_proc::{Supervisor, find_program};

use crate::programs::ProgramPlaces;
use crate::python::answer;

/// Prints the names that lead to a library or to a gem.
const ASK: &str = "ARGV.each { |name| puts name unless Gem.find_files(name).empty? }";

/// Returns the names that Ruby would load from outside the project.
pub(crate) fn installed(
    names: &[String],
    supervisor: &Supervisor,
    places: &ProgramPlaces<'_>,
) -> Vec<String> {
    let path = places.env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| &**value);
    let ruby = find_program(OsStr::new("ruby"), places.root, path);
    let Some(ruby) = ruby.filter(|_| !names.is_empty()) else { return Vec::new() };
    let head: [OsString; 2] = ["-e".into(), ASK.into()];
    let args = head.into_iter().chain(names.iter().map(OsString::from)).collect();
    let printed = answer(supervisor, places, &ruby, args).unwrap_or_default();
    String::from_utf8_lossy(&printed).lines().map(str::to_owned).collect()
}

/// Returns the name under which Ruby loads a file of a project's library
/// folders.
pub(crate) fn library_name(path: &str) -> Option<String> {
    let stem = path.strip_suffix(".rb")?;
    let below = |folder: &str| stem.strip_prefix(folder);
    Some(below("lib/").or_else(|| below("spec/")).or_else(|| below("test/"))?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_named_by_its_path_below_the_folder_of_libraries() {
        assert_eq!(
            library_name("lib/rspec/expectations.rb").as_deref(),
            Some("rspec/expectations")
        );
        assert_eq!(library_name("lib/pp.rb").as_deref(), Some("pp"));
        assert_eq!(library_name("app/pp.rb"), None);
        assert_eq!(library_name("lib/pp.py"), None);
    }
}
