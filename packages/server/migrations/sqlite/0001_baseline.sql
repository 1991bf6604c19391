-- The tables of version 0.2.0. The migrations of later versions are separate files: a released file must never change.
--
-- Times are in milliseconds since 1970. The order of the indexes and triggers is deliberate: SQLite considers indexes
-- and fires triggers in the order of their creation.

-- Which database this is, and which storage belongs to it: null until the first start has bound one.
create table identity (
  only_row integer primary key check (only_row = 1),
  id text not null,
  storage_id text,
  -- The data folder that `stowage move` is copying to this database; null if no move is unfinished.
  unfinished_move text,
  -- The ID of the key that encrypts the secrets in this database. The key itself is stored elsewhere.
  secret_key_id text
) strict;

insert into identity (only_row, id) values (1, lower(hex(randomblob(16))));

create table accounts (
  id text primary key,
  name text not null unique,
  plan_name text not null,
  plan_storage integer not null check (plan_storage >= 0),
  -- Counters, kept in the same transactions as the rows that they count.
  stored_bytes integer not null default 0 check (stored_bytes >= 0),
  reserved_bytes integer not null default 0 check (reserved_bytes >= 0),
  asset_count integer not null default 0 check (asset_count >= 0),
  created_at integer not null,
  -- Increases whenever the listed assets of the account, or their order, change.
  revision integer not null default 0,
  -- The object of a version that is no longer kept stays for an hour, for downloads that have begun. Its bytes don't
  -- count as stored, but stored, reserved, superseded and trashed bytes together never exceed the plan: an upload that
  -- needs the room makes the oldest of these removals due immediately.
  superseded_bytes integer not null default 0 check (superseded_bytes >= 0),
  -- Bytes of assets in the trash, with their versions. They don't count as stored, and the oldest trash gives way to
  -- an upload.
  trash_bytes integer not null default 0 check (trash_bytes >= 0),
  -- All ready assets up to this ID are being moved to the trash. Null when that is done.
  trash_until text,
  -- The ID of the account's last event. The IDs are in the order of the commits, without gaps.
  last_event integer not null default 0,
  -- The highest ID that was forgotten. Events up to this one may be missing.
  forgotten_event integer not null default 0,
  -- Who asked to move all assets to the trash: the actor of the events. Null if trash_until is null.
  trash_until_by text,
  -- The stored bytes of the account's events up to `counted_event`, for the limit of stored events. A job counts new
  -- events shortly after they were recorded.
  event_bytes integer not null default 0,
  counted_event integer not null default 0,
  -- The assets up to this ID are done: see trash_until. Null: none.
  trash_after text,
  -- The time of the event `forgotten_event`, with which a reader that continues after it is recognized. Null:
  -- unknown.
  forgotten_event_at integer
) strict, without rowid;

create index accounts_being_trashed on accounts (id) where trash_until is not null;

-- Assets that became ready or were restored after the call that set trash_until. They are not moved to the trash.
-- Without references: the rows are deleted when the last asset was moved.
create table trash_exceptions (
  account_id text not null,
  asset_id text not null,
  primary key (account_id, asset_id)
) strict, without rowid;

create table keys (
  id text primary key,
  account_id text not null references accounts (id),
  name text not null,
  scope text not null check (scope in ('read', 'write', 'manage')),
  -- SHA-256 of the secret.
  hash text not null unique,
  hint text not null,
  created_at integer not null,
  last_used_at integer,
  revoked_at integer
) strict, without rowid;

create index keys_of_account on keys (account_id, id);
-- To remove keys that were revoked long ago.
create index keys_by_revocation on keys (revoked_at) where revoked_at is not null;

-- Browsers that are signed in to the dashboard. The token itself is only in the browser's cookie.
create table sessions (
  token_hash text primary key,
  key_id text not null,
  key_hash text not null,
  created_at integer not null,
  expires_at integer not null
) strict, without rowid;

create index sessions_by_key on sessions (key_id, created_at);
create index sessions_by_expiry on sessions (expires_at);

