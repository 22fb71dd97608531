use ralph_core::tokens;

use super::calls::CallGroup;
use super::name::NameLookup;
use super::refs::{UseCertainty, UseSite};
use super::symbols::SymbolQuery;
use crate::code::KnownCode;
use crate::facts::DefinitionKind;
use crate::map::MapQuery;
use crate::scratch::{LATER, ScratchCodebase};

const PROJECT: [(&str, &str); 6] = [
    (
        "app/store.py",
        "class Store:\n    \"\"\"Keeps users.\"\"\"\n\n    def save(self, user):\n        check(user)\n\n    def load(self):\n        return self.save(None)\n\n\ndef check(user):\n    return len(user)\n",
    ),
    ("app/other.py", "class Other:\n    def save(self):\n        pass\n"),
    ("app/__init__.py", "from app.store import Store\n"),
    (
        "app/web.py",
        "from app import Store as Keeper\nfrom app.store import check as verify\n\n\ndef handle(store: Keeper, thing):\n    store.save(1)\n    thing.save()\n    verify(2)\n\n\nhandle(Keeper(), None)\n",
    ),
    (
        "tests/test_store.py",
        "from app.store import Store\n\n\ndef test_save():\n    Store().save(1)\n\n\ndef test_nothing():\n    pass\n",
    ),
    ("tests/test_web.py", "from app.web import handle\n\n\ndef test_handle():\n    handle(1, 2)\n"),
];

#[track_caller]
fn ask<T>(question: impl FnOnce(&KnownCode<'_>) -> T) -> T {
    let scratch = ScratchCodebase::new(&PROJECT);
    let mut index = scratch.index();
    question(&index.code(LATER).unwrap())
}

#[track_caller]
fn one<T: std::fmt::Debug>(meant: NameLookup<T>) -> T {
    match meant {
        NameLookup::One(found) => found,
        NameLookup::Several(_) | NameLookup::Nothing(_) => panic!("{meant:?}"),
    }
}

fn site(site: &UseSite) -> String {
    let doubt = match site.certainty {
        UseCertainty::Sure => String::new(),
        UseCertainty::OneOf(count) => format!(" one of {count}"),
    };
    let within = site.within.as_deref().unwrap_or("-");
    format!("{}:{} {} {within}{doubt}", site.path, site.line, site.relation.word())
}

#[test]
fn uses_are_found_through_imports_and_other_names() {
    let refs = ask(|code| one(code.refs("Store.save")));
    let sites: Vec<String> = refs.sites.iter().map(site).collect();
    assert_eq!(
        sites,
        [
            "app/store.py:8 calls Store.load",
            "app/web.py:6 calls handle",
            "app/web.py:7 calls handle one of 2",
            "tests/test_store.py:5 calls test_save",
        ]
    );
    let refs = ask(|code| one(code.refs("app/store.py:check")));
    let sites: Vec<String> = refs.sites.iter().map(site).collect();
    assert_eq!(
        sites,
        ["app/store.py:5 calls Store.save", "app/web.py:2 imports -", "app/web.py:8 calls handle",]
    );
}

#[test]
fn a_name_is_understood_as_people_write_it() {
    for name in [
        "Store.save",
        "Store::save",
        "app.store.Store.save",
        "store.py:Store.save",
        "app/store.py:Store#save",
    ] {
        let refs = ask(|code| one(code.refs(name)));
        assert_eq!(refs.symbols[0].path, "app/store.py", "{name}");
    }
}

#[test]
fn a_name_of_several_things_lists_them() {
    let NameLookup::Several(all) = ask(|code| code.refs("save")) else { panic!() };
    let names: Vec<&str> = all.iter().map(|symbol| symbol.full_name.as_str()).collect();
    assert_eq!(names, ["Other.save", "Store.save"]);
}

#[test]
fn a_name_of_nothing_proposes_what_is_alike() {
    let NameLookup::Nothing(alike) = ask(|code| code.refs("Stroe")) else { panic!() };
    assert_eq!(alike.first().map(|symbol| symbol.full_name.as_str()), Some("Store"));
}

fn calls(calls: &CallGroup) -> String {
    let name = calls.symbol.as_ref().map_or("-", |symbol| symbol.full_name.as_str());
    format!("{}:{name} {:?} {:?}", calls.path, calls.lines, calls.certainty)
}

#[test]
fn callers_and_callees_are_two_ends_of_a_call() {
    let found = ask(|code| one(code.callers("handle")));
    let lines: Vec<String> = found.callers.iter().map(calls).collect();
    assert_eq!(lines, ["app/web.py:- [11] Sure", "tests/test_web.py:test_handle [5] Sure"]);
    let found = ask(|code| one(code.callees("handle")));
    let lines: Vec<String> = found.callees.iter().map(calls).collect();
    assert_eq!(
        lines,
        [
            "app/store.py:Store.save [6] Sure",
            "app/other.py:Other.save [7] OneOf(2)",
            "app/store.py:Store.save [7] OneOf(2)",
            "app/store.py:check [8] Sure",
        ]
    );
    assert_eq!(ask(|code| one(code.callees("check"))).outside, ["len"]);
}

#[test]
fn impact_names_dependents_and_the_tests_that_touch_them() {
    let impact = ask(|code| code.impact(&["app/store.py".to_owned(), "none.py".to_owned()]));
    assert_eq!(impact.unknown, ["none.py"]);
    let dependents: Vec<(&str, usize)> =
        impact.dependents.iter().map(|it| (it.path.as_str(), it.distance)).collect();
    assert_eq!(
        dependents,
        [
            ("app/__init__.py", 1),
            ("app/web.py", 1),
            ("tests/test_store.py", 1),
            ("tests/test_web.py", 2)
        ]
    );
    let tests: Vec<(Option<&str>, usize)> =
        impact.tests.iter().map(|it| (it.name.as_deref(), it.distance)).collect();
    assert_eq!(tests, [(Some("test_save"), 1), (None, 2)]);
}

#[test]
fn symbols_are_found_by_name_file_and_kind() {
    let names = |query: SymbolQuery<'_>| -> Vec<String> {
        let found = ask(|code| code.symbols(&SymbolQuery { limit: 10, ..query }));
        found.symbols.into_iter().map(|symbol| symbol.full_name).collect()
    };
    let query = SymbolQuery::default();
    assert_eq!(names(SymbolQuery { name: Some("Store.sav"), ..query.clone() }), ["Store.save"]);
    let kinds = [DefinitionKind::Class];
    assert_eq!(names(SymbolQuery { kinds: &kinds, ..query.clone() }), ["Other", "Store"]);
    let file = Some("stor.py");
    assert_eq!(
        names(SymbolQuery { file, ..query }),
        ["Store", "Store.save", "Store.load", "check"]
    );
}

