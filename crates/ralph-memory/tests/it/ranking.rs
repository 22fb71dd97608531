//! How good the order of hits is, on generated conversations.

use std::collections::{BTreeMap, BTreeSet};

use ralph_memory::synthetic::{self, SplitMix64, SyntheticQuestion};
use ralph_memory::{RankingWeights, SearchEntry, SearchIndex, SearchQuery};
use rusqlite::Connection;
use tempfile::TempDir;

const SEED: u64 = 11;

#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn ranked(ranking: RankingWeights, sessions: u32) -> (TempDir, SearchIndex) {
    let folder = tempfile::tempdir().unwrap();
    let memory = SearchIndex::open_ranked(folder.path(), ranking).unwrap();
    memory.import(synthetic::entries(SEED, sessions)).unwrap();
    (folder, memory)
}

fn query(text: &str, limit: usize) -> SearchQuery {
    SearchQuery { text: text.to_owned(), limit, ..SearchQuery::default() }
}

#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn found(memory: &SearchIndex, text: &str, limit: usize) -> Vec<String> {
    let hits = memory.search(&query(text, limit)).unwrap();
    hits.into_iter().map(|hit| hit.external_id.unwrap()).collect()
}

/// Which share of the turns that answer a question is among the first ten.
#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn recall(memory: &SearchIndex, questions: &[SyntheticQuestion]) -> f64 {
    let of_one = |question: &SyntheticQuestion| {
        let found = found(memory, &question.text, 10);
        let right = question.turns.iter().filter(|turn| found.contains(turn)).count();
        right as f64 / question.turns.len() as f64
    };
    questions.iter().map(of_one).sum::<f64>() / questions.len() as f64
}

#[test]
fn neighbours_and_groups_each_bring_more_of_the_right_turns() {
    let questions: Vec<SyntheticQuestion> = synthetic::questions(SEED, 150).step_by(3).collect();
    let full = RankingWeights::default();
    let alone = RankingWeights { neighbour: 0.0, group_prior: 0.0, ..full };
    let beside = RankingWeights { group_prior: 0.0, ..full };
    let [alone, beside, full] = [alone, beside, full].map(|ranking| {
        let (_folder, memory) = ranked(ranking, 150);
        recall(&memory, &questions)
    });
    assert!(beside > alone + 0.02, "neighbours: {alone} to {beside}");
    assert!(full > beside + 0.01, "groups: {beside} to {full}");
}

/// `SQLite`'s own full-text search over the same texts.
#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn other(texts: &[String]) -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    let sql = "CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize = 'porter unicode61')";
    connection.execute_batch(sql).unwrap();
    let mut insert = connection.prepare("INSERT INTO texts (rowid, text) VALUES (?1, ?2)").unwrap();
    for (number, text) in (0_i64..).zip(texts) {
        insert.execute((number, text)).unwrap();
    }
    drop(insert);
    connection
}

#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn found_by_other(connection: &Connection, text: &str) -> Vec<String> {
    let any =
        text.split_whitespace().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" OR ");
    let sql = "SELECT rowid FROM texts WHERE texts MATCH ?1 ORDER BY bm25(texts), rowid LIMIT 10";
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map([any], |row| row.get::<_, i64>(0)).unwrap();
    rows.map(|row| row.unwrap().to_string()).collect()
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn plain_texts_are_ranked_as_by_full_text_search() {
    let plain = RankingWeights { neighbour: 0.0, group_prior: 0.0, ..RankingWeights::default() };
    let texts: Vec<String> = synthetic::entries(SEED, 150).map(|entry| entry.text).collect();
    let folder = tempfile::tempdir().unwrap();
    let memory = SearchIndex::open_ranked(folder.path(), plain).unwrap();
    let entry = |(number, text): (usize, &String)| SearchEntry {
        external_id: Some(number.to_string()),
        text: text.clone(),
        ..SearchEntry::default()
    };
    memory.import(texts.iter().enumerate().map(entry)).unwrap();
    let other = other(&texts);
    let (mut same, mut all) = (0, 0);
    for question in synthetic::questions(SEED, 150).step_by(3) {
        let theirs = found_by_other(&other, &question.text);
        let ours = found(&memory, &question.text, 10);
        same += theirs.iter().filter(|id| ours.contains(id)).count();
        all += theirs.len();
    }
    let overlap = same as f64 / all as f64;
    assert!(overlap >= 0.9, "{overlap}");
}

