//! The packages that a task works on: all of them, some by name, or those that a change reaches.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::cargo::Cargo;
use crate::failure::TaskFailure;

/// The package that tests with real tools and agents use.
const TESTKIT: &str = "ralph-testkit";

/// Branches that a change is compared with, the first that exists.
const BASES: [&str; 2] = ["origin/main", "main"];

/// Files outside every package, with the packages whose tests read them. Other such
/// files concern all packages.
const READERS: &[(&str, &[&str])] = &[
    ("docs/", &["ralph-loop"]),
    ("plugins/", &["ralph-loop"]),
    ("README.md", &["ralph-loop"]),
    ("ARCHITECTURE.md", &[]),
    ("CHANGELOG.md", &[]),
    ("CONTRIBUTING.md", &[]),
    (".ci/", &[]),
];

/// Packages of the workspace.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TestScope {
    /// Every one.
    Workspace,
    /// These.
    Packages(Vec<String>),
}

impl TestScope {
    /// Returns the arguments that select the packages for cargo.
    pub(crate) fn arguments(&self) -> Vec<&str> {
        match self {
            Self::Workspace => vec!["--workspace"],
            Self::Packages(names) => {
                names.iter().flat_map(|name| ["--package", name.as_str()]).collect()
            }
        }
    }

    /// Returns true if a test of these packages uses real tools.
    pub(crate) fn needs_tools(&self, packages: &[WorkspacePackage]) -> bool {
        match self {
            Self::Workspace => true,
            Self::Packages(names) => packages.iter().any(|package| {
                names.contains(&package.name)
                    && (package.name == TESTKIT || package.uses.iter().any(|used| used == TESTKIT))
            }),
        }
    }
}

/// One package of the workspace.
#[derive(Debug)]
pub(crate) struct WorkspacePackage {
    pub(crate) name: String,
    /// Its folder from the workspace root, with a final `/`.
    folder: String,
    /// Packages of the workspace that it or its tests use.
    uses: Vec<String>,
}

/// Asks cargo for the packages of the workspace.
pub(crate) fn packages(root: &Path) -> Result<Vec<WorkspacePackage>, TaskFailure> {
    let args = ["metadata", "--no-deps", "--format-version", "1", "--offline"];
    let printed = Cargo::new(root, &args).stdout()?;
    serde_json::from_str(&printed)
        .ok()
        .and_then(|metadata| parse_packages(&metadata))
        .ok_or_else(|| TaskFailure::Failed("cargo metadata: unexpected output".to_owned()))
}

fn parse_packages(metadata: &Value) -> Option<Vec<WorkspacePackage>> {
    let root = Path::new(metadata["workspace_root"].as_str()?);
    let listed = metadata["packages"].as_array()?.iter().map(|package| {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        let folder = manifest.parent()?.strip_prefix(root).ok()?.to_str()?;
        let uses = package["dependencies"].as_array()?.iter();
        Some(WorkspacePackage {
            name: package["name"].as_str()?.to_owned(),
            folder: format!("{folder}/"),
            uses: uses.filter_map(|used| Some(used["name"].as_str()?.to_owned())).collect(),
        })
    });
    listed.collect()
}

/// Checks that packages of these names exist.
pub(crate) fn named(
    names: Vec<String>,
    packages: &[WorkspacePackage],
) -> Result<TestScope, TaskFailure> {
    match names.iter().find(|name| packages.iter().all(|package| package.name != **name)) {
        None => Ok(TestScope::Packages(names)),
        Some(unknown) => {
            let known: Vec<&str> = packages.iter().map(|package| package.name.as_str()).collect();
            let known = known.join(", ");
            Err(TaskFailure::Usage(format!("no package `{unknown}`; there are {known}")))
        }
    }
}

/// Finds the packages that differ from the main branch, and their users. On the main
/// branch itself it compares with the last commit.
pub(crate) fn changed(
    root: &Path,
    packages: &[WorkspacePackage],
) -> Result<TestScope, TaskFailure> {
    let mut base = "HEAD".to_owned();
    for branch in BASES {
        if let Ok(found) = git(root, &["merge-base", "HEAD", branch]) {
            found.trim().clone_into(&mut base);
            break;
        }
    }
    let differing = git(root, &["diff", "--name-only", "-z", &base])?;
    let untracked = git(root, &["ls-files", "-z", "--others", "--exclude-standard"])?;
    let paths = differing.split('\0').chain(untracked.split('\0')).filter(|path| !path.is_empty());
    Ok(reached_by(paths, packages))
}

