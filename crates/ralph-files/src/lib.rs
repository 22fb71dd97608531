//! Reads and writes files that others can write, too.
//!
//! An agent can replace a file by a pipe without a writer, a device, a link or
//! an endless file. This crate reads only regular files of a sensible size. It
//! checks them through the open handle and never waits.

mod failure_log;

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

pub use failure_log::{LogFailure, remove_if_there};

/// Larger files are not read as a whole, in bytes.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// Largest size of a file with ignore rules, in bytes. Nobody writes larger
/// ones by hand.
const MOST_RULES: u64 = 16 * 1024 * 1024;

/// Files with rules that walkers and git read in every folder.
const RULES: [&str; 4] = [".gitignore", ".gitattributes", ".ignore", ".git/info/exclude"];

/// The treatment of a link in the place of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkRule {
    /// The file that it leads to is opened.
    Followed,
    /// It is an error.
    Refused,
}

/// Creates a folder that only its owner may enter, and those above it.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Opens a file, following a link.
pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
    open_with(OpenOptions::new().read(true), path.as_ref(), LinkRule::Followed)
}

/// Opens a file of our own state, which is never a link.
pub fn open_own(path: impl AsRef<Path>) -> io::Result<File> {
    open_with(OpenOptions::new().read(true), path.as_ref(), LinkRule::Refused)
}

/// Reads a file, following a link.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    read_all(open(path)?)
}

/// Reads a file as text, following a link.
pub fn read_text(path: impl AsRef<Path>) -> io::Result<String> {
    as_text(read(path)?)
}

/// Reads a file of our own state, which is never a link.
pub fn read_own(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    read_all(open_own(path)?)
}

/// Reads a file of our own state as text.
pub fn read_own_text(path: impl AsRef<Path>) -> io::Result<String> {
    as_text(read_own(path)?)
}

/// Opens an empty file of our own state, which only its owner may read.
/// Anything else in its place is removed.
pub fn create_own(path: impl AsRef<Path>) -> io::Result<File> {
    let file = update_own(path)?;
    file.set_len(0)?;
    Ok(file)
}

/// Opens a file of our own state to append to it and to read it. Anything else
/// in its place is removed.
pub fn append_own(path: impl AsRef<Path>) -> io::Result<File> {
    own(path.as_ref(), OpenOptions::new().read(true).append(true))
}

/// Opens a file of our own state to overwrite it. Anything else in its place is
/// removed.
pub fn update_own(path: impl AsRef<Path>) -> io::Result<File> {
    own(path.as_ref(), OpenOptions::new().write(true))
}

/// Writes a whole file of our own state.
pub fn write_own(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> io::Result<()> {
    create_own(path)?.write_all(contents.as_ref())
}

/// Returns true if the ignore rules in a folder can be read: each is a file of
/// a sensible size, or missing. Walkers open them without checking.
pub fn has_plain_rules(folder: &Path) -> bool {
    odd_rules(folder).is_none()
}

/// Returns true if a walker may enter what it met. A folder with odd rules
/// could block it.
pub fn may_enter(path: &Path, kind: Option<FileType>) -> bool {
    !kind.is_some_and(|kind| kind.is_dir()) || has_plain_rules(path)
}

/// Returns the name of a rule file in the folder that is not a regular file, or
/// is huge.
pub fn odd_rules(folder: &Path) -> Option<&'static str> {
    let is_plain = |found: Metadata| found.is_dir() || found.is_file() && found.len() <= MOST_RULES;
    RULES.into_iter().find(|name| fs::metadata(folder.join(name)).is_ok_and(|one| !is_plain(one)))
}

