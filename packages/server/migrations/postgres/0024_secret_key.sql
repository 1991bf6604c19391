-- The ID of the key that encrypts the secrets in this database. The key itself is stored elsewhere. Secrets that an
-- earlier version stored in plain text are encrypted in the background after the next start.
alter table identity add column secret_key_id text;