-- Each version of a file is an object of its own in the storage, and no object is ever overwritten. The row of an asset
-- describes the current version; asset_versions has the others.
--
-- The upload of a new version is a row of its own, whose ID is the key of the new object. It refers to the asset that
-- it replaces, and never becomes ready: once it is completed, its status is `deleted` and became_version is the number
-- of its version.
create table assets (
  -- The indexes of names and paths, and the attachments, refer to assets by this number.
  seq integer primary key,
  id text not null unique,
  account_id text not null references accounts (id),
  kind text not null check (kind in ('file', 'link')),
  status text not null
    check (status in ('uploading', 'completing', 'ready', 'cancelled', 'expired', 'deleted')),
  filename text not null,
  -- The name as `foldText` returns it.
  search_name text not null,
  bytes integer not null check (bytes >= 0),
  mime text not null,
  url text,
  created_at integer not null,
  -- The upload of a file: its ID, its ID in the storage, the size of its parts and its end.
  upload_id text,
  storage_id text,
  chunk_size integer,
  expires_at integer,
  -- When the row last changed its status.
  changed_at integer not null,
  idempotency_key text,
  request_digest text,
  -- Whether the asset has any product. Kept in the same transactions as the attachments.
  attached integer not null default 0 check (attached in (0, 1)),
  -- A few types that people know, whatever media types clients send.
  type text generated always as (
    case
      when kind = 'link' then 'link'
      when mime like 'image/%' then 'image'
      when mime like 'video/%' then 'video'
      when mime like 'audio/%' then 'audio'
      when mime like 'text/%' then 'document'
      when mime like 'application/vnd.openxmlformats-officedocument.%' then 'document'
      when mime like 'application/vnd.oasis.opendocument.%' then 'document'
      when mime like 'application/vnd.ms-%' then 'document'
      else case lower(trim(substr(mime, 1, instr(mime || ';', ';') - 1)))
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
    end
  ) virtual,
  -- When an interrupted completion was last continued, plus a pause that grows: completions that fail must not delay
  -- others. Null: never.
  retry_at integer,
  -- The key that started an upload. Both are null if the service requires no key. The key from the settings has a name
  -- but no ID.
  started_by_id text,
  started_by_name text,
  -- The folder that an asset came from, with a slash at its end: a folder and everything below it are then one range of
  -- texts. Null if it came from none.
  folder text,
  -- How often the attachments have changed.
  attachment_changes integer not null default 0,
  -- The name as `sortName` returns it: numbers are sorted by their value.
  sort_name text not null,
  version integer not null default 1,
  -- The highest number that a version of the asset ever had. No number is used twice.
  last_version integer not null default 1,
  -- How often another version became the current one.
  version_changes integer not null default 0,
  -- The key of the current version's object. Null: the ID of the asset.
  object_key text,
  -- When the current version was requested. Null: together with the asset.
  version_created_at integer,
  -- When the asset last changed. Null: never.
  updated_at integer,
  replaces text,
  -- Whether the new version keeps the name of the asset.
  keeps_name integer not null default 0,
  became_version integer,
  -- The path as `searchPath` returns it, for `search`. Null if the asset has no folder.
  search_path text,
  -- When a deleted asset was moved to the trash. Null: it is not in the trash. A deleted asset in the trash keeps its
  -- objects and its versions, and can be restored.
  trashed_at integer,
  -- The token that started the upload, which may be forgotten by now, and the bytes that count toward its limit. They
  -- stay the same when the asset gets another version.
  token_id text,
  token_bytes integer
) strict;

create index assets_expiring on assets (expires_at) where status = 'uploading';
create unique index assets_idempotency on assets (account_id, idempotency_key)
  where idempotency_key is not null;
create index assets_by_bytes on assets (account_id, bytes, id) where status = 'ready';
create index assets_by_kind on assets (account_id, kind, id) where status = 'ready';
create index assets_by_attached on assets (account_id, attached, id) where status = 'ready';
create index assets_completing on assets (coalesce(retry_at, changed_at))
  where status = 'completing';
-- The first one finds the assets of a folder, the second one counts those of a block without reading the rows.
create index assets_by_folder on assets (account_id, folder, id)
  where status = 'ready' and folder is not null;
create index assets_in_folders on assets (account_id, id, folder)
  where status = 'ready' and folder is not null;
-- With the name, so that the matches of a filter are counted without reading the rows. With the status: SQLite reads
-- the row if the condition of an index has a list of values.
create index assets_unfinished on assets (account_id, id, search_name, status)
  where status in ('uploading', 'completing');
-- One replacement at a time.
create unique index assets_replacing on assets (replaces)
  where replaces is not null and status in ('uploading', 'completing');
