//! Reads output of a tool as gates do: what the benchmark measures.
//!
//! `read_output FORM FILE` prints how many tests and findings there are, the
//! processor time in nanoseconds and the highest memory in KiB.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufReader, Write as _};
use std::path::Path;
use std::process::ExitCode;

use ralph_checks::formats::{FindingCollector, read};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.as_slice() {
        [form, file] => count(form, Path::new(file)),
        _ => Err("usage: read_output FORM FILE".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell when even this cannot be written.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn count(form: &str, file: &Path) -> Result<(), Box<dyn Error>> {
    let mut out = FindingCollector::new(Path::new("/project"), "");
    let mut input = BufReader::with_capacity(128 * 1024, File::open(file)?);
    read(form.parse()?, &mut input, &mut out)?;
    let reading = out.finish();
    let tests = reading.tests.map_or(0, |tests| tests.counts.collected());
    let findings = reading.findings.len();
    let time = fs::read_to_string("/proc/self/schedstat")?;
    let time = time.split_whitespace().next().unwrap_or_default().to_owned();
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let peak = peak.trim().trim_end_matches(" kB");
    writeln!(io::stdout(), "{tests} {findings} {time} {peak}")?;
    Ok(())
}
