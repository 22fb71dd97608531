//! No reader panics, whatever its input.

use std::io::BufReader;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const SAMPLES: &[(OutputFormat, &[u8])] = &[
    (OutputFormat::Cargo, include_bytes!("../../tests/samples/cargo/errors.json")),
    (OutputFormat::Tsc, include_bytes!("../../tests/samples/tsc/pretty.txt")),
    (OutputFormat::Eslint, include_bytes!("../../tests/samples/eslint/errors.json")),
    (OutputFormat::Biome, include_bytes!("../../tests/samples/biome/errors.json")),
    (OutputFormat::Oxlint, include_bytes!("../../tests/samples/oxlint/errors.json")),
    (OutputFormat::Ruff, include_bytes!("../../tests/samples/ruff/errors.json")),
    (OutputFormat::Mypy, include_bytes!("../../tests/samples/mypy/pretty.txt")),
    (OutputFormat::Mypy, include_bytes!("../../tests/samples/mypy/lines.json")),
    (OutputFormat::Pyright, include_bytes!("../../tests/samples/pyright/errors.json")),
    (OutputFormat::Shellcheck, include_bytes!("../../tests/samples/shellcheck/errors.json")),
    (OutputFormat::Rubocop, include_bytes!("../../tests/samples/rubocop/errors.json")),
    (OutputFormat::Sarif, include_bytes!("../../tests/samples/sarif/ruff.sarif")),
    (OutputFormat::Text, include_bytes!("../../tests/samples/text/cargo.txt")),
    (OutputFormat::Text, include_bytes!("../../tests/samples/text/eslint.txt")),
    (OutputFormat::Text, include_bytes!("../../tests/samples/text/gcc_colour.txt")),
    (OutputFormat::Text, include_bytes!("../../tests/samples/text/go_vet.txt")),
    (OutputFormat::Text, include_bytes!("../../tests/samples/text/php.txt")),
    (OutputFormat::Text, include_bytes!("../../tests/samples/text/pylint.txt")),
    (OutputFormat::Text, include_bytes!("../../tests/samples/text/pyright.txt")),
    (OutputFormat::Text, include_bytes!("../../tests/samples/text/ruff.txt")),
];

/// Reads with a small buffer, so that everything is cut somewhere.
fn read_all(format: OutputFormat, bytes: &[u8], buffer: usize) {
    let mut out = FindingCollector::new(Path::new("/project"), "web");
    let mut input = BufReader::with_capacity(buffer, bytes);
    if let Err(error) = read(format, &mut input, &mut out) {
        assert!(matches!(error, FormatError::Form { .. }), "{error}");
    }
    let reading = out.finish();
    assert!(reading.findings.iter().all(|finding| !finding.message.contains('\n')));
}

/// A change to a sample.
#[derive(Clone, Debug)]
enum SampleMutation {
    Cut(prop::sample::Index, prop::sample::Index),
    Put(prop::sample::Index, Vec<u8>),
    Repeat(prop::sample::Index, prop::sample::Index),
}

impl SampleMutation {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let range = |a: &prop::sample::Index, b: &prop::sample::Index| {
            let (a, b) = (a.index(bytes.len() + 1), b.index(bytes.len() + 1));
            a.min(b)..a.max(b).min(a.min(b) + 200)
        };
        match self {
            Self::Cut(a, b) => drop(bytes.drain(range(a, b))),
            Self::Put(at, new) => {
                let at = at.index(bytes.len() + 1);
                bytes.splice(at..at, new.iter().copied());
            }
            Self::Repeat(a, b) => {
                let range = range(a, b);
                let (end, again) = (range.end, bytes[range].to_vec());
                bytes.splice(end..end, again);
            }
        }
    }
}

fn change() -> impl Strategy<Value = SampleMutation> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        (index(), index()).prop_map(|(a, b)| SampleMutation::Cut(a, b)),
        (index(), vec(any::<u8>(), 1..4)).prop_map(|(at, new)| SampleMutation::Put(at, new)),
        (index(), prop::sample::select(&b":()[]{}\",\\ \n-0"[..]))
            .prop_map(|(at, byte)| SampleMutation::Put(at, vec![byte])),
        (index(), index()).prop_map(|(a, b)| SampleMutation::Repeat(a, b)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_reader_panics_on_random_bytes(
        bytes in vec(any::<u8>(), 0..400),
        buffer in 1_usize..64,
    ) {
        for format in OutputFormat::ALL {
            read_all(format, &bytes, buffer);
        }
    }

    #[test]
    fn no_reader_panics_on_a_changed_sample(
        (format, sample) in prop::sample::select(SAMPLES),
        changes in vec(change(), 1..6),
        buffer in 1_usize..5000,
    ) {
        let mut bytes = sample.to_vec();
        for change in &changes {
            change.apply(&mut bytes);
        }
        read_all(format, &bytes, buffer);
    }

    #[test]
    fn plain_text_of_marks_and_names_does_not_panic(
        parts in vec(prop::sample::select(&[
            "a.c", "/p/b.php", ":", "1", "23", "(", ")", ",", " ", ": ", " - ", "error", "warning",
            "[", "]", "E501", "C0114:", "ä", "\n", "# x", "--> ", "e: ", "file://", "[ERROR] ",
            "PHP Parse error: ", " in ", " on line ", "\x1b[31m", "note", "  ", "vet: ", "[-W",
        ][..]), 0..30),
    ) {
        read_all(OutputFormat::Text, parts.concat().as_bytes(), 16);
    }
}

#[test]
fn samples_read_the_same_whatever_the_buffer_and_line_ends() {
    for (format, sample) in SAMPLES {
        let read = |bytes: &[u8], buffer| {
            let mut out = FindingCollector::new(Path::new("/project"), "");
            let mut input = BufReader::with_capacity(buffer, bytes);
            read(*format, &mut input, &mut out).unwrap();
            out.finish()
        };
        let whole = read(sample, 1 << 20);
        assert!(!whole.findings.is_empty(), "{format:?}");
        assert_eq!(read(sample, 7), whole, "{format:?}");
        let text = String::from_utf8_lossy(sample).replace('\n', "\r\n");
        assert_eq!(read(text.as_bytes(), 4096), whole, "{format:?}");
    }
}
