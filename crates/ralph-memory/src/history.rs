//! What git already knows: which files were touched for which words.
//!
//! [`CommitHistory`] keeps what was read of commits, by their names. A commit never
//! changes, so nothing in it grows old; which commits count, and in which
//! order, is told by the caller each time. [`CommitCorpus`] holds those in memory and
//! answers which files a task will touch.
//!
//! There is no index on disk. A question has some dozens of terms, and going
//! through all terms of ten thousand commits takes a few milliseconds, less
//! than it takes to read them.

mod message;
mod past;
mod rank;
mod stored;
mod weights;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use self::stored::StoredCommit;
use crate::analysis::TextAnalyzer;
use crate::error::{MemoryError, StorageFault};
use crate::store::open::{self, DatabaseLayout, LockPatience};

pub use past::{CommitCorpus, PresentFile};
pub use rank::{FileQuery, LikelyFile, LikelyReason};
pub use weights::FileRankWeights;

/// So many branches are remembered, for those who go to and fro.
const LINES: i64 = 8;

/// The version changes with how words are cut, too.
const LAYOUT: DatabaseLayout = DatabaseLayout {
    version: 6,
    tables: "
    CREATE TABLE commits (id TEXT PRIMARY KEY, facts BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE lines (
        number INTEGER PRIMARY KEY, head TEXT NOT NULL, most INTEGER NOT NULL, ids TEXT NOT NULL,
        UNIQUE (head, most)
    );
",
};

/// One commit and the files it touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryCommit {
    /// Its name.
    pub id: String,
    /// When it was committed, in seconds since 1970.
    pub at: i64,
    /// The first line of its message.
    pub subject: String,
    /// The rest of its message.
    pub body: String,
    /// The files it touched, as they are named after it.
    pub files: Vec<String>,
    /// Files that were moved: the old and the new path.
    pub renames: Vec<(String, String)>,
}

/// The name of the file.
const FILE: &str = "history.1.db";

/// What was read of commits, in a file of its own.
///
/// It is derived data: a damaged or older file is deleted and begun anew.
pub struct CommitHistory {
    connection: Connection,
    path: PathBuf,
    analyzer: TextAnalyzer,
}

impl CommitHistory {
    /// Opens the history of a folder, and creates both if needed.
    pub fn open(dir: &Path) -> Result<Self, MemoryError> {
        let path = dir.join(FILE);
        open::create_folder(dir)?;
        let connect = || open::connect(&path, &LAYOUT, LockPatience::Long);
        let connected = match connect() {
            Err(StorageFault::Damaged(_) | StorageFault::NewerSchema(_)) => {
                let trouble = |source| MemoryError::Io { path: path.clone(), source };
                open::remove(&path).map_err(trouble)?;
                connect()
            }
            connected => connected,
        };
        let connection = match connected {
            Ok(connection) if connection.is_readonly(rusqlite::MAIN_DB).unwrap_or(false) => {
                open::open_nowhere(&LAYOUT)
            }
            Err(fault) if fault.is_refusal() => open::open_nowhere(&LAYOUT),
            connected => connected,
        };
        // Where nothing can be kept it is read anew each time.
        let connection = connection.map_err(|fault| fault.at(&path))?;
        Ok(Self { connection, path, analyzer: TextAnalyzer::default() })
    }

    /// Whether commits were ever read.
    pub fn exists(dir: &Path) -> bool {
        dir.join(FILE).exists()
    }

    /// Forgets everything.
    pub fn clear(&self) -> Result<(), MemoryError> {
        self.write(|tx| Ok(tx.execute_batch("DELETE FROM commits; DELETE FROM lines")?))
    }

    /// The commits that lead to `head`, if they were told before with the same
    /// limit.
    pub fn line(&self, head: &str, most: usize) -> Result<Option<Vec<String>>, MemoryError> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let ids: Result<Option<String>, _> = self
            .connection
            .prepare_cached("SELECT ids FROM lines WHERE head = ?1 AND most = ?2")
            .and_then(|mut found| {
                found.query_row(params![head, most], |row| row.get(0)).optional()
            });
        let ids = ids.map_err(|error| StorageFault::from(error).at(&self.path))?;
        Ok(ids.map(|ids| ids.lines().map(str::to_owned).collect()))
    }

    /// Remembers the commits that lead to `head`, newest first.
    pub fn set_line(&self, head: &str, most: usize, line: &[String]) -> Result<(), MemoryError> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.write(|tx| {
            tx.execute(
                "INSERT OR REPLACE INTO lines (head, most, ids) VALUES (?1, ?2, ?3)",
                params![head, most, line.join("\n")],
            )?;
            tx.execute(
                "DELETE FROM lines WHERE number <= (SELECT max(number) FROM lines) - ?1",
                [LINES],
            )?;
            Ok(())
        })?;
        // Whoever asks next should not have to read all of it.
        open::fold_log(&self.connection);
        Ok(())
    }

    /// Those of the commits that were not read yet.
    pub fn unknown(&self, line: &[String]) -> Result<Vec<String>, MemoryError> {
        let find = || -> Result<Vec<String>, StorageFault> {
            // Outside of a transaction each question would take locks of its own.
            let tx = Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred)?;
            let mut known = tx.prepare("SELECT 1 FROM commits WHERE id = ?1")?;
            let mut unknown = Vec::new();
            for id in line {
                if !known.exists([id])? {
                    unknown.push(id.clone());
                }
            }
            Ok(unknown)
        };
        find().map_err(|fault| fault.at(&self.path))
    }

    /// Keeps commits, all or none of them.
    pub fn add(&mut self, commits: Vec<HistoryCommit>) -> Result<(), MemoryError> {
        let analyzer = &mut self.analyzer;
        let rows: Vec<(String, Vec<u8>)> = commits
            .into_iter()
            .map(|commit| (commit.id.clone(), StoredCommit::new(analyzer, commit).bytes()))
            .collect();
        self.write(|tx| {
            let mut put =
                tx.prepare("INSERT OR REPLACE INTO commits (id, facts) VALUES (?1, ?2)")?;
            for row in &rows {
                put.execute(params![row.0, row.1])?;
            }
            Ok(())
        })
    }

    /// Loads the commits of a line, newest first. Those that were never read
    /// are passed over.
    pub fn past(
        &self,
        line: &[String],
        files: Vec<PresentFile>,
    ) -> Result<CommitCorpus, MemoryError> {
        let load = || -> Result<CommitCorpus, StorageFault> {
            let tx = Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred)?;
            let mut found = tx.prepare("SELECT facts FROM commits WHERE id = ?1")?;
            let mut commits = Vec::with_capacity(line.len());
            for id in line {
                let read = |row: &Row<'_>| Ok(row.get_ref(0)?.as_blob().map(StoredCommit::read));
                let Some(facts) = found.query_row([id], read).optional()? else { continue };
                let damaged = || StorageFault::Damaged(format!("commit {id} cannot be read"));
                commits.push((id.clone(), facts.ok().flatten().ok_or_else(damaged)?));
            }
            Ok(CommitCorpus::new(commits, files))
        };
        load().map_err(|fault| fault.at(&self.path))
    }

    fn write(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<(), StorageFault>,
    ) -> Result<(), MemoryError> {
        let run = || -> Result<(), StorageFault> {
            let tx = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            work(&tx)?;
            Ok(tx.commit()?)
        };
        run().map_err(|fault| fault.at(&self.path))
    }
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