fn many() -> ScratchCodebase {
    let scratch = ScratchCodebase::new(&[]);
    for number in 0..60 {
        let next = (number * 7 + 1) % 60;
        let text = format!(
            "from module_{next} import function_{next}\n\n\nclass Class{number}:\n    def method_{number}(self, value: int) -> int:\n        return function_{next}(value)\n\n\ndef function_{number}(value):\n    return value\n"
        );
        scratch.write(&format!("module_{number}.py"), text);
    }
    scratch
}

#[test]
fn a_map_fits_its_budget_closely_and_is_always_the_same() {
    let scratch = many();
    let mut index = scratch.index();
    let code = index.code(LATER).unwrap();
    for budget in [200, 500, 1000] {
        let query = MapQuery { tokens: budget, ..MapQuery::default() };
        let map = code.map(&query);
        assert_eq!(map.tokens, tokens::estimate(&map.text));
        assert!(map.tokens <= budget && map.tokens * 100 >= budget * 95, "{}", map.tokens);
        assert_eq!(scratch.index().code(LATER).unwrap().map(&query), map);
    }
}

#[test]
fn a_small_map_fills_its_budget_too() {
    let line = |number: usize| format!("def made({}): pass\n\n\n", "size, ".repeat(number % 13));
    let text: String = (0..60).map(line).collect();
    let scratch = ScratchCodebase::new(&[("app/store.py", &text)]);
    let mut index = scratch.index();
    let code = index.code(LATER).unwrap();
    for budget in 40..80 {
        let map = code.map(&MapQuery { tokens: budget, ..MapQuery::default() });
        assert_eq!(map.tokens, tokens::estimate(&map.text));
        assert!(map.tokens <= budget && map.tokens >= budget - budget / 20, "{budget}: {map:?}");
    }
    assert_eq!(code.map(&MapQuery { tokens: 4, ..MapQuery::default() }).text, "");
}

