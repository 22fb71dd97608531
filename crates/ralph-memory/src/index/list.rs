//! One term's list in one segment, while it is searched.

use super::PARTITION;
use super::block::{self, Block};
use super::postings::{BLOCKS_PER_CHUNK, Header, Malformed, headers, len_of, short, size};

/// A block that reaches over so many documents is decoded to know where in
/// them its postings are: that costs less than searching for nothing.
const SPARSE: u32 = 2048;

/// Where the blocks of long lists are.
pub(crate) trait Chunks {
    /// Why one cannot be read.
    type Error: From<Malformed>;

    /// Replaces the contents of `into` by the chunk's.
    fn read(&mut self, chunk: i64, into: &mut Vec<u8>) -> Result<(), Self::Error>;
}

/// One term's list in one segment, while it is searched.
pub(crate) struct List {
    weight: u32,
    count: usize,
    headers: Vec<Header>,
    first_chunk: i64,
    chunk: Option<usize>,
    bytes: Vec<u8>,
    block: Block,
    current: Option<usize>,
    /// The first block that ends at or behind the window.
    at: usize,
}

impl List {
    /// Takes a stored list; `first_chunk` is not used for a short one.
    pub(crate) fn new(count: u32, head: &[u8], first_chunk: i64) -> Result<Self, Malformed> {
        let count = size(count);
        let mut list = Self {
            weight: 0,
            count,
            headers: Vec::new(),
            first_chunk,
            chunk: None,
            bytes: Vec::new(),
            block: Block::default(),
            current: None,
            at: 0,
        };
        if count > block::BLOCK {
            list.headers = headers(head, count)?;
        } else {
            let (header, bytes) = short(head)?;
            list.block.decode(bytes, header.widths, count, 0).ok_or(Malformed)?;
            let end = list.block.docs[..count].last().ok_or(Malformed)?;
            list.headers = vec![Header { last: *end, ..header }];
            list.current = Some(0);
        }
        Ok(list)
    }

    /// Sets what an impact is multiplied with.
    pub(crate) fn weigh(&mut self, weight: u32) {
        self.weight = weight;
    }

    /// How many documents have the term.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Goes back to the beginning.
    pub(crate) fn rewind(&mut self) {
        self.at = 0;
    }

    /// The lowest document that a block can have.
    fn first(&self, number: usize) -> u32 {
        number.checked_sub(1).map_or(0, |before| self.headers[before].last + 1)
    }

    fn load<C: Chunks>(&mut self, number: usize, chunks: &mut C) -> Result<(), C::Error> {
        if self.current == Some(number) {
            return Ok(());
        }
        let chunk = number / BLOCKS_PER_CHUNK;
        if self.chunk != Some(chunk) {
            self.chunk = None;
            let offset = i64::try_from(chunk).map_err(|_| Malformed)?;
            chunks.read(self.first_chunk + offset, &mut self.bytes)?;
            self.chunk = Some(chunk);
        }
        let before = &self.headers[chunk * BLOCKS_PER_CHUNK..number];
        let offset = before.iter().map(|header| header.widths.size(block::BLOCK)).sum();
        let bytes = self.bytes.get::<std::ops::RangeFrom<usize>>(offset..).ok_or(Malformed)?;
        let (widths, start) = (self.headers[number].widths, self.first(number));
        self.current = None;
        let len = len_of(number, self.count);
        self.block.decode(bytes, widths, len, start).ok_or(Malformed)?;
        self.current = Some(number);
        Ok(())
    }

    /// Leaves behind what ends before `low`; says where the next document is
    /// at the earliest, `None` at the end.
    pub(crate) fn skip_to(&mut self, low: u32) -> Option<u32> {
        let rest = self.headers.get(self.at..)?;
        self.at += rest.iter().position(|header| header.last >= low).unwrap_or(rest.len());
        if self.at == self.headers.len() {
            return None;
        }
        if self.current == Some(self.at) {
            let position = self.block.position(low);
            return self.block.docs[..self.block.len].get(position).copied();
        }
        Some(self.first(self.at).max(low))
    }

    /// The most that the term can give a document of the window.
    pub(crate) fn bound<C: Chunks>(
        &mut self,
        window: (u32, u32),
        chunks: &mut C,
    ) -> Result<u32, C::Error> {
        let mut most = 0;
        let mut number = self.at;
        while number < self.headers.len() && self.first(number) < window.1 {
            let header = self.headers[number];
            if header.last - self.first(number) > SPARSE {
                self.load(number, chunks)?;
            }
            if self.current == Some(number) {
                most = most.max(self.inside(window).map(|(_, impact)| impact).max().unwrap_or(0));
            } else {
                most = most.max(header.most);
            }
            number += 1;
        }
        Ok(u32::from(most) * self.weight)
    }

    /// The postings of the present block that are in the window.
    fn inside(&self, window: (u32, u32)) -> impl Iterator<Item = (u32, u8)> {
        let from = self.block.position(window.0);
        let postings =
            self.block.docs[from..self.block.len].iter().zip(&self.block.impacts[from..]);
        postings.map(|(doc, impact)| (*doc, *impact)).take_while(move |(doc, _)| *doc < window.1)
    }

    /// Calls `each` with every document of the window and what the term gives.
    pub(crate) fn scan<C: Chunks>(
        &mut self,
        window: (u32, u32),
        chunks: &mut C,
        mut each: impl FnMut(u32, u32),
    ) -> Result<(), C::Error> {
        let mut number = self.at;
        while number < self.headers.len() && self.first(number) < window.1 {
            self.load(number, chunks)?;
            for (doc, impact) in self.inside(window) {
                each(doc, u32::from(impact) * self.weight);
            }
            number += 1;
        }
        Ok(())
    }

    /// Calls `each` with every document and the term's impact in it.
    pub(crate) fn each<C: Chunks>(
        &mut self,
        chunks: &mut C,
        mut each: impl FnMut(u32, u8),
    ) -> Result<(), C::Error> {
        for number in 0..self.headers.len() {
            self.load(number, chunks)?;
            let Block { docs, impacts, len, .. } = &self.block;
            if docs[..*len].last().is_some_and(|last| *last >= PARTITION) {
                return Err(Malformed.into());
            }
            for (doc, impact) in docs[..*len].iter().zip(impacts) {
                each(*doc, *impact);
            }
        }
        Ok(())
    }

    /// The term's impact in a document at or behind the window; 0 if it has
    /// none.
    pub(crate) fn impact<C: Chunks>(&mut self, doc: u32, chunks: &mut C) -> Result<u8, C::Error> {
        let rest = self.headers.get(self.at..).unwrap_or_default();
        let Some(offset) = rest.iter().position(|header| header.last >= doc) else { return Ok(0) };
        self.load(self.at + offset, chunks)?;
        let position = self.block.docs[..self.block.len].binary_search(&doc);
        Ok(position.map_or(0, |position| self.block.impacts[position]))
    }

    /// What the term gives a document at or behind the window.
    pub(crate) fn score<C: Chunks>(&mut self, doc: u32, chunks: &mut C) -> Result<u32, C::Error> {
        Ok(u32::from(self.impact(doc, chunks)?) * self.weight)
    }
}
