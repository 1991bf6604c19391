-- ZIP archives of several files, which are written while a client downloads them.

-- Of the bytes that `sha256` was computed from. Null: not computed yet.
alter table checksums add column crc32 integer;

create table archives (
  id text not null primary key,
  account_id text not null references accounts (id),
  -- The API key that created it; null if it was not created with a stored key. The archive ends with the key.
  key_id text,
  -- A digest of what was requested and of the versions that it then consisted of.
  selection text not null,
  etag text not null,
  filename text not null,
  bytes integer not null,
  files integer not null,
  links integer not null,
  -- The length of the segments.
  length integer not null,
  -- When it was last requested.
  requested_at integer not null,
  expires_at integer not null
) strict, without rowid;

create unique index archives_by_selection on archives (account_id, selection);
create index archives_by_expiry on archives (expires_at);

-- The entries of an archive, a few hundred in each row.
create table archive_segments (
  archive_id text not null references archives (id) on delete cascade,
  number integer not null,
  -- The position of the first entry, and of its entry in the directory.
  start integer not null,
  directory_start integer not null,
  entries integer not null,
  -- As JSON.
  content text not null,
  primary key (archive_id, number)
) strict, without rowid;
