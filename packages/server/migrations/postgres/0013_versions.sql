-- Each version of a file is an object of its own in the storage, and no object is ever overwritten. The row
-- of an asset describes the current version; asset_versions has the others.
alter table assets add column version integer not null default 1;
-- The highest number that a version of the asset ever had. No number is used twice.
alter table assets add column last_version integer not null default 1;
-- How often another version became the current one.
alter table assets add column version_changes integer not null default 0;
-- The key of the current version's object. Null: the ID of the asset.
alter table assets add column object_key uuid;
-- When the current version was requested. Null: together with the asset.
alter table assets add column version_created_at timestamptz;
-- When the asset last changed. Null: never.
alter table assets add column updated_at timestamptz(3);

-- The upload of a new version is a row of its own, whose ID is the key of the new object. It refers to the
-- asset that it replaces, and never becomes ready: once it is completed, its status is `deleted` and
-- became_version is the number of its version.
alter table assets add column replaces uuid;
-- Whether the new version keeps the name of the asset.
alter table assets add column keeps_name boolean not null default false;
alter table assets add column became_version integer;

-- One replacement at a time.
create unique index assets_replacing on assets (replaces)
  where replaces is not null and status in ('uploading', 'completing');
create index assets_replacements on assets (replaces, upload_id) where replaces is not null;
create unique index assets_by_object on assets (object_key) where object_key is not null;

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
  primary key (asset_id, version)
);

-- For the sums of an account.
create index asset_versions_of_account on asset_versions (account_id, bytes);

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
for each row execute function count_added_version();

create trigger asset_versions_use_on_delete after delete on asset_versions
for each row execute function count_removed_version();

-- The object of a version that is no longer kept stays for an hour, for downloads that have begun. Its bytes
-- don't count as stored, but stored, reserved and superseded bytes together never exceed the plan: an upload
-- that needs the room makes the oldest of these removals due immediately.
alter table accounts add column superseded_bytes bigint not null default 0
  check (superseded_bytes >= 0);
-- Set for superseded versions only, until their removal is due.
alter table removals add column account_id uuid;
alter table removals add column bytes bigint;
create index removals_superseded on removals (account_id, id) where account_id is not null;
create index removals_superseded_key on removals (key) where account_id is not null;
