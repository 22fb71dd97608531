//! Files of ours that an agent can write, too: nothing but a file is read, as
//! a pipe in its place would never end.

use std::fs;
use std::io;
use std::path::Path;

/// What is in a file.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    if fs::symlink_metadata(path)?.is_file() {
        return fs::read(path);
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "not a file"))
}

/// What is in a file, as text.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_not_followed_and_a_folder_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "text").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read_text(&file).unwrap(), "text");
        assert!(read(&link).is_err() && read(folder.path()).is_err());
    }
}
