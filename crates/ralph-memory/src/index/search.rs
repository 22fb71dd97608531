//! The best documents of one segment, without scoring most of them.
//!
//! Documents are taken window by window. In each window the terms are parted:
//! those that even together cannot lift a document among the best are only
//! asked about documents which another term brought up.

use super::PARTITION;
use super::allowed::Allowed;
use super::list::{Chunks, List};
use super::top::{Scored, Top};

/// Documents that are looked at together; a multiple of 64.
const WINDOW: u32 = 1024;

const WIDTH: usize = 1024;

/// Scores of the documents of one window.
struct Window {
    scores: Box<[u32; WIDTH]>,
    touched: [u64; WIDTH / 64],
}

impl Window {
    fn add(&mut self, offset: u32, score: u32) {
        let at = usize::try_from(offset).unwrap_or(0) % WIDTH;
        self.scores[at] += score;
        self.touched[at / 64] |= 1 << (at % 64);
    }

    /// Calls `each` with what was added up, in order, and forgets it.
    fn drain<E>(&mut self, mut each: impl FnMut(u32, u32) -> Result<(), E>) -> Result<(), E> {
        for (base, word) in (0..).step_by(64).zip(&mut self.touched) {
            while *word != 0 {
                let offset = base + word.trailing_zeros();
                *word &= *word - 1;
                let at = usize::try_from(offset).unwrap_or(0);
                each(offset, std::mem::take(&mut self.scores[at]))?;
            }
        }
        Ok(())
    }
}

/// A segment's part in a search.
pub(crate) struct Search<'a> {
    lists: &'a mut [List],
    allowed: &'a Allowed,
    /// The number of the partition's first document.
    base: i64,
    /// Lists by what they can give in the present window, least first.
    order: Vec<(u32, usize)>,
}

/// Puts the best documents of a segment into `top`.
pub(crate) fn search<C: Chunks>(
    lists: &mut [List],
    allowed: &Allowed,
    base: i64,
    top: &mut Top,
    chunks: &mut C,
) -> Result<(), C::Error> {
    lists.iter_mut().for_each(List::rewind);
    let mut search = Search { lists, allowed, base, order: Vec::new() };
    let mut window = Window { scores: Box::new([0; WIDTH]), touched: [0; WIDTH / 64] };
    let mut low = 0;
    while let Some(next) = search.lists.iter_mut().filter_map(|list| list.skip_to(low)).min() {
        low = next - next % WINDOW;
        if low >= PARTITION {
            break;
        }
        if allowed.has_any(low, low + WINDOW) {
            search.window(low, &mut window, top, chunks)?;
        }
        low += WINDOW;
    }
    Ok(())
}

impl Search<'_> {
    fn window<C: Chunks>(
        &mut self,
        low: u32,
        window: &mut Window,
        top: &mut Top,
        chunks: &mut C,
    ) -> Result<(), C::Error> {
        let range = (low, low + WINDOW);
        self.order.clear();
        for (number, list) in self.lists.iter_mut().enumerate() {
            list.skip_to(low);
            let bound = list.bound(range, chunks)?;
            if bound > 0 {
                self.order.push((bound, number));
            }
        }
        self.order.sort_unstable();
        let (few, rest) = self.optional(low, top);
        if few == self.order.len() {
            return Ok(());
        }
        for (_, number) in &self.order[few..] {
            self.lists[*number].scan(range, chunks, |doc, score| window.add(doc - low, score))?;
        }
        window.drain(|offset, score| self.judge((low + offset, score), (few, rest), top, chunks))
    }

    /// How many of the lists, least first, cannot lift a document among the
    /// best by themselves, and what they can give together.
    fn optional(&self, low: u32, top: &Top) -> (usize, u32) {
        let (mut few, mut rest) = (0, 0);
        for (bound, _) in &self.order {
            if top.admits(rest + bound, self.base + i64::from(low)) {
                break;
            }
            rest += bound;
            few += 1;
        }
        (few, rest)
    }

    /// Completes the score of a document as long as it can be among the best.
    fn judge<C: Chunks>(
        &mut self,
        (local, mut score): (u32, u32),
        (few, mut rest): (usize, u32),
        top: &mut Top,
        chunks: &mut C,
    ) -> Result<(), C::Error> {
        let doc = self.base + i64::from(local);
        if !self.allowed.has(local) {
            return Ok(());
        }
        for (bound, number) in self.order[..few].iter().rev() {
            if !top.admits(score + rest, doc) {
                return Ok(());
            }
            score += self.lists[*number].score(local, chunks)?;
            rest -= bound;
        }
        top.push(Scored::new(score, doc));
        Ok(())
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
