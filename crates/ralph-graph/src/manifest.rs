//! Files that tell how the modules of a project are found: names of packages,
//! and the folders of import prefixes.

use serde_json::Value;

use crate::encode::{FactDecoder, FactEncoder};
use crate::project::{folder_of, name_of};

/// The kind of a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ManifestKind {
    /// `Cargo.toml`
    Cargo,
    /// `go.mod`
    GoMod,
    /// `package.json`
    Package,
    /// `tsconfig.json` and similar files
    TsConfig,
    /// `composer.json`
    Composer,
}

/// The contents of a manifest, as pairs whose meaning depends on its kind.
///
/// | kind | first | second |
/// |---|---|---|
/// | Cargo | `name` or `path` | of the library |
/// | Go | `module` | its path |
/// | Package | `name`, `main`, `tsconfig`, or a pattern with `#` | as written, or a target |
/// | `TypeScript` | `base`, `extends`, `paths`, or `=` and a pattern | a folder, a file, nothing, or a target |
/// | Composer | a prefix | its folder |
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectManifest {
    pub(crate) kind: ManifestKind,
    pub(crate) pairs: Vec<(String, String)>,
    /// The first line that does not follow the grammar, if any.
    pub(crate) broken: Option<u32>,
}

const KINDS: [ManifestKind; 5] = [
    ManifestKind::Cargo,
    ManifestKind::GoMod,
    ManifestKind::Package,
    ManifestKind::TsConfig,
    ManifestKind::Composer,
];

/// Folders whose files are all configurations to be extended, whatever their
/// names.
const CONFIG_FOLDERS: [&str; 4] =
    ["tsconfig", "tsconfigs", "typescript-config", "config-typescript"];

impl ManifestKind {
    /// Returns the kind of a file with this path.
    pub(crate) fn of(path: &str) -> Option<Self> {
        match name_of(path) {
            "Cargo.toml" => Some(Self::Cargo),
            "go.mod" => Some(Self::GoMod),
            "package.json" => Some(Self::Package),
            "composer.json" => Some(Self::Composer),
            name => {
                let mut words = name.strip_suffix(".json")?.split(['.', '-', '_']);
                let is_named = words.any(|word| matches!(word, "tsconfig" | "jsconfig"));
                let is_in = || CONFIG_FOLDERS.contains(&name_of(folder_of(path)));
                (is_named || is_in()).then_some(Self::TsConfig)
            }
        }
    }
}

impl ProjectManifest {
    /// Reads a manifest. A malformed one has no pairs.
    pub(crate) fn read(kind: ManifestKind, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}');
        let pairs = match kind {
            ManifestKind::Cargo => cargo(text),
            ManifestKind::GoMod => Ok(go_mod(text)),
            ManifestKind::Package => package(text),
            ManifestKind::TsConfig => ts_config(text),
            ManifestKind::Composer => composer(text),
        };
        let broken = pairs.as_ref().err().copied();
        Self { kind, pairs: pairs.unwrap_or_default(), broken }
    }

    /// Returns the second part of the first pair with this first part.
    pub(crate) fn get(&self, first: &str) -> Option<&str> {
        self.pairs.iter().find(|(key, _)| key == first).map(|(_, value)| value.as_str())
    }

    pub(crate) fn encode(&self, sink: &mut FactEncoder) {
        sink.count(self.broken.map_or(0, |line| line.max(1) as usize));
        sink.byte(self.kind as u8);
        sink.count(self.pairs.len());
        for (first, second) in &self.pairs {
            sink.text(first);
            sink.text(second);
        }
    }

    pub(crate) fn decode(source: &mut FactDecoder<'_>) -> Option<Self> {
        let broken = Some(u32::try_from(source.count()?).ok()?).filter(|line| *line > 0);
        let kind = *KINDS.get(usize::from(source.byte()?))?;
        let mut pairs = Vec::new();
        for _ in 0..source.count()? {
            pairs.push((source.text()?.to_owned(), source.text()?.to_owned()));
        }
        source.is_empty().then_some(Self { kind, pairs, broken })
    }
}

