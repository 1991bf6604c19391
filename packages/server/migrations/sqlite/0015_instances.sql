-- The instances of the service that were running in the last minutes, for the operator. An instance writes its row every minute.
create table instances (
  id text not null primary key,
  -- The host, and the ID of the process.
  name text not null,
  version text not null,
  started_at integer not null,
  seen_at integer not null,
  -- A JSON array: what it reports as degraded, and its notes.
  problems text not null,
  -- Of the disk storage, and when it will be full if it continues to fill. Null: unknown, or S3.
  free_bytes integer,
  full_at integer
) strict, without rowid;

create index instances_by_time on instances (seen_at);
