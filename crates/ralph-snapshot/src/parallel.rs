//! Runs work on all processors.

use std::num::NonZero;
use std::panic;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Number of items a worker takes at a time.
const CHUNK: usize = 16;

/// Returns the results of `work`, in the order of `items`.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let workers = processors().min(items.len().div_ceil(CHUNK));
    if workers < 2 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            let Some(items) = items.chunks(CHUNK).nth(chunk) else { return done };
            done.push((chunk, items.iter().map(&work).collect::<Vec<_>>()));
        }
    };
    let mut parts = thread::scope(|scope| {
        // If threads cannot be started, the others do the work.
        let start = |_| thread::Builder::new().spawn_scoped(scope, run).ok();
        let others: Vec<_> = (1..workers).filter_map(start).collect();
        let mut parts = run();
        for other in others {
            parts.extend(other.join().unwrap_or_else(|cause| panic::resume_unwind(cause)));
        }
        parts
    });
    parts.sort_by_key(|(chunk, _)| *chunk);
    parts.into_iter().flat_map(|(_, results)| results).collect()
}

/// Returns the number of processors, cached because asking costs as much as
/// reading the metadata of a hundred files.
fn processors() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_items() {
        for count in [0, 1, CHUNK, 10 * CHUNK + 3] {
            let items: Vec<usize> = (0..count).collect();
            let want: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(map(&items, |item| item * 2), want);
        }
    }
}
