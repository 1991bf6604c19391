-- The path as `foldText` makes it, for `search`. Null until `fillSearchPaths` has filled it.
alter table assets add column search_path text collate "C";
create index assets_without_search_path on assets (id) where folder is not null and search_path is null;

do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index assets_paths on assets using gin (search_path gin_trgm_ops)
      where status = 'ready' and folder is not null;
  end if;
end
$$;

drop trigger assets_changed on assets;
-- `linked` is noted by who changes it, for all rows at once: a product may have thousands.
create trigger assets_changed after update of search_name, bytes, folder, search_path on assets
  for each row
  when (new.status = 'ready' and old.status = 'ready'
    and (new.search_name, new.bytes, new.folder, new.search_path)
      is distinct from (old.search_name, old.bytes, old.folder, old.search_path))
  execute function assets_changed();

-- With the name, so that a filter skips rows in the index alone.
drop index assets_by_name;
create index assets_by_name on assets (account_id, sort_name, id) include (search_name)
  where status = 'ready';
