-- The tags of assets: a JSON array as it is shown, and another one with their folded forms in the same order. Null: none.
alter table assets add column tags text;
alter table assets add column search_tags text;

-- The tags of the ready assets of each account.
create table tags (
  account_id text not null references accounts (id),
  -- Folded.
  tag text not null,
  -- The number of its ready assets. The triggers below keep it.
  assets integer not null,
  primary key (account_id, tag)
) strict, without rowid;

-- The ready assets of each tag, by ID: a block is counted, and a page of a list is read, without reading other assets.
create table asset_tags (
  account_id text not null,
  -- Folded.
  tag text not null,
  asset_id text not null,
  asset_seq integer not null,
  primary key (account_id, tag, asset_id)
) strict, without rowid;

create trigger asset_tags_inserted after insert on assets
when new.status = 'ready' and new.search_tags is not null begin
  insert into asset_tags (account_id, tag, asset_id, asset_seq)
  select new.account_id, value, new.id, new.seq from json_each(new.search_tags);
end;

create trigger asset_tags_deleted after delete on assets
when old.status = 'ready' and old.search_tags is not null begin
  delete from asset_tags where account_id = old.account_id and asset_id = old.id
    and tag in (select value from json_each(old.search_tags));
end;

create trigger asset_tags_changed after update of status, search_tags on assets
when iif(new.status = 'ready', new.search_tags, null)
  is not iif(old.status = 'ready', old.search_tags, null) begin
  delete from asset_tags where account_id = old.account_id and asset_id = old.id
    and tag in (select value from json_each(old.search_tags))
    and (new.status <> 'ready'
      or tag not in (select value from json_each(coalesce(new.search_tags, '[]'))));
  insert or ignore into asset_tags (account_id, tag, asset_id, asset_seq)
  select new.account_id, value, new.id, new.seq from json_each(new.search_tags)
  where new.status = 'ready';
end;

-- A list that is filtered by a tag counts the block of the asset again.
create trigger assets_tags_changed after update of search_tags on assets
when new.status = 'ready' and old.status = 'ready' and new.search_tags is not old.search_tags begin
  update accounts set revision = revision + 1 where id = new.account_id;
  update asset_blocks set revision = (select revision from accounts where id = new.account_id)
  where account_id = new.account_id and first_id = (
    select max(first_id) from asset_blocks
    where account_id = new.account_id and first_id <= new.id);
end;

create trigger tags_counted after insert on asset_tags begin
  insert into tags (account_id, tag, assets) values (new.account_id, new.tag, 1)
  on conflict (account_id, tag) do update set assets = assets + 1;
end;

create trigger tags_discounted after delete on asset_tags begin
  update tags set assets = assets - 1 where account_id = old.account_id and tag = old.tag;
  delete from tags where account_id = old.account_id and tag = old.tag and assets <= 0;
end;
