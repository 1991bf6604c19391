-- Each version of a file is an object of its own in the storage, and no object is ever overwritten. The row
-- of an asset describes the current version; asset_versions has the others.
alter table assets add column version integer not null default 1;
-- The highest number that a version of the asset ever had. No number is used twice.
alter table assets add column last_version integer not null default 1;
-- How often another version became the current one.
alter table assets add column version_changes integer not null default 0;
-- The key of the current version's object. Null: the ID of the asset.
alter table assets add column object_key text;
-- When the current version was requested. Null: together with the asset.
alter table assets add column version_created_at integer;
-- When the asset last changed. Null: never.
alter table assets add column updated_at integer;

-- The upload of a new version is a row of its own, whose ID is the key of the new object. It refers to the
-- asset that it replaces, and never becomes ready: once it is completed, its status is `deleted` and
-- became_version is the number of its version.
alter table assets add column replaces text;
-- Whether the new version keeps the name of the asset.
alter table assets add column keeps_name integer not null default 0;
alter table assets add column became_version integer;

-- One replacement at a time.
create unique index assets_replacing on assets (replaces)
  where replaces is not null and status in ('uploading', 'completing');
create index assets_replacements on assets (replaces, upload_id) where replaces is not null;
create unique index assets_by_object on assets (object_key) where object_key is not null;

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
  primary key (asset_id, version)
) strict, without rowid;

-- For the sums of an account.
create index asset_versions_of_account on asset_versions (account_id, bytes);

-- Older versions use bytes of their type, but are no assets.
create trigger asset_versions_use_on_insert after insert on asset_versions begin
  insert into usage_by_type (account_id, type, bytes, assets)
  values (new.account_id, new.type, new.bytes, 0)
  on conflict (account_id, type) do update set bytes = bytes + excluded.bytes;
end;

create trigger asset_versions_use_on_delete after delete on asset_versions begin
  update usage_by_type set bytes = bytes - old.bytes
  where account_id = old.account_id and type = old.type;
end;

-- The object of a version that is no longer kept stays for an hour, for downloads that have begun. Its bytes
-- don't count as stored, but stored, reserved and superseded bytes together never exceed the plan: an upload
-- that needs the room makes the oldest of these removals due immediately.
alter table accounts add column superseded_bytes integer not null default 0
  check (superseded_bytes >= 0);
-- Set for superseded versions only, until their removal is due.
alter table removals add column account_id text;
alter table removals add column bytes integer;
create index removals_superseded on removals (account_id, id) where account_id is not null;
create index removals_superseded_key on removals (key) where account_id is not null;
