use super::*;

#[test]
fn a_second_import_changes_what_differs_and_leaves_decisions_alone() {
    let (_dir, notebook) = scratch();
    let import = |text: &str, external: &str| {
        let external_id = Some(external.to_owned());
        noted(EventActor::Import, NoteContent { external_id, ..note(&note_id(external), text) })
    };
    notebook.write(&[import("apples", "../a"), import("pears", "b")]).unwrap();
    let promote = LogEventKind::Promoted { id: note_id("../a"), scope: NoteScope::Project };
    let retract = LogEventKind::Retracted { id: note_id("b"), why: "no".to_owned() };
    let decide = |what| event(EventActor::User, EventContext::default(), what);
    notebook.write(&[decide(promote), decide(retract)]).unwrap();
    notebook.write(&[import("apples", "../a"), import("pears", "b")]).unwrap();
    assert_eq!(notebook.get("../a").unwrap().unwrap().note.scope, NoteScope::Project);
    assert!(notebook.get("b").unwrap().unwrap().retired.is_some());
    notebook.write(&[import("quinces", "b")]).unwrap();
    assert_eq!(notebook.get("b").unwrap().unwrap().note.text, "quinces");
    assert_eq!(notebook.count().unwrap(), 2);
}

#[test]
fn an_import_counts_what_it_says_twice_and_leaves_out_what_cannot_be_kept() {
    let (_dir, notebook) = scratch();
    let files = (0..280).map(|n| format!("{n}{}", "x".repeat(4000))).collect();
    let anchor = NoteAnchor {
        file: "a".to_owned(),
        hash: None,
        symbol: Some("s".repeat(2 << 20)),
        body: None,
    };
    let notes = vec![
        note("apple", "apples"),
        note("apple", "apples"),
        note("blank", " \n"),
        NoteContent { files, ..note("files", "about many files") },
        NoteContent { anchors: vec![anchor], ..note("anchor", "pointing far") },
        note("pear", "pears"),
    ];
    let done = notebook.import(notes, &EventContext::default(), Timestamp::from_millis(1)).unwrap();
    assert_eq!((done.added, done.updated, done.unchanged), (2, 0, 1));
    let places: Vec<u64> = done.refused.iter().map(|(place, _)| *place).collect();
    assert_eq!(places, [2, 3, 4]);
    assert_eq!(done.refused[0].1, ImportRefusal::Empty);
    assert!(matches!(done.refused[2].1, ImportRefusal::LongLine { .. }), "{done:?}");
}

#[test]
fn what_an_import_applies_at_once_is_what_its_log_says() {
    let (dir, notebook) = scratch();
    let part = |first: usize| -> Vec<NoteContent> {
        let name = |number: usize| format!("{first}/{number}");
        let turn = |number: usize| NoteContent {
            title: number.is_multiple_of(3).then(|| format!("\"{number}\"\t잠금")),
            files: ids(&["src/a.rs"][..number % 2]),
            since: number.is_multiple_of(5).then_some(7),
            external_id: Some(name(number)),
            prev: number.checked_sub(1).map(name),
            group: Some(format!("session {}", number / 20)),
            ..note(&note_id(&name(number)), &format!("the lock {number} is taken\n"))
        };
        (0..=MANY).map(turn).collect()
    };
    notebook.import(part(0), &EventContext::default(), Timestamp::from_millis(9)).unwrap();
    // Another process writes, and this one has not heard of it.
    let other = noted(EventActor::Agent, note("m1", "written in between"));
    EventLog::new(dir.path()).append(&[other]).unwrap();
    notebook
        .append(part(1).into_iter().map(|note| noted(EventActor::Import, note)).collect())
        .unwrap();
    let rewritten = part(1).into_iter().map(|note| NoteContent { text: "anew".to_owned(), ..note });
    notebook
        .import(rewritten.collect(), &EventContext::default(), Timestamp::from_millis(10))
        .unwrap();
    let (notes, found) = (dump(&notebook), notebook.search(&question("lock taken 3")).unwrap());
    assert_eq!(notes.len(), 2 * (MANY + 1) + 1);
    notebook.rebuild().unwrap();
    assert_eq!(dump(&notebook), notes);
    let again = notebook.search(&question("lock taken 3")).unwrap();
    let names =
        |found: Vec<NoteHit>| found.into_iter().map(|it| it.known.note.id).collect::<Vec<_>>();
    assert_eq!(names(again), names(found));
}

fn users(note: NoteContent) -> ImportedNote {
    ImportedNote { actor: EventActor::User, ..note.into() }
}

fn ended(brought: ImportedNote, by: Option<&str>) -> ImportedNote {
    let at = Timestamp::from_millis(5);
    let (why, by) = ("no more".to_owned(), by.map(str::to_owned));
    ImportedNote { retired: Some(NoteRetirement { at, who: brought.actor, why, by }), ..brought }
}

fn imported(notebook: &Notebook, notes: Vec<ImportedNote>) -> [u64; 4] {
    let at = Timestamp::from_millis(9);
    let done = notebook.import(notes, &EventContext::default(), at).unwrap();
    [done.added, done.updated, done.unchanged, done.kept]
}

