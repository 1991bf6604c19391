create table accounts (
  id text primary key,
  name text not null unique,
  plan_name text not null,
  plan_storage integer not null check (plan_storage >= 0),
  -- Counters, kept in the same transactions as the rows that they count.
  stored_bytes integer not null default 0 check (stored_bytes >= 0),
  reserved_bytes integer not null default 0 check (reserved_bytes >= 0),
  asset_count integer not null default 0 check (asset_count >= 0),
  created_at integer not null
) strict, without rowid;

create table assets (
  -- The name index refers to assets by this number.
  seq integer primary key,
  id text not null unique,
  account_id text not null references accounts (id),
  kind text not null check (kind in ('file', 'link')),
  status text not null
    check (status in ('uploading', 'completing', 'ready', 'cancelled', 'expired', 'deleted')),
  filename text not null,
  -- The name as `foldText` makes it.
  search_name text not null,
  bytes integer not null check (bytes >= 0),
  mime text not null,
  url text,
  created_at integer not null,
  -- Of a file: how its parts are cut, and how they arrive.
  upload_id text,
  storage_id text,
  chunk_size integer,
  expires_at integer,
  -- When the row last changed its status.
  changed_at integer not null,
  idempotency_key text,
  request_digest text
) strict;

create index assets_ready on assets (account_id, id) where status = 'ready';
create index assets_expiring on assets (expires_at) where status = 'uploading';
create index assets_completing on assets (changed_at) where status = 'completing';
create index assets_ended on assets (changed_at) where status in ('cancelled', 'expired');
create unique index assets_idempotency on assets (account_id, idempotency_key)
  where idempotency_key is not null;

-- Trigrams of the ready assets' search names. It holds no text and no positions: a match is
-- checked against search_name.
create virtual table asset_names using fts5 (
  search_name,
  content = '',
  contentless_delete = 1,
  detail = none,
  tokenize = 'trigram case_sensitive 1'
);

-- What the storage still has to let go of.
create table removals (
  id integer primary key autoincrement,
  kind text not null check (kind in ('upload', 'object')),
  storage_id text not null,
  key text not null,
  attempts integer not null default 0,
  due_at integer not null
) strict;

create index removals_due on removals (due_at);
