//! Finding notes, on real files.

#[cfg(test)]
mod prove;

use ralph_core::Timestamp;
use ralph_memory::event::{
    EventActor, EventContext, LogEvent, LogEventKind, NoteContent, NoteKind, NoteScope,
};
use ralph_memory::{Notebook, RetiredEntries, SearchFilters, SearchQuery, note_id};
use tempfile::TempDir;

#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn notebook() -> (TempDir, Notebook) {
    let folder = tempfile::tempdir().unwrap();
    let notebook = Notebook::open(folder.path()).unwrap();
    (folder, notebook)
}

fn note(id: &str, text: &str) -> NoteContent {
    NoteContent {
        external_id: Some(id.to_owned()),
        ..NoteContent::new(note_id(id), NoteKind::Fact, NoteScope::Project, text)
    }
}

#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn import(notebook: &Notebook, notes: impl IntoIterator<Item = NoteContent>) {
    let notes: Vec<NoteContent> = notes.into_iter().collect();
    let (place, at) = (EventContext::default(), Timestamp::from_millis(0));
    notebook.import(notes, &place, at).unwrap();
}

fn query(text: &str) -> SearchQuery {
    SearchQuery { text: text.to_owned(), limit: 10, ..SearchQuery::default() }
}

/// External ids of what is found, best first.
#[track_caller]
#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn found(notebook: &Notebook, query: &SearchQuery) -> Vec<String> {
    let hits = notebook.search(query).unwrap();
    assert!(hits.is_sorted_by(|one, other| one.score >= other.score), "{hits:?}");
    hits.into_iter().map(|hit| hit.known.note.external_id.unwrap()).collect()
}

#[track_caller]
fn check(notebook: &Notebook, text: &str, want: &[&str]) {
    assert_eq!(found(notebook, &query(text)), want, "{text}");
}

#[test]
fn words_are_found_in_all_their_forms() {
    let (_folder, notebook) = notebook();
    let notes = [
        note("a", "The migration runs twice when the lock is stale"),
        note("b", "parseConfig ignores unknown keys"),
        note("c", "Nothing of interest"),
    ];
    import(&notebook, notes);
    check(&notebook, "migrations", &["a"]);
    check(&notebook, "stale locks", &["a"]);
    check(&notebook, "config", &["b"]);
    check(&notebook, "parse_config", &["b"]);
    check(&notebook, "elsewhere", &[]);
    check(&notebook, "", &[]);
    check(&notebook, "the of", &[]);
}

#[test]
fn korean_is_found_whatever_particle_follows_it() {
    let (_folder, notebook) = notebook();
    let notes = [
        note("object", "설정을 바꾸면 서버가 다시 시작된다"),
        note("subject", "설정이 없으면 기본값을 쓴다"),
        note("bare", "설정 파일"),
        note("other", "로그를 지운다"),
    ];
    import(&notebook, notes);
    let hits = found(&notebook, &query("설정"));
    assert_eq!(hits.len(), 3);
    assert_eq!(hits[0], "bare", "the exact word comes first");
    assert_eq!(found(&notebook, &query("설정에서")).len(), 3);
    check(&notebook, "로그", &["other"]);
}

#[test]
fn a_title_counts_more_than_a_text_and_files_are_searched() {
    let (_folder, notebook) = notebook();
    let titled = NoteContent {
        title: Some("Deadlock".to_owned()),
        ..note("titled", "in the pool of workers")
    };
    let about = NoteContent {
        files: vec!["src/pool/deadlock.rs".to_owned()],
        ..note("about", "see there")
    };
    import(&notebook, [note("text", "a deadlock in the pool"), about, titled]);
    check(&notebook, "deadlock", &["titled", "text", "about"]);
    check(&notebook, "src/pool/deadlock.rs:7", &["about", "text", "titled"]);
}

#[test]
fn ids_are_any_text() {
    let (_folder, notebook) = notebook();
    let ids = [" ", "a/b\\c", "'; DROP TABLE notes; --", "\u{1}", "설정", "m000000000000"];
    import(&notebook, ids.map(|id| note(id, "shared word")));
    assert_eq!(notebook.count().unwrap(), 6);
    for id in ids {
        let back = notebook.get(id).unwrap().unwrap();
        assert_eq!(back.note.external_id.as_deref(), Some(id));
    }
    assert_eq!(found(&notebook, &query("shared")).len(), 6);
}

