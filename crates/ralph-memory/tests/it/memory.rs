//! What the front door promises, on real files.

#[cfg(test)]
mod prove;

use ralph_core::Timestamp;
use ralph_memory::{
    EntryState, ImportCounts, ImportRefusal, LONGEST_TEXT, MemoryError, RetiredEntries,
    SearchEntry, SearchFilters, SearchIndex, SearchQuery,
};
use tempfile::TempDir;

#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn memory() -> (TempDir, SearchIndex) {
    let folder = tempfile::tempdir().unwrap();
    let memory = SearchIndex::open(folder.path()).unwrap();
    (folder, memory)
}

fn entry(id: &str, text: &str) -> SearchEntry {
    SearchEntry {
        external_id: Some(id.to_owned()),
        text: text.to_owned(),
        ..SearchEntry::default()
    }
}

fn query(text: &str) -> SearchQuery {
    SearchQuery { text: text.to_owned(), limit: 10, ..SearchQuery::default() }
}

/// External ids of what is found, best first.
#[track_caller]
#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn found(memory: &SearchIndex, query: &SearchQuery) -> Vec<String> {
    let hits = memory.search(query).unwrap();
    assert!(hits.is_sorted_by(|one, other| one.score >= other.score), "{hits:?}");
    hits.into_iter().map(|hit| hit.external_id.unwrap()).collect()
}

#[track_caller]
fn check(memory: &SearchIndex, text: &str, want: &[&str]) {
    assert_eq!(found(memory, &query(text)), want, "{text}");
}

#[test]
fn words_are_found_in_all_their_forms() {
    let (_folder, memory) = memory();
    let entries = [
        entry("a", "The migration runs twice when the lock is stale"),
        entry("b", "parseConfig ignores unknown keys"),
        entry("c", "Nothing of interest"),
    ];
    memory.import(entries).unwrap();
    check(&memory, "migrations", &["a"]);
    check(&memory, "stale locks", &["a"]);
    check(&memory, "config", &["b"]);
    check(&memory, "parse_config", &["b"]);
    check(&memory, "elsewhere", &[]);
    check(&memory, "", &[]);
    check(&memory, "the of", &[]);
}

#[test]
fn korean_is_found_whatever_particle_follows_it() {
    let (_folder, memory) = memory();
    let entries = [
        entry("object", "설정을 바꾸면 서버가 다시 시작된다"),
        entry("subject", "설정이 없으면 기본값을 쓴다"),
        entry("bare", "설정 파일"),
        entry("other", "로그를 지운다"),
    ];
    memory.import(entries).unwrap();
    let hits = found(&memory, &query("설정"));
    assert_eq!(hits.len(), 3);
    assert_eq!(hits[0], "bare", "the exact word comes first");
    assert_eq!(found(&memory, &query("설정에서")).len(), 3);
    check(&memory, "로그", &["other"]);
}

#[test]
fn a_title_counts_more_than_a_text_and_files_are_searched() {
    let (_folder, memory) = memory();
    let titled =
        SearchEntry { title: "Deadlock".to_owned(), ..entry("titled", "in the pool of workers") };
    let about = SearchEntry {
        files: vec!["src/pool/deadlock.rs".to_owned()],
        ..entry("about", "see there")
    };
    memory.import([entry("text", "a deadlock in the pool"), about, titled]).unwrap();
    check(&memory, "deadlock", &["titled", "text", "about"]);
    check(&memory, "src/pool/deadlock.rs:7", &["about", "text", "titled"]);
}

#[test]
fn the_same_import_again_changes_nothing_and_a_changed_one_updates() {
    let (_folder, memory) = memory();
    let first = [entry("a", "red apple"), entry("b", "green pear")];
    let counts = memory.import(first.clone()).unwrap();
    assert_eq!(counts, ImportCounts { added: 2, ..ImportCounts::default() });
    let counts = memory.import(first).unwrap();
    assert_eq!(counts, ImportCounts { unchanged: 2, ..ImportCounts::default() });
    let counts = memory.import([entry("a", "yellow banana"), entry("c", "blue plum")]).unwrap();
    assert_eq!(counts, ImportCounts { added: 1, updated: 1, ..ImportCounts::default() });
    check(&memory, "apple", &[]);
    check(&memory, "banana", &["a"]);
    assert_eq!(memory.count().unwrap(), 3);
}