create index assets_replacements on assets (replaces, upload_id) where replaces is not null;
create unique index assets_by_object on assets (object_key) where object_key is not null;
-- With the name and the path, so that a block is counted, and rows are skipped, without reading the rows.
create index assets_ready on assets (account_id, id, search_name, search_path) where status = 'ready';
create index assets_by_name on assets (account_id, sort_name, id, search_name, search_path)
  where status = 'ready';
-- Oldest first, as uploads that need the room and the list of the trash read it; and of all accounts.
create index assets_in_trash on assets (account_id, trashed_at, id) where trashed_at is not null;
create index assets_trashed on assets (trashed_at) where trashed_at is not null;
-- Assets in the trash are not forgotten.
create index assets_ended on assets (changed_at)
  where status in ('cancelled', 'expired', 'deleted') and trashed_at is null;
create index assets_by_token on assets (token_id) where token_id is not null;

create table asset_versions (
  asset_id text not null references assets (id) on delete cascade,
  account_id text not null references accounts (id),
  version integer not null,
  object_key text not null unique,
  storage_id text,
  chunk_size integer not null,
  filename text not null,
  bytes integer not null check (bytes >= 0),
  mime text not null,
  created_at integer not null,
  -- The asset's version_changes when this version was last replaced. The lowest one is removed first.
  replaced_in integer not null,
  -- As in assets.
  type text generated always as (
    case
      when mime like 'image/%' then 'image'
      when mime like 'video/%' then 'video'
      when mime like 'audio/%' then 'audio'
      when mime like 'text/%' then 'document'
      when mime like 'application/vnd.openxmlformats-officedocument.%' then 'document'
      when mime like 'application/vnd.oasis.opendocument.%' then 'document'
      when mime like 'application/vnd.ms-%' then 'document'
      else case lower(trim(substr(mime, 1, instr(mime || ';', ';') - 1)))
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
    end
  ) virtual,
  -- Whether the asset is in the trash. Then the bytes of the version don't count as stored.
  trashed integer not null default 0,
  primary key (asset_id, version)
) strict, without rowid;

-- For the sums of an account.
create index asset_versions_of_account on asset_versions (account_id, trashed, bytes);

-- Trigrams of the search names of the ready assets. The index contains no text and no positions: a match is compared
-- with search_name.
create virtual table asset_names using fts5 (
  search_name,
  content = '',
  contentless_delete = 1,
  detail = none,
  tokenize = 'trigram case_sensitive 1'
);

-- Trigrams of the search paths of the ready assets, like those of their names in asset_names.
create virtual table asset_paths using fts5 (
  search_path,
  content = '',
  contentless_delete = 1,
  detail = none,
  tokenize = 'trigram case_sensitive 1'
);

create table products (
  -- The index of texts and the attachments refer to products by this number.
  seq integer primary key,
  id text not null unique,
  account_id text not null references accounts (id),
  product_id integer not null,
  variant_id integer not null,
  name text not null,
  variant_name text not null,
  sku text not null,
  vendor text not null,
  -- A JSON array, as it is shown.
  tags text not null,
  -- Name with variant name, vendor and SKU as `foldText` returns them.
  search_name text not null,
  search_vendor text not null,
  search_sku text not null,
  -- The text for `search`. No word has a space, so that no word is found across two of the texts.
  search_text text generated always as (
    search_name || ' ' || search_sku || ' ' || search_vendor
  ) virtual,
  unique (account_id, product_id, variant_id)
) strict;

create index products_newest on products (account_id, id);
create index products_by_variant on products (account_id, variant_id);
create index products_by_sku on products (account_id, sku);
create index products_by_vendor on products (account_id, search_vendor);

-- Trigrams of the whole text: a name that matches is compared with search_name.
create virtual table product_texts using fts5 (
  search_text,
  content = '',
  contentless_delete = 1,
  detail = none,
  tokenize = 'trigram case_sensitive 1'
);

create table product_tags (
  product_seq integer not null references products (seq) on delete cascade,
  account_id text not null,
  -- Folded.
  tag text not null,
  primary key (account_id, tag, product_seq)
) strict, without rowid;

create index product_tags_of_product on product_tags (product_seq);

create table asset_products (
  asset_seq integer not null references assets (seq) on delete cascade,
  product_seq integer not null references products (seq) on delete cascade,
  primary key (asset_seq, product_seq)
) strict, without rowid;

create index asset_products_of_product on asset_products (product_seq, asset_seq);

