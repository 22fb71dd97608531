-- Only runs that gates judge exclude each other in a work tree; of those that
-- the claim alone judges every session may have one.
ALTER TABLE runs ADD COLUMN gated INTEGER NOT NULL DEFAULT 1;
UPDATE runs SET gated = EXISTS (
    SELECT 1 FROM json_each(runs.policy, '$.gates') WHERE value ->> '$.criterion' <> 'memory'
) WHERE ended = 0 AND json_valid(policy);

DROP INDEX runs_by_active_worktree;
CREATE INDEX runs_by_active_worktree ON runs (worktree) WHERE active = 1;

-- The last line of defence: what excludes each other cannot be stored.
CREATE UNIQUE INDEX runs_by_gated_worktree ON runs (worktree) WHERE active = 1 AND gated = 1;
CREATE UNIQUE INDEX runs_by_active_session ON runs (worktree, owner_session)
    WHERE active = 1 AND owner_session IS NOT NULL;
