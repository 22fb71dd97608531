//! Paths as bytes with `/` between the parts, as git and our manifests write
//! them. On Unix every path survives; elsewhere names that are not Unicode get
//! replacement characters.

use std::path::{Path, PathBuf};

/// Returns the path's bytes.
#[cfg(unix)]
pub fn to_bytes(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().to_vec()
}

/// Returns the path of these bytes.
#[cfg(unix)]
pub fn from_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// Returns the path's bytes.
#[cfg(not(unix))]
pub fn to_bytes(path: &Path) -> Vec<u8> {
    path.to_string_lossy().replace('\\', "/").into_bytes()
}

/// Returns the path of these bytes.
#[cfg(not(unix))]
pub fn from_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
