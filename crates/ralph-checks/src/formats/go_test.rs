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
use super::{Collector, Unreadable};

pub(super) use build::{Module, failed_package};
pub(super) use package::{End, Names, Package};

/// Reads everything.
pub(super) fn read(input: &mut dyn BufRead, out: &mut Collector) -> Result<(), Unreadable> {
    let mut go = GoTest { module: Module::of(out), ..GoTest::default() };
    lines::each(input, |line| go.line(line, out))?;
    go.finish(out);
    Ok(())
}

/// An event. Fields that are not used are passed over.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event<'a> {
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
    module: Module,
    /// Packages that are running.
    packages: HashMap<String, Package>,
}

impl GoTest {
    fn line(&mut self, line: &str, out: &mut Collector) {
        let event = line.starts_with('{').then(|| serde_json::from_str::<Event<'_>>(line).ok());
        match event.flatten() {
            Some(event) => self.event(&event, out),
            None => build::line(line, out),
        }
    }

    fn event(&mut self, event: &Event<'_>, out: &mut Collector) {
        let names = Names { package: &event.package, test: &event.test };
        match event.action.as_ref() {
            "output" => self.with(&names, |package| package.output(&names, &event.output, out)),
            "run" => {
                out.runs_tests();
                self.with(&names, |package| package.run(&event.test));
            }
            "pass" => self.ended(&names, End::Passed, out),
            "fail" => self.ended(&names, End::Failed, out),
            "skip" => self.ended(&names, End::Skipped, out),
            "build-output" => event.output.lines().for_each(|line| build::line(line, out)),
            _ => {}
        }
    }

    fn ended(&mut self, names: &Names<'_>, end: End, out: &mut Collector) {
        if names.test.is_empty() {
            let package = self.packages.remove(names.package);
            package.unwrap_or_default().ended(names.package, (end, &self.module), out);
        } else {
            let module = std::mem::take(&mut self.module);
            self.with(names, |package| package.test_ended(names, (end, &module), out));
            self.module = module;
        }
    }

    /// Does something with the package; its name is copied only when it is new.
    fn with(&mut self, names: &Names<'_>, act: impl FnOnce(&mut Package)) {
        if let Some(package) = self.packages.get_mut(names.package) {
            act(package);
        } else {
            let mut package = Package::default();
            act(&mut package);
            self.packages.insert(names.package.to_owned(), package);
        }
    }

    /// Packages that never ended were cut off.
    fn finish(&mut self, out: &mut Collector) {
        for (name, package) in std::mem::take(&mut self.packages) {
            package.ended(&name, (End::Failed, &self.module), out);
        }
    }
}
