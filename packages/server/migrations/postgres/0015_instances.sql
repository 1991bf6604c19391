-- The instances of the service that were running in the last minutes, for the operator. An instance writes its row every minute.
create table instances (
  id uuid not null primary key,
  -- The host, and the ID of the process.
  name text not null,
  version text not null,
  started_at timestamptz(3) not null,
  seen_at timestamptz(3) not null,
  -- A JSON array: what it reports as degraded, and its notes.
  problems text not null,
  -- Of the disk storage, and when it will be full if it continues to fill. Null: unknown, or S3.
  free_bytes bigint,
  full_at timestamptz(3)
);

create index instances_by_time on instances (seen_at);
