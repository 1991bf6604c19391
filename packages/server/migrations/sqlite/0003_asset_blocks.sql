-- Goes up whenever what is listed of the account, or its order, changes.
alter table accounts add column revision integer not null default 0;

-- The ready assets of an account in stretches of a thousand or two, in the order of their ids: so a
-- page in the middle is found by adding up, and a count that is remembered for each block is made
-- anew only for those that have changed since.
create table asset_blocks (
  account_id text not null references accounts (id),
  -- It reaches up to where the next one begins. The first begins before any id.
  first_id text not null,
  assets integer not null check (assets >= 0),
  -- That of the account when the block last changed.
  revision integer not null,
  primary key (account_id, first_id)
) strict, without rowid;

update accounts set revision = 1;

insert into asset_blocks (account_id, first_id, assets, revision)
select account_id, iif(place = 0, '', id), iif(place + 2000 > total, total - place, 1000), 1
from (
  select account_id, id, row_number() over (partition by account_id order by id) - 1 as place,
    count(*) over (partition by account_id) as total
  from assets where status = 'ready'
)
where place % 1000 = 0 and (place = 0 or place + 1000 <= total);

insert or ignore into asset_blocks (account_id, first_id, assets, revision)
select id, '', 0, 1 from accounts;

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

create trigger assets_changed after update of search_name, bytes, linked on assets
when new.status = 'ready' and old.status = 'ready'
  and (new.search_name, new.bytes, new.linked) <> (old.search_name, old.bytes, old.linked) begin
  update accounts set revision = revision + 1 where id = new.account_id;
  update asset_blocks set revision = (select revision from accounts where id = new.account_id)
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

-- With the name, so that a block is counted without its rows.
drop index assets_ready;
create index assets_ready on assets (account_id, id, search_name) where status = 'ready';
