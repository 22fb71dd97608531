use crate::outline::NameKey;
use crate::resolve::tests::check;

#[test]
fn names_with_one_key_are_not_taken_for_each_other() {
    let (one, two) = ("nozrspb", "nczzesa");
    assert_eq!(NameKey::of(one), NameKey::of(two));
    let classes = format!(
        "class A:\n    def {one}(self):\n        pass\n\nclass B:\n    def {two}(self):\n        pass\n"
    );
    let uses = format!("import lib\n\ndef f(x):\n    x.{one}()\n    x.{two}()\n");
    let head = format!("namespace n {{\nvoid {one}();\n}}\n");
    let parts = format!(
        "#include \"n.h\"\nnamespace n {{\nvoid {two}() {{}}\nvoid f() {{\n  {one}();\n}}\n}}\n"
    );
    check(
        &[("lib.py", &classes), ("use.py", &uses), ("n.h", &head), ("n.cpp", &parts)],
        &[
            "use.py:4 nozrspb -> lib.py:2",
            "use.py:5 nczzesa -> lib.py:6",
            "n.cpp:5 nozrspb -> n.h:2",
        ],
    );
}

#[test]
fn methods_of_a_languages_own_types_are_not_the_projects() {
    check(
        &[
            ("Cargo.toml", "[package]\nname = \"d\"\n"),
            (
                "src/lib.rs",
                "mod b;\npub struct Y;\nimpl Y {\n    pub fn ends_with(&self) {}\n    pub fn shine(&self) {}\n}\n",
            ),
            (
                "src/b.rs",
                "use crate::*;\nstruct E { text: String, y: Y }\nfn text() -> String { String::new() }\nfn f(s: &str, e: E, all: Vec<u8>, y: &Y) {\n    s.ends_with(1);\n    s.trim().ends_with(2);\n    e.text.ends_with(3);\n    \"a\".shine();\n    all.shine();\n    e.text.shine();\n    y.shine();\n    e.y.ends_with(4);\n    text().shine();\n}\n",
            ),
        ],
        &[
            "src/b.rs:5 ends_with -> -",
            "src/b.rs:6 ends_with -> ? src/lib.rs:4",
            "src/b.rs:7 ends_with -> -",
            "src/b.rs:8 shine -> -",
            "src/b.rs:9 shine -> -",
            "src/b.rs:10 shine -> -",
            "src/b.rs:11 shine -> src/lib.rs:5",
            "src/b.rs:12 ends_with -> src/lib.rs:4",
            "src/b.rs:13 shine -> src/lib.rs:5",
        ],
    );
}

#[test]
fn what_a_project_adds_to_a_languages_own_type_is_found() {
    check(
        &[
            ("Cargo.toml", "[package]\nname = \"d\"\n"),
            (
                "src/lib.rs",
                "pub trait Loud { fn shout(&self); fn hum(&self); }\nimpl Loud for str {\n    fn shout(&self) {}\n}\nfn f(s: &str, n: u32) {\n    s.shout();\n    n.hum();\n}\n",
            ),
        ],
        &["src/lib.rs:6 shout -> src/lib.rs:3", "src/lib.rs:7 hum -> ? src/lib.rs:1"],
    );
}

