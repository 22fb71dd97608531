use std::time::Duration;

use super::*;

fn entry(text: &str) -> ManifestEntry {
    let hash = blake3::hash(text.as_bytes());
    ManifestEntry { kind: ManifestEntryKind::File, content: hash, normal: hash, stat: None }
}

fn manifest(files: &[(&[u8], ManifestEntry)]) -> TreeManifest {
    files.iter().map(|(path, entry)| (Arc::from(*path), entry.clone())).collect()
}

fn manifests() -> (tempfile::TempDir, ManifestCache) {
    let dir = tempfile::tempdir().unwrap();
    let manifests = ManifestCache::new(dir.path());
    manifests.create().unwrap();
    (dir, manifests)
}

#[test]
fn a_manifest_survives_the_way_through_text() {
    let stat = FileStat { size: 1, modified: -2, changed: 3, inode: 4 };
    let link = ManifestEntry { kind: ManifestEntryKind::Link, stat: Some(stat), ..entry("x") };
    let files: [(&[u8], ManifestEntry); 3] =
        [(b"a b%41", entry("1")), (b"new\nline", link), (b"\xff\xc3\xa4", entry("2"))];
    let whole = manifest(&files);
    assert_eq!(TreeManifest::parse(&whole.render()), Some(whole));
}

#[test]
fn a_damaged_manifest_is_no_manifest() {
    let text = manifest(&[(b"a", entry("1"))]).render();
    for damaged in ["", "other\n", &text[..60], &text.replace("f ", "? "), &format!("{text}%")] {
        assert_eq!(TreeManifest::parse(damaged), None, "{damaged}");
    }
    assert_eq!(unescape("%zz"), None);
    assert_eq!(unescape("%4"), None);
}

#[test]
fn changes_tell_added_modified_and_removed() {
    let kept = entry("k");
    let executable = ManifestEntry { kind: ManifestEntryKind::Executable, ..entry("x") };
    let before = manifest(&[(b"gone", entry("1")), (b"kept", kept.clone()), (b"mode", entry("x"))]);
    let after = manifest(&[(b"kept", kept), (b"mode", executable), (b"new", entry("2"))]);
    let change = |path: &str, kind| TreeChange { path: path.into(), kind };
    let want = [
        change("mode", ChangeKind::Modified),
        change("new", ChangeKind::Added),
        change("gone", ChangeKind::Removed),
    ];
    assert_eq!(before.changes(&after), want);
}

#[test]
fn stats_do_not_belong_to_the_id() {
    let stat = Some(FileStat { size: 1, modified: 2, changed: 3, inode: 4 });
    let with = manifest(&[(b"a", ManifestEntry { stat, ..entry("1") })]);
    assert_eq!(with.id(), manifest(&[(b"a", entry("1"))]).id());
}

#[test]
fn a_strange_id_is_unknown_and_reads_no_file() {
    let (_dir, manifests) = manifests();
    for id in ["", "b3-", "b3-../../etc/passwd", "4b825dc642cb6eb9a060e54bf8d69288fbee4904"] {
        let error = manifests.load(&TreeId::new(id)).unwrap_err();
        assert!(matches!(error, TreeError::UnknownTree { .. }), "{error}");
    }
}

#[test]
fn the_tree_not_used_for_longest_is_forgotten() {
    let (_dir, manifests) = manifests();
    let trees: Vec<_> = (0..=KEPT).map(|n| manifest(&[(b"n", entry(&n.to_string()))])).collect();
    let mut age = Duration::from_secs(1000);
    for tree in &trees[..KEPT] {
        let id = tree.id();
        manifests.save(&id, tree).unwrap();
        let path = manifests.folder.join(id.as_str());
        let file = fs::File::options().append(true).open(path).unwrap();
        file.set_modified(manifests.now().unwrap() - age).unwrap();
        age -= Duration::from_secs(1);
    }
    assert_eq!(manifests.load(&trees[0].id()).unwrap(), trees[0]);
    manifests.save(&trees[KEPT].id(), &trees[KEPT]).unwrap();
    assert!(manifests.has(&trees[0].id()), "it was just used");
    assert!(!manifests.has(&trees[1].id()));
    assert!(manifests.has(&trees[2].id()));
    assert!(manifests.has(&trees[KEPT].id()));
}
