//! A whole list: how it is written, and how it is read back for merging.

use super::block::{self, BLOCK, Block, Widths};

/// Blocks that are stored, and read, together.
pub(crate) const BLOCKS_PER_CHUNK: usize = 8;

/// Bytes of a block's header: last document, largest impact, bits per gap.
const HEADER: usize = 5;

/// Bytes before a short list: bits per gap, largest impact.
const SHORT_HEADER: usize = 2;

/// A stored list is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a stored list is malformed")]
pub(crate) struct Malformed;

/// A list as it is stored.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Encoded {
    /// How many documents it has.
    pub(crate) count: u32,
    /// A short list itself, or the headers of a long one's blocks.
    pub(crate) head: Vec<u8>,
    /// The blocks of a long list.
    pub(crate) chunks: Vec<Vec<u8>>,
}

/// A document's number in its partition, and the impact, in one number.
pub(crate) fn posting(local: u32, impact: u8) -> u32 {
    local << 8 | u32::from(impact)
}

/// The document of a posting.
pub(crate) fn local_of(posting: u32) -> u32 {
    posting >> 8
}

/// The impact of a posting.
pub(crate) fn impact_of(posting: u32) -> u8 {
    posting.to_le_bytes()[0]
}

/// What is known of a block without reading it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub(crate) last: u32,
    pub(crate) most: u8,
    pub(crate) widths: Widths,
}

/// Writes a list, in order of its documents.
pub(crate) fn encode(postings: &[u32]) -> Encoded {
    let count = u32::try_from(postings.len()).unwrap_or(u32::MAX);
    if postings.len() <= BLOCK {
        let mut head = vec![0; SHORT_HEADER];
        let (width, most) = block::encode(parted(postings), 0, &mut head);
        head[..SHORT_HEADER].copy_from_slice(&[width, most]);
        return Encoded { count, head, chunks: Vec::new() };
    }
    let (mut head, mut chunks, mut start) = (Vec::new(), Vec::new(), 0);
    for group in postings.chunks(BLOCK * BLOCKS_PER_CHUNK) {
        let mut chunk = Vec::new();
        for postings in group.chunks(BLOCK) {
            let (width, most) = block::encode(parted(postings), start, &mut chunk);
            let last = postings.last().map_or(start, |posting| local_of(*posting));
            head.extend_from_slice(&last.to_le_bytes()[..3]);
            head.extend_from_slice(&[most, width]);
            start = last + 1;
        }
        chunks.push(chunk);
    }
    Encoded { count, head, chunks }
}

fn parted(postings: &[u32]) -> impl Iterator<Item = (u32, u8)> + Clone {
    postings.iter().map(|posting| (local_of(*posting), impact_of(*posting)))
}

/// A stored number of postings.
pub(crate) fn size(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// The headers of a long list.
pub(crate) fn headers(head: &[u8], count: usize) -> Result<Vec<Header>, Malformed> {
    let (entries, rest) = head.as_chunks::<HEADER>();
    if !rest.is_empty() || entries.len() != count.div_ceil(BLOCK) {
        return Err(Malformed);
    }
    let header = |&[low, middle, high, most, width]: &[u8; HEADER]| Header {
        last: u32::from_le_bytes([low, middle, high, 0]),
        most,
        widths: Widths::new(width, most),
    };
    let headers: Vec<Header> = entries.iter().map(header).collect();
    if headers.is_sorted_by(|one, other| one.last < other.last) {
        Ok(headers)
    } else {
        Err(Malformed)
    }
}

/// What precedes a short list, and its only block.
pub(crate) fn short(head: &[u8]) -> Result<(Header, &[u8]), Malformed> {
    let (&[width, most], bytes) = head.split_first_chunk::<SHORT_HEADER>().ok_or(Malformed)?;
    Ok((Header { last: 0, most, widths: Widths::new(width, most) }, bytes))
}

/// How many chunks a list has.
pub(crate) fn chunks_of(count: u32) -> usize {
    let count = size(count);
    if count <= BLOCK { 0 } else { count.div_ceil(BLOCK * BLOCKS_PER_CHUNK) }
}

/// How many postings the block with this number has.
pub(crate) fn len_of(number: usize, count: usize) -> usize {
    count.saturating_sub(number * BLOCK).min(BLOCK)
}

/// Reads a whole list; `chunks` are all of its chunks, one after the other.
pub(crate) fn decode(count: u32, head: &[u8], chunks: &[u8]) -> Result<Vec<u32>, Malformed> {
    let count = size(count);
    let mut block = Block::default();
    let mut postings = Vec::with_capacity(count);
    if count <= BLOCK {
        let (header, bytes) = short(head)?;
        block.decode(bytes, header.widths, count, 0).ok_or(Malformed)?;
        extend(&mut postings, &block);
        return Ok(postings);
    }
    let (mut at, mut start) = (0, 0);
    for (number, header) in headers(head, count)?.into_iter().enumerate() {
        let len = len_of(number, count);
        let bytes = chunks.get(at..).ok_or(Malformed)?;
        block.decode(bytes, header.widths, len, start).ok_or(Malformed)?;
        extend(&mut postings, &block);
        at += header.widths.size(len);
        start = header.last + 1;
    }
    Ok(postings)
}

fn extend(postings: &mut Vec<u32>, block: &Block) {
    let pairs = block.docs.iter().zip(&block.impacts).take(block.len);
    postings.extend(pairs.map(|(doc, impact)| posting(*doc, *impact)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(count: u32) -> Vec<u32> {
        (0..count)
            .map(|number| posting(number * 3 + number % 2, (number % 250 + 1).to_le_bytes()[0]))
            .collect()
    }

    #[test]
    fn a_list_of_any_length_is_read_back_as_it_was_written() {
        for count in [0, 1, 127, 128, 129, 4096, 4097, 40_000] {
            let encoded = encode(&list(count));
            let chunks = encoded.chunks.concat();
            assert_eq!(decode(encoded.count, &encoded.head, &chunks), Ok(list(count)), "{count}");
        }
    }

    #[test]
    fn damaged_lists_are_refused() {
        let encoded = encode(&list(5000));
        let chunks = encoded.chunks.concat();
        assert_eq!(decode(4000, &encoded.head, &chunks), Err(Malformed));
        assert_eq!(decode(5000, &encoded.head, &chunks[1..]), Err(Malformed));
        assert_eq!(decode(3, &[], &[]), Err(Malformed));
    }
}
