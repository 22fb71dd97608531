//! Module settings of TypeScript and JavaScript configurations, including
//! inherited ones.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use crate::manifest::{ManifestKind, ProjectManifest};
use crate::project::{CodeProject, folder_of, name_of, relative};

/// Placeholder in an inherited path for the folder of the configuration in use.
const OWN_FOLDER: &str = "${configDir}";

/// The configurations of a project.
#[derive(Debug, Default)]
pub(crate) struct TsConfigMap {
    by_folder: HashMap<String, InFolder>,
}

/// The configurations of one folder.
#[derive(Debug, Default)]
struct InFolder {
    configs: Vec<TsConfig>,
    /// True if tools find one by its name, so that none further up counts.
    is_last: bool,
}

/// The module settings of one configuration. Paths are relative to the root.
#[derive(Debug)]
pub(crate) struct TsConfig {
    base: Option<String>,
    /// Patterns and targets, the most specific pattern first.
    patterns: Vec<(String, String)>,
}

/// Settings as written, each with the folder of its file.
#[derive(Debug, Default, Clone, Copy)]
struct TsConfigSettings<'a> {
    base: Option<(&'a str, &'a str)>,
    paths: Option<(&'a str, &'a ProjectManifest)>,
}

/// The settings found so far, by path.
type TsConfigByPath<'a> = HashMap<&'a str, TsConfigSettings<'a>>;

impl TsConfigMap {
    /// Collects the settings of every configuration, including inherited ones.
    pub(crate) fn of(project: &CodeProject) -> Self {
        let chain = ExtendableConfigs {
            configs: project.manifest_files(ManifestKind::TsConfig).collect(),
            packages: project.manifests(ManifestKind::Package).collect(),
        };
        let mut by_folder: HashMap<String, InFolder> = HashMap::new();
        let mut known = TsConfigByPath::new();
        for path in chain.configs.keys() {
            let folder = folder_of(path);
            let config = chain.written(path, &mut known).settled(folder);
            let found = by_folder.entry(folder.to_owned()).or_default();
            if matches!(name_of(path), "tsconfig.json" | "jsconfig.json") {
                found.is_last = true;
                found.configs.insert(0, config);
            } else {
                found.configs.push(config);
            }
        }
        Self { by_folder }
    }

    /// Returns the configurations that apply to the files of a folder, the
    /// likeliest first.
    pub(crate) fn of_folder(&self, folder: &str) -> impl Iterator<Item = &TsConfig> {
        let mut found = Vec::new();
        let mut at = Some(folder);
        while let Some(folder) = at {
            let here = self.by_folder.get(folder);
            found.extend(here.into_iter().flat_map(|here| &here.configs));
            let is_end = folder.is_empty() || here.is_some_and(|here| here.is_last);
            at = (!is_end).then(|| folder_of(folder));
        }
        found.into_iter()
    }
}

impl TsConfig {
    /// Returns the paths that a module may have, without extensions.
    pub(crate) fn places(&self, module: &str) -> impl Iterator<Item = String> {
        let matching = self.patterns.iter().filter_map(move |(pattern, target)| {
            relative("", &target.replacen('*', matched(pattern, module)?, 1))
        });
        matching.chain(self.base.as_deref().and_then(|base| relative(base, module)))
    }
}

/// A step of collecting inherited settings.
enum InheritanceStep<'a> {
    /// Collects the configurations that this one extends.
    Begin(&'a str),
    /// Merges their settings with its own.
    End(&'a str, Vec<&'a str>),
}

/// The files that configurations can extend.
struct ExtendableConfigs<'a> {
    /// Configurations by their paths.
    configs: BTreeMap<&'a str, &'a ProjectManifest>,
    /// Packages with their folders.
    packages: Vec<(&'a str, &'a ProjectManifest)>,
}

