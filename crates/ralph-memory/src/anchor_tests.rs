use std::fmt::Write as _;
use std::fs;

use tempfile::TempDir;

use super::*;

/// A project of one file, and a note's anchor in it.
struct AnchorFixture {
    dir: TempDir,
    file: &'static str,
}

impl AnchorFixture {
    fn new(file: &'static str, text: &str) -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap(), file };
        place.write(text);
        place
    }

    fn write(&self, text: &str) {
        fs::write(self.dir.path().join(self.file), text).unwrap();
    }

    fn at(&self, symbol: &str) -> Option<NoteAnchor> {
        drop_at(self.dir.path(), self.file, Some(symbol)).ok()
    }

    fn look(&self, anchor: &NoteAnchor) -> AnchorState {
        AnchorResolver::new(self.dir.path()).look(anchor)
    }
}

const STORE: &str =
    "class Store:\n    def save(self):\n        return 1\n\ndef load():\n    save()\n";

#[test]
fn a_symbol_is_the_same_while_its_definition_is() {
    let place = AnchorFixture::new("a.py", STORE);
    let anchor = place.at("Store.save").unwrap();
    assert_eq!(place.look(&anchor), AnchorState::Same);
    place.write(&STORE.replace("    save()", "    return 2"));
    assert_eq!(place.look(&anchor), AnchorState::Same);
    place.write(&STORE.replace("return 1", "return 3"));
    assert_eq!(place.look(&anchor), AnchorState::Changed);
    place.write("def load():\n    save()\n");
    assert_eq!(place.look(&anchor), AnchorState::Gone, "it is only mentioned");
    place.write("def load():\n    pass\n");
    assert_eq!(place.look(&anchor), AnchorState::Gone);
    fs::remove_file(place.dir.path().join("a.py")).unwrap();
    assert_eq!(place.look(&anchor), AnchorState::Gone);
}

#[test]
fn a_file_without_a_symbol_is_the_same_or_not() {
    let place = AnchorFixture::new("a.py", STORE);
    let anchor = drop_at(place.dir.path(), "a.py", None).unwrap();
    assert_eq!(place.look(&anchor), AnchorState::Same);
    place.write("x = 1\n");
    assert_eq!(place.look(&anchor), AnchorState::Changed);
}

#[test]
fn what_code_only_mentions_cannot_be_pointed_at() {
    let place = AnchorFixture::new("a.py", STORE);
    assert!(place.at("Store.save()").is_some());
    for symbol in ["Other.save", "self", "nothing"] {
        assert_eq!(place.at(symbol), None, "{symbol}");
    }
}

#[test]
fn in_other_files_a_symbol_is_a_word() {
    let place = AnchorFixture::new("notes.toml", "[store]\nlimit = 1\n");
    let anchor = place.at("store.limit").unwrap();
    assert_eq!(anchor.body, None);
    place.write("[store]\nlimit = 2\n");
    assert_eq!(place.look(&anchor), AnchorState::Changed);
    place.write("[store]\nlimits = 2\n");
    assert_eq!(place.look(&anchor), AnchorState::Gone);
    assert_eq!(place.at("store.limit"), None);
}

#[test]
fn a_file_that_cannot_be_read_is_no_proof_of_anything() {
    let place = AnchorFixture::new("a.py", STORE);
    let anchor = place.at("Store.save").unwrap();
    for broken in [
        "class Store:\n    def save(self:\n        return 1\n  ))) def (\n",
        "class Store:\n    def sav(((self, row\n        self.buf.append(row)\n",
        "<<<<<<< HEAD\nclass Shop:\n    pass\n=======\nclass Stock:\n    pass\n>>>>>>> theirs\n",
        "class Store:\n    text = \"never closed\n    def other(self):\n        return 1\n",
        "text = '''never closed\nclass Store:\n    pass\n",
        "class Store:\n    def sa",
    ] {
        place.write(broken);
        assert_eq!(place.look(&anchor), AnchorState::Unclear, "{broken}");
    }
    // What is found there can be compared.
    place.write(&format!("{STORE}\n<<<<<<< HEAD\n=======\n>>>>>>> theirs\n"));
    assert_eq!(place.look(&anchor), AnchorState::Same);
    place.write("\0save");
    assert_eq!(place.look(&anchor), AnchorState::Changed);
    let large = format!("{STORE}{}", "x = 1\n".repeat(200_000));
    place.write(&large);
    assert_eq!(place.look(&anchor), AnchorState::Changed);
}

