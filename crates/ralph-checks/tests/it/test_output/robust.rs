//! No input makes a reader panic, and none takes memory without end.

use proptest::prelude::*;
use ralph_core::format::OutputFormat;

use super::{reading, sample, samples};

/// The forms of test output, and text.
const FORMATS: [OutputFormat; 8] = [
    OutputFormat::Text,
    OutputFormat::Libtest,
    OutputFormat::Nextest,
    OutputFormat::Junit,
    OutputFormat::Jest,
    OutputFormat::Tap,
    OutputFormat::GoTest,
    OutputFormat::Ctest,
];

/// Every recorded sample, by name.
fn names() -> Vec<String> {
    let mut names = Vec::new();
    for folder in ["ctest", "go-test", "jest", "junit", "libtest", "nextest", "tap", "text"] {
        for file in std::fs::read_dir(samples().join(folder)).unwrap() {
            let file = file.unwrap().file_name().into_string().unwrap();
            names.push(format!("{folder}/{file}"));
        }
    }
    names.sort();
    names
}

/// Reads in every form; an error is an answer, a panic is not.
fn read_all(input: &[u8]) {
    for format in FORMATS {
        let _ = reading(format, input);
    }
}

/// A sample with a part cut out, doubled or overwritten.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let change = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_u8..4, any::<u8>());
    (prop::sample::select(names()), prop::collection::vec(change, 1..6)).prop_map(
        |(name, changes)| {
            let mut bytes = sample(&name);
            for (from, to, kind, byte) in changes {
                if bytes.is_empty() {
                    break;
                }
                let (a, b) = (from.index(bytes.len()), to.index(bytes.len()));
                let (a, b) = (a.min(b), a.max(b));
                match kind {
                    0 => drop(bytes.drain(a..b)),
                    1 => {
                        let part = bytes[a..b].to_vec();
                        bytes.splice(a..a, part);
                    }
                    2 => bytes[a] = byte,
                    _ => bytes.truncate(b),
                }
            }
            bytes
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        read_all(&bytes);
    }

    #[test]
    fn damaged_samples_are_survived(bytes in mutated()) {
        read_all(&bytes);
    }

    #[test]
    fn random_lines_of_samples_are_survived(
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..200),
    ) {
        let all = names().iter().map(|name| sample(name)).collect::<Vec<_>>().concat();
        let lines: Vec<&[u8]> = all.split_inclusive(|byte| *byte == b'\n').collect();
        let picked: Vec<u8> = picks.iter().flat_map(|pick| lines[pick.index(lines.len())]).copied().collect();
        read_all(&picked);
    }
}

#[test]
fn windows_line_ends_change_nothing() {
    for (format, folder) in [
        (OutputFormat::Libtest, "libtest/"),
        (OutputFormat::Nextest, "nextest/"),
        (OutputFormat::Tap, "tap/"),
        (OutputFormat::GoTest, "go-test/"),
        (OutputFormat::Ctest, "ctest/"),
        (OutputFormat::Text, "text/"),
    ] {
        for name in names().iter().filter(|name| name.starts_with(folder)) {
            let text = sample(name);
            let windows = String::from_utf8(text.clone()).unwrap().replace('\n', "\r\n");
            let (plain, windows) = (reading(format, &text), reading(format, windows.as_bytes()));
            assert_eq!(plain.unwrap(), windows.unwrap(), "{name}");
        }
    }
}
