//! Each line of a case gives a use of a name and its expected target:
//! `file:line name -> path:line`, `?` for one of several, `-` for nothing.

use std::fmt::Write;

use crate::scratch::{LATER, ScratchCodebase};

use super::*;

/// Returns the targets of all references of a project, line by line.
fn resolved(files: &[(&str, &str)]) -> String {
    let scratch = ScratchCodebase::new(files);
    let mut index = scratch.index();
    let code = index.code(LATER).unwrap();
    let resolver = Resolver::new(&code.project);
    let mut text = String::new();
    for file in code.project.ids() {
        let facts = code.facts(file).unwrap();
        for reference in &facts.references {
            let found = match resolver.resolve_in(file, &facts, reference) {
                Resolution::Known(found) => places(&code.project, &found),
                Resolution::Ambiguous(found) => format!("? {}", places(&code.project, &found)),
                Resolution::Module(files) => {
                    let paths: Vec<&str> =
                        files.iter().map(|file| code.project.file(*file).path.as_str()).collect();
                    paths.join(" ")
                }
                Resolution::Outside => "-".to_owned(),
            };
            let path = &code.project.file(file).path;
            let name = facts.names.text(reference.name);
            writeln!(text, "{path}:{} {name} -> {found}", reference.span.line).unwrap();
        }
    }
    text
}

fn places(project: &CodeProject, found: &[DefRef]) -> String {
    let place = |at: &DefRef| {
        format!("{}:{}", project.file(at.file).path, project.outlined(*at).unwrap().line)
    };
    found.iter().map(place).collect::<Vec<_>>().join(" ")
}

#[track_caller]
pub(super) fn check(files: &[(&str, &str)], want: &[&str]) {
    let all = resolved(files);
    for line in want {
        assert!(all.lines().any(|found| found == *line), "{line}\nis not in\n{all}");
    }
}

#[test]
fn python_names_are_found_by_scope_import_and_package() {
    check(
        &[
            ("app/__init__.py", "from .store import Store\n"),
            (
                "app/store.py",
                "from .base import Base\n\nLIMIT = 3\n\nclass Store(Base):\n    def save(self):\n        self.check(LIMIT)\n        self.flush()\n\ndef make() -> Store:\n    return Store()\n",
            ),
            (
                "app/base.py",
                "class Base:\n    def check(self, n):\n        return helper(n)\n\ndef helper(n):\n    return len(n)\n",
            ),
            (
                "main.py",
                "import app\nimport app.base as base\nfrom app import Store as S\nfrom app.store import make\nimport json\n\ndef run(s: S):\n    s.save()\n    s.check(1)\n    base.helper(2)\n    app.store.make()\n    make()\n    json.dumps(1)\n    print(1)\n",
            ),
        ],
        &[
            "app/store.py:5 Base -> app/base.py:1",
            "app/store.py:7 check -> app/base.py:2",
            "app/store.py:7 LIMIT -> app/store.py:3",
            "app/store.py:8 flush -> -",
            "app/store.py:11 Store -> app/store.py:5",
            "app/base.py:3 helper -> app/base.py:5",
            "main.py:8 save -> app/store.py:6",
            "main.py:9 check -> app/base.py:2",
            "main.py:10 helper -> app/base.py:5",
            "main.py:11 make -> app/store.py:10",
            "main.py:12 make -> app/store.py:10",
            "main.py:13 dumps -> -",
            "main.py:14 print -> -",
        ],
    );
}

#[test]
fn python_packages_are_found_in_source_folders_too() {
    check(
        &[
            ("src/pkg/__init__.py", ""),
            ("src/pkg/a.py", "def f():\n    pass\n"),
            ("src/pkg/deep/__init__.py", ""),
            (
                "src/pkg/deep/b.py",
                "from ..a import f\nfrom pkg.a import f as g\n\ndef h():\n    f()\n    g()\n",
            ),
            ("tests/test_a.py", "from pkg.deep import b\n\ndef test_h():\n    b.h()\n"),
            ("scripts/one.py", "import two\n\ntwo.f()\n"),
            ("scripts/two.py", "def f():\n    pass\n"),
        ],
        &[
            "src/pkg/deep/b.py:5 f -> src/pkg/a.py:1",
            "src/pkg/deep/b.py:6 g -> src/pkg/a.py:1",
            "tests/test_a.py:4 h -> src/pkg/deep/b.py:4",
            "scripts/one.py:3 f -> scripts/two.py:1",
        ],
    );
}

