//! The bounded end of an output stream.

use std::collections::VecDeque;

/// The last bytes of a stream and the count of all of them.
#[derive(Clone, Debug)]
pub struct OutputTail {
    bytes: VecDeque<u8>,
    limit: usize,
    total: u64,
}

impl OutputTail {
    /// Returns an empty tail that keeps at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { bytes: VecDeque::new(), limit, total: 0 }
    }

    /// Adds bytes and drops the oldest beyond the limit.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let kept = &bytes[bytes.len().saturating_sub(self.limit)..];
        let excess = (self.bytes.len() + kept.len()).saturating_sub(self.limit);
        self.bytes.drain(..excess);
        self.bytes.extend(kept);
    }

    /// Returns the number of bytes ever pushed.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the number of bytes kept.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns true if no bytes are kept.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns true if older bytes were dropped.
    pub fn is_truncated(&self) -> bool {
        self.total > self.bytes.len() as u64
    }

    /// Returns the kept bytes, oldest first.
    pub fn to_vec(&self) -> Vec<u8> {
        let (older, newer) = self.bytes.as_slices();
        [older, newer].concat()
    }

    /// Returns the kept bytes as text, with invalid UTF-8 replaced.
    ///
    /// The rest of a character that was cut in two at the front is left out.
    pub fn text_lossy(&self) -> String {
        let bytes = self.to_vec();
        let is_continuation = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
        let cut = if self.is_truncated() {
            bytes.iter().take(3).take_while(is_continuation).count()
        } else {
            0
        };
        String::from_utf8_lossy(&bytes[cut..]).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_keeps_the_last_bytes_and_counts_all() {
        let mut tail = OutputTail::new(4);
        tail.push(b"ab");
        assert_eq!((tail.text_lossy().as_str(), tail.is_truncated()), ("ab", false));
        tail.push(b"cde");
        assert_eq!((tail.text_lossy().as_str(), tail.total()), ("bcde", 5));
        tail.push(b"0123456789");
        assert_eq!((tail.text_lossy().as_str(), tail.total(), tail.len()), ("6789", 15, 4));
    }

    #[test]
    fn a_character_cut_in_two_is_left_out() {
        let mut tail = OutputTail::new(3);
        tail.push("aé€".as_bytes());
        assert_eq!(tail.text_lossy(), "€");
        tail.push(b"x");
        assert_eq!(tail.text_lossy(), "x");
    }

    #[test]
    fn a_tail_without_room_only_counts() {
        let mut tail = OutputTail::new(0);
        tail.push(b"abc");
        assert_eq!((tail.is_empty(), tail.total()), (true, 3));
    }
}
