-- How long a gate takes, as far as is known.
CREATE TABLE gate_times (
    gate TEXT NOT NULL PRIMARY KEY,
    millis INTEGER NOT NULL,
    measured_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
