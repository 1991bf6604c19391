-- When a deleted asset was moved to the trash. Null: it is not in the trash. A deleted asset in the trash keeps
-- its objects and its versions, and can be restored.
alter table assets add column trashed_at integer;

-- Oldest first, as uploads that need the room and the list of the trash read it; and of all accounts.
create index assets_in_trash on assets (account_id, trashed_at, id) where trashed_at is not null;
create index assets_trashed on assets (trashed_at) where trashed_at is not null;

-- Assets in the trash are not forgotten.
drop index assets_ended;
create index assets_ended on assets (changed_at)
  where status in ('cancelled', 'expired', 'deleted') and trashed_at is null;

-- The products of assets in the trash. By ID and without a reference: a product may be deleted meanwhile.
create table trashed_attachments (
  asset_id text not null references assets (id) on delete cascade,
  product_id text not null,
  primary key (asset_id, product_id)
) strict, without rowid;

-- Bytes of assets in the trash, with their versions. They don't count as stored, but stored, reserved,
-- superseded and trashed bytes together never exceed the plan: the oldest trash gives way to an upload.
alter table accounts add column trash_bytes integer not null default 0 check (trash_bytes >= 0);

-- All ready assets up to this ID are being moved to the trash. Null when that is done.
alter table accounts add column trash_until text;
create index accounts_being_trashed on accounts (id) where trash_until is not null;

-- Whether the asset is in the trash. Then the bytes of the version don't count as stored.
alter table asset_versions add column trashed integer not null default 0;
drop index asset_versions_of_account;
create index asset_versions_of_account on asset_versions (account_id, trashed, bytes);

drop trigger asset_versions_use_on_insert;
drop trigger asset_versions_use_on_delete;

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
