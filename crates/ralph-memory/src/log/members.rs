//! Compressed text in small parts that do not depend on each other.
//!
//! Each part is a member of its own, as gzip allows, so damage to one costs the
//! lines of that part and no others.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;

/// A part ends with the line that makes it this long, in bytes.
const LONG_MEMBER: usize = 16 * 1024;

/// How every member begins.
const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

/// Stands for what cannot be unpacked: a line that nobody can read.
const LOST: &[u8] = b"?\n";

/// Writes lines as members, each with whole lines.
pub(super) fn write(text: &[u8], out: &mut impl Write) -> io::Result<()> {
    let mut rest = text;
    while !rest.is_empty() {
        let behind = rest.len().min(LONG_MEMBER);
        let end = rest[behind - 1..].iter().position(|byte| *byte == b'\n');
        let (member, after) = rest.split_at(end.map_or(rest.len(), |end| behind + end));
        let mut encoder = GzEncoder::new(&mut *out, Compression::new(4));
        encoder.write_all(member)?;
        encoder.finish()?;
        rest = after;
    }
    Ok(())
}

/// Reads what can be read. Where something is lost stands a line that nobody can
/// read; a part that is only damaged towards its end gives its beginning.
pub(super) fn read(packed: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut rest = packed;
    while !rest.is_empty() {
        let mut decoder = GzDecoder::new(rest);
        let before = text.len();
        if decoder.read_to_end(&mut text).is_ok() && text.len() > before {
            rest = decoder.into_inner();
        } else {
            text.extend_from_slice(LOST);
            rest = next_member(&rest[1..]);
        }
    }
    text
}

/// What begins with the next member that is whole.
fn next_member(packed: &[u8]) -> &[u8] {
    let starts = packed.windows(MAGIC.len()).enumerate().filter(|(_, part)| *part == MAGIC);
    let whole =
        |start: &usize| GzDecoder::new(&packed[*start..]).read_to_end(&mut Vec::new()).is_ok();
    starts.map(|(start, _)| start).find(whole).map_or(&[], |start| &packed[start..])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn packed(text: &str) -> Vec<u8> {
        let mut packed = Vec::new();
        write(text.as_bytes(), &mut packed).unwrap();
        packed
    }

    fn lines() -> String {
        let lines: Vec<String> =
            (0..5_000).map(|number| format!("line {number} {}\n", number * 7919)).collect();
        lines.concat()
    }

    #[test]
    fn what_is_written_is_read() {
        for text in ["", "one\n", "no end", &lines(), &"x".repeat(3 * LONG_MEMBER)] {
            assert_eq!(read(&packed(text)), text.as_bytes());
        }
    }

    #[test]
    fn a_file_of_one_member_is_read_as_well() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::new(4));
        encoder.write_all(lines().as_bytes()).unwrap();
        assert_eq!(read(&encoder.finish().unwrap()), lines().as_bytes());
    }

    #[test]
    fn a_flipped_bit_costs_one_part_alone() {
        let (text, whole) = (lines(), packed(&lines()));
        for place in (0..whole.len()).step_by(499) {
            let mut damaged = whole.clone();
            damaged[place] ^= 1 << (place % 8);
            let read = String::from_utf8_lossy(&read(&damaged)).into_owned();
            let read: HashSet<&str> = read.lines().collect();
            let kept = text.lines().filter(|line| read.contains(line)).count();
            let most = 2 * LONG_MEMBER / "line 1000 7919000\n".len();
            assert!(5_000 - kept <= most, "{place}: {kept}");
        }
    }
}
