//! The last known state of a folder: a stamp to notice changes, and the state
//! of each file.

use crate::encode::{FactDecoder, FactEncoder};

/// Longer than a tick of clocks that count parts of a second, in nanoseconds.
/// Coarser clocks show no parts.
const FINE_TICK: i64 = 10_000_000;

/// The coarsest tick in use.
const COARSE_TICK: i64 = 2_000_000_000;

/// File metadata that reveals changes without reading. Equal stamps mean equal
/// contents, unless those changed twice within one tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStamp {
    pub(crate) size: u64,
    /// Nanoseconds since 1970.
    pub(crate) modified: i64,
    /// Time of the last change of contents or metadata; 0 if unknown.
    pub(crate) changed: i64,
    /// 0 if unknown.
    pub(crate) inode: u64,
}

impl FileStamp {
    /// Returns true if a later change cannot have the same stamp.
    pub(crate) fn is_settled(&self, now: i64) -> bool {
        let is_fine = self.changed % 1_000_000_000 != 0;
        let tick = if is_fine { FINE_TICK } else { COARSE_TICK };
        self.modified.max(self.changed).saturating_add(tick) < now
    }

    /// Returns the stamp if it can be relied on later.
    pub(crate) fn if_settled(self, now: i64) -> Option<Self> {
        self.is_settled(now).then_some(self)
    }
}

/// The state of a file in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IndexedFileState {
    /// A file of ignore rules.
    Rules,
    /// Not code.
    Other,
    /// All of it was read.
    Read { key: i64 },
    /// It breaks its grammar at this line; the rest was read.
    Broken { key: i64, line: u32 },
    /// It breaks its grammar at this line; the facts of an earlier version say
    /// more and are kept.
    Kept { key: i64, line: u32 },
    /// Skipped by a rule.
    Skipped { why: String },
    /// The system does not allow reading it.
    Unreadable { why: String },
}

impl IndexedFileState {
    /// Returns the key of the facts of the file.
    pub(crate) fn key(&self) -> Option<i64> {
        match self {
            Self::Read { key } | Self::Broken { key, .. } | Self::Kept { key, .. } => Some(*key),
            Self::Rules | Self::Other | Self::Skipped { .. } | Self::Unreadable { .. } => None,
        }
    }

    /// Returns the key of the last state without errors.
    pub(crate) fn good_key(&self) -> Option<i64> {
        if let Self::Read { key } | Self::Kept { key, .. } = self { Some(*key) } else { None }
    }
}

/// A file of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexedFile {
    pub(crate) name: String,
    /// `None` if the file must be read again in any case.
    pub(crate) stamp: Option<FileStamp>,
    pub(crate) state: IndexedFileState,
}

/// The last known state of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct IndexedFolder {
    /// `None` if the folder must be listed again in any case.
    pub(crate) stamp: Option<FileStamp>,
    /// In the order of their names.
    pub(crate) files: Vec<IndexedFile>,
}

impl IndexedFolder {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut sink = FactEncoder::default();
        put_stamp(&mut sink, self.stamp);
        sink.count(self.files.len());
        for file in &self.files {
            sink.text(&file.name);
            put_stamp(&mut sink, file.stamp);
            put_state(&mut sink, &file.state);
        }
        sink.done()
    }

    /// Reads the output of [`Self::encode`]; `None` for anything else.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut source = FactDecoder::new(bytes);
        let stamp = take_stamp(&mut source)?;
        let count = source.count()?;
        let mut files = Vec::with_capacity(count);
        for _ in 0..count {
            let name = source.text()?.to_owned();
            let stamp = take_stamp(&mut source)?;
            files.push(IndexedFile { name, stamp, state: take_state(&mut source)? });
        }
        source.is_empty().then_some(Self { stamp, files })
    }

    pub(crate) fn file(&self, name: &str) -> Option<&IndexedFile> {
        let found = self.files.binary_search_by(|file| file.name.as_str().cmp(name)).ok()?;
        self.files.get(found)
    }
}

