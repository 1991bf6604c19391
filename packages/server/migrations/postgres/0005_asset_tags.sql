-- The tags of assets as they are shown, and their folded forms in the same order. Null: none.
alter table assets add column tags text[];
alter table assets add column search_tags text[];

-- The tags of the ready assets of each account.
create table tags (
  account_id uuid not null references accounts,
  -- Folded.
  tag text collate "C" not null,
  -- The number of its ready assets. The triggers below keep it.
  assets bigint not null,
  primary key (account_id, tag)
);

-- The ready assets of each tag, by ID: a block is counted, and a page of a list is read, without reading other assets.
create table asset_tags (
  account_id uuid not null,
  -- Folded.
  tag text collate "C" not null,
  asset_id uuid not null,
  primary key (account_id, tag, asset_id)
);

-- Only the holder of the account's row changes its tags.
create function change_asset_tags(account uuid, asset uuid, removed text[], added text[])
returns void as $$
begin
  perform from accounts where id = account for no key update;
  delete from asset_tags where account_id = account and asset_id = asset and tag = any(removed);
  update tags set assets = assets - 1 where account_id = account and tag = any(removed);
  delete from tags where account_id = account and tag = any(removed) and assets <= 0;
  insert into asset_tags (account_id, tag, asset_id) select account, tag, asset from unnest(added) tag;
  insert into tags as counted (account_id, tag, assets)
  select account, tag, 1 from unnest(added) tag
  on conflict (account_id, tag) do update set assets = counted.assets + 1;
end
$$ language plpgsql;

create function asset_tags_changed() returns trigger as $$
declare
  before text[] := '{}';
  later text[] := '{}';
begin
  if tg_op <> 'INSERT' and old.status = 'ready' then
    before := coalesce(old.search_tags, '{}');
  end if;
  if tg_op <> 'DELETE' and new.status = 'ready' then
    later := coalesce(new.search_tags, '{}');
  end if;
  perform change_asset_tags(
    case when tg_op = 'DELETE' then old.account_id else new.account_id end,
    case when tg_op = 'DELETE' then old.id else new.id end,
    array(select unnest(before) except select unnest(later)),
    array(select unnest(later) except select unnest(before)));
  return null;
end
$$ language plpgsql;

create trigger asset_tags_inserted after insert on assets for each row
  when (new.status = 'ready' and new.search_tags is not null)
  execute function asset_tags_changed();

create trigger asset_tags_deleted after delete on assets for each row
  when (old.status = 'ready' and old.search_tags is not null)
  execute function asset_tags_changed();

-- The statement that changes the tags of ready assets notes that they have changed, for all rows at once.
create trigger asset_tags_changed after update of status, search_tags on assets for each row
  when (case new.status when 'ready' then new.search_tags end
    is distinct from case old.status when 'ready' then old.search_tags end)
  execute function asset_tags_changed();