-- The products of assets in the trash. By ID and without a reference: a product may be deleted meanwhile.
create table trashed_attachments (
  asset_id text not null references assets (id) on delete cascade,
  product_id text not null,
  primary key (asset_id, product_id)
) strict, without rowid;

-- The ready assets of an account in blocks of one to two thousand, ordered by ID. A page in the middle is found by
-- adding up the blocks before it, and the cached count of a block is only computed again after the block has changed.
create table asset_blocks (
  account_id text not null references accounts (id),
  -- A block ends where the next one begins. The first one begins before any ID.
  first_id text not null,
  assets integer not null check (assets >= 0),
  -- The revision of the account when the block last changed.
  revision integer not null,
  primary key (account_id, first_id)
) strict, without rowid;

-- Usage of ready assets. Links use no bytes. The triggers below keep it, for every statement that changes assets.
create table usage_by_type (
  account_id text not null references accounts (id),
  type text not null,
  bytes integer not null check (bytes >= 0),
  assets integer not null check (assets >= 0),
  primary key (account_id, type)
) strict, without rowid;

create trigger accounts_first_block after insert on accounts begin
  insert into asset_blocks (account_id, first_id, assets, revision)
  values (new.id, '', 0, new.revision);
end;

create trigger assets_inserted after insert on assets when new.status = 'ready' begin
  update accounts set revision = revision + 1 where id = new.account_id;
  update asset_blocks
  set assets = assets + 1, revision = (select revision from accounts where id = new.account_id)
  where account_id = new.account_id and first_id = (
    select max(first_id) from asset_blocks
    where account_id = new.account_id and first_id <= new.id);
end;

create trigger assets_listed after update of status on assets
when (new.status = 'ready') <> (old.status = 'ready') begin
  update accounts set revision = revision + 1 where id = new.account_id;
  update asset_blocks
  set assets = assets + iif(new.status = 'ready', 1, -1),
    revision = (select revision from accounts where id = new.account_id)
  where account_id = new.account_id and first_id = (
    select max(first_id) from asset_blocks
    where account_id = new.account_id and first_id <= new.id);
end;

create trigger asset_blocks_split after update of assets on asset_blocks when new.assets >= 2000 begin
  insert into asset_blocks (account_id, first_id, assets, revision)
  select new.account_id, id, new.assets - 1000, new.revision from assets
  where account_id = new.account_id and status = 'ready' and id >= new.first_id
  order by id limit 1 offset 1000;
  update asset_blocks set assets = 1000
  where account_id = new.account_id and first_id = new.first_id;
end;

create trigger assets_use_on_insert after insert on assets when new.status = 'ready'
begin
  insert into usage_by_type (account_id, type, bytes, assets)
  values (new.account_id, new.type, case new.kind when 'file' then new.bytes else 0 end, 1)
  on conflict (account_id, type) do update
  set bytes = bytes + excluded.bytes, assets = assets + 1;
end;

create trigger assets_use_on_delete after delete on assets when old.status = 'ready'
begin
  update usage_by_type
  set bytes = bytes - case old.kind when 'file' then old.bytes else 0 end, assets = assets - 1
  where account_id = old.account_id and type = old.type;
end;

create trigger assets_use_on_update after update of status, kind, bytes, mime, account_id on assets
when (old.status = 'ready' or new.status = 'ready')
  and (old.status, old.kind, old.bytes, old.mime, old.account_id)
    <> (new.status, new.kind, new.bytes, new.mime, new.account_id)
begin
  update usage_by_type
  set bytes = bytes - case old.kind when 'file' then old.bytes else 0 end, assets = assets - 1
  where old.status = 'ready' and account_id = old.account_id and type = old.type;
  insert into usage_by_type (account_id, type, bytes, assets)
  select new.account_id, new.type, case new.kind when 'file' then new.bytes else 0 end, 1
  where new.status = 'ready'
  on conflict (account_id, type) do update
  set bytes = bytes + excluded.bytes, assets = assets + 1;
end;

-- `search` also looks at the products of an asset: the block of an asset changes with its attachments, and with the
-- texts of its products. If `attached` changes too, assets_changed records it.
create trigger assets_attachments_changed after update of attachment_changes on assets
when new.status = 'ready' and old.status = 'ready' and new.attached = old.attached
  and new.attachment_changes <> old.attachment_changes begin
  update accounts set revision = revision + 1 where id = new.account_id;
  update asset_blocks set revision = (select revision from accounts where id = new.account_id)
  where account_id = new.account_id and first_id = (
    select max(first_id) from asset_blocks
    where account_id = new.account_id and first_id <= new.id);