fn put_stamp(sink: &mut FactEncoder, stamp: Option<FileStamp>) {
    sink.byte(u8::from(stamp.is_some()));
    if let Some(stamp) = stamp {
        sink.number(stamp.size);
        // Times are large numbers that are read for every question.
        sink.raw(&stamp.modified.to_le_bytes());
        // The two are nearly always the same.
        sink.signed(stamp.changed.wrapping_sub(stamp.modified));
        sink.number(stamp.inode);
    }
}

#[expect(clippy::option_option, reason = "outside: no sense, inside: nothing was written")]
fn take_stamp(source: &mut FactDecoder<'_>) -> Option<Option<FileStamp>> {
    if source.byte()? == 0 {
        return Some(None);
    }
    let size = source.number()?;
    let modified = i64::from_le_bytes(source.raw(8)?.try_into().ok()?);
    let changed = source.signed()?.wrapping_add(modified);
    Some(Some(FileStamp { size, modified, changed, inode: source.number()? }))
}

fn put_state(sink: &mut FactEncoder, state: &IndexedFileState) {
    let mut keyed = |code, key: i64| {
        sink.byte(code);
        sink.raw(&key.to_le_bytes());
    };
    match state {
        IndexedFileState::Rules => sink.byte(0),
        IndexedFileState::Other => sink.byte(1),
        IndexedFileState::Read { key } => keyed(2, *key),
        IndexedFileState::Broken { key, line } => {
            keyed(3, *key);
            sink.small(*line);
        }
        IndexedFileState::Kept { key, line } => {
            keyed(4, *key);
            sink.small(*line);
        }
        IndexedFileState::Skipped { why } => {
            sink.byte(5);
            sink.text(why);
        }
        IndexedFileState::Unreadable { why } => {
            sink.byte(6);
            sink.text(why);
        }
    }
}

fn take_state(source: &mut FactDecoder<'_>) -> Option<IndexedFileState> {
    let code = source.byte()?;
    let mut key = || Some(i64::from_le_bytes(source.raw(8)?.try_into().ok()?));
    Some(match code {
        0 => IndexedFileState::Rules,
        1 => IndexedFileState::Other,
        2 => IndexedFileState::Read { key: key()? },
        3 => IndexedFileState::Broken { key: key()?, line: source.small()? },
        4 => IndexedFileState::Kept { key: key()?, line: source.small()? },
        5 => IndexedFileState::Skipped { why: source.text()?.to_owned() },
        6 => IndexedFileState::Unreadable { why: source.text()?.to_owned() },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(changed: i64) -> FileStamp {
        FileStamp { size: 1 << 40, modified: -5, changed, inode: u64::MAX }
    }

    #[test]
    fn a_folder_comes_back_as_it_was() {
        let states = [
            IndexedFileState::Rules,
            IndexedFileState::Other,
            IndexedFileState::Read { key: i64::MIN },
            IndexedFileState::Broken { key: 1, line: 7 },
            IndexedFileState::Kept { key: -1, line: 8 },
            IndexedFileState::Skipped { why: "too large".into() },
            IndexedFileState::Unreadable { why: "키".into() },
        ];
        let entry = |(number, state)| IndexedFile {
            name: format!("file-{number}"),
            stamp: (number % 2 == 0).then_some(stamp(1_700_000_000_123_456_789)),
            state,
        };
        let files = states.into_iter().enumerate().map(entry).collect();
        let folder = IndexedFolder { stamp: Some(stamp(0)), files };
        let bytes = folder.encode();
        assert_eq!(IndexedFolder::decode(&bytes), Some(folder));
        for end in 0..bytes.len() {
            assert_eq!(IndexedFolder::decode(&bytes[..end]), None);
        }
    }

    #[test]
    fn a_stamp_is_relied_on_once_its_tick_is_over() {
        let second = 1_000_000_000;
        assert!(!stamp(10 * second + 1).is_settled(10 * second + FINE_TICK));
        assert!(stamp(10 * second + 1).is_settled(10 * second + FINE_TICK + 2));
        // Without parts of a second the clock may be a coarse one.
        assert!(!stamp(10 * second).is_settled(12 * second));
        assert!(stamp(10 * second).is_settled(12 * second + 1));
    }
}
