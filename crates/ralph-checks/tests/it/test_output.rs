//! Reads recorded output of real test runners and compares what was found.

#[cfg(test)]
mod go;
#[cfg(test)]
mod javascript;
#[cfg(test)]
mod junit;
#[cfg(test)]
mod native;
mod odd;
#[cfg(test)]
mod python;
#[cfg(test)]
mod robust;
#[cfg(test)]
mod ruby;
#[cfg(test)]
mod runners;
#[cfg(test)]
mod rust;
#[cfg(test)]
mod tap;

#[cfg(test)]
use std::fmt::Write;
#[cfg(test)]
use std::fs;
#[cfg(test)]
use std::path::{Path, PathBuf};

#[cfg(test)]
use ralph_checks::formats::{FindingCollector, FormatError, read};
#[cfg(test)]
use ralph_core::finding::{TestState, ToolReport};
#[cfg(test)]
use ralph_core::format::OutputFormat;

#[cfg(test)]
fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples")
}

#[cfg(test)]
fn sample(name: &str) -> Vec<u8> {
    fs::read(samples().join(name)).unwrap()
}

#[cfg(test)]
fn reading(format: OutputFormat, input: &[u8]) -> Result<ToolReport, FormatError> {
    let mut out = FindingCollector::new(Path::new("/project"), "");
    read(format, &mut &*input, &mut out)?;
    Ok(out.finish())
}

/// All that was found, one thing a line: tests, then findings, then counts.
#[cfg(test)]
fn told(reading: &ToolReport) -> String {
    let mut text = String::new();
    let tests = reading.tests.clone().unwrap_or_default();
    for (id, state) in &tests.states {
        match (state, tests.failures.get(id)) {
            (TestState::Passed, _) => writeln!(text, "passed {id}").unwrap(),
            (TestState::Skipped, _) => writeln!(text, "skipped {id}").unwrap(),
            (TestState::Failed, None) => writeln!(text, "failed {id}").unwrap(),
            (TestState::Failed, Some(failure)) => {
                let message = failure.message.replace('\n', " | ");
                writeln!(text, "failed {id} @{}: {message}", failure.place.display()).unwrap();
            }
        }
    }
    for finding in &reading.findings {
        let place = finding.place.display();
        writeln!(text, "{} @{place}: {}", finding.level.name(), finding.fingerprint).unwrap();
    }
    match &reading.tests {
        Some(tests) => {
            let counts = tests.counts;
            let (passed, failed, skipped) = (counts.passed, counts.failed, counts.skipped);
            writeln!(text, "{passed} passed, {failed} failed, {skipped} skipped").unwrap();
        }
        None => writeln!(text, "no tests").unwrap(),
    }
    text
}

#[track_caller]
#[cfg(test)]
fn check(format: OutputFormat, name: &str, want: &str) {
    check_bytes(format, &sample(name), want);
}

#[track_caller]
#[cfg(test)]
fn check_bytes(format: OutputFormat, input: &[u8], want: &str) {
    let found = told(&reading(format, input).unwrap());
    let found = found.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    // Expectations are indented with the code around them.
    let want = want.trim().lines().map(str::trim).collect::<Vec<_>>().join("\n");
    assert_eq!(found, want, "\n--- found\n{found}\n---");
}
