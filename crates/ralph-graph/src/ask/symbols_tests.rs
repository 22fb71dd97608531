use super::*;
use crate::scratch::{LATER, ScratchCodebase};

const FILES: [(&str, &str); 6] = [
    ("app/store.py", "class Store:\n    def save(self): pass\n\n\ndef check(): pass\n"),
    ("app/other.py", "class Other:\n    def save(self): pass\n"),
    ("app/deep/list.py", "class Stack:\n    def push(self): pass\n\n\ndef list_push(): pass\n"),
    ("app/empty.py", ""),
    ("web/[id]/page.ts", "export function page() {}\n"),
    ("web/größe.ts", "export function größe() {}\n"),
];

fn ask(query: &SymbolQuery<'_>) -> SymbolMatches {
    let scratch = ScratchCodebase::new(&FILES);
    let mut index = scratch.index();
    index.code(LATER).unwrap().symbols(&SymbolQuery { limit: 10, ..query.clone() })
}

fn named(name: &str) -> Vec<String> {
    let found = ask(&SymbolQuery { name: Some(name), ..SymbolQuery::default() });
    found.symbols.into_iter().map(|symbol| symbol.full_name).collect()
}

/// Returns how the files were found, and their paths.
fn files(file: &str) -> (Option<FoundBy>, Vec<String>) {
    let found = ask(&SymbolQuery { file: Some(file), ..SymbolQuery::default() });
    (found.found_by, found.files.unwrap())
}

#[test]
fn files_are_chosen_by_path_by_pattern_or_by_likeness() {
    let store = "app/store.py".to_owned();
    let by = |how, paths: &[&str]| (Some(how), paths.iter().map(|it| (*it).to_owned()).collect());
    assert_eq!(files("app/store.py"), by(FoundBy::Path, &["app/store.py"]));
    assert_eq!(files("app/deep/"), by(FoundBy::Path, &["app/deep/list.py"]));
    assert_eq!(files("stor.py"), (Some(FoundBy::Likeness), vec![store]));
    let all = ["app/deep/list.py", "app/empty.py", "app/other.py", "app/store.py"];
    assert_eq!(files("*.py"), by(FoundBy::Pattern, &all));
    assert_eq!(files("app/*.py"), by(FoundBy::Pattern, &all[1..]));
    assert_eq!(files("./app/**/l*.{py,ts}"), by(FoundBy::Pattern, &all[..1]));
    assert_eq!(files("d??p"), by(FoundBy::Pattern, &all[..1]));
    assert_eq!(files("*.rb"), by(FoundBy::Pattern, &[]));
    assert_eq!(files("app/[x"), by(FoundBy::Pattern, &[]));
    assert_eq!(files(".").1.len(), FILES.len());
}

#[test]
fn a_path_with_the_signs_of_a_pattern_is_a_path() {
    let page = vec!["web/[id]/page.ts".to_owned()];
    assert_eq!(files("web/[id]/page.ts"), (Some(FoundBy::Path), page));
}

#[test]
fn a_file_without_definitions_is_told_from_one_that_is_not_there() {
    assert_eq!(files("app/empty.py").1, ["app/empty.py"]);
    assert_eq!(files("nope/nada.xyz").1, [""; 0]);
}

#[test]
fn words_are_found_in_any_order_and_in_what_a_name_is_in() {
    assert_eq!(named("push list"), ["list_push"]);
    assert_eq!(named("stack push"), ["Stack.push"]);
    assert_eq!(named("push stack"), ["Stack.push"]);
    assert_eq!(named("stack pull"), [""; 0]);
}

#[test]
fn letters_with_marks_are_found_without_them() {
    assert_eq!(named("grosse"), ["größe"]);
    assert_eq!(named("Größe"), ["größe"]);
}

#[test]
fn a_definition_is_found_by_its_place_and_in_its_file() {
    assert_eq!(named("app/store.py:2"), ["Store.save"]);
    assert_eq!(named("store.py:2:9"), ["Store.save"]);
    assert_eq!(named("store.py:sav"), ["Store.save"]);
    assert_eq!(named("other.py:Other.sav"), ["Other.save"]);
    assert_eq!(named("store.py:9"), [""; 0]);
    let (name, kinds) = (Some("app/store.py:2"), [DefinitionKind::Class]);
    assert_eq!(ask(&SymbolQuery { name, kinds: &kinds, ..SymbolQuery::default() }).total, 0);
}
