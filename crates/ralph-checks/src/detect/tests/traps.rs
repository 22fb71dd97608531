//! Projects that are broken, odd or huge.

use super::*;

/// Nothing is proposed beyond `want`, and a notice says all of `words`.
#[track_caller]
fn check_notice(files: &[(&str, &str)], want: usize, words: &[&str]) {
    let found = detected(files, &["cargo", "cargo-clippy", "npm", "python3", "pytest"]);
    assert_eq!(found.proposals.len(), want, "{:?}", found.proposals);
    let says = |notice: &String| words.iter().all(|word| notice.contains(word));
    assert!(found.notices.iter().any(says), "{:?}", found.notices);
}

#[test]
fn an_empty_folder_proposes_nothing() {
    assert_eq!(detected(&[], &[]), DetectedGates::default());
    let nowhere = detect(Path::new("/nonexistent/folder"), &|_, _| true);
    assert_eq!(nowhere, DetectedGates::default());
}

#[test]
fn broken_files_are_named_and_never_fatal() {
    check_notice(&[("package.json", "{\"scripts\":")], 0, &["package.json cannot be read"]);
    check_notice(&[("web/package.json", "[]]")], 0, &["web/package.json cannot be read"]);
    check_notice(&[("Cargo.toml", "[package\n")], 3, &["Cargo.toml cannot be read"]);
    check_notice(
        &[("pyproject.toml", "x = = 1\n"), ("pytest.ini", "")],
        1,
        &["pyproject.toml cannot be read"],
    );
}

#[test]
fn odd_values_in_sound_files_are_passed_over() {
    for manifest in ["[]", "3", "null", r#"{"scripts": [], "workspaces": 3, "packageManager": {}}"#]
    {
        let found = detected(&[("package.json", manifest), ("a/package.json", "{}")], &[]);
        assert_eq!(found, DetectedGates::default(), "{manifest}");
    }
    let files = [("pyproject.toml", "tool = 3\ndependencies = 4\n[project]\ndependencies = 1\n")];
    assert_eq!(detected(&files, &[]), DetectedGates::default());
    let files = [("Cargo.toml", "workspace = 1\n"), ("a/Cargo.toml", "")];
    assert_eq!(detected(&files, &["cargo", "cargo-clippy"]).notices, [""; 0]);
}

#[test]
fn a_lock_file_alone_is_said_to_lock_nothing() {
    check_notice(&[("yarn.lock", "")], 0, &["yarn.lock", "without package.json"]);
    check_notice(&[("api/uv.lock", "")], 0, &["api/uv.lock", "without pyproject.toml"]);
}

#[test]
fn a_file_that_is_no_text_or_too_large_is_named() {
    let large = format!("{{\"x\": \"{}\"}}", "y".repeat(2 * 1024 * 1024));
    check_notice(&[("package.json", &large)], 0, &["package.json", "too large"]);
    let folder = project(&[]);
    fs::write(folder.path().join("package.json"), [0xff, 0xfe, 0x00]).unwrap();
    let found = detect(folder.path(), &|_, _| true);
    assert_eq!(found.notices, ["package.json cannot be read: it is not UTF-8 text"]);
}

#[test]
fn a_byte_order_mark_is_no_obstacle() {
    let found = detected(&[("package.json", "\u{feff}{\"scripts\": {\"test\": \"x\"}}")], &["npm"]);
    assert_eq!((found.proposals.len(), found.notices.len()), (1, 0));
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_in_circles_or_out_of_the_tree() {
    let folder = project(&[("go.mod", ""), ("other/Cargo.toml", "[package]\n")]);
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
    };
    link(".", "again");
    link("other", "linked");
    link("missing", "Makefile");
    let found = detect(folder.path(), &|_, _| true);
    let dirs: Vec<&str> = found.proposals.iter().map(|proposal| proposal.dir.as_str()).collect();
    assert_eq!(dirs, ["", "", "", "other", "other", "other"]);
}

#[test]
fn a_huge_folder_is_listed_in_part_and_project_files_are_found_all_the_same() {
    let folder = project(&[("go.mod", ""), ("web/package.json", r#"{"scripts": {"test": "x"}}"#)]);
    for index in 0..5_000 {
        fs::File::create(folder.path().join(format!("web/{index}.json"))).unwrap();
    }
    let found = detect(folder.path(), &|_, _| true);
    assert_eq!(found.proposals.len(), 4, "{:?}", found.proposals);
    assert_eq!(found.notices, ["web has more files than are looked at"]);
}