impl<'a> ExtendableConfigs<'a> {
    /// Returns the settings of a configuration, including inherited ones. It
    /// does not recurse, because a chain may be longer than the stack is deep.
    fn written(&self, path: &'a str, known: &mut TsConfigByPath<'a>) -> TsConfigSettings<'a> {
        let mut steps = vec![InheritanceStep::Begin(path)];
        while let Some(step) = steps.pop() {
            match step {
                InheritanceStep::Begin(path) if known.contains_key(path) => {}
                InheritanceStep::Begin(path) => {
                    let above = self.above(path);
                    // A configuration that extends itself inherits nothing by
                    // that.
                    known.insert(path, TsConfigSettings::default());
                    let first: Vec<InheritanceStep<'a>> =
                        above.iter().rev().copied().map(InheritanceStep::Begin).collect();
                    steps.push(InheritanceStep::End(path, above));
                    steps.extend(first);
                }
                InheritanceStep::End(path, above) => {
                    let inherited = above.iter().filter_map(|above| known.get(above).copied());
                    let inherited =
                        inherited.fold(TsConfigSettings::default(), TsConfigSettings::overruled_by);
                    known.insert(path, inherited.overruled_by(self.own(path)));
                }
            }
        }
        known.get(path).copied().unwrap_or_default()
    }

    /// Returns the configurations that one extends, in their order.
    fn above(&self, path: &str) -> Vec<&'a str> {
        let Some(manifest) = self.configs.get(path) else { return Vec::new() };
        let named = manifest.pairs.iter().filter(|(key, _)| key == "extends");
        named.filter_map(|(_, name)| self.extended(folder_of(path), name)).collect()
    }

    /// Returns the own settings of a configuration.
    fn own(&self, path: &'a str) -> TsConfigSettings<'a> {
        let Some(manifest) = self.configs.get(path) else { return TsConfigSettings::default() };
        let folder = folder_of(path);
        TsConfigSettings {
            base: manifest.get("base").map(|base| (folder, base)),
            paths: manifest.get("paths").map(|_| (folder, *manifest)),
        }
    }

    /// Returns the path of a configuration that is named in a folder.
    fn extended(&self, folder: &str, name: &str) -> Option<&'a str> {
        let places = if name.starts_with('.') {
            vec![relative(folder, name)?]
        } else {
            self.in_package(name)?
        };
        let endings = ["", ".json", "/tsconfig.json"];
        let mut paths =
            places.iter().flat_map(|place| endings.iter().map(move |end| format!("{place}{end}")));
        paths.find_map(|path| Some(*self.configs.get_key_value(path.as_str())?.0))
    }

    /// Returns the possible paths of a name in a package of the project.
    fn in_package(&self, name: &str) -> Option<Vec<String>> {
        self.packages.iter().find_map(|(folder, package)| {
            let rest = name.strip_prefix(package.get("name")?)?;
            match rest.strip_prefix('/') {
                Some(inside) => Some(vec![relative(folder, inside)?]),
                None if rest.is_empty() => {
                    let main = package.get("tsconfig").unwrap_or("tsconfig.json");
                    Some(vec![relative(folder, main)?])
                }
                None => None,
            }
        })
    }
}

impl TsConfigSettings<'_> {
    /// Merges settings; later ones replace earlier ones as a whole.
    fn overruled_by(self, later: Self) -> Self {
        Self { base: later.base.or(self.base), paths: later.paths.or(self.paths) }
    }

    /// Resolves the settings for a configuration in this folder.
    fn settled(self, own: &str) -> TsConfig {
        let place = |folder: &str, path: &str| match path.strip_prefix(OWN_FOLDER) {
            Some(rest) => relative(own, rest),
            None => relative(folder, path),
        };
        let base = self.base.and_then(|(folder, path)| place(folder, path));
        let mut patterns = Vec::new();
        if let Some((folder, manifest)) = self.paths {
            let folder = base.as_deref().unwrap_or(folder);
            patterns.extend(manifest.pairs.iter().filter_map(|(key, target)| {
                Some((key.strip_prefix('=')?.to_owned(), place(folder, target)?))
            }));
        }
        patterns.sort_by_key(|(pattern, _)| Reverse(exactness(pattern)));
        TsConfig { base, patterns }
    }
}

/// Returns the rank of a pattern: one without a star is the most specific, else
/// the one with the longest prefix.
fn exactness(pattern: &str) -> usize {
    pattern.find('*').unwrap_or(usize::MAX)
}

