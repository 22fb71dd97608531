use super::*;

/// A work tree in which a gate has just created `gen.txt`.
fn created() -> (tempfile::TempDir, LeftoverFiles) {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("gen.txt"), "good").unwrap();
    let mut leftovers = LeftoverFiles::default();
    assert_eq!(leftovers.add(root.path(), [PathBuf::from("gen.txt")].into_iter()), 1);
    (root, leftovers)
}

#[track_caller]
fn is_left_out(leftovers: &mut LeftoverFiles, root: &Path) -> bool {
    leftovers.untouched(root) == [PathBuf::from("gen.txt")]
}

#[test]
fn a_file_is_left_out_while_it_is_as_the_gate_left_it() {
    let (root, mut leftovers) = created();
    assert!(is_left_out(&mut leftovers, root.path()));
    fs::write(root.path().join("gen.txt"), "good").unwrap();
    assert!(is_left_out(&mut leftovers, root.path()));
    fs::remove_file(root.path().join("gen.txt")).unwrap();
    assert!(is_left_out(&mut leftovers, root.path()));
}

#[test]
fn what_others_changed_belongs_to_the_tree_for_good() {
    let (root, mut leftovers) = created();
    fs::write(root.path().join("gen.txt"), "bad").unwrap();
    assert!(!is_left_out(&mut leftovers, root.path()));
    fs::write(root.path().join("gen.txt"), "good").unwrap();
    leftovers.refresh(root.path());
    assert!(!is_left_out(&mut leftovers, root.path()));
}

#[test]
fn a_folder_in_the_place_of_a_file_is_a_change() {
    let (root, mut leftovers) = created();
    fs::remove_file(root.path().join("gen.txt")).unwrap();
    fs::create_dir(root.path().join("gen.txt")).unwrap();
    assert!(!is_left_out(&mut leftovers, root.path()));
}

#[test]
fn a_gate_may_rewrite_its_own_file() {
    let (root, mut leftovers) = created();
    assert!(is_left_out(&mut leftovers, root.path()));
    fs::write(root.path().join("gen.txt"), "better").unwrap();
    leftovers.refresh(root.path());
    assert!(is_left_out(&mut leftovers, root.path()));
}

#[test]
fn the_list_is_read_as_it_was_written() {
    let (root, mut leftovers) = created();
    let folder = root.path().join("state");
    leftovers.save(&folder).unwrap();
    let mut loaded = LeftoverFiles::load(&folder);
    assert_eq!(loaded, leftovers);
    assert_eq!(loaded.untouched(root.path()), leftovers.untouched(root.path()));
}