#[test]
fn what_did_not_hold_where_it_comes_from_does_not_hold_here() {
    let file = || {
        vec![
            ended(users(note("m1", "apples")), Some("m2")),
            users(note("m2", "pears")),
            ended(note("m3", "plums").into(), None),
        ]
    };
    let (_dir, notebook) = scratch();
    assert_eq!(imported(&notebook, file()), [3, 0, 0, 0]);
    let known = |id: &str| notebook.get(id).unwrap().unwrap();
    let end = known("m1").retired.unwrap();
    assert_eq!((end.by.as_deref(), end.at.as_millis(), end.who), (Some("m2"), 5, EventActor::User));
    assert_eq!(known("m3").retired.unwrap().why, "no more");
    assert!(known("m2").retired.is_none());
    assert_eq!(imported(&notebook, file()), [0, 0, 3, 0]);
}

#[test]
fn whether_a_note_holds_was_decided_here() {
    let (_dir, notebook) = scratch();
    notebook
        .write(&[
            noted(EventActor::User, note("m1", "apples")),
            noted(EventActor::Agent, note("m2", "pears")),
            noted(EventActor::User, note("m3", "plums")),
            noted(EventActor::Import, note("m4", "figs")),
            event(
                EventActor::User,
                EventContext::default(),
                LogEventKind::Retracted { id: "m3".to_owned(), why: String::new() },
            ),
        ])
        .unwrap();
    let file = vec![
        ended(users(note("m1", "apples")), None),
        ended(note("m2", "pears").into(), None),
        users(note("m3", "plums")),
        // Nobody here decided about this one.
        ended(users(note("m4", "figs")), None),
    ];
    assert_eq!(imported(&notebook, file), [0, 1, 1, 2]);
    let holds = |id: &str| notebook.get(id).unwrap().unwrap().retired.is_none();
    assert_eq!(["m1", "m2", "m3", "m4"].map(holds), [true, true, false, false]);
}

#[test]
fn what_the_user_has_otherwise_here_is_counted_as_kept() {
    let (_dir, notebook) = scratch();
    notebook.write(&[noted(EventActor::User, note("m1", "apples"))]).unwrap();
    assert_eq!(imported(&notebook, vec![users(note("m1", "pears"))]), [0, 0, 0, 1]);
    assert_eq!(notebook.get("m1").unwrap().unwrap().note.text, "apples");
    // A file that says both means the user's word.
    let twice = vec![users(note("m2", "plums")), note("m2", "figs").into()];
    assert_eq!(imported(&notebook, twice), [1, 0, 0, 1]);
    assert_eq!(notebook.get("m2").unwrap().unwrap().note.text, "plums");
}

#[test]
fn a_note_that_moved_to_the_other_notebook_holds() {
    let here = || ImportedNote::from(note("m1", "apples"));
    let there = || ImportedNote::from(NoteContent { since: Some(4), ..note("m1", "apples") });
    for file in [vec![ended(here(), None), there()], vec![here(), ended(there(), None)]] {
        let (_dir, notebook) = scratch();
        imported(&notebook, file);
        assert!(notebook.get("m1").unwrap().unwrap().retired.is_none());
    }
    let (_dir, notebook) = scratch();
    imported(&notebook, vec![ended(here(), None), ended(there(), None)]);
    assert!(notebook.get("m1").unwrap().unwrap().retired.is_some());
}

#[test]
fn a_note_that_moved_holds_however_far_apart_its_lines_are() {
    let here = || ImportedNote::from(note("m1", "apples"));
    let there = || ImportedNote::from(NoteContent { since: Some(4), ..note("m1", "apples") });
    for [first, second] in [[ended(here(), None), there()], [here(), ended(there(), None)]] {
        let (_dir, notebook) = scratch();
        assert_eq!(imported(&notebook, vec![first]), [1, 0, 0, 0]);
        imported(&notebook, vec![second]);
        assert!(notebook.get("m1").unwrap().unwrap().retired.is_none());
        notebook.rebuild().unwrap();
        assert!(notebook.get("m1").unwrap().unwrap().retired.is_none());
    }
    // What an earlier import ended was decided here.
    let (_dir, notebook) = scratch();
    imported(&notebook, vec![ended(here(), None)]);
    notebook.import(vec![there()], &EventContext::default(), Timestamp::from_millis(10)).unwrap();
    assert!(notebook.get("m1").unwrap().unwrap().retired.is_some());
}

#[test]
fn a_second_import_of_what_a_file_says_twice_changes_nothing() {
    let here = || ImportedNote::from(note("m1", "apples"));
    let there = || ImportedNote::from(NoteContent { since: Some(4), ..note("m1", "apples") });
    let files = || {
        [
            vec![ended(here(), None), there()],
            vec![here(), ended(there(), None)],
            vec![ended(here(), None), ended(there(), None)],
            vec![here(), there()],
        ]
    };
    for (file, again) in files().into_iter().zip(files()) {
        let (_dir, notebook) = scratch();
        assert_eq!(imported(&notebook, file), [1, 0, 1, 0]);
        assert_eq!(imported(&notebook, again), [0, 0, 2, 0]);
    }
    // In parts, too.
    let (_dir, notebook) = scratch();
    for expected in [[1, 0], [0, 1], [0, 0], [0, 0]].chunks(2) {
        let parts = [vec![ended(here(), None)], vec![there()]];
        let done = parts.map(|part| imported(&notebook, part));
        assert_eq!(done.map(|[added, updated, ..]| [added, updated]), expected);
    }
}
