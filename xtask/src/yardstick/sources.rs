//! Public projects in fixed versions, from package registries.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{execute, fresh, output, write};
use crate::failure::TaskFailure;
use crate::workspace;

/// A project to measure with.
pub(super) struct YardstickProject {
    pub(super) name: &'static str,
    from: PackageRegistry,
    /// The name that ctags uses.
    pub(super) language: &'static str,
    /// The endings of its files.
    pub(super) endings: &'static [&'static str],
    pub(super) kinds: ComparedKinds,
    pub(super) server: Option<YardstickServer>,
}

/// The registry of a project.
enum PackageRegistry {
    /// The Python package index.
    Pip(&'static str),
    /// A package of Debian, and the folder in it.
    Debian(&'static str, &'static str),
    /// A crate that the workspace uses, and the folder in it.
    Crate(&'static str, &'static str),
}

/// The kinds of definitions that both tools know.
pub(super) struct ComparedKinds {
    pub(super) ours: &'static [&'static str],
    pub(super) tags: &'static [&'static str],
}

/// A language server.
pub(super) struct YardstickServer {
    pub(super) program: &'static str,
    pub(super) args: &'static [&'static str],
    /// Its name for the language.
    pub(super) language: &'static str,
    /// The title of the progress report to wait for.
    pub(super) waits_for: Option<&'static str>,
}

const PYTHON: ComparedKinds = ComparedKinds {
    ours: &["class", "function", "method"],
    tags: &["class", "function", "member"],
};
const GO: ComparedKinds = ComparedKinds {
    ours: &["function", "method", "struct", "interface", "alias", "constant", "variable"],
    tags: &["func", "struct", "interface", "methodSpec", "type", "const", "var"],
};
const C: ComparedKinds = ComparedKinds {
    ours: &["function", "struct", "union", "enum", "variant", "alias", "macro"],
    tags: &["function", "prototype", "struct", "union", "enum", "enumerator", "typedef", "macro"],
};
const RUST: ComparedKinds = ComparedKinds {
    ours: &["function", "method", "struct", "enum", "variant", "interface", "macro"],
    tags: &["function", "method", "struct", "enum", "enumerator", "interface", "macro"],
};
const RUBY: ComparedKinds = ComparedKinds {
    ours: &["class", "module", "method", "function"],
    tags: &["class", "module", "method", "singletonMethod", "alias"],
};
const PHP: ComparedKinds = ComparedKinds {
    ours: &["class", "interface", "function", "method"],
    tags: &["class", "interface", "trait", "function"],
};

const PYRIGHT: YardstickServer = YardstickServer {
    program: "pyright-langserver",
    args: &["--stdio"],
    language: "python",
    waits_for: None,
};
const GOPLS: YardstickServer =
    YardstickServer { program: "gopls", args: &[], language: "go", waits_for: None };
const CLANGD: YardstickServer = YardstickServer {
    program: "clangd",
    args: &["--background-index", "--log=error"],
    language: "c",
    waits_for: Some("backgroundIndexProgress"),
};

/// All projects.
pub(super) const ALL: &[YardstickProject] = &[
    YardstickProject {
        name: "flask",
        from: PackageRegistry::Pip("flask==3.1.2"),
        language: "Python",
        endings: &[".py"],
        kinds: PYTHON,
        server: Some(PYRIGHT),
    },
    YardstickProject {
        name: "requests",
        from: PackageRegistry::Pip("requests==2.32.5"),
        language: "Python",
        endings: &[".py"],
        kinds: PYTHON,
        server: Some(PYRIGHT),
    },
    YardstickProject {
        name: "mux",
        from: PackageRegistry::Debian(
            "golang-github-gorilla-mux-dev",
            "usr/share/gocode/src/github.com/gorilla/mux",
        ),
        language: "Go",
        endings: &[".go"],
        kinds: GO,
        server: Some(GOPLS),
    },
    YardstickProject {
        name: "toml",
        from: PackageRegistry::Debian(
            "golang-github-burntsushi-toml-dev",
            "usr/share/gocode/src/github.com/BurntSushi/toml",
        ),
        language: "Go",
        endings: &[".go"],
        kinds: GO,
        server: Some(GOPLS),
    },
    YardstickProject {
        name: "tree-sitter",
        from: PackageRegistry::Crate("tree-sitter", ""),
        language: "C",
        endings: &[".c", ".h"],
        kinds: C,
        server: Some(CLANGD),
    },
    YardstickProject {
        name: "memchr",
        from: PackageRegistry::Crate("memchr", "src"),
        language: "Rust",
        endings: &[".rs"],
        kinds: RUST,
        server: None,
    },
    YardstickProject {
        name: "rack",
        from: PackageRegistry::Debian("ruby-rack", "usr/share/rubygems-integration/all/gems"),
        language: "Ruby",
        endings: &[".rb"],
        kinds: RUBY,
        server: None,
    },
    YardstickProject {
        name: "twig",
        from: PackageRegistry::Debian("php-twig", "usr/share/php/Twig"),
        language: "PHP",
        endings: &[".php"],
        kinds: PHP,
        server: None,
    },
];