/// Returns true if the path, or the end of a link there, is neither a file nor
/// a folder. Opening it may block for ever.
pub fn is_odd(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

fn own(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    let is_other = |found: Metadata| !found.is_file() && !found.is_dir();
    match open_with(options.create(true), path, LinkRule::Refused) {
        Err(_) if fs::symlink_metadata(path).is_ok_and(is_other) => {
            fs::remove_file(path)?;
            open_with(options.create_new(true), path, LinkRule::Refused)
        }
        opened => opened,
    }
}

fn open_with(options: &mut OpenOptions, path: &Path, links: LinkRule) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = match links {
            LinkRule::Followed => OFlags::NONBLOCK | OFlags::NOCTTY,
            LinkRule::Refused => OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW,
        };
        let flags = i32::try_from(flags.bits()).unwrap_or(0);
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags);
    }
    let file = options.open(path)?;
    let is_link = || fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    if !file.metadata()?.is_file() || (cfg!(not(unix)) && links == LinkRule::Refused && is_link()) {
        return Err(io::Error::new(ErrorKind::InvalidData, "it is not a file"));
    }
    Ok(file)
}

fn read_all(file: File) -> io::Result<Vec<u8>> {
    let too_large = || Err(io::Error::new(ErrorKind::FileTooLarge, "it is too large"));
    let size = file.metadata()?.len();
    if size > MOST_BYTES {
        return too_large();
    }
    let mut bytes = Vec::new();
    bytes.try_reserve(usize::try_from(size).unwrap_or(0))?;
    let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if read as u64 > MOST_BYTES { too_large() } else { Ok(bytes) }
}

fn as_text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    fn pipe(path: &Path) {
        mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    }

    #[test]
    fn a_pipe_a_folder_and_a_device_are_no_files_and_nothing_waits_for_them() {
        let folder = tempfile::tempdir().unwrap();
        let (to_pipe, to_device) = (folder.path().join("a"), folder.path().join("b"));
        let place = folder.path().join("pipe");
        pipe(&place);
        symlink(&place, &to_pipe).unwrap();
        symlink("/dev/zero", &to_device).unwrap();
        for path in [&place, &to_pipe, &to_device, folder.path()] {
            assert!(read(path).is_err() && read_own_text(path).is_err(), "{}", path.display());
        }
    }

    #[test]
    fn a_link_to_a_file_is_followed_unless_the_file_is_our_own() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "text").unwrap();
        symlink(&file, &link).unwrap();
        assert_eq!(read_text(&link).unwrap(), "text");
        assert_eq!(read_own_text(&file).unwrap(), "text");
        assert!(read_own(&link).is_err());
    }

    #[test]
    fn what_is_in_the_place_of_our_own_file_goes_when_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (users, own) = (folder.path().join("users"), folder.path().join("own"));
        fs::write(&users, "theirs").unwrap();
        pipe(&own);
        write_own(&own, "ours").unwrap();
        assert_eq!(fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o600);
        fs::remove_file(&own).unwrap();
        symlink(&users, &own).unwrap();
        append_own(&own).unwrap().write_all(b"one ").unwrap();
        append_own(&own).unwrap().write_all(b"two").unwrap();
        assert_eq!(read_own_text(&own).unwrap(), "one two");
        assert_eq!(fs::read_to_string(&users).unwrap(), "theirs");
        write_own(&own, "new").unwrap();
        assert_eq!(read_own_text(&own).unwrap(), "new");
        assert!(write_own(folder.path(), "a folder stays").is_err());
    }

    #[test]
    fn a_file_without_an_end_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("huge");
        File::create(&path).unwrap().set_len(MOST_BYTES + 1).unwrap();
        assert_eq!(read(&path).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    fn rules_that_are_no_file_are_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".gitignore"), "").unwrap();
        assert!(has_plain_rules(folder.path()));
        pipe(&folder.path().join(".ignore"));
        assert_eq!(odd_rules(folder.path()), Some(".ignore"));
        File::create(folder.path().join(".gitignore")).unwrap().set_len(MOST_RULES + 1).unwrap();
        assert_eq!(odd_rules(folder.path()), Some(".gitignore"));
    }
}