#[test]
fn many_small_writes_find_what_one_large_write_finds() {
    let entries: Vec<SearchEntry> = synthetic::entries(SEED, 45).collect();
    let (_folder, large) = ranked(RankingWeights::default(), 45);
    let folder = tempfile::tempdir().unwrap();
    let small = SearchIndex::open(folder.path()).unwrap();
    let mut random = SplitMix64::new(3);
    let mut rest = entries.as_slice();
    while !rest.is_empty() {
        let size = usize::try_from(1 + random.below(60)).unwrap().min(rest.len());
        let (now, after) = rest.split_at(size);
        small.import(now.iter().cloned()).unwrap();
        rest = after;
    }
    let questions: Vec<SyntheticQuestion> = synthetic::questions(SEED, 45).step_by(4).collect();
    let check = |state: &str| {
        for question in &questions {
            let sets = [&large, &small].map(|memory| {
                found(memory, &question.text, 900).into_iter().collect::<BTreeSet<_>>()
            });
            assert_eq!(sets[0], sets[1], "{state}: {}", question.text);
        }
    };
    check("written");
    small.tidy().unwrap();
    check("tidied");
    // Whatever is written again is found as it is now, and nothing twice.
    let changed = entries
        .iter()
        .step_by(3)
        .map(|entry| SearchEntry { text: format!("{} changed", entry.text), ..entry.clone() });
    let changed: Vec<SearchEntry> = changed.collect();
    for memory in [&large, &small] {
        assert_eq!(memory.import(changed.iter().cloned()).unwrap().updated, 300);
        let own = SearchQuery { text: "changed".to_owned(), limit: 2000, ..SearchQuery::default() };
        let hits = memory.search(&own).unwrap();
        let with = hits.iter().filter(|hit| hit.text.ends_with("changed")).count();
        let ids: BTreeSet<&str> = hits.iter().map(|hit| hit.id.as_str()).collect();
        assert_eq!((with, ids.len()), (300, hits.len()));
    }
    check("changed");
    small.tidy().unwrap();
    check("changed and tidied");
}

#[test]
fn writers_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::thread::scope(|scope| {
        for writer in 0..4_u32 {
            scope.spawn(move || {
                let memory = SearchIndex::open(path).unwrap();
                for number in 0..10_u32 {
                    let session =
                        synthetic::session(u64::from(writer % 2), writer / 2 * 10 + number);
                    // Two of the four write each session.
                    let turns = session.turns.into_iter().map(|turn| SearchEntry {
                        external_id: turn.external_id.map(|id| format!("{}-{id}", writer % 2)),
                        prev: turn.prev.map(|id| format!("{}-{id}", writer % 2)),
                        next: None,
                        ..turn
                    });
                    memory.import(turns).unwrap();
                    memory.search(&query("baqua fome", 5)).unwrap();
                }
            });
        }
    });
    let memory = SearchIndex::open(path).unwrap();
    assert_eq!(memory.count().unwrap(), 800);
    let mut sides: BTreeMap<bool, u32> = BTreeMap::new();
    for writer in 0..2_u32 {
        for number in 0..20_u32 {
            for turn in 0..20 {
                let entry = memory.get(&format!("{writer}-{number}/{turn}")).unwrap().unwrap();
                *sides.entry(entry.prev.is_some()).or_default() += 1;
            }
        }
    }
    assert_eq!(sides, BTreeMap::from([(false, 40), (true, 760)]));
}

#[test]
fn a_smaller_limit_gives_the_beginning_of_a_larger_one() {
    let alone = RankingWeights { group_prior: 0.0, ..RankingWeights::default() };
    let folder = tempfile::tempdir().unwrap();
    let memory = SearchIndex::open_ranked(folder.path(), alone).unwrap();
    // Three segments and some entries that wait for one.
    for (first, last) in [(0, 30), (30, 50), (50, 60), (60, 63)] {
        memory.import((first..last).flat_map(|at| synthetic::session(SEED, at).turns)).unwrap();
    }
    for question in synthetic::questions(SEED, 63).step_by(8) {
        let all = found(&memory, &question.text, 2000);
        for limit in [1, 10, 150] {
            let few = found(&memory, &question.text, limit);
            assert_eq!(few, all[..limit.min(all.len())], "{limit}: {}", question.text);
        }
    }
}
