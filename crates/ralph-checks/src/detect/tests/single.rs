//! One ecosystem at a time.

use ralph_core::policy::Criterion;

use super::{check, detected};

#[test]
fn a_crate_is_tested_built_and_linted() {
    let want = [
        "test_pass: cargo test --no-fail-fast > libtest",
        "build_success: cargo build --message-format=json > cargo",
        "lint_clean: cargo clippy --all-targets --message-format=json > cargo (no cargo-clippy)",
    ];
    let manifest = "[package]\nname = \"a\"\n[lints.clippy]\nall = \"warn\"\n";
    check(&[("Cargo.toml", manifest)], &["cargo"], &want);
}

#[test]
fn nextest_is_used_where_it_is_configured_and_installed() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"a\"\n"),
        (".config/nextest.toml", ""),
        ("clippy.toml", ""),
    ];
    let rest = [
        "build_success: cargo build --message-format=json > cargo",
        "lint_clean: cargo clippy --all-targets --message-format=json > cargo",
    ];
    for (programs, first) in [
        (
            &["cargo", "cargo-clippy", "cargo-nextest"][..],
            "test_pass: cargo nextest run --no-fail-fast > nextest",
        ),
        (&["cargo", "cargo-clippy"], "test_pass: cargo test --no-fail-fast > libtest"),
    ] {
        check(&files, programs, &[first, rest[0], rest[1]]);
    }
}

#[test]
fn pytest_is_run_by_whoever_manages_the_project() {
    let configured = "[tool.pytest.ini_options]\n";
    for (lock, command) in [
        ("uv.lock", "uv run pytest"),
        ("poetry.lock", "poetry run pytest"),
        ("pdm.lock", "pdm run pytest"),
        (".venv/bin/python", ".venv/bin/python -m pytest"),
        ("README", "python3 -m pytest"),
    ] {
        let files = [("pyproject.toml", configured), (lock, ""), (".venv/bin/pytest", "")];
        let programs = ["uv", "poetry", "pdm", "python3", "pytest"];
        let want = format!("test_pass: {command} '--junitxml={{report}}' > junit");
        check(&files, &programs, &[&want]);
    }
    for (table, command) in [
        ("[tool.uv]\n", "uv run pytest"),
        ("[tool.poetry]\n", "poetry run pytest"),
        ("[tool.hatch.envs.default]\n", "hatch run pytest"),
    ] {
        let manifest = format!("{configured}{table}");
        let want = format!("test_pass: {command} '--junitxml={{report}}' > junit");
        check(&[("pyproject.toml", &manifest)], &["uv", "poetry", "hatch"], &[&want]);
    }
}

#[test]
fn pytest_is_known_by_configuration_requirements_and_tests() {
    let want = "test_pass: python3 -m pytest '--junitxml={report}' > junit (no pytest: pip install";
    for files in [
        &[("pytest.ini", "")][..],
        &[("conftest.py", "")],
        &[("setup.cfg", "[tool:pytest]\n")],
        &[("requirements-dev.txt", "# x\npytest>=7 # y\n"), ("requirements.txt", "")],
        &[("pyproject.toml", "[dependency-groups]\ndev = [\"pytest-cov\"]\n")],
        &[("pyproject.toml", "[project.optional-dependencies]\nt = [\"pytest[x]\"]\n")],
        &[("tests/test_a.py", "def test_a(): pass\n")],
        &[("test_a.py", "import unittest\nimport pytest\n")],
    ] {
        let what = match files {
            [("requirements-dev.txt", _), ..] => "-r requirements-dev.txt",
            _ => "pytest",
        };
        check(files, &["python3"], &[&format!("{want} {what})")]);
    }
    for files in [
        &[("pyproject.toml", "[project]\nname = \"a\"\ndependencies = [\"httpx\"]\n")][..],
        &[("requirements.txt", "pytestify\n")],
        &[("script.py", "")],
    ] {
        check(files, &["python3"], &[]);
    }
}

