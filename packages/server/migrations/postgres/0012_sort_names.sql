-- The name as `sortName` makes it: numbers are sorted by their value. Null until `fillSortNames` has filled it.
alter table assets add column sort_name text collate "C";
create index assets_without_sort_name on assets (id) where sort_name is null;

drop index assets_by_name;
create index assets_by_name on assets (account_id, sort_name, id) where status = 'ready';
