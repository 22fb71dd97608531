//! Public projects in fixed versions, from package registries.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{execute, fresh, output, write};
use crate::failure::Failure;
use crate::workspace;

/// A project to measure with.
pub(super) struct Source {
    pub(super) name: &'static str,
    from: From,
    /// The name that ctags uses.
    pub(super) language: &'static str,
    /// The endings of its files.
    pub(super) endings: &'static [&'static str],
    pub(super) kinds: Kinds,
    pub(super) server: Option<Server>,
}

/// The registry of a project.
enum From {
    /// The Python package index.
    Pip(&'static str),
    /// A package of Debian, and the folder in it.
    Debian(&'static str, &'static str),
    /// A crate that the workspace uses, and the folder in it.
    Crate(&'static str, &'static str),
}

/// The kinds of definitions that both tools know.
pub(super) struct Kinds {
    pub(super) ours: &'static [&'static str],
    pub(super) tags: &'static [&'static str],
}

/// A language server.
pub(super) struct Server {
    pub(super) program: &'static str,
    pub(super) args: &'static [&'static str],
    /// Its name for the language.
    pub(super) language: &'static str,
    /// The title of the progress report to wait for.
    pub(super) waits_for: Option<&'static str>,
}

const PYTHON: Kinds =
    Kinds { ours: &["class", "function", "method"], tags: &["class", "function", "member"] };
const GO: Kinds = Kinds {
    ours: &["function", "method", "struct", "interface", "alias", "constant", "variable"],
    tags: &["func", "struct", "interface", "methodSpec", "type", "const", "var"],
};
const C: Kinds = Kinds {
    ours: &["function", "struct", "union", "enum", "variant", "alias", "macro"],
    tags: &["function", "prototype", "struct", "union", "enum", "enumerator", "typedef", "macro"],
};
const RUST: Kinds = Kinds {
    ours: &["function", "method", "struct", "enum", "variant", "interface", "macro"],
    tags: &["function", "method", "struct", "enum", "enumerator", "interface", "macro"],
};
const RUBY: Kinds = Kinds {
    ours: &["class", "module", "method", "function"],
    tags: &["class", "module", "method", "singletonMethod", "alias"],
};
const PHP: Kinds = Kinds {
    ours: &["class", "interface", "function", "method"],
    tags: &["class", "interface", "trait", "function"],
};

const PYRIGHT: Server = Server {
    program: "pyright-langserver",
    args: &["--stdio"],
    language: "python",
    waits_for: None,
};
const GOPLS: Server = Server { program: "gopls", args: &[], language: "go", waits_for: None };
const CLANGD: Server = Server {
    program: "clangd",
    args: &["--background-index", "--log=error"],
    language: "c",
    waits_for: Some("backgroundIndexProgress"),
};

/// All projects.
pub(super) const ALL: &[Source] = &[
    Source {
        name: "flask",
        from: From::Pip("flask==3.1.2"),
        language: "Python",
        endings: &[".py"],
        kinds: PYTHON,
        server: Some(PYRIGHT),
    },
    Source {
        name: "requests",
        from: From::Pip("requests==2.32.5"),
        language: "Python",
        endings: &[".py"],
        kinds: PYTHON,
        server: Some(PYRIGHT),
    },
    Source {
        name: "mux",
        from: From::Debian(
            "golang-github-gorilla-mux-dev",
            "usr/share/gocode/src/github.com/gorilla/mux",
        ),
        language: "Go",
        endings: &[".go"],
        kinds: GO,
        server: Some(GOPLS),
    },
    Source {
        name: "toml",
        from: From::Debian(
            "golang-github-burntsushi-toml-dev",
            "usr/share/gocode/src/github.com/BurntSushi/toml",
        ),
        language: "Go",
        endings: &[".go"],
        kinds: GO,
        server: Some(GOPLS),
    },
    Source {
        name: "tree-sitter",
        from: From::Crate("tree-sitter", ""),
        language: "C",
        endings: &[".c", ".h"],
        kinds: C,
        server: Some(CLANGD),
    },
    Source {
        name: "memchr",
        from: From::Crate("memchr", "src"),
        language: "Rust",
        endings: &[".rs"],
        kinds: RUST,
        server: None,
    },
    Source {
        name: "rack",
        from: From::Debian("ruby-rack", "usr/share/rubygems-integration/all/gems"),
        language: "Ruby",
        endings: &[".rb"],
        kinds: RUBY,
        server: None,
    },
    Source {
        name: "twig",
        from: From::Debian("php-twig", "usr/share/php/Twig"),
        language: "PHP",
        endings: &[".php"],
        kinds: PHP,
        server: None,
    },
];

impl Source {
    /// Downloads the project unless it is there, and returns its path.
    pub(super) fn fetch(&self, folder: &Path) -> Result<PathBuf, Failure> {
        let target = folder.join(self.name);
        let stamp = folder.join(format!("{}.stamp", self.name));
        if stamp.exists() {
            return fs::canonicalize(&target).map_err(|error| Failure::io(&target, &error));
        }
        let target = fresh(&target)?;
        match self.from {
            From::Pip(package) => pip(package, &target)?,
            From::Debian(package, inner) => debian(package, inner, &target)?,
            From::Crate(name, inner) => crate_of(name, inner, &target)?,
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

fn pip(package: &str, target: &Path) -> Result<(), Failure> {
    let python = || Command::new("python3");
    let download = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"];
    execute(python().args(download).arg(package).arg("--dest").arg(target))?;
    for wheel in files(target)?.iter().filter(|path| path.extension().is_some_and(|it| it == "whl"))
    {
        execute(python().args(["-m", "zipfile", "-e"]).arg(wheel).arg(target))?;
        fs::remove_file(wheel).map_err(|error| Failure::io(wheel, &error))?;
    }
    Ok(())
}

fn debian(package: &str, inner: &str, target: &Path) -> Result<(), Failure> {
    let whole = fresh(&target.join("package"))?;
    execute(Command::new("apt-get").args(["download", "-qq", package]).current_dir(&whole))?;
    for file in files(&whole)? {
        execute(Command::new("dpkg-deb").arg("-x").arg(file).arg(&whole))?;
    }
    let inner = whole.join(inner);
    execute(Command::new("cp").arg("-rT").arg(inner).arg(target))?;
    fs::remove_dir_all(&whole).map_err(|error| Failure::io(&whole, &error))
}

fn crate_of(name: &str, inner: &str, target: &Path) -> Result<(), Failure> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["metadata", "--format-version=1"]).current_dir(workspace::root());
    let facts: Value = serde_json::from_slice(&output(&mut cargo)?).unwrap_or_default();
    let packages = facts["packages"].as_array().into_iter().flatten();
    let found = packages.into_iter().find(|package| package["name"] == name);
    let manifest = found.and_then(|package| package["manifest_path"].as_str());
    let Some(folder) = manifest.and_then(|path| Path::new(path).parent()) else {
        return Err(Failure::Failed(format!("the workspace does not use {name}")));
    };
    execute(Command::new("cp").arg("-rT").arg(folder.join(inner)).arg(target))
}

/// Writes the compile commands of each file for clangd.
fn compile_commands(target: &Path) -> Result<(), Failure> {
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
fn folders(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut all = vec![folder.to_owned()];
    for path in entries(folder)?.into_iter().filter(|path| path.is_dir()) {
        all.extend(folders(&path)?);
    }
    Ok(all)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    Ok(entries(folder)?.into_iter().filter(|path| path.is_file()).collect())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let read = fs::read_dir(folder).map_err(|error| Failure::io(folder, &error))?;
    let mut paths: Vec<PathBuf> = read.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}