impl YardstickProject {
    /// Downloads the project unless it is there, and returns its path.
    pub(super) fn fetch(&self, folder: &Path) -> Result<PathBuf, TaskFailure> {
        let target = folder.join(self.name);
        let stamp = folder.join(format!("{}.stamp", self.name));
        if stamp.exists() {
            return fs::canonicalize(&target).map_err(|error| TaskFailure::io(&target, &error));
        }
        let target = fresh(&target)?;
        match self.from {
            PackageRegistry::Pip(package) => pip(package, &target)?,
            PackageRegistry::Debian(package, inner) => debian(package, inner, &target)?,
            PackageRegistry::Crate(name, inner) => crate_of(name, inner, &target)?,
        }
        if self.language == "C" {
            compile_commands(&target)?;
        }
        // It must be its own project, not a part of the repository around it.
        execute(Command::new("git").args(["init", "--quiet"]).current_dir(&target))?;
        write(&stamp, "")?;
        Ok(target)
    }
}

fn pip(package: &str, target: &Path) -> Result<(), TaskFailure> {
    let python = || Command::new("python3");
    let download = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"];
    execute(python().args(download).arg(package).arg("--dest").arg(target))?;
    for wheel in files(target)?.iter().filter(|path| path.extension().is_some_and(|it| it == "whl"))
    {
        execute(python().args(["-m", "zipfile", "-e"]).arg(wheel).arg(target))?;
        fs::remove_file(wheel).map_err(|error| TaskFailure::io(wheel, &error))?;
    }
    Ok(())
}

fn debian(package: &str, inner: &str, target: &Path) -> Result<(), TaskFailure> {
    let whole = fresh(&target.join("package"))?;
    execute(Command::new("apt-get").args(["download", "-qq", package]).current_dir(&whole))?;
    for file in files(&whole)? {
        execute(Command::new("dpkg-deb").arg("-x").arg(file).arg(&whole))?;
    }
    let inner = whole.join(inner);
    execute(Command::new("cp").arg("-rT").arg(inner).arg(target))?;
    fs::remove_dir_all(&whole).map_err(|error| TaskFailure::io(&whole, &error))
}

fn crate_of(name: &str, inner: &str, target: &Path) -> Result<(), TaskFailure> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["metadata", "--format-version=1"]).current_dir(workspace::root());
    let facts: Value = serde_json::from_slice(&output(&mut cargo)?).unwrap_or_default();
    let packages = facts["packages"].as_array().into_iter().flatten();
    let found = packages.into_iter().find(|package| package["name"] == name);
    let manifest = found.and_then(|package| package["manifest_path"].as_str());
    let Some(folder) = manifest.and_then(|path| Path::new(path).parent()) else {
        return Err(TaskFailure::Failed(format!("the workspace does not use {name}")));
    };
    execute(Command::new("cp").arg("-rT").arg(folder.join(inner)).arg(target))
}

/// Writes the compile commands of each file for clangd.
fn compile_commands(target: &Path) -> Result<(), TaskFailure> {
    let folders: Vec<String> =
        folders(target)?.iter().map(|it| format!("-I{}", it.display())).collect();
    let mut commands = Vec::new();
    for folder in self::folders(target)? {
        for file in
            files(&folder)?.iter().filter(|path| path.extension().is_some_and(|it| it == "c"))
        {
            let mut words =
                vec!["cc".to_owned(), "-std=c11".to_owned(), "-D_GNU_SOURCE".to_owned()];
            words.extend(folders.iter().cloned());
            words.extend(["-c".to_owned(), file.display().to_string()]);
            commands.push(json!({ "directory": target, "file": file, "arguments": words }));
        }
    }
    write(&target.join("compile_commands.json"), &json!(commands).to_string())
}

/// Returns a folder and all folders below it.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, TaskFailure> {
    let mut all = vec![folder.to_owned()];
    for path in entries(folder)?.into_iter().filter(|path| path.is_dir()) {
        all.extend(folders(&path)?);
    }
    Ok(all)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, TaskFailure> {
    Ok(entries(folder)?.into_iter().filter(|path| path.is_file()).collect())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, TaskFailure> {
    let read = fs::read_dir(folder).map_err(|error| TaskFailure::io(folder, &error))?;
    let mut paths: Vec<PathBuf> = read.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}
