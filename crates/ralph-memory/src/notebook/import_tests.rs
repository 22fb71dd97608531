use super::*;

#[test]
fn a_second_import_changes_what_differs_and_leaves_decisions_alone() {
    let (_dir, notebook) = scratch();
    let import = |text: &str, external: &str| {
        let external_id = Some(external.to_owned());
        noted(Actor::Import, Note { external_id, ..note(&note_id(external), text) })
    };
    notebook.write(&[import("apples", "../a"), import("pears", "b")]).unwrap();
    let promote = What::Promoted { id: note_id("../a"), scope: Scope::Project };
    let retract = What::Retracted { id: note_id("b"), why: "no".to_owned() };
    let decide = |what| event(Actor::User, Place::default(), what);
    notebook.write(&[decide(promote), decide(retract)]).unwrap();
    notebook.write(&[import("apples", "../a"), import("pears", "b")]).unwrap();
    assert_eq!(notebook.get("../a").unwrap().unwrap().note.scope, Scope::Project);
    assert!(notebook.get("b").unwrap().unwrap().retired.is_some());
    notebook.write(&[import("quinces", "b")]).unwrap();
    assert_eq!(notebook.get("b").unwrap().unwrap().note.text, "quinces");
    assert_eq!(notebook.count().unwrap(), 2);
}

#[test]
fn an_import_counts_what_it_says_twice_and_leaves_out_what_cannot_be_kept() {
    let (_dir, notebook) = scratch();
    let files = (0..280).map(|n| format!("{n}{}", "x".repeat(4000))).collect();
    let anchor =
        Anchor { file: "a".to_owned(), hash: None, symbol: Some("s".repeat(2 << 20)), body: None };
    let notes = vec![
        note("apple", "apples"),
        note("apple", "apples"),
        note("blank", " \n"),
        Note { files, ..note("files", "about many files") },
        Note { anchors: vec![anchor], ..note("anchor", "pointing far") },
        note("pear", "pears"),
    ];
    let done = notebook.import(notes, &Place::default(), Timestamp::from_millis(1)).unwrap();
    assert_eq!((done.added, done.updated, done.unchanged), (2, 0, 1));
    let places: Vec<u64> = done.refused.iter().map(|(place, _)| *place).collect();
    assert_eq!(places, [2, 3, 4]);
    assert_eq!(done.refused[0].1, Refusal::Empty);
    assert!(matches!(done.refused[2].1, Refusal::LongLine { .. }), "{done:?}");
}

#[test]
fn what_an_import_applies_at_once_is_what_its_log_says() {
    let (dir, notebook) = scratch();
    let part = |first: usize| -> Vec<Note> {
        let name = |number: usize| format!("{first}/{number}");
        let turn = |number: usize| Note {
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
    notebook.import(part(0), &Place::default(), Timestamp::from_millis(9)).unwrap();
    // Another process writes, and this one has not heard of it.
    let other = noted(Actor::Agent, note("m1", "written in between"));
    Log::new(dir.path()).append(&[other]).unwrap();
    notebook.append(part(1).into_iter().map(|note| noted(Actor::Import, note)).collect()).unwrap();
    let rewritten = part(1).into_iter().map(|note| Note { text: "anew".to_owned(), ..note });
    notebook.import(rewritten.collect(), &Place::default(), Timestamp::from_millis(10)).unwrap();
    let (notes, found) = (dump(&notebook), notebook.search(&question("lock taken 3")).unwrap());
    assert_eq!(notes.len(), 2 * (MANY + 1) + 1);
    notebook.rebuild().unwrap();
    assert_eq!(dump(&notebook), notes);
    let again = notebook.search(&question("lock taken 3")).unwrap();
    let names =
        |found: Vec<Found>| found.into_iter().map(|it| it.known.note.id).collect::<Vec<_>>();
    assert_eq!(names(again), names(found));
}
