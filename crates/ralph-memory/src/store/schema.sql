-- Counters: documents, their length together, the next free numbers.
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

-- Names of kinds, scopes and groups, so that places hold numbers.
CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

-- A note keeps its number for life. All that became of it is in one text; what
-- is asked for alone has a column.
CREATE TABLE notes (
    doc INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    external_id TEXT,
    text_key INTEGER NOT NULL,
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    retired INTEGER NOT NULL,
    verified INTEGER NOT NULL,
    note TEXT NOT NULL
);
CREATE INDEX notes_by_external_id ON notes (external_id) WHERE external_id IS NOT NULL;
CREATE INDEX notes_by_text ON notes (text_key);

-- Notes that are named as neighbours and are not there yet.
CREATE TABLE expected (
    name TEXT NOT NULL,
    doc INTEGER NOT NULL,
    side INTEGER NOT NULL,
    PRIMARY KEY (name, doc, side)
) WITHOUT ROWID;

-- Which document has which word where. The words are cut before, and joined by
-- spaces; texts are not kept a second time, nor where in a column a word is.
CREATE VIRTUAL TABLE words USING fts5 (
    title, name, path, body, why,
    content = '', contentless_delete = 1, detail = column,
    tokenize = "ascii tokenchars '_-./:'''"
);
CREATE VIRTUAL TABLE word_places USING fts5vocab (words, instance);
CREATE VIRTUAL TABLE word_counts USING fts5vocab (words, row);

-- What a search has to know of documents, 320 in a row.
CREATE TABLE places (slice INTEGER PRIMARY KEY, documents BLOB NOT NULL);

-- Which notes are about which file.
CREATE TABLE note_files (
    file TEXT NOT NULL,
    doc INTEGER NOT NULL,
    PRIMARY KEY (file, doc)
) WITHOUT ROWID;

-- Notes that took part in a turn whose checks have had no end yet.
CREATE TABLE turns (
    turn TEXT NOT NULL,
    id TEXT NOT NULL,
    part INTEGER NOT NULL,
    PRIMARY KEY (turn, id)
) WITHOUT ROWID;

-- Lines of the log that nobody can read.
CREATE TABLE damage (
    path TEXT NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (path, place)
) WITHOUT ROWID;

-- What was tried, the latest last.
CREATE TABLE attempts (
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    run TEXT,
    place TEXT NOT NULL,
    tried TEXT NOT NULL
);
CREATE TABLE attempt_files (
    file TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    PRIMARY KEY (file, attempt)
) WITHOUT ROWID;

-- Notes that were kept along with commits and stand or fall with them.
CREATE TABLE landings (
    id TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (id, hash)
) WITHOUT ROWID;

-- Notes with a check that can be run.
CREATE TABLE invariants (id TEXT PRIMARY KEY, invariant TEXT NOT NULL) WITHOUT ROWID;

-- Sessions of agents, each as one text. The names of columns are those that others know
-- them by.
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    resume_context TEXT NOT NULL,
    task_id TEXT AS (session ->> 'task'),
    session_id TEXT AS (session ->> 'external'),
    state TEXT AS (session ->> 'state'),
    mode TEXT AS (session ->> 'mode'),
    worktree TEXT AS (session ->> 'worktree'),
    run TEXT AS (session ->> 'run'),
    last_checkpoint INTEGER AS (session ->> 'last_checkpoint'),
    messages TEXT AS (session ->> 'messages'),
    files TEXT AS (session ->> 'files'),
    last_failure TEXT AS (session ->> 'last_failure'),
    created INTEGER AS (session ->> 'created'),
    updated INTEGER AS (session ->> 'updated')
) WITHOUT ROWID;
CREATE INDEX sessions_by_task ON sessions (task_id);
CREATE INDEX sessions_by_state ON sessions (state);
CREATE INDEX sessions_by_session_id ON sessions (session_id);
CREATE INDEX sessions_by_updated ON sessions (updated);

-- What was done in sessions and committed, in the order of the log.
CREATE TABLE observations (
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    observation TEXT NOT NULL
);
CREATE INDEX observations_by_time ON observations (at);
CREATE TABLE observation_files (
    file TEXT NOT NULL,
    observation INTEGER NOT NULL,
    PRIMARY KEY (file, observation)
) WITHOUT ROWID;

-- Commits that were noticed; the latest one of a work tree is where the next
-- look begins.
CREATE TABLE commits (hash TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