#[test]
fn a_member_of_something_unknown_is_only_known_if_there_is_one_within_reach() {
    check(
        &[
            (
                "a.py",
                "class A:\n    def only(self):\n        pass\n    def both(self):\n        pass\n",
            ),
            ("b.py", "class B:\n    def both(self):\n        pass\n"),
            ("c.py", "import a\n\ndef f(x):\n    x.only()\n    x.both()\n    x.none()\n"),
        ],
        &["c.py:4 only -> a.py:2", "c.py:5 both -> ? a.py:4 b.py:2", "c.py:6 none -> -"],
    );
}

#[test]
fn rust_names_are_found_through_modules_and_crates() {
    check(
        &[
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
            ("crates/my-store/Cargo.toml", "[package]\nname = \"my-store\"\n"),
            ("crates/my-store/src/lib.rs", "mod inner;\npub use inner::Store;\npub mod deep;\n"),
            (
                "crates/my-store/src/inner.rs",
                "use crate::deep::depth;\n\npub struct Store;\n\nimpl Store {\n    pub fn open() -> Self {\n        depth();\n        Self::check();\n        Store\n    }\n    fn check() {}\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn opens() {\n        Store::open();\n    }\n}\n",
            ),
            (
                "crates/my-store/src/deep.rs",
                "pub fn depth() {\n    super::inner::Store::open();\n}\n",
            ),
            ("crates/app/Cargo.toml", "[package]\nname = \"app\"\n"),
            (
                "crates/app/src/main.rs",
                "use my_store::Store;\nuse std::fs;\n\nfn main() {\n    let store = Store::open();\n    my_store::deep::depth();\n    fs::read(\"x\");\n    store.check();\n}\n",
            ),
        ],
        &[
            "crates/my-store/src/inner.rs:7 depth -> crates/my-store/src/deep.rs:1",
            "crates/my-store/src/inner.rs:8 check -> crates/my-store/src/inner.rs:11",
            "crates/my-store/src/inner.rs:20 open -> crates/my-store/src/inner.rs:6",
            "crates/my-store/src/deep.rs:2 open -> crates/my-store/src/inner.rs:6",
            "crates/app/src/main.rs:5 open -> crates/my-store/src/inner.rs:6",
            "crates/app/src/main.rs:6 depth -> crates/my-store/src/deep.rs:1",
            "crates/app/src/main.rs:7 read -> -",
            "crates/app/src/main.rs:8 check -> crates/my-store/src/inner.rs:11",
        ],
    );
}

#[test]
fn script_modules_are_found_by_path_configuration_and_package() {
    check(
        &[
            (
                "tsconfig.json",
                "{\"compilerOptions\":{\"baseUrl\":\".\",\"paths\":{\"@/*\":[\"src/*\"]}}}",
            ),
            ("packages/ui/package.json", "{\"name\":\"@org/ui\",\"main\":\"dist/index.js\"}"),
            ("packages/ui/src/index.ts", "export { Button } from './button';\n"),
            ("packages/ui/src/button.ts", "export class Button {\n  press() {}\n}\n"),
            (
                "src/store.ts",
                "export class Store {\n  save() {\n    this.check();\n  }\n  check() {}\n}\nexport default function make() {\n  return new Store();\n}\n",
            ),
            ("src/util/index.ts", "export const helper = (n: number) => n;\n"),
            (
                "src/main.ts",
                "import make, { Store as S } from './store.js';\nimport * as util from '@/util';\nimport { Button } from '@org/ui';\nimport { readFile } from 'fs';\n\nexport function run(s: S, b: Button) {\n  s.save();\n  b.press();\n  util.helper(1);\n  make();\n  readFile('x');\n}\n",
            ),
        ],
        &[
            "src/store.ts:3 check -> src/store.ts:5",
            "src/store.ts:8 Store -> src/store.ts:1",
            "src/main.ts:7 save -> src/store.ts:2",
            "src/main.ts:8 press -> packages/ui/src/button.ts:2",
            "src/main.ts:9 helper -> src/util/index.ts:1",
            "src/main.ts:10 make -> src/store.ts:7",
            "src/main.ts:11 readFile -> -",
        ],
    );
}

