//! How good the order of hits is, on generated conversations.

use std::collections::BTreeSet;

use ralph_core::Timestamp;
use ralph_testkit::conversations::{self, SplitMix64, SyntheticQuestion, SyntheticTurn};

use super::*;
use crate::event::NoteContent;
use crate::event::{EventContext, NoteScope};
use crate::ranking::RankingWeights;

const SEED: u64 = 11;

fn note(turn: SyntheticTurn) -> NoteContent {
    NoteContent {
        prev: turn.prev,
        next: turn.next,
        group: Some(turn.group),
        external_id: Some(turn.id.clone()),
        ..NoteContent::new(note_id(&turn.id), NoteKind::of("turn"), NoteScope::Project, turn.text)
    }
}

fn import(notebook: &Notebook, notes: Vec<NoteContent>) {
    notebook.import(notes, &EventContext::default(), Timestamp::from_millis(0)).unwrap();
}

fn with_sessions(sessions: u32) -> (tempfile::TempDir, Notebook) {
    let folder = tempfile::tempdir().unwrap();
    let notebook = Notebook::open(folder.path()).unwrap();
    import(&notebook, conversations::turns(SEED, sessions).map(note).collect());
    (folder, notebook)
}

fn found(notebook: &Notebook, ranking: &RankingWeights, text: &str, limit: usize) -> Vec<String> {
    let query = SearchQuery { text: text.to_owned(), limit, ..SearchQuery::default() };
    let names = |tx: &rusqlite::Transaction<'_>| {
        let ranked = query::ranked(tx, ranking, &query)?;
        ranked
            .into_iter()
            .map(|it| Ok(notes::read(tx, it.doc)?.unwrap().note.external_id.unwrap()))
            .collect()
    };
    notebook.memory.read(names).unwrap()
}

/// Which share of the turns that answer a question is among the first ten.
#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn recall(notebook: &Notebook, ranking: &RankingWeights, questions: &[SyntheticQuestion]) -> f64 {
    let of_one = |question: &SyntheticQuestion| {
        let found = found(notebook, ranking, &question.text, 10);
        let right = question.turns.iter().filter(|turn| found.contains(turn)).count();
        right as f64 / question.turns.len() as f64
    };
    questions.iter().map(of_one).sum::<f64>() / questions.len() as f64
}

#[test]
fn neighbours_and_groups_each_bring_more_of_the_right_turns() {
    let questions: Vec<SyntheticQuestion> =
        conversations::questions(SEED, 150).step_by(3).collect();
    let (_folder, notebook) = with_sessions(150);
    let full = RankingWeights::default();
    let alone = RankingWeights { neighbour: 0.0, group_prior: 0.0, ..full };
    let beside = RankingWeights { group_prior: 0.0, ..full };
    let [alone, beside, full] =
        [alone, beside, full].map(|ranking| recall(&notebook, &ranking, &questions));
    assert!(beside > alone + 0.02, "neighbours: {alone} to {beside}");
    assert!(full > beside + 0.01, "groups: {beside} to {full}");
}

#[test]
fn many_small_writes_find_what_one_large_write_finds() {
    let notes: Vec<NoteContent> = conversations::turns(SEED, 45).map(note).collect();
    let (_folder, large) = with_sessions(45);
    let folder = tempfile::tempdir().unwrap();
    let small = Notebook::open(folder.path()).unwrap();
    let mut random = SplitMix64::new(3);
    let mut rest = notes.as_slice();
    while !rest.is_empty() {
        let size = usize::try_from(1 + random.below(60)).unwrap().min(rest.len());
        let (now, after) = rest.split_at(size);
        import(&small, now.to_vec());
        rest = after;
    }
    let questions: Vec<SyntheticQuestion> = conversations::questions(SEED, 45).step_by(4).collect();
    let ranking = RankingWeights::default();
    let check = |state: &str| {
        for question in &questions {
            let sets = [&large, &small].map(|notebook| {
                found(notebook, &ranking, &question.text, 900).into_iter().collect::<BTreeSet<_>>()
            });
            assert_eq!(sets[0], sets[1], "{state}: {}", question.text);
        }
    };
    check("written");
    small.tidy().unwrap();
    check("tidied");
    // Whatever is written again is found as it is now, and nothing twice.
    let changed = notes.iter().step_by(3).cloned();
    let changed: Vec<NoteContent> = changed
        .map(|note| NoteContent { text: format!("{} changed", note.text), ..note })
        .collect();
    for notebook in [&large, &small] {
        import(notebook, changed.clone());
        let own = SearchQuery { text: "changed".to_owned(), limit: 2000, ..SearchQuery::default() };
        let hits = notebook.search(&own).unwrap();
        let with = hits.iter().filter(|hit| hit.known.note.text.ends_with("changed")).count();
        let ids: BTreeSet<&str> = hits.iter().map(|hit| hit.known.note.id.as_str()).collect();
        assert_eq!((with, ids.len()), (300, hits.len()));
    }
    check("changed");
}

#[test]
fn a_smaller_limit_gives_the_beginning_of_a_larger_one() {
    let ranking = RankingWeights { group_prior: 0.0, ..RankingWeights::default() };
    let folder = tempfile::tempdir().unwrap();
    let notebook = Notebook::open(folder.path()).unwrap();
    // Three segments and some notes that wait for one.
    for (first, last) in [(0, 30), (30, 50), (50, 60), (60, 63)] {
        let turns = (first..last).flat_map(|at| conversations::session(SEED, at).turns);
        import(&notebook, turns.map(note).collect());
    }
    for question in conversations::questions(SEED, 63).step_by(8) {
        let all = found(&notebook, &ranking, &question.text, 2000);
        for limit in [1, 10, 150] {
            let few = found(&notebook, &ranking, &question.text, limit);
            assert_eq!(few, all[..limit.min(all.len())], "{limit}: {}", question.text);
        }
    }
}

#[test]
fn a_damaged_index_is_reported() {
    let (folder, notebook) = with_sessions(10);
    let damage = "UPDATE words_data SET block = x'ffffffffffff'";
    notebook.memory.connection.execute(damage, []).unwrap();
    let text = conversations::session(SEED, 0).turns.remove(0).text;
    let query = SearchQuery { text, limit: 5, ..SearchQuery::default() };
    let memory = SearchIndex::open_within(folder.path(), LockPatience::Long).unwrap();
    let error = memory.read(|tx| query::ranked(tx, &memory.ranking, &query).map(drop)).err();
    assert!(matches!(error, Some(MemoryError::Damaged { .. })), "{error:?}");
}

#[test]
fn no_page_is_left_unused() {
    let (_folder, notebook) = with_sessions(120);
    notebook.tidy().unwrap();
    let sql = "PRAGMA freelist_count";
    let unused: i64 = notebook.memory.connection.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(unused, 0);
}
