use super::*;

fn unchanged() -> Box<dyn LineFilter + Send> {
    Box::new(str::to_owned)
}

/// Writes `pieces` to a log and reads it back.
fn logged(limits: LogLimits, pieces: &[(OutputStream, &[u8])]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.gz");
    let mut log = LogWriter::create(&path, limits, unchanged()).unwrap();
    for (stream, bytes) in pieces {
        log.write(*stream, bytes);
    }
    log.finish().unwrap();
    read_log(&path).unwrap()
}

#[test]
fn lines_of_both_streams_stay_whole() {
    let pieces: &[(OutputStream, &[u8])] = &[
        (OutputStream::Stdout, b"one "),
        (OutputStream::Stderr, b"warning\n"),
        (OutputStream::Stdout, b"line\n\nlast \xff"),
        (OutputStream::Stderr, b"bye"),
    ];
    assert_eq!(logged(LogLimits::default(), pieces), "warning\none line\n\nlast \u{fffd}\nbye\n");
}

#[test]
fn beyond_the_cap_only_the_end_is_kept() {
    let limits = LogLimits { head: 10, tail: 8 };
    let text = b"aaa\nbbb\nccc\nd\neee\nfff\nggg\n";
    let want = "aaa\nbbb\n… 10 bytes left out …\nfff\nggg\n";
    assert_eq!(logged(limits, &[(OutputStream::Stdout, text)]), want);
}

#[test]
fn a_tail_that_holds_the_rest_leaves_nothing_out() {
    let limits = LogLimits { head: 4, tail: 8 };
    assert_eq!(logged(limits, &[(OutputStream::Stdout, b"aaa\nbbb\nccc\n")]), "aaa\nbbb\nccc\n");
}

#[test]
fn a_flood_does_not_grow_the_log() {
    let limits = LogLimits { head: 1000, tail: 1000 };
    let mut log = LogWriter::to(Box::new(io::sink()), limits, unchanged());
    let flood = vec![b'x'; 100_000];
    for _ in 0..200 {
        log.write(OutputStream::Stdout, &flood);
        assert!(log.tail_bytes <= limits.tail);
        assert!(log.unfinished[0].len() <= LONGEST_LINE + 1);
    }
    log.finish().unwrap();
}

#[test]
fn a_long_line_is_cut_at_white_space_or_between_characters() {
    let words = "word ".repeat(20_000);
    let text = logged(LogLimits::default(), &[(OutputStream::Stdout, words.as_bytes())]);
    assert_eq!(text.replace('\n', ""), words);
    assert!(text.lines().all(|line| line.len() <= LONGEST_LINE && line.ends_with("word ")));

    let dense = "a€".repeat(40_000);
    let text = logged(LogLimits::default(), &[(OutputStream::Stdout, dense.as_bytes())]);
    assert_eq!(text.replace('\n', ""), dense);
    assert_eq!(text.lines().count(), 3);
}

#[test]
fn the_filter_sees_whole_lines_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.gz");
    let filter = Box::new(|line: &str| line.replace("secret", "***"));
    let mut log = LogWriter::create(&path, LogLimits::default(), filter).unwrap();
    log.write(OutputStream::Stdout, b"my sec");
    log.write(OutputStream::Stdout, b"ret\nno secret");
    log.finish().unwrap();
    assert_eq!(read_log(&path).unwrap(), "my ***\nno ***\n");
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_a_log() {
    use std::os::unix::fs::PermissionsExt;

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.gz");
    LogWriter::create(&path, LogLimits::default(), unchanged()).unwrap().finish().unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_truncated_log_is_read_as_far_as_it_goes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.gz");
    let mut log = LogWriter::create(&path, LogLimits::default(), unchanged()).unwrap();
    log.write(OutputStream::Stdout, b"first\n");
    log.flush();
    let flushed = std::fs::read(&path).unwrap();
    log.write(OutputStream::Stdout, b"second\n");
    log.finish().unwrap();
    let whole = std::fs::read(&path).unwrap();
    assert!(flushed.len() < whole.len());
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        let text = read_log(&path).unwrap();
        assert!("first\nsecond\n".starts_with(&text), "{length} bytes: {text}");
        assert!(length < flushed.len() || text.starts_with("first\n"), "{length} bytes: {text}");
    }
}

#[test]
fn a_missing_log_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let error = read_log(&dir.path().join("none.gz")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

/// A disk with room for some bytes.
struct SmallDisk {
    room: usize,
}

impl Write for SmallDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = bytes.len().min(self.room);
        self.room -= written;
        if written == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(written) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_reported_at_the_end() {
    let disk = Box::new(SmallDisk { room: 20 });
    let mut log = LogWriter::to(disk, LogLimits::default(), unchanged());
    for number in 0..10_000 {
        log.write(OutputStream::Stdout, format!("{number}\n").as_bytes());
    }
    assert_eq!(log.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
}