#[test]
fn go_packages_are_found_by_the_path_of_their_module() {
    check(
        &[
            ("go.mod", "module example.com/app\n"),
            (
                "store/store.go",
                "package store\n\ntype Base struct{}\n\nfunc (b *Base) Check() {}\n\ntype Store struct {\n\tBase\n}\n\nfunc (s *Store) Save() {\n\ts.Check()\n\thelp()\n}\n\nfunc New() *Store {\n\treturn &Store{}\n}\n",
            ),
            ("store/help.go", "package store\n\nfunc help() {}\n"),
            (
                "main.go",
                "package main\n\nimport (\n\t\"fmt\"\n\n\tst \"example.com/app/store\"\n)\n\nfunc run(s *st.Store) {\n\ts.Save()\n\tst.New()\n\tfmt.Println(1)\n}\n",
            ),
        ],
        &[
            "store/store.go:12 Check -> store/store.go:5",
            "store/store.go:13 help -> store/help.go:3",
            "main.go:10 Save -> store/store.go:11",
            "main.go:11 New -> store/store.go:16",
            "main.go:12 Println -> -",
        ],
    );
}

#[test]
fn java_packages_are_found_by_what_files_say() {
    check(
        &[
            (
                "src/main/java/com/x/Base.java",
                "package com.x;\n\npublic class Base {\n  protected void check() {}\n}\n",
            ),
            (
                "src/main/java/com/x/Store.java",
                "package com.x;\n\npublic class Store extends Base {\n  public void save() {\n    check();\n    this.load();\n    Tool.help();\n  }\n  void load() {}\n}\n",
            ),
            (
                "src/main/java/com/x/Tool.java",
                "package com.x;\n\nclass Tool {\n  static void help() {}\n}\n",
            ),
            (
                "src/main/java/com/y/Main.java",
                "package com.y;\n\nimport com.x.Store;\nimport java.util.List;\n\nclass Main {\n  void run(Store s) {\n    s.save();\n    new Store();\n    List.of();\n  }\n}\n",
            ),
        ],
        &[
            "src/main/java/com/x/Store.java:3 Base -> src/main/java/com/x/Base.java:3",
            "src/main/java/com/x/Store.java:5 check -> src/main/java/com/x/Base.java:4",
            "src/main/java/com/x/Store.java:6 load -> src/main/java/com/x/Store.java:9",
            "src/main/java/com/x/Store.java:7 help -> src/main/java/com/x/Tool.java:4",
            "src/main/java/com/y/Main.java:8 save -> src/main/java/com/x/Store.java:4",
            "src/main/java/com/y/Main.java:9 Store -> src/main/java/com/x/Store.java:3",
            "src/main/java/com/y/Main.java:10 of -> -",
        ],
    );
}

#[test]
fn c_sharp_namespaces_are_found_by_what_files_say() {
    check(
        &[
            (
                "a/Store.cs",
                "namespace App.Data;\n\npublic class Store\n{\n    public void Save() { Check(); }\n    void Check() {}\n}\n",
            ),
            (
                "b/Main.cs",
                "using App.Data;\n\nnamespace App.Web\n{\n    class Main\n    {\n        void Run(Store s)\n        {\n            s.Save();\n            new Store();\n        }\n    }\n}\n",
            ),
        ],
        &[
            "a/Store.cs:5 Check -> a/Store.cs:6",
            "b/Main.cs:9 Save -> a/Store.cs:5",
            "b/Main.cs:10 Store -> a/Store.cs:3",
        ],
    );
}

