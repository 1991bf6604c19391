-- The path as `foldText` makes it, for `search`. Null until `fillSearchPaths` has filled it.
alter table assets add column search_path text;
create index assets_without_search_path on assets (seq)
  where folder is not null and search_path is null;

-- Trigrams of the search paths of the ready assets, like those of their names in asset_names.
create virtual table asset_paths using fts5 (
  search_path,
  content = '',
  contentless_delete = 1,
  detail = none,
  tokenize = 'trigram case_sensitive 1'
);

create trigger asset_paths_inserted after insert on assets
when new.status = 'ready' and new.search_path is not null begin
  insert into asset_paths (rowid, search_path) values (new.seq, new.search_path);
end;

create trigger asset_paths_removed after update of status, search_path on assets
when old.status = 'ready' and old.search_path is not null
  and (new.status <> 'ready' or new.search_path is null) begin
  delete from asset_paths where rowid = old.seq;
end;

create trigger asset_paths_changed after update of status, search_path on assets
when new.status = 'ready' and new.search_path is not null
  and (old.status <> 'ready' or old.search_path is not new.search_path) begin
  insert or replace into asset_paths (rowid, search_path) values (new.seq, new.search_path);
end;

drop trigger assets_changed;
create trigger assets_changed after update of search_name, bytes, linked, folder, search_path on assets
when new.status = 'ready' and old.status = 'ready'
  and (new.search_name, new.bytes, new.linked, new.folder, new.search_path)
    is not (old.search_name, old.bytes, old.linked, old.folder, old.search_path) begin
  update accounts set revision = revision + 1 where id = new.account_id;
  update asset_blocks set revision = (select revision from accounts where id = new.account_id)
  where account_id = new.account_id and first_id = (
    select max(first_id) from asset_blocks
    where account_id = new.account_id and first_id <= new.id);
end;

-- With the path, so that a block is counted, and rows are skipped, without reading the rows.
drop index assets_ready;
create index assets_ready on assets (account_id, id, search_name, search_path) where status = 'ready';
drop index assets_by_name;
create index assets_by_name on assets (account_id, sort_name, id, search_name, search_path)
  where status = 'ready';