#[test]
fn what_is_on_the_map_stays_in_its_line() {
    let text = "def f(a=\"\x1b]0;owned\x07\u{202e}\"):\n    pass\n";
    let scratch = ScratchCodebase::new(&[("a\nb\x1b[31m.py", text)]);
    let mut index = scratch.index();
    let map = index.code(LATER).unwrap().map(&MapQuery { tokens: 200, ..MapQuery::default() });
    assert_eq!(map.text.lines().count(), 2, "{:?}", map.text);
    assert!(!map.text.contains(['\x1b', '\x07', '\u{202e}']), "{:?}", map.text);
}

#[test]
fn a_map_shows_what_files_and_words_of_interest_lead_to() {
    let scratch = many();
    let mut index = scratch.index();
    let code = index.code(LATER).unwrap();
    let files = vec!["module_3.py".to_owned()];
    let map = code.map(&MapQuery { files, tokens: 150, ..MapQuery::default() });
    assert!(map.text.contains("function_22") && map.text.contains("function_3("), "{}", map.text);
    let words = vec!["method_41".to_owned()];
    let map = code.map(&MapQuery { words, tokens: 150, ..MapQuery::default() });
    assert!(map.text.contains("method_41"), "{}", map.text);
}

#[test]
fn tests_that_matter_more_do_not_keep_code_off_the_map() {
    let functions = |count: usize, name: &str| {
        let all: Vec<String> =
            (0..count).map(|at| format!("def {name}_{at}():\n    pass\n")).collect();
        all.concat()
    };
    let (tests, code) = (functions(2_000, "test_case"), functions(100, "run_test"));
    let scratch = ScratchCodebase::new(&[("test_it.py", tests.as_str()), ("it.py", code.as_str())]);
    let mut index = scratch.index();
    let words = vec!["test".to_owned()];
    let map =
        index.code(LATER).unwrap().map(&MapQuery { words, tokens: 500, ..MapQuery::default() });
    assert!(map.tokens > 450, "{}", map.text);
    assert!(map.files.iter().all(|file| file.path == "it.py"));
}

#[test]
fn a_map_does_not_take_what_a_language_brings_along_for_the_projects_own() {
    let uses = "from core import run\n\n\ndef use(all):\n    run(enumerate(all))\n";
    let names: Vec<String> = (0..20).map(|number| format!("m{number}.py")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), uses)).collect();
    files.push(("core.py", "def aside():\n    pass\n\n\ndef run(all):\n    pass\n"));
    files.push(("thr.py", "def first():\n    pass\n\n\ndef enumerate():\n    pass\n"));
    let scratch = ScratchCodebase::new(&files);
    let mut index = scratch.index();
    let map = index.code(LATER).unwrap().map(&MapQuery { tokens: 40, ..MapQuery::default() });
    assert!(map.text.contains("def run") && !map.text.contains("enumerate"), "{}", map.text);
}

#[test]
fn what_a_header_declares_is_what_another_file_defines() {
    let scratch = ScratchCodebase::new(&[
        ("include/store.h", "int store_save(int size);\n"),
        ("src/store.c", "#include \"store.h\"\n\nint store_save(int size) { return size; }\n"),
        ("src/main.c", "#include \"store.h\"\n\nint main(void) { return store_save(1); }\n"),
    ]);
    let mut index = scratch.index();
    let code = index.code(LATER).unwrap();
    for name in ["store_save", "src/store.c:store_save", "store.h:store_save"] {
        let found = one(code.callers(name));
        let lines: Vec<String> = found.callers.iter().map(calls).collect();
        assert_eq!(lines, ["src/main.c:main [3] Sure"], "{name}");
    }
    let found = one(code.callees("main"));
    let lines: Vec<String> = found.callees.iter().map(calls).collect();
    assert_eq!(lines, ["src/store.c:store_save [3] Sure"]);
}

#[test]
fn each_file_is_listed_with_the_names_of_what_it_defines() {
    let names = ask(|code| {
        let names = code.names().map(|(path, names)| format!("{path} {}", names.join(" ")));
        names.collect::<Vec<String>>()
    });
    assert_eq!(names[1..3], ["app/other.py Other save", "app/store.py Store save load check"]);
}