#[test]
fn php_classes_are_found_by_namespace() {
    check(
        &[
            ("composer.json", "{\"autoload\":{\"psr-4\":{\"App\\\\\":\"src/\"}}}"),
            (
                "src/Store.php",
                "<?php\nnamespace App;\n\nclass Store {\n  public function save() { $this->check(); help(); }\n  function check() {}\n}\n\nfunction help() {}\n",
            ),
            (
                "src/Web/Main.php",
                "<?php\nnamespace App\\Web;\n\nuse App\\Store;\n\nclass Main {\n  function run(Store $s) {\n    $s->save();\n    new Store();\n    \\App\\help();\n  }\n}\n",
            ),
        ],
        &[
            "src/Store.php:5 check -> src/Store.php:6",
            "src/Store.php:5 help -> src/Store.php:9",
            "src/Web/Main.php:8 save -> src/Store.php:5",
            "src/Web/Main.php:9 Store -> src/Store.php:4",
        ],
    );
}

#[test]
fn ruby_files_are_found_as_they_are_required() {
    check(
        &[
            (
                "lib/app/store.rb",
                "module App\n  class Store\n    def save\n      check\n    end\n\n    def check\n    end\n  end\nend\n",
            ),
            (
                "lib/app.rb",
                "require 'app/store'\n\nmodule App\n  def self.run\n    Store.new\n    App::Store.new\n  end\nend\n",
            ),
        ],
        &[
            "lib/app/store.rb:4 check -> lib/app/store.rb:7",
            "lib/app.rb:6 Store -> lib/app/store.rb:2",
        ],
    );
}

#[test]
fn headers_that_include_each_other_in_many_ways_are_looked_into_once() {
    // Following every path through them would take forever.
    let (layers, wide) = (12, 8);
    let mut files = vec![
        ("low.h".to_owned(), "#include \"h0_0.h\"\nnamespace lib { int deep(); }\n".to_owned()),
        (
            "main.cpp".to_owned(),
            "#include \"h0_0.h\"\nint f() { return lib::deep() + lib::other() + none(); }\n"
                .to_owned(),
        ),
    ];
    for layer in 0..layers {
        for header in 0..wide {
            let below = (0..wide).map(|below| format!("#include \"h{}_{below}.h\"\n", layer + 1));
            let below: String = if layer + 1 < layers {
                below.collect()
            } else {
                "#include \"low.h\"\n".to_owned()
            };
            let text = format!("{below}namespace lib {{ int part{layer}_{header}(); }}\n");
            files.push((format!("h{layer}_{header}.h"), text));
        }
    }
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    check(&files, &["main.cpp:2 deep -> low.h:2", "main.cpp:2 other -> -", "main.cpp:2 none -> -"]);
}

#[test]
fn c_files_are_found_as_they_are_included() {
    check(
        &[
            ("include/store.h", "struct store { int size; };\nint store_save(struct store *s);\n"),
            (
                "src/store.c",
                "#include \"store.h\"\n\nstatic int check(void) { return 1; }\n\nint store_save(struct store *s) { return check(); }\n",
            ),
            (
                "src/main.c",
                "#include \"store.h\"\n#include <stdio.h>\n\nstatic int check(void) { return 2; }\n\nint main(void) {\n  struct store s;\n  store_save(&s);\n  check();\n  printf(\"x\");\n}\n",
            ),
        ],
        &[
            "src/store.c:5 check -> src/store.c:3",
            "src/main.c:9 check -> src/main.c:4",
            "src/main.c:7 store -> include/store.h:1",
            "src/main.c:10 printf -> -",
        ],
    );
}

#[test]
fn shell_functions_are_found_in_sourced_files() {
    check(
        &[
            ("lib/log.sh", "say() {\n  echo \"$1\"\n}\n"),
            ("run.sh", "#!/bin/bash\nsource \"$(dirname \"$0\")/lib/log.sh\"\nsay hello\nls\n"),
        ],
        &["run.sh:3 say -> lib/log.sh:1"],
    );
}

#[test]
fn a_type_is_not_taken_for_its_constructor_or_a_field() {
    check(
        &[
            (
                "src/com/x/Base.java",
                "package com.x;\n\nclass Base {\n  Base() {}\n  void go() {}\n  static Base make() { return null; }\n  static class Low extends Base {}\n}\n",
            ),
            (
                "src/com/x/Main.java",
                "package com.x;\n\nclass Main {\n  void run() {\n    new Base.Low().go();\n  }\n}\n",
            ),
            ("kind.h", "enum unit { NONE, METRE };\nstruct reading { enum unit unit; };\n"),
            ("kind.c", "#include \"kind.h\"\n\nint f(void) { return METRE; }\n"),
        ],
        &[
            "src/com/x/Base.java:6 Base -> src/com/x/Base.java:3",
            "src/com/x/Base.java:7 Base -> src/com/x/Base.java:3",
            "src/com/x/Main.java:5 go -> src/com/x/Base.java:5",
            "kind.h:2 unit -> kind.h:1",
            "kind.c:3 METRE -> kind.h:1",
        ],
    );
}

