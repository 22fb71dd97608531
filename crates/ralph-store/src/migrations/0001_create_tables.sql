CREATE TABLE runs (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    worktree TEXT NOT NULL,
    task_text TEXT NOT NULL,
    task_description TEXT,
    task_targets TEXT NOT NULL,
    task_id TEXT,
    agent_name TEXT NOT NULL,
    agent_command TEXT NOT NULL,
    policy TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT,
    detail TEXT,
    active INTEGER NOT NULL,
    ended INTEGER NOT NULL,
    iteration INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    owner_session TEXT,
    owner_pid INTEGER,
    owner_started INTEGER,
    heartbeat_at INTEGER,
    request TEXT,
    baseline TEXT,
    progress TEXT NOT NULL,
    restarts INTEGER NOT NULL,
    usage TEXT NOT NULL,
    waited TEXT NOT NULL,
    asleep TEXT NOT NULL,
    feedback TEXT NOT NULL,
    last_output TEXT NOT NULL,
    tree TEXT,
    best_iteration INTEGER,
    best_failing INTEGER,
    started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT;

-- The last line of defence: two active runs in one work tree cannot be stored.
CREATE UNIQUE INDEX runs_by_active_worktree ON runs (worktree) WHERE active = 1;
CREATE INDEX runs_by_start ON runs (started_at, seq);
CREATE INDEX runs_by_open_session ON runs (owner_session) WHERE ended = 0;

CREATE TABLE iterations (
    run TEXT NOT NULL REFERENCES runs (id),
    number INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    turn TEXT NOT NULL,
    claim TEXT NOT NULL,
    decision TEXT NOT NULL,
    failing INTEGER NOT NULL,
    tree TEXT,
    approach TEXT,
    usage TEXT NOT NULL,
    gates TEXT NOT NULL,
    changes TEXT NOT NULL,
    text TEXT NOT NULL,
    log TEXT,
    PRIMARY KEY (run, number)
) STRICT;

CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    run TEXT,
    iteration INTEGER,
    session TEXT,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    data TEXT NOT NULL
) STRICT;

CREATE INDEX events_by_run ON events (run, seq) WHERE run IS NOT NULL;
CREATE INDEX events_by_session ON events (session, seq) WHERE session IS NOT NULL;

CREATE TABLE gate_passes (
    gate_key TEXT NOT NULL,
    tree TEXT NOT NULL,
    reading TEXT NOT NULL,
    passed_at INTEGER NOT NULL,
    PRIMARY KEY (gate_key, tree)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    task_id TEXT,
    external TEXT,
    state TEXT NOT NULL,
    mode TEXT NOT NULL,
    last_checkpoint INTEGER,
    resume_context TEXT,
    messages TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_by_task ON sessions (task_id);
CREATE INDEX sessions_by_state ON sessions (state);
CREATE INDEX sessions_by_external ON sessions (external);
