-- The tables of version 0.2.0. The migrations of later versions are separate files: a released file must never change.

-- Without the extension, the filters of names, paths and texts compare every row of the account. Not every role may
-- create it.
do $$
begin
  create extension if not exists pg_trgm;
exception when others then
  raise notice 'pg_trgm cannot be created: %', sqlerrm;
end
$$;

-- Which database this is, and which storage belongs to it: null until the first start has bound one.
create table identity (
  only_row integer primary key check (only_row = 1),
  id text not null,
  storage_id text,
  -- The data folder that `stowage move` is copying to this database; null if no move is unfinished.
  unfinished_move text,
  -- The ID of the key that encrypts the secrets in this database. The key itself is stored elsewhere.
  secret_key_id text
);

insert into identity (only_row, id) values (1, replace(gen_random_uuid()::text, '-', ''));

create table accounts (
  id uuid primary key,
  name text collate "C" not null unique,
  plan_name text not null,
  plan_storage bigint not null check (plan_storage >= 0),
  -- Counters, kept in the same transactions as the rows that they count.
  stored_bytes bigint not null default 0 check (stored_bytes >= 0),
  reserved_bytes bigint not null default 0 check (reserved_bytes >= 0),
  asset_count bigint not null default 0 check (asset_count >= 0),
  created_at timestamptz not null,
  -- Increases whenever the listed assets of the account, or their order, change.
  revision bigint not null default 0,
  -- The object of a version that is no longer kept stays for an hour, for downloads that have begun. Its bytes don't
  -- count as stored, but stored, reserved, superseded and trashed bytes together never exceed the plan: an upload that
  -- needs the room makes the oldest of these removals due immediately.
  superseded_bytes bigint not null default 0 check (superseded_bytes >= 0),
  -- Bytes of assets in the trash, with their versions. They don't count as stored, and the oldest trash gives way to
  -- an upload.
  trash_bytes bigint not null default 0 check (trash_bytes >= 0),
  -- All ready assets up to this ID are being moved to the trash. Null when that is done.
  trash_until uuid,
  -- The ID of the account's last event. The transaction that records an event increments it and holds the row until the
  -- commit: the IDs are in the order of the commits, without gaps.
  last_event bigint not null default 0,
  -- The highest ID that was forgotten. Events up to this one may be missing.
  forgotten_event bigint not null default 0,
  -- Who asked to move all assets to the trash: the actor of the events. Null if trash_until is null.
  trash_until_by text,
  -- The stored bytes of the account's events up to `counted_event`, for the limit of stored events. A job counts new
  -- events shortly after they were recorded.
  event_bytes bigint not null default 0,
  counted_event bigint not null default 0,
  -- How often all assets of the account were to be moved to the trash. A batch that belongs to an earlier call must not
  -- end a later one.
  trash_calls bigint not null default 0,
  -- The assets up to this ID are done: see trash_until. Null: none.
  trash_after uuid,
  -- The time of the event `forgotten_event`, with which a reader that continues after it is recognized. Null:
  -- unknown.
  forgotten_event_at timestamptz(3)
);

create index accounts_being_trashed on accounts (id) where trash_until is not null;

-- Assets that became ready or were restored after the call that set trash_until. They are not moved to the trash.
-- Without references: the rows are deleted when the last asset was moved.
create table trash_exceptions (
  account_id uuid not null,
  asset_id uuid not null,
  primary key (account_id, asset_id)
);

create table keys (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  name text not null,
  scope text not null check (scope in ('read', 'write', 'manage')),
  -- SHA-256 of the secret.
  hash text not null unique,
  hint text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);

create index keys_of_account on keys (account_id, id);
-- To remove keys that were revoked long ago.
create index keys_by_revocation on keys (revoked_at) where revoked_at is not null;

-- Browsers that are signed in to the dashboard. The token itself is only in the browser's cookie.
create table sessions (
  token_hash text primary key,
  key_id text not null,
  key_hash text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);

