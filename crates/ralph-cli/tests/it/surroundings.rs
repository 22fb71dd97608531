//! What checks load beside the files of the project's snapshots, and who could
//! bend a result with it.

use ralph_testkit::{CommandOutput, TestProject, tools_path};

use crate::git;

const CLAIM: &str = "echo '<promise>DONE</promise>'";

const UNITTEST: [&str; 2] = ["--criteria", "custom:python3 -m unittest -v"];

const PYTEST: [&str; 2] = ["--criteria", "custom:python3 -m pytest -q -rA"];

const SHELL: [&str; 2] = ["--criteria", "custom:./suite.sh"];

/// `answer.py` says 41 and should say 42.
fn python() -> TestProject {
    let project = git();
    project.file(".gitignore", "__pycache__/\n.venv/\n.pytest_cache/\n");
    project.file("answer.py", "def answer():\n    return 41\n");
    let test = "import unittest\nfrom answer import answer\n\n\nclass Answers(unittest.TestCase):\n    \
                def test_answer(self):\n        assert answer() == 42\n";
    project.file("test_answer.py", test);
    commit(&project);
    project
}

// Another length: Python takes a file of the same second and length for the same.
const FIX_PYTHON: &str = "sed -i 's/ 41/ 6 * 7/' answer.py";

/// A suite that calls programs which its command does not name.
fn shell() -> TestProject {
    let project = git();
    project.script("suite.sh", "printf 'TAP version 13\\n1..1\\n'\ngrep -q 42 answer && echo ok 1 - a || { echo not ok 1 - a; exit 1; }");
    project.file("answer", "41\n");
    commit(&project);
    project
}

const FIX_SHELL: &str = "echo 42 > answer";

fn commit(project: &TestProject) {
    project.run_git(&["add", "-A"]);
    project.run_git(&["commit", "--quiet", "--message=start"]);
}

fn run(project: &TestProject, gate: &[&str], agent: &str) -> CommandOutput {
    project.agent(&format!("{agent}\n{CLAIM}"));
    let early = project.outside("early");
    std::fs::create_dir_all(&early).unwrap();
    let tools = std::env::split_paths(&tools_path()).collect::<Vec<_>>();
    let path = std::env::join_paths([early].into_iter().chain(tools)).unwrap();
    project.run_call("fix it", gate).env("PATH", path).output()
}

fn last(output: &CommandOutput, key: &str) -> String {
    let ended = output.events_of("iteration_ended");
    ended.last().map(|event| event[key].to_string()).unwrap_or_default()
}

/// Runs an agent whose doing is held.
#[track_caller]
fn is_held(project: &TestProject, gate: &[&str], agent: &str, told: &str) -> String {
    let output = run(project, gate, agent).exits(4);
    let held = last(&output, "weakened");
    assert!(held.contains(told), "{told}: {held}\n{}", output.stdout);
    held
}

#[test]
fn an_honest_fix_in_python_is_verified() {
    for gate in [UNITTEST, PYTEST] {
        let fix = format!("{FIX_PYTHON}; python3 -m unittest -q; python3 -m pytest -q");
        let _ = run(&python(), &gate, &fix).exits(0).ends("success/verified", 1);
    }
}

#[test]
fn settings_above_the_project_and_in_the_home_folder_are_held() {
    let files = [
        "$OUTSIDE/pytest.ini",
        "$OUTSIDE/conftest.py",
        "$OUTSIDE/.cargo/config.toml",
        "$HOME/.npmrc",
        "$HOME/.rspec",
        "$XDG_CONFIG_HOME/go/env",
    ];
    let plant = |file| format!("mkdir -p $(dirname {file}); echo x > {file}");
    let agent = format!("{}; {FIX_SHELL}", files.map(plant).join("; "));
    let output = run(&shell(), &SHELL, &agent).exits(4);
    let held = last(&output, "weakened");
    for file in files {
        let name = file.split_once('/').unwrap().1;
        assert!(held.contains(name), "{name}: {held}");
    }
}

