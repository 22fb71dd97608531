//! Paths as the protocol writes them.

use std::path::{Path, PathBuf};

/// The `file://` form of an absolute path.
pub(super) fn from_path(path: &Path) -> String {
    let mut uri = String::from("file://");
    let text = path.to_string_lossy();
    if cfg!(windows) {
        uri.push('/');
    }
    for byte in text.bytes() {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => {
                for digit in [byte >> 4, byte & 15] {
                    uri.push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
                }
                // The sign goes before the two digits.
                uri.insert(uri.len() - 2, '%');
            }
        }
    }
    uri
}

/// The path in a `file://` form, however it is escaped; `None` for any other.
pub(super) fn to_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.as_bytes();
    while let [first, tail @ ..] = left {
        let escaped = match (first, tail) {
            (b'%', [high, low, ..]) => digit(*high).zip(digit(*low)),
            _ => None,
        };
        if let Some((high, low)) = escaped {
            bytes.push(high << 4 | low);
            left = &tail[2..];
        } else {
            bytes.push(*first);
            left = tail;
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    let text = if cfg!(windows) { text.trim_start_matches('/') } else { &text };
    Some(PathBuf::from(text))
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_survives_both_ways() {
        for path in ["/a/b.rs", "/a b/ä#%41?.py", "/[id]/@x+y.ts"] {
            assert_eq!(to_path(&from_path(Path::new(path))), Some(PathBuf::from(path)), "{path}");
        }
        assert_eq!(from_path(Path::new("/a b/ä")), "file:///a%20b/%C3%A4");
    }

    #[test]
    fn other_ways_to_escape_mean_the_same_path() {
        for uri in ["file:///a%40b", "file:///a@b", "file://localhost/a%40b"] {
            assert_eq!(to_path(uri), Some(PathBuf::from("/a@b")), "{uri}");
        }
        assert_eq!(to_path("file:///100%"), Some(PathBuf::from("/100%")));
        assert_eq!(to_path("untitled:1"), None);
    }
}