create index sessions_by_key on sessions (key_id, created_at);
create index sessions_by_expiry on sessions (expires_at);

-- The number of requests of each caller per minute. A crash may lose it.
create unlogged table request_counts (
  who text not null,
  window_start timestamptz not null,
  count integer not null,
  primary key (who, window_start)
);

-- Each version of a file is an object of its own in the storage, and no object is ever overwritten. The row of an asset
-- describes the current version; asset_versions has the others.
--
-- The upload of a new version is a row of its own, whose ID is the key of the new object. It refers to the asset that
-- it replaces, and never becomes ready: once it is completed, its status is `deleted` and became_version is the number
-- of its version.
create table assets (
  -- The indexes of names and paths, and the attachments, refer to assets by this number.
  id uuid primary key,
  account_id uuid not null references accounts (id),
  kind text not null check (kind in ('file', 'link')),
  status text not null
    check (status in ('uploading', 'completing', 'ready', 'cancelled', 'expired', 'deleted')),
  filename text not null,
  -- The name as `foldText` returns it. Compared by code points, as on every engine.
  search_name text collate "C" not null,
  bytes bigint not null check (bytes >= 0),
  mime text not null,
  url text,
  created_at timestamptz not null,
  -- The upload of a file: its ID, its ID in the storage, the size of its parts and its end.
  upload_id uuid,
  storage_id text,
  chunk_size bigint,
  expires_at timestamptz,
  -- When the row last changed its status.
  changed_at timestamptz not null,
  idempotency_key text,
  request_digest text,
  -- Whether the asset has any product. Kept in the same transactions as the attachments.
  attached boolean not null default false,
  -- When an interrupted completion was last continued, plus a pause that grows: completions that fail must not delay
  -- others. Null: never.
  retry_at timestamptz,
  -- The key that started an upload. Both are null if the service requires no key. The key from the settings has a name
  -- but no ID.
  started_by_id uuid,
  started_by_name text,
  -- The folder that an asset came from, with a slash at its end: a folder and everything below it are then one range of
  -- texts. Null if it came from none.
  folder text collate "C",
  -- The name as `sortName` returns it: numbers are sorted by their value.
  sort_name text collate "C" not null,
  version integer not null default 1,
  -- The highest number that a version of the asset ever had. No number is used twice.
  last_version integer not null default 1,
  -- How often another version became the current one.
  version_changes integer not null default 0,
  -- The key of the current version's object. Null: the ID of the asset.
  object_key uuid,
  -- When the current version was requested. Null: together with the asset.
  version_created_at timestamptz,
  -- When the asset last changed. Null: never.
  updated_at timestamptz(3),
  replaces uuid,
  -- Whether the new version keeps the name of the asset.
  keeps_name boolean not null default false,
  became_version integer,
  -- The path as `searchPath` returns it, for `search`. Null if the asset has no folder.
  search_path text collate "C",
  -- When a deleted asset was moved to the trash. Null: it is not in the trash. A deleted asset in the trash keeps its
  -- objects and its versions, and can be restored.
  trashed_at timestamptz(3),
  -- The token that started the upload, which may be forgotten by now, and the bytes that count toward its limit. They
  -- stay the same when the asset gets another version.
  token_id uuid,
  token_bytes bigint
);

create index assets_expiring on assets (expires_at) where status = 'uploading';
create unique index assets_idempotency on assets (account_id, idempotency_key)
  where idempotency_key is not null;
create index assets_by_bytes on assets (account_id, bytes, id) where status = 'ready';
create index assets_by_kind on assets (account_id, kind, id) where status = 'ready';
create index assets_by_attached on assets (account_id, attached, id) where status = 'ready';
-- With the name, so that a block is counted without reading the rows.
create index assets_ready on assets (account_id, id, search_name) where status = 'ready';
create index assets_completing on assets (coalesce(retry_at, changed_at))
  where status = 'completing';