/// Returns the packages that these files belong to or are read by, and all their users.
fn reached_by<'a>(
    paths: impl Iterator<Item = &'a str>,
    packages: &[WorkspacePackage],
) -> TestScope {
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    for path in paths {
        let owner = packages.iter().find(|package| path.starts_with(&package.folder));
        let readers = READERS.iter().find(|(known, _)| path.starts_with(known));
        match (owner, readers) {
            (Some(owner), _) => reached.extend([owner.name.as_str()]),
            (None, Some((_, readers))) => reached.extend(*readers),
            (None, None) => return TestScope::Workspace,
        }
    }
    loop {
        let before = reached.len();
        for package in packages {
            if package.uses.iter().any(|used| reached.contains(used.as_str())) {
                reached.insert(&package.name);
            }
        }
        if reached.len() == before {
            break;
        }
    }
    TestScope::Packages(reached.into_iter().map(str::to_owned).collect())
}

fn git(root: &Path, args: &[&str]) -> Result<String, TaskFailure> {
    let output = Command::new("git").args(args).current_dir(root).output();
    let output = output.map_err(|error| TaskFailure::Failed(format!("git: {error}")))?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(TaskFailure::Failed(format!("git {}: {reason}", args.join(" "))));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<WorkspacePackage> {
        let package = |name: &str, folder: &str, uses: &[&str]| WorkspacePackage {
            name: name.to_owned(),
            folder: format!("crates/{folder}/"),
            uses: uses.iter().map(|&used| used.to_owned()).collect(),
        };
        vec![
            package("ralph-core", "ralph-core", &["regex"]),
            package("ralph-store", "ralph-store", &["ralph-core"]),
            package("ralph-testkit", "ralph-testkit", &[]),
            package("ralph-loop", "ralph-cli", &["ralph-store", "ralph-testkit"]),
        ]
    }

    #[track_caller]
    fn check(paths: &[&str], want: &[&str]) {
        let want = want.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(reached_by(paths.iter().copied(), &sample()), TestScope::Packages(want));
    }

    #[test]
    fn a_change_reaches_its_package_and_all_that_use_it() {
        check(&[], &[]);
        check(&["crates/ralph-cli/src/main.rs"], &["ralph-loop"]);
        check(&["crates/ralph-store/src/lib.rs"], &["ralph-loop", "ralph-store"]);
        check(
            &["crates/ralph-core/src/a.rs", "CHANGELOG.md"],
            &["ralph-core", "ralph-loop", "ralph-store"],
        );
        check(&["docs/guide/mcp.md"], &["ralph-loop"]);
    }

    #[test]
    fn a_file_that_could_concern_every_package_reaches_them_all() {
        for path in ["Cargo.toml", "Cargo.lock", "tests/projects/go/main.go", "clippy.toml"] {
            let paths = ["crates/ralph-cli/src/main.rs", path];
            assert_eq!(reached_by(paths.into_iter(), &sample()), TestScope::Workspace, "{path}");
        }
    }

    #[test]
    fn tools_are_needed_where_tests_use_the_testkit() {
        let scope = |name: &str| TestScope::Packages(vec![name.to_owned()]);
        assert!(scope("ralph-loop").needs_tools(&sample()));
        assert!(!scope("ralph-store").needs_tools(&sample()));
        assert!(TestScope::Workspace.needs_tools(&sample()));
    }

    #[test]
    fn a_package_that_does_not_exist_is_a_usage_error_with_those_that_do() {
        let unknown = named(vec!["ralph-cor".to_owned()], &sample()).unwrap_err();
        assert_eq!(unknown.exit_code(), 2);
        assert!(unknown.to_string().contains("ralph-core, ralph-store"), "{unknown}");
        let known = named(vec!["ralph-core".to_owned()], &sample()).unwrap();
        assert_eq!(known.arguments(), ["--package", "ralph-core"]);
    }

    #[test]
    fn the_packages_of_this_workspace_are_read_with_their_folders() {
        let packages = packages(&crate::workspace::root()).unwrap();
        let own = packages.iter().find(|package| package.name == "xtask").unwrap();
        assert_eq!(own.folder, "xtask/");
        let cli = packages.iter().find(|package| package.name == "ralph-loop").unwrap();
        assert!(cli.uses.iter().any(|used| used == TESTKIT), "{cli:?}");
    }
}