#[test]
fn unittest_and_tox_are_known() {
    let unittest = "import unittest\n";
    check(
        &[("setup.py", ""), ("tests/__init__.py", ""), ("tests/test_a.py", unittest)],
        &["python3"],
        &["test_pass: python3 -m unittest discover -v > text"],
    );
    check(
        &[("uv.lock", ""), ("pyproject.toml", ""), ("tests/test_a.py", unittest)],
        &["uv"],
        &["test_pass: uv run python -m unittest discover -s tests -t . -v > text"],
    );
    let tox = [("tox.ini", "[tox]\n[testenv]\ncommands = pytest\n"), ("pytest.ini", "")];
    check(&tox, &["tox", "python3", "pytest"], &["test_pass: tox run -e py > text"]);
    let direct = "test_pass: python3 -m pytest '--junitxml={report}' > junit";
    check(&tox, &["python3", "pytest"], &[direct]);
}

#[test]
fn python_tools_are_proposed_when_configured_or_installed() {
    let manifest = "[tool.ruff]\n[tool.mypy]\nfiles = [\"src\"]\n[tool.pyright]\n\
                    [dependency-groups]\ndev = [\"ruff\", \"mypy>=1\"]\n";
    check(
        &[("pyproject.toml", manifest), ("uv.lock", "")],
        &["uv"],
        &[
            "lint_clean: uv run ruff check --no-fix --output-format=json . > ruff",
            "type_check:mypy: uv run mypy --no-pretty > mypy",
            "type_check:pyright: pyright --outputjson > pyright (no pyright)",
        ],
    );
    check(
        &[("ruff.toml", ""), ("mypy.ini", "[mypy]\nstrict = True\n")],
        &["ruff"],
        &[
            "lint_clean: ruff check --no-fix --output-format=json . > ruff",
            "type_check: mypy --no-pretty . > mypy (no mypy)",
        ],
    );
    check(
        &[("setup.py", ""), (".venv/bin/ruff", ""), (".venv/bin/mypy", "")],
        &[],
        &[
            "lint_clean: .venv/bin/ruff check --no-fix --output-format=json . > ruff \
             [nothing in the project says that ruff is used]",
            "type_check: .venv/bin/mypy --no-pretty . > mypy \
             [nothing in the project says that mypy is used]",
        ],
    );
}

/// The test gate of a package with this `test` script and vitest, jest.
#[track_caller]
fn check_script(script: &str, want: &str) {
    let manifest = format!(
        r#"{{"scripts": {{"test": "{script}"}}, "devDependencies": {{"vitest": "1", "jest": "1"}}}}"#
    );
    let files = [
        ("package.json", manifest.as_str()),
        ("node_modules/.bin/vitest", ""),
        ("node_modules/.bin/jest", ""),
    ];
    check(&files, &["npm", "npx", "node", "bun"], &[&format!("test_pass: {want}")]);
}

#[test]
fn test_runners_are_called_directly_with_what_the_script_says() {
    let vitest = "--reporter=json '--outputFile={report}' > jest";
    check_script("vitest", &format!("npx --no-install vitest run {vitest}"));
    check_script(
        "vitest --run --config a.ts --reporter verbose",
        &format!("npx --no-install vitest run --config a.ts {vitest}"),
    );
    check_script(
        "jest --watch -i",
        "npx --no-install jest -i --ci --json '--outputFile={report}' > jest",
    );
    check_script("node --test test/", "node --test-reporter=tap --test test/ > tap");
    check_script("bun test", "bun test --reporter=junit '--reporter-outfile={report}' > junit");
    check_script("mocha", "npm test > text");
    check_script("vitest run && playwright test", "npm test > text");
    check_script("cross-env A=1 jest", "npm test > text");
}