#[test]
fn words_of_neighbours_help_even_if_they_come_later() {
    let (_folder, notebook) = notebook();
    let chain = |id: &str, prev: Option<&str>, next: Option<&str>, text: &str| NoteContent {
        prev: prev.map(str::to_owned),
        next: next.map(str::to_owned),
        ..note(id, text)
    };
    import(
        &notebook,
        [
            chain("1", None, Some("2"), "where did you buy the bicycle"),
            chain("2", Some("1"), Some("3"), "at the corner"),
            chain("3", Some("2"), None, "it was cheap"),
            chain("far", None, None, "at the corner"),
        ],
    );
    check(&notebook, "bicycle", &["1", "2"]);
    check(&notebook, "bicycle corner", &["2", "1", "far", "3"]);
    // Each alone: the second names only the note before it.
    import(&notebook, [chain("x", None, None, "the harbour opens")]);
    import(&notebook, [chain("y", Some("x"), None, "at seven")]);
    check(&notebook, "harbour", &["x", "y"]);
    check(&notebook, "seven", &["y", "x"]);
    // The first waits for one that is not there yet.
    import(&notebook, [chain("p", None, Some("q"), "the tower")]);
    import(&notebook, [chain("q", None, None, "fell down")]);
    check(&notebook, "tower", &["p", "q"]);
}

#[test]
fn a_changed_or_forgotten_neighbour_helps_no_more() {
    let (_folder, notebook) = notebook();
    let second = NoteContent { prev: Some("1".to_owned()), ..note("2", "at seven") };
    import(&notebook, [note("1", "harbour"), second]);
    check(&notebook, "harbour", &["1", "2"]);
    import(&notebook, [note("1", "airport")]);
    check(&notebook, "harbour", &[]);
    check(&notebook, "airport", &["1", "2"]);
    notebook.forget(&note_id("1")).unwrap();
    check(&notebook, "airport", &[]);
    assert_eq!(notebook.count().unwrap(), 1);
}

#[test]
fn filters_leave_out_other_kinds_scopes_groups_and_retired_notes() {
    let (_folder, notebook) = notebook();
    let make = |id: &str, kind: &str, scope: NoteScope, group: &str| NoteContent {
        kind: NoteKind::of(kind),
        scope,
        group: Some(group.to_owned()),
        ..note(id, "needle")
    };
    let all = [
        make("a", "gotcha", NoteScope::Task, "one"),
        make("b", "decision", NoteScope::Project, "one"),
        make("c", "project", NoteScope::Task, "two"),
    ];
    import(&notebook, all);
    let what = LogEventKind::Retracted { id: note_id("b"), why: "it was wrong".to_owned() };
    let (place, actor) = (EventContext::default(), EventActor::User);
    notebook.write(&[LogEvent { at: 1, place, actor, what }]).unwrap();
    let with = |filters: SearchFilters| {
        let mut ids = found(&notebook, &SearchQuery { filters, ..query("needle") });
        ids.sort();
        ids.join("")
    };
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(with(SearchFilters::default()), "ac");
    let shown = SearchFilters { retired: RetiredEntries::Shown, ..SearchFilters::default() };
    assert_eq!(with(shown.clone()), "abc");
    assert_eq!(with(SearchFilters { kinds: names(&["project"]), ..shown.clone() }), "c");
    let kinds = names(&["gotcha", "decision"]);
    assert_eq!(with(SearchFilters { kinds, ..shown.clone() }), "ab");
    assert_eq!(with(SearchFilters { scopes: names(&["project"]), ..shown.clone() }), "b");
    assert_eq!(with(SearchFilters { scopes: names(&["nowhere"]), ..shown.clone() }), "");
    assert_eq!(with(SearchFilters { group: Some("one".to_owned()), ..shown.clone() }), "ab");
    assert_eq!(with(SearchFilters { group: Some("three".to_owned()), ..shown }), "");
}

#[test]
fn a_group_with_all_the_words_raises_its_notes() {
    let (_folder, notebook) = notebook();
    let turn = |id: &str, group: &str, text: &str| NoteContent {
        group: Some(group.to_owned()),
        ..note(id, text)
    };
    import(
        &notebook,
        [
            turn("other", "elsewhere", "the violin was expensive"),
            turn("asked", "lessons", "the violin was expensive"),
            turn("beside", "lessons", "teacher in Lisbon"),
            turn("noise", "elsewhere", "nothing more"),
        ],
    );
    let hits = found(&notebook, &query("violin teacher Lisbon"));
    assert_eq!(hits, ["beside", "asked", "other"]);
    let groups = notebook.search_groups(&query("violin teacher Lisbon")).unwrap();
    let names: Vec<&str> = groups.iter().map(|hit| hit.group.as_str()).collect();
    assert_eq!(names, ["lessons", "elsewhere"]);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, notebook) = notebook();
    import(&notebook, [note("a", "b")]);
    for end in ["", "-wal", "-shm"] {
        let path = format!("{}{end}", folder.path().join("memory.1.db").display());
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{path}");
    }
}
