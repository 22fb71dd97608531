//! Numbers about the whole, and numbers given out.

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::StorageFault;
use crate::log::LogPosition;

/// The counter that says whether notes of older versions were looked through.
const MIGRATED: &str = "migrated";

/// How many documents there are, and how long they are together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DocumentTotals {
    pub(crate) documents: i64,
    pub(crate) length: i64,
}

impl DocumentTotals {
    pub(crate) fn read(connection: &Connection) -> Result<Self, StorageFault> {
        Ok(Self {
            documents: value(connection, "documents")?,
            length: value(connection, "length")?,
        })
    }

    pub(crate) fn write(self, connection: &Connection) -> Result<(), StorageFault> {
        set(connection, "documents", self.documents)?;
        set(connection, "length", self.length)
    }

    /// Counts a document of one length in place of one of another, if any.
    pub(crate) fn replace(&mut self, before: Option<u32>, now: Option<u32>) {
        self.documents += i64::from(now.is_some()) - i64::from(before.is_some());
        self.length += i64::from(now.unwrap_or(0)) - i64::from(before.unwrap_or(0));
    }

    /// How many there are, to reckon with.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    pub(crate) fn documents(self) -> f64 {
        self.documents as f64
    }

    /// A length in relation to the mean.
    #[expect(clippy::cast_precision_loss, reason = "a mean needs few digits")]
    pub(crate) fn relative(self, length: u32) -> f32 {
        if self.length <= 0 {
            return 1.0;
        }
        length as f32 * self.documents as f32 / self.length as f32
    }
}

fn value(connection: &Connection, name: &str) -> Result<i64, StorageFault> {
    let mut statement = connection.prepare_cached("SELECT value FROM counters WHERE name = ?1")?;
    Ok(statement.query_row([name], |row| row.get(0)).optional()?.unwrap_or(0))
}

fn set(connection: &Connection, name: &str, value: i64) -> Result<(), StorageFault> {
    let sql = "INSERT OR REPLACE INTO counters VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![name, value])?;
    Ok(())
}

/// How far the log was read.
pub(crate) fn position(connection: &Connection) -> Result<LogPosition, StorageFault> {
    let file = value(connection, "log file")?;
    let offset = value(connection, "log offset")?;
    Ok(LogPosition {
        file: u32::try_from(file).unwrap_or(0),
        offset: u64::try_from(offset).unwrap_or(0),
    })
}

pub(crate) fn set_position(connection: &Connection, at: LogPosition) -> Result<(), StorageFault> {
    set(connection, "log file", i64::from(at.file))?;
    set(connection, "log offset", i64::try_from(at.offset).unwrap_or(i64::MAX))
}

/// Whether notes were looked through for those that older versions generated.
pub(crate) fn is_migrated(connection: &Connection) -> Result<bool, StorageFault> {
    Ok(value(connection, MIGRATED)? > 0)
}

pub(crate) fn set_migrated(connection: &Connection) -> Result<(), StorageFault> {
    set(connection, MIGRATED, 1)
}

/// Returns the number of the next new document. None is ever given out twice.
pub(crate) fn next_document(connection: &Connection) -> Result<i64, StorageFault> {
    value(connection, "next document")
}

pub(crate) fn set_next_document(connection: &Connection, next: i64) -> Result<(), StorageFault> {
    set(connection, "next document", next)
}
