-- Changes of all assets that match a filter run in the background, in batches.

-- The unfinished ones, and those that were finished not long ago, because they can be undone.
create table bulk_jobs (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  -- The action and its values, as JSON.
  change text not null,
  -- Who requested it: the actor of the events.
  actor text not null,
  status text not null check (status in ('running', 'finished', 'cancelled', 'failed')),
  -- Why it failed.
  failure text,
  created_at timestamptz(3) not null,
  finished_at timestamptz(3),
  -- Null while it is running. Then it is deleted.
  kept_until timestamptz(3),
  -- The assets: all of them, those that were read, and those that were changed.
  total bigint not null,
  done bigint not null default 0,
  changed bigint not null default 0,
  -- The batches: all of them, and those that were read.
  batches integer not null,
  next_batch integer not null default 0,
  -- The job that this one undoes, and the one that undoes this one. Without references: they are deleted independently.
  undoes uuid,
  undone_by uuid
);

create index bulk_jobs_of_account on bulk_jobs (account_id, id);
create index bulk_jobs_running on bulk_jobs (id) where status = 'running';
create index bulk_jobs_ended on bulk_jobs (kept_until) where kept_until is not null;

-- The assets that matched when the job was requested.
create table bulk_batches (
  job_id uuid not null references bulk_jobs (id),
  number integer not null,
  -- A JSON array: an ID, or an object with the ID and what changes for this asset only.
  assets text not null,
  -- The same for the assets that were changed: what undoes it. Null until the batch was read.
  undo text,
  primary key (job_id, number)
);

-- Products that are being deleted: most of their assets are detached in batches before.
create table product_deletions (
  product_id uuid primary key references products (id) on delete cascade,
  account_id uuid not null references accounts (id),
  -- Who requested it: the actor of the event.
  actor text not null
);

-- The triggers of assets change the counters of the account once for each asset. Within a transaction, PostgreSQL passes all
-- previous versions of the changed rows each time, so that the cost grows with the square of the number of assets. The
-- functions below count all of their assets at once, and these triggers leave that to them.
drop trigger assets_listed on assets;
create trigger assets_listed after update of status on assets for each row
  when ((new.status = 'ready') <> (old.status = 'ready')
    and current_setting('stowage.counted', true) is distinct from 'together')
  execute function assets_listed();

drop trigger assets_use_on_update on assets;
create trigger assets_use_on_update after update of status, kind, bytes, mime, account_id on assets
for each row when (
  (old.status = 'ready' or new.status = 'ready')
  and (old.status, old.kind, old.bytes, old.mime, old.account_id)
    is distinct from (new.status, new.kind, new.bytes, new.mime, new.account_id)
  and current_setting('stowage.counted', true) is distinct from 'together'
) execute function count_changed_asset();

drop trigger asset_tags_changed on assets;
create trigger asset_tags_changed after update of status, search_tags on assets for each row
  when (case new.status when 'ready' then new.search_tags end
      is distinct from case old.status when 'ready' then old.search_tags end
    and current_setting('stowage.counted', true) is distinct from 'together')
  execute function asset_tags_changed();

drop trigger assets_changed on assets;
create trigger assets_changed after update of search_name, bytes, folder, search_path on assets
  for each row
  when (new.status = 'ready' and old.status = 'ready'
    and (new.search_name, new.bytes, new.folder, new.search_path)
      is distinct from (old.search_name, old.bytes, old.folder, old.search_path)
    and current_setting('stowage.counted', true) is distinct from 'together')
  execute function assets_changed();

-- Adds tags of ready assets to the index (1), or removes them (-1). Each asset is listed once for each of its tags. The caller
-- holds the account's row.
create function count_tags_together(account uuid, ids uuid[], names text[], change integer)
returns void as $$
begin
  if ids is null then
    return;
  end if;
  if change < 0 then
    delete from asset_tags t using unnest(ids, names) given (id, name)
    where t.account_id = account and t.tag = given.name and t.asset_id = given.id;
    update tags set assets = tags.assets - counts.assets
    from (select name, count(*) as assets from unnest(names) name group by name) counts
    where tags.account_id = account and tags.tag = counts.name;
    delete from tags where account_id = account and assets <= 0 and tag = any(names);
  else
    insert into asset_tags (account_id, tag, asset_id)
    select account, given.name, given.id from unnest(ids, names) given (id, name);
    insert into tags as counted (account_id, tag, assets)
    select account, name, count(*) from unnest(names) name group by name
    on conflict (account_id, tag) do update set assets = counted.assets + excluded.assets;
  end if;
