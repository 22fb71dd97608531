-- What the host of a run still has to do; NULL for nothing.
ALTER TABLE runs ADD COLUMN errands TEXT;
