use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::synthetic::{self, Question, Random};
use crate::{Entry, Memory, State};

/// Everything that has a word is a candidate.
const EVERYTHING: Effort = Effort { postings: 0, candidates: usize::MAX };

const WORDS: [&str; 12] = [
    "lock", "cache", "token", "parser", "queue", "index", "page", "shard", "merge", "probe",
    "graph", "vault",
];

fn ranked_with(memory: &Memory, query: &Query, effort: Effort) -> Vec<(f64, i64)> {
    let ranking = memory.ranking;
    let found = memory.read(|tx| {
        let (judged, weights) = judged(tx, &ranking, query, effort)?;
        Ok(judged.ranked(&weights, (ranking.group_prior, query.limit)))
    });
    found.unwrap()
}

fn text(random: &mut Random) -> String {
    let count = 1 + random.below(9);
    let mut word = || {
        let few = 1 + random.below(12);
        WORDS[usize::try_from(random.below(few)).unwrap()]
    };
    (0..count).map(|_| word()).collect::<Vec<_>>().join(" ")
}

fn entry(random: &mut Random, number: u32) -> Entry {
    let group = random.below(40);
    let name = |number: u32| number.to_string();
    Entry {
        external_id: Some(name(number)),
        kind: ["turn", "fact"][usize::try_from(random.below(2)).unwrap()].to_owned(),
        scope: "project".to_owned(),
        text: text(random),
        // Sessions that follow each other, sessions that are mixed, and none.
        group: match group {
            0..15 => Some(format!("session {}", number / 9)),
            15..30 => Some(format!("mixed {group}")),
            _ => None,
        },
        prev: (random.below(2) == 0).then(|| name(number.wrapping_sub(1))),
        state: if random.below(9) == 0 { State::Retired } else { State::Active },
        ..Entry::default()
    }
}

/// A memory of several segments, with entries that wait and some that changed.
fn memory(random: &mut Random) -> (TempDir, Memory) {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let mut next = 0;
    for _ in 0..6 {
        let first = next - random.below(next / 4 + 1);
        let end = first + [20, 90, 300][usize::try_from(random.below(3)).unwrap()];
        let entries: Vec<Entry> = (first..end).map(|number| entry(random, number)).collect();
        memory.import(entries).unwrap();
        next = next.max(end);
    }
    (folder, memory)
}

fn query(random: &mut Random) -> Query {
    let kinds = if random.below(3) == 0 { vec!["turn".to_owned()] } else { Vec::new() };
    let filters = Filters { kinds, ..Filters::default() };
    Query { text: text(random), limit: usize::try_from(random.below(30)).unwrap(), filters }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn going_through_the_words_finds_exactly_what_comparing_all_entries_finds(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let (_folder, memory) = memory(&mut random);
        for _ in 0..12 {
            let query = query(&mut random);
            let found = ranked_with(&memory, &query, Effort::USUAL);
            prop_assert_eq!(&found, &ranked_with(&memory, &query, EVERYTHING), "{:?}", query);
        }
    }
}

/// Which share of the turns that answer questions is among the first ten.
fn recall(memory: &Memory, questions: &[Question], effort: Effort) -> f64 {
    let of_one = |question: &Question| {
        let query = Query { text: question.text.clone(), limit: 10, ..Query::default() };
        let found = ranked_with(memory, &query, effort);
        let name = |doc: i64| entries::read(&memory.connection, doc).unwrap().unwrap().record;
        let found: Vec<_> = found.iter().filter_map(|(_, doc)| name(*doc).external_id).collect();
        f64::from(
            u8::try_from(question.turns.iter().filter(|it| found.contains(it)).count()).unwrap(),
        )
    };
    questions.iter().map(of_one).sum::<f64>() / f64::from(u32::try_from(questions.len()).unwrap())
}

#[test]
fn where_there_is_too_much_rarer_words_lead_to_the_right_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    memory.import(synthetic::entries(5, 500)).unwrap();
    let questions: Vec<Question> = synthetic::questions(5, 500).step_by(15).collect();
    let few = recall(&memory, &questions, Effort { postings: 0, candidates: 6 });
    let rare = recall(&memory, &questions, Effort { postings: 250, candidates: 6 });
    let all = recall(&memory, &questions, EVERYTHING);
    assert!(few < rare, "{few} {rare} {all}");
}

#[test]
fn whoever_wants_all_hits_gets_them_in_the_same_order() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    memory.import(synthetic::entries(5, 300)).unwrap();
    for question in synthetic::questions(5, 300).step_by(100) {
        let query = |limit| Query { text: question.text.clone(), limit, ..Query::default() };
        let names = |limit| {
            let hits = memory.search(&query(limit)).unwrap();
            hits.into_iter().take(10).map(|hit| hit.id).collect::<Vec<_>>()
        };
        assert_eq!(names(10), names(usize::MAX));
        let groups = |limit| memory.search_groups(&query(limit)).unwrap();
        assert_eq!(groups(3), groups(usize::MAX)[..3]);
    }
}
