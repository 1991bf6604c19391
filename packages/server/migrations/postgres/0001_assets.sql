create table accounts (
  id uuid primary key,
  name text collate "C" not null unique,
  plan_name text not null,
  plan_storage bigint not null check (plan_storage >= 0),
  -- Counters, kept in the same transactions as the rows that they count.
  stored_bytes bigint not null default 0 check (stored_bytes >= 0),
  reserved_bytes bigint not null default 0 check (reserved_bytes >= 0),
  asset_count bigint not null default 0 check (asset_count >= 0),
  created_at timestamptz not null
);

create table assets (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  kind text not null check (kind in ('file', 'link')),
  status text not null
    check (status in ('uploading', 'completing', 'ready', 'cancelled', 'expired', 'deleted')),
  filename text not null,
  -- The name as `foldText` makes it. Compared by code points, as on every engine.
  search_name text collate "C" not null,
  bytes bigint not null check (bytes >= 0),
  mime text not null,
  url text,
  created_at timestamptz not null,
  -- Of a file: how its parts are cut, and how they arrive.
  upload_id uuid,
  storage_id text,
  chunk_size bigint,
  expires_at timestamptz,
  -- When the row last changed its status.
  changed_at timestamptz not null,
  idempotency_key text,
  request_digest text
);

create index assets_ready on assets (account_id, id) where status = 'ready';
create index assets_expiring on assets (expires_at) where status = 'uploading';
create index assets_completing on assets (changed_at) where status = 'completing';
create index assets_ended on assets (changed_at) where status in ('cancelled', 'expired');
create unique index assets_idempotency on assets (account_id, idempotency_key)
  where idempotency_key is not null;

-- Where the extension may not be created, the name filter looks at every name of the account.
do $$
begin
  create extension if not exists pg_trgm;
exception when others then
  raise notice 'pg_trgm can not be created: %', sqlerrm;
end
$$;

do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index assets_names on assets using gin (search_name gin_trgm_ops) where status = 'ready';
  end if;
end
$$;

-- What the storage still has to let go of.
create table removals (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('upload', 'object')),
  storage_id text not null,
  key text not null,
  attempts integer not null default 0,
  due_at timestamptz not null
);

create index removals_due on removals (due_at);