/// Returns the part of a text that the star of a pattern matches.
pub(crate) fn matched<'a>(pattern: &str, text: &'a str) -> Option<&'a str> {
    match pattern.split_once('*') {
        Some((before, after)) => text.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == text).then_some(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the paths where a module named in a file of a folder is searched.
    #[track_caller]
    fn check(files: &[(&str, &str)], folder: &str, module: &str, want: &[&str]) {
        let manifests = files.iter().map(|(path, text)| {
            let kind = ManifestKind::of(path).unwrap();
            ((*path).to_owned(), ProjectManifest::read(kind, text.as_bytes()))
        });
        let project = CodeProject::new(Vec::new(), manifests.collect());
        let configs = project.script_configs().of_folder(folder);
        let places: Vec<String> = configs.flat_map(|config| config.places(module)).collect();
        assert_eq!(places, want);
    }

    const PATHS: &str = r#"{"compilerOptions":{"paths":{"@/*":["./src/*"]}}}"#;

    #[test]
    fn patterns_are_inherited_and_stay_where_they_were_written() {
        let own = r#"{"extends":"../../config/tsconfig.base"}"#;
        let files = [("config/tsconfig.base.json", PATHS), ("packages/a/tsconfig.json", own)];
        check(&files, "packages/a/src", "@/x", &["config/src/x"]);
    }

    #[test]
    fn a_base_moves_the_patterns_that_are_inherited() {
        let own = r#"{"extends":"../tsconfig.json","compilerOptions":{"baseUrl":"lib"}}"#;
        let files = [("tsconfig.json", PATHS), ("a/tsconfig.json", own)];
        check(&files, "a", "@/x", &["a/lib/src/x", "a/lib/@/x"]);
        let base = r#"{"compilerOptions":{"baseUrl":"all"}}"#;
        let own = r#"{"extends":"../tsconfig.json","compilerOptions":{"paths":{"~/*":["b/*"]}}}"#;
        check(
            &[("tsconfig.json", base), ("a/tsconfig.json", own)],
            "a",
            "~/x",
            &["all/b/x", "all/~/x"],
        );
    }

    #[test]
    fn own_patterns_replace_all_that_are_inherited() {
        let own = r#"{"extends":"../tsconfig.json","compilerOptions":{"paths":{"~/*":["./x/*"]}}}"#;
        let files = [("tsconfig.json", PATHS), ("a/tsconfig.json", own)];
        check(&files, "a", "@/x", &[]);
        check(&files, "a", "~/x", &["a/x/x"]);
        let none = r#"{"extends":"../tsconfig.json","compilerOptions":{"paths":{}}}"#;
        check(&[("tsconfig.json", PATHS), ("a/tsconfig.json", none)], "a", "@/x", &[]);
    }

    #[test]
    fn of_several_that_are_extended_the_last_counts() {
        let files = [
            ("tsconfig.a.json", r#"{"compilerOptions":{"paths":{"@/*":["./a/*"]}}}"#),
            ("tsconfig.b.json", r#"{"compilerOptions":{"paths":{"@/*":["./b/*"]}}}"#),
            ("tsconfig.c.json", r#"{"compilerOptions":{"strict":true}}"#),
            (
                "app/tsconfig.json",
                r#"{"extends":["../tsconfig.a.json","../tsconfig.b","../tsconfig.c"]}"#,
            ),
        ];
        check(&files, "app/x", "@/x", &["b/x"]);
    }

    #[test]
    fn a_package_of_the_project_can_be_extended() {
        let package = ("packages/typescript-config/package.json", r#"{"name":"@org/ts"}"#);
        let react = (
            "packages/typescript-config/react.json",
            r#"{"extends":"./base.json","compilerOptions":{"jsx":"preserve"}}"#,
        );
        let base = (
            "packages/typescript-config/base.json",
            r#"{"compilerOptions":{"paths":{"@/*":["${configDir}/src/*"]}}}"#,
        );
        let app = ("apps/web/tsconfig.json", r#"{"extends":"@org/ts/react.json"}"#);
        check(&[package, react, base, app], "apps/web/src", "@/x", &["apps/web/src/x"]);
        let main = (
            "packages/typescript-config/package.json",
            r#"{"name":"@org/ts","tsconfig":"base.json"}"#,
        );
        let app = ("apps/web/tsconfig.json", r#"{"extends":"@org/ts"}"#);
        check(&[main, base, app], "apps/web", "@/x", &["apps/web/src/x"]);
    }

    #[test]
    fn only_the_nearest_configuration_counts() {
        let files = [("tsconfig.json", PATHS), ("a/tsconfig.json", "{}")];
        check(&files, "a/b", "@/x", &[]);
        check(&files, "b", "@/x", &["src/x"]);
        // A side file does not end the search, and does not come first.
        let side = r#"{"compilerOptions":{"paths":{"@/*":["./side/*"]}}}"#;
        let files =
            [("tsconfig.json", PATHS), ("tsconfig.app.json", side), ("a/tsconfig.x.json", "{}")];
        check(&files, "a", "@/x", &["src/x", "side/x"]);
    }

    #[test]
    fn the_most_exact_pattern_comes_first() {
        let text = r#"{"compilerOptions":{"paths":{"*":["./any/*"],"@/*":["./a/*"],"@/deep/*":["./d/*"],"@/deep/x":["./x"]}}}"#;
        let want = ["x", "d/x", "a/deep/x", "any/@/deep/x"];
        check(&[("tsconfig.json", text)], "", "@/deep/x", &want);
    }

    #[test]
    fn what_extends_itself_or_nothing_comes_to_an_end() {
        let round = [
            ("tsconfig.json", r#"{"extends":["./tsconfig.b.json","./tsconfig.b.json","./gone"]}"#),
            ("tsconfig.b.json", r#"{"extends":["./tsconfig.json","nowhere/x"]}"#),
        ];
        check(&round, "", "@/x", &[]);
    }
    #[test]
    fn a_chain_of_ten_thousand_configurations_does_no_harm() {
        // Each extends the next one, so the first is the end of the chain.
        let config = |number: usize| match number {
            10_000 => (format!("c{number:05}.json"), PATHS.to_owned()),
            0 => ("a/tsconfig.json".to_owned(), r#"{"extends":"../c00001.json"}"#.to_owned()),
            _ => {
                let text = format!(r#"{{"extends":"./c{:05}.json"}}"#, number + 1);
                (format!("c{number:05}.json"), text)
            }
        };
        let manifests: Vec<(String, String)> = (0..=10_000).map(config).collect();
        let read = |(path, text): (String, String)| {
            (path, ProjectManifest::read(ManifestKind::TsConfig, text.as_bytes()))
        };
        let project = CodeProject::new(Vec::new(), manifests.into_iter().map(read).collect());
        // The smallest stack that any thread gets.
        let places = std::thread::Builder::new().stack_size(128 * 1024).spawn(move || {
            let configs = project.script_configs().of_folder("a");
            configs.flat_map(|config| config.places("@/x")).collect::<Vec<String>>()
        });
        assert_eq!(places.unwrap().join().unwrap(), ["src/x"]);
    }
}
