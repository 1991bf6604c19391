-- The folder that an asset came from, with a slash at its end: a folder and everything below it are then
-- one range of texts. Null if it came from none. Compared by code points, as on every engine.
alter table assets add column folder text collate "C";

-- Both are empty at first. The first one finds the assets of a folder, the second one counts those of a
-- block without reading the rows.
create index assets_by_folder on assets (account_id, folder, id)
  where status = 'ready' and folder is not null;
create index assets_in_folders on assets (account_id, id, folder)
  where status = 'ready' and folder is not null;

drop trigger assets_changed on assets;
-- `linked` is noted by who changes it, for all rows at once: a product may have thousands.
create trigger assets_changed after update of search_name, bytes, folder on assets for each row
  when (new.status = 'ready' and old.status = 'ready'
    and (new.search_name, new.bytes, new.folder)
      is distinct from (old.search_name, old.bytes, old.folder))
  execute function assets_changed();
