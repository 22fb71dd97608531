//! What `ralph init` proposes for projects of well-known shapes.
//!
//! The files are small ones of our own, laid out as in the public project that
//! each is named after: what their pipelines, tasks and hooks run is what their
//! maintainers run.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::init::only;
use crate::plain;

/// A project, and what should come of it.
struct Layout {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// The programs on the path.
    programs: &'static [&'static str],
    /// `NAME: COMMAND` of what is required; with `(INSTALL)` if that comes first.
    required: &'static [&'static str],
    /// `NAME: REASON` of what is only mentioned.
    aside: &'static [&'static str],
}

const LAYOUTS: &[Layout] = &[
    Layout {
        name: "flask",
        files: &[
            (
                "pyproject.toml",
                "[dependency-groups]\ndev = [\"ruff\"]\ntyping = [\"mypy\", \"pyright\"]\ntests = [\"pytest\"]\n\
                 [tool.pytest.ini_options]\ntestpaths = [\"tests\"]\n[tool.mypy]\nfiles = [\"src\"]\n\
                 [tool.pyright]\n[tool.ruff]\nfix = true\n[tool.tox.env.typing]\ncommands = [[\"mypy\"], [\"pyright\"]]\n",
            ),
            ("uv.lock", ""),
            (".pre-commit-config.yaml", "repos:\n- repo: r\n  hooks:\n  - id: ruff-check\n"),
            (
                ".github/workflows/tests.yaml",
                "jobs:\n  a:\n    steps:\n    - run: uv run tox run -e py\n",
            ),
            ("src/flask/app.py", ""),
            ("tests/test_basic.py", "def test_a(): pass\n"),
            ("docs/Makefile", "help:\n\t@true\n"),
            ("examples/tutorial/pyproject.toml", "[tool.pytest.ini_options]\n"),
        ],
        programs: &["uv"],
        required: &[
            "test_pass: uv run pytest '--junitxml={report}'",
            "lint_clean: uv run ruff check --no-fix --output-format=json .",
            "type_check:mypy: uv run mypy --no-pretty",
            "type_check:pyright: uv run pyright --outputjson",
        ],
        aside: &[],
    },
    Layout {
        name: "pluggy",
        files: &[
            ("pyproject.toml", "[tool.ruff]\n[tool.mypy]\nstrict = true\n"),
            ("uv.lock", ""),
            (
                "tox.ini",
                "[testenv]\ncommands = {env:_CMD:pytest} {posargs}\n[pytest]\ntestpaths = testing\n",
            ),
            (
                ".pre-commit-config.yaml",
                "repos:\n- repo: r\n  hooks:\n  - id: ruff-check\n    args: [\"--fix\"]\n  - id: mypy\n    files: ^(src/|testing/)\n",
            ),
            ("src/pluggy/__init__.py", ""),
            ("testing/test_a.py", "def test_a(): pass\n"),
            ("docs/examples/a/setup.py", ""),
            ("scripts/release.py", ""),
        ],
        programs: &["uv", "ruff", "mypy"],
        required: &[
            "test_pass: uv run pytest '--junitxml={report}'",
            "lint_clean: ruff check --no-fix --output-format=json .",
            "type_check: mypy --no-pretty src testing",
        ],
        aside: &[],
    },
    Layout {
        name: "httpx",
        files: &[
            ("pyproject.toml", "[tool.ruff.lint]\n[tool.mypy]\n[tool.pytest.ini_options]\n"),
            ("requirements.txt", "-e .\npytest==8\nruff==0.12\nmypy==1.17\n"),
            (
                ".github/workflows/test-suite.yml",
                "jobs:\n  a:\n    steps:\n    - run: scripts/check\n    - run: scripts/test\n",
            ),
            (
                "scripts/check",
                "#!/bin/sh -e\nexport PREFIX=\"\"\nif [ -d 'venv' ] ; then\n    export PREFIX=\"venv/bin/\"\nfi\n\
                 export SOURCE_FILES=\"httpx tests\"\nset -x\n${PREFIX}ruff format $SOURCE_FILES --diff\n\
                 ${PREFIX}mypy $SOURCE_FILES\n${PREFIX}ruff check $SOURCE_FILES\n",
            ),
            ("scripts/test", "#!/bin/sh\n${PREFIX}coverage run -m pytest \"$@\"\n"),
            ("scripts/lint", "#!/bin/sh -e\n${PREFIX}ruff check --fix $SOURCE_FILES\n"),
            ("httpx/__init__.py", ""),
            ("tests/test_api.py", "def test_a(): pass\n"),
        ],
        programs: &["python3"],
        required: &[
            "test_pass: python3 -m pytest '--junitxml={report}' (pip install -r requirements.txt)",
            "lint_clean: ruff check --no-fix --output-format=json httpx tests (pip install -r requirements.txt)",
            "type_check: mypy --no-pretty httpx tests (pip install -r requirements.txt)",
        ],
        aside: &[],
    },
    Layout {
        name: "colorama",
        files: &[
            ("pyproject.toml", "[build-system]\nrequires = [\"hatchling\"]\n"),
            (
                "Makefile",
                "virtualenv=~/.virtualenvs/x\npython=$(virtualenv)/bin/python\ntest: ## Run tests\n\t$(python) -m unittest discover -p *_test.py\n\
                 build: ## Build a release\n\t$(python) -m build\n",
            ),
            ("tox.ini", "[testenv]\ncommands = python -m unittest discover -p *_test.py\n"),
            (
                ".github/workflows/lint_python.yml",
                "jobs:\n  a:\n    steps:\n    - run: pip install black flake8\n    - run: black --check . || true\n    \
                 - run: flake8 . --count --select=E9\n    - run: flake8 . --exit-zero\n    - run: mypy . || true\n",
            ),
            ("colorama/tests/ansi_test.py", "from unittest import TestCase\n"),
            ("demos/demo.sh", ""),
        ],
        programs: &["python3", "make", "find", "shellcheck"],
        required: &["test_pass: python3 -m unittest discover -p '*_test.py' -v"],
        aside: &[
            "lint_clean:shellcheck: nothing in the project says that shellcheck is used",
            "lint_clean: `flake8` is not here",
        ],
    },
    Layout {
        name: "django",
        files: &[
            ("pyproject.toml", "[project]\nname = \"d\"\n"),
            (
                "tox.ini",
                "[testenv]\nchangedir = tests\ncommands =\n    {envpython} runtests.py {posargs}\n",
            ),
            (
                ".github/workflows/tests.yml",
                "jobs:\n  a:\n    steps:\n    - run: python -Wall tests/runtests.py -v2\n",
            ),
            ("tests/runtests.py", "#!/usr/bin/env python\n"),
            ("tests/test_sqlite.py", "DATABASES = {}\n"),
            ("docs/Makefile", "lint:\n\tsphinx-lint\ncheck:\n\tblacken-docs --check\n"),
            ("scripts/backport.sh", ""),
        ],
        programs: &["python3", "make", "pytest"],
        required: &["test_pass: python3 tests/runtests.py"],
        aside: &[
            "test_pass:docs/make: `docs` is beside the project",
            "lint_clean: `docs` is beside the project",
        ],
    },
    Layout {
        name: "a site of Django",
        files: &[
            ("manage.py", "#!/usr/bin/env python\n"),
            ("requirements.txt", "django\n"),
            ("shop/tests.py", "from django.test import TestCase\n"),
            ("shop/__init__.py", ""),
        ],
        programs: &["python3"],
        required: &["test_pass: python3 manage.py test"],
        aside: &[],
    },
    Layout {
        name: "express",
        files: &[
            (
                "package.json",
                r#"{"scripts": {"lint": "eslint .", "lint:fix": "eslint . --fix", "test": "mocha --check-leaks test/"},
                    "devDependencies": {"eslint": "8", "mocha": "10"}}"#,
            ),
            (
                ".github/workflows/ci.yml",
                "jobs:\n  a:\n    steps:\n    - run: npm run lint\n    - run: npm run test-ci\n",
            ),
            ("lib/express.js", ""),
            ("test/app.js", ""),
            ("examples/auth/package.json", r#"{"scripts": {"test": "mocha"}}"#),
        ],
        programs: &["npm", "npx"],
        required: &[
            "test_pass: npm test (npm install)",
            "lint_clean: npx --no-install eslint . --format json (npm install)",
        ],
        aside: &[],
    },
    Layout {
        name: "dayjs",
        files: &[
            (
                "package.json",
                r#"{"scripts": {"test": "cross-env TZ=Europe/Paris npm run test-tz && jest --coverage", "test-tz": "date && jest test/timezone.test",
                    "lint": "./node_modules/.bin/eslint src/* test/*", "prettier": "prettier --write docs"},
                    "devDependencies": {"jest": "22", "eslint": "4", "cross-env": "5"}}"#,
            ),
            ("package-lock.json", "{}"),
            ("src/index.js", ""),
            ("test/parse.test.js", ""),
        ],
        programs: &["npm", "npx"],
        required: &[
            "test_pass: npm test (npm ci)",
            "lint_clean: npx --no-install eslint 'src/*' 'test/*' --format json (npm ci)",
        ],
        aside: &[],
    },
    Layout {
        name: "redux",
        files: &[
            (
                "package.json",
                r#"{"packageManager": "yarn@4.4.1", "scripts": {"lint": "eslint --ext js,ts src test", "test": "vitest --run --typecheck",
                    "format": "prettier --write src", "build": "yarn clean && tsup"}, "devDependencies": {"vitest": "1", "eslint": "8", "typescript": "5"}}"#,
            ),
            ("yarn.lock", ""),
            ("tsconfig.json", "{}"),
            ("docs/package.json", r#"{"devDependencies": {"vitest": "1"}}"#),
            (
                "website/package.json",
                r#"{"scripts": {"build": "docusaurus build"}, "devDependencies": {"vitest": "1"}}"#,
            ),
            ("node_modules/.bin/vitest", ""),
            ("node_modules/.bin/eslint", ""),
            ("node_modules/.bin/tsc", ""),
        ],
        programs: &["yarn", "npx"],
        required: &[
            "test_pass: npx --no-install vitest run --typecheck --reporter=json '--outputFile={report}'",
            "build_success: yarn run build",
            "lint_clean: npx --no-install eslint --ext js,ts src test --format json",
            "type_check: npx --no-install tsc --noEmit --pretty false",
        ],
        aside: &[
            "test_pass:docs/vitest: `docs` is beside the project",
            "test_pass:website/vitest: `website` is beside the project",
            "build_success:website/yarn: `website` is beside the project",
        ],
    },
    Layout {
        name: "fastify",
        files: &[
            (
                "package.json",
                r#"{"scripts": {"lint": "npm run lint:eslint", "lint:fix": "eslint --fix", "lint:eslint": "eslint",
                    "test": "npm run lint && npm run unit", "unit": "borp"}, "devDependencies": {"borp": "0", "eslint": "9"}}"#,
            ),
            ("integration/test.sh", ""),
            ("test/a.test.js", ""),
        ],
        programs: &["npm", "npx", "find", "shellcheck"],
        required: &[
            "test_pass: npm test (npm install)",
            "lint_clean: npx --no-install eslint . --format json (npm install)",
        ],
        aside: &["lint_clean:shellcheck: nothing in the project says that shellcheck is used"],
    },
    Layout {
        name: "a page whose lint script mends",
        files: &[
            (
                "package.json",
                r#"{"scripts": {"test": "node --test", "lint": "biome check --apply-unsafe --no-errors-on-unmatched ./"}, "devDependencies": {"@biomejs/biome": "1"}}"#,
            ),
            ("node_modules/.bin/biome", ""),
            (
                "tool/package.json",
                r#"{"scripts": {"test": "node --test", "lint": "npm run style", "style": "xo --fix"}}"#,
            ),
        ],
        programs: &["npm", "npx", "node"],
        required: &[
            "test_pass:node: node --test-reporter=tap --test",
            "test_pass:tool: node --test-reporter=tap --test",
            "lint_clean:biome: npx --no-install biome check --no-errors-on-unmatched ./ --reporter=json --max-diagnostics=200",
            "lint_clean:tool: npx --no-install -c xo",
        ],
        aside: &[],
    },
    Layout {
        name: "itoa",
        files: &[
            ("Cargo.toml", "[package]\nname = \"itoa\"\n"),
            (
                "fuzz/Cargo.toml",
                "[package]\nname = \"f\"\n[package.metadata]\ncargo-fuzz = true\n[workspace]\n",
            ),
            (
                ".github/workflows/ci.yml",
                "jobs:\n  a:\n    steps:\n    - run: cargo test\n  clippy:\n    steps:\n    - run: cargo clippy --tests --benches\n  \
                 fuzz:\n    steps:\n    - run: cargo fuzz check\n",
            ),
            ("src/lib.rs", ""),
        ],
        programs: &["cargo", "cargo-clippy"],
        required: &[
            "test_pass: cargo test --no-fail-fast",
            "build_success: cargo build --message-format=json",
            "lint_clean: cargo clippy --all-targets --message-format=json",
        ],
        aside: &["test_pass:fuzz/cargo: it is for `cargo fuzz` and has no tests"],
    },
    Layout {
        name: "ripgrep",
        files: &[
            ("Cargo.toml", "[package]\nname = \"rg\"\n[workspace]\nmembers = [\"crates/cli\"]\n"),
            ("crates/cli/Cargo.toml", "[package]\nname = \"cli\"\n"),
            (
                "fuzz/Cargo.toml",
                "[package]\nname = \"f\"\n[package.metadata]\ncargo-fuzz = true\n[workspace]\n",
            ),
            (
                ".github/workflows/ci.yml",
                "jobs:\n  a:\n    steps:\n    - run: ${{ env.CARGO }} test --verbose --workspace\n",
            ),
            ("ci/utils.sh", ""),
        ],
        programs: &["cargo", "cargo-clippy", "find", "shellcheck"],
        required: &[
            "test_pass: cargo test --workspace --no-fail-fast",
            "build_success: cargo build --workspace --message-format=json",
        ],
        aside: &[
            "lint_clean:clippy: nothing in the project says that clippy is used",
            "lint_clean:shellcheck: nothing in the project says that shellcheck is used",
            "test_pass:fuzz/cargo: it is for `cargo fuzz` and has no tests",
        ],
    },
    Layout {
        name: "mux",
        files: &[
            ("go.mod", "module x\n"),
            ("mux.go", ""),
            (
                "Makefile",
                "GO_LINT=$(shell which golangci-lint 2> /dev/null || echo '')\ngolangci-lint:\n\tgolangci-lint run -v\n\
                 test:\n\t@echo '##### Running tests'\n\tgo test -race ./...\n",
            ),
            (".github/workflows/test.yml", "jobs:\n  a:\n    steps:\n    - run: make test\n"),
        ],
        programs: &["go", "make", "golangci-lint"],
        required: &[
            "test_pass: go test -json -race ./...",
            "build_success: go build -o /dev/null ./...",
            "lint_clean: golangci-lint run --fix=false ./...",
        ],
        aside: &["lint_clean:go: nothing in the project says that go vet is used"],
    },
    Layout {
        name: "cJSON",
        files: &[
            ("CMakeLists.txt", "project(cJSON)\nenable_testing()\n"),
            ("Makefile", "all: x\ntest: tests\n\t./x\n"),
            ("cJSON.c", ""),
            ("fuzzing/CMakeLists.txt", ""),
            ("fuzzing/afl.sh", ""),
        ],
        programs: &["cmake", "ctest", "make"],
        required: &[
            "test_pass: sh -c 'cmake -S . -B build && cmake --build build && ctest --test-dir build \
             --output-on-failure --no-tests=error --output-junit \"{report}\"'",
            "build_success: sh -c 'cmake -S . -B build && cmake --build build'",
        ],
        aside: &[],
    },
    Layout {
        name: "bats-core",
        files: &[
            ("package.json", r#"{"scripts": {"test": "bin/bats test"}}"#),
            ("bin/bats", "#!/usr/bin/env bash\n"),
            ("test/bats.bats", ""),
            ("test/fixtures/bats/failing.bats", ""),
            (
                "shellcheck.sh",
                "#!/usr/bin/env bash\nLC_ALL=C.UTF-8 shellcheck -x \"${targets[@]}\"\n",
            ),
            (
                ".github/workflows/tests.yml",
                "jobs:\n  a:\n    steps:\n    - run: \"! bin/bats test/fixtures/bats/failing.bats\"\n    - run: |\n        ./shellcheck.sh\n    \
                 - run: bin/bats test --print-output-on-failure\n",
            ),
            ("man/Makefile", "all: x\n"),
        ],
        programs: &["npm", "bats", "find", "shellcheck", "make"],
        required: &[
            "test_pass: bin/bats --formatter tap test",
            "lint_clean: find . -name '.?*' -prune -o -name node_modules -prune -o -name vendor -prune -o -name target -prune \
             -o -path ./agent.sh -prune -o -type f -name '*.sh' -exec shellcheck --format=json1 '{}' +",
        ],
        aside: &["build_success: `man` is beside the project"],
    },
    Layout {
        name: "rack",
        files: &[
            ("Gemfile", "gem \"rubocop\"\n"),
            ("rack.gemspec", ""),
            ("Rakefile", "Rake::TestTask.new(\"test:regular\")\ntask :test => %w[test:regular]\n"),
            (".rubocop.yml", ""),
            ("test/spec_utils.rb", ""),
        ],
        programs: &["bundle"],
        required: &[
            "test_pass: bundle exec rake test",
            "lint_clean: bundle exec rubocop --format json",
        ],
        aside: &[],
    },
    Layout {
        name: "FastRoute",
        files: &[
            (
                "composer.json",
                r#"{"require-dev": {"phpunit/phpunit": "10", "phpstan/phpstan": "1"}}"#,
            ),
            ("composer.lock", "{}"),
            ("phpunit.xml.dist", ""),
            ("phpstan.neon.dist", ""),
            (
                "Makefile",
                "all: install phpcbf phpunit\nphpunit:\n\t@vendor/bin/phpunit\nphpcbf:\n\t@vendor/bin/phpcbf || true\n",
            ),
        ],
        programs: &["php", "composer", "make"],
        required: &[
            "test_pass: vendor/bin/phpunit --log-junit '{report}' (composer install)",
            "type_check: vendor/bin/phpstan analyse --no-progress --error-format=raw (composer install)",
        ],
        aside: &[],
    },
    Layout {
        name: "gson",
        files: &[
            ("pom.xml", "<modules><module>gson</module></modules>"),
            ("gson/pom.xml", "<project/>"),
            (
                ".github/workflows/build.yml",
                "jobs:\n  a:\n    steps:\n    - run: mvn verify --batch-mode\n",
            ),
        ],
        programs: &["mvn"],
        required: &[
            "test_pass: mvn --batch-mode --no-transfer-progress test",
            "build_success: mvn --batch-mode --no-transfer-progress test-compile",
        ],
        aside: &[],
    },
    Layout {
        name: "oak",
        files: &[
            (
                "deno.json",
                r#"{"tasks": {"test": "deno test --allow-read --parallel", "example": "deno run x.ts"}}"#,
            ),
            (
                ".github/workflows/ci.yml",
                "jobs:\n  a:\n    steps:\n    - run: deno lint\n    - run: deno task test\n",
            ),
            ("mod.test.ts", ""),
        ],
        programs: &["deno"],
        required: &["test_pass: deno task test", "lint_clean: deno lint"],
        aside: &[],
    },
    Layout {
        name: "plug",
        files: &[
            ("mix.exs", ""),
            ("mix.lock", ""),
            (
                ".github/workflows/ci.yml",
                "jobs:\n  a:\n    steps:\n    - run: mix deps.get\n    - run: mix test --warnings-as-errors\n",
            ),
        ],
        programs: &["mix"],
        required: &[
            "test_pass: mix test --warnings-as-errors (mix deps.get)",
            "build_success: mix compile (mix deps.get)",
        ],
        aside: &[],
    },
    Layout {
        name: "a template of backend and frontend",
        files: &[
            ("pyproject.toml", "[tool.uv.workspace]\nmembers = [\"backend\"]\n"),
            ("uv.lock", ""),
            ("backend/pyproject.toml", "[dependency-groups]\ndev = [\"pytest\"]\n"),
            ("backend/tests/test_user.py", "def test_a(): pass\n"),
            (
                "backend/scripts/tests-start.sh",
                "#!/usr/bin/env bash\nset -e\nbash scripts/test.sh \"$@\"\n",
            ),
            ("backend/scripts/test.sh", "#!/usr/bin/env bash\ncoverage run -m pytest tests/\n"),
            (
                ".github/workflows/test-backend.yml",
                "jobs:\n  a:\n    steps:\n    - run: uv run bash scripts/tests-start.sh\n      working-directory: backend\n",
            ),
            (
                "frontend/package.json",
                r#"{"scripts": {"build": "vite build"}, "devDependencies": {"vite": "5"}}"#,
            ),
            ("bun.lock", ""),
            ("package.json", "{}"),
        ],
        programs: &["uv", "bun"],
        required: &[
            "test_pass: uv run pytest tests/ '--junitxml={report}'",
            "build_success: bun run build (bun install)",
        ],
        aside: &[],
    },
];

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value[key].as_str()
}