#[test]
fn what_cannot_be_read_can_be_pointed_at_by_a_word() {
    let large = format!("{STORE}{}", "x = 1\n".repeat(200_000));
    for text in [large.as_str(), "def save(:\n  ))) def (\n"] {
        let place = AnchorFixture::new("a.py", text);
        let anchor = place.at("save").unwrap();
        assert_eq!((anchor.body.as_ref(), place.look(&anchor)), (None, AnchorState::Same));
        assert_eq!(place.at("nothing"), None);
    }
}

#[test]
fn an_anchor_of_earlier_days_means_what_it_meant() {
    let place = AnchorFixture::new("a.py", STORE);
    let hash = fingerprint(STORE.as_bytes());
    let line = format!(r#"{{"file":"a.py","hash":"{hash}","symbol":"Other.save"}}"#);
    let anchor: NoteAnchor = serde_json::from_str(&line).unwrap();
    assert_eq!(serde_json::to_string(&anchor).unwrap(), line);
    assert_eq!(place.look(&anchor), AnchorState::Same);
    place.write("def load():\n    save()\n");
    assert_eq!(place.look(&anchor), AnchorState::Changed);
    place.write("def load():\n    pass\n");
    assert_eq!(place.look(&anchor), AnchorState::Gone);
    let named = NoteAnchor { hash: None, symbol: Some("load".to_owned()), ..anchor };
    assert_eq!(place.look(&named), AnchorState::Same);
}

#[test]
fn who_is_in_a_hurry_goes_by_the_file() {
    let place = AnchorFixture::new("a.py", STORE);
    let anchor = place.at("Store.save").unwrap();
    place.write(&format!("{STORE}# more\n"));
    assert_eq!(AnchorResolver::hurried(place.dir.path(), 10).look(&anchor), AnchorState::Changed);
    let mut sight = AnchorResolver::hurried(place.dir.path(), STORE.len() + 10);
    assert_eq!(sight.look(&anchor), AnchorState::Same);
    assert_eq!(sight.look(&anchor), AnchorState::Same, "it was parsed already");
}

#[test]
fn a_file_is_read_once_for_all_notes_about_it() {
    let mut text = String::new();
    for at in 0..20 {
        write!(text, "def f{at}():\n    return {at}\n").unwrap();
    }
    let place = AnchorFixture::new("a.py", &text);
    let anchors: Vec<NoteAnchor> = (0..20).filter_map(|at| place.at(&format!("f{at}"))).collect();
    assert_eq!(anchors.len(), 20);
    place.write(&text.replace("return 7", "return 8"));
    let mut sight = AnchorResolver::new(place.dir.path());
    assert_eq!(sight.look(&anchors[0]), AnchorState::Same);
    fs::remove_file(place.dir.path().join("a.py")).unwrap();
    let changed: Vec<usize> =
        (0..20).filter(|at| sight.look(&anchors[*at]) == AnchorState::Changed).collect();
    assert_eq!(changed, [7]);
}

#[test]
fn nothing_outside_of_the_root_is_looked_at() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), "x").unwrap();
    fs::create_dir(dir.path().join("in")).unwrap();
    assert!(drop_at(&dir.path().join("in"), "../a", None).is_err());
    let absolute = dir.path().join("a").to_string_lossy().into_owned();
    assert!(drop_at(&dir.path().join("in"), &absolute, None).is_err());
}