#[test]
fn what_is_written_in_several_parts_is_one() {
    check(
        &[
            (
                "A.cs",
                "namespace App;\n\npublic partial class Shelf\n{\n    public int Count;\n    void Add() { Told(); }\n}\n",
            ),
            (
                "B.cs",
                "namespace App;\n\npublic partial class Shelf\n{\n    void Told() { Count++; }\n}\n\npublic class NoteAttribute { }\n\n[Note]\nclass Other { }\n",
            ),
            ("lib/a.rb", "module App\n  class Error < StandardError\n  end\nend\n"),
            (
                "lib/b.rb",
                "module App\n  class Desk\n    def f\n      raise Error\n    end\n  end\nend\n",
            ),
            (
                "geo.hpp",
                "namespace geo {\nclass Shape { public: int area(); };\n}\nnamespace geo::inner {\nint depth();\n}\n",
            ),
            (
                "geo.cpp",
                "#include \"geo.hpp\"\nnamespace in = geo::inner;\nusing namespace geo;\nint f(Shape &s) { return s.area() + in::depth(); }\n",
            ),
        ],
        &[
            "A.cs:6 Told -> B.cs:5",
            "B.cs:5 Count -> A.cs:5",
            "B.cs:10 Note -> B.cs:8",
            "lib/b.rb:4 Error -> lib/a.rb:2",
            "geo.cpp:4 area -> geo.hpp:2",
            "geo.cpp:4 depth -> geo.hpp:5",
        ],
    );
}

#[test]
fn members_are_found_through_aliases_and_values() {
    check(
        &[
            ("a.h", "struct sample { int at; };\ntypedef struct sample sample_t;\n"),
            ("a.c", "#include \"a.h\"\nint f(sample_t *s) { return s->at; }\n"),
            ("src/lib.rs", "mod zone;\n"),
            (
                "src/zone.rs",
                "enum Zone { Near }\nuse Zone::Near;\nimpl Zone {\n    fn hops(self) {}\n}\nfn f() {\n    Near.hops();\n}\n",
            ),
        ],
        &["a.c:2 at -> a.h:1", "src/zone.rs:7 hops -> src/zone.rs:4"],
    );
}

#[test]
fn a_method_that_hands_on_to_its_like_does_not_call_itself() {
    check(
        &[(
            "src/lib.rs",
            "struct Lines(Vec<u8>);\nimpl Lines {\n    fn push(&mut self, line: u8) {\n        self.0.push(line);\n    }\n}\nimpl std::error::Error for Lines {}\nstruct Zone;\nimpl TryFrom<u8> for Zone {\n    type Error = u8;\n}\n",
        )],
        &["src/lib.rs:4 push -> ? src/lib.rs:3", "src/lib.rs:7 Error -> -"],
    );
}

#[test]
fn macros_have_names_of_their_own() {
    check(
        &[
            ("src/lib.rs", "#[macro_use]\nmod macros;\nmod a;\n"),
            ("src/macros.rs", "macro_rules! grams {\n    () => {};\n}\n"),
            ("src/a.rs", "fn print() {\n    print!(\"\");\n    grams!();\n}\n"),
        ],
        &["src/a.rs:2 print -> -", "src/a.rs:3 grams -> src/macros.rs:1"],
    );
}

#[test]
fn what_a_script_exports_without_a_name_is_known() {
    check(
        &[
            ("package.json", "{\"name\":\"x\",\"imports\":{\"#own/*\":\"./src/*.js\"}}"),
            (
                "src/plain.js",
                "export const both = 1;\nexport default function render() {\n  return both;\n}\n",
            ),
            ("src/index.js", "export { default as show } from './plain.js';\n"),
            (
                "main.js",
                "import plain from '#own/plain';\nimport { show } from './src/index.js';\nimport * as text from './text.js';\n\nplain();\nshow();\ntext.cut();\n",
            ),
            ("text.js", "export function cut() {}\n"),
        ],
        &[
            "main.js:5 plain -> src/plain.js:2",
            "main.js:6 show -> src/plain.js:2",
            "main.js:7 cut -> text.js:1",
        ],
    );
}