end;

-- A product with more than a thousand assets changes all blocks, which is faster than finding them.
create trigger products_changed after update on products
when new.search_text <> old.search_text
  and exists (select 1 from asset_products where product_seq = new.seq) begin
  update accounts set revision = revision + 1 where id = new.account_id;
  update asset_blocks set revision = (select revision from accounts where id = new.account_id)
  where account_id = new.account_id and (
    (select count(*) from (
       select 1 from asset_products where product_seq = new.seq limit 1001)) > 1000
    or first_id in (
      select (
        select max(b.first_id) from asset_blocks b
        where b.account_id = new.account_id and b.first_id <= a.id)
      from asset_products l join assets a on a.seq = l.asset_seq
      where l.product_seq = new.seq limit 1000));
end;

create trigger asset_paths_inserted after insert on assets
when new.status = 'ready' and new.search_path is not null begin
  insert into asset_paths (rowid, search_path) values (new.seq, new.search_path);
end;

create trigger asset_paths_removed after update of status, search_path on assets
when old.status = 'ready' and old.search_path is not null
  and (new.status <> 'ready' or new.search_path is null) begin
  delete from asset_paths where rowid = old.seq;
end;

create trigger asset_paths_changed after update of status, search_path on assets
when new.status = 'ready' and new.search_path is not null
  and (old.status <> 'ready' or old.search_path is not new.search_path) begin
  insert or replace into asset_paths (rowid, search_path) values (new.seq, new.search_path);
end;

create trigger assets_changed after update of search_name, bytes, attached, folder, search_path on assets
when new.status = 'ready' and old.status = 'ready'
  and (new.search_name, new.bytes, new.attached, new.folder, new.search_path)
    is not (old.search_name, old.bytes, old.attached, old.folder, old.search_path) begin
  update accounts set revision = revision + 1 where id = new.account_id;
  update asset_blocks set revision = (select revision from accounts where id = new.account_id)
  where account_id = new.account_id and first_id = (
    select max(first_id) from asset_blocks
    where account_id = new.account_id and first_id <= new.id);
end;

-- Older versions use bytes of their type, but are no assets.
create trigger asset_versions_use_on_insert after insert on asset_versions when new.trashed = 0 begin
  insert into usage_by_type (account_id, type, bytes, assets)
  values (new.account_id, new.type, new.bytes, 0)
  on conflict (account_id, type) do update set bytes = bytes + excluded.bytes;
end;

create trigger asset_versions_use_on_delete after delete on asset_versions when old.trashed = 0 begin
  update usage_by_type set bytes = bytes - old.bytes
  where account_id = old.account_id and type = old.type;
end;

create trigger asset_versions_use_on_update after update of trashed on asset_versions
when new.trashed <> old.trashed begin
  insert into usage_by_type (account_id, type, bytes, assets)
  values (new.account_id, new.type, 0, 0)
  on conflict (account_id, type) do nothing;
  update usage_by_type set bytes = bytes + iif(new.trashed, -new.bytes, new.bytes)
  where account_id = new.account_id and type = new.type;
end;

-- Objects and uploads that the storage still has to remove.
create table removals (
  id integer primary key autoincrement,
  kind text not null check (kind in ('upload', 'object')),
  storage_id text not null,
  key text not null,
  attempts integer not null default 0,
  due_at integer not null,
  -- Set for superseded versions only, until their removal is due.
  account_id text,
  bytes integer
) strict;

create index removals_due on removals (due_at);
create index removals_superseded on removals (account_id, id) where account_id is not null;
create index removals_superseded_key on removals (key) where account_id is not null;

-- One row for each object of a completed upload, by the key of the object: the row stays the same when another
-- version becomes the current one. An upload with a declared digest has its row from the start.
create table checksums (
  object_key text not null primary key,
  bytes integer not null,
  chunk_size integer not null,
  -- The digest that the bytes must have: declared by the client, or of the first read. Hexadecimal.
  sha256 text,
  -- When the bytes last had this digest.
  verified_at integer,
  -- Whether the last read found other bytes, or no object.
  damaged integer not null default 0,
  -- Which job reads the object next. Null: the upload is not completed.
  queue text check (queue in ('new', 'backlog', 'scrub')),
  -- When it is read next. A job that reads it moves this time, so that others skip the object meanwhile.
  due_at integer,
  -- The account whose downloads do not get the object, because its bytes have not yet had the declared digest. They get
  -- the previous version, if there is one. Null: downloads get the object.
  withheld_for text
) strict, without rowid;

