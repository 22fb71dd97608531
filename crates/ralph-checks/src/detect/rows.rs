//! Kinds of projects that one file tells and a few commands prove.

use ralph_core::policy::Criterion;

use super::draft::ProposalDraft;
use super::flags::{self, ANY_TOOL};
use super::sight::{ProjectFolder, is_of};

/// A kind of project.
struct EcosystemRow {
    name: &'static str,
    /// The files of which one tells; `*.x` means any file that ends so.
    files: &'static [&'static str],
    /// A file or folder that has to be there as well, and a text in it.
    with: Option<(&'static str, &'static str)>,
    test: &'static str,
    build: Option<&'static str>,
    /// The folder of installed packages, if the ecosystem has one in the project.
    packages: Option<PackageFolder>,
}

/// The folder in which an ecosystem installs packages.
struct PackageFolder {
    /// The file whose presence says that there are packages.
    lock: &'static str,
    folder: &'static str,
    install: &'static str,
}

const fn row(
    name: &'static str,
    files: &'static [&'static str],
    test: &'static str,
    build: Option<&'static str>,
) -> EcosystemRow {
    EcosystemRow { name, files, with: None, test, build, packages: None }
}

/// All of them. Of several rows with the same name the first that fits counts.
const ROWS: [EcosystemRow; 24] = [
    EcosystemRow {
        packages: Some(PackageFolder { lock: "mix.lock", folder: "deps", install: "mix deps.get" }),
        ..row("Elixir", &["mix.exs"], "mix test", Some("mix compile"))
    },
    row("Swift", &["Package.swift"], "swift test", Some("swift build")),
    EcosystemRow {
        with: Some(("pubspec.yaml", "sdk: flutter")),
        packages: Some(PackageFolder {
            lock: "pubspec.yaml",
            folder: ".dart_tool",
            install: "flutter pub get",
        }),
        ..row("Dart", &["pubspec.yaml"], "flutter test", None)
    },
    EcosystemRow {
        packages: Some(PackageFolder {
            lock: "pubspec.yaml",
            folder: ".dart_tool",
            install: "dart pub get",
        }),
        ..row("Dart", &["pubspec.yaml"], "dart test", None)
    },
    row(
        "Scala",
        &["build.sbt"],
        "sbt -batch -no-colors test",
        Some("sbt -batch -no-colors Test/compile"),
    ),
    row("Zig", &["build.zig"], "zig build test --summary all", Some("zig build")),
    row("Haskell", &["stack.yaml"], "stack test", Some("stack build")),
    row("Haskell", &["cabal.project", "*.cabal"], "cabal test all", Some("cabal build all")),
    row("OCaml", &["dune-project"], "dune test", Some("dune build")),
    row("Clojure", &["project.clj"], "lein test", None),
    EcosystemRow {
        with: Some(("deps.edn", ":exec-fn")),
        ..row("Clojure", &["deps.edn"], "clojure -X:test", None)
    },
    EcosystemRow {
        with: Some(("deps.edn", ":test")),
        ..row("Clojure", &["deps.edn"], "clojure -M:test", None)
    },
    EcosystemRow {
        with: Some(("test/runtests.jl", "")),
        ..row("Julia", &["Project.toml"], "julia --project=. -e 'using Pkg; Pkg.test()'", None)
    },
    row("Nim", &["*.nimble"], "nimble test", Some("nimble check")),
    row(
        "Meson",
        &["meson.build"],
        "sh:test -d build || meson setup build; meson test -C build --print-errorlogs",
        None,
    ),
    row(
        "Bazel",
        &["MODULE.bazel", "WORKSPACE.bazel", "WORKSPACE"],
        "bazel test //...",
        Some("bazel build //..."),
    ),
    row("Erlang", &["rebar.config"], "rebar3 eunit", Some("rebar3 compile")),
    row("Gleam", &["gleam.toml"], "gleam test", Some("gleam build")),
    EcosystemRow {
        with: Some(("spec", "")),
        ..row("Crystal", &["shard.yml"], "crystal spec", None)
    },
    EcosystemRow {
        with: Some(("t", "")),
        ..row("Perl", &["Makefile.PL", "Build.PL", "cpanfile", "dist.ini"], "prove -lr t", None)
    },
    row("Lua", &[".busted"], "busted", None),
    EcosystemRow {
        with: Some(("tests/testthat", "")),
        ..row("R", &["DESCRIPTION"], "Rscript -e 'testthat::test_local()'", None)
    },
    row("Python", &["noxfile.py"], "nox", None),
    row("Python", &["manage.py"], "python3 manage.py test", None),
];

pub(super) fn drafts(folder: &ProjectFolder<'_>) -> Vec<ProposalDraft> {
    let mut drafts: Vec<ProposalDraft> = Vec::new();
    // Python has a place of its own, and asks for its rows itself.
    for row in ROWS.iter().filter(|row| row.name != "Python") {
        if drafts.iter().any(|draft| draft.ecosystem == Some(row.name)) {
            continue;
        }
        drafts.extend(row.drafts(folder));
    }
    drafts
}

/// The tests of a row of an ecosystem that has a place of its own.
pub(super) fn test(folder: &ProjectFolder<'_>, file: &str) -> Option<ProposalDraft> {
    let row = ROWS.iter().find(|row| row.files == [file])?;
    row.drafts(folder).into_iter().next()
}

impl EcosystemRow {
    fn drafts(&self, folder: &ProjectFolder<'_>) -> Vec<ProposalDraft> {
        let Some(sign) = self.sign(folder) else { return Vec::new() };
        let commands =
            [(Criterion::TestPass, Some(self.test)), (Criterion::BuildSuccess, self.build)];
        let drafts = commands.into_iter().filter_map(|(criterion, line)| {
            let draft = draft(folder, criterion, line?)?.because(sign);
            let draft = ProposalDraft { ecosystem: Some(self.name), ..draft };
            let lacking = self
                .packages
                .as_ref()
                .filter(|it| folder.has(it.lock) && folder.upwards(it.folder).is_none());
            Some(match lacking {
                Some(packages) => draft.lacks(packages.folder, Some(packages.install)),
                None => draft,
            })
        });
        drafts.collect()
    }

    /// The file that tells, if all is there that has to be.
    fn sign<'a>(&self, folder: &ProjectFolder<'a>) -> Option<&'a str> {
        let is_sign = |file: &&str| {
            self.files.iter().any(|sign| match sign.strip_prefix("*.") {
                Some(extension) => is_of(file, extension),
                None => file == sign,
            })
        };
        let fits = self.with.is_none_or(|(path, text)| match text {
            "" => folder.exists(path),
            text => folder.read_path(path).is_some_and(|found| found.contains(text)),
        });
        folder.own_files().find(is_sign).filter(|_| fits)
    }
}

fn draft(
    folder: &ProjectFolder<'_>,
    criterion: Criterion,
    line: &'static str,
) -> Option<ProposalDraft> {
    if let Some(script) = line.strip_prefix("sh:") {
        return Some(ProposalDraft::of_script(criterion, "meson", script).needs(folder, "meson"));
    }
    let tool = line.split(' ').next()?;
    let mut words = ralph_proc::split_words(line).ok()?;
    let call: Vec<&str> = words.iter().map(String::as_str).collect();
    let said = flags::said(folder, &call, ANY_TOOL);
    words.extend(said.map(|(words, _)| words).unwrap_or_default());
    Some(ProposalDraft::of_words(folder, criterion, tool, words))
}