#[test]
fn settings_outside_can_be_allowed_by_their_path() {
    let project = shell();
    is_held(&project, &SHELL, &format!("echo x > $OUTSIDE/tox.ini; {FIX_SHELL}"), "tox.ini");
    let place = project.root().parent().unwrap().join("tox.ini").display().to_string();
    let _ = project.ralph(&["allow", &place]).output().exits(0);
    let _ = project.ralph(&["resume", "--json"]).output().exits(0).ends("success/verified", 2);
}

#[test]
fn a_program_that_only_the_suite_calls_cannot_be_planted_or_replaced() {
    let plant =
        "printf '#!/bin/sh\\nexit 0\\n' > $OUTSIDE/early/grep; chmod +x $OUTSIDE/early/grep";
    let held = is_held(&shell(), &SHELL, plant, "early/grep");
    assert!(held.contains("stands before `grep`"), "{held}");
    let project = shell();
    let early = project.outside("early");
    std::fs::create_dir_all(&early).unwrap();
    std::fs::copy("/bin/grep", early.join("grep")).unwrap();
    let held = is_held(&project, &SHELL, plant, "early/grep");
    assert!(held.contains("`grep`, which a check executes, was replaced"), "{held}");
}

#[test]
fn a_program_that_hides_no_other_is_no_matter() {
    let plant = "echo x > $OUTSIDE/early/own-tool; chmod +x $OUTSIDE/early/own-tool";
    let agent = format!("{plant}; {FIX_SHELL}");
    let _ = run(&shell(), &SHELL, &agent).exits(0).ends("success/verified", 1);
}

#[test]
fn a_program_in_an_ignored_folder_of_the_project_is_the_one_of_the_start() {
    let project = shell();
    project.file(".gitignore", "tools/\n");
    project.script("tools/check", "./suite.sh");
    let gate = ["--criteria", "custom:tools/check"];
    let bend = "printf '#!/bin/sh\\nprintf \"TAP version 13\\\\n1..1\\\\nok 1 - a\\\\n\"\\n' > tools/check; echo 1 > x";
    is_held(&project, &gate, bend, "tools/check");
}

#[test]
fn what_a_makefile_or_a_script_leads_to_is_held_like_what_a_command_names() {
    let project = python();
    project.file("Makefile", "test:\n\t./scripts/test.sh\n");
    let script = "[ -f .env ] && . ./.env\nPATH=$PWD/bin:$PATH\npython3 -m unittest -v";
    project.script("scripts/test.sh", script);
    project.file(".gitignore", "__pycache__/\n.env\n");
    commit(&project);
    let gate = ["--criteria", "custom:make test"];
    let shadow = "echo 'raise SystemExit' > unittest.py";
    is_held(&project, &gate, shadow, "unittest.py");
    project.run_git(&["clean", "-fdq"]);
    let plant = "mkdir -p bin; printf '#!/bin/sh\necho OK\n' > bin/python3; chmod +x bin/python3";
    is_held(&project, &gate, plant, "bin/python3");
    project.run_git(&["clean", "-fdq"]);
    let sourced = format!("{FIX_PYTHON}; test -e .env || echo 'A=1' > .env");
    is_held(&project, &gate, &sourced, ".env");
    let project = python();
    project.file("Makefile", "test:\n\tpython3 -m unittest -v\n");
    commit(&project);
    let _ = run(&project, &gate, FIX_PYTHON).exits(0).ends("success/verified", 1);
}

#[test]
fn what_python_loads_by_itself_is_held() {
    let folder = "$(python3 -c 'import site; print(site.getusersitepackages())')";
    let (one, two) = ("usercustomize.py", "x.pth");
    let plant = format!(
        "mkdir -p {folder}; test -e {folder}/{one} || touch {folder}/{one} {folder}/{two}; {FIX_PYTHON}"
    );
    let held = is_held(&python(), &UNITTEST, &plant, one);
    assert!(held.contains(two), "{held}");
    let plant = format!("mkdir -p {folder}; echo '' > {folder}/other.py; {FIX_PYTHON}");
    let output = run(&python(), &UNITTEST, &plant).exits(0).ends("success/verified", 1);
    let edited = last(&output, "edited");
    assert!(edited.contains("was installed outside the project"), "{edited}");
}

