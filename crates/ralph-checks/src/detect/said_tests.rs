use std::fs;
use std::path::Path;

use crate::detect::sight::ProjectScan;

use super::*;

/// Checks the commands that these files name as checks, a line each: by whom, the folder, and the command.
#[track_caller]
fn check(files: &[(&str, &str)], want: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let tools = |_: &str, _: &Path| true;
    let sight = ProjectScan::new(folder.path(), &tools);
    let folders = sight.projects();
    let words = DocumentedCommands::read(folders[0], &folders);
    let line = |said: &DocumentedCommand| {
        let dir = if said.dir.is_empty() { String::new() } else { format!(" in {}", said.dir) };
        format!("{:?} {}{dir}: {}", said.by, said.origin, said.words.join(" "))
    };
    let checks = words.commands.iter().filter(|said| !said.mends);
    let found: Vec<String> = checks.map(line).collect();
    assert_eq!(found, want, "{:?}", sight.notices());
}

#[test]
fn pipelines_say_what_they_run_and_where() {
    let github = "on: [push]\njobs:\n  a:\n    defaults:\n      run:\n        working-directory: web\n    \
                  steps:\n    - uses: actions/checkout@v4\n    - run: npm test\n    - run: |\n        cd ..\n        \
                  pytest -q \\\n          tests\n  b:\n    steps:\n    - run: mypy .\n      continue-on-error: true\n    \
                  - run: make lint\n      working-directory: ./api/\n";
    check(
        &[
            (".github/workflows/ci.yml", github),
            (".gitlab-ci.yml", "x: &x\n  script: [go test]\ny:\n  <<: *x\n"),
            (
                ".circleci/config.yml",
                "jobs:\n  a:\n    steps:\n    - run:\n        command: mix test\n",
            ),
        ],
        &[
            "Pipeline .github/workflows/ci.yml in web: npm test",
            "Pipeline .github/workflows/ci.yml: pytest -q tests",
            "Pipeline .github/workflows/ci.yml in api: make lint",
            "Pipeline .gitlab-ci.yml: go test",
            "Pipeline .gitlab-ci.yml: go test",
            "Pipeline .circleci/config.yml: mix test",
        ],
    );
}

#[test]
fn tasks_say_what_they_run() {
    let tox = "[tox]\nenvlist = a\n[testenv]\ndeps = x\ncommands =\n  {env:CMD:pytest} {posargs:tests}\n\
               [testenv:style]\nchangedir = {toxinidir}/lib\ncommands = ruff check\n[pytest]\naddopts=-q\n";
    let nox = "import nox\n@nox.session\ndef tests(session):\n    session.install('x')\n    \
               session.run('pytest', \"-q\", *session.posargs)\n";
    let manifest = "[project.scripts]\nmain = 'a:b'\n[tool.tox.env.types]\ncommands = [['mypy', 'src']]\n\
                    [tool.hatch.envs.default.scripts]\nlint = ['ruff check .', 'ruff format --check']\n";
    check(
        &[
            ("Makefile", "py = python3\ntest:\n\t@$(py) -m unittest\nfix:\n\truff check --fix\n"),
            ("package.json", r#"{"scripts": {"test": "A=1 jest && eslint . --fix"}}"#),
            ("tox.ini", tox),
            ("noxfile.py", nox),
            ("pyproject.toml", manifest),
            ("Taskfile.yml", "version: 3\ntasks:\n  lint:\n    cmds: [golangci-lint run]\n"),
            ("web/deno.json", r#"{"tasks": {"test": "deno test -A"}}"#),
        ],
        &[
            "NamedTask Makefile: python3 -m unittest",
            "NamedTask Taskfile.yml: golangci-lint run",
            "NamedTask package.json: jest",
            "NamedTask tox.ini: pytest tests",
            "NamedTask tox.ini in lib: ruff check",
            "NamedTask noxfile.py: pytest -q",
            "NamedTask pyproject.toml: ruff check .",
            "NamedTask pyproject.toml: ruff format --check",
            "NamedTask pyproject.toml: mypy src",
            "NamedTask web/deno.json in web: deno test -A",
        ],
    );
}

#[test]
fn hooks_and_the_scripts_that_are_called_say_more() {
    let hooks = "repos:\n- repo: a\n  hooks:\n  - id: ruff-check\n    args: [--fix]\n  - id: mypy\n    \
                 files: ^(src/|tests/)\n- repo: local\n  hooks:\n  - id: x\n    entry: scripts/check --all\n";
    check(
        &[
            (".pre-commit-config.yaml", hooks),
            (
                "scripts/check",
                "#!/bin/sh -e\nFILES=\"a b\"\nif [ -d v ]; then\n  P=v/\nfi\n${P}mypy $FILES\n",
            ),
        ],
        &[
            "Task .pre-commit-config.yaml: mypy src tests",
            "Task .pre-commit-config.yaml: scripts/check --all",
            "NamedTask scripts/check: fi",
            "NamedTask scripts/check: v/mypy a b",
        ],
    );
}

#[test]
fn a_pipeline_that_is_broken_is_named_and_not_fatal() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".travis.yml"), "script: [\n").unwrap();
    let tools = |_: &str, _: &Path| true;
    let sight = ProjectScan::new(folder.path(), &tools);
    let folders = sight.projects();
    assert!(DocumentedCommands::read(folders[0], &folders).commands.is_empty());
    assert_eq!(sight.notices(), [".travis.yml cannot be read: it is not plain YAML"]);
}

#[test]
fn the_program_that_does_the_work_is_found_behind_others() {
    for (line, program) in [
        ("pytest -q", "pytest"),
        ("uv run --group dev pytest tests", "pytest"),
        ("python -m pytest", "pytest"),
        ("coverage run -m unittest discover", "unittest"),
        (".venv/bin/mypy src", "mypy"),
        ("pip install pytest", "pip"),
        ("uv pip install pytest", "uv"),
        ("echo pytest", "echo"),
    ] {
        let words = ralph_proc::split_words(line).unwrap();
        assert_eq!(base(&words[program_at(&words)]), program, "{line}");
    }
}

#[test]
fn what_changes_files_is_known() {
    for (line, changes) in [
        ("ruff check --fix", true),
        ("eslint . --fix --ext ts", true),
        ("biome check --apply-unsafe", true),
        ("prettier --write .", true),
        ("black .", true),
        ("vendor/bin/php-cs-fixer fix", true),
        ("black --check .", false),
        ("vendor/bin/php-cs-fixer fix --dry-run", false),
        ("eslint --fix-dry-run .", false),
        ("golangci-lint run --fix=false", false),
        ("eslint .", false),
    ] {
        assert_eq!(script_changes_files(line), changes, "{line}");
    }
}