-- The first one finds the assets of a folder, the second one counts those of a block without reading the rows.
create index assets_by_folder on assets (account_id, folder, id)
  where status = 'ready' and folder is not null;
create index assets_in_folders on assets (account_id, id, folder)
  where status = 'ready' and folder is not null;
-- With the name, so that the matches of a filter are counted without reading the rows.
create index assets_unfinished on assets (account_id, id, search_name)
  where status in ('uploading', 'completing');
-- One replacement at a time.
create unique index assets_replacing on assets (replaces)
  where replaces is not null and status in ('uploading', 'completing');
create index assets_replacements on assets (replaces, upload_id) where replaces is not null;
create unique index assets_by_object on assets (object_key) where object_key is not null;
-- With the name, so that a filter skips rows in the index alone.
create index assets_by_name on assets (account_id, sort_name, id) include (search_name)
  where status = 'ready';
-- Oldest first, as uploads that need the room and the list of the trash read it; and of all accounts.
create index assets_in_trash on assets (account_id, trashed_at, id) where trashed_at is not null;
create index assets_trashed on assets (trashed_at) where trashed_at is not null;
-- Assets in the trash are not forgotten.
create index assets_ended on assets (changed_at)
  where status in ('cancelled', 'expired', 'deleted') and trashed_at is null;
create index assets_by_token on assets (token_id) where token_id is not null;

create table asset_versions (
  asset_id uuid not null references assets (id) on delete cascade,
  account_id uuid not null references accounts (id),
  version integer not null,
  object_key uuid not null unique,
  storage_id text,
  chunk_size bigint not null,
  filename text not null,
  bytes bigint not null check (bytes >= 0),
  mime text not null,
  created_at timestamptz not null,
  -- The asset's version_changes when this version was last replaced. The lowest one is removed first.
  replaced_in integer not null,
  -- Whether the asset is in the trash. Then the bytes of the version don't count as stored.
  trashed boolean not null default false,
  primary key (asset_id, version)
);

-- For the sums of an account.
create index asset_versions_of_account on asset_versions (account_id, trashed, bytes);

create table products (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  product_id bigint not null,
  variant_id bigint not null,
  name text not null,
  variant_name text not null,
  sku text not null,
  vendor text not null,
  tags text[] not null,
  -- Name with variant name, vendor, tags and SKU as `foldText` returns them.
  search_name text collate "C" not null,
  search_vendor text not null,
  search_tags text[] not null,
  search_sku text collate "C" not null,
  -- The text for `search`. No word has a space, so that no word is found across two of the texts.
  search_text text collate "C" generated always as (
    search_name || ' ' || search_sku || ' ' || search_vendor
  ) stored,
  changed_at timestamptz not null default now(),
  unique (account_id, product_id, variant_id)
);

create index products_newest on products (account_id, id);
create index products_by_variant on products (account_id, variant_id);
create index products_by_sku on products (account_id, sku);
create index products_by_vendor on products (account_id, search_vendor);
create index products_by_tag on products using gin (search_tags);

create table asset_products (
  asset_id uuid not null references assets (id) on delete cascade,
  product_id uuid not null references products (id) on delete cascade,
  primary key (asset_id, product_id)
);

create index asset_products_of_product on asset_products (product_id, asset_id);

-- The products of assets in the trash. By ID and without a reference: a product may be deleted meanwhile.
create table trashed_attachments (
  asset_id uuid not null references assets (id) on delete cascade,
  product_id uuid not null,
  primary key (asset_id, product_id)
);

do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index assets_names on assets using gin (search_name gin_trgm_ops) where status = 'ready';
    create index assets_paths on assets using gin (search_path gin_trgm_ops)
      where status = 'ready' and folder is not null;
    create index products_names on products using gin (search_name gin_trgm_ops);
    create index products_texts on products using gin (search_text gin_trgm_ops);
  end if;
end
$$;

