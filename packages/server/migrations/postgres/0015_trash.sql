-- When a deleted asset was moved to the trash. Null: it is not in the trash. A deleted asset in the trash keeps
-- its objects and its versions, and can be restored.
alter table assets add column trashed_at timestamptz(3);

-- Oldest first, as uploads that need the room and the list of the trash read it; and of all accounts.
create index assets_in_trash on assets (account_id, trashed_at, id) where trashed_at is not null;
create index assets_trashed on assets (trashed_at) where trashed_at is not null;

-- Assets in the trash are not forgotten.
drop index assets_ended;
create index assets_ended on assets (changed_at)
  where status in ('cancelled', 'expired', 'deleted') and trashed_at is null;

-- The products of assets in the trash. By ID and without a reference: a product may be deleted meanwhile.
create table trashed_attachments (
  asset_id uuid not null references assets (id) on delete cascade,
  product_id uuid not null,
  primary key (asset_id, product_id)
);

-- Bytes of assets in the trash, with their versions. They don't count as stored, but stored, reserved,
-- superseded and trashed bytes together never exceed the plan: the oldest trash gives way to an upload.
alter table accounts add column trash_bytes bigint not null default 0 check (trash_bytes >= 0);

-- All ready assets up to this ID are being moved to the trash. Null when that is done.
alter table accounts add column trash_until uuid;
create index accounts_being_trashed on accounts (id) where trash_until is not null;

-- Whether the asset is in the trash. Then the bytes of the version don't count as stored.
alter table asset_versions add column trashed boolean not null default false;
drop index asset_versions_of_account;
create index asset_versions_of_account on asset_versions (account_id, trashed, bytes);

drop trigger asset_versions_use_on_insert on asset_versions;
drop trigger asset_versions_use_on_delete on asset_versions;

create trigger asset_versions_use_on_insert after insert on asset_versions
for each row when (not new.trashed) execute function count_added_version();

create trigger asset_versions_use_on_delete after delete on asset_versions
for each row when (not old.trashed) execute function count_removed_version();

create trigger asset_versions_trashed after update of trashed on asset_versions
for each row when (new.trashed and not old.trashed) execute function count_removed_version();

create trigger asset_versions_restored after update of trashed on asset_versions
for each row when (old.trashed and not new.trashed) execute function count_added_version();
