-- Goes up whenever what is listed of the account, or its order, changes.
alter table accounts add column revision bigint not null default 0;

-- The ready assets of an account in stretches of a thousand or two, in the order of their ids: so a
-- page in the middle is found by adding up, and a count that is remembered for each block is made
-- anew only for those that have changed since.
create table asset_blocks (
  account_id uuid not null references accounts (id),
  -- It reaches up to where the next one begins. The first begins before any id.
  first_id uuid not null,
  assets bigint not null check (assets >= 0),
  -- That of the account when the block last changed.
  revision bigint not null,
  primary key (account_id, first_id)
) with (fillfactor = 50);

update accounts set revision = 1;

insert into asset_blocks (account_id, first_id, assets, revision)
select account_id, case place when 0 then '00000000-0000-0000-0000-000000000000' else id end,
  case when place + 2000 > total then total - place else 1000 end, 1
from (
  select account_id, id, row_number() over (partition by account_id order by id) - 1 as place,
    count(*) over (partition by account_id) as total
  from assets where status = 'ready'
) ready
where place % 1000 = 0 and (place = 0 or place + 1000 <= total);

insert into asset_blocks (account_id, first_id, assets, revision)
select id, '00000000-0000-0000-0000-000000000000', 0, 1 from accounts
on conflict do nothing;

-- Cuts pieces of a thousand off a block, until less than two thousand are left.
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

-- Notes that an asset of the account came (1), went (-1) or is listed otherwise (0).
create function note_listed(account uuid, asset uuid, change integer) returns void as $$
declare
  current bigint;
  changed record;
begin
  -- Whoever changes the blocks has the account's row: they wait in line, and each statement below
  -- sees what those before have done.
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

-- The same of many at once, which is planned anew each time.
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

-- For all rows of a statement at once: a move brings thousands.
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

-- `linked` is noted by who changes it, for all rows at once: a product may have thousands.
create trigger assets_changed after update of search_name, bytes on assets for each row
  when (new.status = 'ready' and old.status = 'ready'
    and (new.search_name, new.bytes) is distinct from (old.search_name, old.bytes))
  execute function assets_changed();

-- With the name, so that a block is counted without its rows.
drop index assets_ready;
create index assets_ready on assets (account_id, id, search_name) where status = 'ready';