/// The pairs, or the line that does not follow the grammar.
type ManifestPairs = Result<Vec<(String, String)>, u32>;

fn pair(first: &str, second: &str) -> (String, String) {
    (first.to_owned(), second.to_owned())
}

/// Returns the number of the last line of a text.
fn line_of(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX).saturating_add(1)
}

fn json(text: &str) -> Result<Value, u32> {
    serde_json::from_str(text).map_err(|error| u32::try_from(error.line()).unwrap_or(u32::MAX))
}

fn cargo(text: &str) -> ManifestPairs {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start);
        line_of(text.get(..at).unwrap_or(text))
    })?;
    let of = |section: &str, key: &str| table.get(section)?.get(key)?.as_str();
    let Some(name) = of("lib", "name").or_else(|| of("package", "name")) else {
        return Ok(Vec::new());
    };
    let mut pairs = vec![pair("name", &name.replace('-', "_"))];
    pairs.extend(of("lib", "path").map(|path| pair("path", path)));
    Ok(pairs)
}

fn go_mod(text: &str) -> Vec<(String, String)> {
    let named = text.lines().find_map(|line| {
        let path = line.trim().strip_prefix("module")?;
        path.starts_with(char::is_whitespace).then_some(path)
    });
    let path = |named: &str| {
        let path = named.split("//").next().unwrap_or(named).trim().trim_matches('"');
        pair("module", path)
    };
    named.into_iter().map(path).collect()
}

fn package(text: &str) -> ManifestPairs {
    let value = json(text)?;
    let keys = ["name", "tsconfig", "source", "types", "module", "main"];
    let pairs = keys.iter().filter_map(|key| {
        let key_name = if matches!(*key, "name" | "tsconfig") { *key } else { "main" };
        Some(pair(key_name, value.get(key)?.as_str()?))
    });
    let mut pairs: Vec<_> = pairs.collect();
    let own = value.get("imports").and_then(Value::as_object);
    for (pattern, target) in own.into_iter().flatten() {
        let target = target.as_str().or_else(|| {
            let ways = ["source", "import", "default", "node", "require"];
            ways.iter().find_map(|way| target.get(way)?.as_str())
        });
        pairs.extend(target.map(|target| pair(pattern, target)));
    }
    Ok(pairs)
}

fn ts_config(text: &str) -> ManifestPairs {
    let value = json(&plain_json(text))?;
    let options = value.get("compilerOptions");
    let mut pairs = Vec::new();
    let base = options.and_then(|options| options.get("baseUrl")).and_then(Value::as_str);
    pairs.extend(base.map(|base| pair("base", base)));
    let extends = value.get("extends");
    let one = extends.and_then(Value::as_str).into_iter();
    let many = extends.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    pairs.extend(one.chain(many).map(|extends| pair("extends", extends)));
    let paths = options.and_then(|options| options.get("paths")).and_then(Value::as_object);
    // Even without patterns they replace the inherited ones.
    pairs.extend(paths.map(|_| pair("paths", "")));
    for (pattern, targets) in paths.into_iter().flatten() {
        let targets = targets.as_array().into_iter().flatten().filter_map(Value::as_str);
        pairs.extend(targets.map(|target| pair(&format!("={pattern}"), target)));
    }
    Ok(pairs)
}

fn composer(text: &str) -> ManifestPairs {
    let value = json(text)?;
    let mut pairs = Vec::new();
    for section in ["autoload", "autoload-dev"] {
        let rules = value.get(section).and_then(|rules| rules.get("psr-4"));
        for (prefix, folders) in rules.and_then(Value::as_object).into_iter().flatten() {
            let one = folders.as_str().into_iter();
            let many = folders.as_array().into_iter().flatten().filter_map(Value::as_str);
            pairs.extend(one.chain(many).map(|folder| pair(prefix, folder)));
        }
    }
    Ok(pairs)
}

