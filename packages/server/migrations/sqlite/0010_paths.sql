-- The folder that an asset came from, with a slash at its end: a folder and everything below it are then
-- one range of texts. Null if it came from none.
alter table assets add column folder text;

-- Both are empty at first. The first one finds the assets of a folder, the second one counts those of a
-- block without reading the rows.
create index assets_by_folder on assets (account_id, folder, id)
  where status = 'ready' and folder is not null;
create index assets_in_folders on assets (account_id, id, folder)
  where status = 'ready' and folder is not null;

drop trigger assets_changed;
create trigger assets_changed after update of search_name, bytes, linked, folder on assets
when new.status = 'ready' and old.status = 'ready'
  and (new.search_name, new.bytes, new.linked, new.folder)
    is not (old.search_name, old.bytes, old.linked, old.folder) begin
  update accounts set revision = revision + 1 where id = new.account_id;
  update asset_blocks set revision = (select revision from accounts where id = new.account_id)
  where account_id = new.account_id and first_id = (
    select max(first_id) from asset_blocks
    where account_id = new.account_id and first_id <= new.id);
end;

-- With the status: SQLite reads the row if the condition of an index has a list of values.
drop index assets_unfinished;
create index assets_unfinished on assets (account_id, id, search_name, status)
  where status in ('uploading', 'completing');
