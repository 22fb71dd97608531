//! Paths of any bytes in printable ASCII.

use std::fmt::Write;

/// Appends a path to `text`; bytes that are not printable become `%` and two
/// hex digits.
pub(crate) fn escape(path: &[u8], text: &mut String) {
    for byte in path {
        if (byte.is_ascii_graphic() && *byte != b'%') || *byte == b' ' {
            text.push(char::from(*byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02x}");
        }
    }
}

/// Returns the path that was escaped.
pub(crate) fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.split('%');
    let mut path = parts.next()?.as_bytes().to_vec();
    for part in parts {
        path.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        path.extend(part.as_bytes().get(2..)?);
    }
    Some(path)
}