-- Damaged objects are read again without waiting for the others.
create index checksums_damaged on checksums (due_at) where damaged = 1;
create index checksums_due on checksums (queue, due_at) where queue is not null and withheld_for is null;
-- The smallest object of each account.
create index checksums_withheld on checksums (withheld_for, bytes)
  where withheld_for is not null and queue = 'new';

-- Written in the transaction of each change.
create table events (
  -- The order in which the events of all accounts were recorded, and in which they are forgotten.
  seq integer primary key,
  account_id text not null,
  id integer not null,
  type text not null,
  created_at integer not null,
  actor text not null,
  -- The resource right after the change, as JSON.
  data text not null
) strict;

create unique index events_of_account on events (account_id, id);
create index events_by_type on events (account_id, type, id);

-- Tokens with which web pages upload. The token itself is only in the page.
create table upload_tokens (
  id text not null primary key,
  account_id text not null references accounts,
  hash text not null unique,
  -- The key that created it: see sessions.
  key_hash text not null,
  created_at integer not null,
  expires_at integer not null,
  max_bytes integer not null,
  max_files integer not null,
  -- A JSON array. Null: every type.
  media_types text,
  origin text,
  -- Which products to attach, as JSON.
  attach text,
  replaces text
) strict, without rowid;

create index upload_tokens_by_expiry on upload_tokens (expires_at);
-- To count the upload tokens of an account that have not expired.
create index upload_tokens_of_account on upload_tokens (account_id, expires_at);

-- Endpoints of an account that its events are sent to.
create table webhooks (
  id text not null primary key,
  account_id text not null references accounts (id),
  url text not null,
  description text not null,
  -- A JSON array of the types of events that are sent. Null: all types.
  types text,
  -- Encrypted, with the key that `identity.secret_key_id` names. Every request is signed with the secret.
  secret text not null,
  -- A JSON array of replaced secrets, each with the time in milliseconds until which it signs requests.
  previous_secrets text not null,
  -- The account's last event that was turned into a delivery, or that is not sent to this webhook.
  last_event integer not null,
  created_at integer not null,
  updated_at integer not null,
  disabled_at integer,
  disabled_reason text check (disabled_reason in ('manual', 'failing', 'gone')),
  -- The first failed attempt since the last successful one.
  failing_since integer,
  -- How many events were forgotten before they could be sent to the webhook, and when this was last noticed.
  missed_events integer not null default 0,
  missed_at integer,
  check ((disabled_at is null) = (disabled_reason is null))
) strict, without rowid;

create index webhooks_of_account on webhooks (account_id, id);

-- One row for each event and webhook, and for each ping: the queue of the requests, and their log.
create table deliveries (
  id text not null primary key,
  webhook_id text not null references webhooks (id) on delete cascade,
  -- Null for a ping.
  event_id integer,
  type text not null,
  -- Null if the body is built from the event when it is sent. Such an event is kept while a delivery of it is pending.
  body text,
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  created_at integer not null,
  -- When the next attempt is due. During an attempt, the end of its claim: then another instance repeats it.
  due_at integer,
  -- The end of the claim of the running attempt.
  claim_ends_at integer,
  -- Counts the claims, so that an attempt whose claim has ended does not change the next one.
  claims integer not null default 0,
  failures integer not null default 0,
  -- A JSON array of the last attempts.
  attempts text not null default '[]',
  -- The time of the event, which is part of its public ID: the ID stays the same after the event was forgotten. Null
  -- for a ping.
  event_at integer,
  check ((status = 'pending') = (due_at is not null)),
  check (body is not null or event_id is not null)
) strict;

create unique index deliveries_of_event on deliveries (webhook_id, event_id) where event_id is not null;
create index deliveries_of_webhook on deliveries (webhook_id, id);
create index deliveries_due on deliveries (webhook_id, due_at) where status = 'pending';
create index deliveries_claimed on deliveries (webhook_id) where claim_ends_at is not null;
create index deliveries_by_age on deliveries (created_at);
-- The first event with a pending delivery.
create index deliveries_pending_events on deliveries (webhook_id, event_id) where status = 'pending';
