//! Rust files that only tests are compiled with: every declaration of their
//! module, or of one around it, says `#[cfg(test)]`.

/// Modules that lie deeper are taken for code.
const MOST_LEVELS: usize = 6;

/// True if a file belongs to tests alone. `text_of` gives the text of a path.
pub(super) fn is_for_tests(path: &str, text_of: &dyn Fn(&str) -> Option<String>) -> bool {
    let mut path = path.to_owned();
    for _ in 0..MOST_LEVELS {
        let Some((folder, name)) = module_of(&path) else { return false };
        let mut parents = ["lib.rs", "main.rs", "mod.rs"].map(|file| join(folder, file)).to_vec();
        parents.push(format!("{folder}.rs"));
        let look =
            |parent: String| Some((is_declared_for_tests(&text_of(&parent)?, name)?, parent));
        let declared: Vec<(bool, String)> = parents.into_iter().filter_map(look).collect();
        let Some((_, parent)) = declared.iter().find(|(for_tests, _)| !for_tests) else {
            return !declared.is_empty();
        };
        path.clone_from(parent);
    }
    false
}

/// The folder in which a file's module is declared, and its name.
fn module_of(path: &str) -> Option<(&str, &str)> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name.strip_suffix(".rs")? {
        "lib" | "main" => None,
        "mod" => Some(folder.rsplit_once('/').unwrap_or(("", folder))),
        name => Some((folder, name)),
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// True if a module is declared for tests alone; `None` if it is not declared.
fn is_declared_for_tests(text: &str, module: &str) -> Option<bool> {
    let declaration = format!("mod {module};");
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let at = lines.iter().position(|line| {
        line.strip_suffix(&declaration)
            .is_some_and(|head| head.is_empty() || head.ends_with([' ', ']']))
    })?;
    let is_attribute = |line: &&&str| line.starts_with("#[") || line.starts_with("//");
    let mut attributes = lines[..at].iter().rev().take_while(is_attribute).chain([&lines[at]]);
    Some(attributes.any(|line| line.contains("cfg(test)") || line.contains("cfg(all(test")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_only_test_modules_declare_is_for_tests() {
        let texts = [
            ("src/lib.rs", "mod a;\n#[cfg(test)]\npub(crate) mod helper;\n#[cfg(test)] mod one;\n"),
            ("src/a.rs", "mod b;\n#[cfg(all(test, unix))]\n// Servers.\nmod servers;\n"),
            ("src/helper/mod.rs", "pub mod deep;\n"),
            ("src/main.rs", "mod one;\n"),
        ];
        let text_of = |path: &str| {
            texts.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned())
        };
        for path in ["src/helper.rs", "src/helper/mod.rs", "src/helper/deep.rs", "src/a/servers.rs"]
        {
            assert!(is_for_tests(path, &text_of), "{path}");
        }
        for path in ["src/a.rs", "src/a/b.rs", "src/lib.rs", "src/one.rs", "src/stray.rs"] {
            assert!(!is_for_tests(path, &text_of), "{path}");
        }
    }
}