#[test]
fn the_placeholder_of_npm_is_no_test() {
    let placeholder = r#"echo \"Error: no test specified\" && exit 1"#;
    let manifest = format!(r#"{{"scripts": {{"test": "{placeholder}"}}}}"#);
    check(&[("package.json", &manifest)], &["npm"], &[]);
    let manifest = format!(
        r#"{{"scripts": {{"test": "{placeholder}"}}, "devDependencies": {{"jest": "1"}}}}"#
    );
    check(
        &[("package.json", &manifest)],
        &["npx"],
        &["test_pass: npx --no-install jest --ci --json '--outputFile={report}' > jest \
           (no node_modules/.bin/jest: npm install)"],
    );
}

#[test]
fn scripts_are_run_by_the_manager_of_the_package() {
    let scripts = r#""scripts": {"test": "mocha", "build": "make it"}"#;
    for (field, lock, test, build) in [
        ("", "package-lock.json", "npm test", "npm run build"),
        ("", "pnpm-lock.yaml", "pnpm test", "pnpm run build"),
        ("", "yarn.lock", "yarn test", "yarn run build"),
        ("", "bun.lock", "bun run test", "bun run build"),
        (r#""packageManager": "pnpm@9.1.0", "#, "package-lock.json", "pnpm test", "pnpm run build"),
        ("", "README", "npm test", "npm run build"),
    ] {
        let manifest = format!("{{{field}{scripts}}}");
        let files = [("package.json", manifest.as_str()), (lock, "")];
        let want = [format!("test_pass: {test} > text"), format!("build_success: {build} > text")];
        check(&files, &["npm", "pnpm", "yarn", "bun"], &[&want[0], &want[1]]);
    }
}

#[test]
fn linters_and_the_compiler_are_called_directly() {
    let manifest = r#"{
        "scripts": {"lint": "eslint src --fix --ext .ts"},
        "devDependencies": {"eslint": "9", "typescript": "5", "oxlint": "1"}
    }"#;
    check(
        &[
            ("package.json", manifest),
            ("pnpm-lock.yaml", ""),
            ("tsconfig.json", "{ /* x */ }"),
            ("node_modules/.bin/eslint", ""),
        ],
        &["pnpm"],
        &[
            "lint_clean: pnpm exec eslint src --ext .ts --format json > eslint",
            "type_check: pnpm exec tsc --noEmit --pretty false > tsc \
             (no node_modules/.bin/tsc: pnpm install)",
        ],
    );
    let manifest = r#"{
        "scripts": {"typecheck": "tsc -p . --watch"},
        "devDependencies": {"@biomejs/biome": "2", "oxlint": "1"}
    }"#;
    check(
        &[
            ("package.json", manifest),
            ("bun.lockb", ""),
            ("node_modules/.bin/biome", ""),
            ("node_modules/.bin/oxlint", ""),
            ("node_modules/.bin/tsc", ""),
        ],
        &["bunx"],
        &[
            "lint_clean:biome: bunx --no-install biome check --reporter=json --max-diagnostics=200 > biome",
            "lint_clean:oxlint: bunx --no-install oxlint --format=json > oxlint",
            "type_check: bunx --no-install tsc -p . --pretty false > tsc",
        ],
    );
    let manifest = r#"{"scripts": {"lint": "standard", "typecheck": "vue-tsc"}}"#;
    check(
        &[("package.json", manifest)],
        &["npm"],
        &["lint_clean: npm run lint > text", "type_check: npm run typecheck > text"],
    );
}

#[test]
fn a_configuration_that_only_refers_to_others_is_built() {
    let manifest = r#"{"devDependencies": {"typescript": "5"}}"#;
    let config = r#"{"files": [], "references": [{"path": "./a.json"}]}"#;
    check(
        &[
            ("package.json", manifest),
            ("tsconfig.json", config),
            (".pnp.cjs", ""),
            ("yarn.lock", ""),
        ],
        &["yarn"],
        &["type_check: yarn run tsc --build --noEmit --pretty false > tsc"],
    );
}

#[test]
fn go_modules_and_their_workspaces_are_checked_whole() {
    check(
        &[("go.mod", "module x\n"), (".golangci.yml", "")],
        &["go"],
        &[
            "test_pass: go test -json ./... > go-test",
            "build_success: go build -o /dev/null ./... > text",
            "lint_clean:go: go vet ./... > text \
             [nothing in the project says that go vet is used]",
            "lint_clean: golangci-lint run --fix=false ./... > text (no golangci-lint)",
        ],
    );
    let vets = ("Makefile", "lint:\n\tgo vet ./...\n");
    let work = "go 1.22\n\nuse (\n\t./api // ours\n\t./lib/\n)\nuse ../other\n";
    check(
        &[("go.work", work), ("api/go.mod", ""), ("lib/go.mod", ""), ("old/go.mod", ""), vets],
        &["go"],
        &[
            "test_pass:go: go test -json ./api/... ./lib/... > go-test",
            "build_success:go: go build -o /dev/null ./api/... ./lib/... > text",
            "lint_clean:go: go vet ./api/... ./lib/... > text",
            "test_pass:old in old: go test -json ./... > go-test",
            "build_success:old in old: go build -o /dev/null ./... > text",
            "lint_clean:old in old: go vet ./... > text",
        ],
    );
}