-- The ready assets of an account in blocks of one to two thousand, ordered by ID. A page in the middle is found by
-- adding up the blocks before it, and the cached count of a block is only computed again after the block has changed.
create table asset_blocks (
  account_id uuid not null references accounts (id),
  -- A block ends where the next one begins. The first one begins before any ID.
  first_id uuid not null,
  assets bigint not null check (assets >= 0),
  -- The revision of the account when the block last changed.
  revision bigint not null,
  primary key (account_id, first_id)
) with (fillfactor = 50);

-- Splits blocks of a thousand off a block, until it has less than two thousand assets.
create function split_block(account uuid, block uuid, size bigint, current bigint)
returns void as $$
declare
  middle uuid;
begin
  while size >= 2000 loop
    select id into middle from assets
    where account_id = account and status = 'ready' and id >= block
    order by id limit 1 offset 1000;
    size := size - 1000;
    update asset_blocks set assets = 1000 where account_id = account and first_id = block;
    insert into asset_blocks (account_id, first_id, assets, revision)
    values (account, middle, size, current);
    block := middle;
  end loop;
end
$$ language plpgsql;

-- Records that an asset of the account was added (1), was removed (-1) or has changed (0).
create function note_listed(account uuid, asset uuid, change integer) returns void as $$
declare
  current bigint;
  changed record;
begin
  -- A transaction that changes blocks holds the account's row: other transactions wait, and each of its statements sees
  -- their changes.
  update accounts set revision = revision + 1 where id = account returning revision into current;
  update asset_blocks set assets = assets + change, revision = current
  where account_id = account and first_id = (
    select first_id from asset_blocks where account_id = account and first_id <= asset
    order by first_id desc limit 1)
  returning first_id, assets into changed;
  if changed.assets >= 2000 then
    perform split_block(account, changed.first_id, changed.assets, current);
  end if;
end
$$ language plpgsql;

-- The same for many assets at once.
create function note_all_listed(account uuid, ids uuid[], change integer) returns void as $$
declare
  current bigint;
begin
  update accounts set revision = revision + 1 where id = account returning revision into current;
  update asset_blocks b set assets = b.assets + change * hit.count, revision = current
  from (
    select (
        select first_id from asset_blocks where account_id = account and first_id <= asset
        order by first_id desc limit 1
      ) as first_id, count(*) as count
    from unnest(ids) as asset group by 1
  ) hit
  where b.account_id = account and b.first_id = hit.first_id;
  perform split_block(account, first_id, assets, current) from asset_blocks
  where account_id = account and assets >= 2000;
end
$$ language plpgsql;

create function accounts_first_block() returns trigger as $$
begin
  insert into asset_blocks (account_id, first_id, assets, revision)
  values (new.id, '00000000-0000-0000-0000-000000000000', 0, new.revision);
  return null;
end
$$ language plpgsql;

create trigger accounts_first_block after insert on accounts
  for each row execute function accounts_first_block();

create function assets_inserted() returns trigger as $$
begin
  perform note_all_listed(account_id, array_agg(id), 1)
  from inserted where status = 'ready' group by account_id order by account_id;
  return null;
end
$$ language plpgsql;

-- For all rows of a statement at once: a move inserts thousands.
create trigger assets_inserted after insert on assets referencing new table as inserted
  for each statement execute function assets_inserted();

create function assets_listed() returns trigger as $$
begin
  perform note_listed(new.account_id, new.id, case new.status when 'ready' then 1 else -1 end);
  return null;
end
$$ language plpgsql;

create trigger assets_listed after update of status on assets for each row
  when ((new.status = 'ready') <> (old.status = 'ready')) execute function assets_listed();

create function assets_changed() returns trigger as $$
begin
  perform note_listed(new.account_id, new.id, 0);
  return null;
end
$$ language plpgsql;

-- The statement that changes `attached` records it, for all rows at once: a product may have thousands.
create trigger assets_changed after update of search_name, bytes, folder, search_path on assets
  for each row
  when (new.status = 'ready' and old.status = 'ready'
    and (new.search_name, new.bytes, new.folder, new.search_path)
      is distinct from (old.search_name, old.bytes, old.folder, old.search_path))
  execute function assets_changed();