#[test]
fn of_entries_with_one_name_in_one_import_the_last_counts() {
    let (_folder, memory) = memory();
    let counts = memory.import([entry("a", "first"), entry("a", "second")]).unwrap();
    assert_eq!(counts, ImportCounts { added: 1, updated: 1, ..ImportCounts::default() });
    check(&memory, "first", &[]);
    check(&memory, "second", &["a"]);
}

#[test]
fn an_entry_is_given_back_as_it_was() {
    let (_folder, memory) = memory();
    let whole = SearchEntry {
        id: Some("one".to_owned()),
        external_id: Some("x 1".to_owned()),
        kind: "decision".to_owned(),
        scope: "task".to_owned(),
        title: "Title".to_owned(),
        text: "Text\0with anything \u{1F600}".to_owned(),
        why: Some("because".to_owned()),
        files: vec!["a/b.rs".to_owned(), "c d\n.rs".to_owned()],
        at: Some(Timestamp::from_millis(1_700_000_000_000)),
        group: Some("session".to_owned()),
        prev: None,
        next: Some("two".to_owned()),
        state: EntryState::Retired,
    };
    let two = SearchEntry { id: Some("two".to_owned()), ..SearchEntry::default() };
    memory.import([whole.clone(), two]).unwrap();
    assert_eq!(memory.get("one").unwrap(), Some(whole.clone()));
    assert_eq!(memory.get("x 1").unwrap(), Some(whole));
    let back = memory.get("two").unwrap().unwrap();
    assert_eq!(back.prev.as_deref(), Some("one"), "linked back");
    assert_eq!(memory.get("three").unwrap(), None);
}

#[test]
fn ids_are_any_text() {
    let (_folder, memory) = memory();
    let ids = ["", " ", "a/b\\c", "'; DROP TABLE entries; --", "\0", "설정", "m000000000000"];
    memory.import(ids.map(|id| entry(id, "shared word"))).unwrap();
    assert_eq!(memory.count().unwrap(), 7);
    for id in ids {
        let back = memory.get(id).unwrap().unwrap();
        assert_eq!(back.external_id.as_deref(), Some(id));
    }
    assert_eq!(found(&memory, &query("shared")).len(), 7);
}

#[test]
fn words_of_neighbours_help_even_if_they_come_later() {
    let (_folder, memory) = memory();
    let chain = |id: &str, prev: Option<&str>, next: Option<&str>, text: &str| SearchEntry {
        prev: prev.map(str::to_owned),
        next: next.map(str::to_owned),
        ..entry(id, text)
    };
    memory
        .import([
            chain("1", None, Some("2"), "where did you buy the bicycle"),
            chain("2", Some("1"), Some("3"), "at the corner"),
            chain("3", Some("2"), None, "it was cheap"),
            chain("far", None, None, "at the corner"),
        ])
        .unwrap();
    check(&memory, "bicycle", &["1", "2"]);
    check(&memory, "bicycle corner", &["2", "1", "far", "3"]);
    // Each alone: the second names only the entry before it.
    memory.import([chain("x", None, None, "the harbour opens")]).unwrap();
    memory.import([chain("y", Some("x"), None, "at seven")]).unwrap();
    check(&memory, "harbour", &["x", "y"]);
    check(&memory, "seven", &["y", "x"]);
    // The first waits for one that is not there yet.
    memory.import([chain("p", None, Some("q"), "the tower")]).unwrap();
    memory.import([chain("q", None, None, "fell down")]).unwrap();
    check(&memory, "tower", &["p", "q"]);
}

#[test]
fn a_changed_or_removed_neighbour_is_forgotten() {
    let (_folder, memory) = memory();
    let second = SearchEntry { prev: Some("1".to_owned()), ..entry("2", "at seven") };
    memory.import([entry("1", "harbour"), second]).unwrap();
    check(&memory, "harbour", &["1", "2"]);
    memory.import([entry("1", "airport")]).unwrap();
    check(&memory, "harbour", &[]);
    check(&memory, "airport", &["1", "2"]);
    assert!(memory.remove("1").unwrap());
    assert!(!memory.remove("1").unwrap());
    check(&memory, "airport", &[]);
    assert_eq!(memory.get("2").unwrap().unwrap().prev, None);
    assert_eq!(memory.count().unwrap(), 1);
}

