//! Numbers about the whole, and numbers given out.

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::Fault;

/// How many documents there are, and how long they are together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) documents: i64,
    pub(crate) length: i64,
}

impl Totals {
    pub(crate) fn read(connection: &Connection) -> Result<Self, Fault> {
        Ok(Self {
            documents: value(connection, "documents")?,
            length: value(connection, "length")?,
        })
    }

    pub(crate) fn write(self, connection: &Connection) -> Result<(), Fault> {
        set(connection, "documents", self.documents)?;
        set(connection, "length", self.length)
    }

    /// The mean length of a document.
    #[expect(clippy::cast_precision_loss, reason = "a mean needs few digits")]
    pub(crate) fn mean(self) -> f32 {
        if self.documents <= 0 { 0.0 } else { self.length as f32 / self.documents as f32 }
    }
}

fn value(connection: &Connection, name: &str) -> Result<i64, Fault> {
    let mut statement = connection.prepare_cached("SELECT value FROM counters WHERE name = ?1")?;
    Ok(statement.query_row([name], |row| row.get(0)).optional()?.unwrap_or(0))
}

fn set(connection: &Connection, name: &str, value: i64) -> Result<(), Fault> {
    let sql = "INSERT OR REPLACE INTO counters VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![name, value])?;
    Ok(())
}

/// Numbers that are given out one after the other and never again.
pub(crate) struct Sequence {
    name: &'static str,
    next: i64,
}

impl Sequence {
    pub(crate) fn documents(connection: &Connection) -> Result<Self, Fault> {
        Self::named(connection, "next document")
    }

    pub(crate) fn chunks(connection: &Connection) -> Result<Self, Fault> {
        Self::named(connection, "next chunk")
    }

    fn named(connection: &Connection, name: &'static str) -> Result<Self, Fault> {
        Ok(Self { name, next: value(connection, name)? })
    }

    pub(crate) fn take(&mut self) -> i64 {
        self.next += 1;
        self.next - 1
    }

    pub(crate) fn write(self, connection: &Connection) -> Result<(), Fault> {
        set(connection, self.name, self.next)
    }
}