create function products_changed() returns trigger as $$
declare
  attached_ids uuid[];
  current bigint;
begin
  select array_agg(asset_id) into attached_ids
  from (select asset_id from asset_products where product_id = new.id limit 1001) l;
  if attached_ids is null then
    return null;
  end if;
  if cardinality(attached_ids) <= 1000 then
    perform note_all_listed(new.account_id, attached_ids, 0);
  else
    -- Faster than finding the blocks.
    update accounts set revision = revision + 1 where id = new.account_id
    returning revision into current;
    update asset_blocks set revision = current where account_id = new.account_id;
  end if;
  return null;
end
$$ language plpgsql;

-- `search` also looks at the products of an asset: a change of their texts changes the blocks of their assets.
-- Deferred, because the account is locked after all products.
create constraint trigger products_changed after update on products
  deferrable initially deferred for each row
  when (new.search_text is distinct from old.search_text) execute function products_changed();

-- A few types that people know, whatever media types clients send.
create function asset_type(kind text, mime text) returns text
language sql immutable parallel safe
return case
  when kind = 'link' then 'link'
  when mime ilike 'image/%' then 'image'
  when mime ilike 'video/%' then 'video'
  when mime ilike 'audio/%' then 'audio'
  when mime ilike 'text/%' then 'document'
  when mime ilike 'application/vnd.openxmlformats-officedocument.%' then 'document'
  when mime ilike 'application/vnd.oasis.opendocument.%' then 'document'
  when mime ilike 'application/vnd.ms-%' then 'document'
  else case lower(trim(split_part(mime, ';', 1)))
    when 'application/pdf' then 'document'
    when 'application/epub+zip' then 'document'
    when 'application/x-mobipocket-ebook' then 'document'
    when 'application/vnd.amazon.ebook' then 'document'
    when 'application/rtf' then 'document'
    when 'application/msword' then 'document'
    when 'application/zip' then 'archive'
    when 'application/x-zip' then 'archive'
    when 'application/x-zip-compressed' then 'archive'
    when 'application/gzip' then 'archive'
    when 'application/x-gzip' then 'archive'
    when 'application/x-tar' then 'archive'
    when 'application/x-gtar' then 'archive'
    when 'application/x-compressed-tar' then 'archive'
    when 'application/x-7z-compressed' then 'archive'
    when 'application/vnd.rar' then 'archive'
    when 'application/x-rar-compressed' then 'archive'
    when 'application/x-rar' then 'archive'
    when 'application/x-bzip' then 'archive'
    when 'application/x-bzip2' then 'archive'
    when 'application/x-xz' then 'archive'
    when 'application/zstd' then 'archive'
    else 'other'
  end
end;

-- Usage of ready assets. Links use no bytes. The triggers below keep it, for every statement that changes assets.
create table usage_by_type (
  account_id uuid not null references accounts (id),
  type text not null,
  bytes bigint not null check (bytes >= 0),
  assets bigint not null check (assets >= 0),
  primary key (account_id, type)
);

-- An account's row is locked before its usage, by every transaction that needs both.
create function count_changed_asset() returns trigger language plpgsql as $$
begin
  perform from accounts where id in (old.account_id, new.account_id) order by id for no key update;
  update usage_by_type
  set bytes = bytes - case old.kind when 'file' then old.bytes else 0 end, assets = assets - 1
  where old.status = 'ready'
    and account_id = old.account_id and type = asset_type(old.kind, old.mime);
  insert into usage_by_type as used (account_id, type, bytes, assets)
  select new.account_id, asset_type(new.kind, new.mime),
    case new.kind when 'file' then new.bytes else 0 end, 1
  where new.status = 'ready'
  on conflict (account_id, type) do update
  set bytes = used.bytes + excluded.bytes, assets = used.assets + 1;
  return null;
end
$$;