#[test]
fn filters_leave_out_other_kinds_scopes_groups_and_retired_entries() {
    let (_folder, memory) = memory();
    let make = |id: &str, kind: &str, scope: &str, group: &str| SearchEntry {
        kind: kind.to_owned(),
        scope: scope.to_owned(),
        group: Some(group.to_owned()),
        ..entry(id, "needle")
    };
    let all = [
        make("a", "gotcha", "task", "one"),
        make("b", "decision", "project", "one"),
        make("c", "project", "task", "two"),
    ];
    memory.import(all).unwrap();
    assert!(memory.set_state("b", EntryState::Retired).unwrap());
    assert!(!memory.set_state("nobody", EntryState::Retired).unwrap());
    let with = |filters: SearchFilters| {
        let mut ids = found(&memory, &SearchQuery { filters, ..query("needle") });
        ids.sort();
        ids.join("")
    };
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(with(SearchFilters::default()), "ac");
    let shown = SearchFilters { retired: RetiredEntries::Shown, ..SearchFilters::default() };
    assert_eq!(with(shown.clone()), "abc");
    assert_eq!(with(SearchFilters { kinds: names(&["project"]), ..shown.clone() }), "c");
    assert_eq!(
        with(SearchFilters { kinds: names(&["gotcha", "decision"]), ..shown.clone() }),
        "ab"
    );
    assert_eq!(with(SearchFilters { scopes: names(&["project"]), ..shown.clone() }), "b");
    assert_eq!(with(SearchFilters { scopes: names(&["nowhere"]), ..shown.clone() }), "");
    assert_eq!(with(SearchFilters { group: Some("one".to_owned()), ..shown.clone() }), "ab");
    assert_eq!(with(SearchFilters { group: Some("three".to_owned()), ..shown }), "");
    memory.set_state("b", EntryState::Active).unwrap();
    assert_eq!(with(SearchFilters::default()), "abc");
}

#[test]
fn a_group_with_all_the_words_raises_its_entries() {
    let (_folder, memory) = memory();
    let turn = |id: &str, group: &str, text: &str| SearchEntry {
        group: Some(group.to_owned()),
        ..entry(id, text)
    };
    memory
        .import([
            turn("other", "elsewhere", "the violin was expensive"),
            turn("asked", "lessons", "the violin was expensive"),
            turn("beside", "lessons", "teacher in Lisbon"),
            turn("noise", "elsewhere", "nothing more"),
        ])
        .unwrap();
    let hits = found(&memory, &query("violin teacher Lisbon"));
    assert_eq!(hits, ["beside", "asked", "other"]);
    let groups = memory.search_groups(&query("violin teacher Lisbon")).unwrap();
    let names: Vec<&str> = groups.iter().map(|hit| hit.group.as_str()).collect();
    assert_eq!(names, ["lessons", "elsewhere"]);
}

#[test]
fn what_is_too_large_is_refused_and_the_rest_is_kept() {
    let (_folder, memory) = memory();
    let huge = entry("huge", &"word ".repeat(10 * 1024 * 1024));
    let counts = memory.import([entry("a", "early"), huge, entry("b", "late")]).unwrap();
    let bytes = 50 * 1024 * 1024;
    assert_eq!(counts.refused, [(1, ImportRefusal::LongText { bytes })]);
    assert_eq!(counts.added, 2);
    let largest = entry("largest", &"x".repeat(LONGEST_TEXT));
    assert_eq!(memory.import([largest]).unwrap().added, 1);
    let hits = memory.search(&query(&"early late ".repeat(100_000))).unwrap();
    assert_eq!(hits.len(), 2);
}

#[test]
fn a_file_that_is_no_database_is_reported_and_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.1.db");
    std::fs::write(&path, "x".repeat(10_000)).unwrap();
    let error = SearchIndex::open(folder.path()).err().unwrap();
    assert!(matches!(error, MemoryError::Damaged { .. }), "{error:?}");
    assert!(error.hint().is_some());
    assert_eq!(std::fs::read(&path).unwrap().len(), 10_000);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, memory) = memory();
    memory.import([entry("a", "b")]).unwrap();
    for end in ["", "-wal", "-shm"] {
        let path = format!("{}{end}", memory.path().display());
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{path}");
    }
}
