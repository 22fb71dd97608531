//! The names of a note's neighbours, in few bytes: they mostly begin as its
//! own name does.

use crate::error::StorageFault;

/// The names before and after a note.
type NeighbourNames = [Option<String>; 2];

/// Stands for a name that there is not.
const NOBODY: u8 = u8::MAX;

/// Stands for a rest whose length takes two more bytes.
const LONG: u8 = u8::MAX;

/// Each name as how much of it is as in `own`, how long the rest is, and the
/// rest.
pub(super) fn render(names: [Option<&str>; 2], own: Option<&str>) -> Option<Vec<u8>> {
    if names == [None, None] {
        return None;
    }
    let own = own.unwrap_or_default().as_bytes();
    let mut bytes = Vec::new();
    for name in names {
        let Some(name) = name.map(str::as_bytes) else {
            bytes.push(NOBODY);
            continue;
        };
        let shared = name.iter().zip(own).take_while(|(one, other)| one == other).count();
        let shared = u8::try_from(shared).unwrap_or(NOBODY).min(NOBODY - 1);
        let rest = &name[usize::from(shared)..];
        bytes.push(shared);
        let length = u16::try_from(rest.len()).unwrap_or(u16::MAX);
        match u8::try_from(length) {
            Ok(length) if length < LONG => bytes.push(length),
            Ok(_) | Err(_) => {
                bytes.push(LONG);
                bytes.extend(length.to_le_bytes());
            }
        }
        bytes.extend(rest);
    }
    Some(bytes)
}

pub(super) fn parse(
    bytes: Option<&[u8]>,
    own: Option<&str>,
) -> Result<NeighbourNames, StorageFault> {
    let Some(mut bytes) = bytes else { return Ok([None, None]) };
    let mut names = [None, None];
    for name in &mut names {
        let (read, rest) = one(bytes, own.unwrap_or_default().as_bytes()).ok_or_else(|| {
            StorageFault::Damaged("the neighbours of a note have no names".to_owned())
        })?;
        *name = read;
        bytes = rest;
    }
    Ok(names)
}

fn one<'a>(bytes: &'a [u8], own: &[u8]) -> Option<(Option<String>, &'a [u8])> {
    let (shared, bytes) = bytes.split_first()?;
    if *shared == NOBODY {
        return Some((None, bytes));
    }
    let (length, mut bytes) = bytes.split_first()?;
    let mut length = u16::from(*length);
    if length == u16::from(LONG) {
        let (long, rest) = bytes.split_first_chunk()?;
        (length, bytes) = (u16::from_le_bytes(*long), rest);
    }
    let (rest, bytes) = bytes.split_at_checked(usize::from(length))?;
    let name = [own.get(..usize::from(*shared))?, rest].concat();
    Some((Some(String::from_utf8(name).ok()?), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: [Option<&str>; 2], own: Option<&str>, size: usize) {
        let bytes = render(names, own);
        assert_eq!(bytes.as_ref().map_or(0, Vec::len), size);
        let want = names.map(|name| name.map(str::to_owned));
        assert_eq!(parse(bytes.as_deref(), own).unwrap(), want);
    }

    #[test]
    fn names_come_back_whatever_they_share() {
        check([None, None], Some("a"), 0);
        check([Some("talk-17"), Some("talk-19")], Some("talk-18"), 6);
        check([Some("talk-18"), None], Some("talk-18"), 3);
        check([None, Some("")], None, 3);
        // Half of a letter may be shared.
        check([Some("가"), Some("각")], Some("갂"), 6);
        let long = "x".repeat(4096);
        check([Some(&long), Some(&long)], Some(&long), 2 * (4 + 4096 - 254));
        assert!(parse(Some(&[3, 1]), None).is_err());
        assert!(parse(Some(&[3, 1, b'x', NOBODY]), None).is_err());
    }
}
