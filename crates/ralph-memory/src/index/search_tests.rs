use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::index::postings::{Malformed, encode, impact_of, local_of, posting};

/// Chunks of all lists, one after the other.
#[derive(Default)]
struct InMemory(Vec<Vec<u8>>);

impl Chunks for InMemory {
    type Error = Malformed;

    fn read(&mut self, chunk: i64, into: &mut Vec<u8>) -> Result<(), Malformed> {
        let chunk = usize::try_from(chunk).ok().and_then(|at| self.0.get(at)).ok_or(Malformed)?;
        into.clone_from(chunk);
        Ok(())
    }
}

/// A term: its weight and its postings.
type Term = (u32, Vec<u32>);

fn lists(terms: &[Term]) -> (Vec<List>, InMemory) {
    let mut chunks = InMemory::default();
    let mut list = |(weight, postings): &Term| {
        let encoded = encode(postings);
        let first = i64::try_from(chunks.0.len()).unwrap();
        chunks.0.extend(encoded.chunks);
        let mut list = List::new(encoded.count, &encoded.head, first).unwrap();
        list.weigh(*weight);
        list
    };
    let lists = terms.iter().map(&mut list).collect();
    (lists, chunks)
}

fn pruned(terms: &[Term], allowed: &Allowed, limit: usize) -> Vec<Scored> {
    let (mut lists, mut chunks) = lists(terms);
    let mut top = Top::new(limit);
    search(&mut lists, allowed, 1000, &mut top, &mut chunks).unwrap();
    top.into_sorted()
}

fn exhaustive(terms: &[Term], allowed: &Allowed, limit: usize) -> Vec<Scored> {
    let mut scores = BTreeMap::new();
    for (weight, postings) in terms {
        for posting in postings {
            *scores.entry(local_of(*posting)).or_insert(0) +=
                weight * u32::from(impact_of(*posting));
        }
    }
    let allowed = scores.into_iter().filter(|(local, _)| allowed.has(*local));
    let mut all: Vec<_> =
        allowed.map(|(local, score)| Scored::new(score, 1000 + i64::from(local))).collect();
    all.sort_unstable_by(|one, other| other.cmp(one));
    all.truncate(limit);
    all
}

/// Postings by their gaps; dense and sparse lists, equal impacts included.
fn term() -> impl Strategy<Value = Term> {
    let gap = prop_oneof![1_u32..3, 1_u32..40, 1_u32..9000];
    let postings = gap.prop_flat_map(|widest| {
        prop::collection::vec((1..=widest, prop_oneof![Just(9_u8), 1..=255_u8]), 1..700)
    });
    (1_u32..5000, postings).prop_map(|(weight, gaps)| {
        let docs = gaps.iter().scan(0, |next, (gap, impact)| {
            let doc = *next + gap - 1;
            *next = doc + 1;
            Some((doc, *impact))
        });
        let inside = docs.take_while(|(doc, _)| *doc < PARTITION);
        (weight, inside.map(|(doc, impact)| posting(doc, impact)).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pruning_finds_exactly_what_scoring_everything_finds(
        terms in prop::collection::vec(term(), 1..7),
        limit in prop_oneof![1_usize..12, Just(100), Just(100_000)],
        bits in prop::option::of(prop::collection::vec(any::<u8>(), 0..2000)),
    ) {
        let allowed = bits.map_or(Allowed::All, |bits| Allowed::only(&bits));
        let found = pruned(&terms, &allowed, limit);
        prop_assert_eq!(found, exhaustive(&terms, &allowed, limit));
    }
}

#[test]
fn equal_scores_keep_the_lowest_numbers() {
    let postings: Vec<u32> = (0..50_000).map(|local| posting(local, 7)).collect();
    let found = pruned(&[(3, postings)], &Allowed::All, 3);
    assert_eq!(found.iter().map(|found| found.doc()).collect::<Vec<_>>(), [1000, 1001, 1002]);
}

#[test]
fn blocks_that_cannot_matter_are_not_read() {
    struct Counted(InMemory, usize);
    impl Chunks for Counted {
        type Error = Malformed;
        fn read(&mut self, chunk: i64, into: &mut Vec<u8>) -> Result<(), Malformed> {
            self.1 += 1;
            self.0.read(chunk, into)
        }
    }
    let common: Vec<u32> = (0..PARTITION).map(|local| posting(local, 100)).collect();
    let rare: Vec<u32> = (0..20).map(|number| posting(number * 6000, 200)).collect();
    let (mut lists, chunks) = lists(&[(1, common), (1000, rare)]);
    let mut counted = Counted(chunks, 0);
    let mut top = Top::new(10);
    search(&mut lists, &Allowed::All, 0, &mut top, &mut counted).unwrap();
    assert!(counted.1 < 22, "{} of {} chunks", counted.1, counted.0.0.len());
}

#[test]
fn a_list_whose_chunk_is_missing_is_an_error() {
    let (mut lists, _) = lists(&[(1, (0..5000).map(|local| posting(local, 1)).collect())]);
    let mut top = Top::new(10);
    let found = search(&mut lists, &Allowed::All, 0, &mut top, &mut InMemory::default());
    assert_eq!(found, Err(Malformed));
}
