//! The flags of maintainers.

use super::detected;

/// Returns the proposed tests of a project whose CI runs `commands`.
#[track_caller]
fn check_test(sign: (&str, &str), commands: &[&str], want: &str) {
    let steps: String = commands.iter().flat_map(|run| ["    - run: ", run, "\n"]).collect();
    check_steps(sign, &steps, want);
}

#[track_caller]
fn check_steps(sign: (&str, &str), steps: &str, want: &str) {
    let pipeline = format!("jobs:\n  a:\n    steps:\n{steps}");
    let files =
        [sign, (".github/workflows/ci.yml", &pipeline), ("tests/a.txt", ""), ("test/a.exs", "")];
    let deno = (sign.0 == "a_test.ts").then_some(("deno.json", "{}"));
    let files: Vec<(&str, &str)> = files.into_iter().chain(deno).collect();
    let programs =
        ["mix", "go", "cargo", "dotnet", "python3", "pytest", "mvn", "gradle", "swift", "deno"];
    let found = detected(&files, &programs);
    let tests = found.of(ralph_core::policy::Criterion::TestPass);
    let lines: Vec<String> = tests.map(|it| it.command.display()).collect();
    assert_eq!(lines, [want], "{steps} {:?}", found.notices);
}

const MIX: (&str, &str) = ("mix.exs", "");
const GO: (&str, &str) = ("go.mod", "module a\n");
const CARGO: (&str, &str) = ("Cargo.toml", "[package]\nname = \"a\"\n");
const PYTHON: (&str, &str) = ("pytest.ini", "");

#[test]
fn flags_that_ci_passes_are_passed() {
    check_test(
        MIX,
        &["mix deps.get", "mix test --warnings-as-errors"],
        "mix test --warnings-as-errors",
    );
    check_test(("Package.swift", ""), &["swift test --parallel"], "swift test --parallel");
    check_test(
        GO,
        &["go test -v -race -timeout 5m -coverprofile=c.out ./..."],
        "go test -json -race -timeout 5m ./...",
    );
    check_test(
        CARGO,
        &["cargo test --all-features --verbose -- --test-threads=1"],
        "cargo test --no-fail-fast --all-features -- --test-threads=1",
    );
    check_test(
        PYTHON,
        &["python -m pytest -n auto --cov=src --cov-report xml -W error tests"],
        "python3 -m pytest -n auto -W error tests '--junitxml={report}'",
    );
    check_test(
        ("pom.xml", ""),
        &["mvn -B -Pci -Dstyle=off verify", "mvn deploy -DskipTests"],
        "mvn --batch-mode --no-transfer-progress -Pci -Dstyle=off test",
    );
    check_test(
        ("manage.py", ""),
        &["python manage.py test --settings=shop.fast tests"],
        "python3 manage.py test --settings=shop.fast tests",
    );
    check_test(MIX, &["mix test --cover --trace"], "mix test --trace");
    check_test(("a_test.ts", ""), &["deno test -A --coverage=out tests"], "deno test -A tests");
}

#[test]
fn flags_of_a_justfile_and_a_makefile_are_passed() {
    for (file, text) in [
        (
            "justfile",
            "test *args: build\n    cargo test --locked\nunit *args:\n    cargo test {{args}}\n",
        ),
        ("Makefile", "FLAGS = --locked\ntest: build\n\t@cargo test $(FLAGS)\n"),
    ] {
        let found = detected(&[CARGO, (file, text)], &["cargo", "just", "make"]);
        let test = found.of(ralph_core::policy::Criterion::TestPass).next().unwrap();
        assert_eq!(test.command.display(), "cargo test --no-fail-fast --locked", "{file}");
    }
}

#[test]
fn expressions_variants_and_parts_say_nothing() {
    check_test(MIX, &["mix test ${{ matrix.flags }}"], "mix test");
    check_test(MIX, &["mix test test/a.exs --trace", "mix test"], "mix test");
    check_test(
        CARGO,
        &["cargo test", "cargo test --no-default-features"],
        "cargo test --no-fail-fast",
    );
    check_test(CARGO, &["cargo test -p a --locked"], "cargo test --no-fail-fast");
    check_test(GO, &["go test -race ./pkg/..."], "go test -json ./...");
    check_test(PYTHON, &["pytest -k smoke -n 4"], "python3 -m pytest '--junitxml={report}'");
    check_test(MIX, &["mix test --only slow"], "mix test");
    check_test(MIX, &["mix test --stale"], "mix test");
    check_test(("Package.swift", ""), &["swift test --filter Fast"], "swift test");
    check_test(("a_test.ts", ""), &[], "deno test");
    check_test(("a_test.ts", ""), &["deno test -A --filter fast"], "deno test");
    check_steps(
        MIX,
        "    - run: mix test\n    - run: mix test --trace\n      if: ${{ matrix.lint }}\n",
        "mix test",
    );
}

#[test]
fn words_that_only_tox_knows_are_left_out() {
    let tox = "[testenv]\ncommands =\n  pytest -W error --basetemp={envtmpdir} {posargs:tests}\n";
    let found = detected(&[PYTHON, ("tox.ini", tox), ("tests/a.py", "")], &["python3", "pytest"]);
    let command = found.proposals[0].command.display();
    assert_eq!(command, "python3 -m pytest -W error tests '--junitxml={report}'");
}

#[test]
fn only_the_scripts_that_the_project_checks_are_checked() {
    let ci = "jobs:\n  a:\n    steps:\n    - run: shellcheck www/install.sh\n";
    let files = [(".github/workflows/ci.yml", ci), ("www/install.sh", ""), ("old/a.sh", "")];
    let found = detected(&files, &["shellcheck"]);
    let command = found.proposals[0].command.display();
    assert_eq!(command, "shellcheck --format=json1 www/install.sh");
}

#[test]
fn files_that_the_project_mends_are_those_that_it_checks() {
    let tox = ("tox.ini", "[testenv:lint]\ncommands = ruff check --fix src tests\n");
    let files = [tox, ("ruff.toml", ""), ("src/a.py", ""), ("tests/a.py", ""), ("docs/a.py", "")];
    let found = detected(&files, &["ruff"]);
    let lint = found.of(ralph_core::policy::Criterion::LintClean).next().unwrap();
    assert_eq!(lint.command.display(), "ruff check --no-fix --output-format=json src tests");
}

#[test]
fn a_build_that_the_project_makes_without_tests_has_none() {
    let ci = "jobs:\n  a:\n    steps:\n    - run: cmake -S . -B out -DBUILD_TESTING=0\n";
    let cmake = ("CMakeLists.txt", "include(CTest)\n");
    let files = [(".github/workflows/ci.yml", ci), cmake, ("Package.swift", "")];
    let found = detected(&files, &["cmake", "ctest", "swift"]);
    let required: Vec<String> = found
        .of(ralph_core::policy::Criterion::TestPass)
        .filter(|it| it.is_wanted())
        .map(|it| it.command.display())
        .collect();
    assert_eq!(required, ["swift test"]);
}

#[test]
fn a_tool_of_the_projects_environment_is_run_from_there() {
    let hooks = "repos:\n- repo: r\n  hooks:\n  - id: flake8\n    args: [--max-line-length=99]\n";
    let files = [(".pre-commit-config.yaml", hooks), (".venv/bin/flake8", "")];
    let found = detected(&files, &[]);
    let lint = &found.proposals[0];
    assert_eq!(lint.command.display(), ".venv/bin/flake8 --max-line-length=99");
    assert_eq!(lint.missing, None);
}