end
$$ language plpgsql;

-- Counts assets of the account that became ready (1), or that no longer are (-1). The caller holds the account's row.
create function count_together(account uuid, ids uuid[], change integer) returns void as $$
begin
  perform note_all_listed(account, ids, change);
  if change < 0 then
    update usage_by_type used set bytes = used.bytes - sums.bytes, assets = used.assets - sums.assets
    from (
      select asset_type(kind, mime) as type, count(*) as assets,
        coalesce(sum(bytes) filter (where kind = 'file'), 0) as bytes
      from assets where id = any(ids) group by 1
    ) sums
    where used.account_id = account and used.type = sums.type;
  else
    insert into usage_by_type as used (account_id, type, bytes, assets)
    select account, asset_type(kind, mime), coalesce(sum(bytes) filter (where kind = 'file'), 0), count(*)
    from assets where id = any(ids) group by 2
    on conflict (account_id, type) do update
    set bytes = used.bytes + excluded.bytes, assets = used.assets + excluded.assets;
  end if;
  perform count_tags_together(account, array_agg(id), array_agg(tag), change)
  from (select id, unnest(search_tags) as tag from assets where id = any(ids)) tagged;
end
$$ language plpgsql;

-- These change assets of one account, which the caller has locked. The setting ends with the transaction if the change fails.
create function move_to_trash(ids uuid[]) returns void as $$
declare
  account uuid;
begin
  select account_id into account from assets where id = ids[1];
  -- An account's row is locked before its usage and its tags.
  perform from accounts where id = account for no key update;
  perform set_config('stowage.counted', 'together', true);
  update assets set status = 'deleted', changed_at = now(), attached = false,
    trashed_at = date_trunc('milliseconds', now())
  where id = any(ids);
  perform set_config('stowage.counted', '', true);
  perform count_together(account, ids, -1);
end
$$ language plpgsql;

create function restore_from_trash(account uuid, ids uuid[]) returns void as $$
begin
  perform from accounts where id = account for no key update;
  perform set_config('stowage.counted', 'together', true);
  update assets set status = 'ready', changed_at = now(), trashed_at = null,
    attached = exists (select from asset_products where asset_id = assets.id)
  where id = any(ids);
  perform set_config('stowage.counted', '', true);
  perform count_together(account, ids, 1);
end
$$ language plpgsql;

create function move_to_folders(account uuid, ids uuid[], folders text[], paths text[])
returns void as $$
begin
  perform set_config('stowage.counted', 'together', true);
  update assets set folder = given.folder, search_path = given.path, updated_at = now()
  from unnest(ids, folders, paths) given (id, folder, path)
  where assets.id = given.id;
  perform set_config('stowage.counted', '', true);
  perform note_all_listed(account, array_agg(id), 0) from assets
  where id = any(ids) and status = 'ready' having count(*) > 0;
end
$$ language plpgsql;

-- The tags, and their folded forms, are JSON arrays.
create function change_tags(account uuid, ids uuid[], names text[], folded text[])
returns void as $$
declare
  removed_ids uuid[];
  removed_tags text[];
  added_ids uuid[];
  added_tags text[];
begin
  perform from accounts where id = account for no key update;
  select array_agg(id), array_agg(tag) into removed_ids, removed_tags from (
    select id, unnest(search_tags) as tag from assets where id = any(ids) and status = 'ready'
    except
    select given.id, json_array_elements_text(given.tags::json) from unnest(ids, folded) given (id, tags)
  ) pairs;
  select array_agg(id), array_agg(tag) into added_ids, added_tags from (
    select given.id, json_array_elements_text(given.tags::json) as tag
    from unnest(ids, folded) given (id, tags) join assets on assets.id = given.id
    where assets.status = 'ready'
    except
    select id, unnest(search_tags) from assets where id = any(ids)
  ) pairs;
  perform set_config('stowage.counted', 'together', true);
  update assets set updated_at = now(),
    tags = nullif(array(select json_array_elements_text(given.tags::json)), '{}'),
    search_tags = nullif(array(select json_array_elements_text(given.folded::json)), '{}')
  from unnest(ids, names, folded) given (id, tags, folded)
  where assets.id = given.id;
  perform set_config('stowage.counted', '', true);
  perform count_tags_together(account, removed_ids, removed_tags, -1);
  perform count_tags_together(account, added_ids, added_tags, 1);
  perform note_all_listed(account, array_agg(id), 0) from assets
  where id = any(ids) and status = 'ready' having count(*) > 0;
end
$$ language plpgsql;