-- One statement may insert many assets. Most inserted assets are uploads that begin.
create function count_added_assets() returns trigger language plpgsql as $$
begin
  if not exists (select from added where status = 'ready') then
    return null;
  end if;
  perform from accounts where id in (select account_id from added) order by id for no key update;
  insert into usage_by_type as used (account_id, type, bytes, assets)
  select account_id, asset_type(kind, mime),
    coalesce(sum(bytes) filter (where kind = 'file'), 0), count(*)
  from added where status = 'ready' group by 1, 2
  on conflict (account_id, type) do update
  set bytes = used.bytes + excluded.bytes, assets = used.assets + excluded.assets;
  return null;
end
$$;

create trigger assets_use_on_insert after insert on assets referencing new table as added
for each statement execute function count_added_assets();

create trigger assets_use_on_delete after delete on assets
for each row when (old.status = 'ready') execute function count_changed_asset();

create trigger assets_use_on_update after update of status, kind, bytes, mime, account_id on assets
for each row when (
  (old.status = 'ready' or new.status = 'ready')
  and (old.status, old.kind, old.bytes, old.mime, old.account_id)
    is distinct from (new.status, new.kind, new.bytes, new.mime, new.account_id)
) execute function count_changed_asset();

-- Older versions use bytes of their type, but are no assets. An account's row is locked before its usage.
create function count_added_version() returns trigger language plpgsql as $$
begin
  perform from accounts where id = new.account_id for no key update;
  insert into usage_by_type as used (account_id, type, bytes, assets)
  values (new.account_id, asset_type('file', new.mime), new.bytes, 0)
  on conflict (account_id, type) do update set bytes = used.bytes + excluded.bytes;
  return null;
end
$$;

create function count_removed_version() returns trigger language plpgsql as $$
begin
  perform from accounts where id = old.account_id for no key update;
  update usage_by_type set bytes = bytes - old.bytes
  where account_id = old.account_id and type = asset_type('file', old.mime);
  return null;
end
$$;

create trigger asset_versions_use_on_insert after insert on asset_versions
for each row when (not new.trashed) execute function count_added_version();

create trigger asset_versions_use_on_delete after delete on asset_versions
for each row when (not old.trashed) execute function count_removed_version();

create trigger asset_versions_trashed after update of trashed on asset_versions
for each row when (new.trashed and not old.trashed) execute function count_removed_version();

create trigger asset_versions_restored after update of trashed on asset_versions
for each row when (old.trashed and not new.trashed) execute function count_added_version();

-- Objects and uploads that the storage still has to remove.
create table removals (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('upload', 'object')),
  storage_id text not null,
  key text not null,
  attempts integer not null default 0,
  due_at timestamptz not null,
  -- Set for superseded versions only, until their removal is due.
  account_id uuid,
  bytes bigint
);

create index removals_due on removals (due_at);
create index removals_superseded on removals (account_id, id) where account_id is not null;
create index removals_superseded_key on removals (key) where account_id is not null;

-- One row for each object of a completed upload, by the key of the object: the row stays the same when another
-- version becomes the current one. An upload with a declared digest has its row from the start.
create table checksums (
  object_key uuid not null primary key,
  bytes bigint not null,
  chunk_size bigint not null,
  -- The digest that the bytes must have: declared by the client, or of the first read. Hexadecimal.
  sha256 text,
  -- When the bytes last had this digest.
  verified_at timestamptz(3),
  -- Whether the last read found other bytes, or no object.
  damaged boolean not null default false,
  -- Which job reads the object next. Null: the upload is not completed.
  queue text check (queue in ('new', 'backlog', 'scrub')),
  -- When it is read next. A job that reads it moves this time, so that others skip the object meanwhile.
  due_at timestamptz(3),
  -- The account whose downloads do not get the object, because its bytes have not yet had the declared digest. They get
  -- the previous version, if there is one. Null: downloads get the object.
  withheld_for uuid
);

