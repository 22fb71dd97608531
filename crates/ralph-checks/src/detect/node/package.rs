use ralph_core::policy::Criterion;
use serde_json::Value;

use crate::detect::draft::ProposalDraft;
use crate::detect::flags;
use crate::detect::said::only_program;
use crate::detect::sight::ProjectFolder;
use crate::detect::workspace;

/// The text that `npm init` writes where tests should be.
const PLACEHOLDER: &str = "no test specified";

/// The program that installs packages and runs scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PackageManager {
    Npm,
    Pnpm,
    Yarn,
    Bun,
}

impl PackageManager {
    const ALL: [Self; 4] = [Self::Npm, Self::Pnpm, Self::Yarn, Self::Bun];

    fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pnpm => "pnpm",
            Self::Yarn => "yarn",
            Self::Bun => "bun",
        }
    }

    fn locks(self) -> &'static [&'static str] {
        match self {
            Self::Npm => &["package-lock.json", "npm-shrinkwrap.json"],
            Self::Pnpm => &["pnpm-lock.yaml"],
            Self::Yarn => &["yarn.lock"],
            Self::Bun => &["bun.lock", "bun.lockb"],
        }
    }

    /// The command that installs a project's packages.
    fn installs(self, folder: &ProjectFolder<'_>) -> &'static str {
        match self {
            Self::Npm if folder.first(self.locks()).is_some() => "npm ci",
            Self::Npm => "npm install",
            Self::Pnpm => "pnpm install",
            Self::Yarn => "yarn install",
            Self::Bun => "bun install",
        }
    }

    /// The words before the program of an installed package. Nothing may be
    /// installed on the way.
    fn executes(self) -> &'static [&'static str] {
        match self {
            Self::Npm | Self::Yarn => &["npx", "--no-install"],
            Self::Pnpm => &["pnpm", "exec"],
            Self::Bun => &["bunx", "--no-install"],
        }
    }
}

/// The contents of a `package.json`.
pub(super) struct NodePackage<'a> {
    pub(super) folder: ProjectFolder<'a>,
    manifest: Value,
    manager: PackageManager,
}

impl<'a> NodePackage<'a> {
    /// The package of a folder, if it has one that can be read.
    pub(super) fn read(folder: ProjectFolder<'a>) -> Option<Self> {
        let manifest = folder.json("package.json")?;
        let manager = named(&manifest)
            .or_else(|| locked(&folder))
            .or_else(|| named(&folder.root().json("package.json")?))
            .or_else(|| locked(&folder.root()))
            .unwrap_or(PackageManager::Npm);
        Some(Self { folder, manifest, manager })
    }

    /// The packages that it lists as members of its workspace.
    pub(super) fn members(&self) -> impl Iterator<Item = Self> {
        let listed = members(&self.folder);
        let manifests = self.folder.all_files().filter(|(_, file)| *file == "package.json");
        let inside =
            manifests.filter(move |(at, _)| workspace::lists(&listed, at.dir_within(&self.folder)));
        inside.filter_map(|(at, _)| Self::read(at))
    }

    /// Returns the text of a script; `None` also for one that does nothing.
    pub(super) fn script(&self, name: &str) -> Option<&str> {
        let text = self.manifest["scripts"][name].as_str()?.trim();
        (!text.is_empty() && !text.contains(PLACEHOLDER)).then_some(text)
    }

    /// True if it needs another package, at runtime or for development.
    pub(super) fn depends(&self, package: &str) -> bool {
        self.dependencies().any(|table| table.get(package).is_some())
    }

    fn dependencies(&self) -> impl Iterator<Item = &Value> {
        ["dependencies", "devDependencies"].iter().filter_map(|table| self.manifest.get(table))
    }

    /// A script, run by the manager.
    pub(super) fn run(&self, criterion: Criterion, name: &str) -> Option<ProposalDraft> {
        let script = self.script(name)?;
        let manager = self.manager.name();
        let line = match (self.manager, name) {
            // `bun test` would be its own test runner.
            (PackageManager::Npm | PackageManager::Pnpm | PackageManager::Yarn, "test") => {
                format!("{manager} test")
            }
            (
                PackageManager::Npm
                | PackageManager::Pnpm
                | PackageManager::Yarn
                | PackageManager::Bun,
                _,
            ) => {
                format!("{manager} run {name}")
            }
        };
        let why = format!("package.json: `{name}` is `{script}`");
        let draft = ProposalDraft::new(&self.folder, criterion, manager, &line).because(why);
        Some(self.installed(ProposalDraft { calls: only_program(script), ..draft }))
    }

    /// A script as it stands in a `package.json`, run by a shell that finds the
    /// programs of installed packages.
    pub(super) fn line(&self, criterion: Criterion, script: &str) -> Option<ProposalDraft> {
        let before = match self.manager {
            PackageManager::Npm | PackageManager::Yarn => "npx --no-install -c",
            PackageManager::Pnpm => "pnpm exec -c",
            PackageManager::Bun => return None,
        };
        let manager = self.manager.name();
        let words = before.split(' ').chain([script]).map(str::to_owned);
        let draft = ProposalDraft::of_words(&self.folder, criterion, manager, words);
        Some(self.installed(ProposalDraft { calls: only_program(script), ..draft }))
    }

