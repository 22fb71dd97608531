//! Kinds of projects that one file tells.

use super::{ProposalRole, detected};

/// Checks the command for the tests of a project with these files.
#[track_caller]
fn check(files: &[(&str, &str)], want: &str) {
    let anything = want.split(' ').next().unwrap_or_default();
    let found = detected(files, &[anything, "sh", "meson", "python3"]);
    let test = found.proposals.iter().find(|it| it.name == "test_pass");
    let command = test.map(|it| it.command.display());
    assert_eq!(command.as_deref(), Some(want), "{files:?}");
    assert!(test.is_some_and(|it| it.is_wanted() && it.why == files[0].0), "{test:?}");
}

#[test]
fn many_kinds_of_projects_are_known_by_one_file() {
    for (file, want) in [
        ("mix.exs", "mix test"),
        ("Package.swift", "swift test"),
        ("pubspec.yaml", "dart test"),
        ("build.sbt", "sbt -batch -no-colors test"),
        ("build.zig", "zig build test --summary all"),
        ("stack.yaml", "stack test"),
        ("cabal.project", "cabal test all"),
        ("thing.cabal", "cabal test all"),
        ("dune-project", "dune test"),
        ("project.clj", "lein test"),
        ("thing.nimble", "nimble test"),
        ("MODULE.bazel", "bazel test //..."),
        ("WORKSPACE", "bazel test //..."),
        ("rebar.config", "rebar3 eunit"),
        ("gleam.toml", "gleam test"),
        (".busted", "busted"),
        ("noxfile.py", "nox"),
        ("manage.py", "python3 manage.py test"),
    ] {
        check(&[(file, "")], want);
    }
}

#[test]
fn some_need_more_than_a_file() {
    let flutter = "dependencies:\n  flutter:\n    sdk: flutter\n";
    check(&[("pubspec.yaml", flutter)], "flutter test");
    check(&[("deps.edn", "{:aliases {:test {:exec-fn x/y}}}")], "clojure -X:test");
    check(&[("deps.edn", "{:aliases {:test {:main-opts []}}}")], "clojure -M:test");
    let julia = [("Project.toml", ""), ("test/runtests.jl", "")];
    check(&julia, "julia --project=. -e 'using Pkg; Pkg.test()'");
    check(&[("cpanfile", ""), ("t/a.t", "")], "prove -lr t");
    check(&[("shard.yml", ""), ("spec/a_spec.cr", "")], "crystal spec");
    let meson = "sh -c 'test -d build || meson setup build; meson test -C build --print-errorlogs'";
    check(&[("meson.build", "")], meson);
    for nothing in [("deps.edn", "{}"), ("Project.toml", ""), ("shard.yml", ""), ("cpanfile", "")] {
        assert!(detected(&[nothing], &[]).proposals.is_empty(), "{nothing:?}");
    }
}

#[test]
fn tasks_of_deno_and_taskfiles_are_known() {
    for (file, text, want) in [
        ("deno.json", r#"{"tasks": {"test": "deno test -A"}}"#, "deno task test"),
        ("deno.json", r#"{"tasks": {"test": {"command": "deno test"}}}"#, "deno task test"),
        ("deno.json", "{ // ours\n\"tasks\": {\"test\": \"deno test\",} }", "deno task test"),
        ("Taskfile.yml", "version: '3'\ntasks:\n  test:\n    cmds: [go test ./...]\n", "task test"),
        ("taskfile.yaml", "tasks:\n  test: ./run\n", "task test"),
        ("justfile", "test:\n  ./run\n", "just test"),
    ] {
        let found = detected(&[(file, text)], &["deno", "task", "just"]);
        let lines: Vec<String> = found.proposals.iter().map(|it| it.command.display()).collect();
        assert_eq!(lines, [want], "{file}");
    }
    let found = detected(&[("deno.jsonc", "{ /* x */ }"), ("a_test.ts", "")], &["deno"]);
    assert_eq!(found.proposals[0].command.display(), "deno test");
}

#[test]
fn a_folder_below_belongs_to_the_build_above() {
    let found = detected(&[("meson.build", ""), ("src/meson.build", "")], &["meson"]);
    assert_eq!(found.proposals.len(), 1);
}

#[test]
fn a_tool_that_nothing_says_is_used_takes_no_place() {
    let make = ("Makefile", "all:\n\tcc a.c\ntest: all\n\t./run\nlint:\n\tcheck-style\n");
    let found = detected(&[make, ("a.c", ""), ("a.sh", "")], &["make", "shellcheck"]);
    let required = found.proposals.iter().filter(|it| it.standing == ProposalRole::Required);
    let lines: Vec<String> = required.map(|it| it.command.display()).collect();
    assert_eq!(lines, ["make test", "make all", "make lint"]);
}