#[test]
fn what_a_shell_may_read_instead_is_found_too() {
    check(
        &[
            ("lib/ssh.sh", "push() {\n  :\n}\n"),
            ("lib/dir.sh", "push() {\n  :\n}\n"),
            (
                "run.sh",
                "#!/bin/bash\nload() {\n  if [ -n \"$1\" ]; then . \"$LIB\"/ssh.sh; else . \"$LIB\"/dir.sh; fi\n}\ntrap load EXIT\npush\n",
            ),
        ],
        &["run.sh:5 load -> run.sh:2", "run.sh:6 push -> lib/dir.sh:1 lib/ssh.sh:1"],
    );
}

#[test]
fn script_modules_are_found_by_what_a_configuration_inherits() {
    check(
        &[
            ("packages/tsconfig/package.json", "{\"name\":\"@org/tsconfig\"}"),
            (
                "packages/tsconfig/base.json",
                "{\"compilerOptions\":{\"paths\":{\"@lib/*\":[\"../lib/*\"]}}}",
            ),
            ("packages/lib/save.ts", "export function save() {}\n"),
            ("apps/web/tsconfig.json", "{\"extends\":\"@org/tsconfig/base.json\"}"),
            ("apps/web/main.ts", "import { save } from '@lib/save';\nsave();\n"),
        ],
        &["apps/web/main.ts:2 save -> packages/lib/save.ts:1"],
    );
}

#[test]
fn files_without_a_namespace_see_each_other() {
    check(
        &[
            ("A.java", "class A {\n  static int add(int a) { return a; }\n}\n"),
            ("B.java", "class B {\n  int run() { return A.add(1); }\n}\n"),
            ("c/A.cs", "class A { public static int Add(int a) => a; }\n"),
            ("c/B.cs", "namespace App {\n  class B { int Run() => A.Add(1); }\n}\n"),
            ("src/A.php", "<?php\nclass A {\n  static function add($a) { return $a; }\n}\n"),
            (
                "tests/ATest.php",
                "<?php\nuse Other\\TestCase;\nrequire_once __DIR__ . '/../src/A.php';\nclass ATest extends TestCase {\n  function testAdd() { $this->same(3, A::add(1)); }\n}\n",
            ),
        ],
        &[
            "B.java:2 A -> A.java:1",
            "B.java:2 add -> A.java:2",
            "c/B.cs:2 A -> c/A.cs:1",
            "c/B.cs:2 Add -> c/A.cs:1",
            "tests/ATest.php:5 A -> src/A.php:2",
            "tests/ATest.php:5 add -> src/A.php:3",
        ],
    );
}

#[test]
fn a_package_has_no_modules_by_their_bare_names() {
    let json = "def loads(x):\n    return x\n";
    let read = "import json\n\njson.loads(1)\n";
    check(
        &[("app/__init__.py", ""), ("app/json/__init__.py", json), ("app/config.py", read)],
        &["app/config.py:3 loads -> -"],
    );
    check(
        &[("tool/json.py", json), ("tool/run.py", read)],
        &["tool/run.py:3 loads -> tool/json.py:1"],
    );
}

#[test]
fn a_method_that_built_in_types_have_is_not_surely_the_projects() {
    check(
        &[
            (
                "jar.py",
                "class Jar:\n    def items(self):\n        return []\n    def empty(self):\n        self.items()\n",
            ),
            (
                "use.py",
                "from jar import Jar\n\ndef run(x, jar: Jar):\n    x.items()\n    x.empty()\n    jar.items()\n",
            ),
        ],
        &[
            "jar.py:5 items -> jar.py:2",
            "use.py:4 items -> ? jar.py:2",
            "use.py:5 empty -> jar.py:4",
            "use.py:6 items -> jar.py:2",
        ],
    );
}