    /// A program of an installed package.
    pub(super) fn tool(
        &self,
        criterion: Criterion,
        program: &'static str,
        arguments: impl IntoIterator<Item = String>,
    ) -> ProposalDraft {
        // Without a folder of packages only yarn knows where they are.
        let plug_and_play =
            self.manager == PackageManager::Yarn && self.folder.upwards(".pnp.cjs").is_some();
        let before = if plug_and_play { &["yarn", "run"] } else { self.manager.executes() };
        let words = before.iter().chain([&program]).map(|&word| word.to_owned()).chain(arguments);
        let draft = ProposalDraft::of_words(&self.folder, criterion, program, words);
        let path = format!("node_modules/.bin/{program}");
        if plug_and_play || self.folder.upwards(&path).is_some() {
            draft
        } else {
            draft.lacks(&path, Some(self.install()))
        }
    }

    /// Says so when the packages it needs were never installed.
    pub(super) fn installed(&self, draft: ProposalDraft) -> ProposalDraft {
        let needs = self.dependencies().any(|it| it.as_object().is_some_and(|it| !it.is_empty()));
        let there = ["node_modules", ".pnp.cjs"].iter().any(|it| self.folder.upwards(it).is_some());
        if needs && !there { draft.lacks("node_modules", Some(self.install())) } else { draft }
    }

    fn install(&self) -> &'static str {
        let locked = self.folder.first(self.manager.locks()).is_some();
        self.manager.installs(&if locked { self.folder } else { self.folder.root() })
    }
}

fn named(manifest: &Value) -> Option<PackageManager> {
    let text = manifest["packageManager"].as_str()?;
    let name = text.split('@').next()?;
    PackageManager::ALL.into_iter().find(|manager| manager.name() == name)
}

fn locked(folder: &ProjectFolder<'_>) -> Option<PackageManager> {
    // npm last: its lock file is the one that is left behind by accident.
    let order =
        [PackageManager::Pnpm, PackageManager::Yarn, PackageManager::Bun, PackageManager::Npm];
    order.into_iter().find(|manager| folder.first(manager.locks()).is_some())
}

/// The folders that the root of a workspace lists.
pub(super) fn members(root: &ProjectFolder<'_>) -> Vec<String> {
    let manifest = root.json("package.json").unwrap_or_default();
    let listed = match &manifest["workspaces"] {
        Value::Object(table) => table.get("packages").cloned().unwrap_or_default(),
        Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            manifest["workspaces"].clone()
        }
    };
    let listed = listed.as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut members: Vec<String> = listed.map(str::to_owned).collect();
    if let Some(text) = root.read("pnpm-workspace.yaml") {
        members.extend(yaml_list(&text, "packages"));
    }
    members
}

/// The items of a top-level list of plain texts.
fn yaml_list(text: &str, key: &str) -> Vec<String> {
    let mut lines = text.lines().skip_while(|line| line.trim_end() != format!("{key}:"));
    lines.next();
    let lines = lines.map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let items = lines.map_while(|line| line.strip_prefix("- "));
    let plain = |item: &str| {
        item.split(" #").next().unwrap_or("").trim().trim_matches(['"', '\'']).to_owned()
    };
    items.map(plain).collect()
}

/// A script that calls one program and does nothing else.
pub(super) struct SingleCommandScript {
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
}

impl SingleCommandScript {
    /// `None` when it takes a shell to understand it.
    pub(super) fn of(script: &str) -> Option<Self> {
        if script.contains(['&', '|', ';', '<', '>', '$', '`', '\n', '(']) {
            return None;
        }
        let words = ralph_proc::split_words(script).ok()?;
        let (program, arguments) = words.split_first()?;
        Some(Self { program: program.clone(), arguments: arguments.to_vec() })
    }

    pub(super) fn new(program: &str, arguments: &[String]) -> Self {
        Self { program: program.to_owned(), arguments: arguments.to_vec() }
    }

    /// True if it calls this program, in whatever folder that is.
    pub(super) fn is_of(&self, program: &str) -> bool {
        self.program.rsplit('/').next() == Some(program)
    }

    pub(super) fn has(&self, argument: &str) -> bool {
        self.arguments.iter().any(|word| word == argument)
    }

    /// The arguments without some, and without some that have a value.
    pub(super) fn without(&self, plain: &[&str], valued: &[&str]) -> Vec<String> {
        flags::without(&self.arguments, plain, valued)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_program_and_its_arguments() {
        let line = SingleCommandScript::of("jest --watch --outputFile x 'a b' --json=1 --config=c")
            .unwrap();
        assert_eq!(line.program, "jest");
        let kept = line.without(&["--watch", "--json"], &["--outputFile"]);
        assert_eq!(kept, ["a b", "--config=c"]);
        for script in ["a && b", "a; b", "A=$B c", "a > b", "a 'b", ""] {
            assert!(SingleCommandScript::of(script).is_none(), "{script}");
        }
    }

    #[test]
    fn members_are_read_from_plain_yaml() {
        let text = "x:\n  - no\npackages:\n  # ours\n  - 'packages/*'\n  - web # the page\ncatalog:\n  - no\n";
        assert_eq!(yaml_list(text, "packages"), ["packages/*", "web"]);
        assert!(yaml_list("packages: [a]\n", "packages").is_empty());
    }
}