/// `NAME: COMMAND (INSTALL)` of a proposal.
fn required(proposal: &Value) -> String {
    let install = text(proposal, "install").map_or_else(String::new, |it| format!(" ({it})"));
    let word = |key| text(proposal, key).unwrap_or_default();
    format!("{}: {}{install}", word("name"), word("command"))
}

/// `NAME: REASON` of a proposal.
fn aside(proposal: &Value) -> String {
    let missing = || text(proposal, "missing").map(|what| format!("`{what}` is not here"));
    let reason = text(proposal, "reason").map(str::to_owned).or_else(missing);
    format!("{}: {}", text(proposal, "name").unwrap_or_default(), reason.unwrap_or_default())
}

#[track_caller]
#[expect(clippy::unwrap_used, reason = "a file that cannot be read must fail its test at once")]
fn check(layout: &Layout) {
    let project = plain();
    for (name, text) in layout.files {
        if name.starts_with("bin/") {
            project.script(name, text);
        } else {
            project.file(name, text);
        }
    }
    let bin = only(&project, layout.programs);
    let before: BTreeSet<_> = project.everything().into_iter().collect();
    let made = project.ralph(&["init", "--json"]).env("PATH", bin).output().exits(0).json();
    let proposals = made["proposals"].as_array().cloned().unwrap_or_default();
    let (on, off): (Vec<&Value>, Vec<&Value>) =
        proposals.iter().partition(|it| it["required"] == true);
    let sorted = |mut lines: Vec<String>| {
        lines.sort_unstable();
        lines
    };
    let want = |lines: &[&str]| sorted(lines.iter().map(|&line| line.to_owned()).collect());
    let name = layout.name;
    assert_eq!(sorted(on.into_iter().map(required).collect()), want(layout.required), "{name}");
    assert_eq!(sorted(off.into_iter().map(aside).collect()), want(layout.aside), "{name}");

    let after: BTreeSet<_> = project.everything().into_iter().collect();
    let new: Vec<_> = after.difference(&before).collect();
    assert_eq!(new, [&project.root().join("ralph.toml")], "{name}");
    assert_eq!(made["file"].as_str(), Some(project.read("ralph.toml").as_str()), "{name}");
    let file: toml::Table = toml::from_str(&project.read("ralph.toml")).unwrap();
    let criteria = file["run"]["criteria"].as_array().cloned().unwrap_or_default();
    assert!(criteria.contains(&"test_pass".into()), "{name}: {file}");
    let gates = file["gates"].as_table().map_or(0, toml::Table::len);
    assert_eq!(gates, layout.required.len(), "{name}: what is not required is a comment");
    let reasons = project.read("ralph.toml").matches("# Not required: ").count();
    assert_eq!(reasons, layout.aside.len(), "{name}: every comment has its reason");
}

#[test]
fn projects_of_well_known_shapes_get_what_their_maintainers_run() {
    assert!(LAYOUTS.len() >= 20);
    LAYOUTS.iter().for_each(check);
}