#[test]
fn a_method_that_is_not_visible_is_not_called() {
    let file = "use depot::*;\nfn f(x: impl Sized) {\n    x.hidden();\n    x.near();\n    x.open();\n    x.inside();\n}\n";
    check(
        &[
            ("Cargo.toml", "[workspace]\nmembers = [\"depot\", \"shop\"]\n"),
            ("depot/Cargo.toml", "[package]\nname = \"depot\"\n"),
            (
                "depot/src/lib.rs",
                "mod part;\npub struct Y;\nimpl Y {\n    fn inside(&self) {}\n    pub(crate) fn near(&self) {}\n    pub fn open(&self) {}\n}\n",
            ),
            (
                "depot/src/part.rs",
                "use crate::*;\npub struct P;\nimpl P {\n    fn hidden(&self) {}\n}\nfn f(x: impl Sized) {\n    x.near();\n    x.inside();\n    x.hidden();\n}\n",
            ),
            ("shop/Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("shop/src/lib.rs", file),
        ],
        &[
            "depot/src/part.rs:7 near -> depot/src/lib.rs:5",
            "depot/src/part.rs:8 inside -> depot/src/lib.rs:4",
            "depot/src/part.rs:9 hidden -> depot/src/part.rs:4",
            "shop/src/lib.rs:3 hidden -> -",
            "shop/src/lib.rs:4 near -> -",
            "shop/src/lib.rs:5 open -> depot/src/lib.rs:6",
            "shop/src/lib.rs:6 inside -> -",
        ],
    );
}

#[test]
fn what_comes_from_outside_is_not_surely_of_the_project() {
    check(
        &[
            (
                "lib.py",
                "class Log:\n    def info(self, m):\n        pass\n    def startswith(self, m):\n        pass\n",
            ),
            (
                "use.py",
                "import lib\nimport logging\nfrom elsewhere import make\n\nlog = logging.getLogger()\n\ndef f(s, t: str):\n    log.info(1)\n    make().info(2)\n    own = make()\n    own.info(3)\n    s.info(4)\n    map(s.startswith, [])\n    t.info(5)\n    \"\".info(6)\n    name = \"\"\n    name.info(7)\n",
            ),
        ],
        &[
            "use.py:8 info -> ? lib.py:2",
            "use.py:9 info -> ? lib.py:2",
            "use.py:11 info -> ? lib.py:2",
            "use.py:12 info -> lib.py:2",
            "use.py:13 startswith -> ? lib.py:4",
            "use.py:14 info -> -",
            "use.py:15 info -> -",
            "use.py:17 info -> -",
        ],
    );
}

#[test]
fn a_class_is_known_to_be_one_however_it_is_spelled() {
    let classes = "class DB:\n    def save(self):\n        pass\n\nclass db:\n    def save(self):\n        pass\n\nclass Ab:\n    def save(self):\n        pass\n\ndef make():\n    return Ab()\n";
    check(
        &[
            ("lib.py", classes),
            (
                "use.py",
                "import lib\nfrom lib import DB, db, make\n\ndef f():\n    a = DB()\n    a.save()\n    db().save()\n    b = lib.db()\n    b.save()\n    make().save()\n\nouter = DB()\nouter.save()\n\ndef g(make):\n    make().save()\n",
            ),
        ],
        &[
            "use.py:6 save -> lib.py:2",
            "use.py:7 save -> lib.py:6",
            "use.py:9 save -> lib.py:6",
            "use.py:10 save -> ? lib.py:2 lib.py:6 lib.py:10",
            "use.py:13 save -> lib.py:2",
            "use.py:16 save -> ? lib.py:2 lib.py:6 lib.py:10",
        ],
    );
}

#[test]
fn the_title_of_a_test_is_no_name() {
    check(
        &[
            ("app.ts", "export function App() {}\nexport class Store {\n  save() {}\n}\n"),
            (
                "app.test.ts",
                "import { App, Store } from \"./app\";\ndescribe(\"App\", () => {\n  it(\"Store\", () => {\n    App();\n    const s = new Store();\n    s.save();\n  });\n});\ntest(\"plain\", () => {\n  App();\n});\n",
            ),
            ("db.rb", "class DB\n  def go\n  end\nend\n"),
            (
                "db_spec.rb",
                "require_relative \"db\"\nRSpec.describe \"DB\" do\n  it \"go\" do\n    DB.new.go\n  end\nend\n",
            ),
        ],
        &[
            "app.test.ts:4 App -> app.ts:1",
            "app.test.ts:5 Store -> app.ts:2",
            "app.test.ts:6 save -> app.ts:3",
            "app.test.ts:10 App -> app.ts:1",
            "db_spec.rb:4 DB -> db.rb:1",
            "db_spec.rb:4 go -> db.rb:2",
        ],
    );
}

#[test]
fn what_is_imported_is_of_the_type_that_its_own_file_says() {
    let store = "class Store:\n    def save(self):\n        pass\n\nclass Other:\n    def save(self):\n        pass\n    def info(self):\n        pass\n";
    check(
        &[
            ("store.py", store),
            (
                "db.py",
                "import logging\nfrom store import Store as S\nimport store\n\ndb = S()\nlater: store.Other = None\nlog = logging.getLogger()\nplain = 1\n",
            ),
            (
                "use.py",
                "import db as all\nfrom db import db, later, log, plain\n\nclass S:\n    def save(self):\n        pass\n\ndef f():\n    db.save()\n    all.db.save()\n    later.save()\n    log.info()\n    db.info()\n",
            ),
        ],
        &[
            "use.py:9 save -> store.py:2",
            "use.py:10 save -> store.py:2",
            "use.py:11 save -> store.py:6",
            "use.py:12 info -> ? store.py:8",
            "use.py:13 info -> -",
        ],
    );
    check(
        &[
            (
                "store.ts",
                "export class Store {\n  save() {}\n}\nexport class Other {\n  save() {}\n}\n",
            ),
            (
                "db.ts",
                "import { Store, Other as O } from './store';\nexport const db = new Store();\nexport let other: O;\nexport const api = {\n  save() {},\n};\n",
            ),
            (
                "use.ts",
                "import { db, other, api } from './db';\nimport * as all from './db';\ndb.save();\nall.db.save();\nother.save();\napi.save();\n",
            ),
        ],
        &[
            "use.ts:3 save -> store.ts:2",
            "use.ts:4 save -> store.ts:2",
            "use.ts:5 save -> store.ts:5",
            "use.ts:6 save -> db.ts:5",
        ],
    );
    let two = "pub struct Store;\nimpl Store {\n    pub fn save(&self) {}\n}\npub struct Other;\nimpl Other {\n    pub fn save(&self) {}\n}\n";
    check(
        &[
            ("Cargo.toml", "[package]\nname = \"d\"\n"),
            ("src/lib.rs", "mod store;\nmod db;\nmod go;\n"),
            ("src/store.rs", two),
            (
                "src/db.rs",
                "use crate::store::{Other, Store};\npub static DB: Store = Store;\npub mod a {\n    pub static TWICE: super::Store = super::Store;\n}\npub mod b {\n    pub static TWICE: super::Other = super::Other;\n}\n",
            ),
            (
                "src/go.rs",
                "use crate::db::DB;\nfn go() {\n    DB.save();\n    crate::db::a::TWICE.save();\n}\n",
            ),
        ],
        &[
            "src/go.rs:3 save -> src/store.rs:3",
            "src/go.rs:4 save -> ? src/store.rs:3 src/store.rs:7",
        ],
    );
}

#[test]
fn what_a_function_of_go_gives_has_the_members_of_its_type() {
    let router = "package mux\n\ntype Router struct{}\n\ntype Route struct{}\n\n\
        func NewRouter() *Router { return &Router{} }\n\n\
        func (r *Router) Host(h string) *Route { return r.New().Host(h) }\n\n\
        func (r *Router) New() *Route { return nil }\n\n\
        func (r *Route) Host(h string) *Route { return r }\n\n\
        func Parts() (*Route, error) { return nil, nil }\n";
    let uses = "package main\n\nimport \"m/mux\"\n\nvar all = mux.NewRouter()\n\n\
        func main() {\n\
        \tr := mux.NewRouter()\n\
        \tr.Host(1)\n\
        \tr.New().Host(1)\n\
        \troute, _ := mux.Parts()\n\
        \troute.Host(1).Host(2)\n\
        \tall.Host(1)\n\
        \tnew(mux.Route).Host(1)\n\
        \tf := func(r other) { r.Host(1) }\n\
        \tf(mux.NewRouter)\n\
        }\n";
    check(
        &[("go.mod", "module m\n"), ("mux/mux.go", router), ("main.go", uses)],
        &[
            "mux/mux.go:9 Host -> mux/mux.go:13",
            "main.go:9 Host -> mux/mux.go:9",
            "main.go:10 Host -> mux/mux.go:13",
            "main.go:12 Host -> mux/mux.go:13",
            "main.go:13 Host -> mux/mux.go:9",
            "main.go:14 Host -> mux/mux.go:13",
            "main.go:15 Host -> ? mux/mux.go:9 mux/mux.go:13",
        ],
    );
}
