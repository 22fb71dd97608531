//! Plans installing into the client's folder, and uninstalling.

use std::path::PathBuf;

use super::files;
use crate::install::{FolderReader, HostFileError, InstallOptions, InstallPlan, text};

/// Plans an installation: the plugin and the slash commands.
pub fn plan_install(
    read: &FolderReader<'_>,
    wanted: &InstallOptions,
) -> Result<InstallPlan, HostFileError> {
    let mut plan = InstallPlan::default();
    for (path, wanted) in files::all(wanted) {
        match text(read, path)? {
            Some(found) if !files::is_ours(&found) => plan.left.push(PathBuf::from(path)),
            before @ (Some(_) | None) => plan.change(path, before, Some(wanted)),
        }
    }
    Ok(plan)
}

/// Plans the removal of our files, and nothing else.
pub fn plan_uninstall(read: &FolderReader<'_>) -> Result<InstallPlan, HostFileError> {
    let mut plan = InstallPlan::default();
    for path in files::PATHS {
        match text(read, path)? {
            Some(text) if files::is_ours(&text) => plan.change(path, Some(text), None),
            Some(_) => plan.left.push(PathBuf::from(path)),
            None => {}
        }
    }
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::*;

    type PlanFiles = BTreeMap<PathBuf, String>;

    fn wanted() -> InstallOptions {
        let gates = Duration::from_hours(1);
        InstallOptions {
            program: "ralph".to_owned(),
            cap: 0,
            arm: None,
            looks_before_edits: false,
            gates,
        }
    }

    fn apply(folder: &mut PlanFiles, plan: InstallPlan) {
        for change in plan.changes {
            match change.after {
                Some(text) => folder.insert(change.path, text),
                None => folder.remove(&change.path),
            };
        }
    }

    #[test]
    fn an_installation_comes_and_goes_without_a_trace() {
        let mut folder = PlanFiles::new();
        let plan = plan_install(&|path| Ok(folder.get(path).cloned()), &wanted()).unwrap();
        apply(&mut folder, plan);
        let paths: Vec<_> = folder.keys().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(paths, ["commands/cancel-ralph.md", "commands/ralph.md", "plugins/ralph.ts"]);
        let again = plan_install(&|path| Ok(folder.get(path).cloned()), &wanted()).unwrap();
        assert_eq!(again, InstallPlan::default());
        let plan = plan_uninstall(&|path| Ok(folder.get(path).cloned())).unwrap();
        apply(&mut folder, plan);
        assert_eq!(folder, PlanFiles::new());
    }

    #[test]
    fn files_of_others_stay() {
        let mut folder = PlanFiles::new();
        for path in files::PATHS {
            folder.insert(path.into(), "mine".to_owned());
        }
        for plan in [
            plan_install(&|path| Ok(folder.get(path).cloned()), &wanted()).unwrap(),
            plan_uninstall(&|path| Ok(folder.get(path).cloned())).unwrap(),
        ] {
            assert_eq!((plan.changes.len(), plan.left.len()), (0, 3));
        }
    }
}
