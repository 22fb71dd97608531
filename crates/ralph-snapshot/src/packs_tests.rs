use std::fs;

use super::*;
use crate::oid::ObjectKind;
use crate::scratch::ScratchTree;

fn packs(scratch: &ScratchTree) -> PackWriter {
    fs::create_dir_all(scratch.state()).unwrap();
    PackWriter::new(scratch.path(".git/objects"), scratch.state().join("packs"))
}

fn write(packs: &PackWriter, texts: &[&str]) -> Vec<Oid> {
    let mut batch = ObjectBatch::default();
    let ids = texts.iter().map(|text| batch.add(ObjectKind::Blob, text.as_bytes())).collect();
    packs.write(batch).unwrap();
    ids
}

fn count_packs(scratch: &ScratchTree) -> usize {
    let all = fs::read_dir(scratch.path(".git/objects/pack")).unwrap().flatten();
    all.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "pack")).count()
}

#[test]
fn git_reads_few_objects_and_many() {
    let scratch = ScratchTree::git();
    let packs = packs(&scratch);
    let long = "x".repeat(100_000);
    for texts in [&["one"][..], &["a", "b", "", &long, "exactly sixteen."]] {
        for (id, text) in write(&packs, texts).iter().zip(texts) {
            assert!(packs.has(*id));
            assert_eq!(scratch.run(&["cat-file", "blob", &id.to_string()]), *text);
        }
    }
    assert_eq!(count_packs(&scratch), 1);
    scratch.run(&["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn packs_are_joined_before_they_are_many() {
    let scratch = ScratchTree::git();
    let packs = packs(&scratch);
    let mut all = Vec::new();
    for round in 0..40 {
        let texts = [0, 1, 2].map(|part| format!("{round} {part}"));
        all.extend(write(&packs, &texts.each_ref().map(String::as_str)));
        assert!(count_packs(&scratch) <= MOST, "{round}");
    }
    for pack in fs::read_dir(scratch.path(".git/objects/pack")).unwrap().flatten() {
        if pack.path().extension().is_some_and(|ending| ending == "idx") {
            scratch.run(&["verify-pack", pack.path().to_str().unwrap()]);
        }
    }
    for id in all {
        assert_eq!(scratch.run(&["cat-file", "-t", &id.to_string()]), "blob\n");
    }
}

#[test]
fn an_object_is_known_until_its_pack_is_removed() {
    let scratch = ScratchTree::git();
    let packs = packs(&scratch);
    let ids = write(&packs, &["a", "b", "c"]);
    packs.confirm(packs.look(), ids.iter().copied());
    assert!(ids.iter().all(|id| packs.has(*id)));
    scratch.run(&["gc", "-q", "--prune=now"]);
    assert!(!ids.iter().any(|id| packs.has(*id)));
}

#[test]
fn what_an_earlier_process_stored_is_not_stored_again() {
    let scratch = ScratchTree::git();
    let texts = ["a", "b", "c"];
    write(&packs(&scratch), &texts);
    write(&packs(&scratch), &["d"]);
    let before = scratch.run(&["count-objects", "-v"]);
    write(&packs(&scratch), &["a", "b", "c", "d"]);
    assert_eq!(scratch.run(&["count-objects", "-v"]), before);
}
