//! Tells what a file is by who names it, where its path does not tell.

use std::cell::Cell;

use super::{FileClass, ProjectTexts, class, is_code_in_test_folder, words_to_runners};
use crate::config;
use crate::language::FileLanguage;
use crate::paths;

/// The kinds of files that name a file.
#[derive(Clone, Copy, Default)]
pub(super) struct NamingFileKinds {
    pub(super) tests: bool,
    pub(super) code: bool,
    pub(super) runner: bool,
}

/// The classes of these files.
///
/// Data belongs to tests if they name it and no code does. Code does if what
/// sets up a runner names it and neither tests nor other code load it, and in
/// a folder for tests unless other code does.
pub(super) fn told_by_names(files: &[&str], project: &dyn ProjectTexts) -> Vec<FileClass> {
    if files.is_empty() {
        return Vec::new();
    }
    let mut named = vec![NamingFileKinds::default(); files.len()];
    project.each_where(&config::sets_up_runners, &mut |path, text| {
        let settings = words_to_runners(path, text);
        for (own, named) in files.iter().zip(&mut named).filter(|(own, _)| **own != path) {
            named.runner |= configures(&settings, own);
        }
    });
    let is_asked =
        |own: &str, named: NamingFileKinds| FileLanguage::of(own).is_none() || named.runner;
    let has_question = files.iter().zip(&named).any(|(own, named)| is_asked(own, *named));
    let is_test = |path: &str| {
        has_question && class(path) == FileClass::Test && !config::sets_up_runners(path)
    };
    project.each_where(&is_test, &mut |path, text| {
        for (own, named) in files.iter().zip(&mut named).filter(|(own, _)| **own != path) {
            match FileLanguage::of(own) {
                None => named.tests |= names(text, own),
                // What tests load is what they test.
                Some(_) if named.runner && loads(path, text, own) => named.runner = false,
                Some(_) => {}
            }
        }
    });
    // The rest is a lot to read, and often it is not needed.
    let open = files.iter().zip(&named).filter(|(own, named)| serves(own, **named)).count();
    let open = Cell::new(open);
    let is_code = |path: &str| {
        open.get() > 0
            && matches!(class(path), FileClass::Code | FileClass::Inline)
            && !config::sets_up_runners(path)
    };
    project.each_where(&is_code, &mut |path, text| {
        for (own, named) in files.iter().zip(&mut named) {
            if *own != path && serves(own, *named) && mentions(path, text, own) {
                named.code = true;
                open.set(open.get() - 1);
            }
        }
    });
    let class = |(path, named): (&&str, &NamingFileKinds)| {
        if serves(path, *named) { FileClass::Test } else { FileClass::Code }
    };
    files.iter().zip(&named).map(class).collect()
}

/// True if a file serves tests, by those that name it.
fn serves(path: &str, named: NamingFileKinds) -> bool {
    match (FileLanguage::of(path), named) {
        (_, NamingFileKinds { code: true, .. }) => false,
        (None, NamingFileKinds { tests, runner, .. }) => tests || runner,
        // What is to be built is named in order to be built.
        (Some(language), NamingFileKinds { runner, .. }) => {
            (runner && !language.is_compiled()) || is_code_in_test_folder(path)
        }
    }
}

fn names(text: &str, path: &str) -> bool {
    text.contains(path.rsplit('/').next().unwrap_or(path))
}

/// True if the configuration of a runner names a file, with or without its extension.
fn configures(text: &str, path: &str) -> bool {
    let (_, stem) = paths::split(path);
    let ends = |end: &str| text.contains(&format!("/{stem}{end}"));
    names(text, path) || ends("\"") || ends("'") || text.contains(&format!("-p {stem}"))
}

/// True if code reads a file, or imports a module that may be one of tests.
fn mentions(from: &str, text: &str, path: &str) -> bool {
    if !is_code_in_test_folder(path) {
        return names(text, path) || loads(from, text, path);
    }
    let language = FileLanguage::of(path).filter(|language| *language != FileLanguage::Shell);
    language.is_some() && language == FileLanguage::of(from) && imports(text, path)
}

/// True if code names a module by its folder and its own name.
fn imports(text: &str, path: &str) -> bool {
    let (_, stem) = paths::split(path);
    let Some(folder) = path.rsplit('/').nth(1) else { return false };
    let module = |separator: char| text.contains(&format!("{folder}{separator}{stem}"));
    module('.') || module('/') || text.contains(&format!("{folder} import {stem}"))
}

/// True if a file loads a module of the project: by a path from its own folder, in quotes, or by
/// the name that Python has for it.
fn loads(from: &str, text: &str, path: &str) -> bool {
    let language = FileLanguage::of(path);
    if language.is_none() || language != FileLanguage::of(from) {
        return false;
    }
    let module = path.rsplit_once('.').map_or(path, |(module, _)| module);
    let package = ["/index", "/__init__"].iter().find_map(|end| module.strip_suffix(end));
    let package = package.or_else(|| (module == "index").then_some(""));
    let is_module = |found: &str| found == module || Some(found) == package || found == path;
    if language == Some(FileLanguage::Python) {
        let is_tail = |name: &str| {
            let name = name.trim_start_matches('.').replace('.', "/");
            let whole = |module: &str| module == name || module.ends_with(&format!("/{name}"));
            !name.is_empty() && (whole(module) || package.is_some_and(whole))
        };
        return text.lines().any(|line| {
            let words: Vec<&str> =
                line.split(|c: char| c.is_whitespace() || ",()".contains(c)).collect();
            match &words[..] {
                ["import", names @ ..] => names.iter().any(|name| is_tail(name)),
                ["from", base, "import", names @ ..] => {
                    is_tail(base) || names.iter().any(|name| is_tail(&format!("{base}.{name}")))
                }
                _ => false,
            }
        });
    }
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let quoted = text.split(['"', '\'', '`', '\n']).filter(|word| word.starts_with('.'));
    quoted.filter_map(|word| joined(folder, word)).any(|found| is_module(&found))
}

/// A path from a folder, without its steps upwards; `None` if it leaves the
/// project.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