#[test]
fn cmake_builds_before_it_tests() {
    let script = "cmake -S . -B build && cmake --build build";
    let built = format!("build_success: sh -c '{script}' > text");
    let tested = format!(
        "test_pass: sh -c '{script} && ctest --test-dir build --output-on-failure \
         --no-tests=error --output-junit \"{{report}}\"' > junit"
    );
    let files = [("CMakeLists.txt", "Enable_Testing()\n"), ("lib/CMakeLists.txt", "")];
    check(&files, &["cmake", "ctest"], &[&tested, &built]);
    check(&[("CMakeLists.txt", "project(x)\n")], &["cmake"], &[&built]);
}

#[test]
fn ruby_is_known_by_its_tests() {
    check(
        &[("Gemfile", "gem \"rspec\"\ngem 'rubocop'\n"), ("spec/a_spec.rb", "")],
        &["bundle"],
        &[
            "test_pass: bundle exec rspec > text",
            "lint_clean: bundle exec rubocop --format json > rubocop",
        ],
    );
    check(
        &[("Gemfile", "gem \"rspec_junit_formatter\"\n"), (".rspec", "")],
        &["bundle"],
        &["test_pass: bundle exec rspec --format RspecJunitFormatter --out {report} > junit"],
    );
    check(
        &[("Rakefile", "Minitest::TestTask.create\n"), (".rubocop.yml", "")],
        &["rake"],
        &[
            "test_pass: rake test > text",
            "lint_clean: rubocop --format json > rubocop (no rubocop)",
        ],
    );
    check(
        &[("a.gemspec", ""), ("test/test_a.rb", "")],
        &["ruby"],
        &["test_pass: ruby -Ilib -Itest -e 'Dir.glob(\"./test/**/{test_*,*_test}.rb\").sort\
           .each { |file| require file }' -- -v > text"],
    );
}