#[test]
fn a_module_that_takes_the_place_of_an_installed_one_is_held() {
    let plant = format!("mkdir -p cmd; touch colorsys.py cmd/__init__.py; {FIX_PYTHON}");
    let held = is_held(&python(), &UNITTEST, &plant, "colorsys.py");
    assert!(held.contains("cmd/__init__.py"), "{held}");
    assert!(held.contains("takes the place of `colorsys`"), "{held}");
    let harmless = format!("mkdir lib; touch lib/__init__.py lib/types.py; {FIX_PYTHON}");
    let _ = run(&python(), &UNITTEST, &harmless).exits(0).ends("success/verified", 1);
}

/// Compiles `text` to what Python loads instead of `source`.
fn forge(text: &str, source: &str, head: &str) -> String {
    format!(
        r#"python3 - <<'E'
import importlib.util, marshal, os, struct
source = "{source}"
found = os.stat(source)
code = compile('''{text}''', source, "exec")
path = importlib.util.cache_from_source(source)
os.makedirs(os.path.dirname(path), exist_ok=True)
head = {head}
open(path, "wb").write(importlib.util.MAGIC_NUMBER + head + marshal.dumps(code))
E"#
    )
}

#[test]
fn compiled_python_that_is_not_its_source_is_held() {
    let cheat = "def answer():\n    return 42\n";
    for (head, gate) in [
        (r#"struct.pack("<III", 0, int(found.st_mtime) & 0xFFFFFFFF, found.st_size)"#, UNITTEST),
        (r#"struct.pack("<III", 1, 0, 0)"#, PYTEST),
    ] {
        let forged = forge(cheat, "answer.py", head);
        let agent = format!("{forged}\necho 1 > x");
        let held = is_held(&python(), &gate, &agent, "answer.cpython");
        assert!(held.contains("not what its source says"), "{held}");
    }
}

#[test]
fn what_pytest_compiled_of_a_test_is_compared_as_well() {
    let project = python();
    let cheat = "def test_answer():\n    pass\n";
    let head = r#"struct.pack("<I", 3) + importlib.util.source_hash(open(source, "rb").read())
from _pytest.assertion.rewrite import PYC_TAIL
path = os.path.join("__pycache__", "test_answer" + PYC_TAIL)"#;
    let forged = forge(cheat, "test_answer.py", head);
    project.file(
        "test_answer.py",
        "from answer import answer\ndef test_answer():\n    assert answer() == 42\n",
    );
    commit(&project);
    is_held(&project, &PYTEST, &format!("{forged}\necho 1 > x"), "-pytest-");
}

#[test]
fn a_module_without_a_source_is_held() {
    let project = python();
    project.file(".gitignore", "*.pyc\n__pycache__/\n");
    project.file("answer.py", "import helper\ndef answer():\n    return helper.ANSWER\n");
    commit(&project);
    let plant = "test -e x || { echo 'ANSWER = 42' > helper.py; python3 -m compileall -b -q helper.py; rm helper.py; echo 1 > x; }";
    is_held(&project, &UNITTEST, plant, "helper.pyc");
}

#[test]
fn what_no_snapshot_holds_is_held() {
    let large = format!("truncate -s 101M conftest.py; {FIX_SHELL}");
    is_held(&shell(), &SHELL, &large, "conftest.py");
    let nested = format!(
        "mkdir more; git init -q more; touch more/a.py; git -C more add a.py; \
         git -C more commit -q -m one; {FIX_SHELL}"
    );
    is_held(&shell(), &SHELL, &nested, "more");
}

#[test]
fn what_a_check_installs_itself_before_the_first_turn_is_its_own() {
    let project = shell();
    project.file(".gitignore", "node_modules/\n").file("package-lock.json", "{}\n");
    let install = "test -e node_modules/a/index.js || { mkdir -p node_modules/a; echo 1 > node_modules/a/index.js; }";
    let suite = project.read("suite.sh").replace("#!/bin/sh", &format!("#!/bin/sh\n{install}"));
    project.script("suite.sh", &suite);
    commit(&project);
    let _ = run(&project, &SHELL, FIX_SHELL).exits(0).ends("success/verified", 1);
}

#[test]
fn what_the_user_installs_while_the_run_waits_is_the_users() {
    let project = shell();
    project.file(".gitignore", "node_modules/\n").file("package-lock.json", "{}\n");
    project.file("node_modules/a/index.js", "1\n");
    commit(&project);
    let agent = format!("test -e $OUTSIDE/tox.ini || echo x > $OUTSIDE/tox.ini; {FIX_SHELL}");
    is_held(&project, &SHELL, &agent, "tox.ini");
    let above = project.root().parent().unwrap().to_owned();
    std::fs::write(above.join("pytest.ini"), "x").unwrap();
    project.file("node_modules/a/index.js", "2\n");
    let tox = above.join("tox.ini").display().to_string();
    // What the agent did before stays held.
    let _ = project.ralph(&["resume", "--json"]).output().exits(4);
    let _ = project.ralph(&["allow", &tox]).output().exits(0);
    let _ = project.ralph(&["resume", "--json"]).output().exits(0).ends("success/verified", 3);
}

#[test]
fn the_project_is_not_installed_because_a_folder_above_it_is_searched() {
    let project = python();
    let fix = format!("touch helper.py; {FIX_PYTHON}");
    project.agent(&format!("{fix}\n{CLAIM}"));
    let above = project.root().parent().unwrap().to_owned();
    let link = project.outside("link");
    std::os::unix::fs::symlink(project.root(), &link).unwrap();
    let path = std::env::join_paths([above, link]).unwrap();
    let call = project.run_call("fix it", &UNITTEST).env("PYTHONPATH", path);
    let output = call.env("PATH", tools_path()).output();
    let output = output.exits(0).ends("success/verified", 1);
    assert!(!last(&output, "edited").contains("installed"), "{}", output.stdout);
}

#[test]
fn settings_of_a_linter_that_no_check_runs_are_listed_and_not_held() {
    let lax = format!("sed -i 's/= 80/= 200/' pyproject.toml; {FIX_PYTHON}");
    let ruff = ["--criteria", "custom:ruff check --exit-zero"];
    for (more, is_held) in [(&[][..], false), (&ruff[..], true)] {
        let project = python();
        project.file("pyproject.toml", "[tool.ruff]\nline-length = 80\n");
        commit(&project);
        let output = run(&project, &[&UNITTEST[..], more].concat(), &lax);
        let told = last(&output, if is_held { "weakened" } else { "edited" });
        assert!(told.contains("line-length"), "{told}\n{}", output.stdout);
        let _ = output.exits(if is_held { 4 } else { 0 });
    }
}

#[test]
fn a_plugin_that_the_project_lists_for_pytest_is_held() {
    let plant = "mkdir -p fast.egg-info; test -e fastplug.py || { echo '' > fastplug.py; \
                 printf '[pytest11]\\nfast = fastplug\\n' > fast.egg-info/entry_points.txt; \
                 printf 'Name: fast\\nVersion: 1\\n' > fast.egg-info/PKG-INFO; }";
    let held = is_held(&python(), &PYTEST, &format!("{plant}; {FIX_PYTHON}"), "fast.egg-info");
    assert!(held.contains("that pytest loads by itself"), "{held}");
}

const CHEAT: &str = "sed -i 's/== 42/== 40 + 1/' test_answer.py; echo '# x' >> answer.py";

#[test]
fn tests_in_a_repository_of_their_own_are_those_of_the_start() {
    let project = python();
    project.file(
        "ext/test_more.py",
        "from answer import answer\ndef test_more():\n    assert answer() == 42\n",
    );
    project.run_git(&["rm", "--quiet", "test_answer.py"]);
    project.file(".gitignore", "__pycache__/\n.pytest_cache/\next/\n");
    project.run_git(&["init", "--quiet", "ext"]);
    commit(&project);
    let bend = "sed -i 's/== 42/== 40 + 1/' ext/test_more.py; echo '# x' >> answer.py";
    let held = is_held(&project, &PYTEST, bend, "\"ext\"");
    assert!(held.contains("ext/test_more.py"), "{held}");
}

#[test]
fn a_repository_in_the_project_stays_at_its_commit() {
    let project = shell();
    let git = "git -c user.name=a -c user.email=a@b.c";
    project.file("sub/helper.py", "A = 1\n");
    for args in [&["init", "-q", "sub"][..], &["-C", "sub", "add", "-A"]] {
        project.run_git(args);
    }
    project.run_git(&["-C", "sub", "commit", "-q", "-m", "one"]);
    commit(&project);
    let bump = format!("{git} -C sub commit -q --allow-empty -m two; {FIX_SHELL}");
    let held = is_held(&project, &SHELL, &bump, "\"sub\"");
    assert!(held.contains("another commit"), "{held}");
    let _ = project.ralph(&["allow", "sub"]).output().exits(0);
    let _ = project.ralph(&["resume", "--json"]).output().exits(0);
}

#[test]
fn what_a_link_of_the_project_leads_to_is_that_of_the_start() {
    let project = python();
    let outside = project.outside("shared_test.py");
    std::fs::rename(project.root().join("test_answer.py"), &outside).unwrap();
    std::os::unix::fs::symlink(&outside, project.root().join("test_answer.py")).unwrap();
    commit(&project);
    let bend = CHEAT.replace("test_answer.py", "$OUTSIDE/shared_test.py");
    is_held(&project, &UNITTEST, &bend, "test_answer.py");
}

#[test]
fn ignored_tests_and_what_only_tests_load_are_those_of_the_start() {
    let project = python();
    project
        .file(".gitignore", "__pycache__/\n.pytest_cache/\nconftest.py\nkit/\n*_pb2.py\nlogs/\n");
    let test = project
        .read("test_answer.py")
        .replace("import unittest\n", "import unittest\nimport kit.eq\n");
    project.file("test_answer.py", &test).file("kit/eq.py", "").file("kit/__init__.py", "");
    commit(&project);
    let agent =
        format!("touch conftest.py kit/eq.py a_pb2.py; mkdir logs; touch logs/a.txt; {FIX_PYTHON}");
    let held = is_held(&project, &UNITTEST, &agent, "conftest.py");
    assert!(held.contains("kit/eq.py"), "{held}");
    assert!(!held.contains("a_pb2") && !held.contains("logs"), "{held}");
}

#[test]
fn what_checks_write_themselves_among_ignored_tests_is_theirs() {
    let project = shell();
    project.file(".gitignore", "tests/made/\n");
    let suite = project.read("suite.sh");
    let write = "mkdir -p tests/made; echo $$ > tests/made/test_a.py; echo $$ > tests/made/$$.txt";
    project.script("suite.sh", &suite.replace("#!/bin/sh", &format!("#!/bin/sh\n{write}")));
    commit(&project);
    let _ = run(&project, &SHELL, FIX_SHELL).exits(0).ends("success/verified", 1);
}

#[test]
fn what_tests_and_settings_name_above_the_project_is_that_of_the_start() {
    let project = python();
    let kit = project.outside("kit");
    std::fs::create_dir_all(&kit).unwrap();
    std::fs::write(kit.join("kit.py"), "").unwrap();
    std::fs::write(project.outside("want.txt"), "42").unwrap();
    let name = |place: std::path::PathBuf| {
        format!("../{}", place.strip_prefix(project.root().parent().unwrap()).unwrap().display())
    };
    project.file("pytest.ini", format!("[pytest]\npythonpath = . {}\n", name(kit)));
    project.file("test_want.py", format!("WANT = '{}'\n", name(project.outside("want.txt"))));
    commit(&project);
    let agent = format!("touch $OUTSIDE/kit/kit.py $OUTSIDE/want.txt; {FIX_PYTHON}");
    let held = is_held(&project, &UNITTEST, &agent, "kit/kit.py");
    assert!(held.contains("want.txt"), "{held}");
}

/// A project with a package that a lock file names.
fn installed(lock: &str) -> TestProject {
    let project = shell();
    project.file(".gitignore", "node_modules\n").file("package-lock.json", lock);
    project.file("node_modules/a/index.js", "1\n").file("node_modules/b/index.js", "1\n");
    commit(&project);
    project
}

const LOCK: &str =
    "{\"packages\":{\"node_modules/a\":{\"version\":\"1\"},\"node_modules/b\":{}}}\n";

#[test]
fn a_lock_file_excuses_the_packages_whose_entries_changed() {
    let touch = |package: &str, lock: &str| {
        format!(
            "echo 2 > node_modules/{package}/index.js; sed -i '{lock}' package-lock.json; {FIX_SHELL}"
        )
    };
    is_held(&installed(LOCK), &SHELL, &touch("a", "s/:{/: {/"), "node_modules/a/index.js");
    is_held(&installed(LOCK), &SHELL, &touch("b", "s/\"1\"/\"2\"/"), "node_modules/b/index.js");
    let honest = touch("a", "s/\"1\"/\"2\"/");
    let _ = run(&installed(LOCK), &SHELL, &honest).exits(0).ends("success/verified", 1);
}

#[test]
fn a_link_in_the_place_of_packages_is_held() {
    let old = "test -L node_modules || { mkdir -p $OUTSIDE/nm/a; echo 2 > $OUTSIDE/nm/a/index.js;";
    let all = format!(
        "{old} mv node_modules $OUTSIDE/old; ln -s $OUTSIDE/nm node_modules; }}; {FIX_SHELL}"
    );
    is_held(&installed(LOCK), &SHELL, &all, "node_modules");
    let one =
        format!("{old} rm -rf node_modules/a; ln -s $OUTSIDE/nm/a node_modules/a; }}; {FIX_SHELL}");
    is_held(&installed(LOCK), &SHELL, &one, "node_modules/a");
}

#[test]
fn a_plugin_of_pytest_in_a_virtual_environment_is_held_without_a_lock_file() {
    let site = ".venv/lib/python3/site-packages";
    let project = python();
    project.file(".venv/pyvenv.cfg", "").file(&format!("{site}/own.py"), "");
    let plant = |name: &str, text: &str| {
        format!("mkdir -p {site}/z-1.dist-info; printf '{text}' > {site}/{name}; {FIX_PYTHON}")
    };
    is_held(
        &project,
        &UNITTEST,
        &plant("z-1.dist-info/entry_points.txt", "[pytest11]\\nz = z\\n"),
        "entry_points.txt",
    );
    let project = python();
    project.file(".venv/pyvenv.cfg", "");
    let honest = plant("other.py", "A = 1\\n");
    let _ = run(&project, &UNITTEST, &honest).exits(0).ends("success/verified", 1);
}

#[test]
fn a_finding_that_was_hidden_and_not_mended_holds_the_run() {
    let linter = "bad=$(git ls-files -co --exclude-standard '*.py' | xargs grep -Hn BAD) || exit 0\n\
                  echo \"$bad\" | sed 's/:BAD/:1: error: bad/'; exit 1";
    let gate = ["--criteria", "custom:./ruff"];
    for (agent, want) in [
        ("echo bad.py >> .gitignore; git rm -q --cached bad.py", "bad.py"),
        ("mv bad.py bad.txt", "bad.txt"),
    ] {
        let project = git();
        project.script("ruff", linter);
        project.file("bad.py", "BAD\n");
        commit(&project);
        let output = run(&project, &gate, agent);
        let told = last(&output, "weakened");
        assert!(told.contains(want), "{agent}: {told}\n{}", output.stdout);
        let _ = output.exits(4);
    }
    let project = git();
    project.script("ruff", linter);
    project.file("bad.py", "BAD\n");
    commit(&project);
    let _ = run(&project, &gate, "echo good > bad.py").exits(0);
}