-- Damaged objects are read again without waiting for the others.
create index checksums_damaged on checksums (due_at) where damaged;
create index checksums_due on checksums (queue, due_at) where queue is not null and withheld_for is null;
-- The smallest object of each account.
create index checksums_withheld on checksums (withheld_for, bytes)
  where withheld_for is not null and queue = 'new';

-- Written in the transaction of each change, which also locks the account: a reference is not necessary.
create table events (
  account_id uuid not null,
  id bigint not null,
  type text collate "C" not null,
  created_at timestamptz(3) not null,
  actor json not null,
  -- The resource right after the change.
  data json not null,
  primary key (account_id, id)
);

create index events_by_type on events (account_id, type, id);

-- Tokens with which web pages upload. The token itself is only in the page.
create table upload_tokens (
  id uuid not null primary key,
  account_id uuid not null references accounts,
  hash text not null unique,
  -- The key that created it: see sessions.
  key_hash text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  max_bytes bigint not null,
  max_files integer not null,
  -- Null: every type.
  media_types text[],
  origin text,
  -- Which products to attach.
  attach json,
  replaces uuid
);

create index upload_tokens_by_expiry on upload_tokens (expires_at);
-- To count the upload tokens of an account that have not expired.
create index upload_tokens_of_account on upload_tokens (account_id, expires_at);

-- Endpoints of an account that its events are sent to.
create table webhooks (
  id uuid not null primary key,
  account_id uuid not null references accounts (id),
  url text not null,
  description text not null,
  -- A JSON array of the types of events that are sent. Null: all types.
  types text,
  -- Encrypted, with the key that `identity.secret_key_id` names. Every request is signed with the secret.
  secret text not null,
  -- A JSON array of replaced secrets, each with the time in milliseconds until which it signs requests.
  previous_secrets text not null,
  -- The account's last event that was turned into a delivery, or that is not sent to this webhook.
  last_event bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  disabled_at timestamptz(3),
  disabled_reason text check (disabled_reason in ('manual', 'failing', 'gone')),
  -- The first failed attempt since the last successful one.
  failing_since timestamptz(3),
  -- How many events were forgotten before they could be sent to the webhook, and when this was last noticed.
  missed_events bigint not null default 0,
  missed_at timestamptz(3),
  check ((disabled_at is null) = (disabled_reason is null))
);

create index webhooks_of_account on webhooks (account_id, id);

-- One row for each event and webhook, and for each ping: the queue of the requests, and their log.
create table deliveries (
  id uuid not null primary key,
  webhook_id uuid not null references webhooks (id) on delete cascade,
  -- Null for a ping.
  event_id bigint,
  type text not null,
  -- Null if the body is built from the event when it is sent. Such an event is kept while a delivery of it is pending.
  body text,
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  created_at timestamptz(3) not null,
  -- When the next attempt is due. During an attempt, the end of its claim: then another instance repeats it.
  due_at timestamptz(3),
  -- The end of the claim of the running attempt.
  claim_ends_at timestamptz(3),
  -- Counts the claims, so that an attempt whose claim has ended does not change the next one.
  claims integer not null default 0,
  failures integer not null default 0,
  -- A JSON array of the last attempts.
  attempts text not null default '[]',
  -- The time of the event, which is part of its public ID: the ID stays the same after the event was forgotten. Null
  -- for a ping.
  event_at timestamptz(3),
  check ((status = 'pending') = (due_at is not null)),
  check (body is not null or event_id is not null)
);

create unique index deliveries_of_event on deliveries (webhook_id, event_id) where event_id is not null;
create index deliveries_of_webhook on deliveries (webhook_id, id);
create index deliveries_due on deliveries (webhook_id, due_at) where status = 'pending';
create index deliveries_claimed on deliveries (webhook_id) where claim_ends_at is not null;
create index deliveries_by_age on deliveries (created_at);
-- The first event with a pending delivery.
create index deliveries_pending_events on deliveries (webhook_id, event_id) where status = 'pending';
