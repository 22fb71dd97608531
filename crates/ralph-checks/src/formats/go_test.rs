//! `go test -json`: one event per line, between them what the compiler says.
//!
//! Ids are `import/path.TestName/subtest`. A package that fails without any
//! of its tests failing stands for itself.

mod build;
mod package;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::BufRead;

use serde::Deserialize;

use super::lines;
use super::{FindingCollector, FormatError};

pub(super) use build::{GoModule, failed_package};
pub(super) use package::{GoPackageRun, GoTestName, GoTestResult};

/// Reads everything.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    let mut go = GoTest { module: GoModule::of(out), ..GoTest::default() };
    lines::each(input, |line| go.line(line, out))?;
    go.finish(out);
    Ok(())
}

/// An event. Fields that are not used are passed over.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GoTestEvent<'a> {
    #[serde(borrow)]
    action: Cow<'a, str>,
    #[serde(borrow, default)]
    package: Cow<'a, str>,
    #[serde(borrow, default)]
    test: Cow<'a, str>,
    #[serde(borrow, default)]
    output: Cow<'a, str>,
}

#[derive(Debug, Default)]
struct GoTest {
    module: GoModule,
    /// Packages that are running.
    packages: HashMap<String, GoPackageRun>,
}

impl GoTest {
    fn line(&mut self, line: &str, out: &mut FindingCollector) {
        let event =
            line.starts_with('{').then(|| serde_json::from_str::<GoTestEvent<'_>>(line).ok());
        match event.flatten() {
            Some(event) => self.event(&event, out),
            None => build::line(line, out),
        }
    }

    fn event(&mut self, event: &GoTestEvent<'_>, out: &mut FindingCollector) {
        let names = GoTestName { package: &event.package, test: &event.test };
        match event.action.as_ref() {
            "output" => self.with(&names, |package| package.output(&names, &event.output, out)),
            "run" => {
                out.runs_tests();
                self.with(&names, |package| package.run(&event.test));
            }
            "pass" => self.ended(&names, GoTestResult::Passed, out),
            "fail" => self.ended(&names, GoTestResult::Failed, out),
            "skip" => self.ended(&names, GoTestResult::Skipped, out),
            "build-output" => event.output.lines().for_each(|line| build::line(line, out)),
            _ => {}
        }
    }

    fn ended(&mut self, names: &GoTestName<'_>, end: GoTestResult, out: &mut FindingCollector) {
        if names.test.is_empty() {
            let package = self.packages.remove(names.package);
            package.unwrap_or_default().ended(names.package, end, &self.module, out);
        } else {
            let module = std::mem::take(&mut self.module);
            self.with(names, |package| package.test_ended(names, end, &module, out));
            self.module = module;
        }
    }

    /// Does something with the package; its name is copied only when it is new.
    fn with(&mut self, names: &GoTestName<'_>, act: impl FnOnce(&mut GoPackageRun)) {
        if let Some(package) = self.packages.get_mut(names.package) {
            act(package);
        } else {
            let mut package = GoPackageRun::default();
            act(&mut package);
            self.packages.insert(names.package.to_owned(), package);
        }
    }

    /// Packages that never ended were cut off.
    fn finish(&mut self, out: &mut FindingCollector) {
        for (name, package) in std::mem::take(&mut self.packages) {
            package.ended(&name, GoTestResult::Failed, &self.module, out);
        }
    }
}
