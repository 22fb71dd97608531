//! Decides which changes of `.cargo/config.toml` make cargo check less.

/// Programs that stand between cargo and the compiler and only remember what
/// it said.
const CACHES: &[&str] = &["sccache", "ccache", "cachepot"];
/// Commands of cargo that are programs of their own, which an alias hides.
const HIDEABLE: &[&str] = &["clippy", "nextest", "deny", "audit", "hack", "llvm-cov", "miri"];

/// True if a file is the configuration of cargo.
pub(super) fn is_cargo_config(file: &str) -> bool {
    [".cargo/config.toml", ".cargo/config"]
        .iter()
        .any(|name| file == *name || file.strip_suffix(name).is_some_and(|dir| dir.ends_with('/')))
}

/// True if a setting has to do with checks at all.
pub(super) fn is_relevant(path: &str) -> bool {
    kind(path).is_some()
}

/// True if changed values make the compiler report less, or let another program run the tests.
pub(super) fn weakens(path: &str, old: &[String], new: &[String]) -> bool {
    match kind(path) {
        Some(CargoSettingKind::Flags) => lints_less(old, new),
        Some(CargoSettingKind::Program) => {
            old != new && new.first().is_some_and(|program| !is_cache(program))
        }
        Some(CargoSettingKind::Alias) => {
            let name = path.rsplit('.').next().unwrap_or(path);
            HIDEABLE.contains(&name) && !new.is_empty() && old != new
        }
        None => false,
    }
}

/// The kind of value a setting holds.
enum CargoSettingKind {
    /// Arguments of the compiler.
    Flags,
    /// A program that cargo starts instead of its own, or around it.
    Program,
    Alias,
}

fn kind(path: &str) -> Option<CargoSettingKind> {
    if path.starts_with("alias.") {
        return Some(CargoSettingKind::Alias);
    }
    match path.rsplit('.').next().unwrap_or(path) {
        "rustflags" | "rustdocflags" => Some(CargoSettingKind::Flags),
        "runner" | "rustc" | "rustc-wrapper" | "rustc-workspace-wrapper" | "rustdoc" => {
            Some(CargoSettingKind::Program)
        }
        _ => None,
    }
}

fn is_cache(program: &str) -> bool {
    CACHES.contains(&program.rsplit('/').next().unwrap_or(program))
}

/// True if a lint is allowed that was not, or one is no longer asked for.
fn lints_less(old: &[String], new: &[String]) -> bool {
    let (before, now) = (levels(old), levels(new));
    now.iter().any(|level| level.wish == LintDirective::Silence && !before.contains(level))
        || before.iter().any(|level| level.wish == LintDirective::Report && !now.contains(level))
}

/// A level that arguments set for a lint, or for all of them.
#[derive(PartialEq, Eq)]
struct LintLevel<'a> {
    wish: LintDirective,
    lint: &'a str,
}

/// The wish about a lint.
#[derive(PartialEq, Eq)]
enum LintDirective {
    Silence,
    Report,
}

/// The levels that arguments set. `-A x`, `-Ax`, `--allow x` and `--allow=x`
/// are the same.
fn levels(values: &[String]) -> Vec<LintLevel<'_>> {
    let mut words = values.iter().flat_map(|value| value.split_whitespace());
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        let (flag, value) = match word.strip_prefix("--") {
            Some(long) => long.split_once('=').unwrap_or((long, "")),
            None => match word.strip_prefix('-').filter(|rest| rest.is_char_boundary(1)) {
                Some(short) if !short.is_empty() => short.split_at(1),
                Some(_) | None => continue,
            },
        };
        let wish = match flag {
            "A" | "allow" | "cap-lints" => LintDirective::Silence,
            "W" | "warn" | "D" | "deny" | "F" | "forbid" => LintDirective::Report,
            _ => continue,
        };
        let lint = if value.is_empty() { words.next().unwrap_or_default() } else { value };
        found.push(LintLevel { wish, lint });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(old: &str, new: &str) -> bool {
        let values = |text: &str| text.split('|').map(str::to_owned).collect::<Vec<_>>();
        weakens("build.rustflags", &values(old), &values(new))
    }

    #[test]
    fn flags_that_allow_more_or_ask_for_less_are_weaker() {
        for (old, new) in [
            ("", "-A|warnings"),
            ("", "-Aunused"),
            ("", "--allow=unused"),
            ("", "-C opt-level=1 --cap-lints allow"),
            ("-Dwarnings", ""),
            ("-D|warnings|-F|unsafe_code", "-D|warnings"),
        ] {
            assert!(flags(old, new), "{old} → {new}");
        }
        for (old, new) in [
            ("", "-Clink-arg=-fuse-ld=lld"),
            ("-Dwarnings", "-D|warnings"),
            ("-Aunused", ""),
            ("", "-"),
            ("", "-é"),
            ("--cap-lints=warn", "-W unused --cap-lints warn"),
        ] {
            assert!(!flags(old, new), "{old} → {new}");
        }
    }

    #[test]
    fn a_file_is_known_by_its_folder() {
        assert!(is_cargo_config(".cargo/config.toml"));
        assert!(is_cargo_config("crates/a/.cargo/config"));
        assert!(!is_cargo_config("config.toml"));
        assert!(!is_cargo_config("x.cargo/config.toml"));
    }
}