#[test]
fn php_is_tested_and_its_syntax_checked() {
    let syntax = "build_success: sh -c 'find . -name '\\''.?*'\\'' -prune -o -name vendor -prune \
                  -o -name node_modules -prune -o -type f -name '\\''*.php'\\'' -print0 \
                  | xargs -0 -n 1 -P 4 php -l' > text";
    let composer = r#"{"require-dev": {"phpunit/phpunit": "^11"}, "scripts": {"lint": "x"}}"#;
    check(
        &[
            ("composer.json", composer),
            ("src/a.php", ""),
            ("phpstan.neon", ""),
            ("vendor/bin/phpunit", ""),
        ],
        &["php", "composer", "phpstan"],
        &[
            "test_pass: vendor/bin/phpunit --log-junit {report} > junit",
            syntax,
            "type_check: phpstan analyse --no-progress --error-format=raw > text",
            "lint_clean: composer run-script --no-interaction lint > text",
        ],
    );
    check(
        &[("phpunit.xml", "")],
        &[],
        &["test_pass: phpunit --log-junit {report} > junit (no phpunit)"],
    );
    check(
        &[("composer.json", r#"{"scripts": {"test": "x"}}"#)],
        &["composer"],
        &["test_pass: composer run-script --no-interaction test > text"],
    );
}

#[test]
fn shell_scripts_are_checked_wherever_they_are() {
    let lint = "lint_clean: find . -name '.?*' -prune -o -name node_modules -prune \
                -o -name vendor -prune -o -name target -prune -o -path ./agent.sh -prune -o -type f -name '*.sh' \
                -exec shellcheck --format=json1 '{}' + > shellcheck";
    let hook = "repos:\n- repo: x\n  hooks:\n  - id: shellcheck\n";
    for (sign, text) in [
        (".shellcheckrc", ""),
        (".pre-commit-config.yaml", hook),
        (
            ".github/workflows/ci.yml",
            "on: push\njobs:\n  a:\n    steps:\n    - run: shellcheck x\n",
        ),
        (
            ".github/workflows/ci.yml",
            "jobs:\n  a:\n    steps:\n    - uses: x/action-shellcheck@v2\n",
        ),
    ] {
        check(
            &[(sign, text), ("bin/a.sh", ""), ("test/a.bats", ""), ("test/sub/b.bats", "")],
            &["find", "shellcheck", "bats"],
            &["test_pass: bats --formatter tap --recursive test > tap", lint],
        );
    }
    check(&[("agent.sh", ""), (".shellcheckrc", "")], &["find", "shellcheck"], &[]);
    check(
        &[("a.bats", ""), ("t/b.bats", "")],
        &["bats"],
        &["test_pass: bats --formatter tap . t > tap"],
    );
}

#[test]
fn a_script_on_the_side_does_not_demand_its_linter() {
    let files = [("go.mod", ""), ("ci/run.sh", "")];
    let unused = "[nothing in the project says that";
    let go = [
        "test_pass: go test -json ./... > go-test",
        "build_success: go build -o /dev/null ./... > text",
        &format!("lint_clean: go vet ./... > text {unused} go vet is used]"),
    ];
    check(&files, &["go", "find"], &go);
    let files = [("go.mod", ""), ("ci/run.sh", ""), (".golangci.yml", "")];
    let found = detected(&files, &["go", "find", "shellcheck", "golangci-lint"]);
    let lints = found.of(Criterion::LintClean).map(|it| (it.tool, it.is_wanted()));
    let want = [("go", false), ("golangci-lint", true), ("shellcheck", false)];
    assert_eq!(lints.collect::<Vec<_>>(), want);
}

#[test]
fn builds_of_the_jvm_and_dotnet_are_known() {
    let maven = "--batch-mode --no-transfer-progress";
    check(
        &[("pom.xml", "<modules>"), ("core/pom.xml", "")],
        &["mvn"],
        &[
            &format!("test_pass: mvn {maven} test > text"),
            &format!("build_success: mvn {maven} test-compile > text"),
        ],
    );
    check(
        &[("settings.gradle.kts", ""), ("gradlew", ""), ("app/build.gradle.kts", "")],
        &[],
        &[
            "test_pass: ./gradlew --console=plain --continue test > text",
            "build_success: ./gradlew --console=plain --continue testClasses > text",
        ],
    );
    check(
        &[
            ("App.sln", ""),
            ("src/App/App.csproj", "<Project/>"),
            ("tests/App.Tests/App.Tests.csproj", "Microsoft.NET.Test.Sdk"),
        ],
        &["dotnet"],
        &["test_pass: dotnet test --nologo > text", "build_success: dotnet build --nologo > text"],
    );
}

#[test]
fn tasks_with_telling_names_are_taken_when_nothing_better_is_there() {
    let makefile = "all: x\ntest:\n\ttrue\nlint:\n";
    let calls = (".gitlab-ci.yml", "test:\n  script:\n  - ./ci.sh\n");
    check(
        &[("Makefile", makefile)],
        &["make"],
        &[
            "test_pass: make test > text",
            "build_success: make all > text",
            "lint_clean: make lint > text",
        ],
    );
    check(
        &[
            ("Makefile", makefile),
            ("api/go.mod", ""),
            ("ci.sh", "#!/bin/sh\ngo vet ./...\n"),
            calls,
        ],
        &["make", "go"],
        &[
            "test_pass: go test -json ./... > go-test",
            "build_success: go build -o /dev/null ./... > text",
            "lint_clean: go vet ./... > text",
        ]
        .map(|line| line.replacen(':', " in api:", 1))
        .each_ref()
        .map(String::as_str),
    );
    check(
        &[("justfile", "test:\n  x\n"), ("Makefile", "test:\n"), ("src/a.c", "")],
        &["just", "make"],
        &["test_pass: just test > text", "build_success: make > text"],
    );
}