/// Removes comments and trailing commas from JSON.
fn plain_json(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut in_text = false;
    while let Some(char) = rest.next() {
        if in_text {
            plain.push(char);
            match char {
                '\\' => plain.extend(rest.next()),
                '"' => in_text = false,
                _ => {}
            }
            continue;
        }
        match (char, rest.peek()) {
            ('/', Some('/')) => while rest.next_if(|next| *next != '\n').is_some() {},
            ('/', Some('*')) => {
                let mut last = ' ';
                while let Some(next) = rest.next().filter(|next| last != '*' || *next != '/') {
                    last = next;
                }
            }
            ('}' | ']', _) => {
                let kept = plain.trim_end().trim_end_matches(',').len();
                plain.truncate(kept);
                plain.push(char);
            }
            _ => {
                in_text = char == '"';
                plain.push(char);
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, want: &[(&str, &str)]) {
        let manifest = ProjectManifest::read(ManifestKind::of(name).unwrap(), text.as_bytes());
        let pairs: Vec<_> =
            manifest.pairs.iter().map(|(first, second)| (&**first, &**second)).collect();
        assert_eq!(pairs, want);
        let mut sink = FactEncoder::default();
        manifest.encode(&mut sink);
        assert_eq!(ProjectManifest::decode(&mut FactDecoder::new(&sink.done())), Some(manifest));
    }

    #[test]
    fn names_of_packages_are_read() {
        check("Cargo.toml", "[package]\nname = \"my-lib\"", &[("name", "my_lib")]);
        check(
            "Cargo.toml",
            "[package]\nname = \"a\"\n[lib]\nname = \"b\"\npath = \"b.rs\"",
            &[("name", "b"), ("path", "b.rs")],
        );
        check("go.mod", "// x\nmodule example.com/a // y\ngo 1.22", &[("module", "example.com/a")]);
        check("go.mod", "module\texample.com/b\n", &[("module", "example.com/b")]);
        check(
            "package.json",
            r#"{"name":"@a/b","main":"x.js"}"#,
            &[("name", "@a/b"), ("main", "x.js")],
        );
    }

    #[test]
    fn prefixes_and_their_folders_are_read() {
        let text = "{ // paths\n\"compilerOptions\": {\"baseUrl\": \".\", /* a */ \"paths\": {\"@/*\": [\"src/*\",],},},}";
        check("tsconfig.json", text, &[("base", "."), ("paths", ""), ("=@/*", "src/*")]);
        check("composer.json", r#"{"autoload":{"psr-4":{"App\\":"src/"}}}"#, &[("App\\", "src/")]);
    }

    #[test]
    fn what_a_configuration_extends_is_read_in_order() {
        check("tsconfig.json", r#"{"extends":"./a"}"#, &[("extends", "./a")]);
        let several = r#"{"extends":["./a","@b/c"],"compilerOptions":{"paths":{}}}"#;
        check(
            "a/tsconfig.x.json",
            several,
            &[("extends", "./a"), ("extends", "@b/c"), ("paths", "")],
        );
    }

    #[test]
    fn a_configuration_to_be_extended_is_known_by_its_name_or_its_folder() {
        for path in ["tsconfig-base.json", "base.tsconfig.json", "packages/tsconfig/react.json"] {
            assert_eq!(ManifestKind::of(path), Some(ManifestKind::TsConfig), "{path}");
        }
        assert_eq!(ManifestKind::of("packages/tsconfig/package.json"), Some(ManifestKind::Package));
        assert_eq!(ManifestKind::of("data/base.json"), None);
    }

    #[test]
    fn a_manifest_that_makes_no_sense_says_nothing() {
        for name in ["Cargo.toml", "go.mod", "package.json", "tsconfig.base.json", "composer.json"]
        {
            check(name, "\u{0}{{{", &[]);
            let manifest = ProjectManifest::read(ManifestKind::of(name).unwrap(), b"\n\0{{{");
            assert_eq!(manifest.broken.is_some(), name != "go.mod", "{name}");
        }
        check("tsconfig.json", "\u{feff}{\"extends\":\"./a\"}", &[("extends", "./a")]);
        check("Cargo.toml", "[workspace]\nmembers = []", &[]);
        assert_eq!(ManifestKind::of("package-lock.json"), None);
    }
}
