//! One block of postings: gaps between documents in as few bits as the
//! largest needs, then the impacts likewise.

/// Postings of a full block.
pub(crate) const BLOCK: usize = 128;

/// Bytes that may be read behind the packed gaps while they are unpacked.
const WORD: usize = 8;

/// A block as it is searched.
pub(crate) struct Block {
    pub(crate) docs: [u32; BLOCK],
    pub(crate) impacts: [u8; BLOCK],
    pub(crate) len: usize,
    packed: Vec<u8>,
}

impl Default for Block {
    fn default() -> Self {
        Self { docs: [0; BLOCK], impacts: [0; BLOCK], len: 0, packed: Vec::new() }
    }
}

/// Bits that the numbers of a block take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Widths {
    gap: u8,
    impact: u8,
}

impl Widths {
    /// From what is stored: the bits of a gap, and the largest impact.
    pub(crate) fn new(gap: u8, most: u8) -> Self {
        Self { gap, impact: bits(u32::from(most)) }
    }

    /// Bytes of a block with so many postings.
    pub(crate) fn size(self, len: usize) -> usize {
        packed_size(self.gap, len) + packed_size(self.impact, len)
    }
}

/// Bits that a number needs.
fn bits(number: u32) -> u8 {
    u8::try_from(32 - number.leading_zeros()).unwrap_or(u8::MAX)
}

fn packed_size(width: u8, len: usize) -> usize {
    (usize::from(width) * len).div_ceil(8)
}

/// Appends a block to `out`; says how many bits each gap takes, and which
/// impact is the largest.
///
/// `start` is the lowest number that the first document can have.
pub(crate) fn encode(
    postings: impl Iterator<Item = (u32, u8)> + Clone,
    start: u32,
    out: &mut Vec<u8>,
) -> (u8, u8) {
    let gaps = gaps(postings.clone().map(|(doc, _)| doc), start);
    let width = bits(gaps.clone().max().unwrap_or(0));
    pack(gaps, width, out);
    let impacts = postings.map(|(_, impact)| u32::from(impact));
    let most = impacts.clone().max().unwrap_or(0);
    pack(impacts, bits(most), out);
    (width, u8::try_from(most).unwrap_or(u8::MAX))
}

fn pack(numbers: impl Iterator<Item = u32>, width: u8, out: &mut Vec<u8>) {
    let (mut bits, mut held) = (0_u64, 0);
    for number in numbers {
        bits |= u64::from(number) << held;
        held += width;
        while held >= 8 {
            out.push(bits.to_le_bytes()[0]);
            bits >>= 8;
            held -= 8;
        }
    }
    if held > 0 {
        out.push(bits.to_le_bytes()[0]);
    }
}

/// Calls `each` with the numbers that were packed; `None` if it does.
fn unpack(
    packed: &[u8],
    width: u8,
    len: usize,
    mut each: impl FnMut(usize, u32) -> Option<()>,
) -> Option<()> {
    let mask = (1_u64 << width) - 1;
    let mut at = 0;
    for number in 0..len {
        let word = packed.get(at / 8..)?.first_chunk::<WORD>()?;
        let value = (u64::from_le_bytes(*word) >> (at % 8)) & mask;
        each(number, u32::try_from(value).ok()?)?;
        at += usize::from(width);
    }
    Some(())
}

fn gaps(docs: impl Iterator<Item = u32> + Clone, start: u32) -> impl Iterator<Item = u32> + Clone {
    docs.scan(start, |next, doc| {
        let gap = doc - *next;
        *next = doc + 1;
        Some(gap)
    })
}

impl Block {
    /// Reads a block back; `None` when the bytes are none.
    pub(crate) fn decode(
        &mut self,
        bytes: &[u8],
        widths: Widths,
        len: usize,
        start: u32,
    ) -> Option<()> {
        if len > BLOCK || widths.gap > 32 {
            return None;
        }
        self.packed.clear();
        self.packed.extend_from_slice(bytes.get(..widths.size(len))?);
        self.packed.extend_from_slice(&[0; WORD]);
        let (docs, impacts) = (&mut self.docs, &mut self.impacts);
        let mut next = start;
        unpack(&self.packed, widths.gap, len, |number, gap| {
            docs[number] = next.checked_add(gap)?;
            next = docs[number].checked_add(1)?;
            Some(())
        })?;
        let packed = &self.packed[packed_size(widths.gap, len)..];
        unpack(packed, widths.impact, len, |number, impact| {
            impacts[number] = impact.to_le_bytes()[0];
            Some(())
        })?;
        self.len = len;
        Some(())
    }

    /// The postings from `low` on.
    pub(crate) fn position(&self, low: u32) -> usize {
        self.docs[..self.len].partition_point(|doc| *doc < low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(docs: &[u32], start: u32) {
        let postings = docs.iter().zip(1..).map(|(doc, impact)| (*doc, impact));
        let mut bytes = Vec::new();
        let (gap, most) = encode(postings.clone(), start, &mut bytes);
        let widths = Widths::new(gap, most);
        assert_eq!(bytes.len(), widths.size(docs.len()));
        let mut block = Block::default();
        block.decode(&bytes, widths, docs.len(), start).unwrap();
        assert_eq!(&block.docs[..block.len], docs);
        assert_eq!(
            block.impacts[..block.len],
            postings.map(|(_, impact)| impact).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_block_is_read_back_as_it_was_written() {
        check(&[], 0);
        check(&[5], 5);
        check(&(100..228).collect::<Vec<_>>(), 100);
        check(&[0, 1, 70_000, 131_071], 0);
        check(&(0..128).map(|doc| doc * 1023).collect::<Vec<_>>(), 0);
    }

    #[test]
    fn neighbouring_documents_take_no_bits() {
        let mut bytes = Vec::new();
        assert_eq!(encode((0..128).map(|doc| (doc, 1)), 0, &mut bytes), (0, 1));
        assert_eq!(bytes.len(), 128 / 8);
    }

    #[test]
    fn bytes_that_are_no_block_are_refused() {
        let mut block = Block::default();
        assert_eq!(block.decode(&[1, 2, 3], Widths::new(9, 60), 100, 0), None);
        assert_eq!(block.decode(&[255; 64], Widths::new(33, 1), 4, 0), None);
        assert_eq!(block.decode(&[255; 64], Widths::new(32, 1), 4, u32::MAX), None);
    }
}
